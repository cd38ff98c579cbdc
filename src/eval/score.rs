//! Every measure of every question, from its trace and the saved passages.

use std::collections::{HashMap, HashSet};

use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::measure::answer::{self, AnswerScores, Flavour};
use crate::measure::ranked::Graded;
use crate::measure::{Cutoff, Family, Measure};
use crate::store::SavedRun;
use crate::text::answers::{AnswerMatcher, Searchable};
use crate::types::{ArmName, ChunkId, Class, DocId, Kind, Trace, collapse};

/// A table of scores: a row a question, a column a measure. `None`: the measure is not defined for that question.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// The columns.
    pub measures: Vec<Measure>,
    /// Parallel to the run's traces.
    pub rows: Vec<Vec<Option<f64>>>,
}

impl Scores {
    /// One measure's values, parallel to the run's traces; `None` where the table does not have it.
    #[must_use]
    pub fn column(&self, measure: Measure) -> Option<Vec<Option<f64>>> {
        let at = self.measures.iter().position(|column| *column == measure)?;
        Some(self.rows.iter().map(|row| row[at]).collect())
    }
}

/// Scores every question of `run` by every measure. A failed question has no score: it is counted apart.
#[must_use]
pub fn score(run: &SavedRun, measures: &[Measure], flavour: Flavour) -> Scores {
    let searchable = searchable_passages(run, measures);
    let rows = run.traces.par_iter().map(|trace| score_question(trace, measures, flavour, &searchable)).collect();
    Scores { measures: measures.to_vec(), rows }
}

/// The passages that `EM` may have to look into, normalised once.
fn searchable_passages(run: &SavedRun, measures: &[Measure]) -> HashMap<ChunkId, Searchable> {
    let deepest =
        measures.iter().filter(|measure| measure.family() == Family::Em).map(|measure| match measure.cutoff() {
            Some(Cutoff::Top(k)) => k,
            _ => 0,
        });
    let deepest = deepest.max().unwrap_or(0);
    let mut wanted: HashSet<&ChunkId> = HashSet::new();
    for trace in run.traces.iter().filter(|trace| trace.question.has_spans()) {
        wanted.extend(
            trace.final_ranking().into_iter().flat_map(|stage| stage.hits.iter().take(deepest)).map(|hit| &hit.id),
        );
        wanted.extend(trace.packed());
    }
    wanted
        .into_par_iter()
        .filter_map(|id| run.passages.get(id).map(|passage| (id.clone(), Searchable::new(&passage.text))))
        .collect()
}

/// One question, made ready for any measure.
struct Ready<'a> {
    trace: &'a Trace,
    /// How many passages of the final ranking stand before the first with an answer; `usize::MAX`: none has one.
    before_answer: Option<usize>,
    answer_in_prompt: Option<bool>,
    docs: Vec<DocId>,
    graded: Option<Graded>,
    packed_relevant: Option<f64>,
    answer: Option<AnswerScores>,
}

fn score_question(
    trace: &Trace,
    measures: &[Measure],
    flavour: Flavour,
    searchable: &HashMap<ChunkId, Searchable>,
) -> Vec<Option<f64>> {
    if trace.class == Class::Failed {
        return vec![None; measures.len()];
    }
    let ready = Ready::new(trace, flavour, searchable);
    measures.iter().map(|measure| ready.value(*measure)).collect()
}

impl<'a> Ready<'a> {
    fn new(trace: &'a Trace, flavour: Flavour, searchable: &HashMap<ChunkId, Searchable>) -> Self {
        let question = &trace.question;
        let hits = trace.final_ranking().map_or(&[][..], |stage| &stage.hits);
        let matcher = question.has_spans().then(|| AnswerMatcher::new(&question.answers));
        let holds =
            |matcher: &AnswerMatcher, id: &ChunkId| searchable.get(id).is_some_and(|passage| matcher.found_in(passage));
        let docs = collapse(hits.iter().map(|hit| &hit.id));
        let grade = |doc: &DocId| question.relevant.get(doc).copied().unwrap_or(0);
        let graded = Graded::new(docs.iter().map(grade).collect(), question.relevant.values().copied());
        let packed_relevant = graded.is_some().then(|| {
            let packed = collapse(trace.packed());
            let relevant = packed.iter().filter(|doc| grade(doc) > 0).count();
            if packed.is_empty() { 0.0 } else { relevant as f64 / packed.len() as f64 }
        });
        Self {
            trace,
            before_answer: matcher
                .as_ref()
                .map(|matcher| hits.iter().position(|hit| holds(matcher, &hit.id)).unwrap_or(usize::MAX)),
            answer_in_prompt: matcher.as_ref().map(|matcher| trace.packed().any(|id| holds(matcher, id))),
            docs,
            graded,
            packed_relevant,
            answer: answer_scores(trace, ArmName::Retrieved, flavour),
        }
    }

    fn value(&self, measure: Measure) -> Option<f64> {
        let top = match measure.cutoff() {
            Some(Cutoff::Top(k)) => Some(k),
            Some(Cutoff::Prompt) | None => None,
        };
        let k = top.unwrap_or(usize::MAX);
        let at_prompt = measure.cutoff() == Some(Cutoff::Prompt);
        let graded = self.graded.as_ref();
        match measure.family() {
            Family::Em if at_prompt => self.answer_in_prompt.map(indicator),
            Family::Em => self.before_answer.map(|n| indicator(n < k)),
            Family::Recall => graded.map(|graded| graded.recall(k)),
            Family::Success => graded.map(|graded| graded.success(k)),
            Family::FullRecall => self.full_recall(k),
            Family::Precision if at_prompt => self.packed_relevant,
            Family::Precision => graded.map(|graded| graded.precision(k)),
            Family::ReciprocalRank => graded.map(|graded| graded.reciprocal_rank(top)),
            Family::Ndcg => graded.map(|graded| graded.ndcg(top)),
            Family::AveragePrecision => graded.map(|graded| graded.average_precision(top)),
            Family::AnswerEm => self.answer.map(|scores| scores.em),
            Family::AnswerF1 => self.answer.map(|scores| scores.f1),
            Family::AnswerPrecision => self.answer.map(|scores| scores.precision),
            Family::AnswerRecall => self.answer.map(|scores| scores.recall),
        }
    }

    /// Every evidence group has a member whose document is among the first k; undefined without evidence.
    fn full_recall(&self, k: usize) -> Option<f64> {
        let groups = &self.trace.question.evidence;
        let found = |doc: &DocId| self.docs.iter().take(k).any(|ranked| ranked == doc);
        (!groups.is_empty())
            .then(|| indicator(groups.iter().all(|group| group.iter().any(|member| found(&member.doc)))))
    }
}

/// An arm's answer scores. `None` where the arm was not run or failed, or the question has no gold answers to compare
/// with. An unanswerable question's gold is the empty answer under `squad2` and undefined elsewhere.
#[must_use]
pub fn answer_scores(trace: &Trace, arm: ArmName, flavour: Flavour) -> Option<AnswerScores> {
    let attempt = trace.attempt(arm).filter(|attempt| attempt.error.is_none())?;
    let question = &trace.question;
    match question.kind {
        Kind::Unanswerable if flavour == Flavour::Squad2 => {
            Some(answer::score(&attempt.extracted, &[String::new()], flavour))
        }
        _ if question.answers.is_empty() => None,
        _ => Some(answer::score(&attempt.extracted, &question.answers, flavour)),
    }
}

fn indicator(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}
