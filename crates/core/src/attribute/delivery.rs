//! The chunks that each stage returned for a question: the input of failure classes, reasons and failure modes.

use super::Passages;
use super::support::SupportTest;
use super::wide::Reading;
use crate::types::{ByteRange, ChunkId, Stage, Step, Support, SupportRule, Trace};

/// The chunks of each stage, with the support test applied to them.
pub(super) struct Delivery<'a> {
    pub trace: &'a Trace,
    pub test: SupportTest<'a>,
    pub passages: &'a dyn Passages,
    /// Hits of all retrievers; a chunk that several of them returned occurs several times.
    pub candidates: Vec<&'a ChunkId>,
    /// The ranking that packing read.
    pub ranking: Vec<&'a ChunkId>,
    /// Maximum number of candidates to pack.
    pub k: usize,
    pub packed: Vec<&'a ChunkId>,
    /// True if an external RAG retrieved the passages: its other chunks are unknown.
    pub recorded: bool,
}

/// A gold range that a chunk boundary cuts and that was delivered in part.
pub(super) struct Torn {
    pub group: usize,
    pub member: usize,
    pub range: ByteRange,
}

impl<'a> Delivery<'a> {
    pub fn new(trace: &'a Trace, k: usize, passages: &'a dyn Passages) -> Self {
        let packed: Vec<&ChunkId> = trace.packed().collect();
        let last = trace.final_ranking();
        let recorded = last.is_some_and(|step| step.step == Step::External);
        let ranking: Vec<&ChunkId> = last.map_or(Vec::new(), |step| {
            step.hits.iter().map(|hit| &hit.id).collect()
        });
        let k = if recorded {
            packed_depth(&ranking, &packed, passages)
        } else {
            k
        };
        Self {
            trace,
            test: SupportTest::new(&trace.question, &trace.gold.groups, passages),
            passages,
            candidates: trace
                .retrievers()
                .flat_map(|step| step.hits.iter().map(|hit| &hit.id))
                .collect(),
            ranking,
            k,
            packed,
            recorded,
        }
    }

    /// Returns the first k of the ranking.
    pub fn top_k(&self) -> &[&'a ChunkId] {
        &self.ranking[..self.k.min(self.ranking.len())]
    }

    /// Returns the chunks of a stage; empty for those before retrieval, which hold every chunk.
    pub fn at(&self, stage: Stage) -> &[&'a ChunkId] {
        match stage {
            Stage::Corpus | Stage::Chunking => &[],
            Stage::Retrieval => &self.candidates,
            Stage::Ranking => self.top_k(),
            Stage::Packing | Stage::Generation => &self.packed,
        }
    }

    /// Returns whether support by that reading reached each of documents, chunks, candidates, `top_k` and prompt.
    /// Support that one stage lost does not come back at a later one. `None` when support cannot be tested: without any
    /// label, or if an answer string is all there is and no document holds one, for then its wording is to blame as
    /// likely as the documents.
    pub fn reached(&self, reading: Reading) -> Option<[bool; 5]> {
        let of = |stage: Stage| self.test.holds(self.at(stage), reading);
        let gold = &self.trace.gold;
        let mut reached = [gold.documents.holds, gold.chunks.holds, false, false, false];
        reached[1] &= reached[0];
        for (at, stage) in [
            (2, Stage::Retrieval),
            (3, Stage::Ranking),
            (4, Stage::Packing),
        ] {
            reached[at] = reached[at - 1] && of(stage);
        }
        let is_testable = match self.test.rule() {
            SupportRule::Nothing => false,
            SupportRule::AnswerString => gold.documents.holds,
            SupportRule::Ranges | SupportRule::Documents | SupportRule::Judged => true,
        };
        is_testable.then_some(reached)
    }

    /// Returns the support by all hits of each step of the trace.
    pub fn by_step(&self) -> Vec<Support> {
        let steps = self.trace.steps.iter();
        steps
            .map(|step| self.test.of(step.hits.iter().map(|hit| &hit.id)))
            .collect()
    }

    /// Returns the first gold range that no single chunk holds and that the chunks of `stage` hold in part, but not
    /// fully.
    pub fn torn(&self, stage: Stage) -> Option<Torn> {
        let here = self.at(stage);
        for group in self.test.missing_groups(here) {
            for member in 0..self.trace.gold.groups[group].len() {
                for range in self.test.torn_ranges((group, member), here) {
                    let at = (group, member);
                    if self.test.is_cut(at, range) && self.test.cut_costs(at, range, here) {
                        return Some(Torn {
                            group,
                            member,
                            range,
                        });
                    }
                }
            }
        }
        None
    }

    /// Returns the number of the ranking's first chunks for which `holds` first becomes true; it must stay true for
    /// more. `None` if it never does.
    pub fn first(chunks: &[&'a ChunkId], holds: impl Fn(&[&'a ChunkId]) -> bool) -> Option<usize> {
        let lengths: Vec<usize> = (0..=chunks.len()).collect();
        let n = lengths.partition_point(|&n| !holds(&chunks[..n]));
        (n <= chunks.len()).then_some(n)
    }
}

/// Returns the number of the first chunks of an imported ranking that hold every packed one: a recorded prompt may select,
/// reorder or truncate them, and support that it holds was not lost before it.
fn packed_depth(ranking: &[&ChunkId], packed: &[&ChunkId], passages: &dyn Passages) -> usize {
    let depths = packed.iter().filter_map(|id| {
        let same = ranking.iter().position(|ranked| ranked == id);
        let at = same.or_else(|| {
            ranking
                .iter()
                .position(|ranked| holds(ranked, id, passages))
        });
        at.map(|at| at + 1)
    });
    depths.max().unwrap_or(0).max(packed.len())
}

/// Returns true if `part` is a part of the chunk `whole`.
fn holds(whole: &ChunkId, part: &ChunkId, passages: &dyn Passages) -> bool {
    let (Some(outer), Some(inner)) = (passages.view(whole), passages.view(part)) else {
        return false;
    };
    whole.doc() == part.doc() && outer.range.contains(inner.range)
}
