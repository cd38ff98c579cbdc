//! The events of a streamed response: server-sent events (WHATWG HTML, section 9.2), or JSON lines.

use serde_json::Value;

/// Returns the events of a body, as JSON; the data of a server-sent event that is not JSON is a string. A body that is one JSON
/// value is one event. The error completes "the response of `url` ...".
pub(super) fn events(body: &[u8]) -> Result<Vec<Value>, String> {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}').trim();
    if let Ok(whole) = serde_json::from_str(text) {
        return Ok(vec![whole]);
    }
    let is_sse = ["data:", "event:", "id:", "retry:", ":"]
        .iter()
        .any(|field| text.starts_with(field));
    if is_sse {
        return Ok(server_sent(text));
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .enumerate()
        .map(|(at, line)| {
            serde_json::from_str(line)
                .map_err(|error| format!("is not JSON in event {}: {error}", at + 1))
        })
        .collect()
}

/// Collects the data of each event: its `data` lines, joined by line ends. `[DONE]` ends the stream.
fn server_sent(text: &str) -> Vec<Value> {
    let (mut events, mut data): (Vec<Value>, Vec<&str>) = (Vec::new(), Vec::new());
    for line in text.lines().chain([""]) {
        if let Some(piece) = line.strip_prefix("data:") {
            data.push(piece.strip_prefix(' ').unwrap_or(piece));
        } else if line.is_empty() && !data.is_empty() {
            let whole = data.join("\n");
            if whole.trim() == "[DONE]" {
                break;
            }
            events.push(serde_json::from_str(&whole).unwrap_or(Value::String(whole)));
            data.clear();
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn server_sent_events_lines_and_whole_bodies_are_events() {
        let sse = ": ping\r\n\r\nevent: x\r\ndata: {\"t\": \"a\"}\r\n\r\ndata: plain\ndata:  two\n\ndata: [DONE]\n\ndata: 1\n\n";
        assert_eq!(
            events(sse.as_bytes()),
            Ok(vec![json!({"t": "a"}), json!("plain\n two")])
        );
        assert_eq!(
            events(b"{\"t\": \"a\"}\n\n{\"t\": \"b\"}\n"),
            Ok(vec![json!({"t": "a"}), json!({"t": "b"})])
        );
        assert_eq!(events(b"{\n\"t\": 1\n}"), Ok(vec![json!({"t": 1})]));
        assert_eq!(events(b""), Ok(vec![]));
        let broken = events(b"{\"t\": 1}\n{\"t\": ").expect_err("broken off");
        assert!(broken.starts_with("is not JSON in event 2: "), "{broken}");
    }
}
