//! Knowledge of packing from the trace of an external RAG: stages that a record lacks are unknown.
//!
//! The candidates are known if a retriever is recorded, the prompt if the packed passages are. Two facts are those of the
//! whole record. The order that packing read is known only if every question packs the first passages of its last ranking:
//! otherwise a reordering may be missing. The number k of passages that packing takes is recorded, or every prompt holds the
//! same number; otherwise a ranked passage may have been dropped by a filter, by k or for its length.

use super::Passages;
use crate::types::{ChunkId, Step, Trace, TraceStep};

/// The hits that packing takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopK {
    /// Their number; where it is not known, the longest prompt's.
    pub k: usize,
    /// True if the number is known.
    pub is_set: bool,
    /// True if the last recorded ranking is the one that was packed.
    pub is_in_order: bool,
}

impl From<usize> for TopK {
    /// The top k of a pipeline whose settings are known.
    fn from(k: usize) -> Self {
        Self {
            k,
            is_set: true,
            is_in_order: true,
        }
    }
}

impl TopK {
    /// Reads it from the traces of a record.
    #[must_use]
    pub fn recorded(traces: &[Trace], passages: &dyn Passages) -> Self {
        let packed = || traces.iter().filter_map(|trace| trace.step(Step::Packed));
        let set = packed().filter_map(|step| step.k).max();
        let longest = packed().map(|step| step.hits.len()).max();
        let longest = longest.unwrap_or(0).max(1);
        let is_constant = traces.iter().all(|trace| packs(trace, longest));
        Self {
            k: set.unwrap_or(longest),
            is_set: match set {
                Some(_) => packed().all(|step| step.k.is_some()),
                None => is_constant,
            },
            is_in_order: traces.iter().all(|trace| packs_in_order(trace, passages)),
        }
    }
}

/// Returns the passages that packing read: the expanded ones, else the last recorded ranking.
fn read_by_packing(trace: &Trace) -> Option<&TraceStep> {
    let expanded = trace.step(Step::Expanded);
    expanded.or_else(|| trace.recorded_ranking())
}

/// Returns true if `n` passages are packed, or all of a shorter ranking.
fn packs(trace: &Trace, n: usize) -> bool {
    let Some(packed) = trace.step(Step::Packed) else {
        return true;
    };
    let ranked = read_by_packing(trace).map_or(n, |last| last.hits.len());
    packed.hits.len() == n.min(ranked)
}

/// Returns true if the packed passages are the first of the last recorded ranking, in any order; also where one of the two
/// is not recorded.
#[must_use]
pub fn packs_in_order(trace: &Trace, passages: &dyn Passages) -> bool {
    let (Some(last), Some(packed)) = (read_by_packing(trace), trace.step(Step::Packed)) else {
        return true;
    };
    let packed: Vec<&ChunkId> = packed.hits.iter().map(|hit| &hit.id).collect();
    let is_packed = |id: &ChunkId| packed.iter().any(|part| is_part(part, id, passages));
    let first = last.hits.iter().take_while(|hit| is_packed(&hit.id));
    let first: Vec<&ChunkId> = first.map(|hit| &hit.id).collect();
    packed
        .iter()
        .all(|part| first.iter().any(|whole| is_part(part, whole, passages)))
}

/// Returns true if `part` is the chunk `whole`, or a part of it that a prompt truncates.
pub(super) fn is_part(part: &ChunkId, whole: &ChunkId, passages: &dyn Passages) -> bool {
    if part == whole {
        return true;
    }
    let (Some(outer), Some(inner)) = (passages.view(whole), passages.view(part)) else {
        return false;
    };
    whole.doc() == part.doc() && !inner.range.is_empty() && outer.range.contains(inner.range)
}
