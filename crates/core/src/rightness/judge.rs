//! The rule of an evaluation, applied to an answer.

use super::auto::auto;
use super::simple;
use super::verdict::{Correctness, Judgment};
use crate::closed_set::closed_set;
use crate::measure::answer::{self, AnswerScores, Scorer};
use crate::types::{Question, QuestionKind, Stance};

closed_set! {
    /// Rule that decides whether an answer is right.
    #[derive(Default)]
    RightRule {
        /// `AnswerEM` 1 or `AnswerF1` of at least `correct_f1`; key facts where a question has them.
        F1 = "f1",
        /// `AnswerEM` 1.
        Em = "em",
        /// Every token of a gold answer occurs in the answer (`AnswerRecall` 1).
        Recall = "recall",
        /// The answer contains a gold answer on token boundaries.
        Contains = "contains",
        /// Key facts: all required are stated and none forbidden; other questions as under `auto`.
        Facts = "facts",
        /// Values compare as values, names as names, sentences by the answer they offer; `f1` for the rest.
        #[default]
        Auto = "auto",
    }
}

impl RightRule {
    /// Returns true if both rules give every answer the same judgment: `facts` and `auto` differ in name only.
    #[must_use]
    pub fn judges_as(self, other: Self) -> bool {
        let is_auto = |rule| matches!(rule, Self::Facts | Self::Auto);
        self == other || (is_auto(self) && is_auto(other))
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
}

impl Judge {
    /// Judges an answer; `None` without gold answers and key facts. An unanswerable question is answered right by
    /// abstaining.
    #[must_use]
    pub fn judge(&self, question: &Question, answer: &str, stance: Stance) -> Option<Judgment> {
        if question.kind == QuestionKind::Unanswerable {
            return Some(unanswerable(stance));
        }
        let has_facts = !question.required.is_empty() || !question.forbidden.is_empty();
        if !has_facts && question.answers.is_empty() {
            return None;
        }
        match stance {
            Stance::Answered => Some(self.answered(question, answer, has_facts)),
            Stance::Abstained => Some(Judgment::new(Correctness::Wrong, "abstained")),
            Stance::Refused => Some(Judgment::new(Correctness::Wrong, "refused")),
            Stance::Unreadable => Some(Judgment::new(Correctness::Wrong, "no answer to read")),
            Stance::Truncated => Some(Judgment::new(Correctness::Wrong, "truncated")),
            Stance::ToolCall => Some(Judgment::new(Correctness::Wrong, "called a tool")),
            Stance::Empty => Some(Judgment::new(Correctness::Wrong, "empty")),
        }
    }

    fn answered(&self, question: &Question, answer: &str, has_facts: bool) -> Judgment {
        let scores = || answer::score(answer, &question.answers, self.scorer);
        match self.rule {
            RightRule::Facts | RightRule::Auto => {
                auto(question, answer, scores().f1, self.correct_f1)
            }
            _ if has_facts => facts(question, answer),
            RightRule::F1 => by_f1(scores(), self.correct_f1),
            RightRule::Em => measured("AnswerEM", scores().em, 1.0),
            RightRule::Recall => simple::recall(&question.answers, answer),
            RightRule::Contains => simple::contains(&question.answers, answer),
        }
    }
}

fn unanswerable(stance: Stance) -> Judgment {
    let (is_right, reason) = match stance {
        Stance::Abstained => (true, "abstained, and the question has no answer"),
        _ => (false, "did not abstain, and the question has no answer"),
    };
    Judgment::new(Correctness::from_right(is_right), reason)
}

fn facts(question: &Question, answer: &str) -> Judgment {
    let required = answer::stated(answer, &question.required).unwrap_or(1.0);
    let forbidden = answer::stated(answer, &question.forbidden).unwrap_or(0.0);
    let is_right = required >= 1.0 && forbidden <= 0.0;
    let reason =
        format!("states {required:.2} of the required and {forbidden:.2} of the forbidden facts");
    Judgment::new(Correctness::from_right(is_right), reason)
}

fn by_f1(scores: AnswerScores, correct_f1: f64) -> Judgment {
    if scores.em >= 1.0 {
        return measured("AnswerEM", scores.em, 1.0);
    }
    measured("AnswerF1", scores.f1, correct_f1)
}

fn measured(name: &str, value: f64, least: f64) -> Judgment {
    Judgment::new(Correctness::from_right(value >= least), format!("{name} {value:.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(rule: RightRule) -> Judge {
        Judge { rule, scorer: Scorer::Squad2, correct_f1: 0.6 }
    }

    fn by_facts(answer: &str, rule: RightRule) -> Option<Correctness> {
        let question = Question {
            required: vec![vec!["kubectl rollout undo".into(), "shopctl rollback".into()]],
            forbidden: vec![vec!["helm rollback".into()]],
            ..Question::new("q".into(), "How do I roll back?".into())
        };
        let judgment = judge(rule).judge(&question, answer, Stance::Answered);
        judgment.map(|judgment| judgment.correctness)
    }

    #[test]
    fn all_required_facts_and_no_forbidden_one_make_an_answer_right_under_every_rule() {
        for rule in RightRule::ALL {
            let right = "Run `shopctl rollback`.";
            assert_eq!(by_facts(right, rule), Some(Correctness::Right), "{rule}");
            let both = "Run `shopctl rollback`, or helm rollback.";
            assert_eq!(by_facts(both, rule), Some(Correctness::Wrong), "{rule}");
            let neither = "Ask the owner.";
            assert_eq!(by_facts(neither, rule), Some(Correctness::Wrong), "{rule}");
        }
    }

    #[test]
    fn rules_that_judge_alike_give_every_answer_one_judgment() {
        let question = Question {
            kind: QuestionKind::Span,
            answers: vec!["18 May 1997".into()],
            ..Question::new("q".into(), "When was it?".into())
        };
        for (one, other) in [(RightRule::Facts, RightRule::Auto), (RightRule::Em, RightRule::Em)] {
            assert!(one.judges_as(other) && other.judges_as(one));
            for answer in ["18 May 1997", "May 1997", "in 1998", "never", ""] {
                let [a, b] =
                    [one, other].map(|rule| judge(rule).judge(&question, answer, Stance::Answered));
                assert_eq!(a, b, "{answer}");
            }
        }
        assert!(!RightRule::Auto.judges_as(RightRule::F1));
    }

    #[test]
    fn simple_rules_read_the_official_scores() {
        let question = Question {
            kind: QuestionKind::Span,
            answers: vec!["18 May".to_owned()],
            ..Question::new("q".into(), "When?".into())
        };
        let right = |rule, answer| {
            let judgment = judge(rule).judge(&question, answer, Stance::Answered);
            judgment.map(|judgment| judgment.correctness == Correctness::Right)
        };
        // Two of four tokens are shared with the gold answer of two: P 2/4, R 1, F1 2/3.
        let longer = "on Sunday, 18 May";
        assert_eq!(right(RightRule::F1, longer), Some(true));
        assert_eq!(right(RightRule::Em, longer), Some(false));
        assert_eq!(right(RightRule::Recall, longer), Some(true));
        assert_eq!(right(RightRule::Contains, longer), Some(true));
        assert_eq!(right(RightRule::Recall, "May the 18"), Some(true));
        assert_eq!(right(RightRule::Contains, "May the 18"), Some(false));
    }

    #[test]
    fn an_unanswerable_question_is_answered_right_by_abstaining() {
        let question = Question {
            kind: QuestionKind::Unanswerable,
            ..Question::new("q".into(), "When?".into())
        };
        for (stance, expected) in
            [(Stance::Abstained, Correctness::Right), (Stance::Answered, Correctness::Wrong)]
        {
            let judgment = judge(RightRule::Auto).judge(&question, "", stance);
            assert_eq!(judgment.map(|judgment| judgment.correctness), Some(expected));
        }
        let unlabelled = Question::new("q".into(), "When?".into());
        assert_eq!(judge(RightRule::Auto).judge(&unlabelled, "now", Stance::Answered), None);
    }
}
