//! Judges gold answers that are names, phrases or code.

use super::bench::Bench;
use super::code;
use super::lex::{Shape, Token};
use super::names::{Canon, canonical, is_acronym, is_name, occurrences, same};
use super::options::{is_option, other_option_first};
use super::reading::{Reading, content};
use super::scope::rejected;
use super::subject::{question_terms, wrong_subject};
use super::tables::Words;
use super::verdict::Judgment;
use super::words::{
    FULL_WORDS, GENERIC, NICKNAMES, OPPOSITES, OPTIONAL_IN_NAMES, PRIVATIVES, REGIONS, ROLES,
    STATES, has_content, negates, stem,
};

/// Token range of an occurrence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) first: usize,
    pub(super) end: usize,
}

/// Judges one gold answer.
pub(super) fn judge(gold: &Reading, bench: &Bench<'_>, f1_suffices: bool) -> Judgment {
    let places = places(gold, bench.answer);
    let (denied, offered): (Vec<Place>, Vec<Place>) = places
        .iter()
        .partition(|place| denied(bench.answer, **place));
    if let Some(judgment) = offered
        .iter()
        .map(|place| at_place(gold, bench, *place))
        .max_by_key(rank)
    {
        if judgment.is_right()
            && let Some(list) = offered.iter().find_map(|place| listed(gold, bench, *place))
        {
            return list;
        }
        return judgment;
    }
    if !denied.is_empty() {
        return Judgment::wrong("negated or set apart");
    }
    absent(gold, bench, f1_suffices)
}

fn denied(answer: &Reading, place: Place) -> bool {
    let than = (1..=4).filter(|back| place.first >= *back).any(|back| {
        let at = place.first - back;
        answer.word(at) == "than" && answer.same_clause(at, place.first)
    });
    than || rejected(answer, place.first, place.end)
}

fn rank(judgment: &Judgment) -> u8 {
    match judgment.correctness {
        super::verdict::Correctness::Right => 2,
        super::verdict::Correctness::Unsure => 1,
        super::verdict::Correctness::Wrong => 0,
    }
}

/// Returns the places where the answer has the gold answer.
pub(super) fn places(gold: &Reading, answer: &Reading) -> Vec<Place> {
    if code::is_code_gold(gold) {
        let by_bytes =
            code::occurrences(&gold.text, &answer.text)
                .into_iter()
                .map(|(start, end)| Place {
                    first: answer
                        .tokens
                        .iter()
                        .position(|token| token.end > start)
                        .unwrap_or(0),
                    end: answer
                        .tokens
                        .iter()
                        .rposition(|token| token.start < end)
                        .map_or(0, |last| last + 1),
                });
        let found: Vec<Place> = by_bytes.collect();
        if !found.is_empty() || gold.tokens.iter().any(|token| token.shape == Shape::Code) {
            return found;
        }
    }
    let words = canonical(&answer.tokens);
    let mut wanted = canonical(&gold.tokens);
    if wanted.is_empty() {
        wanted = literal(gold);
        return in_tokens(&wanted, &literal(answer));
    }
    let code = code::is_code_gold(gold);
    let spelled = |place: &Place| {
        !code
            || !answer.tokens[place.first..place.end]
                .iter()
                .any(|token| token.is("-"))
    };
    in_tokens(&wanted, &words)
        .into_iter()
        .filter(spelled)
        .collect()
}

fn in_tokens(wanted: &[Canon], words: &[Canon]) -> Vec<Place> {
    occurrences(wanted, words)
        .into_iter()
        .map(|(first, end)| Place {
            first: words[first].token,
            end: words[end - 1].token + 1,
        })
        .collect()
}

/// Returns every token as it is: for gold answers of titles or articles only.
fn literal(reading: &Reading) -> Vec<Canon> {
    let word = |(token, t): (usize, &super::lex::Token)| Canon {
        text: t.text.clone(),
        token,
        initials: false,
    };
    reading.tokens.iter().enumerate().map(word).collect()
}

/// Judges an occurrence that is not denied.
fn at_place(gold: &Reading, bench: &Bench<'_>, place: Place) -> Judgment {
    let answer = bench.answer;
    let quote = answer.slice(place.first, place.end);
    if let Some(list) = listed(gold, bench, place) {
        return list;
    }
    if !stands_out(gold, answer, place) {
        return Judgment::unsure(format!("has the common word `{quote}`"));
    }
    if let Some(word) = privative(answer, place).filter(|word| !gold.stems.contains(stem(word))) {
        return Judgment::unsure(format!("`{word}` changes `{quote}`"));
    }
    if is_name(&gold.tokens) && !code::is_code_gold(gold) {
        if let Some(extra) = extra_name(gold, bench, place) {
            return Judgment::unsure(format!("`{extra}` extends the name `{quote}`"));
        }
        if answer.tokens[place.end - 1].possessive
            && !gold.tokens.iter().any(|t| t.possessive)
            && place.end < answer.tokens.len()
            && !answer.tokens[place.end].is_mark()
        {
            return Judgment::unsure(format!("names something of `{quote}`"));
        }
    }
    if longer_alias_differs(gold, bench, place) {
        return Judgment::unsure(format!("goes on after `{quote}`"));
    }
    if other_option_first(gold, bench, place.first) {
        return Judgment::wrong("offers the other option of the question");
    }
    let spelled_out = is_acronym(&gold.tokens[0], &answer.tokens[..place.first]);
    if !spelled_out && outranked(gold, bench, place) {
        return Judgment::unsure(format!("names `{quote}`, perhaps for another role"));
    }
    if !code::is_code_gold(gold)
        && !is_name(&gold.tokens)
        && wrong_subject(bench, place.first)
        && gold.tokens.len() < 3
    {
        return Judgment::unsure(format!("gives `{quote}`, perhaps for another thing"));
    }
    Judgment::right(format!("contains `{quote}`"))
}

/// Returns true unless the gold answer is a common word that merely occurs.
fn stands_out(gold: &Reading, answer: &Reading, place: Place) -> bool {
    let before = place.first.checked_sub(1).map_or("", |at| answer.word(at));
    let opens = before.is_empty()
        || matches!(
            before,
            "is" | "was" | ":" | "\"" | "'" | "gives" | "be" | "it's" | "("
        )
        || answer.tokens[place.first - 1].is_mark();
    let closes = answer
        .tokens
        .get(place.end)
        .is_none_or(|token| token.is_mark() || token.is("as"));
    !gold.stems.is_empty() || opens && closes
}

/// Returns true if a longer gold answer begins with this one and the answer ends with another word there.
fn longer_alias_differs(gold: &Reading, bench: &Bench<'_>, place: Place) -> bool {
    let answer = bench.answer;
    let last = place.end + 1 == answer.tokens.len() && !answer.tokens[place.end].is_mark();
    let len = gold.tokens.len();
    last && bench.golds.iter().any(|other| {
        other.tokens.len() > len
            && other.text.starts_with(&gold.text)
            && !other.tokens[len].is_mark()
            && other.tokens[len].text != answer.tokens[place.end].text
    })
}

fn privative(answer: &Reading, place: Place) -> Option<&str> {
    let at = place.first.checked_sub(1)?;
    let hyphen = answer.word(at) == "-" && !answer.tokens[place.first].spaced;
    let word = answer.word(at.checked_sub(usize::from(hyphen))?);
    PRIVATIVES.has(word).then_some(word)
}

/// Returns a capitalised word next to the name that neither the question nor the gold answer has.
fn extra_name<'a>(gold: &Reading, bench: &'a Bench<'_>, place: Place) -> Option<&'a str> {
    let answer = bench.answer;
    let extends = |at: usize| {
        let token = &answer.tokens[at];
        token.is_word()
            && token.capital
            && !ROLES.has(&token.text)
            && !GENERIC.has(&token.text)
            && !token.possessive
            && token.text.len() > 1
            && !FULL_WORDS
                .get(&token.text)
                .is_some_and(|full| ROLES.has(full))
            && !OPTIONAL_IN_NAMES.has(&token.text)
            && has_content(&token.text)
            && !bench.question.has(token)
            && !gold.has(token)
    };
    let before = place.first.checked_sub(1).filter(|&at| {
        let starts =
            at == 0 || !answer.same_sentence(at, at - 1) || answer.tokens[at - 1].is_mark();
        let lower_later =
            starts && place.end < answer.tokens.len() && !answer.tokens[place.end].is_mark();
        extends(at)
            && answer.tokens[place.first].spaced
            && !(lower_later && at == 0 && answer.tokens.len() > 6)
    });
    let after = Some(place.end)
        .filter(|&at| at < answer.tokens.len() && extends(at) && answer.tokens[at].spaced);
    let hyphen = answer.word(place.end) == "-"
        && place.end + 1 < answer.tokens.len()
        && !answer.tokens[place.end + 1].spaced
        && answer.tokens[place.end + 1].capital
        && extends(place.end + 1);
    let after = after.or(hyphen.then_some(place.end + 1));
    before.or(after).map(|at| answer.word(at))
}

/// Returns a verdict if the occurrence is an item of a list of other candidates.
fn listed(gold: &Reading, bench: &Bench<'_>, place: Place) -> Option<Judgment> {
    let answer = bench.answer;
    let after = link_after(answer, place.end);
    if let Some((kind, at)) = after
        && candidate(gold, bench, kind, at, false)
    {
        return Some(Judgment::wrong(format!(
            "also offers `{}`",
            answer.slice(at, item_end(answer, at))
        )));
    }
    let (kind, at) = link_before(answer, place.first)?;
    candidate(gold, bench, kind, at, true)
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
static BEFORE_ITEM: Words = Words::new(
    "\
    \" ' the a an maybe perhaps possibly also even either to in on for from by at with of \
     else",
);

/// Returns the link after an item and the first token of the next one.
fn link_after(answer: &Reading, end: usize) -> Option<(Link, usize)> {
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
fn link_before(answer: &Reading, first: usize) -> Option<(Link, usize)> {
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
fn item_end(answer: &Reading, at: usize) -> usize {
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
fn candidate(gold: &Reading, bench: &Bench<'_>, kind: Link, at: usize, before: bool) -> bool {
    let (answer, question) = (bench.answer, bench.question);
    let token = &answer.tokens[at];
    let item = if before {
        item_start(answer, at)..at + 1
    } else {
        at..item_end(answer, at)
    };
    let label = !before && answer.word(item.end) == ":";
    let denied = answer.tokens[item.clone()].iter().any(|t| negates(&t.text));
    let suffix = OPTIONAL_IN_NAMES.has(&token.text);
    let own = label
        || denied
        || suffix
        || item
            .clone()
            .all(|i| !content(&answer.tokens[i]) || gold.has(&answer.tokens[i]));
    if own || token.is_mark() {
        return false;
    }
    let in_words = gold.tokens.len() > 1 && !answer.text.contains(gold.text.as_str());
    if code::is_code_gold(gold) && !in_words {
        let identifiers = code::identifiers(answer);
        let identifier = identifiers
            .iter()
            .any(|&(first, end)| item.clone().any(|i| (first..end).contains(&i)));
        let asked = item
            .clone()
            .all(|i| !content(&answer.tokens[i]) || question.has(&answer.tokens[i]));
        let short = gold
            .tokens
            .iter()
            .all(|token| !token.spaced || token.start == 0);
        return identifier && !asked && (short || kind == Link::Or)
            || kind == Link::Or && !before && item_ends_clause(answer, at);
    }
    let named = is_name(&gold.tokens);
    let asked = question.has(token);
    let kind_fits = if named {
        item.clone().any(|i| {
            answer.tokens[i].capital
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
        |word: &Token| REGIONS.has(&word.text) || word.upper && STATES.get(&word.text).is_some();
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
fn goes_on(answer: &Reading, at: usize) -> bool {
    matches!(answer.word(item_end(answer, at)), "," | "and" | "or")
}

/// Returns the first token of the item that ends at `at`.
fn item_start(answer: &Reading, at: usize) -> usize {
    let mut start = at;
    while start > 0
        && at - start < 5
        && !answer.tokens[start - 1].is_mark()
        && link(answer.word(start - 1)).is_none()
        && answer.tokens[start - 1].capital == answer.tokens[at].capital
    {
        start -= 1;
    }
    start
}

/// Returns true if the capitalised words from `at` end their clause.
fn ends_item(answer: &Reading, at: usize) -> bool {
    let mut end = at;
    while end < answer.tokens.len()
        && (answer.tokens[end].capital || answer.word(end) == "-" || answer.word(end) == "of")
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

fn item_ends_clause(answer: &Reading, at: usize) -> bool {
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
fn begins_list(answer: &Reading, at: usize) -> bool {
    let mut start = at;
    while start > 0
        && answer.same_sentence(start - 1, at)
        && (answer.tokens[start - 1].capital || matches!(answer.word(start - 1), "-" | "\""))
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

/// Returns true if the answer offers something else first: an earlier clause has another candidate, or more of the
/// question's terms while that of the gold answer has none.
fn outranked(gold: &Reading, bench: &Bench<'_>, place: Place) -> bool {
    let (answer, question) = (bench.answer, bench.question);
    let code = code::is_code_gold(gold);
    let own = question_terms(question, answer, place.first, place.end);
    let own_content = (0..answer.tokens.len()).any(|at| {
        answer.same_clause(at, place.first)
            && !(place.first..place.end).contains(&at)
            && content(&answer.tokens[at])
    });
    if !own_content && place.first < 4 {
        return false;
    }
    let outside = |at: usize| {
        !answer.same_clause(at, place.first)
            && !question.has(&answer.tokens[at])
            && !gold.has(&answer.tokens[at])
    };
    if code {
        return code::identifiers(answer).iter().any(|&(first, end)| {
            end <= place.first
                && !answer.same_clause(first, place.first)
                && (first..end).any(outside)
                && !denied(answer, Place { first, end })
        });
    }
    let name = |at: usize| {
        let token = &answer.tokens[at];
        let next_capital = answer
            .tokens
            .get(at + 1)
            .is_some_and(|next| next.capital && next.is_word());
        let starts = at == 0 || !answer.same_sentence(at, at - 1);
        token.capital
            && token.is_word()
            && content(token)
            && !ROLES.has(&token.text)
            && (!starts || next_capital || !lower_elsewhere(answer, at))
    };
    let named = is_name(&gold.tokens);
    (0..place.first).filter(|&at| outside(at)).any(|at| {
        let terms = question_terms(question, answer, at, at + 1);
        let rejected = denied(
            answer,
            Place {
                first: at,
                end: at + 1,
            },
        );
        let elsewhere = own == 0
            && terms > 0
            && content(&answer.tokens[at])
            && !rejected
            && !answer.same_sentence(at, place.first);
        let candidate = elsewhere
            || if named {
                name(at)
                    && !rejected
                    && terms + usize::from(!answer.same_sentence(at, place.first)) >= own
            } else {
                content(&answer.tokens[at]) && own == 0 && terms > 0 && !rejected
            };
        candidate && !sets_scene(answer, at)
    })
}

/// Returns true if a word at the start of a sentence is of a kind that needs no capital letter: a long lower-case text.
fn lower_elsewhere(answer: &Reading, at: usize) -> bool {
    answer.tokens.len() > at + 1
        && !answer.tokens[at + 1].is_mark()
        && !answer.tokens[at + 1].capital
}

/// Returns true for `According to X, ...`, `In X, ...`.
fn sets_scene(answer: &Reading, at: usize) -> bool {
    let start = answer.clause_start(at);
    matches!(
        answer.word(start),
        "according"
            | "in"
            | "based"
            | "from"
            | "per"
            | "as"
            | "on"
            | "by"
            | "after"
            | "when"
            | "while"
            | "since"
    )
}

/// Judges an answer that lacks the gold answer as a whole.
fn absent(gold: &Reading, bench: &Bench<'_>, f1_suffices: bool) -> Judgment {
    let answer = bench.answer;
    let wanted = canonical(&gold.tokens);
    let acronym = answer
        .tokens
        .iter()
        .enumerate()
        .find(|(_, token)| is_acronym(token, &gold.tokens));
    if let Some((at, token)) = acronym.filter(|(at, _)| {
        !denied(
            answer,
            Place {
                first: *at,
                end: at + 1,
            },
        )
    }) {
        return Judgment::right(format!(
            "contains `{}`, an abbreviation",
            answer.slice(at, at + usize::from(!token.text.is_empty()))
        ));
    }
    if let [single] = gold.tokens.as_slice()
        && is_acronym(single, &answer.tokens)
        && !bench.spelled_out
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
        partial_name(&wanted, gold, bench)
    } else {
        loose(&wanted, gold, bench, f1_suffices)
    }
}

/// Returns true if the answer has the opposite of a word of the gold answer, or negates where it does not.
pub(super) fn opposed(gold: &Reading, answer: &Reading) -> bool {
    let has = |reading: &Reading, word: &str| reading.tokens.iter().any(|token| token.is(word));
    let crossed =
        |a: &str, b: &str| has(gold, a) && !has(gold, b) && has(answer, b) && !has(answer, a);
    let negated = |reading: &Reading| reading.tokens.iter().any(|token| negates(&token.text));
    OPPOSITES
        .iter()
        .any(|(a, b)| crossed(a, b) || crossed(b, a))
        || negated(gold) != negated(answer)
}

/// Judges a part of the name.
fn partial_name(wanted: &[Canon], gold: &Reading, bench: &Bench<'_>) -> Judgment {
    let answer = bench.answer;
    let words = canonical(&answer.tokens);
    let lower = !answer.tokens.iter().any(|token| token.capital);
    let in_name = |word: &Canon| {
        wanted
            .iter()
            .any(|own| same(own, word) || short_for(word, own))
    };
    let asked = |word: &Canon| bench.question.stems.contains(stem(&word.text));
    let shared: Vec<&Canon> = words
        .iter()
        .filter(|word| {
            in_name(word)
                && has_content(&word.text)
                && !denied(
                    answer,
                    Place {
                        first: word.token,
                        end: word.token + 1,
                    },
                )
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
    let people = gold
        .tokens
        .iter()
        .all(|token| token.is_mark() || token.capital);
    let (head, tail) = (&wanted[0], &wanted[wanted.len() - 1]);
    let ends = run
        .first()
        .is_some_and(|word| same(head, word) || short_for(word, head))
        && run.last().is_some_and(|word| same(tail, word));
    let missing: Vec<&Canon> = wanted
        .iter()
        .filter(|own| {
            !words
                .iter()
                .any(|word| same(own, word) || short_for(word, own))
        })
        .collect();
    let place = Place {
        first: run[0].token,
        end: run[run.len() - 1].token + 1,
    };
    if let Some(list) = listed(gold, bench, place) {
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
        return Judgment::wrong(format!(
            "`{quote}` belongs to another name than `{}`",
            gold.text
        ));
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
    let only_option = is_option(&run, bench.question);
    if distinct && missing.iter().all(minor) || option && only_option {
        return Judgment::right(format!("names `{}` in another form", gold.text));
    }
    Judgment::unsure(format!("names only part of `{}`", gold.text))
}

fn short_for(word: &Canon, own: &Canon) -> bool {
    NICKNAMES.get(&word.text) == Some(own.text.as_str())
}

/// Lower-case words inside names.
static PARTICLES: Words = Words::new("of and de von van der la le du da di bin al");

/// Returns the words around token `at` that make up a name; the clause, if the answer has no capital letters.
fn name_run<'w>(answer: &Reading, words: &'w [Canon], at: usize, lower: bool) -> Vec<&'w Canon> {
    let part = |word: &Canon| {
        lower
            || answer.tokens[word.token].capital
            || answer.tokens[word.token].shape == Shape::Digits
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
fn loose(wanted: &[Canon], gold: &Reading, bench: &Bench<'_>, f1_suffices: bool) -> Judgment {
    let words = canonical(&bench.answer.tokens);
    let matters = |word: &&Canon| has_content(&word.text);
    let found = |own: &&Canon| words.iter().any(|word| same(own, word));
    let content: Vec<&Canon> = wanted.iter().filter(matters).collect();
    let missing: Vec<&&Canon> = content.iter().filter(|own| !found(own)).collect();
    let foreign = words.iter().filter(matters).any(|word| {
        !wanted.iter().any(|own| same(own, word))
            && !bench.question.stems.contains(stem(&word.text))
    });
    let minor = missing
        .iter()
        .all(|own| bench.question.stems.contains(stem(&own.text)));
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
