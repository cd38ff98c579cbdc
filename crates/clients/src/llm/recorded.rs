//! A generator that answers from a file of recorded responses, keyed by the exact messages of a prompt.
//!
//! The file has one JSON object per line: first a header with `model`, `recorded` and `method`, then `{"key", "response"}` for each prompt.
//! `key` is the first 32 hexadecimal digits of the sha256 of system message, line feed, user message.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{Completion, Generator, NOT_RECORDED};
use crate::Error;
use ragtriage_core::prompt::Prompt;
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::{ErrorKind, Finish, Origin};
use ragtriage_data::run::read_text;

/// Bytes of a key.
const KEY_BYTES: usize = 16;

/// Recorded responses as a [`Generator`].
pub struct RecordedResponses {
    path: PathBuf,
    model: String,
    responses: HashMap<String, String>,
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
    /// Reads the file.
    ///
    /// # Errors
    /// A file that cannot be read or has no header, a line that is not a response, a duplicate key.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let text = read_text(path).map_err(|source| {
            Error::new(format!("cannot read the recorded responses `{}`", path.display()))
                .hinting("name the file of recorded responses as `generation.responses`")
                .caused_by(source)
        })?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        let bad = |line: usize, problem: String| {
            let path = path.display();
            Error::new(format!("recorded responses `{path}`, line {line}: {problem}")).hinting(
                "the first line is a header with `model`; every other line is `{\"key\": ..., \"response\": ...}`",
            )
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
        Ok(Self { path: path.to_owned(), model: header.model, responses })
    }

    fn response(&self, prompt: &Prompt) -> Option<&String> {
        self.responses.get(&response_key(prompt))
    }
}

/// Returns the key of a prompt's response.
#[must_use]
fn response_key(prompt: &Prompt) -> String {
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

    async fn generate(&self, prompt: &Prompt) -> Result<Completion, Error> {
        let text = self.response(prompt).ok_or_else(|| {
            let message = format!("`{}` has no response to this prompt", self.path.display());
            let error = Error::new(message).hinting(NOT_RECORDED);
            Error { kind: ErrorKind::NotRecorded, ..error }
        })?;
        Ok(Completion {
            text: text.clone(),
            finish: Finish::Stop,
            origin: Origin::Cached,
            prompt_tokens: None,
            completion_tokens: None,
            seconds: 0.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"model": "m", "recorded": "2026-11-23", "method": "by hand"}"#;

    fn prompt(user: &str) -> Prompt {
        Prompt {
            question: String::new(),
            passages: Vec::new(),
            system: "Be short.".to_owned(),
            user: user.to_owned(),
        }
    }

    fn read(text: &str) -> Result<RecordedResponses, Error> {
        RecordedResponses::parse(Path::new("r.jsonl"), text)
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
        assert_eq!(missing.expect_err("missing").kind, ErrorKind::NotRecorded);
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
