//! The rule `auto`: the best decision over the gold answers.

use super::evidence::{Case, Ground, Reason, right, unsure};
use super::facts;
use super::parsed::Parsed;
use super::polar::{self, polarity};
use super::verdict::{Correctness, Judgment};
use super::vocabulary::Vocabulary;
use crate::language::Language;
use crate::types::{Question, QuestionKind};

/// Longest answer that is compared, in bytes.
const LONGEST: usize = 20_000;

/// Judges `answer`, which does not decline.
pub(crate) fn auto(question: &Question, answer: &str, language: &'static Language) -> Judgment {
    let reason = decide(question, answer, language);
    Judgment::new(reason.correctness, message(&reason))
}

/// Decides by key facts, by yes or no, or by the best of the gold answers.
fn decide(question: &Question, answer: &str, language: &'static Language) -> Reason {
    if question.answers.iter().any(|gold| gold.trim() == answer.trim()) {
        return right(Ground::Equal, answer.trim());
    }
    if answer.len() > LONGEST {
        return unsure(Ground::TooLong, "");
    }
    let words = Vocabulary::of(language);
    let asked = Parsed::new(&question.text, words);
    let given = Parsed::new(answer, words);
    if !question.required.is_empty() || !question.forbidden.is_empty() {
        return facts::decide(question, &asked, &given);
    }
    let gold_answers: Vec<Parsed> =
        question.answers.iter().map(|gold| Parsed::new(gold, words)).collect();
    let is_polar = question.kind == QuestionKind::YesNo
        || gold_answers.iter().all(|gold| polarity(gold).is_some());
    if let Some(gold) = gold_answers.first().and_then(polarity).filter(|_| is_polar) {
        return polar::decide(gold, &given);
    }
    let decide = |gold: &Parsed| {
        let case = Case { question: &asked, gold, gold_answers: &gold_answers, answer: &given };
        let reason = case.decide();
        if reason.correctness == Correctness::Right || reason.ground == Ground::LongReference {
            return reason;
        }
        let shorter = case.shorter();
        let mut others = shorter.iter().map(|gold| Case { gold, ..case }.decide());
        others.find(|other| other.correctness == Correctness::Right).unwrap_or(reason)
    };
    // The best one: right before unsure before wrong.
    let reasons = gold_answers.iter().map(decide).min_by_key(|reason| reason.correctness);
    match reasons.unwrap_or_else(|| unsure(Ground::Absent, "")) {
        Reason { correctness: Correctness::Wrong, .. } if !language.has_data() => {
            unsure(Ground::UnknownLanguage, "")
        }
        reason => reason,
    }
}

/// Returns true if the gold answer is yes or no, and the reply says one of them.
pub(crate) fn says_polar(question: &Question, reply: &str, language: &'static Language) -> bool {
    let parsed = |text: &str| Parsed::new(text, Vocabulary::of(language));
    let is_polar = |gold: &String| gold.len() < 24 && polarity(&parsed(gold)).is_some();
    let asks =
        question.kind == QuestionKind::YesNo || question.answers.first().is_some_and(is_polar);
    asks && reply.len() <= LONGEST && polar::is_explicit(&parsed(reply))
}

/// Returns the clause that a report shows.
fn message(reason: &Reason) -> String {
    let Reason { ground, quote, .. } = reason;
    match ground {
        Ground::Equal => format!("equals a gold answer: `{quote}`"),
        Ground::Contained => format!("gives the gold answer: `{quote}`"),
        Ground::AllParts => format!("has every part of `{quote}`"),
        Ground::Polar => format!("says {quote}"),
        Ground::Absent => format!("does not have `{quote}`"),
        Ground::OtherValue => format!("gives another value: `{quote}`"),
        Ground::OtherGiven => format!("gives another answer: `{quote}`"),
        Ground::Denied => format!("denies `{quote}`"),
        Ground::Outdated => format!("says that `{quote}` no longer holds"),
        Ground::Contrasted => format!("sets `{quote}` apart from the answer"),
        Ground::Alternatives => format!("offers alternatives to `{quote}`"),
        Ground::Enumerated => format!("lists more than `{quote}`"),
        Ground::Longer => format!("`{quote}` is part of something longer"),
        Ground::OtherLimit => format!("`{quote}` with another limit"),
        Ground::OtherOrder => format!("has the parts of `{quote}` in another order"),
        Ground::Opposite => format!("says `{quote}` of the opposite"),
        Ground::SaidOfOther => {
            format!("has the gold answer, and may say it of something else: `{quote}`")
        }
        Ground::Part => format!("has a part of the gold answer: `{quote}`"),
        Ground::LongReference => format!("has {quote} of the reference's words"),
        Ground::UnknownLanguage => "is not the gold answer, in a language without data".to_owned(),
        Ground::Forbidden => format!("states the forbidden `{quote}`"),
        Ground::AllFacts => "states every required fact and no forbidden one".to_owned(),
        Ground::TooLong => format!("is longer than {LONGEST} bytes"),
    }
}
