//! Selection of the trials to answer, and the cost of answering them.

use serde::Serialize;

/// The trials that answers are generated for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generate {
    /// None: retrieval alone.
    #[default]
    None,
    /// Trials on the Pareto front, and the default.
    Front,
    /// All trials.
    All,
}

/// Upper bound on the calls of generation and their cost. A prompt that several trials share counts for each, though it is
/// asked once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bill {
    /// Number of trials.
    pub trials: usize,
    /// Number of different chunkings among them.
    pub chunkings: usize,
    /// Number of trials whose prompts could not be built.
    pub failed: usize,
    /// Number of calls without a cached response.
    pub calls: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Maximum number of tokens of their answers.
    pub most_completion_tokens: u64,
    /// Maximum cost in US dollars.
    pub most_usd: f64,
}
