//! Slices: summary metrics of parts of the question set, by properties known beforehand.
//!
//! Exploratory: with 20 slices about one 95% interval misses by chance, and slices of one dimension say nothing
//! about each other's causes. A slice of fewer than [`FEW`] questions is marked as rough.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::metric_summary::{MetricSummary, mean};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::stats::share::ClusteredShare;
use ragtriage_core::stats::t::mean_error;
use ragtriage_core::types::{FailureClass, QuestionKind, Stage, Trace};

/// Below this many questions an interval is uninformative, and the dominant failure class may be
/// one question.
pub const FEW: usize = 20;
/// Maximum number of slices per dimension, largest first: there may be as many tags as questions.
const MOST_PARTS: usize = 50;

ragtriage_core::closed_set! {
    /// The dimension that questions are sliced by.
    SliceBy {
        /// A tag; a question is in the slice of each of its tags.
        Tag = "tag",
        /// The expected kind of answer.
        Kind = "kind",
    }
}

/// A dimension with its slices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SliceGroup {
    /// The dimension of the slice.
    pub by: SliceBy,
    /// In natural order; tags by size.
    pub parts: Vec<Slice>,
}

/// Metrics of one slice. A metric that is defined for none of its questions has n 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slice {
    /// The slice's label.
    pub value: String,
    /// Questions in it that did not fail.
    pub n: usize,
    /// True for fewer than 20 questions.
    pub rough: bool,
    /// Share of questions with an answer string in the top k (in the prompt, for an external RAG).
    pub em: MetricSummary,
    /// Share of questions whose complete evidence was in the prompt.
    pub complete_evidence: MetricSummary,
    /// Share of correct answers.
    pub correct: MetricSummary,
    /// The failure class with the most questions, the earlier stage on ties; `None` if none was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mostly: Option<(FailureClass, usize)>,
}

/// The columns to slice, question by question; all lists are parallel to the traces.
pub struct QuestionColumns<'a> {
    /// The questions.
    pub traces: &'a [Trace],
    /// Their outcomes.
    pub outcomes: &'a [Outcome],
    /// `EM@k`.
    pub em: Vec<Option<f64>>,
    /// 1 where the answer is correct, 0.5 where the rule is unsure, 0 where it is wrong.
    pub correct: Vec<Option<f64>>,
    /// Their clusters.
    pub cluster_of: Vec<usize>,
}

impl QuestionColumns<'_> {
    /// Returns the share of `questions` for which `holds` is true, where it is known.
    fn share(&self, questions: &[usize], holds: impl Fn(usize) -> Option<bool>) -> MetricSummary {
        let known = questions.iter().filter_map(|&at| Some((holds(at)?, self.cluster_of[at])));
        let (holds, clusters): (Vec<bool>, Vec<usize>) = known.unzip();
        let share = ClusteredShare::new(&holds, &clusters);
        MetricSummary { mean: share.share(), n: share.n, ci95: share.interval() }
    }

    /// Returns the mean of `column`, in 0..=1, over `questions`; its interval by t over clusters.
    fn mean(&self, questions: &[usize], column: &[Option<f64>]) -> MetricSummary {
        let known = questions.iter().filter_map(|&at| Some((column[at]?, self.cluster_of[at])));
        let (values, clusters): (Vec<f64>, Vec<usize>) = known.unzip();
        let ci95 = mean_error(&values, &clusters).map(|error| error.interval_in((0.0, 1.0)));
        MetricSummary { mean: mean(&values), n: values.len(), ci95 }
    }

    /// Returns the share of correct answers, with Wilson's interval; an answer that the rule is unsure about counts half and
    /// has the interval of a mean.
    fn share_correct(&self, questions: &[usize]) -> MetricSummary {
        let is_whole = |at: &usize| self.correct[*at].is_none_or(|correct| correct.fract() == 0.0);
        if questions.iter().all(is_whole) {
            return self.share(questions, |at| self.correct[at].map(|correct| correct > 0.0));
        }
        self.mean(questions, &self.correct)
    }

    /// Returns true if complete evidence was in the prompt.
    fn complete_evidence(&self, at: usize) -> Option<bool> {
        self.outcomes[at].evidence.is_complete_at(Stage::Packing)
    }

    /// Returns the questions that did not fail.
    fn questions(&self) -> impl Iterator<Item = usize> {
        (0..self.traces.len()).filter(|&at| !self.outcomes[at].class.has_no_result())
    }

    fn part(&self, value: String, questions: &[usize]) -> Slice {
        Slice {
            value,
            n: questions.len(),
            rough: questions.len() < FEW,
            em: self.share(questions, |at: usize| Some(self.em[at]? > 0.0)),
            complete_evidence: self.share(questions, |at| self.complete_evidence(at)),
            correct: self.share_correct(questions),
            mostly: self.mostly(questions),
        }
    }

    fn mostly(&self, questions: &[usize]) -> Option<(FailureClass, usize)> {
        let mut counts: BTreeMap<FailureClass, usize> = BTreeMap::new();
        for class in
            questions.iter().map(|&at| self.outcomes[at].class).filter(|class| class.is_loss())
        {
            *counts.entry(class).or_default() += 1;
        }
        counts.into_iter().max_by_key(|(class, n)| (*n, std::cmp::Reverse(*class)))
    }
}

/// Returns every dimension that separates questions; a slice that holds all of them does not.
#[must_use]
pub fn slices(columns: &QuestionColumns<'_>) -> Vec<SliceGroup> {
    let all: Vec<usize> = columns.questions().collect();
    let groups = SliceBy::ALL.into_iter().map(|by| group(by, &all, columns));
    groups.filter(|group| group.parts.len() > usize::from(group.by != SliceBy::Tag)).collect()
}

fn group(by: SliceBy, all: &[usize], columns: &QuestionColumns<'_>) -> SliceGroup {
    let mut parts = parts(by, all, columns.traces);
    parts.retain(|(_, questions)| questions.len() < all.len());
    parts.truncate(MOST_PARTS);
    SliceGroup {
        by,
        parts: parts
            .into_iter()
            .map(|(value, questions)| columns.part(value, &questions))
            .collect(),
    }
}

/// Returns the slices of a group, each with its questions.
fn parts(by: SliceBy, all: &[usize], traces: &[Trace]) -> Vec<(String, Vec<usize>)> {
    match by {
        SliceBy::Tag => tags(all, traces),
        SliceBy::Kind => filled(QuestionKind::ALL.iter().map(|kind| {
            let mut of_kind = all.to_vec();
            of_kind.retain(|&at| traces[at].question.kind == *kind);
            (kind.name().to_owned(), of_kind)
        })),
    }
}

fn filled(parts: impl Iterator<Item = (String, Vec<usize>)>) -> Vec<(String, Vec<usize>)> {
    parts.filter(|(_, questions)| !questions.is_empty()).collect()
}

/// Slices by tag, the largest first; untagged questions last.
fn tags(all: &[usize], traces: &[Trace]) -> Vec<(String, Vec<usize>)> {
    let mut by_tag: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &at in all {
        let mut tags: Vec<&str> = traces[at].question.tags.iter().map(String::as_str).collect();
        tags.sort_unstable();
        tags.dedup();
        for tag in tags {
            by_tag.entry(tag).or_default().push(at);
        }
    }
    if by_tag.is_empty() {
        return Vec::new();
    }
    let mut parts: Vec<(String, Vec<usize>)> =
        by_tag.into_iter().map(|(tag, questions)| (tag.to_owned(), questions)).collect();
    parts.sort_by_key(|(_, questions)| std::cmp::Reverse(questions.len()));
    let untagged = all.iter().copied().filter(|&at| traces[at].question.tags.is_empty()).collect();
    parts.extend(filled(std::iter::once(("(none)".to_owned(), untagged))));
    parts
}

#[cfg(test)]
mod tests {
    use super::super::tests::{outcome, trace};
    use super::*;
    use ragtriage_core::types::Stage;

    /// Four questions: tags a; a b; none; none. Classes correct, ranking, ranking, failed.
    fn columns(traces: &[Trace], outcomes: &[Outcome]) -> Vec<SliceGroup> {
        slices(&QuestionColumns {
            traces,
            outcomes,
            em: vec![Some(1.0), Some(0.0), None, Some(1.0)],
            correct: vec![Some(1.0), Some(0.5), Some(0.0), None],
            cluster_of: vec![0, 1, 2, 3],
        })
    }

    fn four() -> (Vec<Trace>, Vec<Outcome>) {
        let mut traces: Vec<Trace> = (0..4).map(|index| trace(index, &["d#0"], "", None)).collect();
        traces[0].question.tags = vec!["a".to_owned()];
        traces[1].question.tags = vec!["b".to_owned(), "a".to_owned(), "a".to_owned()];
        traces[2].question.kind = QuestionKind::YesNo;
        let lost = || outcome(FailureClass::RankedLow, Some(Stage::Ranking));
        (
            traces,
            vec![
                outcome(FailureClass::Correct, None),
                lost(),
                lost(),
                outcome(FailureClass::Failed, None),
            ],
        )
    }

    #[test]
    fn a_question_stands_in_the_part_of_each_of_its_tags() {
        let (traces, outcomes) = four();
        let slices = columns(&traces, &outcomes);
        let parts: Vec<(&str, usize, f64)> = slices[0]
            .parts
            .iter()
            .map(|part| (part.value.as_str(), part.n, part.correct.mean))
            .collect();
        // The failed one is in none; of tag a (1 + .5) / 2 are correct.
        assert_eq!(
            (slices[0].by, parts),
            (SliceBy::Tag, vec![("a", 2, 0.75), ("b", 1, 0.5), ("(none)", 1, 0.0)])
        );
        let a = &slices[0].parts[0];
        assert_eq!((a.em.mean, a.em.n, a.complete_evidence.mean), (0.5, 2, 0.5));
        assert_eq!((a.rough, a.mostly), (true, Some((FailureClass::RankedLow, 1))));
    }

    #[test]
    fn a_part_that_holds_every_question_is_no_part() {
        let (mut traces, outcomes) = four();
        for trace in &mut traces {
            trace.question.tags = vec!["all".to_owned()];
        }
        assert!(columns(&traces, &outcomes).iter().all(|cut| cut.by != SliceBy::Tag));
        traces[0].question.tags.push("hard".to_owned());
        let tags = columns(&traces, &outcomes).swap_remove(0);
        assert_eq!(
            (tags.by, tags.parts.len(), tags.parts[0].value.as_str()),
            (SliceBy::Tag, 1, "hard")
        );
    }

    #[test]
    fn only_cuts_with_several_parts_are_kept() {
        let (traces, outcomes) = four();
        let by: Vec<SliceBy> = columns(&traces, &outcomes).iter().map(|cut| cut.by).collect();
        assert_eq!(by, [SliceBy::Tag, SliceBy::Kind]);
    }
}
