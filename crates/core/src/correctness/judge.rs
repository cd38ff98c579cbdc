//! The rule applied to an answer: the best decision over the gold answers.

use std::collections::HashSet;
use std::fmt;
use std::iter;

use super::declined::declines;
use super::evidence::{Case, Correctness, Ground, Reason, correct, unsure, wrong};
use super::parsed::Parsed;
use super::token::Token;
use super::vocabulary::Vocabulary;
use crate::language::{Class, Language};
use crate::metric::answer::Scorer;
use crate::text::sentences::split;
use crate::types::{KeyFact, Question, QuestionKind, Stance};

/// How answers are judged, by the rule of correctness, and scored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judge {
    /// The script that scores answers.
    pub scorer: Scorer,
    /// Language of questions and answers.
    pub language: &'static Language,
}

impl Judge {
    /// Judges an answer; `None` without gold answers and key facts. An unanswerable question is answered correctly by
    /// declining.
    #[must_use]
    pub fn judge(&self, question: &Question, answer: &str, stance: Stance) -> Option<Judgment> {
        if question.kind == QuestionKind::Unanswerable {
            let is_correct = stance == Stance::Declined;
            let did = if is_correct { "declined" } else { "did not decline" };
            let reason = format!("{did}, and the question has no answer");
            return Some(Judgment::new(Correctness::from_correct(is_correct), reason));
        }
        if !question.has_facts() && question.answers.is_empty() {
            return None;
        }
        let fault = match stance {
            Stance::Answered => return Some(judge(question, answer, self.language)),
            Stance::Declined => "declined",
            _ => stance.unusable().unwrap_or("no answer to read"),
        };
        Some(Judgment::new(Correctness::Wrong, fault))
    }
}

/// Returns true if a reply declines to answer `question`: not if it is correct as a whole, or in a part of a sentence that denies
/// nothing and is no talk of the sources; nor if it says what a gold answer of yes, no or nothing says. Where a
/// gold answer begins with yes or no, the reply as a whole is not compared.
#[must_use]
pub fn declines_to_answer(
    question: &Question,
    reply: &str,
    phrases: &[String],
    language: &'static Language,
) -> bool {
    let is_correct = |text: &str| {
        question.is_compared()
            && judge(question, text, language).correctness == Correctness::Correct
    };
    let words = Vocabulary::of(language);
    // `No relevant information found` does not give `no`.
    let is_polar = |gold: &String| polarity(&Parsed::new(gold, words)).is_some();
    // `The passages do not say (in fact six minutes).`
    let gives = |part: &str| {
        let talk = [Class::Sources, Class::Denials, Class::Statements];
        let read = Parsed::new(part, words);
        is_correct(part) && !talk.into_iter().any(|class| read.has(class))
    };
    let sentences = split(reply);
    let mut parts = sentences.iter().flat_map(|it| reply[it.clone()].split([',', ';', '(']));
    declines(reply, phrases)
        && (question.answers.iter().any(is_polar) || !is_correct(reply))
        && !says_gold(question, reply, words)
        && !parts.any(gives)
}

/// Longest answer that is compared, in bytes; [`Ground::TooLong`] names it.
const LONGEST: usize = 20_000;

/// A decision with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgment {
    /// The decision.
    pub correctness: Correctness,
    /// A short clause for a report.
    pub reason: String,
    /// True where a judge decides, if there is one: the rule is unsure, found the gold answer among other words or sentences, which may say
    /// it of something else, sets it apart, or misses words of it, which others may replace.
    pub is_open: bool,
}

impl fmt::Display for Judgment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.correctness, self.reason)
    }
}

impl Judgment {
    pub(crate) fn new(correctness: Correctness, reason: impl Into<String>) -> Self {
        Self { correctness, reason: reason.into(), is_open: correctness == Correctness::Unsure }
    }
}

/// Grounds that a judge may see otherwise, whatever the rule decides.
const OPEN: [Ground; 5] =
    [Ground::AmongOthers, Ground::Absent, Ground::Part, Ground::OtherGiven, Ground::Contrasted];

/// Judges `answer`, which does not decline.
fn judge(question: &Question, answer: &str, language: &'static Language) -> Judgment {
    let Reason { correctness, ground, quote } = decide(question, answer, language);
    let mut judgment = Judgment::new(correctness, ground.name().replace("{}", &quote));
    judgment.is_open |= OPEN.contains(&ground)
        || matches!(ground, Ground::AllParts | Ground::Polar) && split(answer).len() > 1;
    judgment
}

/// Decides by key facts, by yes or no, or by the best of the gold answers.
fn decide(question: &Question, answer: &str, language: &'static Language) -> Reason {
    if question.answers.iter().any(|gold| gold.trim() == answer.trim()) {
        return correct(Ground::Equal, answer.trim());
    }
    if answer.len() > LONGEST {
        return unsure(Ground::TooLong, "");
    }
    let words = Vocabulary::of(language);
    let asked = Parsed::new(&question.text, words);
    // A bracket of a gold answer is none of a citation: `arr[1]`.
    let has_bracket = |gold: &String| gold.contains('[') || gold.starts_with('(');
    let has_citations = !question.gold_texts().any(has_bracket);
    let given = Parsed::read(answer, words, has_citations);
    if question.has_facts() {
        return by_facts(question, &asked, &given);
    }
    let gold_answers: Vec<Parsed> =
        question.answers.iter().map(|gold| Parsed::new(gold, words)).collect();
    let polar: Vec<(bool, bool)> = gold_answers.iter().filter_map(polarity).collect();
    let n_whole = polar.iter().filter(|(_, is_whole)| *is_whole).count();
    let is_polar = question.kind == QuestionKind::YesNo || n_whole == gold_answers.len();
    // To `No, never`, `yes` is wrong and `no` right; other words of `No, ...` are compared.
    let is_whole = n_whole > 0 || polarity(&given).is_some_and(|(_, is_whole)| is_whole);
    let is_clear =
        |gold| said(&given).is_some_and(|(said, alone)| alone && (said != gold || is_whole));
    if let Some((gold, _)) = polar.first().filter(|(gold, _)| is_polar || is_clear(*gold)) {
        return by_polarity(*gold, &given);
    }
    let (gold_answers, gold_stems) = (&gold_answers[..], &stems(&gold_answers));
    let decide = |gold: &Parsed| {
        let case = Case { question: &asked, gold, gold_answers, gold_stems, answer: &given };
        let shorter = case.shorter();
        let others = shorter.iter().map(|gold| Case { gold, ..case }.decide());
        iter::once(case.decide()).chain(others).min_by_key(|reason| reason.correctness)
    };
    // The best one: correct before unsure before wrong.
    let best = gold_answers.iter().filter_map(decide).min_by_key(|reason| reason.correctness);
    let best = best.unwrap_or_else(|| unsure(Ground::Absent, ""));
    if best.correctness == Correctness::Wrong && !language.has_data() {
        return unsure(Ground::UnknownLanguage, "");
    }
    best
}

/// Returns true if a reply says yes or no where a gold answer begins with one of them, or has half of the words that a gold answer
/// which denies something (`Nobody knows`) adds to the question.
fn says_gold(question: &Question, reply: &str, words: &'static Vocabulary) -> bool {
    let (asked, given) = (Parsed::new(&question.text, words), Parsed::read(reply, words, true));
    let says = |gold: &String| {
        let gold = Parsed::new(gold, words);
        let own: Vec<&String> = gold.stems.difference(&asked.stems).collect();
        let n_said = own.iter().filter(|stem| given.stems.contains(**stem)).count();
        let is_negative = gold.has(Class::Negations) || gold.has(Class::Denials);
        polarity(&gold).is_some() && said(&given).is_some_and(|(_, alone)| alone)
            || is_negative && gold.n_words() > 1 && n_said > 0 && n_said * 2 >= own.len()
    };
    question.answers.iter().any(says)
}

/// Returns the stems of the words of texts.
fn stems(texts: &[Parsed]) -> HashSet<&str> {
    texts.iter().flat_map(|text| &text.stems).map(String::as_str).collect()
}

/// Decides an answer by the key facts of its question.
fn by_facts(question: &Question, asked: &Parsed, answer: &Parsed) -> Reason {
    let states = |fact: &KeyFact| {
        let gold_answers: Vec<Parsed> =
            fact.iter().map(|text| Parsed::new(text, answer.words)).collect();
        let gold_stems = &stems(&gold_answers);
        let gold_answers = &gold_answers[..];
        let case = |gold| Case { question: asked, gold, gold_answers, gold_stems, answer };
        gold_answers.iter().any(|gold| case(gold).states())
    };
    let name = |fact: &KeyFact| fact.first().cloned().unwrap_or_default();
    if let Some(fact) = question.required.iter().find(|fact| !states(fact)) {
        return wrong(Ground::Absent, name(fact));
    }
    if let Some(fact) = question.forbidden.iter().find(|fact| states(fact)) {
        return wrong(Ground::Forbidden, name(fact));
    }
    correct(Ground::AllFacts, "")
}

/// Returns `true` for yes and `false` for no, if a text begins with one of these words as a clause, and whether it says no more.
fn polarity(parsed: &Parsed) -> Option<(bool, bool)> {
    let at = parsed.tokens.iter().position(|token| !token.is_symbol())?;
    let (yes, len) = parsed.polar(at)?;
    let rest = &parsed.tokens[at + len..];
    let is_clause = rest.first().is_none_or(Token::is_symbol);
    is_clause.then(|| (yes, rest.iter().all(Token::is_symbol)))
}

/// Decides an answer to a question whose gold answer is yes (`true`) or no.
fn by_polarity(gold: bool, answer: &Parsed) -> Reason {
    let Some((said, _)) = said(answer) else { return unsure(Ground::Polar, "neither yes nor no") };
    let decide = if said == gold { correct } else { wrong };
    decide(Ground::Polar, if said { "yes" } else { "no" })
}

/// Returns what an answer says: a word of yes or no that begins it, after pleasantries, or ends one of its short sentences
/// (`The answer is no.`), or is emphasised; and whether it is a clause of its own. `None` if there is none, or both.
fn said(answer: &Parsed) -> Option<(bool, bool)> {
    let tokens = &answer.tokens;
    let len = |at: usize| answer.polar(at).map_or(0, |(_, len)| len);
    let pleasantry = |at: usize| {
        let symbol = usize::from(tokens.get(at).is_some_and(Token::is_symbol));
        answer.at(Class::Openings, at).max(symbol)
    };
    let mut begin = 0;
    while pleasantry(begin) >= len(begin).max(1) {
        begin += pleasantry(begin);
    }
    let (mut found, mut at) = (Vec::new(), begin);
    while at < tokens.len() {
        if let Some((said, len)) = answer.polar(at) {
            let sentence = answer.sentence(at);
            let closes = sentence.end <= at + len || tokens[at + len].is_symbol();
            let n_before = answer.content(sentence.start..at).count();
            let is_short = n_before <= if tokens[at].unspaced { 12 } else { 4 };
            if at == begin || tokens[at].emphasised || closes && is_short {
                found.push((said, closes));
            }
        }
        at += len(at).max(1);
    }
    // `네` is a pleasantry and a yes.
    let only = || polarity(answer).map(|(said, _)| (said, true));
    let first = found.first().copied().or_else(only)?;
    found.iter().all(|(said, _)| *said == first.0).then_some(first)
}
