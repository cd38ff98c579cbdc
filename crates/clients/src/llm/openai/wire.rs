//! The chat completions protocol: builds requests and parses responses. Pure. Error messages are read by `http`.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::settings::{MAX_COMPLETION_TOKENS, OpenAiSettings};
use crate::llm::Completion;
use ragtriage_core::prompt::Prompt;
use ragtriage_core::types::{Finish, Origin};

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

/// Types of parts that hold the model's thinking.
const THINKING_PARTS: [&str; 2] = ["reasoning", "thinking"];

#[derive(Deserialize)]
struct ContentPart {
    #[serde(rename = "type")]
    kind: Option<String>,
    text: Option<String>,
    refusal: Option<String>,
}

impl ContentPart {
    fn is_thinking(&self) -> bool {
        self.kind.as_deref().is_some_and(|kind| THINKING_PARTS.contains(&kind))
    }
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
            let said = parts.iter().filter(|part| !part.is_thinking());
            let texts: Vec<&str> = said.filter_map(|part| part.text.as_deref()).collect();
            (texts.join("\n"), parts.iter().find_map(|part| part.refusal.clone()))
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
    let (text, origin, seconds) = (refusal.unwrap_or(text), Origin::Called, 0.0);
    Ok(Completion { text, finish, origin, prompt_tokens, completion_tokens, seconds })
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
            &json!({"content": [{"type": "reasoning", "text": "Answer: Lyon"}, {"type": "text", "text": "Hm."},
                {"type": "thinking", "thinking": "hm"}, {"text": "Answer: Paris"}]}),
            "eos",
        );
        assert_eq!(read(&parts), Ok(("Hm.\nAnswer: Paris".into(), Finish::Stop)));
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
}
