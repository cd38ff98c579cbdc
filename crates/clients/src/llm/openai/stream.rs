//! A stream: requested by `extra_body`, or sent by a gateway whatever the body requests. It is assembled.

use serde_json::{Value, json};

/// Assembles the chat completion in a body of server-sent events (WHATWG HTML, section 9.2), as JSON, from the deltas of its first
/// choice; its error message if it has one. `None`: the body is not a stream. The error describes an incomplete stream.
pub(super) fn whole(body: &[u8]) -> Option<Result<Vec<u8>, String>> {
    let text = std::str::from_utf8(body).ok()?.trim_start_matches('\u{feff}').trim_start();
    let is_stream =
        ["data:", "event:", "id:", "retry:", ":"].iter().any(|field| text.starts_with(field));
    is_stream.then(|| joined(text.lines().filter_map(|line| line.strip_prefix("data:"))))
}

fn joined<'a>(events: impl Iterator<Item = &'a str>) -> Result<Vec<u8>, String> {
    let [mut content, mut refusal] = [None::<String>, None];
    let (mut finish, mut usage, mut is_done) = (Value::Null, Value::Null, false);
    // One line an event: some servers leave out the empty lines between them.
    for data in events.map(str::trim).filter(|data| !data.is_empty()) {
        if data == "[DONE]" {
            is_done = true;
            continue;
        }
        let event: Value = serde_json::from_str(data)
            .map_err(|error| format!("an event of its stream ({error})"))?;
        if event.get("error").is_some_and(|error| !error.is_null()) {
            return Ok(data.as_bytes().to_vec());
        }
        if let Some(counted) = event.get("usage").filter(|usage| !usage.is_null()) {
            usage = counted.clone();
        }
        let mut choices = event["choices"].as_array().into_iter().flatten();
        let Some(choice) = choices.find(|choice| choice["index"].as_u64().unwrap_or(0) == 0) else {
            continue;
        };
        if let Some(reason) = choice.get("finish_reason").filter(|reason| !reason.is_null()) {
            finish = reason.clone();
        }
        for (name, text) in [("content", &mut content), ("refusal", &mut refusal)] {
            if let Some(piece) = choice["delta"][name].as_str() {
                text.get_or_insert_default().push_str(piece);
            }
        }
    }
    if finish.is_null() && content.is_none() && refusal.is_none() {
        return Err("its stream has no choices".to_owned());
    }
    if !is_done && finish.is_null() {
        return Err("its stream ends before the answer is complete".to_owned());
    }
    let message = json!({ "content": content, "refusal": refusal });
    let whole =
        json!({ "choices": [{ "message": message, "finish_reason": finish }], "usage": usage });
    Ok(whole.to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Option<Result<Value, String>> {
        whole(body.as_bytes())
            .map(|whole| whole.map(|bytes| serde_json::from_slice(&bytes).expect("JSON")))
    }

    #[test]
    fn deltas_are_put_together_with_finish_and_usage() {
        let body = ": ping\n\nevent: x\ndata: {\"choices\": [{\"index\": 0, \"delta\": {\"role\": \"assistant\", \"content\": \"Pa\"}}]}\r\n\r\n\
                    data: {\"choices\": [{\"index\": 1, \"delta\": {\"content\": \"no\"}}]}\n\n\
                    data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"ris\"}, \"finish_reason\": \"length\"}]}\n\n\
                    data: {\"choices\": [], \"usage\": {\"prompt_tokens\": 3}}\n\ndata: [DONE]\n\n";
        let expected = json!({
            "choices": [{"message": {"content": "Paris", "refusal": null}, "finish_reason": "length"}], "usage": {"prompt_tokens": 3}
        });
        assert_eq!(read(body), Some(Ok(expected)));
    }

    #[test]
    fn a_stream_without_its_end_is_no_answer() {
        let begun = "data: {\"choices\": [{\"delta\": {\"content\": \"Pa\"}}]}\n\n";
        assert_eq!(
            read(begun),
            Some(Err("its stream ends before the answer is complete".to_owned()))
        );
        assert!(read(&format!("{begun}data: {{\"cho")).expect("a stream").is_err());
    }

    #[test]
    fn a_complaint_in_a_stream_stays_one() {
        let body = "data: {\"error\": {\"code\": 429, \"message\": \"slow down\"}}\n\n";
        assert_eq!(read(body), Some(Ok(json!({"error": {"code": 429, "message": "slow down"}}))));
    }

    #[test]
    fn what_is_json_or_a_page_is_no_stream() {
        for body in ["{\"data\": 1}", "<html>", "", "data"] {
            assert_eq!(read(body), None, "{body}");
        }
    }
}
