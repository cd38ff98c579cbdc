//! The replies of a crossing to its numbers.

use std::collections::HashMap;

use super::crossing::{Crossed, CrossedAnswer, CrossedPair, Crossing, repeats};
use super::effects::{self, CellScores, DIFFERENCE, Effect, GENERATOR, INTERACTION, RETRIEVAL};
use super::noise::{self, Noise, NoiseSource};
use super::prompts::{Call, CallReplies};
use super::{Cross, verdict};
use crate::arms::ArmUse;
use crate::compare::CompareError;
use crate::summary::EvaluationPlan;
use crate::{diagnose, score};
use ragtriage_core::attribute::judge::Judge;
use ragtriage_core::measure::answer;
use ragtriage_core::types::{Attempt, QuestionId, Trace};

/// The share of crossed calls that may fail.
const MOST_FAILED: f64 = 0.05;

impl Crossing<'_> {
    /// The numbers.
    ///
    /// # Errors
    /// `CallsFailed` where more than 5 % of the crossed calls did; `NoGold` where no answer can be judged.
    pub fn numbers(&self, crossed: &Crossed, plan: &EvaluationPlan) -> Result<Cross, CompareError> {
        let attempts = || crossed.calls.iter().flat_map(|replies| &replies.attempts);
        let (n_calls, n_failed) = (
            attempts().count(),
            attempts().filter(|attempt| attempt.is_none()).count(),
        );
        if n_failed as f64 > MOST_FAILED * n_calls as f64 {
            let last = crossed
                .calls
                .iter()
                .find_map(|replies| replies.failure.clone())
                .unwrap_or_default();
            return Err(CompareError::CallsFailed {
                n_failed,
                n_calls,
                last,
            });
        }
        let n_judged = self
            .rows
            .iter()
            .filter(|row: &&CrossedPair<'_>| value(row.traces[0], row.own[0], plan.judge).is_some())
            .count();
        let rows: Vec<CellScores<'_>> = self
            .rows
            .iter()
            .filter_map(|row| row.cells(crossed, plan.judge))
            .collect();
        if rows.is_empty() {
            return Err(CompareError::NoGold);
        }
        let noise: Vec<Option<Noise>> = self
            .generators()
            .map(|at| self.noise(at, &crossed.again[at], plan.judge))
            .collect();
        let variance = |at: usize| {
            noise
                .get(at)
                .or(noise.first())
                .and_then(|noise| Some(noise.as_ref()?.variance))
        };
        let effect = |weights| -> Effect {
            effects::effect(&rows, weights, [variance(0), variance(1)], plan)
        };
        let mean =
            |cell: usize| rows.iter().map(|row| row.scores[cell]).sum::<f64>() / rows.len() as f64;
        let mut cross = Cross {
            n: rows.len(),
            failed: n_judged - rows.len(),
            asked: asked(crossed),
            recorded: self
                .rows
                .iter()
                .flat_map(|row| row.crossed)
                .filter(CrossedAnswer::is_recorded)
                .count(),
            same_generator: self.same_generator,
            same_passages: self.same_passages,
            cells: [[mean(0), mean(2)], [mean(1), mean(3)]],
            difference: effect(DIFFERENCE),
            retrieval: effect(RETRIEVAL),
            generator: effect(GENERATOR),
            interaction: effect(INTERACTION),
            noise,
            verdict: String::new(),
        };
        cross.verdict = verdict::sentence(&cross);
        Ok(cross)
    }

    fn noise(&self, at: usize, again: &CallReplies, judge: Judge) -> Option<Noise> {
        let judged = |trace: &Trace, attempts: &[&Attempt]| -> Vec<(f64, bool)> {
            attempts
                .iter()
                .filter_map(|attempt| {
                    Some((
                        value(trace, attempt, judge)?,
                        is_right(trace, attempt, judge),
                    ))
                })
                .collect()
        };
        if self.again[at].is_empty() {
            let traces = self
                .runs_of(at)
                .flat_map(|run| self.rows.iter().map(move |row| row.traces[run]));
            let all: Vec<_> = traces.map(|trace| judged(trace, &repeats(trace))).collect();
            return noise::noise(NoiseSource::Recorded, &all);
        }
        let own: HashMap<&QuestionId, &Attempt> = self
            .rows
            .iter()
            .map(|row| (&row.traces[at].question.id, row.own[at]))
            .collect();
        let pair = |((trace, _), reply): (&(&Trace, Call), &Option<Attempt>)| {
            Some(judged(
                trace,
                &[*own.get(&trace.question.id)?, reply.as_ref()?],
            ))
        };
        let all: Vec<_> = self.again[at]
            .iter()
            .zip(&again.attempts)
            .filter_map(pair)
            .collect();
        noise::noise(NoiseSource::AskedAgain, &all)
    }
}

impl CrossedPair<'_> {
    /// The question's cells; `None` where there is nothing to judge by, or a call failed.
    fn cells<'b>(&'b self, crossed: &'b Crossed, judge: Judge) -> Option<CellScores<'b>> {
        let reply = |generator: usize| match self.crossed[generator] {
            CrossedAnswer::Recorded(attempt) => Some(attempt),
            CrossedAnswer::Call(at) => crossed.calls[generator].attempts.get(at)?.as_ref(),
        };
        let replies = [self.own[0], reply(0)?, reply(1)?, self.own[1]];
        let scores = replies.map(|attempt| value(self.traces[0], attempt, judge));
        let [Some(aa), Some(ba), Some(ab), Some(bb)] = scores else {
            return None;
        };
        Some(CellScores {
            scores: [aa, ba, ab, bb],
            replies,
            cluster: self.cluster,
        })
    }
}

/// An answer's score by the golds of `trace`: by facts 1 or 0, else `AnswerF1`, also of what is unanswerable where the scorer
/// scores that.
fn value(trace: &Trace, attempt: &Attempt, judge: Judge) -> Option<f64> {
    diagnose::attempt_quality(trace, attempt, judge).or_else(|| {
        score::attempt_scores(&trace.question, attempt, judge.scorer).map(|scores| scores.f1)
    })
}

fn is_right(trace: &Trace, attempt: &Attempt, judge: Judge) -> bool {
    let right = answer::is_right(
        &trace.question,
        &attempt.extracted,
        attempt.stance,
        judge.scorer,
        judge.correct_f1,
    );
    right.unwrap_or(false)
}

fn asked(crossed: &Crossed) -> ArmUse {
    let mut used = ArmUse::default();
    let replies = crossed
        .calls
        .iter()
        .chain(&crossed.again)
        .flat_map(|replies| &replies.attempts);
    for attempt in replies {
        match attempt {
            Some(attempt) => used.add(attempt),
            None => used.failed += 1,
        }
    }
    used
}
