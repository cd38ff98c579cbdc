//! Knowledge of packing from the trace of an external RAG: stages that a record lacks are unknown.
//!
//! The candidates of a question are known if it has every retriever that the record has, its prompt if its packed passages
//! are recorded, and the number k of passages that packing takes if its `k` is, or if every prompt has the same number;
//! otherwise a ranked passage may have been dropped by a filter, by k or for its length. One fact is that of the whole
//! record: the order that packing read is known only if every question packs the first passages of its last ranking.
//! Otherwise a reordering may be missing.

use std::collections::{HashMap, HashSet};

use super::Passages;
use crate::stats::median::median;
use crate::types::{Attempt, ChunkId, Condition, Step, Trace, TraceStep};

/// Prompts from which on their usual number of tokens is known.
const ENOUGH: usize = 5;
/// Minimum share of the usual number of prompt tokens that an endpoint must count; below it, the server truncated the prompt (as Ollama
/// does silently).
const TRUNCATED_BELOW: f64 = 0.8;

/// The hits that packing takes, the retrievers that find them, and the tokens that the endpoint counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopK {
    /// Their number in a question that records none; the largest where that is not known.
    pub k: usize,
    /// True if `k` is the number of every question that records none.
    pub is_set: bool,
    /// True if the last recorded ranking is the one that was packed.
    pub is_in_order: bool,
    /// Number of different retrievers in the record; 0 for a pipeline whose settings are known.
    n_retrievers: usize,
    /// Tokens that the endpoint counts for one of ours, for questions in other letters than ASCII's and in these; `None` where that
    /// is not known.
    billed: [Option<f64>; 2],
}

impl From<usize> for TopK {
    /// The top k of a pipeline whose settings are known.
    fn from(k: usize) -> Self {
        Self { k, is_set: true, is_in_order: true, n_retrievers: 0, billed: [Some(1.0); 2] }
    }
}

impl TopK {
    /// Reads it from the traces of a record.
    #[must_use]
    pub fn recorded(traces: &[Trace], passages: &dyn Passages) -> Self {
        let packed = || traces.iter().filter_map(|trace| trace.step(Step::Packed));
        let sizes = packed().map(|step| step.k.unwrap_or(step.hits.len()));
        let k = sizes.max().unwrap_or(0).max(1);
        let mut set = packed().filter_map(|step| step.k);
        Self {
            k,
            is_set: set.all(|other| other == k) && traces.iter().all(|trace| packs(trace, k)),
            is_in_order: traces.iter().all(|trace| packs_in_order(trace, passages)),
            n_retrievers: n_retrievers(traces),
            billed: [None, None],
        }
        .with_billing_of(traces)
    }

    /// Returns the same for an endpoint whose tokenizer is not known: the median prompt shows how many tokens it counts for
    /// one of ours. A language may need a third of the tokens of another vocabulary.
    #[must_use]
    pub fn with_billing_of(self, traces: &[Trace]) -> Self {
        let usual = |in_ascii: bool| {
            let traces = traces.iter().filter(|trace| is_in_ascii(trace) == in_ascii);
            let attempts = traces.filter_map(|trace| trace.attempt(Condition::Retrieved));
            let shares: Vec<f64> = attempts.filter_map(billed_share).collect();
            if shares.len() < ENOUGH { None } else { median(&shares) }
        };
        Self { billed: [false, true].map(usual), ..self }
    }

    /// Returns the same for an endpoint whose tokenizer is ours.
    #[must_use]
    pub fn with_our_tokenizer(self) -> Self {
        Self { billed: [Some(1.0); 2], ..self }
    }

    /// Returns the share of the prompt that the endpoint read, if it counted so few tokens that it must have truncated the prompt.
    #[must_use]
    pub(super) fn read_share(&self, trace: &Trace, attempt: &Attempt) -> Option<f64> {
        let share = billed_share(attempt)? / self.billed[usize::from(is_in_ascii(trace))]?;
        (share < TRUNCATED_BELOW).then_some(share)
    }

    /// Returns the number of hits that packing takes for a question; `None` if it is not known.
    #[must_use]
    pub fn of(&self, trace: &Trace) -> Option<usize> {
        let recorded = trace.step(Step::Packed).and_then(|step| step.k);
        recorded.or(self.is_set.then_some(self.k))
    }

    /// Returns true if every candidate of a question is known: it has all retrievers of the record.
    #[must_use]
    pub fn knows_candidates(&self, trace: &Trace) -> bool {
        let n = n_retrievers(std::slice::from_ref(trace));
        n > 0 && n >= self.n_retrievers
    }
}

/// Returns true if most of the question is ASCII.
fn is_in_ascii(trace: &Trace) -> bool {
    let text = &trace.question.text;
    text.bytes().filter(u8::is_ascii).count() * 2 > text.len()
}

/// Returns the tokens that the endpoint counted, for one of ours.
fn billed_share(attempt: &Attempt) -> Option<f64> {
    let tokens = attempt.tokens;
    (tokens.prompt > 0).then_some(tokens.prompt_billed? as f64 / tokens.prompt as f64)
}

/// Returns the number of different retrievers; several queries of one count once.
fn n_retrievers(traces: &[Trace]) -> usize {
    let steps = traces.iter().flat_map(Trace::retrievers);
    let names: HashSet<(Step, &str)> = steps.map(|step| (step.step, step.label())).collect();
    names.len()
}

/// Returns true if `n` passages are packed, or all of a shorter ranking; also where `k` is recorded.
fn packs(trace: &Trace, n: usize) -> bool {
    let Some(packed) = trace.step(Step::Packed).filter(|step| step.k.is_none()) else {
        return true;
    };
    let ranked = trace.recorded_ranking().map_or(n, |last| last.hits.len());
    packed.hits.len() == n.min(ranked)
}

/// Returns true if the packed passages are the first of the last recorded ranking, in any order; also where one of the two
/// is not recorded.
#[must_use]
pub fn packs_in_order(trace: &Trace, passages: &dyn Passages) -> bool {
    let (Some(last), Some(packed)) = (trace.recorded_ranking(), trace.step(Step::Packed)) else {
        return true;
    };
    let ids = |step: &'_ TraceStep| step.hits.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>();
    let (packed, ranked) = (ids(packed), ids(last));
    let parts = ByDocument::new(packed.iter());
    let is_packed = |whole: &&ChunkId| parts.any(whole, |part| is_part(part, whole, passages));
    let first = ByDocument::new(ranked.iter().take_while(is_packed));
    packed.iter().all(|part| first.any(part, |whole| is_part(part, whole, passages)))
}

/// Passages by their document: there may be a hundred thousand.
pub(super) struct ByDocument<'i> {
    ids: HashSet<&'i ChunkId>,
    documents: HashMap<&'i str, Vec<&'i ChunkId>>,
}

impl<'i> ByDocument<'i> {
    pub(super) fn new(ids: impl Iterator<Item = &'i ChunkId>) -> Self {
        let ids: HashSet<&ChunkId> = ids.collect();
        let mut documents: HashMap<&str, Vec<&ChunkId>> = HashMap::new();
        for id in &ids {
            documents.entry(id.doc()).or_default().push(id);
        }
        Self { ids, documents }
    }

    /// Returns true if `id` is one of them, or `is_wanted` one of its document.
    pub(super) fn any(&self, id: &ChunkId, is_wanted: impl Fn(&ChunkId) -> bool) -> bool {
        let mut others = self.documents.get(id.doc()).into_iter().flatten();
        self.ids.contains(id) || others.any(|other| is_wanted(other))
    }
}

/// Returns true if `part` is `whole`, or a part of it, which a prompt truncates.
pub(super) fn is_part(part: &ChunkId, whole: &ChunkId, passages: &dyn Passages) -> bool {
    let range = |id: &ChunkId| passages.view(id).map(|view| view.range);
    let is_inside = || {
        let (outer, inner) = range(whole).zip(range(part))?;
        Some(!inner.is_empty() && outer.contains(inner))
    };
    part == whole || part.doc() == whole.doc() && is_inside() == Some(true)
}
