//! The events of a streamed response, as JSON: server-sent events or JSON lines.

use serde_json::{Value, json};

use crate::sse;

/// Returns the events of a body. A body that is one JSON value is one event. `is_plain`: an event may be a text that is not
/// JSON. `[DONE]` ends the stream. An event of the type `error` becomes an object with the key `error`. The error completes
/// "the response of `url` ...".
pub(super) fn events(body: &[u8], is_plain: bool) -> Result<Vec<Value>, String> {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if let Ok(whole) = serde_json::from_str(text) {
        return Ok(vec![whole]);
    }
    let Some(sent) = sse::events(text) else {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        return lines.enumerate().map(|(at, line)| parsed(at, line)).collect();
    };
    let mut events = Vec::new();
    for event in sent {
        if event.data.trim() == "[DONE]" {
            break;
        }
        let at = events.len();
        events.push(if event.is_error {
            let fields = serde_json::from_str(&event.data).ok();
            let fields = fields.filter(|fields: &Value| fields.get("error").is_some());
            fields.unwrap_or_else(|| json!({ "error": event.data }))
        } else {
            match parsed(at, &event.data) {
                Ok(value @ (Value::String(_) | Value::Array(_) | Value::Object(_))) => value,
                Err(_) if !event.is_ended => {
                    return Err(format!("ends inside event {}: {}", at + 1, event.data));
                }
                // A piece of plain text that happens to be a number, or `null`.
                _ if is_plain => Value::String(event.data),
                other => other?,
            }
        });
    }
    Ok(events)
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
