//! What tokens cost.

/// US dollars per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Price {
    /// Of the prompt.
    pub prompt_usd: f64,
    /// Of the answer.
    pub completion_usd: f64,
}

impl Price {
    /// What so many tokens cost, in US dollars.
    #[must_use]
    pub fn of(self, prompt: u64, completion: u64) -> f64 {
        (self.prompt_usd * prompt as f64 + self.completion_usd * completion as f64) / 1e6
    }
}
