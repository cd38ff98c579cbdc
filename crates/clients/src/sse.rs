//! Server-sent events (WHATWG HTML, section 9.2): the data of each event, and whether its type is `error`.

/// An event of a stream.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Event {
    /// Its `data` lines.
    pub data: String,
    /// True if its type is `error`.
    pub is_error: bool,
    /// False if the stream ends inside it; some servers leave out the last empty line.
    pub is_ended: bool,
}

/// Returns the events in a body; `None` if it is not a stream.
pub(crate) fn events(body: &str) -> Option<Vec<Event>> {
    let text = body.trim_start_matches('\u{feff}').trim_start();
    let fields = ["data:", "event:", "id:", "retry:", ":"];
    if !fields.iter().any(|field| text.starts_with(field)) {
        return None;
    }
    let mut events = Vec::new();
    let (mut event, mut n_lines) = (Event::default(), 0);
    for line in text.lines() {
        if let Some(piece) = line.strip_prefix("data:") {
            if n_lines > 0 {
                event.data.push('\n');
            }
            event.data.push_str(piece.strip_prefix(' ').unwrap_or(piece));
            n_lines += 1;
        } else if let Some(kind) = line.strip_prefix("event:") {
            event.is_error = kind.trim() == "error";
        } else if line.is_empty() {
            event.is_ended = true;
            events.push(std::mem::take(&mut event));
            n_lines = 0;
        }
    }
    events.push(event);
    events.retain(|event| !event.data.is_empty() || event.is_error);
    Some(events)
}
