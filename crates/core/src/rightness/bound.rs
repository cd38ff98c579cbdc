//! Bounds: `at most`, `more than`, `or newer`.

use super::lex::{Token, begins_with};
use super::mention::{Bound, Mention};
use super::tables::WordSet;
use super::units::BARE;
use super::value::Value;

/// Phrases before a value that make it an upper bound.
static AT_MOST: WordSet = WordSet::new(
    "\
    at_most up_to no_more_than not_more_than never_more_than no_later_than no_longer_than \
     no_older_than not_over no_greater_than maximum maximum_of maximum_is max within exceed \
     capped_at limit_of limited_to <_= ≤ at_the_latest",
);

/// Phrases before a strict upper bound.
static LESS_THAN: WordSet = WordSet::new(
    "\
    less_than fewer_than under below younger_than shorter_than lower_than smaller_than \
     earlier_than before prior_to <",
);

/// Phrases before a lower bound.
static AT_LEAST: WordSet = WordSet::new(
    "\
    at_least no_less_than not_less_than no_fewer_than minimum minimum_of minimum_is \
     no_earlier_than not_before upwards_of at_the_earliest no_sooner_than >_= ≥",
);

/// Phrases before a strict lower bound.
static MORE_THAN: WordSet = WordSet::new(
    "\
    beyond only_after more_than over above greater_than larger_than higher_than bigger_than \
     exceeding exceeds longer_than beyond older_than newer_than later_than >",
);

/// Phrases after an upper bound.
static OR_LESS: WordSet = WordSet::new(
    "\
    at_most max maximum or_less or_fewer or_earlier or_below and_below tops at_the_latest",
);

/// Phrases after a lower bound.
static OR_MORE: WordSet = WordSet::new(
    "\
    at_least or_more and_more or_later or_newer or_older and_over and_everything_newer \
     at_the_earliest or_higher or_above or_longer and_above and_up and_upwards upwards \
     minimum +",
);

/// Words between a bound and its value.
static BETWEEN: WordSet = WordSet::new("the a an about version versions some of = release around");

/// Returns the bound that the words around a value make it.
pub(super) fn bound(tokens: &[Token], mention: &Mention) -> Option<Bound> {
    let mut before = mention.first;
    while before > 0
        && mention.first - before < 2
        && BETWEEN.has(&tokens[before - 1].text)
        && phrase_before(tokens, before).is_none()
    {
        before -= 1;
    }
    if let Some((phrase, bound)) = phrase_before(tokens, before) {
        return Some(sided(tokens, mention, before - phrase.len(), phrase, bound));
    }
    let after = match &mention.value {
        Value::Amount(amount) => mention.end + amount.nouns.len(),
        _ => mention.end,
    };
    let older = |phrase: &[&str]| phrase.last() == Some(&"older") && is_bare(mention);
    [(&OR_LESS, true), (&OR_MORE, false)].into_iter().find_map(|(table, upper)| {
        let found = |phrase: &&Vec<&str>| {
            begins_with(tokens, after, phrase) || begins_with(tokens, mention.end, phrase)
        };
        let phrase = table.phrases().iter().find(found)?;
        Some(Bound { upper: upper != older(phrase), strict: false })
    })
}

/// Returns the longest phrase that ends before token `end` and makes a bound.
fn phrase_before(tokens: &[Token], end: usize) -> Option<(&'static [&'static str], Bound)> {
    let tables = [
        (&AT_MOST, true, false),
        (&LESS_THAN, true, true),
        (&AT_LEAST, false, false),
        (&MORE_THAN, false, true),
    ];
    let found = tables.into_iter().flat_map(|(table, upper, strict)| {
        let phrases = table.phrases().iter().filter(|phrase| ends_with(tokens, end, phrase));
        phrases.map(move |phrase| (phrase.as_slice(), Bound { upper, strict }))
    });
    found.max_by_key(|(phrase, _)| phrase.len())
}

/// Reverses a strict bound after `not`; a version that is older is lower.
fn sided(
    tokens: &[Token],
    mention: &Mention,
    start: usize,
    phrase: &[&str],
    Bound { upper, strict }: Bound,
) -> Bound {
    let negated = start > 0
        && strict
        && (matches!(tokens[start - 1].text.as_str(), "not" | "no" | "never")
            || tokens[start - 1].text.ends_with("n't"));
    let denied_exceed = phrase == ["exceeds"];
    let version_age = phrase == ["older", "than"] && is_bare(mention);
    let ahead = phrase == ["no", "later", "than"]
        && tokens
            .get(mention.end)
            .is_some_and(|t| matches!(t.text.as_str(), "before" | "prior" | "ahead" | "in"));
    if negated || ahead {
        return Bound { upper: !upper, strict: false };
    }
    Bound { upper: upper != version_age || denied_exceed && upper, strict }
}

/// Returns true for a version: its older ones are lower.
fn is_bare(mention: &Mention) -> bool {
    match &mention.value {
        Value::Amount(amount) => amount.unit == BARE && !amount.per && amount.digits.contains('.'),
        Value::Version(_) => true,
        _ => false,
    }
}

fn ends_with(tokens: &[Token], end: usize, phrase: &[&str]) -> bool {
    end >= phrase.len() && begins_with(tokens, end - phrase.len(), phrase)
}
