//! Questions as pairing needs them: digests instead of texts, and numbers instead of the names of documents.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clusters::{EvidenceSpan, spans};
use ragtriage_core::text::content_key::key;
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::{DocId, Question, QuestionId};
use ragtriage_data::run::SavedRun;

/// A question as two runs are paired by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskedQuestion {
    /// Id of the question.
    pub id: QuestionId,
    /// Digest of its text.
    pub text: String,
    /// Digest of its gold answers, gold evidence, relevance judgments and key facts.
    pub gold: String,
    /// True if a call failed for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// Its evidence: number of the document, first byte and end of each range.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidenceSpan>,
}

/// Returns the questions of a run, parallel to its traces.
#[must_use]
pub fn asked(run: &SavedRun) -> Vec<AskedQuestion> {
    let mut numbers: HashMap<&DocId, usize> = HashMap::new();
    let traces = run.traces.iter();
    traces
        .map(|trace| AskedQuestion {
            id: trace.question.id.clone(),
            text: digest(&[&trace.question.text]),
            gold: gold(&trace.question),
            failed: trace.failed(),
            evidence: spans(&trace.question, &mut numbers),
        })
        .collect()
}

/// Hashes everything that a score depends on besides the text.
fn gold(question: &Question) -> String {
    let Question {
        id: _,
        text: _,
        kind,
        answers,
        evidence,
        relevant,
        required,
        forbidden,
        tags: _,
        split: _,
    } = question;
    let json = serde_json::to_string(&(kind, answers, evidence, relevant, required, forbidden));
    digest(&[&json.expect("a question is plain JSON")])
}

/// Returns the first 64 bits of the hash: among a million questions, two are equal by chance once in 37 million sets.
fn digest(parts: &[&str]) -> String {
    hex(&key(parts)[..8])
}
