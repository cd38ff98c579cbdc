//! Other values of the same type next to the gold value.

use super::claim::Claim;
use super::lex::Token;
use super::mention::Mention;
use super::parsed::{Parsed, content};
use super::relation::{GoldValue, relation};
use super::scope::rejected;
use super::subject::question_terms;
use super::tables::WordSet;
use super::units::BARE;
use super::value::{Agreement, Amount, Value, compare, year_of};
use super::verdict::Judgment;
use super::words::{DOUBTS, stem};

/// Words before a number that make it a label.
static LABELS: WordSet = WordSet::new(
    "\
    step passage section page chapter option paragraph document source line item table \
     figure rule article version sev phase group team world apollo",
);

/// Words before a plain number of four digits that make it a year.
static BEFORE_YEAR: WordSet = WordSet::new(
    "\
    in since of by year census until from during after before early late the and to (",
);

/// Returns a verdict if the answer also offers a different value of the same type.
pub(super) fn conflict(
    targets: &[GoldValue<'_>],
    found: &[&Mention],
    claim: &Claim<'_>,
) -> Option<Judgment> {
    let answer = claim.answer;
    let mut verdict: Option<Judgment> = None;
    for other in &answer.mentions {
        let agreement = targets.iter().map(|target| relation(target, other, claim)).max()?;
        if agreement != Agreement::Different || other.weak || !competes(targets, other, claim) {
            continue;
        }
        let quote = answer.quote(other);
        if found.iter().any(|own| listed(answer, own, other) && !restates(own, other)) {
            return Some(Judgment::wrong(format!("also offers `{quote}`")));
        }
        let echoed = claim
            .question
            .mentions
            .iter()
            .any(|asked| compare(&asked.value, &other.value, false) == Agreement::Same);
        let same_value =
            |gold: &&Mention| compare(&gold.value, &other.value, claim.versions) == Agreement::Same;
        if other.bound.is_some()
            && targets.iter().any(|target| target.alternatives.iter().any(same_value))
        {
            return Some(Judgment::unsure(format!(
                "also gives `{quote}` as a bound of the other side"
            )));
        }
        if unit_missing(targets, other) {
            continue;
        }
        let restated = found.iter().any(|own| restates(own, other));
        if echoed || restated || rejected(answer, other.first, other.end) {
            continue;
        }
        if !found.iter().any(|own| outweighs(own, other, claim)) {
            verdict = Some(Judgment::unsure(format!(
                "also offers `{quote}`, another {}",
                other.value.type_name()
            )));
        }
    }
    verdict
}

/// Returns true if `other` has no unit and the gold values have one.
fn unit_missing(targets: &[GoldValue<'_>], other: &Mention) -> bool {
    let has_unit =
        |gold: &&Mention| matches!(&gold.value, Value::Amount(amount) if amount.unit != BARE);
    let bare = matches!(&other.value, Value::Amount(amount) if amount.unit == BARE);
    bare && targets.iter().all(|target| target.alternatives.iter().any(has_unit))
}

/// Returns true if `other` is `own` in another unit, rounded: `1,263 m (4,145 ft)`.
fn restates(own: &Mention, other: &Mention) -> bool {
    restated(&own.value, &other.value)
}

fn restated(own: &Value, other: &Value) -> bool {
    match (own, other) {
        (Value::Amount(own), Value::Amount(other)) => {
            own.unit.dimension == other.unit.dimension
                && own.unit != other.unit
                && (own.base - other.base).abs() <= 0.015 * own.base.abs()
        }
        (Value::Range(low, high), Value::Range(from, to)) => {
            restated(low, from) && restated(high, to)
        }
        _ => false,
    }
}

/// Returns true if a mention could be meant as the answer: not a label, not a year among counts, not a count of another
/// thing.
fn competes(targets: &[GoldValue<'_>], other: &Mention, claim: &Claim<'_>) -> bool {
    let Value::Amount(amount) = &other.value else {
        return true;
    };
    let before = other.first.checked_sub(1).map_or("", |at| claim.answer.word(at));
    if amount.unit != BARE || amount.per {
        return true;
    }
    let gold_is_year =
        targets.iter().any(|target| target.alternatives.iter().any(|gold| is_year(&gold.value)));
    let year = year_of(amount).is_some() && amount.nouns.is_empty();
    if LABELS.has(before) || gold_is_year != year && (gold_is_year || BEFORE_YEAR.has(before)) {
        return false;
    }
    let gold_ordinal =
        targets.iter().any(|target| target.alternatives.iter().any(|gold| is_ordinal(&gold.value)));
    if amount.ordinal != gold_ordinal {
        return false;
    }
    let gold_noun = |noun: &String| {
        targets.iter().flat_map(|target| &target.alternatives).any(|gold| match &gold.value {
            Value::Amount(gold) => gold.nouns.contains(noun),
            _ => false,
        })
    };
    amount.nouns.is_empty()
        || amount.nouns.iter().any(|noun| gold_noun(noun) || claim.question.stems.contains(noun))
}

fn is_year(value: &Value) -> bool {
    match value {
        Value::Date(_) => true,
        Value::Amount(amount) => amount.nouns.is_empty() && year_of(amount).is_some(),
        Value::Range(low, _) => is_year(low),
        _ => false,
    }
}

fn is_ordinal(value: &Value) -> bool {
    matches!(value, Value::Amount(Amount { ordinal: true, .. }))
}

/// Words and marks between items of a list.
static LINKS: WordSet = WordSet::new(
    "\
or and , / either maybe perhaps possibly even respectively to \n ; & in on at the after \
 both",
);

/// Returns true if two mentions are items of one list: `5 or 6`, `5, 6`, `5/6`.
fn listed(answer: &Parsed, own: &Mention, other: &Mention) -> bool {
    let (first, second) = if own.first < other.first { (own, other) } else { (other, own) };
    if second.first < first.end || second.first - first.end > 6 {
        return first.end > second.first;
    }
    let nouns = match &first.value {
        Value::Amount(amount) => amount.nouns.len(),
        _ => 0,
    };
    let between = &answer.tokens[(first.end + nouns).min(second.first)..second.first];
    let linked =
        between.iter().any(|t| matches!(t.text.as_str(), "or" | "and" | "," | "/" | "\n" | "&"));
    linked && between.iter().all(|t| LINKS.has(&t.text))
}

/// Returns true if `own` is clearly what the answer offers, and `other` part of an explanation.
fn outweighs(own: &Mention, other: &Mention, claim: &Claim<'_>) -> bool {
    let answer = claim.answer;
    let doubtful = answer.tokens.iter().enumerate().any(|(at, token)| {
        DOUBTS.has(&token.text) && answer.same_sentence(at, other.first) && at < other.first
    });
    if doubtful || answer.same_clause(own.first, other.first) {
        return false;
    }
    let own_terms = question_terms(claim.question, answer, own.first, own.end);
    let other_terms = question_terms(claim.question, answer, other.first, other.end);
    let other_content = clause_content(answer, other);
    let bare = own.first <= 5 && clause_content(answer, own) <= 3;
    let later = own.first < other.first;
    let between =
        &answer.tokens[own.end.min(other.first)..other.first.max(own.end.min(other.first))];
    let dash = |t: &Token| t.is("-") && t.spaced;
    let apart = later && between.iter().any(|t| APART.has(&t.text) || dash(t));
    let enough = apart || other_content >= 1 && !answer.same_sentence(own.first, other.first);
    (bare && later && enough) || own_terms > other_terms + usize::from(!later) && other_content >= 1
}

/// Words that set what follows apart from what the answer offers.
static APART: WordSet = WordSet::new(
    "\
    so which unlike whereas while comparison because since although ( before contrast",
);

/// Counts the content words around a mention in its clause.
fn clause_content(answer: &Parsed, mention: &Mention) -> usize {
    let inside = |at: usize| (mention.first..mention.end).contains(&at);
    let nouns = match &mention.value {
        Value::Amount(amount) => amount.nouns.as_slice(),
        _ => &[],
    };
    (0..answer.tokens.len())
        .filter(|&at| {
            answer.same_clause(at, mention.first) && !inside(at) && content(&answer.tokens[at])
        })
        .filter(|&at| !nouns.iter().any(|noun| noun == stem(&answer.tokens[at].text)))
        .count()
}
