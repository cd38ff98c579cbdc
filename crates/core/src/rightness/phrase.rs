//! Judges gold answers that are names, phrases or code.

use super::claim::Claim;
use super::code;
use super::list::listed;
use super::names::{is_acronym, is_name};
use super::options::other_option_first;
use super::parsed::{Parsed, content};
use super::partial::absent;
use super::spot::{Spot, denied, places};
use super::subject::{question_terms, wrong_subject};
use super::verdict::{Correctness, Judgment};
use super::words::{FULL_WORDS, GENERIC, OPTIONAL_IN_NAMES, PRIVATIVES, ROLES, has_content, stem};

/// Judges one gold answer.
pub(super) fn judge(gold: &Parsed, claim: &Claim<'_>, f1_suffices: bool) -> Judgment {
    let places = places(gold, claim.answer);
    let (denied, offered): (Vec<Spot>, Vec<Spot>) =
        places.iter().partition(|place| denied(claim.answer, **place));
    if let Some(judgment) =
        offered.iter().map(|place| at_place(gold, claim, *place)).max_by_key(rank)
    {
        if judgment.is_right()
            && let Some(list) = offered.iter().find_map(|place| listed(gold, claim, *place))
        {
            return list;
        }
        return judgment;
    }
    if !denied.is_empty() {
        return Judgment::wrong("negated or set apart");
    }
    absent(gold, claim, f1_suffices)
}

fn rank(judgment: &Judgment) -> u8 {
    match judgment.correctness {
        Correctness::Right => 2,
        Correctness::Unsure => 1,
        Correctness::Wrong => 0,
    }
}

/// Judges an occurrence that is not denied.
fn at_place(gold: &Parsed, claim: &Claim<'_>, place: Spot) -> Judgment {
    let answer = claim.answer;
    let quote = answer.slice(place.first, place.end);
    if let Some(list) = listed(gold, claim, place) {
        return list;
    }
    if !stands_out(gold, answer, place) {
        return Judgment::unsure(format!("has the common word `{quote}`"));
    }
    if let Some(word) = privative(answer, place).filter(|word| !gold.stems.contains(stem(word))) {
        return Judgment::unsure(format!("`{word}` changes `{quote}`"));
    }
    if is_name(&gold.tokens) && !code::is_code_gold(gold) {
        if let Some(extra) = extra_name(gold, claim, place) {
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
    if longer_alias_differs(gold, claim, place) {
        return Judgment::unsure(format!("goes on after `{quote}`"));
    }
    if other_option_first(gold, claim, place.first) {
        return Judgment::wrong("offers the other option of the question");
    }
    let spelled_out = is_acronym(&gold.tokens[0], &answer.tokens[..place.first]);
    if !spelled_out && outranked(gold, claim, place) {
        return Judgment::unsure(format!("names `{quote}`, perhaps for another role"));
    }
    if !code::is_code_gold(gold)
        && !is_name(&gold.tokens)
        && wrong_subject(claim, place.first)
        && gold.tokens.len() < 3
    {
        return Judgment::unsure(format!("gives `{quote}`, perhaps for another thing"));
    }
    Judgment::right(format!("contains `{quote}`"))
}

/// Returns true unless the gold answer is a common word that merely occurs.
fn stands_out(gold: &Parsed, answer: &Parsed, place: Spot) -> bool {
    let before = place.first.checked_sub(1).map_or("", |at| answer.word(at));
    let opens = before.is_empty()
        || matches!(before, "is" | "was" | ":" | "\"" | "'" | "gives" | "be" | "it's" | "(")
        || answer.tokens[place.first - 1].is_mark();
    let closes = answer.tokens.get(place.end).is_none_or(|token| token.is_mark() || token.is("as"));
    !gold.stems.is_empty() || opens && closes
}

/// Returns true if a longer gold answer begins with this one and the answer ends with another word there.
fn longer_alias_differs(gold: &Parsed, claim: &Claim<'_>, place: Spot) -> bool {
    let answer = claim.answer;
    let last = place.end + 1 == answer.tokens.len() && !answer.tokens[place.end].is_mark();
    let len = gold.tokens.len();
    last && claim.gold_answers.iter().any(|other| {
        other.tokens.len() > len
            && other.text.starts_with(&gold.text)
            && !other.tokens[len].is_mark()
            && other.tokens[len].text != answer.tokens[place.end].text
    })
}

fn privative(answer: &Parsed, place: Spot) -> Option<&str> {
    let at = place.first.checked_sub(1)?;
    let hyphen = answer.word(at) == "-" && !answer.tokens[place.first].spaced;
    let word = answer.word(at.checked_sub(usize::from(hyphen))?);
    PRIVATIVES.has(word).then_some(word)
}

/// Returns a capitalised word next to the name that neither the question nor the gold answer has.
fn extra_name<'a>(gold: &Parsed, claim: &'a Claim<'_>, place: Spot) -> Option<&'a str> {
    let answer = claim.answer;
    let extends = |at: usize| {
        let token = &answer.tokens[at];
        token.is_word()
            && token.capital()
            && !ROLES.has(&token.text)
            && !GENERIC.has(&token.text)
            && !token.possessive
            && token.text.len() > 1
            && !FULL_WORDS.get(&token.text).is_some_and(|full| ROLES.has(full))
            && !OPTIONAL_IN_NAMES.has(&token.text)
            && has_content(&token.text)
            && !claim.question.has(token)
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
        && answer.tokens[place.end + 1].capital()
        && extends(place.end + 1);
    let after = after.or(hyphen.then_some(place.end + 1));
    before.or(after).map(|at| answer.word(at))
}

/// Returns true if the answer offers something else first: an earlier clause has another candidate, or more of the
/// question's terms while that of the gold answer has none.
fn outranked(gold: &Parsed, claim: &Claim<'_>, place: Spot) -> bool {
    let (answer, question) = (claim.answer, claim.question);
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
                && !denied(answer, Spot { first, end })
        });
    }
    let name = |at: usize| {
        let token = &answer.tokens[at];
        let next_capital =
            answer.tokens.get(at + 1).is_some_and(|next| next.capital() && next.is_word());
        let starts = at == 0 || !answer.same_sentence(at, at - 1);
        token.capital()
            && token.is_word()
            && content(token)
            && !ROLES.has(&token.text)
            && (!starts || next_capital || !lower_elsewhere(answer, at))
    };
    let named = is_name(&gold.tokens);
    (0..place.first).filter(|&at| outside(at)).any(|at| {
        let terms = question_terms(question, answer, at, at + 1);
        let rejected = denied(answer, Spot { first: at, end: at + 1 });
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
fn lower_elsewhere(answer: &Parsed, at: usize) -> bool {
    answer.tokens.len() > at + 1
        && !answer.tokens[at + 1].is_mark()
        && !answer.tokens[at + 1].capital()
}

/// Returns true for `According to X, ...`, `In X, ...`.
fn sets_scene(answer: &Parsed, at: usize) -> bool {
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
