//! The price of a generator's tokens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Price in US dollars per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Price {
    /// Price of prompt tokens.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub prompt: f64,
    /// Price of completion tokens.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub completion: f64,
}

impl Price {
    /// Returns the cost of a call in US dollars.
    #[must_use]
    pub fn of(self, prompt_tokens: u64, completion_tokens: u64) -> f64 {
        (self.prompt * prompt_tokens as f64 + self.completion * completion_tokens as f64) / 1e6
    }
}
