//! The passages that a page holds, numbered in the order in which its questions first name them, so that what one question
//! shows lies together.

use std::collections::{BTreeSet, HashSet};

use hashbrown::HashMap;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;

use ragtriage_core::types::{ChunkId, Passage, Step, StepHit, Trace, TraceStep};
use ragtriage_data::run::SavedRun;

/// The passages with their numbers.
pub(super) struct PassageTable<'a> {
    list: Vec<&'a Passage>,
    numbers: HashMap<&'a ChunkId, usize>,
}

impl<'a> PassageTable<'a> {
    /// All that the questions of `run` name when `depth` hits of a ranking are shown.
    pub fn new(run: &'a SavedRun, depth: usize) -> Self {
        let named: Vec<Vec<&ChunkId>> =
            run.traces.par_iter().map(|trace| named(trace, depth)).collect();
        let mut list = Vec::new();
        let mut numbers = HashMap::with_capacity(run.passages.len());
        for id in named.into_iter().flatten() {
            if let Some(passage) = run.passages.get(id)
                && !numbers.contains_key(id)
            {
                numbers.insert(&passage.id, list.len());
                list.push(passage);
            }
        }
        Self { list, numbers }
    }

    /// A chunk's number, where the page holds it.
    pub fn number(&self, id: &ChunkId) -> Option<usize> {
        self.numbers.get(id).copied()
    }

    /// All of them by number.
    pub fn list(&self) -> &[&'a Passage] {
        &self.list
    }
}

/// A passage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PassageText<'a> {
    /// The chunk's id.
    pub id: &'a str,
    /// Its document, where that is not the part before the last `#` of its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<&'a str>,
    /// The document's title as a prompt shows it, on one line; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its bytes in the document's text, start and end.
    pub range: [usize; 2],
    /// Its text, without the title.
    pub text: &'a str,
}

impl<'a> From<&'a Passage> for PassageText<'a> {
    fn from(passage: &'a Passage) -> Self {
        let Passage { id, doc, title, range, text, tokens: _ } = passage;
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_told =
            id.as_str().rsplit_once('#').is_some_and(|(before, _)| before == doc.as_str());
        let doc = (!is_told).then_some(doc.as_str());
        Self { id: id.as_str(), doc, title, range: [range.start, range.end], text }
    }
}

/// The hits of a step that are shown.
pub(super) fn shown(step: &TraceStep, depth: usize) -> &[StepHit] {
    match step.step {
        Step::Packed => &step.hits,
        _ => &step.hits[..depth.min(step.hits.len())],
    }
}

/// Passages of one piece of evidence that a page holds though no ranking shows them: more belong to a document as a whole only.
pub(super) const GOLD_HELD: usize = 10;

/// The chunks that hold gold.
pub(super) fn golden(trace: &Trace) -> BTreeSet<&ChunkId> {
    trace.gold.groups.iter().flatten().flat_map(|member| &member.chunks).collect()
}

/// The hits of a step behind the first `depth` that hold gold, with their ranks from 1.
pub(super) fn gold_below<'a>(
    step: &'a TraceStep,
    gold: &BTreeSet<&ChunkId>,
    depth: usize,
) -> Vec<(usize, &'a ChunkId)> {
    let hits = step.hits.iter().enumerate().skip(depth);
    hits.filter(|(_, hit)| gold.contains(&hit.id)).map(|(at, hit)| (at + 1, &hit.id)).collect()
}

/// Every chunk that a question's detail names, once.
fn named(trace: &Trace, depth: usize) -> Vec<&ChunkId> {
    let gold = golden(trace);
    let below = trace
        .steps
        .iter()
        .flat_map(move |step| gold_below(step, &gold, shown(step, depth).len()))
        .map(|(_, id)| id);
    let hits = trace.steps.iter().flat_map(move |step| shown(step, depth)).map(|hit| &hit.id);
    let held =
        trace.gold.groups.iter().flatten().flat_map(|member| member.chunks.iter().take(GOLD_HELD));
    let asked = trace
        .conditions
        .iter()
        .flat_map(|condition| condition.attempts.iter().flat_map(|attempt| &attempt.passages));
    let mut seen = HashSet::new();
    let all = hits.chain(below).chain(held).chain(asked);
    all.filter(|id| seen.insert(*id)).collect()
}
