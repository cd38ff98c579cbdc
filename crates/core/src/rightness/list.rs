//! Lists of candidates: `A or B`, `A, B and C`.

use super::claim::Claim;
use super::code;
use super::lex::Token;
use super::names::is_name;
use super::parsed::{Parsed, content};
use super::spot::Spot;
use super::tables::WordSet;
use super::verdict::Judgment;
use super::words::{OPTIONAL_IN_NAMES, REGIONS, ROLES, STATES, has_content, negates};

/// Returns a verdict if the occurrence is an item of a list of other candidates.
pub(super) fn listed(gold: &Parsed, claim: &Claim<'_>, place: Spot) -> Option<Judgment> {
    let answer = claim.answer;
    let after = link_after(answer, place.end);
    if let Some((kind, at)) = after
        && candidate(gold, claim, kind, at, false)
    {
        return Some(Judgment::wrong(format!(
            "also offers `{}`",
            answer.slice(at, item_end(answer, at))
        )));
    }
    let (kind, at) = link_before(answer, place.first)?;
    candidate(gold, claim, kind, at, true)
        .then(|| Judgment::wrong(format!("also offers `{}`", answer.word(at))))
}

/// Word or mark that links two items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    Or,
    And,
    Comma,
}

fn link(word: &str) -> Option<Link> {
    match word {
        "or" => Some(Link::Or),
        "and" | "&" | "plus" => Some(Link::And),
        "," | "/" | "\n" | ";" => Some(Link::Comma),
        _ => None,
    }
}

/// Words between a link and its item.
static BEFORE_ITEM: WordSet = WordSet::new(
    "\
    \" ' the a an maybe perhaps possibly also even either to in on for from by at with of \
     else",
);

/// Returns the link after an item and the first token of the next one.
fn link_after(answer: &Parsed, end: usize) -> Option<(Link, usize)> {
    let mut at = end;
    while matches!(answer.word(at), "\"" | "'" | ")") {
        at += 1;
    }
    let mut kind = link(answer.word(at))?;
    at += 1;
    while let Some(more) = link(answer.word(at)) {
        if more != Link::Comma {
            kind = more;
        }
        at += 1;
    }
    while BEFORE_ITEM.has(answer.word(at)) {
        at += 1;
    }
    (at < answer.tokens.len()).then_some((kind, at))
}

/// Returns the link before an item and the last token of the item before it.
fn link_before(answer: &Parsed, first: usize) -> Option<(Link, usize)> {
    let mut at = first.checked_sub(1)?;
    while matches!(
        answer.word(at),
        "\"" | "'"
            | "the"
            | "a"
            | "an"
            | "maybe"
            | "perhaps"
            | "possibly"
            | "also"
            | "in"
            | "with"
            | "use"
            | "run"
    ) {
        at = at.checked_sub(1)?;
    }
    let mut kind = link(answer.word(at))?;
    at = at.checked_sub(1)?;
    while let Some(more) = link(answer.word(at)) {
        if more != Link::Comma {
            kind = more;
        }
        at = at.checked_sub(1)?;
    }
    while matches!(answer.word(at), "\"" | "'" | ")") {
        at = at.checked_sub(1)?;
    }
    Some((kind, at))
}

/// Returns the index after the item that begins at `at`.
fn item_end(answer: &Parsed, at: usize) -> usize {
    let mut end = at;
    while end < answer.tokens.len() && end < at + 6 {
        let word = answer.word(end);
        let inner = word == "-" && !answer.tokens[end].spaced;
        if end > at && !inner && (answer.tokens[end].is_mark() || matches!(word, "or" | "and")) {
            break;
        }
        end += 1;
    }
    end
}

/// Returns true if the item at `at` (its last token, if `before`) is another candidate of the gold answer's kind.
fn candidate(gold: &Parsed, claim: &Claim<'_>, kind: Link, at: usize, before: bool) -> bool {
    let (answer, question) = (claim.answer, claim.question);
    let token = &answer.tokens[at];
    let item = if before { item_start(answer, at)..at + 1 } else { at..item_end(answer, at) };
    let label = !before && answer.word(item.end) == ":";
    let denied = answer.tokens[item.clone()].iter().any(|t| negates(&t.text));
    let suffix = OPTIONAL_IN_NAMES.has(&token.text);
    let own = label
        || denied
        || suffix
        || item.clone().all(|i| !content(&answer.tokens[i]) || gold.has(&answer.tokens[i]));
    if own || token.is_mark() {
        return false;
    }
    let in_words = gold.tokens.len() > 1 && !answer.text.contains(gold.text.as_str());
    if code::is_code_gold(gold) && !in_words {
        let identifiers = code::identifiers(answer);
        let identifier =
            identifiers.iter().any(|&(first, end)| item.clone().any(|i| (first..end).contains(&i)));
        let asked =
            item.clone().all(|i| !content(&answer.tokens[i]) || question.has(&answer.tokens[i]));
        let short = gold.tokens.iter().all(|token| !token.spaced || token.start == 0);
        return identifier && !asked && (short || kind == Link::Or)
            || kind == Link::Or && !before && item_ends_clause(answer, at);
    }
    let named = is_name(&gold.tokens);
    let asked = question.has(token);
    let kind_fits = if named {
        item.clone().any(|i| {
            answer.tokens[i].capital()
                && answer.tokens[i].is_word()
                && has_content(answer.word(i))
                && !ROLES.has(answer.word(i))
        })
    } else {
        has_content(&token.text)
    };
    if !kind_fits || asked && kind != Link::Or {
        return false;
    }
    let region =
        |word: &Token| REGIONS.has(&word.text) || word.upper() && STATES.get(&word.text).is_some();
    let region_follows = region(token) && !gold.tokens.first().is_some_and(region);
    match (kind, before) {
        (Link::Or, _) => true,
        (Link::And, true) => named || begins_list(answer, at),
        (Link::Comma, true) => {
            !region(&gold.tokens[0])
                && begins_list(answer, at)
                && (named || answer.tokens.len() < 12)
        }
        (Link::And, false) => ends_item(answer, at) || !named && item_ends_clause(answer, at),
        (Link::Comma, false) => {
            !(named && region_follows)
                && item_ends_clause(answer, at)
                && (named || goes_on(answer, at) || answer.tokens.len() < 8)
        }
    }
}

/// Returns true if another item follows the one that begins at `at`.
fn goes_on(answer: &Parsed, at: usize) -> bool {
    matches!(answer.word(item_end(answer, at)), "," | "and" | "or")
}

/// Returns the first token of the item that ends at `at`.
fn item_start(answer: &Parsed, at: usize) -> usize {
    let mut start = at;
    while start > 0
        && at - start < 5
        && !answer.tokens[start - 1].is_mark()
        && link(answer.word(start - 1)).is_none()
        && answer.tokens[start - 1].capital() == answer.tokens[at].capital()
    {
        start -= 1;
    }
    start
}

/// Returns true if the capitalised words from `at` end their clause.
fn ends_item(answer: &Parsed, at: usize) -> bool {
    let mut end = at;
    while end < answer.tokens.len()
        && (answer.tokens[end].capital() || answer.word(end) == "-" || answer.word(end) == "of")
    {
        end += 1;
    }
    end >= answer.tokens.len() || answer.tokens[end].is_mark() || !verb_like(answer.word(end))
}

fn verb_like(word: &str) -> bool {
    word.ends_with("ed")
        || matches!(
            word,
            "is" | "was"
                | "has"
                | "had"
                | "plays"
                | "wrote"
                | "did"
                | "does"
                | "won"
                | "sang"
                | "made"
                | "became"
        )
}

fn item_ends_clause(answer: &Parsed, at: usize) -> bool {
    let end = item_end(answer, at);
    let boundary = end >= answer.tokens.len()
        || answer.tokens[end].is_mark()
        || link(answer.word(end)).is_some();
    boundary
        && end - at <= 4
        && !answer.tokens[at..end].iter().any(|t| {
            verb_like(&t.text)
                || matches!(
                    t.text.as_str(),
                    "who" | "which" | "where" | "not" | "by" | "it" | "he" | "she"
                )
        })
}

/// Returns true if the item that ends at `at` is at the start of its sentence or follows another link.
fn begins_list(answer: &Parsed, at: usize) -> bool {
    let mut start = at;
    while start > 0
        && answer.same_sentence(start - 1, at)
        && (answer.tokens[start - 1].capital() || matches!(answer.word(start - 1), "-" | "\""))
    {
        start -= 1;
    }
    let item = !ROLES.has(answer.word(start)) && has_content(answer.word(start));
    let edge = start == 0
        || !answer.same_sentence(start - 1, at)
        || link(answer.word(start - 1)).is_some()
        || matches!(answer.word(start - 1), "either" | "both" | "between");
    edge && item
}
