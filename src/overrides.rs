//! Overrides of the configuration: `--set` for any setting, `--llm` for the settings of the generator's endpoint.

use std::path::Path;

use clap::Args;

use crate::failure::Failure;
use crate::shell::shell;
use ragtriage_core::text::address::shown_url;

const OLLAMA: &str = "http://localhost:11434/v1";
const OPENAI: &str = "https://api.openai.com/v1";
const OPENAI_KEY: &str = "OPENAI_API_KEY";

#[derive(Debug, Default, Args)]
pub struct SetArgs {
    /// Override a setting, value in TOML: `--set retrieval.k=3`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
}

#[derive(Debug, Default, Args)]
pub struct OverrideArgs {
    #[command(flatten)]
    set: SetArgs,
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
        let mut sets = self.llm.as_deref().map(endpoint).transpose()?.unwrap_or_default();
        sets.extend(self.set.sets.iter().cloned());
        Ok(sets)
    }

    /// Returns the flags as [`SetArgs::flags`] does.
    pub fn flags(&self, changes: &[(&str, &str)]) -> Vec<String> {
        let llm = self.llm.as_deref().map(|llm| format!("--llm {}", shell(Path::new(llm))));
        llm.into_iter().chain(self.set.flags(changes)).collect()
    }
}

impl SetArgs {
    /// Returns the flags as a shell takes them, with the values of `changes` for their keys.
    pub fn flags(&self, changes: &[(&str, &str)]) -> Vec<String> {
        let is_changed = |set: &str| changes.iter().any(|(changed, _)| *changed == key(set));
        let sets = self.sets.iter().filter(|set| !is_changed(set)).cloned();
        let changes = changes.iter().map(|(key, value)| format!("{key}={value}"));
        let all = sets.chain(changes).map(|set| format!("--set {}", shell(Path::new(&set))));
        all.collect()
    }
}

fn key(set: &str) -> &str {
    set.split_once('=').map_or(set, |(key, _)| key).trim()
}

/// Returns the settings of the endpoint that `--llm` names.
fn endpoint(text: &str) -> Result<Vec<String>, Failure> {
    let (base_url, model, api_key_env) = match text.split_once('#') {
        Some((url, model)) if url.contains("://") => (url, model, ""),
        _ => match text.split_once(':') {
            Some(("ollama", model)) => (OLLAMA, model, ""),
            Some(("openai", model)) => (OPENAI, model, OPENAI_KEY),
            _ => return Err(malformed(text)),
        },
    };
    if model.is_empty() {
        return Err(malformed(text));
    }
    let set = |key: &str, value: &str| format!("generation.{key}={}", toml::Value::from(value));
    // The configured key and headers belong to another endpoint.
    Ok(vec![
        set("generator", "openai"),
        set("base_url", base_url),
        set("model", model),
        set("api_key_env", api_key_env),
        "generation.headers_env={}".to_owned(),
    ])
}

fn malformed(text: &str) -> Failure {
    Failure::new(
        format!(
            "invalid `--llm {}`: expected ollama:NAME, openai:NAME or URL#NAME",
            shown_url(text)
        ),
        "for example `--llm ollama:llama3.2`, `--llm openai:gpt-4o-mini` or `--llm http://localhost:8000/v1#NAME`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_names_an_endpoint() {
        for (text, base_url, model, api_key_env) in [
            ("ollama:llama3.2:1b", OLLAMA, "llama3.2:1b", ""),
            ("openai:gpt-4o-mini", OPENAI, "gpt-4o-mini", OPENAI_KEY),
            ("http://h:8000/v1#org/name", "http://h:8000/v1", "org/name", ""),
            ("https://h/v1#a#b", "https://h/v1", "a#b", ""),
        ] {
            let expected = [
                format!("generation.base_url=\"{base_url}\""),
                format!("generation.model=\"{model}\""),
                format!("generation.api_key_env=\"{api_key_env}\""),
            ];
            assert_eq!(endpoint(text).expect(text)[1..4], expected);
        }
    }

    #[test]
    fn a_model_without_an_endpoint_is_refused() {
        for text in
            ["", "llama3.2", "ollama:", "ollama", "azure:gpt", "http://h/v1", "http://h/v1#"]
        {
            assert!(endpoint(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_key_in_an_address_is_not_shown() {
        let failure = endpoint("https://me:hush-1@h/v1").expect_err("no model");
        assert!(!failure.message.contains("hush"), "{}", failure.message);
    }

    #[test]
    fn flags_read_back_as_they_were_given() {
        let args = OverrideArgs {
            set: SetArgs { sets: vec!["retrieval.k=3".to_owned()] },
            llm: Some("ollama:llama3.2".to_owned()),
        };
        assert_eq!(args.flags(&[]), ["--llm ollama:llama3.2", "--set retrieval.k=3"]);
        let changes = [("retrieval.k", "5"), ("rerank.depth", "9")];
        let expected = ["--llm ollama:llama3.2", "--set retrieval.k=5", "--set rerank.depth=9"];
        assert_eq!(args.flags(&changes), expected);
    }
}
