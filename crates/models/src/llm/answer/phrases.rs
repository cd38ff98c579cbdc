//! Phrases that identify an answer as an abstention or a refusal, and their matching.
//!
//! All are lower-case and matched at the answer's start, optionally after an apology or `based on the
//! passages,`.

/// Abstentions as whole answers, lower-case, without trailing marks.
const WHOLE_ABSTENTIONS: [&str; 22] = [
    "unanswerable",
    "unknown",
    "no answer",
    "noanswer",
    "none given",
    "n/a",
    "not known",
    "not stated",
    "not specified",
    "not mentioned",
    "not provided",
    "not available",
    "not given",
    "not answerable",
    "no information",
    "insufficient information",
    "not enough information",
    "cannot answer",
    "can't answer",
    "cannot say",
    "not sure",
    "unclear",
];

/// Abstentions that an answer may begin with, if a mark or one of [`CONTINUATIONS`] follows: `I Don't Know How to Love
/// Him` is a song.
const OPENING_ABSTENTIONS: [&str; 8] = [
    "i don't know",
    "i do not know",
    "i'm not sure",
    "i am not sure",
    "don't know",
    "no answer",
    "unanswerable",
    "cannot be determined",
];

/// Words that may follow one of [`OPENING_ABSTENTIONS`] without a mark between.
const CONTINUATIONS: [&str; 10] =
    ["as", "based", "because", "but", "from", "given", "if", "in", "since", "the answer"];

/// Abstentions that an answer may begin with, whatever follows.
const LEADING_ABSTENTIONS: [&str; 38] = [
    "cannot be determined from",
    "it cannot be determined",
    "it can't be determined",
    "this cannot be determined",
    "the answer cannot be",
    "the answer is not given",
    "the answer is not in",
    "the answer is not mentioned",
    "the answer is not provided",
    "the answer is not stated",
    "the answer is unknown",
    "the question cannot be answered",
    "this question cannot be answered",
    "it is not possible to determine",
    "it is not possible to answer",
    "it is unclear",
    "it is unknown",
    "i cannot answer",
    "i can't answer",
    "i cannot determine",
    "i can't determine",
    "i cannot find",
    "i can't find",
    "i could not find",
    "i couldn't find",
    "i cannot provide an answer",
    "i can't provide an answer",
    "i am unable to answer",
    "i'm unable to answer",
    "i don't have enough information",
    "i do not have enough information",
    "there is no information",
    "there is not enough information",
    "no information is",
    "none of the passages",
    "not mentioned in the",
    "not specified in the",
    "not stated in the",
];

/// Names of the passages in `not in the context`, `the context does not say`.
const SOURCES: [&str; 12] = [
    "context",
    "contexts",
    "passage",
    "passages",
    "text",
    "texts",
    "document",
    "documents",
    "information",
    "excerpts",
    "sources",
    "article",
];

/// Words that may precede and follow one of [`SOURCES`].
const SOURCE_WORDS: [&str; 6] = ["the", "provided", "given", "supplied", "retrieved", "above"];

/// Verbs of a source without an answer.
const DENIALS: [&str; 6] = ["do not", "does not", "don't", "doesn't", "did not", "didn't"];

/// Apologies that may precede an abstention or refusal.
const APOLOGIES: [&str; 7] = [
    "i'm sorry",
    "i am sorry",
    "sorry",
    "i apologize",
    "i apologise",
    "unfortunately",
    "my apologies",
];

/// Refusals that an answer may begin with.
const LEADING_REFUSALS: [&str; 20] = [
    "i can't help with",
    "i cannot help with",
    "i can't assist",
    "i cannot assist",
    "i can't comply",
    "i cannot comply",
    "i can't discuss",
    "i cannot discuss",
    "i can't provide",
    "i cannot provide",
    "i can't fulfill",
    "i cannot fulfill",
    "i can't do that",
    "i'm unable to help",
    "i am unable to help",
    "i'm unable to assist",
    "i am unable to assist",
    "i'm not able to help",
    "i won't help",
    "i must decline",
];

/// Refusals only after an apology.
const APOLOGETIC_REFUSALS: [&str; 5] =
    ["i can't", "i cannot", "i'm unable", "i am unable", "i'm not able"];

/// Returns true if a plain answer (lower case, straight apostrophes, no marks at the end) is an abstention.
pub(super) fn abstains(plain: &str) -> bool {
    let plain = behind_apology(plain).unwrap_or(plain);
    let plain = behind_preamble(plain);
    WHOLE_ABSTENTIONS.contains(&plain)
        || OPENING_ABSTENTIONS
            .iter()
            .any(|phrase| plain.strip_prefix(phrase).is_some_and(ends_phrase))
        || LEADING_ABSTENTIONS.iter().any(|phrase| starts_with_words(plain, phrase))
        || plain.strip_prefix("not in ").is_some_and(|rest| behind_source(rest).is_some())
        || behind_source(plain)
            .is_some_and(|rest| DENIALS.iter().any(|denial| starts_with_words(rest, denial)))
}

/// Returns true if a plain answer is a refusal; asked after [`abstains`].
pub(super) fn refuses(plain: &str) -> bool {
    let apologised = behind_apology(plain);
    let body = apologised.unwrap_or(plain);
    LEADING_REFUSALS.iter().any(|phrase| starts_with_words(body, phrase))
        || (apologised.is_some()
            && APOLOGETIC_REFUSALS.iter().any(|phrase| starts_with_words(body, phrase)))
}

fn starts_with_words(text: &str, phrase: &str) -> bool {
    text.strip_prefix(phrase).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

fn ends_phrase(rest: &str) -> bool {
    let goes_on = rest.strip_prefix(' ').unwrap_or(rest);
    !goes_on.starts_with(char::is_alphanumeric)
        || CONTINUATIONS.iter().any(|word| starts_with_words(goes_on, word))
}

/// Returns the text after `I'm sorry, but`; `None` without an apology.
fn behind_apology(plain: &str) -> Option<&str> {
    let apology = APOLOGIES.iter().find(|apology| starts_with_words(plain, apology))?;
    let rest = plain[apology.len()..].trim_start_matches([',', '.', ';', ':', '!', ' ', '-', '—']);
    Some(rest.strip_prefix("but ").unwrap_or(rest))
}

/// Returns the text after `based on the passages,`.
fn behind_preamble(plain: &str) -> &str {
    ["based on ", "according to ", "from "]
        .iter()
        .find_map(|opening| behind_source(plain.strip_prefix(opening)?)?.strip_prefix(','))
        .map_or(plain, str::trim_start)
}

/// Returns the text after `the provided context` and similar phrases; `None` without one.
fn behind_source(plain: &str) -> Option<&str> {
    let named = without_source_words(plain);
    let behind = SOURCES.iter().find_map(|source| strip_word(named, source))?;
    Some(without_source_words(behind))
}

fn without_source_words(mut text: &str) -> &str {
    while let Some(rest) = SOURCE_WORDS.iter().find_map(|word| strip_word(text, word)) {
        text = rest;
    }
    text
}

/// Returns the text after `word` and a space, or a punctuation mark.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    (!rest.starts_with(char::is_alphanumeric)).then(|| rest.strip_prefix(' ').unwrap_or(rest))
}
