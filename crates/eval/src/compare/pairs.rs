//! Pairing of two runs' questions by id.

use std::collections::HashMap;

use serde::Serialize;

use crate::Error;
use crate::asked::{AskedQuestion, asked};
use crate::clusters;
use ragtriage_core::types::Trace;
use ragtriage_data::run::SavedRun;

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

/// Paired questions of two runs, in the baseline's order.
#[derive(Clone, Debug)]
pub struct Pairing {
    /// A question's index in the baseline, then in the other run.
    pub list: Vec<[usize; 2]>,
    /// Each pair's cluster, by the baseline's evidence, numbered from 0 without gaps.
    pub cluster_of: Vec<usize>,
    /// Counts of paired and unpaired questions.
    pub counts: QuestionCounts,
}

/// A run's name and its questions.
pub type NamedQuestions<'a> = (&'a str, &'a [AskedQuestion]);

impl Pairing {
    /// Pairs questions by id. `cluster`: questions that share gold evidence form one cluster, else each question does.
    ///
    /// # Errors
    /// A question that occurs in only one run or has a different text there, unless `intersect`; no question in common.
    pub fn new(
        baseline: NamedQuestions<'_>,
        run: NamedQuestions<'_>,
        cluster: bool,
        intersect: bool,
    ) -> Result<Self, Error> {
        let (ours, theirs) = (baseline.1, run.1);
        let numbers: HashMap<_, usize> =
            theirs.iter().enumerate().map(|(at, question)| (&question.id, at)).collect();
        let mut counts = QuestionCounts::default();
        let mut list = Vec::new();
        for (a, question) in ours.iter().enumerate() {
            match numbers.get(&question.id) {
                None => counts.only_baseline += 1,
                Some(b) if theirs[*b].text != question.text => counts.other_text += 1,
                Some(b) => list.push([a, *b]),
            }
        }
        counts.only_run = theirs.len() - list.len() - counts.other_text;
        refuse(baseline, run, list.len(), counts, intersect)?;
        let common = list.len();
        list.retain(|[a, b]| !ours[*a].failed && !theirs[*b].failed);
        counts.compared = list.len();
        counts.failed = common - list.len();
        counts.other_gold = list.iter().filter(|[a, b]| ours[*a].gold != theirs[*b].gold).count();
        let evidence = list.iter().map(|[a, _]| ours[*a].evidence.as_slice());
        let cluster_of = clusters::evidence_clusters(evidence, cluster);
        let sizes = clusters::sizes(&cluster_of);
        (counts.n_clusters, counts.largest_cluster) = (sizes.n, sizes.largest);
        Ok(Self { list, cluster_of, counts })
    }
}

/// The pairs with their traces.
#[derive(Clone, Debug)]
pub struct Pairs<'a> {
    /// A question's index and trace in the baseline, then in the other run.
    pub list: Vec<(Side<'a>, Side<'a>)>,
    /// These pairs by index.
    pub pairing: Pairing,
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
    /// Pairs the questions of saved runs.
    ///
    /// # Errors
    /// Errors of [`Pairing::new`].
    pub fn new(
        baseline: &'a SavedRun,
        run: &'a SavedRun,
        cluster: bool,
        intersect: bool,
    ) -> Result<Self, Error> {
        let [ours, theirs] = [baseline, run].map(asked);
        let pairing = Pairing::new(
            (&baseline.manifest.name, &ours),
            (&run.manifest.name, &theirs),
            cluster,
            intersect,
        )?;
        let side = |run: &'a SavedRun, at: usize| Side { at, trace: &run.traces[at] };
        let list = pairing.list.iter();
        let list = list.map(|[a, b]| (side(baseline, *a), side(run, *b)));
        Ok(Self { list: list.collect(), pairing })
    }
}

fn refuse(
    baseline: NamedQuestions<'_>,
    run: NamedQuestions<'_>,
    common: usize,
    counts: QuestionCounts,
    intersect: bool,
) -> Result<(), Error> {
    let [(baseline, ours), (run, theirs)] = [baseline, run];
    let QuestionCounts { only_baseline, only_run, other_text, .. } = counts;
    if common == 0 {
        let (n, m) = (ours.len(), theirs.len());
        let message = format!(
            "`{baseline}` ({n} questions) and `{run}` ({m} questions) have no question in common"
        );
        return Err(Error::new(message, "compare runs over the same question set"));
    }
    if !intersect && only_baseline + only_run + other_text > 0 {
        let message = format!(
            "`{baseline}` and `{run}` do not ask the same questions: {common} in both, {only_baseline} only in `{baseline}`, \
             {only_run} only in `{run}`, {other_text} with the same id and different texts"
        );
        let hint = format!(
            "`--intersect` compares the questions in both ({common}); `ragtriage run --resume NAME` completes an interrupted run"
        );
        return Err(Error::new(message, hint));
    }
    Ok(())
}
