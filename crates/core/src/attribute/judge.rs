//! Decisions on a question's answers, one for each condition: by the rule, by a judge where the rule leaves them
//! open, by a person where one audited the answer.

use std::collections::HashMap;

use crate::closed_set::closed_set;
use crate::correctness::{Correctness, Judge, Judgment, declines_to_answer};
use crate::language::Language;
use crate::types::{Attempt, Condition, Question, QuestionId, QuestionKind, Stance, Trace};

closed_set! {
    /// Who decided whether an answer is correct.
    Decider {
        /// The rule, which may be unsure.
        Rule = "rule",
        /// The judge, where [`Judgment::is_open`].
        Judge = "judge",
        /// A person, in an audit.
        Person = "person",
    }
}

/// Decisions by question and answer text: true where the answer is correct.
pub type Decisions = HashMap<(QuestionId, String), bool>;

/// Decisions on the answers of a run that the rule did not make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// The judge's; they count where [`Judgment::is_open`].
    pub judge: Decisions,
    /// People's; they always count.
    pub person: Decisions,
}

/// Decision on an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The decision with its reason.
    pub judgment: Judgment,
    /// The rule's own decision.
    pub rule: Correctness,
    /// Who decided.
    pub by: Decider,
}

/// Decision on each condition's first answer; none where the condition was not run, its reply is unusable, or the question has no gold answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgments {
    by_condition: [Option<Decision>; Condition::ALL.len()],
    /// Language of the answers; English by default.
    language: Option<&'static Language>,
}

impl Judgments {
    /// Decides on each condition's first answer.
    #[must_use]
    pub fn new(trace: &Trace, judge: Judge, settled: &Settled) -> Self {
        // Conditions often give one answer, and parsing it takes most of the time.
        let mut decided: Vec<(&Attempt, Option<Decision>)> = Vec::new();
        let by_condition = Condition::ALL.map(|condition| {
            let attempt = trace.attempt(condition)?;
            let known = decided.iter().find(|(other, _)| is_same(other, attempt));
            if let Some((_, decision)) = known {
                return decision.clone();
            }
            let decision = decide(&trace.question, attempt, judge, settled);
            decided.push((attempt, decision.clone()));
            decision
        });
        Self { by_condition, language: Some(judge.language) }
    }

    /// Returns the language of the answers.
    #[must_use]
    pub fn language(&self) -> &'static Language {
        self.language.unwrap_or_else(Language::english)
    }

    /// Returns the decision on a condition's answer.
    #[must_use]
    pub fn decision(&self, condition: Condition) -> Option<&Decision> {
        self.by_condition[condition as usize].as_ref()
    }

    /// Returns the judgment of a condition's answer.
    #[must_use]
    pub fn of(&self, condition: Condition) -> Option<&Judgment> {
        self.decision(condition).map(|decision| &decision.judgment)
    }

    /// Returns the verdict on a condition's answer.
    #[must_use]
    pub fn correctness(&self, condition: Condition) -> Option<Correctness> {
        self.of(condition).map(|judgment| judgment.correctness)
    }

    /// Returns the same judgments with `correctness` wherever it is still unsure.
    #[must_use]
    pub fn resolved(&self, correctness: Correctness) -> Self {
        let mut resolved = self.clone();
        for Decision { judgment, .. } in resolved.by_condition.iter_mut().flatten() {
            if judgment.correctness == Correctness::Unsure {
                judgment.correctness = correctness;
            }
        }
        resolved
    }

    /// Removes the reasons, which quote answers and gold answers.
    pub fn forget_reasons(&mut self) {
        for Decision { judgment, by, .. } in self.by_condition.iter_mut().flatten() {
            decided_by(*by).clone_into(&mut judgment.reason);
        }
    }

    /// Returns the same judgments with another one for `condition`.
    #[cfg(test)]
    pub(super) fn with(mut self, condition: Condition, correctness: Correctness) -> Self {
        let judgment = Judgment::new(correctness, correctness.name());
        self.by_condition[condition as usize] =
            Some(Decision { judgment, rule: correctness, by: Decider::Rule });
        self
    }
}

/// Reads an extracted answer by its question, which the extraction does not know: a reply that is a gold answer is taken whole, brackets
/// that a gold answer has are none of a citation, and an answer that declines is cleared and marked. `phrases` are those of the product.
pub fn read_by_question(
    question: &Question,
    attempt: &mut Attempt,
    phrases: &[String],
    language: &'static Language,
) {
    let is_gold = |gold: &String| gold.trim() == attempt.raw.trim();
    if question.kind != QuestionKind::Unanswerable && question.answers.iter().any(is_gold) {
        // `<|im_end|>`, `{"answer": 42}`.
        (attempt.extracted, attempt.stance) = (attempt.raw.trim().to_owned(), Stance::Answered);
    } else if attempt.error.is_none() && attempt.stance == Stance::Answered {
        restore_brackets(question, attempt);
        if declines_to_answer(question, &attempt.extracted, phrases, language) {
            attempt.stance = Stance::Declined;
            attempt.extracted.clear();
        }
    }
}

/// Restores the brackets that the extraction took for citations, where a gold answer has one: `It prints arr[1].`
fn restore_brackets(question: &Question, attempt: &mut Attempt) {
    if question.gold_texts().any(|gold| gold.contains('[')) {
        let rest = attempt.raw.rsplit_once(&attempt.extracted).map_or("", |(_, rest)| rest);
        let line = rest.lines().next().unwrap_or_default().trim_end();
        if line.trim_start().starts_with('[') {
            attempt.extracted += line;
        }
    }
}

/// Returns true if two attempts are equal in all that [`decide`] reads.
fn is_same(a: &Attempt, b: &Attempt) -> bool {
    (a.error.is_some(), &a.extracted, a.stance) == (b.error.is_some(), &b.extracted, b.stance)
}

/// Decides on one attempt; `None` if it is unusable or the question has no gold answer.
#[must_use]
pub fn decide(
    question: &Question,
    attempt: &Attempt,
    judge: Judge,
    settled: &Settled,
) -> Option<Decision> {
    let judgment = judge_attempt(question, attempt, judge)?;
    let rule = judgment.correctness;
    let found = |decisions: &Decisions| {
        let is_asked = !decisions.is_empty() && question.kind != QuestionKind::Unanswerable;
        let key = is_asked.then(|| (question.id.clone(), attempt.extracted.clone()))?;
        decisions.get(&key).copied()
    };
    let by_person = found(&settled.person).map(|is_correct| (Decider::Person, is_correct));
    let by_judge = || found(&settled.judge).map(|is_correct| (Decider::Judge, is_correct));
    let other = by_person.or_else(|| if judgment.is_open { by_judge() } else { None });
    let Some((by, is_correct)) = other else {
        return Some(Decision { judgment, rule, by: Decider::Rule });
    };
    let reason = format!("{} (rule: {judgment})", decided_by(by));
    let judgment = Judgment::new(Correctness::from_correct(is_correct), reason);
    Some(Decision { judgment, rule, by })
}

/// Names a decider other than the rule.
fn decided_by(by: Decider) -> &'static str {
    match by {
        Decider::Rule => "",
        Decider::Judge => "by the judge",
        Decider::Person => "by a person",
    }
}

/// Judges one attempt by the rule alone; `None` if it is unusable or the question has no gold answer.
#[must_use]
pub fn judge_attempt(question: &Question, attempt: &Attempt, judge: Judge) -> Option<Judgment> {
    if !attempt.is_usable() {
        return None;
    }
    judge.judge(question, &attempt.extracted, attempt.stance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::answer::Scorer;
    use Correctness::{Correct, Unsure, Wrong};

    fn decided(answer: &str, kind: QuestionKind, settled: &Settled) -> (Correctness, Decider) {
        let question = Question {
            kind,
            answers: vec!["1992".to_owned()],
            ..Question::new("q".into(), "When?".to_owned())
        };
        let rule = Judge { scorer: Scorer::Squad2, language: Language::english() };
        let decision = decide(&question, &Attempt::new(answer), rule, settled).expect("an answer");
        (decision.judgment.correctness, decision.by)
    }

    #[test]
    fn a_bracket_of_a_gold_answer_is_no_citation() {
        let read = |gold: &str, raw: &str, extracted: &str| {
            let answers = vec![gold.to_owned()];
            let asked = Question { answers, ..Question::new("q".into(), String::new()) };
            let mut attempt = Attempt { raw: raw.to_owned(), ..Attempt::new(extracted) };
            read_by_question(&asked, &mut attempt, &[], Language::english());
            attempt.extracted
        };
        let raw = "See below.\nAnswer: It prints arr[1] [2].\nDone [3].";
        assert_eq!(read("arr[1]", raw, "It prints arr"), "It prints arr[1] [2].");
        assert_eq!(read("arr", raw, "It prints arr"), "It prints arr");
        assert_eq!(
            read("[1, 2]", "It returns [1, 2]. So.", "It returns"),
            "It returns [1, 2]. So."
        );
        assert_eq!(read("[1, 2]", "It returns 3.", "It returns 3."), "It returns 3.");
        // A reply that is a gold answer is all of the answer.
        assert_eq!(read("<|im_end|>", "<|im_end|>\n", ""), "<|im_end|>");
        assert_eq!(read(r#"{"answer": 42}"#, r#"{"answer": 42}"#, "42"), r#"{"answer": 42}"#);
    }

    #[test]
    fn an_unusable_reply_is_neither_right_nor_wrong() {
        let judge = Judge { scorer: Scorer::Squad2, language: Language::english() };
        let cut = Attempt { stance: Stance::Truncated, ..Attempt::new("") };
        for kind in [QuestionKind::Span, QuestionKind::Unanswerable] {
            let answers = vec!["1992".to_owned()];
            let asked = Question { kind, answers, ..Question::new("q".into(), String::new()) };
            assert_eq!(decide(&asked, &cut, judge, &Settled::default()), None);
        }
    }

    #[test]
    fn a_judge_decides_what_the_rule_leaves_open_and_a_person_decides_all() {
        // The rule does not read answers of this length.
        let long = "word ".repeat(5_000);
        let on = |answer: &str, is_correct| (("q".into(), answer.to_owned()), is_correct);
        let judge = Decisions::from([
            on(&long, true),
            on("1992", false),
            on("1815", true),
            on("MCMXCII", true),
            on("In 1992.", false),
            on("It ended in 1992.", false),
        ]);
        let by_judge = Settled { judge, person: Decisions::new() };
        let person = Decisions::from([on(&long, false), on("1992", false)]);
        let by_both = Settled { person, ..by_judge.clone() };
        // A short answer without the words is wrong by the rule, and may say it in others.
        let by_other_words = (Correct, Decider::Judge);
        for (settled, of_long, of_correct, of_wrong, of_other) in [
            (
                &Settled::default(),
                (Unsure, Decider::Rule),
                Correct,
                Decider::Rule,
                (Wrong, Decider::Rule),
            ),
            (&by_judge, (Correct, Decider::Judge), Correct, Decider::Rule, by_other_words),
            (&by_both, (Wrong, Decider::Person), Wrong, Decider::Person, by_other_words),
        ] {
            assert_eq!(decided(&long, QuestionKind::Span, settled), of_long);
            assert_eq!(decided("1992", QuestionKind::Span, settled), (of_correct, of_wrong));
            assert_eq!(decided("1815", QuestionKind::Span, settled), (Wrong, Decider::Rule));
            assert_eq!(decided("MCMXCII", QuestionKind::Span, settled), of_other);
            // Further words may say the gold answer of something else.
            assert_eq!(decided("In 1992.", QuestionKind::Span, settled), (Correct, Decider::Rule));
            let among_others = decided("It ended in 1992.", QuestionKind::Span, settled);
            let is_asked = !settled.judge.is_empty();
            let by_judge =
                if is_asked { (Wrong, Decider::Judge) } else { (Correct, Decider::Rule) };
            assert_eq!(among_others, by_judge);
            let unanswerable = decided("1992", QuestionKind::Unanswerable, settled);
            assert_eq!(unanswerable, (Wrong, Decider::Rule));
        }
    }
}
