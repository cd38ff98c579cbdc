//! Bounds the calls of a judge, whose prompts are not known before the answers are.

use crate::judging::is_compared;
use ragtriage_core::config::{JudgeKind, JudgeSettings};
use ragtriage_core::rightness::comparison_prompt;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{JudgeEstimate, Question};

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
    use ragtriage_core::config::Price;
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
