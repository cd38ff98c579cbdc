//! The rule `auto`: decides by the kind of gold answer.

use super::cases::differ_in_case;
use super::claim::Claim;
use super::code::is_code_gold;
use super::mention::Mention;
use super::names::{canonical, is_name, same};
use super::parsed::{Parsed, content};
use super::relation::GoldValue;
use super::sort::{Sort, sort};
use super::tables::WordSet;
use super::value::{Agreement, compare};
use super::verdict::{Correctness, Judgment};
use super::words::{FLUFF, GENERIC, OPEN};
use super::{facts, listing, long, offer, partial, phrase, polar};
use crate::types::{Question, QuestionKind};

/// Words that make plain numbers versions.
static VERSION_WORDS: WordSet = WordSet::new("version versions release releases branch branches v");

/// Words of a question that asks for a former state.
static PAST: WordSet = WordSet::new(
    "\
    formerly previously originally former previous old initially before used first",
);

/// Longest answer that is compared, in bytes. Longer ones are no answer to a short question, and comparing takes more than
/// linear time.
pub(super) const LONGEST: usize = 4_000;

/// Longest gold answer, in bytes, whose symbols must be repeated.
const SHORT: usize = 24;
const SYMBOLS: [char; 14] = ['+', '#', '&', '|', '=', '!', '<', '>', '^', '@', '*', '~', '\\', '/'];

/// Judges `answer`, which must be an answer and no abstention. `f1` is its official token F1; from `correct_f1` on it is
/// right where nothing else decides.
#[must_use]
pub fn auto(question: &Question, answer: &str, f1: f64, correct_f1: f64) -> Judgment {
    if answer.len() > LONGEST {
        return Judgment::unsure(format!("is longer than {LONGEST} bytes"));
    }
    let judgment = compared(question, answer, f1, correct_f1);
    if judgment.is_right() && loses_symbols(question, answer) {
        return Judgment::unsure("has other symbols than the gold answer");
    }
    let mut gold_answers = question.answers.iter();
    if judgment.is_right()
        && !question.answers.is_empty()
        && gold_answers.all(|gold| differ_in_case(gold, answer))
    {
        return Judgment::unsure("has a unit in another case");
    }
    judgment
}

/// Returns true if every gold answer is a short text without values that has symbols, as `C++` or `a && b`, and the answer
/// contains none of them as it is: comparison by words does not see symbols.
fn loses_symbols(question: &Question, answer: &str) -> bool {
    let answer = answer.to_lowercase();
    let is_lost = |gold: &String| {
        gold.len() <= SHORT
            && gold.contains(SYMBOLS)
            && Parsed::new(gold).mentions.is_empty()
            && !answer.contains(&gold.to_lowercase())
    };
    !question.answers.is_empty() && question.answers.iter().all(is_lost)
}

fn compared(question: &Question, answer: &str, f1: f64, correct_f1: f64) -> Judgment {
    let asked = Parsed::new(&question.text);
    let mut given = Parsed::new(answer);
    given.answers_denial = denies(&asked);
    given.answers_past = asked.tokens.iter().any(|token| PAST.has(&token.text));
    if given.tokens.is_empty() {
        return Judgment::wrong("empty");
    }
    let gold_answers: Vec<Parsed> = question.answers.iter().map(|gold| Parsed::new(gold)).collect();
    let versions = gold_answers.iter().chain([&asked]).any(names_version);
    let spelled_out = gold_answers.iter().any(|gold| gold.tokens.len() > 1);
    let claim = Claim {
        question: &asked,
        answer: &given,
        gold_answers: &gold_answers,
        versions,
        spelled_out,
    };
    if !question.required.is_empty() || !question.forbidden.is_empty() {
        return facts::judge(question, &claim);
    }
    if gold_answers.iter().any(|gold| equals(gold, &given)) {
        return Judgment::right("equals a gold answer");
    }
    let sorts: Vec<Sort> = gold_answers.iter().map(sort).collect();
    if question.kind == QuestionKind::YesNo
        || sorts.iter().all(|sort| matches!(sort, Sort::Yes | Sort::No))
    {
        return polar::judge(sorts.contains(&Sort::Yes), &given, &asked);
    }
    let mut verdicts = Vec::new();
    let single: Vec<&Mention> = gold_answers
        .iter()
        .zip(&sorts)
        .filter(|(_, sort)| **sort == Sort::Value)
        .map(|(gold, _)| &gold.mentions[0])
        .collect();
    if !single.is_empty() {
        verdicts.push(offer::judge(&[GoldValue { alternatives: single, exact: false }], &claim));
    }
    for (gold, sort) in gold_answers.iter().zip(&sorts) {
        match sort {
            Sort::Values => verdicts.push(offer::judge(&targets(gold), &claim)),
            Sort::Phrase if repeats_value(gold, &gold_answers, &sorts) => {}
            Sort::Phrase => verdicts.push(phrase_or_list(gold, &claim, f1 >= correct_f1)),
            Sort::Long => verdicts.push(long::judge(gold, &claim)),
            Sort::Value | Sort::Yes | Sort::No => {}
        }
    }
    let pair = |first: &str, second: &str| {
        given.tokens.windows(2).any(|w| w[0].is(first) && w[1].is(second))
    };
    if pair("or", "else") || pair("not", "clear") || pair("that", "open") || pair("it", "open") {
        return Judgment::unsure("leaves the answer open");
    }
    if let Some(word) = given.tokens.iter().find(|token| OPEN.has(&token.text)) {
        return Judgment::unsure(format!("leaves the answer open: `{}`", word.text));
    }
    let best = |correctness: Correctness| {
        verdicts.iter().find(|verdict| verdict.correctness == correctness)
    };
    best(Correctness::Right)
        .or_else(|| best(Correctness::Unsure))
        .or_else(|| verdicts.first())
        .cloned()
        .unwrap_or_else(|| Judgment::unsure("nothing to compare with"))
}

/// Returns true if the question asks for what is not allowed.
fn denies(question: &Parsed) -> bool {
    let denied = |word: &str| {
        matches!(word, "forbidden" | "prohibited" | "excluded" | "not" | "never" | "banned")
            || word.ends_with("n't")
    };
    question.tokens.iter().any(|token| denied(&token.text))
}

fn names_version(reading: &Parsed) -> bool {
    reading.tokens.iter().any(|token| VERSION_WORDS.has(&token.text))
}

fn targets(gold: &Parsed) -> Vec<GoldValue<'_>> {
    gold.mentions
        .iter()
        .map(|mention| GoldValue { alternatives: vec![mention], exact: gold.mentions.len() > 1 })
        .collect()
}

/// Returns true if the texts are equal but for case; with values, whose units have a case (`MB`, `Mb`), in case too.
fn equals(gold: &Parsed, answer: &Parsed) -> bool {
    let plain = |reading: &Parsed| {
        let text = reading.text.trim_matches(['.', '"', '\'', ' ']);
        if gold.mentions.is_empty() { text.to_lowercase() } else { text.to_owned() }
    };
    !gold.text.is_empty() && !is_code_gold(gold) && plain(gold) == plain(answer)
}

/// Returns true if the value of `gold` is a gold answer by itself (`HTTP 409` next to `409`).
fn repeats_value(gold: &Parsed, gold_answers: &[Parsed], sorts: &[Sort]) -> bool {
    let value = |other: &Parsed, mention: &Mention| {
        !is_code_gold(gold)
            && compare(&other.mentions[0].value, &mention.value, false) == Agreement::Same
    };
    gold.mentions.iter().any(|mention| {
        gold_answers
            .iter()
            .zip(sorts)
            .any(|(other, sort)| *sort == Sort::Value && value(other, mention))
    })
}

/// Judges a phrase with values: all must be stated, and its other words must be in the answer or the question.
fn phrase_with_values(gold: &Parsed, claim: &Claim<'_>) -> Judgment {
    let values = offer::judge(&targets(gold), claim);
    if !values.is_right() {
        return values;
    }
    let covered =
        |at: usize| gold.mentions.iter().any(|mention| (mention.first..mention.end).contains(&at));
    let words = canonical(&claim.answer.tokens);
    let missing = canonical(&gold.tokens).into_iter().find(|own| {
        let token = &gold.tokens[own.token];
        !covered(own.token)
            && content(token)
            && !FLUFF.has(&token.text)
            && !GENERIC.has(&token.text)
            && !claim.question.has(token)
            && !words.iter().any(|word| same(own, word))
    });
    let foreign = claim.answer.tokens.iter().any(|token| {
        token.capital()
            && token.is_word()
            && content(token)
            && !gold.has(token)
            && !claim.question.has(token)
            && token.start > 0
    });
    let shifted = canonical(&gold.tokens).into_iter().find(|own| {
        foreign
            && !covered(own.token)
            && content(&gold.tokens[own.token])
            && !words.iter().any(|word| same(own, word))
    });
    match missing.or(shifted) {
        Some(word) if partial::opposed(gold, claim.answer) => {
            Judgment::wrong(format!("says the opposite of `{}`", word.text))
        }
        Some(word) => Judgment::unsure(format!("lacks `{}`", word.text)),
        None => values,
    }
}

fn phrase_or_list(gold: &Parsed, claim: &Claim<'_>, f1_suffices: bool) -> Judgment {
    let valued = gold.mentions.iter().any(|mention| !mention.weak) && !is_code_gold(gold);
    if valued && listing::items(gold).len() < 2 {
        let whole = phrase::judge(gold, claim, f1_suffices);
        let named = is_name(&gold.tokens)
            && gold.tokens[0].capital()
            && whole.is_right()
            && whole.reason.starts_with("contains");
        return if named && canonical(&gold.tokens).len() > 2 {
            whole
        } else {
            phrase_with_values(gold, claim)
        };
    }
    let whole = phrase::judge(gold, claim, f1_suffices);
    let items = listing::items(gold);
    if items.len() < 2 || whole.reason.starts_with("contains") {
        return whole;
    }
    listing::judge(&items, claim)
}
