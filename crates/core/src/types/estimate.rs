//! The estimate of a dry run: calls, tokens and cost.

use serde::Serialize;

/// Calls that a run would make and their possible cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// Questions still to ask.
    pub questions: usize,
    /// Questions among them whose retrieval failed: no call is made for them.
    pub failed: usize,
    /// Chunks of the corpus.
    pub chunks: usize,
    /// Prompts, under all conditions.
    pub prompts: u64,
    /// Prompts whose response is cached.
    pub cached: u64,
    /// Prompts that equal another one of their question, so that one response serves both.
    pub same_prompt: u64,
    /// Calls to be made.
    pub calls: u64,
    /// Tokens of the calls' prompts (`cl100k_base`).
    pub prompt_tokens: u64,
    /// Tokens of their answers if each has the maximum length.
    pub most_completion_tokens: u64,
    /// Cost in US dollars then.
    pub most_cost_usd: f64,
}
