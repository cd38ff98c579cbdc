//! Gold answers of which an answer has a part, or another form.

use super::claim::Claim;
use super::code;
use super::lex::TokenShape;
use super::list::listed;
use super::names::{Canon, canonical, is_acronym, is_name, same};
use super::options::is_option;
use super::parsed::Parsed;
use super::spot::{Spot, denied};
use super::tables::WordSet;
use super::verdict::Judgment;
use super::words::{GENERIC, NICKNAMES, OPPOSITES, ROLES, has_content, negates, stem};

/// Judges an answer that lacks the gold answer as a whole.
pub(super) fn absent(gold: &Parsed, claim: &Claim<'_>, f1_suffices: bool) -> Judgment {
    let answer = claim.answer;
    let wanted = canonical(&gold.tokens);
    let acronym =
        answer.tokens.iter().enumerate().find(|(_, token)| is_acronym(token, &gold.tokens));
    if let Some((at, token)) =
        acronym.filter(|(at, _)| !denied(answer, Spot { first: *at, end: at + 1 }))
    {
        return Judgment::right(format!(
            "contains `{}`, an abbreviation",
            answer.slice(at, at + usize::from(!token.text.is_empty()))
        ));
    }
    if let [single] = gold.tokens.as_slice()
        && is_acronym(single, &answer.tokens)
        && !claim.spelled_out
    {
        return Judgment::right(format!("spells out `{}`", gold.text));
    }
    if code::is_code_gold(gold) {
        return Judgment::wrong(format!("does not contain `{}`", gold.text));
    }
    if opposed(gold, answer) {
        return Judgment::wrong("says the opposite");
    }
    if is_name(&gold.tokens) {
        partial_name(&wanted, gold, claim)
    } else {
        loose(&wanted, gold, claim, f1_suffices)
    }
}

/// Returns true if the answer has the opposite of a word of the gold answer, or negates where it does not.
pub(super) fn opposed(gold: &Parsed, answer: &Parsed) -> bool {
    let has = |reading: &Parsed, word: &str| reading.tokens.iter().any(|token| token.is(word));
    let crossed =
        |a: &str, b: &str| has(gold, a) && !has(gold, b) && has(answer, b) && !has(answer, a);
    let negated = |reading: &Parsed| reading.tokens.iter().any(|token| negates(&token.text));
    OPPOSITES.iter().any(|(a, b)| crossed(a, b) || crossed(b, a))
        || negated(gold) != negated(answer)
}

/// Judges a part of the name.
fn partial_name(wanted: &[Canon], gold: &Parsed, claim: &Claim<'_>) -> Judgment {
    let answer = claim.answer;
    let words = canonical(&answer.tokens);
    let lower = !answer.tokens.iter().any(super::lex::Token::capital);
    let in_name = |word: &Canon| wanted.iter().any(|own| same(own, word) || short_for(word, own));
    let asked = |word: &Canon| claim.question.stems.contains(stem(&word.text));
    let shared: Vec<&Canon> = words
        .iter()
        .filter(|word| {
            in_name(word)
                && has_content(&word.text)
                && !denied(answer, Spot { first: word.token, end: word.token + 1 })
        })
        .collect();
    let Some(first) = shared.first() else {
        return Judgment::wrong(format!("does not contain `{}`", gold.text));
    };
    let run = name_run(answer, &words, first.token, lower);
    let foreign: Vec<&&Canon> = run
        .iter()
        .filter(|word| !in_name(word) && !asked(word) && has_content(&word.text) && !word.initials)
        .filter(|word| !ROLES.has(&word.text) && !GENERIC.has(&word.text))
        .collect();
    let people = gold.tokens.iter().all(|token| token.is_mark() || token.capital());
    let (head, tail) = (&wanted[0], &wanted[wanted.len() - 1]);
    let ends = run.first().is_some_and(|word| same(head, word) || short_for(word, head))
        && run.last().is_some_and(|word| same(tail, word));
    let missing: Vec<&Canon> = wanted
        .iter()
        .filter(|own| !words.iter().any(|word| same(own, word) || short_for(word, own)))
        .collect();
    let place = Spot { first: run[0].token, end: run[run.len() - 1].token + 1 };
    if let Some(list) = listed(gold, claim, place) {
        return list;
    }
    if ends
        && people
        && wanted.len() > 1
        && (foreign.len() <= 3 && missing.is_empty() || foreign.is_empty() && missing.len() <= 1)
    {
        return Judgment::right(format!("names `{}` in another form", gold.text));
    }
    if !foreign.is_empty() {
        let quote = answer.slice(first.token, first.token + 1);
        return Judgment::wrong(format!("`{quote}` belongs to another name than `{}`", gold.text));
    }
    let minor = |word: &&Canon| {
        asked(word)
            || ROLES.has(&word.text)
            || GENERIC.has(&word.text)
            || !has_content(&word.text)
            || word.initials
    };
    let distinct = !shared.iter().all(|word| asked(word)) || missing.is_empty();
    let option = run.len() > 1 && run.iter().all(|word| in_name(word) && asked(word)) && people;
    let only_option = is_option(&run, claim.question);
    if distinct && missing.iter().all(minor) || option && only_option {
        return Judgment::right(format!("names `{}` in another form", gold.text));
    }
    Judgment::unsure(format!("names only part of `{}`", gold.text))
}

fn short_for(word: &Canon, own: &Canon) -> bool {
    NICKNAMES.get(&word.text) == Some(own.text.as_str())
}

/// Lower-case words inside names.
static PARTICLES: WordSet = WordSet::new("of and de von van der la le du da di bin al");

/// Returns the words around token `at` that make up a name; the clause, if the answer has no capital letters.
fn name_run<'w>(answer: &Parsed, words: &'w [Canon], at: usize, lower: bool) -> Vec<&'w Canon> {
    let part = |word: &Canon| {
        lower
            || answer.tokens[word.token].capital()
            || answer.tokens[word.token].shape == TokenShape::Digits
            || PARTICLES.has(&word.text)
    };
    let Some(middle) = words.iter().position(|word| word.token == at) else {
        return Vec::new();
    };
    let joined = |a: usize, b: usize| {
        answer.tokens[words[a].token..words[b].token]
            .iter()
            .all(|t| !t.is_mark() || matches!(t.text.as_str(), "-" | "\"" | "." | "&"))
    };
    let mut start = middle;
    while start > 0 && part(&words[start - 1]) && joined(start - 1, start) {
        start -= 1;
    }
    let mut end = middle + 1;
    while end < words.len() && part(&words[end]) && joined(end - 1, end) {
        end += 1;
    }
    words[start..end].iter().collect()
}

/// Judges a phrase by its content words.
fn loose(wanted: &[Canon], gold: &Parsed, claim: &Claim<'_>, f1_suffices: bool) -> Judgment {
    let words = canonical(&claim.answer.tokens);
    let matters = |word: &&Canon| has_content(&word.text);
    let found = |own: &&Canon| words.iter().any(|word| same(own, word));
    let content: Vec<&Canon> = wanted.iter().filter(matters).collect();
    let missing: Vec<&&Canon> = content.iter().filter(|own| !found(own)).collect();
    let foreign = words.iter().filter(matters).any(|word| {
        !wanted.iter().any(|own| same(own, word))
            && !claim.question.stems.contains(stem(&word.text))
    });
    let minor = missing.iter().all(|own| claim.question.stems.contains(stem(&own.text)));
    if !content.is_empty() && missing.is_empty() || f1_suffices && !foreign && minor {
        return Judgment::right("has every content word of the gold answer");
    }
    if f1_suffices && !foreign && gold.mentions.is_empty() {
        return Judgment::right("F1 reaches the threshold");
    }
    if missing.len() * 2 <= content.len() && !content.is_empty() || f1_suffices {
        return Judgment::unsure("has some words of the gold answer");
    }
    Judgment::wrong(format!("does not contain `{}`", gold.text))
}
