//! The rule of an evaluation, applied to an answer.

use super::auto::{auto, says_polar};
use super::declined::declines;
use super::verdict::{Correctness, Judgment};
use crate::closed_set::closed_set;
use crate::language::Language;
use crate::measure::answer::{self, Scorer};
use crate::text::answers::AnswerMatcher;
use crate::text::sentences::split;
use crate::types::{Question, QuestionKind, Stance};

closed_set! {
    /// Rule that decides whether an answer is right. All but `Auto` compare key facts, where a question has them, as written.
    #[derive(Default)]
    RightRule {
        /// `AnswerEM` 1 or `AnswerF1` of at least `correct_f1`.
        F1 = "f1",
        /// `AnswerEM` 1.
        Em = "em",
        /// Every token of a gold answer occurs in the answer (`AnswerRecall` 1).
        Recall = "recall",
        /// The answer contains a gold answer on token boundaries.
        Contains = "contains",
        /// Values compare as values, code as written, names and phrases by words, sentences by what they assert.
        #[default]
        Auto = "auto",
    }
}

/// Criterion of a right answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judge {
    /// The rule.
    pub rule: RightRule,
    /// The script that scores answers.
    pub scorer: Scorer,
    /// Minimum `AnswerF1` of a right answer where F1 decides.
    pub correct_f1: f64,
    /// Language of questions and answers.
    pub language: &'static Language,
}

impl Judge {
    /// Judges an answer; `None` without gold answers and key facts. An unanswerable question is answered right by
    /// declining.
    #[must_use]
    pub fn judge(&self, question: &Question, answer: &str, stance: Stance) -> Option<Judgment> {
        if question.kind == QuestionKind::Unanswerable {
            return Some(unanswerable(stance));
        }
        let has_facts = !question.required.is_empty() || !question.forbidden.is_empty();
        if !has_facts && question.answers.is_empty() {
            return None;
        }
        let fault = match stance {
            Stance::Answered => return Some(self.answered(question, answer, has_facts)),
            Stance::Abstained => "declined",
            _ => stance.unusable().unwrap_or("no answer to read"),
        };
        Some(Judgment::new(Correctness::Wrong, fault))
    }

    /// Judges an answer that does not decline.
    fn answered(&self, question: &Question, answer: &str, has_facts: bool) -> Judgment {
        let gold_answers = &question.answers;
        let scores = || answer::score(answer, gold_answers, self.scorer, self.language);
        let (name, value, least) = match self.rule {
            RightRule::Auto => return auto(question, answer, self.language),
            _ if has_facts => return facts(question, answer),
            RightRule::F1 if scores().em < 1.0 => ("AnswerF1", scores().f1, self.correct_f1),
            RightRule::F1 | RightRule::Em => ("AnswerEM", scores().em, 1.0),
            // Adlakha et al., TACL 2024.
            RightRule::Recall => {
                let score = |gold| {
                    let gold = std::slice::from_ref(gold);
                    answer::score(answer, gold, Scorer::Squad2, Language::english())
                };
                let recalls =
                    gold_answers.iter().map(score).map(|scores| scores.recall.max(scores.em));
                ("AnswerRecall", recalls.fold(0.0, f64::max), 1.0)
            }
            // Kamalloo et al., ACL 2023.
            RightRule::Contains => {
                let is_found = AnswerMatcher::new(gold_answers).found_in_text(answer);
                ("AnswerContains", if is_found { 1.0 } else { 0.0 }, 1.0)
            }
        };
        Judgment::new(Correctness::from_right(value >= least), format!("{name} {value:.2}"))
    }
}

/// Returns true if a reply declines to answer `question`: not if it is one of its gold answers, or says yes or no to a question that
/// asks for it. What a gold answer says is no denial of the reply's.
#[must_use]
pub fn declines_to_answer(
    question: &Question,
    reply: &str,
    phrases: &[String],
    language: &'static Language,
) -> bool {
    let is_gold = |gold: &String| gold.trim().eq_ignore_ascii_case(reply.trim());
    let gold_answers = &question.answers;
    if gold_answers.iter().any(is_gold) || says_polar(question, reply, language) {
        return false;
    }
    let without_gold = |text: &str| {
        let gold_answers = gold_answers.iter().filter(|gold| gold.len() > 2);
        gold_answers.fold(text.to_owned(), |text, gold| text.replace(gold.as_str(), "0"))
    };
    // `I don't know the exact figure. The runbook says 6 minutes.`
    let answers = |sentence: &str| {
        let rest = without_gold(sentence);
        rest != sentence && !declines(&rest, phrases)
    };
    declines(&without_gold(reply), phrases)
        && !split(reply).iter().any(|sentence| answers(&reply[sentence.range.clone()]))
}

/// Judges an answer to a question that has none.
fn unanswerable(stance: Stance) -> Judgment {
    let (is_right, reason) = match stance {
        Stance::Abstained => (true, "declined, and the question has no answer"),
        _ => (false, "did not decline, and the question has no answer"),
    };
    Judgment::new(Correctness::from_right(is_right), reason)
}

/// Judges by the key facts that an answer states as written.
fn facts(question: &Question, answer: &str) -> Judgment {
    let required = answer::stated(answer, &question.required).unwrap_or(1.0);
    let forbidden = answer::stated(answer, &question.forbidden).unwrap_or(0.0);
    let reason =
        format!("states {required:.2} of the required and {forbidden:.2} of the forbidden facts");
    Judgment::new(Correctness::from_right(required >= 1.0 && forbidden <= 0.0), reason)
}
