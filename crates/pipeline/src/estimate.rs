//! Estimates the calls of a run, counted on the exact prompts that it would send; no call is made. A judge's calls are bounded,
//! since its prompts are not known before the answers are.

use async_trait::async_trait;

use super::answerer::Answerer;
use super::ask::{QuestionResult, RunFacts};
use super::generate::{Caller, PromptCall};
use super::judging::is_compared;
use super::plan::CallPlan;
use super::sink::Sink;
use crate::Error;
use ragtriage_clients::Error as ModelError;
use ragtriage_core::config::{JudgeKind, JudgeSettings, Price};
use ragtriage_core::rightness::comparison_prompt;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{
    Attempt, Estimate, Finish, JudgeEstimate, Origin, Question, QuestionId, Stance, TokenUse, Trace,
};

/// A dry run: counts the calls that an execution would make.
pub struct EstimateSink {
    most_completion_tokens: u64,
    price: Price,
    estimate: Estimate,
}

impl EstimateSink {
    /// Creates a sink for answers of at most `most_completion_tokens`.
    #[must_use]
    pub fn new(most_completion_tokens: u64) -> Self {
        Self { most_completion_tokens, price: Price::default(), estimate: Estimate::default() }
    }

    /// Returns the estimate over the questions that were executed, with `probes` more calls of the mean length (at most one a
    /// question).
    #[must_use]
    pub fn estimate(self, probes: u64) -> Estimate {
        let Self { most_completion_tokens, price, mut estimate } = self;
        let n = probes.min(estimate.questions as u64);
        estimate.prompt_tokens +=
            n * estimate.prompt_tokens.checked_div(estimate.calls).unwrap_or(0);
        estimate.calls += n;
        let most = estimate.calls.saturating_mul(most_completion_tokens);
        estimate.most_completion_tokens = most;
        estimate.most_cost_usd = price.of(estimate.prompt_tokens, most);
        estimate
    }

    fn add(&mut self, trace: &Trace) {
        let estimate = &mut self.estimate;
        estimate.questions += 1;
        estimate.failed += usize::from(trace.failed());
        for arm in &trace.arms {
            let counted = || arm.attempts.iter().filter(|attempt| !is_recorded(attempt));
            estimate.prompts += u64::from(counted().next().is_some());
            for attempt in counted() {
                match attempt.origin {
                    Origin::SamePrompt => estimate.same_prompt += 1,
                    Origin::Cached => estimate.cached += 1,
                    Origin::Called => {
                        estimate.calls += 1;
                        estimate.prompt_tokens += attempt.tokens.prompt;
                    }
                }
            }
        }
    }
}

impl Sink for EstimateSink {
    fn name(&self) -> String {
        "dry run".to_owned()
    }

    fn begin(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn caller(&mut self, plan: &CallPlan<'_>) -> Result<Option<Box<dyn Caller>>, Error> {
        self.price = plan.price;
        Ok(plan.answerer.clone().map(|answerer| Box::new(Counting { answerer }) as Box<dyn Caller>))
    }

    fn take(&mut self, asked: QuestionResult) -> Result<(), Error> {
        self.add(&asked.trace);
        Ok(())
    }

    fn tolerates_failures(&self) -> bool {
        true
    }

    fn finish(&mut self, facts: RunFacts, _: bool) -> Result<(), Error> {
        self.estimate.chunks = facts.n_chunks;
        Ok(())
    }
}

/// Returns true for the reply of an external RAG: a dry run makes no call and has no replies of its own.
fn is_recorded(attempt: &Attempt) -> bool {
    attempt.origin != Origin::SamePrompt && attempt.stance != Stance::Unreadable
}

/// Makes no calls: the reply is empty.
struct Counting {
    answerer: Answerer,
}

#[async_trait]
impl Caller for Counting {
    async fn call(&self, _: &QuestionId, call: &PromptCall) -> Result<Attempt, ModelError> {
        let is_cached = self.answerer.is_cached(&call.prompt).await;
        Ok(Attempt {
            passages: call.passages.clone(),
            raw: String::new(),
            extracted: String::new(),
            stance: Stance::Unreadable,
            finish: Finish::Stop,
            origin: if is_cached { Origin::Cached } else { Origin::Called },
            tokens: TokenUse { prompt: call.n_tokens, prompt_billed: None, completion: 0 },
            cost_usd: 0.0,
            seconds: 0.0,
            error: None,
        })
    }
}

/// Bounds the calls of `judge` for `questions` with `answers` each of at most `most_answer_tokens`, and the cost of replies of at
/// most `most_completion_tokens`, as if the rule were unsure of all; `None` without a judge behind an endpoint.
#[must_use]
pub fn judge_estimate(
    questions: &[Question],
    answers: u64,
    judge: &JudgeSettings,
    most_answer_tokens: u64,
    most_completion_tokens: u64,
    counter: &dyn TokenCounter,
) -> Option<JudgeEstimate> {
    if judge.kind != JudgeKind::Endpoint {
        return None;
    }
    let mut estimate = JudgeEstimate::default();
    for question in questions {
        if !is_compared(question) {
            continue;
        }
        let prompt = comparison_prompt(question, "");
        let fixed = (counter.count(&prompt.system) + counter.count(&prompt.user)) as u64;
        estimate.questions += 1;
        estimate.calls += answers;
        estimate.most_prompt_tokens += answers * fixed.saturating_add(most_answer_tokens);
    }
    estimate.most_completion_tokens = estimate.calls.saturating_mul(most_completion_tokens);
    estimate.most_cost_usd =
        judge.price.of(estimate.most_prompt_tokens, estimate.most_completion_tokens);
    Some(estimate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::text::tokens::{self, Tokenizer};
    use ragtriage_core::types::QuestionKind;

    #[test]
    fn answers_to_answerable_questions_with_gold_answers_are_counted() {
        let counter = tokens::counter(Tokenizer::Words, None).expect("built in");
        let with_gold = Question {
            answers: vec!["six".to_owned()],
            ..Question::new("a".into(), "How many?".into())
        };
        let unanswerable = Question { kind: QuestionKind::Unanswerable, ..with_gold.clone() };
        let questions = [with_gold.clone(), Question::new("b".into(), "?".into()), unanswerable];
        let judge = JudgeSettings {
            kind: JudgeKind::Endpoint,
            price: Price { prompt: 1e6, completion: 1e3 },
            ..JudgeSettings::default()
        };
        let off = JudgeSettings::default();
        assert_eq!(judge_estimate(&questions, 6, &off, 10, 20, counter.as_ref()), None);
        let found = judge_estimate(&questions, 6, &judge, 10, 20, counter.as_ref()).expect("on");
        let prompt = comparison_prompt(&with_gold, "");
        let fixed = (counter.count(&prompt.system) + counter.count(&prompt.user)) as u64;
        // One question, six answers; replies of 20 tokens at $1e3 / 1e6, prompts at $1.
        assert_eq!(
            found,
            JudgeEstimate {
                questions: 1,
                calls: 6,
                most_prompt_tokens: 6 * (fixed + 10),
                most_completion_tokens: 120,
                most_cost_usd: (6 * (fixed + 10)) as f64 + 0.12,
            }
        );
    }
}
