//! The details of one question, which an HTML report shows when it is opened: its trace as far as it is shown, with the numbers of
//! the page's passages in place of the chunks' ids, and what evaluation says of it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::index::rounded;
use super::marks::{AnswerMarker, Highlights, Searchables};
use super::passages::{GOLD_HELD, PassageTable, gold_below, golden, shown};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::correctness::Judgment;
use ragtriage_core::types::{ChunkId, Condition, Support, Trace, TraceStep};

/// The details of a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Detail {
    #[serde(flatten)]
    trace: Trace,
    /// Parallel to the trace's stages.
    by_stage: Vec<StageFacts>,
    /// Parallel to the gold groups and their members: passages that hold a byte of each, of which the trace has the first ten.
    n_gold: Vec<Vec<usize>>,
    /// The verdict on the answer, with its reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    judgment: Option<String>,
    /// Values of the answer that no packed passage contains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unsupported: Vec<String>,
    /// Highlights by passage number, of every passage named here that has some.
    marks: BTreeMap<usize, Highlights>,
}

/// A stage, whose trace holds the hits that are shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct StageFacts {
    /// Its name; several of one name are numbered.
    label: String,
    n_hits: usize,
    support: Support,
    /// Rank from 1 and number of every passage with gold among all hits.
    gold: Vec<(usize, usize)>,
}

/// The data that all questions share.
pub(super) struct DetailContext<'a> {
    pub depth: usize,
    pub passages: &'a PassageTable<'a>,
    pub searchables: &'a Searchables,
}

impl DetailContext<'_> {
    pub fn detail(&self, trace: &Trace, outcome: &Outcome) -> Detail {
        let gold = golden(trace);
        let by_stage: Vec<StageFacts> = trace
            .steps
            .iter()
            .enumerate()
            .zip(&outcome.by_step)
            .map(|((at, step), support)| StageFacts {
                label: label(&trace.steps, at),
                n_hits: step.hits.len(),
                support: *support,
                gold: self.gold(step, &gold),
            })
            .collect();
        let groups = trace.gold.groups.iter();
        let n_gold = groups.map(|group| group.iter().map(|member| member.chunks.len()).collect());
        let mut short = self.shortened(trace);
        let hits = by_stage.iter().flat_map(|stage| stage.gold.iter().map(|(_, number)| *number));
        let named: BTreeSet<usize> =
            short.passages().filter_map(|id| self.number(id)).chain(hits).collect();
        let marker = AnswerMarker::new(trace);
        let marks = named.into_iter().filter_map(|number| {
            let passage = self.passages.list()[number];
            Some((number, marker.marks(number, passage, self.searchables)?))
        });
        let marks = marks.collect();
        for id in short.passages_mut() {
            if let Some(number) = self.number(id) {
                *id = number.to_string().into();
            }
        }
        Detail {
            by_stage,
            n_gold: n_gold.collect(),
            judgment: outcome.judgments.of(Condition::Retrieved).map(Judgment::to_string),
            unsupported: outcome.unsupported.clone(),
            marks,
            trace: short,
        }
    }

    fn number(&self, id: &ChunkId) -> Option<usize> {
        self.passages.number(id)
    }

    /// The trace with the hits, gold passages and digits that are shown, of passages that the page holds.
    fn shortened(&self, trace: &Trace) -> Trace {
        let is_here = |id: &ChunkId| self.number(id).is_some();
        let mut short = Trace { probe: None, rewrite: None, ..trace.clone() };
        short.question.evidence.clear();
        short.question.relevant.clear();
        for step in &mut short.steps {
            step.hits.truncate(shown(step, self.depth).len());
            step.hits.retain(|hit| is_here(&hit.id));
            step.exact_search = None;
            step.seconds = rounded(step.seconds, 3);
            for hit in &mut step.hits {
                hit.score = rounded(hit.score, 6);
                hit.parts.values_mut().for_each(|part| *part = rounded(*part, 5));
            }
        }
        for member in short.gold.groups.iter_mut().flatten() {
            member.chunks.truncate(GOLD_HELD);
            member.chunks.retain(is_here);
        }
        for attempt in short.conditions.iter_mut().flat_map(|condition| &mut condition.attempts) {
            attempt.passages.retain(is_here);
            attempt.seconds = rounded(attempt.seconds, 3);
        }
        short
    }

    fn gold(&self, step: &TraceStep, gold: &BTreeSet<&ChunkId>) -> Vec<(usize, usize)> {
        let all = gold_below(step, gold, 0).into_iter();
        all.filter_map(|(rank, id)| Some((rank, self.number(id)?))).collect()
    }
}

/// Returns the name of a step; the second of one name gets ` 2`.
fn label(steps: &[TraceStep], at: usize) -> String {
    let label = steps[at].label();
    match steps[..at].iter().filter(|other| other.label() == label).count() {
        0 => label.to_owned(),
        n => format!("{label} {}", n + 1),
    }
}
