//! Sums the calls of questions, and bounds their cost.

use std::collections::HashSet;

use crate::plan::ArmPlan;
use ragtriage_core::config::Price;
use ragtriage_core::types::{ArmCalls, ArmName, Attempt, ChunkId, Estimate, Origin, Stance, Trace};

/// The calls of one question.
#[derive(Debug, Default)]
pub(super) struct QuestionCalls {
    /// True if its retrieval failed, so that no call is made.
    pub failed: bool,
    /// By arm.
    pub arms: Vec<ArmCalls>,
    /// Passages in the prompts of calls.
    pub passages: Vec<ChunkId>,
}

impl QuestionCalls {
    /// Counts the calls of a dry run's trace.
    pub(super) fn of(trace: &Trace) -> Self {
        let mut counted = Self { failed: trace.failed(), ..Self::default() };
        for arm in &trace.arms {
            let mut calls = ArmCalls { questions: 1, ..ArmCalls::of(arm.arm) };
            for attempt in arm.attempts.iter().filter(|attempt| !is_recorded(attempt)) {
                match attempt.origin {
                    Origin::SamePrompt => calls.same_prompt += 1,
                    Origin::Cached => calls.cached += 1,
                    Origin::Called => {
                        calls.calls += 1;
                        calls.prompt_tokens += attempt.tokens.prompt;
                        counted.passages.extend(attempt.passages.iter().cloned());
                    }
                }
            }
            if !arm.attempts.iter().all(is_recorded) {
                counted.arms.push(calls);
            }
        }
        if let Some(probe) = &trace.probe {
            counted.arms.push(ArmCalls {
                questions: 1,
                calls: 1,
                prompt_tokens: probe.attempt.tokens.prompt,
                ..ArmCalls::of(ArmName::Oracle)
            });
        }
        counted
    }
}

/// Returns true for the reply of an external RAG: a dry run makes no call and has no replies of its own.
fn is_recorded(attempt: &Attempt) -> bool {
    attempt.origin != Origin::SamePrompt && attempt.stance != Stance::Unreadable
}

/// The questions so far.
#[derive(Default)]
pub(super) struct CallTally {
    estimate: Estimate,
    price: Price,
    passages: HashSet<ChunkId>,
}

impl CallTally {
    /// Creates a tally for a plan with `arms`, whose calls cost `price`.
    pub(super) fn new(arms: &ArmPlan, price: Price) -> Self {
        let arms = arms.names.iter().map(|arm| ArmCalls::of(*arm)).collect();
        Self { estimate: Estimate { arms, ..Estimate::default() }, price, ..Self::default() }
    }

    /// Sets the number of chunks in the corpus.
    pub(super) fn set_chunks(&mut self, n_chunks: usize) {
        self.estimate.chunks = n_chunks;
    }

    pub(super) fn add(&mut self, asked: QuestionCalls) {
        let estimate = &mut self.estimate;
        estimate.questions += 1;
        estimate.failed += usize::from(asked.failed);
        for calls in &asked.arms {
            if let Some(sum) = estimate.arms.iter_mut().find(|sum| sum.arm == calls.arm) {
                sum.add(calls);
            }
        }
        let calls: u64 = asked.arms.iter().map(|arm| arm.calls).sum();
        let tokens: u64 = asked.arms.iter().map(|arm| arm.prompt_tokens).sum();
        estimate.calls += calls;
        estimate.prompt_tokens += tokens;
        estimate.questions_called += usize::from(calls > 0);
        self.passages.extend(asked.passages);
    }

    /// Returns the sums, with `probes` more calls over the passages of the oracle (at most as many as it has questions), and the
    /// cost if each answer has `most_completion_tokens`.
    pub(super) fn estimate(self, most_completion_tokens: u64, probes: u64) -> Estimate {
        let Self { mut estimate, price, passages } = self;
        add_probes(&mut estimate, probes);
        estimate.passages_called = passages.len();
        let most = estimate.calls.saturating_mul(most_completion_tokens);
        estimate.most_completion_tokens = most;
        estimate.most_cost_usd = price.of(estimate.prompt_tokens, most);
        estimate
    }
}

/// Adds calls over the passages of the oracle, of their mean length.
fn add_probes(estimate: &mut Estimate, probes: u64) {
    let mut arms = estimate.arms.iter_mut();
    let Some(oracle) = arms.find(|arm| arm.arm == ArmName::Oracle && arm.calls > 0) else {
        return;
    };
    let n = probes.min(oracle.questions);
    let tokens = n * (oracle.prompt_tokens / oracle.calls);
    oracle.questions += n;
    oracle.calls += n;
    oracle.prompt_tokens += tokens;
    estimate.calls += n;
    estimate.prompt_tokens += tokens;
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::config::NoisePosition;

    /// A question with one call of 1,000 prompt tokens over these passages, and a cached response.
    fn asked(passages: &[&str]) -> QuestionCalls {
        let retrieved = ArmCalls {
            questions: 1,
            calls: 1,
            prompt_tokens: 1000,
            ..ArmCalls::of(ArmName::Retrieved)
        };
        let oracle = ArmCalls { questions: 1, cached: 1, ..ArmCalls::of(ArmName::Oracle) };
        let passages = passages.iter().map(|id| ChunkId::from(*id)).collect();
        QuestionCalls { failed: false, arms: vec![retrieved, oracle], passages }
    }

    #[test]
    fn calls_are_bounded_and_passages_count_once() {
        let names = vec![ArmName::Retrieved, ArmName::Oracle];
        let plan = ArmPlan {
            names,
            repeat: 1,
            closed_book_sample: 0,
            seed: 0,
            noise_position: NoisePosition::default(),
        };
        let mut tally = CallTally::new(&plan, Price { prompt: 10.0, completion: 100.0 });
        tally.set_chunks(9);
        tally.add(asked(&["a#0", "b#0"]));
        tally.add(asked(&["b#0", "c#0"]));
        let estimate = tally.estimate(200, 0);
        assert_eq!(
            (estimate.questions, estimate.calls, estimate.passages_called, estimate.chunks),
            (2, 2, 3, 9)
        );
        assert_eq!(estimate.arms[0].calls + estimate.arms[1].cached, 4);
        assert_eq!(estimate.most_completion_tokens, 2 * 200);
        // 2,000 * $10 / 1e6 = $0.02; + 400 * $100 / 1e6 = $0.04.
        assert!((estimate.most_cost_usd - 0.06).abs() < 1e-12);
    }
}
