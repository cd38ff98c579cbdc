//! The stages of a record, as the steps of a trace.
//!
//! What was packed is the stage `packed`; without one, the contexts that the recorded prompt contains (`in_prompt.rs`). A
//! record without answers has no prompt: there the first k of the last ranking count as packed. Otherwise the step `packed`
//! is missing.

use std::collections::HashSet;

use super::plan::RecordedPlan;
use crate::contexts::{KnownPlaces, Located, Places};
use crate::in_prompt::{self, InPrompt};
use ragtriage_core::types::{ChunkId, Hit, Passage, Question, Step, StepHit, TraceStep};
use ragtriage_data::run::external::recorded::{
    CONTEXTS, Recorded, RecordedHit, RecordedStage, StageRole,
};

/// The contexts of one question in the corpus.
#[derive(Default)]
pub(super) struct Delivered {
    pub steps: Vec<TraceStep>,
    /// Passages of the contexts, and of the beginnings of those that the prompt truncates; each id once.
    pub shown: Vec<Passage>,
    /// Passages of further conditions, parallel to the record's.
    pub conditions: Vec<Vec<Passage>>,
}

/// Converts the stages of one question.
pub(super) struct Rankings<'a> {
    places: &'a Places,
    plan: &'a RecordedPlan,
    question: &'a Question,
    known: &'a mut KnownPlaces,
}

/// A ranking with its contexts in the corpus.
struct Ranking<'r> {
    placed: Vec<Located<'r>>,
    hits: Vec<StepHit>,
}

impl<'a> Rankings<'a> {
    pub fn new(
        (places, plan): (&'a Places, &'a RecordedPlan),
        question: &'a Question,
        known: &'a mut KnownPlaces,
    ) -> Self {
        Self { places, plan, question, known }
    }

    /// Returns the steps; `seconds` is the time of the whole, for the first step if the record has no times.
    pub fn delivered(mut self, recorded: &Recorded, seconds: f64) -> Delivered {
        let rankings: Vec<(&RecordedStage, Ranking<'_>)> = recorded
            .stages
            .iter()
            .filter_map(|stage| Some((stage, self.ranking(stage.hits.as_ref()?))))
            .collect();
        let mut steps: Vec<TraceStep> = Vec::with_capacity(rankings.len() + 1);
        for (stage, ranking) in &rankings {
            if stage.role() != StageRole::Packed {
                steps.push(self.step(stage, ranking.hits.clone()));
            }
        }
        let (packed, cut) = self.packed(recorded, &rankings, &steps);
        steps.extend(packed);
        if recorded.stages.iter().all(|stage| stage.seconds.is_none())
            && let Some(first) = steps.first_mut()
        {
            first.seconds = seconds;
        }
        let conditions = recorded.conditions.iter();
        let conditions =
            conditions.map(|condition| only_passages(self.place(&condition.contexts))).collect();
        let of_rankings = rankings.into_iter().map(|(_, ranking)| ranking.placed);
        let mut seen = HashSet::new();
        let shown = of_rankings.flat_map(only_passages).chain(cut);
        let shown = shown.filter(|passage| seen.insert(passage.id.clone()));
        Delivered { steps, shown: shown.collect(), conditions }
    }

    fn place<'r>(&mut self, contexts: &'r [RecordedHit]) -> Vec<Located<'r>> {
        let places = &self.places;
        places.place_all(self.known, self.question, contexts)
    }

    fn ranking<'r>(&mut self, contexts: &'r [RecordedHit]) -> Ranking<'r> {
        let placed = self.place(contexts);
        let hits = self.hits(&placed);
        Ranking { placed, hits }
    }

    fn step(&mut self, stage: &RecordedStage, hits: Vec<StepHit>) -> TraceStep {
        let query = stage.query.as_ref();
        TraceStep {
            name: (stage.name != stage.step.name()).then(|| stage.name.clone()),
            query: query.filter(|query| query.trim() != self.question.text.trim()).cloned(),
            k: stage.k,
            ..TraceStep::new(stage.step, hits, stage.seconds.unwrap_or(0.0))
        }
    }

    /// Returns the step of what was packed, if that is known, and the passages of contexts that the prompt truncates.
    fn packed(
        &mut self,
        recorded: &Recorded,
        rankings: &[(&RecordedStage, Ranking<'_>)],
        steps: &[TraceStep],
    ) -> (Option<TraceStep>, Vec<Passage>) {
        let own = rankings.iter().find(|(other, _)| other.role() == StageRole::Packed);
        if let Some((stage, ranking)) = own {
            // Of those that the prompt truncates, the beginnings.
            let found = in_prompt(recorded, &ranking.placed);
            let cut = |at| found.iter().find(|held| held.context == at)?.cut;
            let (hits, cut) =
                self.taken(ranking, (0..ranking.placed.len()).map(|at| (at, cut(at))));
            return (Some(self.step(stage, hits)), cut);
        }
        let packed = |hits| TraceStep::new(Step::Packed, hits, 0.0);
        if recorded.prompt.is_some() {
            let offered = offered(rankings);
            let found = in_prompt(recorded, &offered.placed);
            if !found.is_empty() {
                self.places.note(
                    "[question whose `prompt` contains some of its|questions whose `prompt` contains some of their] contexts: the others were ranked, not packed",
                    usize::from(found.len() < offered.placed.len()),
                );
                let found = found.iter().map(|held| (held.context, held.cut));
                let (hits, cut) = self.taken(&offered, found);
                let k = recorded.packed().and_then(|stage| stage.k);
                return (Some(TraceStep { k, ..packed(hits) }), cut);
            }
        }
        let first = |k: usize| steps.last().map(|last| last.hits.iter().take(k).cloned().collect());
        if let Some(stage) = recorded.packed() {
            let hits = first(stage.k.unwrap_or(0)).unwrap_or_default();
            return (Some(self.step(stage, hits)), Vec::new());
        }
        if recorded.prompt.is_some() {
            let contexts = rankings.last().filter(|(stage, _)| stage.name == CONTEXTS);
            if let Some((_, ranking)) = contexts {
                self.places.note(
                    "[question whose `prompt` contains none of its|questions whose `prompt` contains none of their] contexts: all of these count as packed",
                    usize::from(!ranking.placed.is_empty()),
                );
                return (Some(packed(ranking.hits.clone())), Vec::new());
            }
            self.places.note(
                "[question whose `prompt` contains no passage of its|questions whose `prompt` contains no passage of their] stages: what was packed is not known",
                1,
            );
            return (None, Vec::new());
        }
        let retrievers = steps.iter().filter(|step| step.step.is_retriever()).count();
        let is_ordered = retrievers < 2 || retrievers < steps.len();
        if recorded.answer.is_none() && is_ordered {
            let k = self.plan.k;
            let step = first(k).map(|hits| TraceStep { k: Some(k), ..packed(hits) });
            return (step, Vec::new());
        }
        (None, Vec::new())
    }

    /// Returns the hits of some contexts, and the passages of those that are truncated to a text.
    fn taken<'t>(
        &mut self,
        ranking: &Ranking<'_>,
        contexts: impl Iterator<Item = (usize, Option<&'t str>)>,
    ) -> (Vec<StepHit>, Vec<Passage>) {
        let mut first_hit = 0;
        let mut of_context: Vec<&[StepHit]> = Vec::with_capacity(ranking.placed.len());
        for (_, passages) in &ranking.placed {
            let end = first_hit + passages.len();
            of_context.push(&ranking.hits[first_hit..end]);
            first_hit = end;
        }
        let (mut packed, mut cut): (Vec<StepHit>, Vec<Passage>) = (Vec::new(), Vec::new());
        for (context, text) in contexts {
            let hits = of_context[context];
            let (Some(text), Some(first)) = (text, hits.first()) else {
                packed.extend_from_slice(hits);
                continue;
            };
            let places = &self.places;
            places.note("[context|contexts] that `prompt` truncates: packed up to there", 1);
            for passage in self.truncated(&ranking.placed[context], text) {
                packed.push(StepHit { id: passage.id.clone(), ..first.clone() });
                cut.push(passage);
            }
        }
        let mut seen = HashSet::new();
        packed.retain(|hit| seen.insert(hit.id.clone()));
        (packed, cut)
    }

    /// Returns the passages of the beginning of a context.
    fn truncated(&mut self, (context, passages): &Located<'_>, text: &str) -> Vec<Passage> {
        let beginning = RecordedHit {
            text: Some(text.to_owned()),
            doc_id: passages.first().map(|passage| passage.doc.to_string()),
            title: context.title.clone(),
            score: context.score,
            ..RecordedHit::default()
        };
        only_passages(self.place(&[beginning]))
    }

    /// Returns a ranking's hits, in the order of the contexts. Their scores are used if they imply that order;
    /// otherwise a hit scores 1 / rank and its recorded score is one of its parts.
    fn hits(&self, shown: &[Located<'_>]) -> Vec<StepHit> {
        let scored: Vec<(&ChunkId, &RecordedHit)> = shown
            .iter()
            .flat_map(|(context, passages)| passages.iter().map(|passage| (&passage.id, *context)))
            .collect();
        let finite = |hit: &RecordedHit| hit.score.filter(|score| score.is_finite());
        let given: Option<Vec<Hit<&ChunkId>>> =
            scored.iter().map(|(id, hit)| Some(Hit { id: *id, score: finite(hit)? })).collect();
        let in_order =
            given.as_ref().is_some_and(|hits| hits.is_sorted_by(|a, b| a.order(b).is_lt()));
        // Of tied scores the order counts too, which is no news.
        let falls = |hits: &Vec<Hit<&ChunkId>>| hits.is_sorted_by(|a, b| a.score >= b.score);
        let is_odd = !given.as_ref().is_some_and(falls);
        if is_odd && scored.iter().any(|(_, hit)| hit.score.is_some()) {
            self.places.note(
                "[ranking whose scores contradict the order of its|rankings whose scores contradict the order of their] contexts: the order is used, with the score 1 / rank",
                1,
            );
        }
        scored
            .into_iter()
            .enumerate()
            .map(|(at, (id, hit)): (usize, (&ChunkId, &RecordedHit))| {
                let rank = 1.0 / (at + 1) as f64;
                let score = finite(hit);
                let mut parts = hit.parts.clone();
                if let Some(score) = score.filter(|_| !in_order) {
                    parts.insert("given".to_owned(), score);
                }
                StepHit { id: id.clone(), score: score.filter(|_| in_order).unwrap_or(rank), parts }
            })
            .collect()
    }
}

/// Returns the contexts that the recorded prompt contains.
fn in_prompt<'c>(recorded: &Recorded, placed: &'c [Located<'_>]) -> Vec<InPrompt<'c>> {
    let prompt = recorded.prompt.as_deref();
    prompt.map_or(Vec::new(), |prompt| in_prompt::find(prompt, placed))
}

/// Returns the ranking that the prompt selects from: the last reordering, else the candidates of all retrievers.
fn offered<'r>(rankings: &[(&RecordedStage, Ranking<'r>)]) -> Ranking<'r> {
    let last = rankings.iter().rev().find(|(stage, _)| stage.role() == StageRole::Ranking);
    let all = rankings.iter().filter(|(stage, _)| match last {
        Some((last, _)) => std::ptr::eq(*last, *stage),
        None => true,
    });
    let mut seen = HashSet::new();
    let (mut placed, mut hits) = (Vec::new(), Vec::new());
    for (_, ranking) in all {
        let mut ranked = ranking.hits.iter();
        for (context, passages) in &ranking.placed {
            let mut new = Vec::new();
            for (passage, hit) in passages.iter().zip(ranked.by_ref()) {
                if seen.insert(passage.id.clone()) {
                    new.push(passage.clone());
                    hits.push(hit.clone());
                }
            }
            placed.push((*context, new));
        }
    }
    Ranking { placed, hits }
}

pub(super) fn only_passages(placed: Vec<Located<'_>>) -> Vec<Passage> {
    placed.into_iter().flat_map(|(_, passages)| passages).collect()
}
