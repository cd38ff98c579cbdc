//! Reasons why a question or a call has no result, as stored in a trace.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Condition;
use crate::closed_set::closed_set;

closed_set! {
    /// Cause of a failure, by its remedy.
    ErrorKind {
        /// No server answers at the address.
        Unreachable = "unreachable",
        /// The server was busy, failing or too slow: the same call may succeed later.
        Transient = "transient",
        /// The prompt or text is longer than the model takes.
        TooLong = "too_long",
        /// The server does not take the parameter `max_tokens`.
        RejectsMaxTokens = "rejects_max_tokens",
        /// The server does not take the temperature.
        RejectsTemperature = "rejects_temperature",
        /// The model's chat template has no system message.
        RejectsSystemRole = "rejects_system_role",
        /// The file of recorded responses has none to this prompt.
        NotRecorded = "not_recorded",
        /// Fails again until configuration, data or server change.
        Permanent = "permanent",
    }
}

closed_set! {
    /// The part of a pipeline that failed.
    FailedPart {
        /// Retrieval, reranking or packing.
        Retrieval = "retrieval",
        /// A call of the generator.
        Generator = "generator",
        /// The service of an external RAG.
        Service = "service",
        /// An external RAG, in an imported run.
        Recorded = "recorded",
    }
}

/// A failure in a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TraceError {
    /// The failed part.
    pub part: FailedPart,
    /// Its cause.
    pub kind: ErrorKind,
    /// Message of that part.
    pub message: String,
}

/// The failure that leaves a question without a result, as one sentence.
#[derive(Clone, Copy, Debug)]
pub struct QuestionFailure<'a> {
    /// The condition whose call failed; `None` where the question failed before any call.
    pub condition: Option<Condition>,
    /// The failure.
    pub error: &'a TraceError,
}

impl fmt::Display for QuestionFailure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.error.part {
            FailedPart::Retrieval => f.write_str("retrieval failed")?,
            FailedPart::Generator => f.write_str("the generator's call failed")?,
            FailedPart::Service => f.write_str("the service failed")?,
            FailedPart::Recorded => f.write_str("the recorded pipeline failed")?,
        }
        if let Some(condition) = self.condition {
            write!(f, " (condition `{condition}`)")?;
        }
        write!(f, ": {}", self.error.message)
    }
}
