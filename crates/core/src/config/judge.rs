//! The settings of the judge: a model that decides where the rule is unsure.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::price::Price;
use crate::closed_set::closed_set;

closed_set! {
    /// The kind of model that judges answers where the rule is unsure.
    #[derive(Default)]
    JudgeKind {
        /// No judge.
        #[default]
        None = "none",
        /// A chat model behind an OpenAI-compatible endpoint.
        Endpoint = "endpoint",
    }
}

/// `[judge]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeSettings {
    /// The kind of judge.
    pub kind: JudgeKind,
    /// Base URL of the endpoint, up to and including `/v1`; `/chat/completions` is appended.
    pub base_url: String,
    /// Model name at the endpoint.
    pub model: String,
    /// Environment variable with the API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-private" = true))]
    pub api_key_env: Option<String>,
    /// Additional request headers, each with the environment variable that holds its value.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-private" = true))]
    pub headers_env: BTreeMap<String, String>,
    /// Additional fields of the request body.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub extra_body: serde_json::Map<String, serde_json::Value>,
    /// Sampling temperature, at least 0.
    #[schemars(range(min = 0))]
    pub temperature: f64,
    /// Maximum tokens per reply, at least 1. A model that reasons needs more than the verdict's one word.
    #[schemars(range(min = 1))]
    pub max_tokens: u32,
    /// Maximum number of concurrent calls, at least 1.
    #[schemars(range(min = 1))]
    pub concurrency: usize,
    /// Timeout of a call in seconds, above 0.
    #[schemars(range(min = 1e-3, max = 86_400.0))]
    pub timeout_s: f64,
    /// Cost limit of the judge's calls for a run in US dollars, by `price`. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e9))]
    pub max_usd: Option<f64>,
    /// Token limit of the judge's calls for a run, prompts and replies together. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens_total: Option<u64>,
    /// Price of tokens.
    pub price: Price,
    /// PEM file of a private certificate authority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<PathBuf>,
}

impl Default for JudgeSettings {
    fn default() -> Self {
        Self {
            kind: JudgeKind::None,
            base_url: "http://localhost:11434/v1".to_owned(),
            model: String::new(),
            api_key_env: None,
            headers_env: BTreeMap::new(),
            extra_body: serde_json::Map::new(),
            temperature: 0.0,
            max_tokens: 256,
            concurrency: 8,
            timeout_s: 120.0,
            max_usd: None,
            max_tokens_total: None,
            price: Price::default(),
            ca_file: None,
        }
    }
}

impl JudgeSettings {
    /// Returns true if a judge is configured.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.kind != JudgeKind::None
    }
}
