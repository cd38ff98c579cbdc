//! The chat completions protocol: builds requests and parses responses. Pure.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::settings::{MAX_COMPLETION_TOKENS, OpenAiSettings};
use crate::llm::Completion;
use ragtriage_core::prompt::Prompt;
use ragtriage_core::types::{ErrorKind, Finish, Origin};

/// `error.code` and `error.type` values for a prompt that exceeds the model's context (`OpenAI`, llama.cpp, `LiteLLM`).
const TOO_LONG_CODES: [&str; 3] =
    ["context_length_exceeded", "exceed_context_size_error", "contextwindowexceedederror"];

/// Lower-case parts of messages that indicate the error without a code (vLLM, LM Studio, TGI, gateways to
/// others).
const TOO_LONG_WORDS: [&str; 8] = [
    "maximum context length",
    "context length of",
    "exceeds the available context size",
    "exceeds the context",
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

/// `finish_reason` values for a reply that reached the token limit (`OpenAI` and most servers; Mistral; gateways to Anthropic
/// and Gemini), in lower case.
const LENGTH_REASONS: [&str; 4] = ["length", "model_length", "max_tokens", "max_output_tokens"];

/// Returns the body without its messages, which each call adds.
pub(super) fn body(settings: &OpenAiSettings) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), json!(settings.model));
    body.insert("temperature".into(), json!(settings.temperature));
    if !settings.extra_body.contains_key(MAX_COMPLETION_TOKENS) {
        body.insert("max_tokens".into(), json!(settings.max_tokens));
    }
    body.extend(settings.extra_body.clone());
    body
}

/// Returns the prompt's messages: the system message only if there is one.
pub(super) fn messages(prompt: &Prompt) -> Value {
    let user = json!({"role": "user", "content": prompt.user});
    if prompt.system.is_empty() {
        json!([user])
    } else {
        json!([{"role": "system", "content": prompt.system}, user])
    }
}

#[derive(Deserialize)]
struct ChatBody {
    choices: Option<Vec<Choice>>,
    /// Any JSON: wrong numbers must not invalidate an answer.
    #[serde(default)]
    usage: Value,
}

#[derive(Deserialize)]
struct Choice {
    message: Option<Message>,
    finish_reason: Option<String>,
}

/// `reasoning_content` and similar fields are ignored: they are not part of the answer.
#[derive(Deserialize)]
struct Message {
    content: Option<Content>,
    refusal: Option<String>,
    /// Any JSON: only its presence counts.
    #[serde(default)]
    tool_calls: Value,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Deserialize)]
struct ContentPart {
    text: Option<String>,
    refusal: Option<String>,
}

/// Upper bound on the tokens of a call: a larger number is an error.
const MOST_TOKENS: u64 = 1 << 32;

/// Returns a number of tokens in `usage`; `None` if it is invalid.
fn tokens(usage: &Value, name: &str) -> Option<u64> {
    usage.get(name)?.as_u64().filter(|tokens| *tokens <= MOST_TOKENS)
}

/// Parses the body of a success; the error describes an invalid body.
pub(super) fn reply(body: &[u8]) -> Result<Completion, String> {
    if body.trim_ascii_start().starts_with(b"<") {
        return Err("a web page, not a chat completion".to_owned());
    }
    let completion: ChatBody =
        serde_json::from_slice(body).map_err(|error| format!("not a chat completion ({error})"))?;
    let choice = completion.choices.into_iter().flatten().next().ok_or("it has no choices")?;
    if choice.finish_reason.as_deref() == Some("error") {
        return Err("its answer ended in an error".to_owned());
    }
    let message = choice.message.ok_or("its choice has no message")?;
    let calls_tool = message.tool_calls.as_array().is_some_and(|calls| !calls.is_empty());
    let (text, part_refusal) = match message.content {
        None => (String::new(), None),
        Some(Content::Text(text)) => (text, None),
        Some(Content::Parts(parts)) => {
            parts.into_iter().fold((String::new(), None), |(text, refusal), part| {
                (text + &part.text.unwrap_or_default(), refusal.or(part.refusal))
            })
        }
    };
    let refusal = message.refusal.or(part_refusal).filter(|refusal| !refusal.is_empty());
    let finish = match choice.finish_reason.as_deref() {
        _ if refusal.is_some() => Finish::Filtered,
        Some("content_filter") => Finish::Filtered,
        Some(reason) if LENGTH_REASONS.contains(&reason.to_lowercase().as_str()) => Finish::Length,
        Some("tool_calls" | "function_call") => Finish::ToolCall,
        _ if text.trim().is_empty() && calls_tool => Finish::ToolCall,
        _ => Finish::Stop,
    };
    let [prompt_tokens, completion_tokens] =
        ["prompt_tokens", "completion_tokens"].map(|name| tokens(&completion.usage, name));
    let text = refusal.unwrap_or(text);
    Ok(Completion { text, finish, origin: Origin::Called, prompt_tokens, completion_tokens })
}

/// An error message of a server.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Complaint {
    pub message: String,
    /// `error.code` and `error.type`, lower-cased.
    codes: Vec<String>,
    /// `error.code` if it is a number: gateways put the status there, under status 200.
    pub status: Option<u16>,
}

/// Parses an error message, with the codes of `{"error": {"code", "type"}}`.
pub(super) fn complaint(body: &[u8]) -> Complaint {
    let whole: Value = serde_json::from_slice(body).unwrap_or_default();
    let error = whole.get("error").filter(|error| error.is_object()).unwrap_or(&whole);
    let inner = error.get("innererror").and_then(|inner| inner.get("code"));
    Complaint {
        message: crate::http::complaint(body),
        codes: [error.get("code"), error.get("type"), inner]
            .into_iter()
            .filter_map(|code| code?.as_str().map(str::to_lowercase))
            .collect(),
        status: error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok()),
    }
}

/// Returns true if a body with a success status contains an error message.
pub(super) fn is_complaint(body: &[u8]) -> bool {
    serde_json::from_slice::<Value>(body).is_ok_and(|value| {
        value["choices"].as_array().is_none_or(Vec::is_empty)
            && value.get("error").is_some_and(|error| !error.is_null())
    })
}

/// Returns the parameter named in an error message, by the wording of `OpenAI` and compatible
/// servers.
pub(super) fn refused_parameter(complaint: &Complaint) -> Option<ErrorKind> {
    if complaint.message.contains("max_tokens") {
        Some(ErrorKind::RejectsMaxTokens)
    } else if complaint.message.contains("temperature") {
        Some(ErrorKind::RejectsTemperature)
    } else {
        None
    }
}

impl Complaint {
    fn has_code(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|code| codes.contains(&code.as_str()))
    }
}

/// The consequence of an error message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComplaintClass {
    /// The call may succeed later.
    Busy,
    /// The prompt exceeds the model's context.
    TooLong,
    /// The provider's content filter rejected the prompt.
    Refused,
    /// An identical call fails again.
    Rejected,
}

/// Classifies an error message.
pub(super) fn class(status: u16, complaint: &Complaint) -> ComplaintClass {
    let message = complaint.message.to_lowercase();
    if complaint.has_code(&TOO_LONG_CODES)
        || (status != 429 && TOO_LONG_WORDS.iter().any(|words| message.contains(words)))
    {
        ComplaintClass::TooLong
    } else if complaint.has_code(&REFUSED_CODES) {
        ComplaintClass::Refused
    } else if crate::error::is_transient_status(status) && !complaint.has_code(&SPENT_CODES) {
        ComplaintClass::Busy
    } else {
        ComplaintClass::Rejected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &Value) -> Result<(String, Finish), String> {
        reply(body.to_string().as_bytes()).map(|reply| (reply.text, reply.finish))
    }

    fn choice(message: &Value, finish: &str) -> Value {
        json!({"choices": [{"message": message, "finish_reason": finish}]})
    }

    #[test]
    fn content_may_be_text_parts_or_null() {
        let text = choice(&json!({"content": "Paris", "reasoning_content": "hm"}), "stop");
        assert_eq!(read(&text), Ok(("Paris".into(), Finish::Stop)));
        let parts = choice(
            &json!({"content": [{"type": "text", "text": "Pa"}, {"type": "text", "text": "ris"}]}),
            "eos",
        );
        assert_eq!(read(&parts), Ok(("Paris".into(), Finish::Stop)));
        let null = choice(&json!({"content": null}), "length");
        assert_eq!(read(&null), Ok((String::new(), Finish::Length)));
    }

    #[test]
    fn a_token_limit_and_a_tool_call_are_recognised_by_reason_or_message() {
        for reason in ["length", "MAX_TOKENS", "model_length", "max_output_tokens"] {
            let cut = choice(&json!({"content": "The port"}), reason);
            assert_eq!(read(&cut), Ok(("The port".into(), Finish::Length)), "{reason}");
        }
        let call = json!({"content": null, "tool_calls": [{"function": {"name": "search"}}]});
        for reason in ["tool_calls", "function_call", "stop"] {
            let call = choice(&call, reason);
            assert_eq!(read(&call), Ok((String::new(), Finish::ToolCall)), "{reason}");
        }
        for none in [json!([]), json!(null)] {
            let text = choice(&json!({"content": "Paris", "tool_calls": none}), "stop");
            assert_eq!(read(&text), Ok(("Paris".into(), Finish::Stop)));
        }
    }

    #[test]
    fn a_refusal_or_filter_is_an_answer_that_was_filtered() {
        let refusal = choice(&json!({"content": null, "refusal": "I can't."}), "stop");
        assert_eq!(read(&refusal), Ok(("I can't.".into(), Finish::Filtered)));
        let part = choice(&json!({"content": [{"type": "refusal", "refusal": "No."}]}), "stop");
        assert_eq!(read(&part), Ok(("No.".into(), Finish::Filtered)));
        let filtered = choice(&json!({"content": "Par", "refusal": ""}), "content_filter");
        assert_eq!(read(&filtered), Ok(("Par".into(), Finish::Filtered)));
    }

    #[test]
    fn what_is_no_completion_says_why() {
        assert_eq!(read(&json!({"choices": []})), Err("it has no choices".into()));
        assert_eq!(read(&json!({"choices": null})), Err("it has no choices".into()));
        assert_eq!(
            read(&json!({"choices": [{"text": "old"}]})),
            Err("its choice has no message".into())
        );
        assert_eq!(
            read(&json!({"choices": [{"message": null}]})),
            Err("its choice has no message".into())
        );
        let broken = choice(&json!({"content": "Par"}), "error");
        assert_eq!(read(&broken), Err("its answer ended in an error".into()));
        assert_eq!(reply(b" <html>").expect_err("not JSON"), "a web page, not a chat completion");
        assert!(reply(b"hello").expect_err("not JSON").starts_with("not a chat completion"));
    }

    #[test]
    fn numbers_of_tokens_that_cannot_be_are_left_out() {
        for (usage, expected) in [
            (json!({"prompt_tokens": 12, "completion_tokens": 0}), (Some(12), Some(0))),
            (json!({"prompt_tokens": -1, "completion_tokens": u64::MAX}), (None, None)),
            (json!({"prompt_tokens": 1e300, "completion_tokens": "7"}), (None, None)),
            (json!({"prompt_tokens": null}), (None, None)),
            (json!("none"), (None, None)),
            (json!([1, 2]), (None, None)),
        ] {
            let mut body = choice(&json!({"content": "Paris"}), "stop");
            body["usage"] = usage;
            let reply = reply(body.to_string().as_bytes()).expect("an answer all the same");
            assert_eq!((reply.prompt_tokens, reply.completion_tokens), expected, "{body}");
        }
    }

    #[test]
    fn a_refused_parameter_is_known_by_its_name() {
        // OpenAI's wording.
        let tokens = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        let temperature = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.";
        for (message, parameter) in [
            (tokens, Some(ErrorKind::RejectsMaxTokens)),
            (temperature, Some(ErrorKind::RejectsTemperature)),
            ("no such model", None),
        ] {
            let body = json!({ "error": { "message": message } }).to_string();
            assert_eq!(refused_parameter(&super::complaint(body.as_bytes())), parameter);
        }
    }

    #[test]
    fn a_complaint_is_classed_by_code_then_words_then_status() {
        for (status, body, expected) in [
            (
                400,
                json!({"error": {"message": "m", "code": "context_length_exceeded"}}),
                ComplaintClass::TooLong,
            ),
            (
                400,
                json!({"error": "This model's maximum context length is 8192 tokens"}),
                ComplaintClass::TooLong,
            ),
            (
                400,
                json!({"error": {"message": "litellm.ContextWindowExceededError: x", "type": "invalid_request_error", "code": "400"}}),
                ComplaintClass::TooLong,
            ),
            (
                500,
                json!({"error": {"type": "exceed_context_size_error", "code": 400}}),
                ComplaintClass::TooLong,
            ),
            (400, json!({"error": {"code": "content_filter"}}), ComplaintClass::Refused),
            (429, json!({"error": {"code": "rate_limit_exceeded"}}), ComplaintClass::Busy),
            (429, json!({"error": {"code": "insufficient_quota"}}), ComplaintClass::Rejected),
            (503, json!("loading"), ComplaintClass::Busy),
            (401, json!({"detail": "no"}), ComplaintClass::Rejected),
            (501, json!({}), ComplaintClass::Rejected),
        ] {
            let complaint = complaint(body.to_string().as_bytes());
            assert_eq!(class(status, &complaint), expected, "{status} {body}");
        }
    }

    #[test]
    fn a_gateways_error_under_status_200_keeps_its_own_status() {
        let body = br#"{"error": {"code": 429, "message": "slow down"}}"#;
        assert!(is_complaint(body));
        let expected =
            Complaint { message: "slow down".into(), codes: Vec::new(), status: Some(429) };
        assert_eq!(complaint(body), expected);
        assert!(!is_complaint(br#"{"error": null, "choices": []}"#));
    }
}
