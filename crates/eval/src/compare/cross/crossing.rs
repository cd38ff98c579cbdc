//! Prompts of a crossed comparison, and the recorded replies to them.

use std::sync::Arc;

use super::prompts::{Call, CallReplies, PromptMaker, shown};
use crate::compare::CompareError;
use crate::compare::pairs::Pairs;
use ragtriage_core::prompt::PromptPassage;
use ragtriage_core::sample;
use ragtriage_core::types::{ArmName, Attempt, Question, QuestionId, Trace};
use ragtriage_runs::SavedRun;

/// Number of prompts of each run rebuilt to check that they equal the recorded ones.
const CHECKED: usize = 20;
/// Makes the noise sample independent of others drawn by the same rule.
const STREAM: u64 = 0x6e6f_6973_655f_3031;

/// One run of a crossed comparison.
pub struct CrossedRun<'a> {
    /// Its files.
    pub run: &'a SavedRun,
    /// Builds the prompts for its generator.
    pub prompts: Arc<PromptMaker>,
    /// True if its prompts showed titles.
    pub titles: bool,
}

/// A crossed comparison to run.
pub struct Crossing<'a> {
    sides: [CrossedRun<'a>; 2],
    pub(super) same_generator: bool,
    pub(super) rows: Vec<CrossedPair<'a>>,
    pub(super) same_passages: usize,
    calls: [Vec<Call>; 2],
    pub(super) again: [Vec<(&'a Trace, Call)>; 2],
}

/// Results of all calls.
#[derive(Clone, Debug, Default)]
pub struct Crossed {
    /// Results of [`Crossing::calls`].
    pub calls: [CallReplies; 2],
    /// Results of [`Crossing::again`].
    pub again: [CallReplies; 2],
}

/// One pair of traces, with the sources of the answers of its two crossed cells.
pub(super) struct CrossedPair<'a> {
    pub traces: [&'a Trace; 2],
    pub own: [&'a Attempt; 2],
    /// By generator: its answer to the other run's passages.
    pub crossed: [CrossedAnswer<'a>; 2],
    pub cluster: usize,
}

#[derive(Clone, Copy)]
pub(super) enum CrossedAnswer<'a> {
    /// A recorded answer.
    Recorded(&'a Attempt),
    /// Its index among the calls to its generator.
    Call(usize),
}

impl<'a> Crossing<'a> {
    /// Collects the calls to make: the two crossed cells of every pair with answers, and for each generator without recorded
    /// repeats a seeded sample of `noise_sample` of that generator's prompts.
    ///
    /// # Errors
    /// `NoAnswers`; `OtherPrompts` if a run's prompts cannot be reproduced exactly.
    pub fn new(
        sides: [CrossedRun<'a>; 2],
        pairs: &Pairs<'a>,
        noise_sample: usize,
        seed: u64,
    ) -> Result<Self, CompareError> {
        let same_generator = sides[0].prompts.is_like(&sides[1].prompts);
        let mut crossing = Self {
            sides,
            same_generator,
            rows: Vec::new(),
            same_passages: 0,
            calls: [vec![], vec![]],
            again: [vec![], vec![]],
        };
        for ((a, b), cluster) in pairs.list.iter().zip(&pairs.pairing.cluster_of) {
            crossing.add([a.trace, b.trace], *cluster)?;
        }
        if crossing.rows.is_empty() {
            let [a, b] = &crossing.sides;
            let lacking = if has_answers(a.run) { b } else { a };
            return Err(CompareError::NoAnswers { run: lacking.run.manifest.name.clone() });
        }
        crossing.sample(noise_sample, seed);
        Ok(crossing)
    }

    /// Returns the calls to each run's generator.
    #[must_use]
    pub fn calls(&self) -> &[Vec<Call>; 2] {
        &self.calls
    }

    /// Returns the calls to repeat, by generator; their replies must not come from a cache.
    #[must_use]
    pub fn again(&self) -> [Vec<Call>; 2] {
        self.again.each_ref().map(|calls| calls.iter().map(|(_, call)| call.clone()).collect())
    }

    fn add(&mut self, traces: [&'a Trace; 2], cluster: usize) -> Result<(), CompareError> {
        let answered = traces.map(|trace| {
            trace.attempt(ArmName::Retrieved).filter(|attempt| attempt.error.is_none())
        });
        let [Some(a), Some(b)] = answered else {
            return Ok(());
        };
        let own = [a, b];
        let shown = [0, 1].map(|at| self.shown(at, own[at]));
        self.same_passages += usize::from(shown[0] == shown[1]);
        if self.rows.len() < CHECKED {
            for at in [0, 1] {
                self.check(at, &traces[at].question, own[at], &shown[at])?;
            }
        }
        let crossed = [0, 1].map(|generator| {
            let passages = 1 - generator;
            if let Some(recorded) = self.recorded(generator, traces[generator], &shown[passages]) {
                return CrossedAnswer::Recorded(recorded);
            }
            if self.same_generator {
                return CrossedAnswer::Recorded(own[passages]);
            }
            let prompt =
                self.sides[generator].prompts.prompt(&traces[0].question, shown[passages].clone());
            self.calls[generator].push(Call { chunks: own[passages].passages.clone(), prompt });
            CrossedAnswer::Call(self.calls[generator].len() - 1)
        });
        self.rows.push(CrossedPair { traces, own, crossed, cluster });
        Ok(())
    }

    fn shown(&self, at: usize, attempt: &Attempt) -> Vec<PromptPassage> {
        let side = &self.sides[at];
        shown(side.run, &attempt.passages, side.titles)
    }

    /// Returns the recorded answer of a run's generator to equal passages, in any arm.
    fn recorded(
        &self,
        at: usize,
        trace: &'a Trace,
        wanted: &[PromptPassage],
    ) -> Option<&'a Attempt> {
        let mut attempts = trace
            .arms
            .iter()
            .flat_map(|arm| &arm.attempts)
            .filter(|attempt| attempt.error.is_none());
        attempts.find(|attempt| {
            attempt.passages.len() == wanted.len() && self.shown(at, attempt) == wanted
        })
    }

    /// Rejects a run whose prompts are now built differently: its template has changed.
    fn check(
        &self,
        at: usize,
        question: &Question,
        attempt: &Attempt,
        shown: &[PromptPassage],
    ) -> Result<(), CompareError> {
        let side = &self.sides[at];
        let now = side.prompts.tokens(&side.prompts.prompt(question, shown.to_vec()));
        let then = attempt.tokens.prompt;
        if now == then {
            return Ok(());
        }
        let (run, id) = (side.run.manifest.name.clone(), question.id.clone());
        Err(CompareError::OtherPrompts { run, id, then, now })
    }

    /// Samples the prompts of each generator without recorded repeats.
    fn sample(&mut self, n: usize, seed: u64) {
        for at in self.generators() {
            if self
                .runs_of(at)
                .any(|run| self.rows.iter().any(|row| repeats(row.traces[run]).len() > 1))
            {
                continue;
            }
            let ids: Vec<QuestionId> =
                self.rows.iter().map(|row| row.traces[at].question.id.clone()).collect();
            let drawn = sample::sampled(&ids, n, seed ^ STREAM);
            let rows = self.rows.iter().filter(|row| drawn.contains(&row.traces[at].question.id));
            let again = rows.map(|row| {
                let (trace, own) = (row.traces[at], row.own[at]);
                let prompts = &self.sides[at].prompts;
                let call = Call {
                    chunks: own.passages.clone(),
                    prompt: prompts.prompt(&trace.question, self.shown(at, own)),
                };
                (trace, call)
            });
            self.again[at] = again.collect();
        }
    }

    /// Returns the indexes of the runs whose generators differ.
    pub(super) fn generators(&self) -> std::ops::Range<usize> {
        0..if self.same_generator { 1 } else { 2 }
    }

    /// Returns the indexes of the runs that have generator `at`.
    pub(super) fn runs_of(&self, at: usize) -> std::ops::Range<usize> {
        if self.same_generator { 0..2 } else { at..at + 1 }
    }
}

impl CrossedAnswer<'_> {
    pub fn is_recorded(&self) -> bool {
        matches!(self, Self::Recorded(_))
    }
}

/// Returns every successful answer to a run's prompt.
pub(super) fn repeats(trace: &Trace) -> Vec<&Attempt> {
    let arm = trace.arms.iter().find(|arm| arm.arm == ArmName::Retrieved);
    arm.into_iter()
        .flat_map(|arm| &arm.attempts)
        .filter(|attempt| attempt.error.is_none())
        .collect()
}

fn has_answers(run: &SavedRun) -> bool {
    run.traces.iter().any(|trace| trace.attempt(ArmName::Retrieved).is_some())
}
