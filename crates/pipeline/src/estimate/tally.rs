//! Sums the calls of questions, and bounds their cost.

use std::collections::HashSet;

use crate::plan::ArmPlan;
use ragtriage_core::config::Price;
use ragtriage_core::types::{
    ArmCalls, ArmName, Attempt, ChunkId, Estimate, Forecast, Kept, Origin, Stance, Stop,
    TimeForecast, Trace,
};
use ragtriage_models::llm::Limits;

/// Parameters of an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallTerms {
    /// Maximum number of tokens of an answer.
    pub most_completion_tokens: u64,
    /// Initial number of concurrent calls.
    pub concurrency: usize,
    /// Spending limits of the whole run.
    pub limits: Limits,
    /// Further calls over the passages of the oracle, as many as it has questions at most.
    pub probes: u64,
}

/// The calls of one question.
#[derive(Debug, Default)]
pub(super) struct QuestionCalls {
    /// True if its retrieval failed, so that no call is made.
    pub failed: bool,
    /// By arm.
    pub arms: Vec<ArmCalls>,
    /// Passages in the prompts of calls.
    pub passages: Vec<ChunkId>,
    /// Answer tokens and seconds of each cached response.
    pub kept: Vec<(u64, f64)>,
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
                    Origin::Cached => {
                        calls.cached += 1;
                        let kept = (attempt.tokens.completion, attempt.seconds);
                        counted.kept.push(kept);
                    }
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

/// The questions so far, in their order.
#[derive(Default)]
pub(super) struct CallTally {
    estimate: Estimate,
    price: Price,
    in_work: usize,
    passages: HashSet<ChunkId>,
    /// Each question's prompt tokens and calls.
    questions: Vec<(u64, u64)>,
    kept_tokens: u64,
    kept_seconds: f64,
}

impl CallTally {
    /// Creates a tally for a plan with `arms`, whose calls cost `price` and of whose questions
    /// `in_work` run concurrently.
    pub(super) fn new(arms: &ArmPlan, price: Price, in_work: usize) -> Self {
        let arms = arms.names.iter().map(|arm| ArmCalls::of(*arm)).collect();
        Self {
            estimate: Estimate { arms, ..Estimate::default() },
            price,
            in_work,
            ..Self::default()
        }
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
        self.questions.push((tokens, calls));
        estimate.kept.replies += asked.kept.len() as u64;
        self.kept_tokens += asked.kept.iter().map(|(tokens, _)| tokens).sum::<u64>();
        self.kept_seconds += asked.kept.iter().map(|(_, seconds)| seconds).sum::<f64>();
    }

    /// Returns the sums and forecasts.
    pub(super) fn estimate(self, terms: CallTerms) -> Estimate {
        let CallTerms { most_completion_tokens, concurrency, limits, probes } = terms;
        let Self { mut estimate, price, in_work, passages, questions, kept_tokens, kept_seconds } =
            self;
        add_probes(&mut estimate, probes);
        let (calls, n_kept) = (estimate.calls, estimate.kept.replies);
        // Without a cached response both sums are 0, and so are their means.
        estimate.kept = Kept {
            replies: n_kept,
            mean_completion_tokens: kept_tokens as f64 / n_kept.max(1) as f64,
            mean_seconds: kept_seconds / n_kept.max(1) as f64,
        };
        let kept = Some(estimate.kept).filter(|kept| kept.replies > 0);
        estimate.passages_called = passages.len();
        let most = calls.saturating_mul(most_completion_tokens);
        let expected = kept.map(|kept| (calls as f64 * kept.mean_completion_tokens).round() as u64);
        estimate.completion_tokens = Forecast { most, expected };
        estimate.cost_usd = Forecast {
            most: price.of(estimate.prompt_tokens, most),
            expected: expected.map(|completion| price.of(estimate.prompt_tokens, completion)),
        };
        estimate.seconds = TimeForecast {
            concurrency,
            in_work,
            // A cached response's seconds are those of its question, waits included: all concurrent questions share them.
            expected: kept.map(|kept| calls as f64 * kept.mean_seconds / in_work.max(1) as f64),
            at_one_a_call: calls as f64 / concurrency.max(1) as f64,
        };
        let answer = kept.map_or(most_completion_tokens as f64, |kept| kept.mean_completion_tokens);
        estimate.stop = stop(&questions, answer, price, limits);
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

/// Returns the limit that is reached first if answers have `answer` tokens.
fn stop(questions: &[(u64, u64)], answer: f64, price: Price, limits: Limits) -> Option<Stop> {
    let questions = questions.iter().map(|(tokens, calls)| (*tokens, *calls as f64));
    let usd = questions
        .clone()
        .map(|(tokens, calls)| price.of(tokens, 0) + price.completion * calls * answer / 1e6);
    let tokens = questions.map(|(tokens, calls)| tokens as f64 + calls * answer);
    let stops = [
        stop_by("generation.max_usd", limits.usd, usd),
        stop_by("generation.max_tokens_total", limits.tokens.map(|limit| limit as f64), tokens),
    ];
    let stops = stops.into_iter().flatten();
    stops.min_by_key(|stop| stop.after_questions)
}

/// Finds where the sum over questions exceeds the limit.
fn stop_by(
    setting: &'static str,
    limit: Option<f64>,
    mut of_questions: impl Iterator<Item = f64>,
) -> Option<Stop> {
    let limit = limit?;
    let mut used = 0.0;
    let after_questions = of_questions.position(|of_question| {
        used += of_question;
        used > limit
    })?;
    Some(Stop { setting, limit, after_questions })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::config::NoisePosition;

    const PRICE: Price = Price { prompt: 10.0, completion: 100.0 };

    fn tally(in_work: usize) -> CallTally {
        let names = vec![ArmName::Retrieved, ArmName::Oracle];
        let plan = ArmPlan {
            names,
            repeat: 1,
            closed_book_sample: 0,
            seed: 0,
            noise_position: NoisePosition::default(),
        };
        let mut tally = CallTally::new(&plan, PRICE, in_work);
        tally.set_chunks(9);
        tally
    }

    /// A question with one call of 1,000 prompt tokens over these passages, and these cached
    /// responses.
    fn asked(passages: &[&str], kept: &[(u64, f64)]) -> QuestionCalls {
        let retrieved = ArmCalls {
            questions: 1,
            calls: 1,
            prompt_tokens: 1000,
            ..ArmCalls::of(ArmName::Retrieved)
        };
        let oracle = ArmCalls { questions: 1, cached: 1, ..ArmCalls::of(ArmName::Oracle) };
        let passages = passages.iter().map(|id| ChunkId::from(*id)).collect();
        QuestionCalls {
            failed: false,
            arms: vec![retrieved, oracle],
            passages,
            kept: kept.to_vec(),
        }
    }

    fn terms(usd: Option<f64>, tokens: Option<u64>) -> CallTerms {
        CallTerms {
            most_completion_tokens: 200,
            concurrency: 2,
            limits: Limits { usd, tokens },
            probes: 0,
        }
    }

    #[test]
    fn expectations_are_means_of_kept_replies_and_passages_count_once() {
        let mut tally = tally(4);
        tally.add(asked(&["a#0", "b#0"], &[(10, 1.0)]));
        tally.add(asked(&["b#0", "c#0"], &[(30, 3.0)]));
        let estimate = tally.estimate(terms(None, None));
        assert_eq!(
            (estimate.questions, estimate.calls, estimate.passages_called, estimate.chunks),
            (2, 2, 3, 9)
        );
        assert_eq!(estimate.arms[0].calls + estimate.arms[1].cached, 4);
        // Answers: at most 2 * 200; the cached ones have (10 + 30) / 2 = 20 each.
        assert_eq!(estimate.completion_tokens, Forecast { most: 400, expected: Some(40) });
        // 2,000 * $10 / 1e6 = $0.02; + 400 * $100 / 1e6 = $0.04, or + 40 * $100 / 1e6 = $0.004.
        assert!((estimate.cost_usd.most - 0.06).abs() < 1e-12);
        assert!((estimate.cost_usd.expected.unwrap() - 0.024).abs() < 1e-12);
        // 2 calls of (1 + 3) / 2 = 2 s, 4 questions concurrently; or of 1 s, 2 at once.
        let seconds =
            TimeForecast { concurrency: 2, in_work: 4, expected: Some(1.0), at_one_a_call: 1.0 };
        assert_eq!(estimate.seconds, seconds);
        assert_eq!(estimate.stop, None);
    }

    #[test]
    fn nothing_is_expected_where_nothing_is_kept() {
        let mut tally = tally(1);
        tally.add(asked(&[], &[]));
        let estimate = tally.estimate(terms(None, None));
        assert_eq!((estimate.completion_tokens.expected, estimate.cost_usd.expected), (None, None));
        assert_eq!(estimate.seconds.expected, None);
        assert_eq!(estimate.kept, Kept::default());
    }

    #[test]
    fn the_limit_met_first_is_told() {
        let stop = |usd, tokens| {
            let mut tally = tally(1);
            (0..10).for_each(|_| tally.add(asked(&[], &[])));
            tally.estimate(terms(usd, tokens)).stop
        };
        // A question may cost 1,000 * $10 / 1e6 + 200 * $100 / 1e6 = $0.03 and 1,200 tokens; ten cost $0.30 and 12,000.
        let usd = Stop { setting: "generation.max_usd", limit: 0.1, after_questions: 3 };
        assert_eq!(stop(Some(0.1), None), Some(usd));
        let total =
            Stop { setting: "generation.max_tokens_total", limit: 2400.0, after_questions: 2 };
        assert_eq!(stop(Some(0.1), Some(2400)), Some(total));
        assert_eq!(stop(Some(0.31), Some(12_000)), None);
    }
}
