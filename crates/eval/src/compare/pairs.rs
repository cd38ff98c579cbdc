//! Pairing of two runs' questions by id.

use std::collections::HashMap;

use serde::Serialize;

use crate::Error;
use crate::clusters;
use ragtriage_core::types::{DocId, Group, Member, Question};
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
pub struct Pairs {
    /// A question's index in the baseline, then in the other run.
    pub list: Vec<[usize; 2]>,
    /// Each pair's cluster, by the baseline's evidence, numbered from 0 without gaps.
    pub cluster_of: Vec<usize>,
    /// Counts of paired and unpaired questions.
    pub counts: QuestionCounts,
}

impl Pairs {
    /// Pairs questions by id.
    ///
    /// # Errors
    /// A question that occurs in only one run or has a different text there, unless `intersect`; no question in common.
    pub fn new(baseline: &SavedRun, run: &SavedRun, intersect: bool) -> Result<Self, Error> {
        let (ours, theirs) = (&baseline.traces, &run.traces);
        let numbers: HashMap<_, usize> =
            theirs.iter().enumerate().map(|(at, trace)| (&trace.question.id, at)).collect();
        let mut counts = QuestionCounts::default();
        let mut list = Vec::new();
        for (a, trace) in ours.iter().enumerate() {
            match numbers.get(&trace.question.id) {
                None => counts.only_baseline += 1,
                Some(b) if theirs[*b].question.text != trace.question.text => {
                    counts.other_text += 1;
                }
                Some(b) => list.push([a, *b]),
            }
        }
        counts.only_run = theirs.len() - list.len() - counts.other_text;
        refuse(baseline, run, list.len(), counts, intersect)?;
        let common = list.len();
        list.retain(|[a, b]| !ours[*a].failed() && !theirs[*b].failed());
        counts.compared = list.len();
        counts.failed = common - list.len();
        let has_same_gold =
            |[a, b]: &&[usize; 2]| has_same_gold(&ours[*a].question, &theirs[*b].question);
        counts.other_gold = list.len() - list.iter().filter(has_same_gold).count();
        let traces = list.iter().map(|[a, _]| &ours[*a]);
        let cluster_of = clusters::cluster_of(traces);
        let sizes = clusters::sizes(&cluster_of);
        (counts.n_clusters, counts.largest_cluster) = (sizes.n, sizes.largest);
        Ok(Self { list, cluster_of, counts })
    }
}

/// Compares everything that a score depends on besides the text. Evidence may have moved within its document, which was edited elsewhere.
fn has_same_gold(a: &Question, b: &Question) -> bool {
    let Question { kind, answers, evidence, relevant, required, forbidden, .. } = a;
    let length = |member: &Member| -> (DocId, Vec<usize>) {
        (member.doc.clone(), member.ranges.iter().map(|range| range.len()).collect())
    };
    let lengths = |evidence: &[Group]| -> Vec<Vec<_>> {
        evidence.iter().map(|group| group.iter().map(length).collect()).collect()
    };
    (kind, answers, lengths(evidence)) == (&b.kind, &b.answers, lengths(&b.evidence))
        && (relevant, required, forbidden) == (&b.relevant, &b.required, &b.forbidden)
}

fn refuse(
    baseline: &SavedRun,
    run: &SavedRun,
    common: usize,
    counts: QuestionCounts,
    intersect: bool,
) -> Result<(), Error> {
    let (n, m) = (baseline.traces.len(), run.traces.len());
    let [baseline, run] = [baseline, run].map(|run| &run.manifest.name);
    let QuestionCounts { only_baseline, only_run, other_text, .. } = counts;
    if common == 0 {
        let message = format!(
            "`{baseline}` ({n} questions) and `{run}` ({m} questions) have no question in common"
        );
        return Err(Error::new(message, "compare runs over the same question set"));
    }
    if !intersect && only_baseline + only_run + other_text > 0 {
        let message = format!(
            "the baseline `{baseline}` and the run `{run}` do not ask the same questions: {common} in both, {only_baseline} only in the \
             baseline, {only_run} only in the run, {other_text} with the same id and different texts"
        );
        let hint = format!(
            "`--intersect` compares the questions in both ({common}); after questions were added or edited, make a new baseline; an \
             interrupted run is completed by `ragtriage run --resume {run}`"
        );
        return Err(Error::new(message, hint));
    }
    Ok(())
}
