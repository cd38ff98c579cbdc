//! Names and phrases as sequences of canonical words.

use super::lex::{Token, TokenShape};
use super::number::{number, roman};
use super::words::{EXPANSIONS, FULL_WORDS, NICKNAMES, OPTIONAL_IN_NAMES, STATES, stem};

/// A canonical word with the token that it comes from.
#[derive(Clone, Debug)]
pub(super) struct Canon {
    pub(super) text: String,
    /// Index of its token.
    pub(super) token: usize,
    /// Initials of given names, joined: `jrr`.
    pub(super) initials: bool,
}

/// Returns the canonical words of `tokens`: no punctuation, articles, titles or company suffixes; numbers in digits.
pub(super) fn canonical(tokens: &[Token]) -> Vec<Canon> {
    let mut words = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        at = push(tokens, at, &mut words);
    }
    words
}

/// Pushes the words of token `at`; returns the index after what it read.
fn push(tokens: &[Token], at: usize, words: &mut Vec<Canon>) -> usize {
    let token = &tokens[at];
    let mut add = |text: &str, initials: bool| {
        words.push(Canon { text: text.to_owned(), token: at, initials });
    };
    if token.is_mark() {
        if token.is("&") {
            add("and", false);
        }
        return at + 1;
    }
    let single =
        token.text.chars().count() == 1 && token.upper() && token.shape == TokenShape::Word;
    if single && !matches!(token.text.as_str(), "i") {
        let follows = at + 1 < tokens.len() && tokens[at + 1].capital();
        if token.text != "a" || follows {
            return push_initials(tokens, at, words);
        }
    }
    let after_mark = at == 0 || tokens[at - 1].is_mark() || tokens[at - 1].is("and");
    if let Some(state) = STATES.get(&token.text).filter(|_| token.upper() && after_mark) {
        state.split('_').for_each(|word| add(word, false));
        return at + 1;
    }
    if OPTIONAL_IN_NAMES.has(&token.text) {
        return at + 1;
    }
    if token.shape == TokenShape::Word && token.upper() && token.text.len() > 1 {
        let expansion = EXPANSIONS.get(&token.text);
        if let Some(expansion) = expansion {
            expansion.split('_').for_each(|word| add(word, false));
            let of_america =
                at + 2 < tokens.len() && tokens[at + 1].is("of") && tokens[at + 2].is("america");
            return if of_america { at + 3 } else { at + 1 };
        }
        if let Some(value) = roman(&token.text) {
            add(&value.to_string(), false);
            return at + 1;
        }
    }
    if let Some(number) = number(tokens, at) {
        let suffix = if number.ordinal { "th" } else { "" };
        add(&format!("{}{suffix}", number.value), false);
        return number.end;
    }
    let united = token.is("states") && words.last().is_some_and(|last| last.text == "united");
    let mut add = |text: &str| {
        words.push(Canon { text: text.to_owned(), token: at, initials: false });
    };
    add(FULL_WORDS.get(&token.text).unwrap_or(&token.text));
    let of_america =
        united && at + 2 < tokens.len() && tokens[at + 1].is("of") && tokens[at + 2].is("america");
    if of_america { at + 3 } else { at + 1 }
}

fn push_initials(tokens: &[Token], at: usize, words: &mut Vec<Canon>) -> usize {
    let is_initial =
        |token: &Token| token.upper() && token.is_word() && token.text.chars().count() == 1;
    let mut text = String::new();
    let mut end = at;
    while tokens.get(end).is_some_and(|t| is_initial(t) || t.is(".") && !t.spaced && end > at) {
        if is_initial(&tokens[end]) {
            text.push_str(&tokens[end].text);
        }
        end += 1;
    }
    words.push(Canon { text, token: at, initials: true });
    end
}

/// Returns true if two canonical words are the same up to inflection.
pub(super) fn same(a: &Canon, b: &Canon) -> bool {
    let pair = |x: &str, y: &str| {
        NICKNAMES.get(x) == Some(y) || (x == "saint" && y == "street") || origin(x, y)
    };
    a.text == b.text
        || (a.text.len() > 3 && b.text.len() > 3 && stem(&a.text) == stem(&b.text))
        || pair(&a.text, &b.text)
        || pair(&b.text, &a.text)
}

/// Returns true if `adjective` is made from the name `place`: `Argentinian`, `Argentina`.
fn origin(place: &str, adjective: &str) -> bool {
    const ENDINGS: [&str; 5] = ["n", "an", "ian", "ish", "ese"];
    let root = place.strip_suffix('a').unwrap_or(place);
    place.len() > 4
        && ENDINGS.iter().any(|ending| {
            adjective.strip_suffix(ending).is_some_and(|left| left == root || left == place)
        })
}

/// Returns the occurrences of `gold` in `words`: index of the first word and after the last.
pub(super) fn occurrences(gold: &[Canon], words: &[Canon]) -> Vec<(usize, usize)> {
    if gold.is_empty() {
        return Vec::new();
    }
    let from = |start: usize| follow(gold, words, start).map(|end| (start, end));
    (0..words.len()).filter_map(from).collect()
}

/// Follows `gold` in `words` from `start`; returns the index after it.
fn follow(gold: &[Canon], words: &[Canon], start: usize) -> Option<usize> {
    let (mut g, mut w, mut full) = (0, start, false);
    while let Some(own) = gold.get(g) {
        let other = words.get(w);
        if let Some(other) = other.filter(|other| same(own, other)) {
            full |= !other.initials;
            (g, w) = (g + 1, w + 1);
        } else if let Some(count) = other.and_then(|_| initialled(own, &words[w..])) {
            (g, w) = (g + 1, w + count);
        } else if let Some(count) = other.and_then(|other| initialled(other, &gold[g..])) {
            (g, w) = (g + count, w + 1);
        } else if own.initials && g > 0 && g + 1 < gold.len() {
            g += 1;
        } else {
            return None;
        }
    }
    (full || gold.len() == 1).then_some(w)
}

/// Returns the number of leading `names` that `initials` abbreviates.
fn initialled(initials: &Canon, names: &[Canon]) -> Option<usize> {
    let letters: Vec<char> = initials.text.chars().collect();
    let fits = initials.initials
        && names.len() > letters.len()
        && letters.iter().zip(names).all(|(letter, name)| name.text.starts_with(*letter));
    fits.then_some(letters.len())
}

/// Returns true if `acronym` is made of the first letters of the words of `name`.
pub(super) fn is_acronym(acronym: &Token, name: &[Token]) -> bool {
    let capitals =
        name.iter().filter(|token| token.capital() && token.is_word() && !token.is("the"));
    let letters: String = capitals.filter_map(|token| token.text.chars().next()).collect();
    acronym.upper() && acronym.is_word() && letters.len() > 2 && acronym.text == letters
}

/// Returns true if a text is a name: some word after the first, or its only word, has a capital letter.
pub(super) fn is_name(tokens: &[Token]) -> bool {
    let words: Vec<&Token> = tokens
        .iter()
        .filter(|t| !t.is_mark())
        .filter(|t| !matches!(t.text.as_str(), "the" | "a" | "an"))
        .collect();
    words.iter().any(|token| token.capital() && token.is_word())
}
