//! The estimate of a dry run: calls, tokens and cost; and who is sent what.

use serde::Serialize;

use crate::closed_set::closed_set;

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
    /// Calls of the judge if the rule left every answer open; 0 without a judge.
    pub most_judge_calls: u64,
    /// Cost of these in US dollars, if answers and replies have the maximum length.
    pub most_judge_cost_usd: f64,
}

closed_set! {
    /// The role of a service.
    RecipientRole {
        /// Encodes all passages and questions.
        Encoder = "encoder",
        /// Stores and searches the passages' vectors.
        VectorStore = "vector store",
        /// Searches its own passages for each question.
        Collection = "existing collection",
        /// Reranks each question's candidates.
        Reranker = "reranker",
        /// Answers prompts.
        Generator = "generator",
        /// Compares answers with gold answers.
        Judge = "judge",
        /// Answers questions with an external RAG.
        Service = "service",
    }
}

/// A service that a run calls, and the data that it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recipient {
    /// Its address, redacted.
    #[serde(rename = "to")]
    pub address: String,
    /// Its role.
    #[serde(rename = "for")]
    pub role: RecipientRole,
    /// True if it is on this machine.
    #[serde(rename = "here")]
    pub is_here: bool,
    /// The data.
    pub what: &'static str,
}
