//! The chunks that each stage returned for a question: the input of failure classes and reasons.

use std::collections::HashSet;

use super::Passages;
use super::evidence::Evidence;
use super::known::{ByDocument, TopK, is_part};
use super::support::{Reading, SupportTest};
use crate::types::{
    ByteRange, ChunkId, Condition, GoldMember, Stage, Step, Support, SupportRule, Trace, TraceStep,
};

/// The chunks of each stage, with the support test applied to them.
pub(super) struct Delivery<'a> {
    pub trace: &'a Trace,
    pub test: SupportTest<'a>,
    pub passages: &'a dyn Passages,
    /// Hits of all retrievers; a chunk that several of them returned occurs several times. For an external RAG, with those
    /// of every later step: they were candidates. Known if all are recorded.
    pub candidates: Hits<'a>,
    /// The last ranking before packing; empty if none is recorded. Known if it is the one that was packed.
    pub ranking: Hits<'a>,
    /// Maximum number of candidates to pack; `None` where it is not known, so that a passage of the ranking may have been lost by it.
    pub k: Option<usize>,
    /// Known if the prompt is recorded.
    pub packed: Hits<'a>,
    /// True if an external RAG retrieved the passages: its other chunks are unknown.
    pub recorded: bool,
    /// Share of the prompt that the endpoint read, where it must have truncated it.
    pub read_share: Option<f64>,
}

/// The passages of a stage.
pub(super) struct Hits<'a> {
    ids: Vec<&'a ChunkId>,
    /// True if a passage that is not among them was not there: all are recorded, and most of them are in a document, so that
    /// evidence in them is seen.
    pub are_known: bool,
}

impl<'a> std::ops::Deref for Hits<'a> {
    type Target = [&'a ChunkId];

    fn deref(&self) -> &Self::Target {
        &self.ids
    }
}

/// The evidence in the result of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Complete,
    Missing,
    /// The record does not show it.
    Unknown,
}

impl State {
    fn new(is_complete: bool, is_known: bool) -> Self {
        match (is_complete, is_known) {
            (true, _) => Self::Complete,
            (false, true) => Self::Missing,
            (false, false) => Self::Unknown,
        }
    }
}

/// A gold range that a chunk boundary cuts and that was delivered in part.
pub(super) struct Torn {
    pub group: usize,
    pub member: usize,
    pub range: ByteRange,
}

impl<'a> Delivery<'a> {
    pub fn new(trace: &'a Trace, top: TopK, passages: &'a dyn Passages) -> Self {
        let last = trace.recorded_ranking();
        let has_candidates = top.knows_candidates(trace);
        let is_built_in = trace.rewrite.is_some();
        let recorded = !has_candidates || !is_built_in && trace.steps.iter().any(is_external);
        let is_packed = trace.step(Step::Packed).is_some();
        let steps = trace.steps.iter();
        let candidates = steps
            .filter(|step| recorded || step.step.is_retriever())
            .flat_map(|step| step.hits.iter().map(|hit| &hit.id));
        let ranking: Vec<&ChunkId> =
            last.map_or(Vec::new(), |step| step.hits.iter().map(|hit| &hit.id).collect());
        let packed: Vec<&ChunkId> = trace.packed().collect();
        // Without the prompt, nothing shows that no further step follows.
        let is_ranked = last.is_some() && top.is_in_order && is_packed;
        Self {
            trace,
            test: SupportTest::new(&trace.question, &trace.gold.groups, passages),
            passages,
            k: top.of(trace),
            candidates: Hits {
                ids: candidates.collect(),
                are_known: has_candidates && !is_rewritten(trace),
            },
            ranking: Hits { are_known: is_ranked && are_mostly_located(&ranking), ids: ranking },
            packed: Hits { are_known: is_packed && are_mostly_located(&packed), ids: packed },
            recorded,
            read_share: trace
                .attempt(Condition::Retrieved)
                .and_then(|attempt| top.read_share(trace, attempt)),
        }
    }

    /// Returns the first k of the ranking.
    pub fn top_k(&self) -> &[&'a ChunkId] {
        &self.ranking[..self.k.unwrap_or(usize::MAX).min(self.ranking.len())]
    }

    /// Returns what became of the evidence.
    pub fn evidence(&self) -> Evidence {
        let [strict, lenient] = [Reading::Strict, Reading::Lenient].map(|by| self.reached(by));
        let (Some(strict), Some(lenient)) = (strict, lenient) else {
            return Evidence::Untestable;
        };
        let [at, part] = [strict, lenient].map(|states| first(states, |one| one == State::Missing));
        let first = first(strict, |one| one != State::Complete).unwrap_or(Stage::Generation);
        let Some(at) = at else {
            return match strict[Stage::Packing as usize] {
                State::Unknown => Evidence::Unseen { first },
                _ if self.is_truncated_away() => Evidence::Truncated,
                _ => Evidence::Complete,
            };
        };
        let cause = if self.torn(at).is_some() { Stage::Chunking } else { at };
        if part != Some(at) {
            Evidence::Partial { at, cause, part, first }
        } else if cause == at && first < at {
            Evidence::Between { first, last: at }
        } else {
            Evidence::Lost { at, cause }
        }
    }

    /// Returns the passages of a stage; empty for those before retrieval, which hold every chunk.
    pub fn at(&self, stage: Stage) -> &[&'a ChunkId] {
        match stage {
            Stage::Corpus | Stage::Chunking => &[],
            Stage::Retrieval => &self.candidates,
            Stage::Ranking => self.top_k(),
            Stage::Packing | Stage::Generation => &self.packed,
        }
    }

    /// Returns the evidence by that reading at documents, chunks, candidates, `top_k` and prompt.
    /// Evidence that one stage lost does not come back at a later one; evidence in the prompt was in every earlier stage.
    /// `None` when it cannot be tested: without any label, or if an answer string is all there is and no document holds
    /// one, for then its wording is to blame as likely as the documents.
    pub fn reached(&self, reading: Reading) -> Option<[State; 5]> {
        use State::{Complete, Missing, Unknown};
        let of = |stage: Stage| self.test.holds(self.at(stage), reading);
        let gold = &self.trace.gold;
        let is_testable = match self.test.rule() {
            SupportRule::Nothing => false,
            SupportRule::AnswerString => gold.documents.holds,
            SupportRule::Ranges | SupportRule::Documents | SupportRule::Judged => true,
        };
        if !is_testable {
            return None;
        }
        let documents = gold.documents.holds;
        if !(documents && gold.chunks.holds) {
            // What no chunk boundary cuts is not in the index: chunks of ours hold every byte.
            let is_unindexed = |group: &Vec<GoldMember>| {
                !group.is_empty() && group.iter().all(|member| member.chunks.is_empty())
            };
            let is_chunked = documents && gold.groups.iter().any(is_unindexed);
            let [documents, chunks] = [documents, is_chunked].map(|is| State::new(is, true));
            return Some([documents, chunks, Missing, Missing, Missing]);
        }
        let is_packed = of(Stage::Packing);
        let top_k = match of(Stage::Ranking) {
            _ if is_packed || self.is_truncated(reading) => Complete,
            // Of an unknown k the first may be too few.
            true if self.k.is_none() => Unknown,
            is_ranked => State::new(is_ranked && self.ranking.are_known, self.ranking.are_known),
        };
        let was_candidate = is_packed || top_k == Complete || of(Stage::Retrieval);
        let candidates = State::new(was_candidate, self.candidates.are_known);
        let prompt = State::new(is_packed, self.packed.are_known);
        Some(match (candidates, top_k) {
            (Missing, _) => [Complete, Complete, Missing, Missing, Missing],
            (_, Missing) => [Complete, Complete, candidates, Missing, Missing],
            _ => [Complete, Complete, candidates, top_k, prompt],
        })
    }

    /// Returns true if the support would be in the prompt if that had the packed passages whole.
    fn is_truncated(&self, reading: Reading) -> bool {
        if !self.recorded {
            return false;
        }
        let packed = self.packed.iter().copied();
        let whole: HashSet<&ChunkId> = packed.clone().collect();
        let candidates = self.candidates.iter().copied().filter(|id| !whole.contains(id));
        let ranked: HashSet<&ChunkId> = self.ranking.iter().copied().collect();
        let parts = ByDocument::new(packed.clone().filter(|id| !ranked.contains(id)));
        let has_part =
            |whole: &&ChunkId| parts.any(whole, |part| is_part(part, whole, self.passages));
        let whole: Vec<&ChunkId> = packed.chain(candidates.filter(has_part)).collect();
        whole.len() > self.packed.len() && self.test.holds(&whole, reading)
    }

    /// Returns true if the part of the prompt that the server read lacks the support, or may lack it. Servers that truncate a prompt keep its
    /// end; of the packed passages it is as long, in bytes, as the share of tokens that the server counted.
    pub fn is_truncated_away(&self) -> bool {
        let Some(share) = self.read_share else {
            return false;
        };
        let bytes = |id: &&ChunkId| {
            let view = self.passages.view(id);
            view.map_or(0, |view| view.title.len() + view.text.len())
        };
        let all: usize = self.packed.iter().map(bytes).sum();
        let mut left = (share * all as f64) as usize;
        let last = self.packed.iter().rev().take_while(|id| {
            let fits = left.checked_sub(bytes(id));
            left = fits.unwrap_or(0);
            fits.is_some()
        });
        let read: Vec<&ChunkId> = last.copied().collect();
        let cut = &self.packed[..self.packed.len() - read.len()];
        cut.iter().any(|id| self.may_be_evidence(id)) || !self.test.of(read).holds
    }

    /// Returns true if the chunk is of a document that is evidence as a whole: any of its chunks may be the one that is needed.
    fn may_be_evidence(&self, id: &ChunkId) -> bool {
        let groups = self.trace.gold.groups.iter().enumerate();
        let mut members = groups.flat_map(|(group, members)| {
            let members = members.iter().enumerate();
            members.map(move |(at, member)| ((group, at), member))
        });
        members.any(|(at, member)| member.doc.as_str() == id.doc() && !self.test.has_ranges(at))
    }

    /// Returns the support by all hits of each step of the trace.
    pub fn by_step(&self) -> Vec<Support> {
        let steps = self.trace.steps.iter();
        steps.map(|step| self.test.of(step.hits.iter().map(|hit| &hit.id))).collect()
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
                        return Some(Torn { group, member, range });
                    }
                }
            }
        }
        None
    }
}

fn first(states: [State; 5], is_wanted: impl Fn(State) -> bool) -> Option<Stage> {
    states.iter().position(|state| is_wanted(*state)).map(|at| Stage::ALL[at])
}

/// Returns true if most passages that the retrievers found are in no document.
pub(super) fn is_rewritten(trace: &Trace) -> bool {
    let hits = trace.retrievers().flat_map(|step| &step.hits);
    let found: Vec<&ChunkId> = hits.map(|hit| &hit.id).collect();
    !are_mostly_located(&found)
}

/// Returns false if most of the passages are in no document: an external RAG that rewrote them may have put the evidence into them.
fn are_mostly_located(passages: &[&ChunkId]) -> bool {
    let unlocated = passages.iter().filter(|id| id.is_unlocated()).count();
    2 * unlocated <= passages.len()
}

/// Returns true for a step that only a record of an external RAG has.
fn is_external(step: &TraceStep) -> bool {
    let is_named = step.name.is_some() || step.query.is_some() || step.k.is_some();
    is_named || matches!(step.step, Step::External | Step::Ordered)
}
