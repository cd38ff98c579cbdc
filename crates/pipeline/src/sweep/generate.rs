//! Which trials are answered, and what that would cost.

use serde::Serialize;

/// For which trials answers are generated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generate {
    /// None: retrieval alone.
    #[default]
    None,
    /// Those on the Pareto front, and the default.
    Front,
    /// All.
    All,
}

/// Upper bound on the calls of generation and their cost. A prompt that several trials share counts for each, though it is
/// asked once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bill {
    /// Trials.
    pub trials: usize,
    /// Different chunkings among them.
    pub chunkings: usize,
    /// Trials whose prompts could not be built.
    pub failed: usize,
    /// Calls that no cached response answers.
    pub calls: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Most tokens of their answers.
    pub most_completion_tokens: u64,
    /// US dollars at most.
    pub most_usd: f64,
}
