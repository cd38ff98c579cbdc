//! One question's way, as the page tells it when it is opened.

use std::collections::{BTreeMap, BTreeSet};

use super::index::rounded;
use super::marks::{Marker, Searchables};
use super::passages::{self, PassageTable, golden, held, shown};
use super::{ArmShown, AttemptShown, Detail, GoldBelow, GoldPlace, HitShown, Marks, StepShown};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::types::{Arm, Attempt, ChunkId, Gold, GoldMember, Question, Trace, TraceStep};

/// What all questions of one run share.
pub(super) struct Context<'a> {
    pub run: usize,
    pub depth: usize,
    pub passages: &'a PassageTable<'a>,
    pub searchables: &'a Searchables,
}

impl Context<'_> {
    pub fn detail(&self, trace: &Trace, outcome: &Outcome) -> Detail {
        let Question {
            answers,
            required,
            forbidden,
            ..
        } = &trace.question;
        let Gold {
            documents,
            chunks,
            groups,
        } = &trace.gold;
        let gold = golden(trace);
        let arms: Vec<ArmShown> = trace.arms.iter().map(|arm| self.arm(arm)).collect();
        let stages: Vec<StepShown> = trace
            .steps
            .iter()
            .map(|step| self.step(step, &gold))
            .collect();
        let places: Vec<Vec<GoldPlace>> = groups
            .iter()
            .map(|group| group.iter().map(|member| self.place(member)).collect())
            .collect();
        Detail {
            reason: outcome.reason.clone(),
            answers: answers.clone(),
            required: required.clone(),
            forbidden: forbidden.clone(),
            documents: *documents,
            chunks: *chunks,
            marks: self.marks(trace, &stages, &places, &arms),
            gold: places,
            stages,
            arms,
        }
    }

    fn numbers<'i>(&self, ids: impl IntoIterator<Item = &'i ChunkId>) -> Vec<usize> {
        ids.into_iter()
            .filter_map(|id| self.passages.number(self.run, id))
            .collect()
    }

    fn place(&self, member: &GoldMember) -> GoldPlace {
        let GoldMember {
            doc,
            present,
            needed,
            chunks,
            ..
        } = member;
        GoldPlace {
            doc: doc.clone(),
            present: *present,
            ranges: needed
                .iter()
                .map(|range| [range.start, range.end])
                .collect(),
            n_passages: chunks.len(),
            passages: self.numbers(held(member)),
        }
    }

    fn step(&self, ranked: &TraceStep, gold: &BTreeSet<&ChunkId>) -> StepShown {
        let TraceStep {
            step,
            hits,
            support,
            exact: _,
            seconds,
        } = ranked;
        let hit = |hit: &ragtriage_core::types::StepHit| {
            let parts = hit
                .parts
                .iter()
                .map(|(part, value)| (part.clone(), rounded(*value, 5)));
            let passage = self.passages.number(self.run, &hit.id)?;
            let is_gold = gold.contains(&hit.id);
            Some(HitShown {
                passage,
                is_gold,
                score: rounded(hit.score, 6),
                parts: parts.collect(),
            })
        };
        let below = passages::gold_below(ranked, gold, self.depth).into_iter();
        StepShown {
            stage: *step,
            n_hits: hits.len(),
            seconds: rounded(*seconds, 3),
            support: *support,
            hits: shown(ranked, self.depth).iter().filter_map(hit).collect(),
            gold_below: below
                .filter_map(|(rank, id)| {
                    Some(GoldBelow {
                        rank,
                        passage: self.passages.number(self.run, id)?,
                    })
                })
                .collect(),
        }
    }

    fn arm(&self, arm: &Arm) -> ArmShown {
        let attempts = arm.attempts.iter().map(|attempt| {
            let Attempt {
                passages,
                raw,
                extracted,
                stance,
                finish,
                origin,
                tokens,
                cost_usd,
                seconds,
                error,
            } = attempt;
            AttemptShown {
                passages: self.numbers(passages),
                raw: raw.clone(),
                extracted: extracted.clone(),
                stance: *stance,
                finish: *finish,
                origin: *origin,
                tokens: *tokens,
                cost_usd: *cost_usd,
                seconds: rounded(*seconds, 3),
                error: error.as_ref().map(|error| error.message.clone()),
            }
        });
        ArmShown {
            arm: arm.arm,
            attempts: attempts.collect(),
        }
    }

    fn marks(
        &self,
        trace: &Trace,
        stages: &[StepShown],
        gold: &[Vec<GoldPlace>],
        arms: &[ArmShown],
    ) -> BTreeMap<usize, Marks> {
        let hits = stages
            .iter()
            .flat_map(|stage| stage.hits.iter().map(|hit| hit.passage));
        let below = stages
            .iter()
            .flat_map(|stage| stage.gold_below.iter().map(|below| below.passage));
        let places = gold
            .iter()
            .flatten()
            .flat_map(|place| place.passages.iter().copied());
        let asked = arms
            .iter()
            .flat_map(|arm| &arm.attempts)
            .flat_map(|attempt| attempt.passages.iter().copied());
        let named: BTreeSet<usize> = hits.chain(below).chain(places).chain(asked).collect();
        let marker = Marker::new(trace);
        let marked = |number: usize| {
            Some((
                number,
                marker.marks(number, self.passages.list()[number], self.searchables)?,
            ))
        };
        named.into_iter().filter_map(marked).collect()
    }
}
