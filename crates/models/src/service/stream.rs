//! The events of a streamed response: server-sent events (WHATWG HTML, section 9.2), or JSON lines.

use serde_json::Value;

/// Returns the events of a body, as JSON. A body that is one JSON value is one event. `is_plain`: an event may be a text that
/// is not JSON. The error completes "the response of `url` ...".
///
/// An event of the type `error` becomes an object with the key `error`.
pub(super) fn events(body: &[u8], is_plain: bool) -> Result<Vec<Value>, String> {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if let Ok(whole) = serde_json::from_str(text) {
        return Ok(vec![whole]);
    }
    let is_sse =
        ["data:", "event:", "id:", "retry:", ":"].iter().any(|field| text.starts_with(field));
    if is_sse {
        return server_sent(text, is_plain);
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.enumerate();
    lines.map(|(at, line)| parsed(at, line)).collect()
}

/// Collects the data of each event: its `data` lines, joined by line ends. `[DONE]` ends the stream.
fn server_sent(text: &str, is_plain: bool) -> Result<Vec<Value>, String> {
    let mut events: Vec<Value> = Vec::new();
    let (mut data, mut is_error): (Vec<&str>, bool) = (Vec::new(), false);
    for line in text.lines() {
        if let Some(piece) = line.strip_prefix("data:") {
            data.push(piece.strip_prefix(' ').unwrap_or(piece));
        } else if let Some(kind) = line.strip_prefix("event:") {
            is_error = kind.trim() == "error";
        } else if line.is_empty() {
            let whole = std::mem::take(&mut data).join("\n");
            if whole.trim() == "[DONE]" {
                return Ok(events);
            }
            events.extend(event(events.len(), whole, is_plain, is_error)?);
            is_error = false;
        }
    }
    let rest = data.join("\n");
    match event(events.len(), rest, false, is_error) {
        // Some servers leave out the last empty line.
        Ok(last) => events.extend(last),
        Err(_) if data == ["[DONE]"] => {}
        Err(_) => {
            let at = events.len() + 1;
            return Err(format!("ends inside event {at}: {}", data.join("\n")));
        }
    }
    Ok(events)
}

/// Returns the event with this data; `None` for no data.
fn event(at: usize, data: String, is_plain: bool, is_error: bool) -> Result<Option<Value>, String> {
    if data.is_empty() && !is_error {
        return Ok(None);
    }
    if is_error {
        let fields = serde_json::from_str(&data).ok().filter(Value::is_object);
        let fields = fields.filter(|fields| fields.get("error").is_some());
        return Ok(Some(fields.unwrap_or_else(|| serde_json::json!({ "error": data }))));
    }
    match parsed(at, &data) {
        Ok(value @ (Value::String(_) | Value::Array(_) | Value::Object(_))) => Ok(Some(value)),
        // A piece of plain text that happens to be a number, or `null`.
        Ok(_) | Err(_) if is_plain => Ok(Some(Value::String(data))),
        other => other.map(Some),
    }
}

fn parsed(at: usize, data: &str) -> Result<Value, String> {
    serde_json::from_str(data)
        .map_err(|error| format!("is not JSON in event {}: {error}: {data}", at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(body: &str) -> Result<Vec<Value>, String> {
        events(body.as_bytes(), false)
    }

    #[test]
    fn server_sent_events_lines_and_whole_bodies_are_events() {
        let sse = ": ping\r\n\r\nevent: x\r\ndata: {\"t\": \"a\"}\r\n\r\ndata: plain\ndata:  two\n\ndata: [DONE]\n\ndata: 1\n\n";
        assert_eq!(events(sse.as_bytes(), true), Ok(vec![json!({"t": "a"}), json!("plain\n two")]));
        assert_eq!(
            read("{\"t\": \"a\"}\n\n{\"t\": \"b\"}\n"),
            Ok(vec![json!({"t": "a"}), json!({"t": "b"})])
        );
        assert_eq!(read("{\n\"t\": 1\n}"), Ok(vec![json!({"t": 1})]));
        assert_eq!(read(""), Ok(vec![]));
    }

    #[test]
    fn a_malformed_or_cut_event_is_named() {
        let good = "data: {\"t\": \"a\"}\n\n";
        for (body, beginning) in [
            (format!("{good}data: {{oops\n\n{good}"), "is not JSON in event 2: "),
            (format!("{good}data: {{\"t\": \"re"), "ends inside event 2: {\"t\": \"re"),
            ("{\"t\": 1}\n{\"t\": ".to_owned(), "is not JSON in event 2: "),
        ] {
            let error = read(&body).expect_err(&body);
            assert!(error.starts_with(beginning), "{error}");
        }
        let cut = events(b"data: six\n\ndata: min", true).expect_err("cut");
        assert_eq!(cut, "ends inside event 2: min");
        // Whole, but for the empty line.
        for last in ["data: {\"t\": \"a\"}", "data: [DONE]"] {
            assert!(read(&format!("{good}{last}")).is_ok(), "{last}");
        }
    }

    #[test]
    fn an_event_of_the_type_error_is_an_error_whatever_its_data() {
        let error = |data: &str| read(&format!("event: error\ndata: {data}\n\n"));
        assert_eq!(error("crashed"), Ok(vec![json!({"error": "crashed"})]));
        assert_eq!(
            error("{\"error\": {\"message\": \"m\"}}"),
            Ok(vec![json!({"error": {"message": "m"}})])
        );
        assert_eq!(error("{\"detail\": 1}"), Ok(vec![json!({"error": "{\"detail\": 1}"})]));
    }

    #[test]
    fn a_piece_of_plain_text_stays_as_it_is_written() {
        let body = b"data: 6.50\n\ndata: null\n\ndata: \"x\"\n\n";
        assert_eq!(events(body, true), Ok(vec![json!("6.50"), json!("null"), json!("x")]));
    }
}
