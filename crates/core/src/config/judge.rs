//! The settings of the judge: a model that decides on the answers that the rule leaves open.

use super::settings::Price;

table! {
    /// `[judge]`
    JudgeSettings {
        /// Base URL of the endpoint, up to and including `/v1`; `/chat/completions` is appended.
        base_url: String = "http://localhost:11434/v1".to_owned(),
        /// Model name at the endpoint. Empty: no judge.
        model: String,
        /// Environment variable with the API key.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-private" = true))]
        api_key_env: Option<String>,
        /// Fields of the request body, for models that reject its `temperature = 0` or `max_tokens = 256`: `{ temperature = 1,
        /// max_completion_tokens = 2048 }`.
        #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
        extra_body: serde_json::Map<String, serde_json::Value>,
        /// Cost limit of the judge's calls for a run in US dollars, by `price`. Default: none.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.0, max = 1e9))]
        max_usd: Option<f64>,
        /// Price of tokens.
        price: Price,
    }
}

impl JudgeSettings {
    /// Returns true if a judge is configured.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.model.is_empty()
    }
}
