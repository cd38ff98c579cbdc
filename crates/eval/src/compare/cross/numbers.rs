//! Results of a crossed comparison, from its replies.

use std::collections::HashMap;

use super::crossing::{Crossed, CrossedAnswer, CrossedPair, Crossing, repeats};
use super::effects::{self, CellScores, DIFFERENCE, GENERATOR, INTERACTION, RETRIEVAL};
use super::noise::{self, Noise, NoiseSource};
use super::prompts::CallReplies;
use super::{Cross, verdict};
use crate::arms::ArmUse;
use crate::compare::CompareError;
use crate::summary::EvaluationPlan;
use ragtriage_core::attribute::judge::judge_attempt;
use ragtriage_core::rightness::{Correctness, Judge};
use ragtriage_core::types::{Attempt, QuestionId, Trace};

/// The maximum share of failed crossed calls.
const MOST_FAILED: f64 = 0.05;

impl Crossing<'_> {
    /// Computes the results.
    ///
    /// # Errors
    /// `CallsFailed` if more than 5% of the crossed calls failed; `NoGold` if no answer can be judged.
    pub fn numbers(&self, crossed: &Crossed, plan: &EvaluationPlan) -> Result<Cross, CompareError> {
        let attempts = crossed.calls.iter().flat_map(|replies| &replies.attempts);
        let n_calls = attempts.clone().count();
        let n_failed = attempts.filter(|attempt| attempt.is_none()).count();
        if n_failed as f64 > MOST_FAILED * n_calls as f64 {
            let last = crossed
                .calls
                .iter()
                .find_map(|replies| replies.failure.clone())
                .unwrap_or_default();
            return Err(CompareError::CallsFailed { n_failed, n_calls, last });
        }
        let n_judged = self
            .rows
            .iter()
            .filter(|row: &&CrossedPair<'_>| {
                correctness(row.traces[0], row.own[0], plan.judge).is_some()
            })
            .count();
        let rows: Vec<CellScores<'_>> =
            self.rows.iter().filter_map(|row| row.cells(crossed, plan.judge)).collect();
        if rows.is_empty() {
            return Err(CompareError::NoGold);
        }
        let noise: Vec<Option<Noise>> =
            self.generators().map(|at| self.noise(at, &crossed.again[at], plan.judge)).collect();
        let variances = [0, 1].map(|at| {
            let noise = noise.get(at).or(noise.first())?;
            Some(noise.as_ref()?.variance)
        });
        let [difference, retrieval, generator, interaction] =
            [DIFFERENCE, RETRIEVAL, GENERATOR, INTERACTION]
                .map(|weights| effects::effect(&rows, weights, variances, plan));
        let [aa, ba, ab, bb] = [0, 1, 2, 3]
            .map(|cell| rows.iter().map(|row| row.scores[cell]).sum::<f64>() / rows.len() as f64);
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
            cells: [[aa, ab], [ba, bb]],
            difference,
            retrieval,
            generator,
            interaction,
            noise,
            verdict: String::new(),
        };
        cross.verdict = verdict::sentence(&cross);
        Ok(cross)
    }

    fn noise(&self, at: usize, again: &CallReplies, judge: Judge) -> Option<Noise> {
        if self.again[at].is_empty() {
            let traces =
                self.runs_of(at).flat_map(|run| self.rows.iter().map(move |row| row.traces[run]));
            let all: Vec<_> = traces.map(|trace| judged(trace, &repeats(trace), judge)).collect();
            return noise::noise(NoiseSource::Recorded, &all);
        }
        let own: HashMap<&QuestionId, &Attempt> =
            self.rows.iter().map(|row| (&row.traces[at].question.id, row.own[at])).collect();
        let asked = self.again[at].iter().zip(&again.attempts);
        let all: Vec<_> = asked
            .filter_map(|((trace, _), reply)| {
                let pair = [*own.get(&trace.question.id)?, reply.as_ref()?];
                Some(judged(trace, &pair, judge))
            })
            .collect();
        noise::noise(NoiseSource::AskedAgain, &all)
    }
}

impl CrossedPair<'_> {
    /// Returns the question's cells; `None` without gold answers, or if a call failed.
    fn cells<'b>(&'b self, crossed: &'b Crossed, judge: Judge) -> Option<CellScores<'b>> {
        let [ba, ab] = [0, 1].map(|generator| match self.crossed[generator] {
            CrossedAnswer::Recorded(attempt) => Some(attempt),
            CrossedAnswer::Call(at) => crossed.calls[generator].attempts.get(at)?.as_ref(),
        });
        let replies = [self.own[0], ba?, ab?, self.own[1]];
        let scores = replies
            .map(|attempt| correctness(self.traces[0], attempt, judge).map(Correctness::score));
        let [Some(aa), Some(ba), Some(ab), Some(bb)] = scores else {
            return None;
        };
        Some(CellScores { scores: [aa, ba, ab, bb], replies, cluster: self.cluster })
    }
}

/// Returns the verdict on each attempt that can be judged.
fn judged(trace: &Trace, attempts: &[&Attempt], judge: Judge) -> Vec<Correctness> {
    let attempts = attempts.iter();
    attempts.filter_map(|attempt| correctness(trace, attempt, judge)).collect()
}

/// Judges an answer by the gold answers of `trace`, including unanswerable questions.
fn correctness(trace: &Trace, attempt: &Attempt, judge: Judge) -> Option<Correctness> {
    judge_attempt(&trace.question, attempt, judge).map(|judgment| judgment.correctness)
}

fn asked(crossed: &Crossed) -> ArmUse {
    let mut used = ArmUse::default();
    let replies = crossed.calls.iter().chain(&crossed.again).flat_map(|replies| &replies.attempts);
    for attempt in replies {
        match attempt {
            Some(attempt) => used.add(attempt),
            None => used.failed += 1,
        }
    }
    used
}
