//! Overrides of the configuration: `--set` for any key, `--llm` for the keys of the generator's endpoint.

use std::fmt::Write as _;
use std::path::Path;

use clap::Args;

use crate::failure::Failure;
use crate::shell::shell;
use ragtriage_core::text::address::shown_url;

const OLLAMA: &str = "http://localhost:11434/v1";
const OPENAI: &str = "https://api.openai.com/v1";
const OPENAI_KEY: &str = "OPENAI_API_KEY";

#[derive(Debug, Default, Args)]
pub struct OverrideArgs {
    /// Override a configuration key, value in TOML: `--set retrieval.k=3`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Language model to use: `ollama:NAME`, `openai:NAME` or `URL#NAME`.
    ///
    /// Sets `generator`, `base_url`, `model`, `api_key_env` and `headers_env` of `[generation]`. `ollama` is the server on this
    /// machine, `openai` reads its key from `OPENAI_API_KEY`, and URL is the base URL of an OpenAI-compatible endpoint, called without
    /// a key; `generation.api_key_env` names the variable that holds one.
    #[arg(long, value_name = "MODEL")]
    llm: Option<String>,
}

impl OverrideArgs {
    /// Returns the overrides as `KEY=VALUE`, of which later ones win.
    pub fn sets(&self) -> Result<Vec<String>, Failure> {
        let llm = self.llm.as_deref().map(LlmEndpoint::parse).transpose()?;
        let mut sets = llm.map_or_else(Vec::new, LlmEndpoint::sets);
        sets.extend(self.sets.iter().cloned());
        Ok(sets)
    }

    /// Returns the flags as a shell takes them, each after a space, with the values of `changes` for their keys.
    pub fn flags(&self, changes: &[(&str, &str)]) -> String {
        let is_changed = |set: &str| changes.iter().any(|(changed, _)| *changed == key(set));
        let mut out = String::new();
        if let Some(llm) = &self.llm {
            let _ = write!(out, " --llm {}", shell(Path::new(llm)));
        }
        let sets = self.sets.iter().filter(|set| !is_changed(set)).cloned();
        let changes = changes.iter().map(|(key, value)| format!("{key}={value}"));
        for set in sets.chain(changes) {
            let _ = write!(out, " --set {}", shell(Path::new(&set)));
        }
        out
    }
}

fn key(set: &str) -> &str {
    set.split_once('=').map_or(set, |(key, _)| key).trim()
}

/// The endpoint of a language model.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LlmEndpoint {
    base_url: String,
    model: String,
    /// The environment variable that holds its key.
    api_key_env: Option<&'static str>,
}

impl LlmEndpoint {
    fn parse(text: &str) -> Result<Self, Failure> {
        let (base_url, model, api_key_env) = match text.split_once('#') {
            Some((url, model)) if url.contains("://") => (url, model, None),
            _ => match text.split_once(':') {
                Some(("ollama", model)) => (OLLAMA, model, None),
                Some(("openai", model)) => (OPENAI, model, Some(OPENAI_KEY)),
                _ => return Err(malformed(text)),
            },
        };
        if model.is_empty() {
            return Err(malformed(text));
        }
        Ok(Self { base_url: base_url.to_owned(), model: model.to_owned(), api_key_env })
    }

    fn sets(self) -> Vec<String> {
        let text =
            |key: &str, value: &str| format!("generation.{key}={}", toml::Value::from(value));
        // The configured key and headers belong to another endpoint.
        vec![
            text("generator", "openai"),
            text("base_url", &self.base_url),
            text("model", &self.model),
            text("api_key_env", self.api_key_env.unwrap_or_default()),
            "generation.headers_env={}".to_owned(),
        ]
    }
}

fn malformed(text: &str) -> Failure {
    Failure::new(
        format!("`--llm {}` does not name a model", shown_url(text)),
        "for example `--llm ollama:llama3.2`, `--llm openai:gpt-4o-mini` or `--llm http://localhost:8000/v1#NAME`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_names_an_endpoint() {
        for (text, base_url, model, api_key_env) in [
            ("ollama:llama3.2:1b", OLLAMA, "llama3.2:1b", None),
            ("openai:gpt-4o-mini", OPENAI, "gpt-4o-mini", Some(OPENAI_KEY)),
            ("http://h:8000/v1#org/name", "http://h:8000/v1", "org/name", None),
            ("https://h/v1#a#b", "https://h/v1", "a#b", None),
        ] {
            let expected =
                LlmEndpoint { base_url: base_url.to_owned(), model: model.to_owned(), api_key_env };
            assert_eq!(LlmEndpoint::parse(text).ok(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_model_without_an_endpoint_is_refused() {
        for text in
            ["", "llama3.2", "ollama:", "ollama", "azure:gpt", "http://h/v1", "http://h/v1#"]
        {
            assert!(LlmEndpoint::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_key_in_an_address_is_not_shown() {
        let failure = LlmEndpoint::parse("https://me:hush-1@h/v1").expect_err("no model");
        assert!(!failure.message.contains("hush"), "{}", failure.message);
    }

    #[test]
    fn flags_read_back_as_they_were_given() {
        let args = OverrideArgs {
            sets: vec!["retrieval.k=3".to_owned()],
            llm: Some("ollama:llama3.2".to_owned()),
        };
        assert_eq!(args.flags(&[]), " --llm ollama:llama3.2 --set retrieval.k=3");
        let changes = [("retrieval.k", "5"), ("rerank.depth", "9")];
        assert_eq!(
            args.flags(&changes),
            " --llm ollama:llama3.2 --set retrieval.k=5 --set rerank.depth=9"
        );
    }
}
