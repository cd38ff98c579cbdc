//! A generator that answers from a file of recorded responses, keyed by the exact messages of a prompt.
//!
//! The file has one JSON object per line: first a header with `model`, `recorded` and `method`, then `{"key", "response"}` for each prompt.
//! `key` is the first 32 hexadecimal digits of the sha256 of system message, line feed, user message.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{Completion, Generator, LlmError};
use ragtriage_core::prompt::Prompt;
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::Origin;

/// Bytes of a key.
const KEY_BYTES: usize = 16;

/// Recorded responses as a [`Generator`].
pub struct RecordedResponses {
    path: PathBuf,
    model: String,
    responses: HashMap<String, String>,
    /// Answers prompts without a recorded response.
    fallback: Option<Arc<dyn Generator>>,
}

#[derive(Deserialize)]
struct Header {
    model: String,
}

#[derive(Deserialize)]
struct Line {
    key: String,
    response: String,
}

impl RecordedResponses {
    /// Reads the responses in `text`, the content of the file `path`.
    ///
    /// # Errors
    /// `Responses`: no header, a line that is not a response, or a duplicate key.
    pub fn new(
        path: &Path,
        text: &str,
        fallback: Option<Arc<dyn Generator>>,
    ) -> Result<Self, LlmError> {
        let bad = |line: usize, problem: String| LlmError::Responses {
            path: path.to_owned(),
            line,
            problem,
        };
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let (at, header) = lines.next().ok_or_else(|| bad(1, "the file is empty".to_owned()))?;
        let header: Header = serde_json::from_str(header)
            .map_err(|error| bad(at, format!("the header needs a `model`: {error}")))?;
        let mut responses = HashMap::new();
        for (at, line) in lines {
            let Line { key, response } =
                serde_json::from_str(line).map_err(|error| bad(at, error.to_string()))?;
            if responses.insert(key, response).is_some() {
                return Err(bad(at, "duplicate key".to_owned()));
            }
        }
        Ok(Self { path: path.to_owned(), model: header.model, responses, fallback })
    }

    fn response(&self, prompt: &Prompt) -> Option<&String> {
        self.responses.get(&response_key(prompt))
    }
}

/// Returns the key of a prompt's response.
#[must_use]
pub fn response_key(prompt: &Prompt) -> String {
    let messages = format!("{}\n{}", prompt.system, prompt.user);
    hex(&Sha256::digest(messages)[..KEY_BYTES])
}

#[async_trait]
impl Generator for RecordedResponses {
    fn name(&self) -> &str {
        &self.model
    }

    async fn is_cached(&self, prompt: &Prompt) -> bool {
        self.response(prompt).is_some()
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Completion, LlmError> {
        match (self.response(prompt), &self.fallback) {
            (Some(text), _) => {
                Ok(Completion { origin: Origin::Cached, ..Completion::local(text.clone()) })
            }
            (None, Some(fallback)) => fallback.generate(prompt).await,
            (None, None) => Err(LlmError::NotRecorded { path: self.path.clone() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::types::QuestionKind;

    const HEADER: &str = r#"{"model": "m", "recorded": "2026-11-23", "method": "by hand"}"#;

    fn prompt(user: &str) -> Prompt {
        Prompt {
            question: String::new(),
            kind: QuestionKind::Span,
            passages: Vec::new(),
            system: "Be short.".to_owned(),
            user: user.to_owned(),
        }
    }

    fn read(text: &str) -> Result<RecordedResponses, LlmError> {
        RecordedResponses::new(Path::new("r.jsonl"), text, None)
    }

    #[test]
    fn a_key_is_the_hash_of_both_messages() {
        // printf 'Be short.\nWhen?' | sha256sum | cut -c1-32
        assert_eq!(response_key(&prompt("When?")), "d35b45a736fd83f6eada8b5ff4515da2");
    }

    #[tokio::test]
    async fn a_prompt_gets_its_own_response_or_none() {
        let key = response_key(&prompt("When?"));
        let text = format!("{HEADER}\n{{\"key\": \"{key}\", \"response\": \"18 May\"}}\n");
        let recorded = read(&text).expect("responses");
        assert_eq!(recorded.name(), "m");
        let reply = recorded.generate(&prompt("When?")).await.expect("recorded");
        assert_eq!((&*reply.text, reply.origin), ("18 May", Origin::Cached));
        let missing = recorded.generate(&prompt("Where?")).await;
        assert!(matches!(missing, Err(LlmError::NotRecorded { .. })));
        assert!(!recorded.is_cached(&prompt("Where?")).await);
    }

    #[test]
    fn a_bad_file_is_refused_by_line() {
        let line = r#"{"key": "ab", "response": "x"}"#;
        for (text, expected) in [
            ("", "line 1: the file is empty"),
            (line, "line 1: the header needs a `model`"),
            (&format!("{HEADER}\n{line}\n{line}"), "line 3: duplicate key"),
            (&format!("{HEADER}\n\n{{\"key\": 1}}"), "line 3: invalid type"),
        ] {
            let error = read(text).err().expect("refused").to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
