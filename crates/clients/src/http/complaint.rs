//! Error messages of services, from the common response formats.

use serde_json::Value;

/// Returns the message of `{"error": {"message"}}`, `{"error": "..."}`, `{"message"}` or `{"detail"}`, else the whole
/// body.
#[must_use]
pub fn complaint(body: &[u8]) -> String {
    let message = serde_json::from_slice::<Value>(body).ok().and_then(|value| {
        let error = value.get("error").filter(|error| error.is_object()).unwrap_or(&value);
        ["message", "error", "detail"]
            .iter()
            .find_map(|name| error.get(*name)?.as_str().map(str::to_owned))
    });
    message.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_found_in_every_form() {
        for (body, message) in [
            (r#"{"error": {"message": "m", "code": 1}}"#, "m"),
            (r#"{"error": "m", "error_type": "Validation"}"#, "m"),
            (r#"{"object": "error", "message": "m"}"#, "m"),
            (r#"{"detail": "m"}"#, "m"),
            (r#"{"error": {}}"#, r#"{"error": {}}"#),
            (r#"{"detail": [1]}"#, r#"{"detail": [1]}"#),
            ("out of memory", "out of memory"),
        ] {
            assert_eq!(complaint(body.as_bytes()), message, "{body}");
        }
    }
}
