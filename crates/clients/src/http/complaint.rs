//! Error messages of servers: their text, and the fault that they describe.

use serde_json::Value;

use crate::error::Fault;
use ragtriage_core::types::ErrorKind;

/// `error.code` and `error.type` values for a prompt that exceeds the model's context (`OpenAI`, llama.cpp, `LiteLLM`).
const TOO_LONG_CODES: [&str; 3] =
    ["context_length_exceeded", "exceed_context_size_error", "contextwindowexceedederror"];

/// Lower-case parts of messages that indicate the error without a code (vLLM, LM Studio, TGI, gateways to
/// others).
const TOO_LONG_WORDS: [&str; 9] = [
    "maximum context length",
    "context length of",
    "exceeds the available context size",
    "exceeds the context",
    "exceeds the model's context",
    "prompt is too long",
    "input is too long",
    "greater than the context length",
    // LiteLLM's text for any provider's error: its `code` is then `400`.
    "contextwindowexceedederror",
];

/// Codes of a provider's content filter (`OpenAI`, Azure).
const REFUSED_CODES: [&str; 3] =
    ["content_filter", "content_policy_violation", "responsibleaipolicyviolation"];

/// Codes under status 429 that waiting does not resolve.
const SPENT_CODES: [&str; 2] = ["insufficient_quota", "billing_hard_limit_reached"];

/// The error of chat templates that know no system message, such as Gemma's; servers answer with status 400 or 500.
const NO_SYSTEM_ROLE: &str = "system role not supported";

/// Lower-cased parts of error messages about a batch that is too large (`OpenAI`, text-embeddings-inference, vLLM,
/// gateways). A false match costs some calls, not correctness.
const TOO_LARGE_WORDS: [&str; 9] = [
    "batch size",
    "too large",
    "too many",
    "too long",
    "maximum",
    "at most",
    "exceed",
    "per request",
    "array length",
];

/// An error message of a server.
pub(super) struct Complaint {
    pub message: String,
    /// The status; of an answer with status 200 the number in `error.code`, where gateways put it.
    pub status: u16,
    /// `error.code` and `error.type`, lower-cased.
    codes: Vec<String>,
}

impl Complaint {
    /// Reads `{"error": {"message", "code", "type"}}`, `{"error": "..."}`, `{"message"}` or `{"detail"}`; else the message is the
    /// whole body.
    pub fn read(status: u16, body: &[u8]) -> Self {
        let whole: Value = serde_json::from_slice(body).unwrap_or_default();
        let error = whole.get("error").filter(|error| error.is_object()).unwrap_or(&whole);
        let inner = error.get("innererror").and_then(|inner| inner.get("code"));
        let message =
            ["message", "error", "detail"].iter().find_map(|name| error.get(*name)?.as_str());
        let code = error.get("code").and_then(Value::as_u64).filter(|_| status == 200);
        Self {
            message: message
                .map_or_else(|| String::from_utf8_lossy(body).into_owned(), str::to_owned),
            status: code.and_then(|code| u16::try_from(code).ok()).unwrap_or(status),
            codes: [error.get("code"), error.get("type"), inner]
                .into_iter()
                .filter_map(|code| code?.as_str().map(str::to_lowercase))
                .collect(),
        }
    }

    /// Returns the fault by its codes, then by its words, then by its status.
    pub fn fault(&self) -> Fault {
        let (status, message) = (self.status, self.message.to_lowercase());
        let has_code =
            |codes: &[&str]| self.codes.iter().any(|code| codes.contains(&code.as_str()));
        let is_named = |name| matches!(status, 400 | 422) && message.contains(name);
        let is_too_long = || TOO_LONG_WORDS.iter().any(|words| message.contains(words));
        if has_code(&TOO_LONG_CODES) || status == 413 || (status != 429 && is_too_long()) {
            Fault::RequestTooLarge
        } else if has_code(&REFUSED_CODES) {
            Fault::Refused
        } else if message.contains(NO_SYSTEM_ROLE) {
            Fault::Rejected(ErrorKind::RejectsSystemRole)
        } else if has_code(&SPENT_CODES) {
            Fault::Rejected(ErrorKind::Permanent)
        } else if is_named("max_tokens") {
            Fault::Rejected(ErrorKind::RejectsMaxTokens)
        } else if is_named("temperature") {
            Fault::Rejected(ErrorKind::RejectsTemperature)
        } else {
            Fault::Status(status)
        }
    }

    /// Returns [`Self::fault`] of a request with several texts: a refusal with such words says that they are too many, or too
    /// long. llama.cpp uses status 500.
    pub fn fault_of_batch(&self) -> Fault {
        let message = self.message.to_lowercase();
        let is_too_large = match self.status {
            400 | 422 => TOO_LARGE_WORDS.iter().any(|words| message.contains(words)),
            500 => message.contains("too large to process"),
            _ => false,
        };
        if is_too_large { Fault::RequestTooLarge } else { self.fault() }
    }
}

/// Returns true if a body with a success status contains an error message in place of a chat completion.
pub(crate) fn is_complaint(body: &[u8]) -> bool {
    serde_json::from_slice::<Value>(body).is_ok_and(|value| {
        value["choices"].as_array().is_none_or(Vec::is_empty)
            && value.get("error").is_some_and(|error| !error.is_null())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(status: u16, body: &Value) -> Complaint {
        Complaint::read(status, body.to_string().as_bytes())
    }

    #[test]
    fn the_message_of_an_error_is_found_in_every_form() {
        for (body, message) in [
            (r#"{"error": {"message": "m", "code": 1}}"#, "m"),
            (r#"{"error": "m", "error_type": "Validation"}"#, "m"),
            (r#"{"object": "error", "message": "m"}"#, "m"),
            (r#"{"detail": "m"}"#, "m"),
            (r#"{"error": {}}"#, r#"{"error": {}}"#),
            (r#"{"detail": [1]}"#, r#"{"detail": [1]}"#),
            ("out of memory", "out of memory"),
        ] {
            assert_eq!(Complaint::read(500, body.as_bytes()).message, message, "{body}");
        }
    }

    #[test]
    fn a_fault_is_known_by_code_then_words_then_status() {
        // OpenAI's wording.
        let tokens = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        let temperature = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.";
        for (status, body, expected) in [
            (
                400,
                json!({"error": {"message": "m", "code": "context_length_exceeded"}}),
                Fault::RequestTooLarge,
            ),
            (
                400,
                json!({"error": "This model's maximum context length is 8192 tokens"}),
                Fault::RequestTooLarge,
            ),
            (
                400,
                json!({"error": {"message": "litellm.ContextWindowExceededError: x", "type": "invalid_request_error", "code": "400"}}),
                Fault::RequestTooLarge,
            ),
            (
                500,
                json!({"error": {"type": "exceed_context_size_error", "code": 400}}),
                Fault::RequestTooLarge,
            ),
            (400, json!({"error": {"code": "content_filter"}}), Fault::Refused),
            (429, json!({"error": {"code": "rate_limit_exceeded"}}), Fault::Status(429)),
            (
                429,
                json!({"error": {"code": "insufficient_quota"}}),
                Fault::Rejected(ErrorKind::Permanent),
            ),
            // llama.cpp, of Gemma's template.
            (
                500,
                json!({"error": {"code": 500, "message": "Jinja Exception: System role not supported"}}),
                Fault::Rejected(ErrorKind::RejectsSystemRole),
            ),
            (400, json!({ "error": tokens }), Fault::Rejected(ErrorKind::RejectsMaxTokens)),
            (400, json!({ "error": temperature }), Fault::Rejected(ErrorKind::RejectsTemperature)),
            (503, json!("loading"), Fault::Status(503)),
            (401, json!({"detail": "no"}), Fault::Status(401)),
        ] {
            assert_eq!(read(status, &body).fault(), expected, "{status} {body}");
        }
    }

    #[test]
    fn a_gateways_error_under_status_200_keeps_its_own_status() {
        let body = br#"{"error": {"code": 429, "message": "slow down"}}"#;
        assert!(is_complaint(body));
        assert_eq!(Complaint::read(200, body).fault(), Fault::Status(429));
        assert!(!is_complaint(br#"{"error": null, "choices": []}"#));
    }

    #[test]
    fn a_server_that_was_sent_too_much_says_so_in_many_ways() {
        for (code, words) in [
            (413, ""),
            (422, "batch size 64 > maximum allowed batch size 32"),
            (400, "Requested 419124 tokens, max 300000 tokens per request"),
            (400, "This model's maximum context length is 8192 tokens"),
            (500, "input is too large to process. increase the physical batch size"),
        ] {
            assert_eq!(
                read(code, &json!(words)).fault_of_batch(),
                Fault::RequestTooLarge,
                "{words}"
            );
        }
        for (code, words) in
            [(400, "no such model"), (429, "too many requests"), (500, "out of memory")]
        {
            assert_eq!(read(code, &json!(words)).fault_of_batch(), Fault::Status(code), "{words}");
        }
    }
}
