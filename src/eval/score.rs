//! Every measure of every question, from its trace and the saved passages.

use std::collections::{HashMap, HashSet};

use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::measure::answer::{self, AnswerScores, Flavour};
use crate::measure::ranked::Graded;
use crate::measure::spans::{Span, SpanCounts};
use crate::measure::{Cutoff, Family, Measure};
use crate::store::SavedRun;
use crate::text::answers::{AnswerMatcher, Searchable};
use crate::types::{ArmName, Attempt, ChunkId, Class, DocId, GoldMember, Kind, Passage, Question, Trace, collapse};

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

/// Scores every question of `run` by every measure. A failed question has no score: it is counted apart. Measures of
/// relevant documents are left out for a question of which nothing is relevant.
#[must_use]
pub fn score(run: &SavedRun, measures: &[Measure], flavour: Flavour) -> Scores {
    let searchable = searchable_passages(run, measures);
    let context = Context { run, flavour, searchable };
    let rows = run.traces.par_iter().map(|trace| score_question(trace, measures, &context)).collect();
    Scores { measures: measures.to_vec(), rows }
}

/// What all questions share.
struct Context<'a> {
    run: &'a SavedRun,
    flavour: Flavour,
    searchable: HashMap<ChunkId, Searchable>,
}

/// The passages that `EM` may have to look into, normalised once.
fn searchable_passages(run: &SavedRun, measures: &[Measure]) -> HashMap<ChunkId, Searchable> {
    let deepest =
        measures.iter().filter(|measure| measure.family() == Family::Em).map(|measure| match measure.cutoff() {
            Some(Cutoff::Top(k)) => k,
            _ => 0,
        });
    let Some(deepest) = deepest.max() else { return HashMap::new() };
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

fn score_question(trace: &Trace, measures: &[Measure], context: &Context<'_>) -> Vec<Option<f64>> {
    if trace.class == Class::Failed {
        return vec![None; measures.len()];
    }
    let wants = |scores_answers: bool| measures.iter().any(|m| m.family().scores_answers() == scores_answers);
    let rankings = wants(false).then(|| {
        let hits = trace.final_ranking().map_or(&[][..], |stage| &stage.hits);
        let ranked = Ranked::new(trace, hits.iter().map(|hit| &hit.id).collect(), context);
        (ranked, Ranked::new(trace, trace.packed().collect(), context))
    });
    let answer = AnswerOf::new(trace, context.flavour);
    let value = |measure: &Measure| match (&rankings, measure.cutoff()) {
        (_, None) if measure.family().scores_answers() => answer.value(measure.family()),
        (Some((_, packed)), Some(Cutoff::Prompt)) => packed.at(measure.family(), None),
        (Some((ranked, _)), Some(Cutoff::Top(k))) => ranked.at(measure.family(), Some(k)),
        (Some((ranked, _)), None) => ranked.at(measure.family(), None),
        (None, _) => None,
    };
    measures.iter().map(value).collect()
}

/// A list of chunks, best first, made ready for any measure: the final ranking, or what was packed.
struct Ranked<'a> {
    trace: &'a Trace,
    context: &'a Context<'a>,
    chunks: Vec<&'a ChunkId>,
    docs: Vec<DocId>,
    /// `None`: nothing is relevant.
    graded: Option<Graded>,
    /// Present for a question that has spans.
    matcher: Option<AnswerMatcher>,
}

impl<'a> Ranked<'a> {
    fn new(trace: &'a Trace, chunks: Vec<&'a ChunkId>, context: &'a Context<'a>) -> Self {
        let question = &trace.question;
        let docs = collapse(chunks.iter().copied());
        let grades = docs.iter().map(|doc| question.relevant.get(doc).copied()).collect();
        let graded = Graded::new(grades, question.relevant.values().copied(), 1);
        Self {
            trace,
            context,
            chunks,
            docs,
            graded: Some(graded).filter(|graded| graded.n_relevant() > 0),
            matcher: question.has_spans().then(|| AnswerMatcher::new(&question.answers)),
        }
    }

    /// A family's value over the first k, or over all.
    fn at(&self, family: Family, k: Option<usize>) -> Option<f64> {
        let top = &self.chunks[..k.unwrap_or(usize::MAX).min(self.chunks.len())];
        match family {
            Family::Em => self.matcher.as_ref().map(|matcher| indicator(self.holds_answer(matcher, top))),
            Family::EmRaw => self.matcher.as_ref().map(|_| indicator(self.holds_answer_raw(top))),
            Family::FullRecall => self.full_recall(k),
            Family::EvidenceRecall => self.evidence_recall(top),
            Family::SpanPrecision => self.sized_spans(top).map(SpanCounts::precision),
            Family::SpanRecall => self.spans(top).map(SpanCounts::recall),
            Family::Iou => self.sized_spans(top).map(SpanCounts::iou),
            Family::PrecisionOmega => self.precision_omega(),
            _ => self.graded.as_ref()?.at(family, k, Some(self.context.run.manifest.n_documents)),
        }
    }

    fn holds_answer(&self, matcher: &AnswerMatcher, top: &[&ChunkId]) -> bool {
        let holds = |id: &ChunkId| self.context.searchable.get(id).is_some_and(|passage| matcher.found_in(passage));
        top.iter().any(|id| holds(id))
    }

    fn holds_answer_raw(&self, top: &[&ChunkId]) -> bool {
        let answers = &self.trace.question.answers;
        let texts = top.iter().filter_map(|id| self.context.run.passages.get(*id));
        texts.into_iter().any(|passage| answers.iter().any(|gold| !gold.is_empty() && passage.text.contains(gold)))
    }

    /// Every evidence group has a member whose document is among the first k; undefined without evidence.
    fn full_recall(&self, k: Option<usize>) -> Option<f64> {
        let groups = &self.trace.question.evidence;
        let docs = &self.docs[..k.unwrap_or(usize::MAX).min(self.docs.len())];
        (!groups.is_empty())
            .then(|| indicator(groups.iter().all(|group| group.iter().any(|member| docs.contains(&member.doc)))))
    }

    /// Mean over groups of the best covered member's share; undefined without evidence.
    fn evidence_recall(&self, top: &[&ChunkId]) -> Option<f64> {
        let groups = &self.trace.gold.groups;
        let shown = self.places(top.iter().copied());
        let shares = groups.iter().enumerate().map(|(g, _)| self.best_member(g, &shown).1);
        (!groups.is_empty()).then(|| shares.sum::<f64>() / groups.len() as f64)
    }

    /// Which member of a group `shown` covers best (of equals the first), and by what share of its bytes.
    fn best_member(&self, group: usize, shown: &[Span<'_>]) -> (usize, f64) {
        let members = self.trace.question.evidence[group].iter().zip(&self.trace.gold.groups[group]);
        let covered = members.map(|(labelled, gold)| {
            if labelled.ranges.is_empty() {
                return indicator(shown.iter().any(|(doc, _)| *doc == gold.doc.as_str()));
            }
            SpanCounts::new(shown, &needed(gold)).recall()
        });
        covered.enumerate().fold((0, 0.0), |best, next| if next.1 > best.1 { next } else { best })
    }

    /// Counts over the bytes of the best covered members; undefined without evidence, or where it is a whole document.
    fn spans(&self, top: &[&ChunkId]) -> Option<SpanCounts> {
        let shown = self.places(top.iter().copied());
        Some(SpanCounts::new(&shown, &self.evidence(&shown)?))
    }

    /// [`Self::spans`], undefined too where bytes were shown that stand in no document as they are: of a context recorded
    /// elsewhere the range is then that of the gold text in it, or none, and not its own.
    fn sized_spans(&self, top: &[&ChunkId]) -> Option<SpanCounts> {
        let passages = || top.iter().filter_map(|id| self.context.run.passages.get(*id));
        let is_sized = |passage: &Passage| !passage.range.is_empty() && passage.range.len() == passage.text.len();
        (self.context.run.manifest.external.is_none() || passages().all(is_sized)).then(|| self.spans(top)).flatten()
    }

    /// Of each group the best covered member's bytes.
    fn evidence(&self, shown: &[Span<'_>]) -> Option<Vec<Span<'a>>> {
        let (labelled, gold) = (&self.trace.question.evidence, &self.trace.gold.groups);
        let ranged = labelled.iter().flatten().all(|member| !member.ranges.is_empty());
        let members = gold.iter().enumerate().map(|(g, group)| &group[self.best_member(g, shown).0]);
        (ranged && !gold.is_empty()).then(|| members.flat_map(needed).collect())
    }

    /// Over all chunks that hold a byte of each group's first member; undefined for a pipeline that ran elsewhere, of whose
    /// chunks only those that were shown are known.
    fn precision_omega(&self) -> Option<f64> {
        if self.context.run.manifest.external.is_some() {
            return None;
        }
        let wanted = self.evidence(&[])?;
        let holding: HashSet<&ChunkId> =
            self.trace.gold.groups.iter().filter_map(|group| group.first()).flat_map(|member| &member.chunks).collect();
        Some(SpanCounts::new(&self.places(holding), &wanted).precision_omega())
    }

    fn places<'b>(&self, chunks: impl IntoIterator<Item = &'b ChunkId>) -> Vec<Span<'a>> {
        let found = chunks.into_iter().filter_map(|id| self.context.run.passages.get(id));
        found.map(|passage| (passage.doc.as_str(), passage.range)).collect()
    }
}

fn needed(member: &GoldMember) -> Vec<Span<'_>> {
    member.needed.iter().map(|range| (member.doc.as_str(), *range)).collect()
}

/// The pipeline's own answer, made ready for any measure.
struct AnswerOf<'a> {
    trace: &'a Trace,
    /// `None`: there is no generator, its call failed, or there is nothing gold to compare with.
    scores: Option<AnswerScores>,
    text: Option<&'a str>,
}

impl<'a> AnswerOf<'a> {
    fn new(trace: &'a Trace, flavour: Flavour) -> Self {
        let attempt = trace.attempt(ArmName::Retrieved).filter(|attempt| attempt.error.is_none());
        Self {
            trace,
            scores: answer_scores(trace, ArmName::Retrieved, flavour),
            text: attempt.map(|attempt| attempt.extracted.as_str()),
        }
    }

    fn value(&self, family: Family) -> Option<f64> {
        let question = &self.trace.question;
        let answerable = question.kind != Kind::Unanswerable;
        match family {
            Family::AnswerEm => self.scores.map(|scores| scores.em),
            Family::AnswerF1 => self.scores.map(|scores| scores.f1),
            Family::AnswerPrecision => self.scores.map(|scores| scores.precision),
            Family::AnswerRecall => self.scores.map(|scores| scores.recall),
            Family::AnswerEmHasAns => self.scores.filter(|_| answerable).map(|scores| scores.em),
            Family::AnswerF1HasAns => self.scores.filter(|_| answerable).map(|scores| scores.f1),
            Family::AnswerEmNoAns => self.scores.filter(|_| !answerable).map(|scores| scores.em),
            Family::AnswerF1NoAns => self.scores.filter(|_| !answerable).map(|scores| scores.f1),
            Family::AnswerContains if answerable => answer::contains(self.text?, &question.answers).map(indicator),
            Family::FactRecall => answer::stated(self.text?, &question.required),
            Family::ForbiddenFacts => answer::stated(self.text?, &question.forbidden),
            _ => None,
        }
    }
}

/// An arm's answer scores. `None` where the arm was not run or failed, or the question has no gold answers to compare
/// with. An unanswerable question's gold is the empty answer under `squad2` and undefined elsewhere.
#[must_use]
pub fn answer_scores(trace: &Trace, arm: ArmName, flavour: Flavour) -> Option<AnswerScores> {
    attempt_scores(&trace.question, trace.attempt(arm)?, flavour)
}

/// The same of one attempt.
#[must_use]
pub fn attempt_scores(question: &Question, attempt: &Attempt, flavour: Flavour) -> Option<AnswerScores> {
    if attempt.error.is_some() {
        return None;
    }
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
