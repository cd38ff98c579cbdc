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
    /// Calls to be made, repeats included.
    pub calls: u64,
    /// Tokens of the calls' prompts (`cl100k_base`).
    pub prompt_tokens: u64,
    /// Tokens of their answers if each has the maximum length.
    pub most_completion_tokens: u64,
    /// Cost in US dollars then.
    pub most_cost_usd: f64,
}

/// Upper bound of the calls that a judge gets: as if the rule were unsure of every answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct JudgeEstimate {
    /// Questions with gold answers, each of which may be answered.
    pub questions: u64,
    /// Calls if all of them are answered, differently under each condition.
    pub calls: u64,
    /// Tokens of their prompts if every answer has the generator's maximum length.
    pub most_prompt_tokens: u64,
    /// Maximum tokens of their replies.
    pub most_completion_tokens: u64,
    /// Maximum cost in US dollars.
    pub most_cost_usd: f64,
}
