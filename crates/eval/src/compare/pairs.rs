//! Pairing of two runs' questions by id.

use std::collections::HashMap;

use serde::Serialize;

use super::error::CompareError;
use crate::clusters;
use ragtriage_core::types::{Question, Trace};
use ragtriage_runs::SavedRun;

/// Counts of compared and omitted questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QuestionCounts {
    /// Asked in both with equal text and without failure: the pairs.
    pub compared: usize,
    /// Asked in both, failed in one or both: omitted.
    pub failed: usize,
    /// Asked in the baseline only: omitted.
    pub only_baseline: usize,
    /// Asked in the other run only: omitted.
    pub only_run: usize,
    /// Different texts under one id: omitted.
    pub other_text: usize,
    /// Compared, though the gold answers of the two runs differ: each run is scored by its own.
    pub other_gold: usize,
    /// Clusters of compared questions that share gold evidence.
    pub n_clusters: usize,
    /// Compared questions of the largest cluster.
    pub largest_cluster: usize,
}

/// The pairs, in the baseline's order.
#[derive(Clone, Debug)]
pub struct Pairs<'a> {
    /// A question's index and trace in the baseline, then in the other run.
    pub list: Vec<(Side<'a>, Side<'a>)>,
    /// Each pair's cluster, by the baseline's evidence, numbered from 0 without gaps.
    pub cluster_of: Vec<usize>,
    /// Counts of paired and unpaired questions.
    pub counts: QuestionCounts,
}

/// One run's side of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The index among the run's traces.
    pub at: usize,
    /// The trace.
    pub trace: &'a Trace,
}

impl<'a> Pairs<'a> {
    /// Pairs the runs' questions by id. `cluster`: questions that share gold evidence form one cluster,
    /// else each question does.
    ///
    /// # Errors
    /// `OtherQuestions` if a question occurs in only one run or has a different text there, unless
    /// `intersect`;
    /// `NothingInCommon`.
    pub fn new(
        baseline: &'a SavedRun,
        run: &'a SavedRun,
        cluster: bool,
        intersect: bool,
    ) -> Result<Self, CompareError> {
        let theirs: HashMap<_, Side<'_>> = sides(run)
            .map(|side| (&side.trace.question.id, side))
            .collect();
        let mut counts = QuestionCounts::default();
        let mut list = Vec::new();
        for a in sides(baseline) {
            match theirs.get(&a.trace.question.id) {
                None => counts.only_baseline += 1,
                Some(b) if b.trace.question.text != a.trace.question.text => counts.other_text += 1,
                Some(b) => list.push((a, *b)),
            }
        }
        counts.only_run = run.traces.len() - list.len() - counts.other_text;
        refuse(baseline, run, &list, counts, intersect)?;
        let common = list.len();
        list.retain(|(a, b)| !a.trace.failed() && !b.trace.failed());
        counts.compared = list.len();
        counts.failed = common - list.len();
        counts.other_gold = list
            .iter()
            .filter(|(a, b)| other_gold(&a.trace.question, &b.trace.question))
            .count();
        let cluster_of = clusters::cluster_of(list.iter().map(|(a, _)| a.trace), cluster);
        let sizes = clusters::sizes(&cluster_of);
        (counts.n_clusters, counts.largest_cluster) = (sizes.n, sizes.largest);
        Ok(Self {
            list,
            cluster_of,
            counts,
        })
    }
}

fn sides(run: &SavedRun) -> impl Iterator<Item = Side<'_>> {
    let traces = run.traces.iter().enumerate();
    traces.map(|(at, trace)| Side { at, trace })
}

fn refuse(
    baseline: &SavedRun,
    run: &SavedRun,
    list: &[(Side<'_>, Side<'_>)],
    counts: QuestionCounts,
    intersect: bool,
) -> Result<(), CompareError> {
    let [baseline_name, run_name] = [baseline, run].map(|run| run.manifest.name.clone());
    let QuestionCounts {
        only_baseline,
        only_run,
        other_text,
        ..
    } = counts;
    if list.is_empty() {
        return Err(CompareError::NothingInCommon {
            baseline: baseline_name,
            run: run_name,
            n_baseline: baseline.traces.len(),
            n_run: run.traces.len(),
        });
    }
    if !intersect && only_baseline + only_run + other_text > 0 {
        return Err(CompareError::OtherQuestions {
            baseline: baseline_name,
            run: run_name,
            common: list.len(),
            only_baseline,
            only_run,
            other_text,
        });
    }
    Ok(())
}

/// Returns true if the gold answers of two runs for one question differ.
fn other_gold(a: &Question, b: &Question) -> bool {
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
    } = a;
    (kind, answers, evidence, relevant, required, forbidden)
        != (
            &b.kind,
            &b.answers,
            &b.evidence,
            &b.relevant,
            &b.required,
            &b.forbidden,
        )
}
