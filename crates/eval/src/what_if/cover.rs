//! The shortest prompt of a question's candidates that holds its evidence.

use std::collections::HashSet;

use ragtriage_core::attribute::support::SupportTest;
use ragtriage_core::types::{ChunkId, PassageMap, Trace};

/// A set of candidates that supports the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cover {
    /// Passages.
    pub n: usize,
    /// Their tokens; `None` where one was not counted.
    pub tokens: Option<usize>,
}

/// Returns a smallest set in the sense that no passage of it can be left out: the longest are dropped first. `None` if the
/// candidates do not hold the evidence.
pub(super) fn cover(
    trace: &Trace,
    test: &SupportTest<'_>,
    golden: &HashSet<&ChunkId>,
    passages: &PassageMap,
) -> Option<Cover> {
    if !(trace.gold.documents.holds && trace.gold.chunks.holds) {
        return None;
    }
    let candidates: HashSet<&ChunkId> = trace
        .retrievers()
        .flat_map(|step| step.hits.iter().map(|hit| &hit.id))
        .filter(|id| golden.contains(id))
        .collect();
    let mut chosen: Vec<&ChunkId> = candidates.into_iter().collect();
    let tokens = |id: &ChunkId| passages.get(id).and_then(|passage| passage.tokens);
    chosen.sort_by_key(|id| (std::cmp::Reverse(tokens(id)), *id));
    if !test.of(chosen.iter().copied()).holds {
        return None;
    }
    let mut at = 0;
    while at < chosen.len() {
        let dropped = chosen.remove(at);
        if !test.of(chosen.iter().copied()).holds {
            chosen.insert(at, dropped);
            at += 1;
        }
    }
    Some(Cover { n: chosen.len(), tokens: chosen.iter().map(|id| tokens(id)).sum() })
}
