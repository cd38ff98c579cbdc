//! Bounds the calls of a judge, whose prompts are not known before the answers are.

use ragtriage_core::config::{JudgeKind, JudgeSettings};
use ragtriage_core::rightness::{JudgeOrder, comparison_prompt};
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{JudgeEstimate, Question, QuestionKind};

/// Bounds the calls of `judge` for `questions` whose answers have at most `most_answer_tokens`, and the cost of replies of at
/// most `most_completion_tokens`; `None` without
/// a judge behind an endpoint.
#[must_use]
pub fn judge_estimate(
    questions: &[Question],
    judge: &JudgeSettings,
    most_answer_tokens: u64,
    most_completion_tokens: u64,
    counter: &dyn TokenCounter,
) -> Option<JudgeEstimate> {
    if judge.kind != JudgeKind::Endpoint {
        return None;
    }
    let per_question = (judge.asked_orders().len() * judge.repeats) as u64;
    let mut estimate = JudgeEstimate::default();
    for question in questions {
        if question.kind == QuestionKind::Unanswerable || question.answers.is_empty() {
            continue;
        }
        let prompt = comparison_prompt(question, "", JudgeOrder::GoldFirst);
        let fixed = (counter.count(&prompt.system) + counter.count(&prompt.user)) as u64;
        estimate.questions += 1;
        estimate.calls += per_question;
        estimate.most_prompt_tokens += per_question * fixed.saturating_add(most_answer_tokens);
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

    #[test]
    fn answerable_questions_with_gold_answers_are_counted_in_both_orders() {
        let counter = tokens::counter(Tokenizer::Words, None).expect("built in");
        let with_gold = Question {
            answers: vec!["six".to_owned()],
            ..Question::new("a".into(), "How many?".into())
        };
        let unanswerable = Question { kind: QuestionKind::Unanswerable, ..with_gold.clone() };
        let questions = [with_gold.clone(), Question::new("b".into(), "?".into()), unanswerable];
        let judge = JudgeSettings {
            kind: JudgeKind::Endpoint,
            repeats: 3,
            price: Price { prompt: 1e6, completion: 1e3 },
            ..JudgeSettings::default()
        };
        let off = JudgeSettings::default();
        assert_eq!(judge_estimate(&questions, &off, 10, 20, counter.as_ref()), None);
        let found = judge_estimate(&questions, &judge, 10, 20, counter.as_ref()).expect("on");
        let prompt = comparison_prompt(&with_gold, "", JudgeOrder::AnswerFirst);
        let fixed = (counter.count(&prompt.system) + counter.count(&prompt.user)) as u64;
        // One question, two orders, three repeats; replies of 20 tokens at $1e3 / 1e6, prompts at $1.
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
