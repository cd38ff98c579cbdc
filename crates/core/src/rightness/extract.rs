//! Finds the values of a text.

use super::bound::bound;
use super::calendar::{clock, date};
use super::lex::{Token, TokenShape};
use super::mention::Mention;
use super::quantity::quantity;
use super::tables::WordSet;
use super::units::{BARE, Dimension};
use super::value::{Amount, Clock, Date, Value, year_of};

/// Returns the values of `tokens`, in order.
pub(super) fn mentions(tokens: &[Token]) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match mention(tokens, at) {
            Some(mention) => {
                at = mention.end.max(at + 1);
                found.push(mention);
            }
            None => at += 1,
        }
    }
    let mut found = ranges(tokens, listed_days(tokens, found));
    for mention in &mut found {
        mention.bound = bound(tokens, mention);
    }
    found
}

fn mention(tokens: &[Token], at: usize) -> Option<Mention> {
    let token = &tokens[at];
    if token.shape == TokenShape::Code {
        return None;
    }
    let whole = |(value, end)| Mention { value, first: at, end, bound: None, weak: false };
    if token.shape != TokenShape::Mark
        && let Some(found) =
            version(tokens, at).or_else(|| date(tokens, at)).or_else(|| clock(tokens, at))
    {
        return Some(whole(found));
    }
    let found = quantity(tokens, at)?;
    Some(Mention {
        value: Value::Amount(found.amount),
        first: at,
        end: found.end,
        bound: None,
        weak: found.weak,
    })
}

/// `v1.2`, `1.2.3`.
fn version(tokens: &[Token], at: usize) -> Option<(Value, usize)> {
    let token = &tokens[at];
    if token.is("v") {
        let digits = tokens.get(at + 1).filter(|next| next.shape == TokenShape::Digits)?;
        return Some((Value::Version(digits.text.clone()), at + 2));
    }
    let parts = token.text.split('.').count();
    let short = token.text.split('.').all(|part| part.len() < 4);
    let thousands = token.text.split('.').skip(1).all(|part| part.len() == 3);
    let is_version = token.shape == TokenShape::Digits
        && parts > 2
        && !thousands
        && short
        && !token.text.contains([',', ':']);
    is_version.then(|| (Value::Version(token.text.clone()), at + 1))
}

/// Gives `24` in `24 and 31 December` its month.
fn listed_days(tokens: &[Token], mut found: Vec<Mention>) -> Vec<Mention> {
    for at in (1..found.len()).rev() {
        let Value::Date(date @ Date { day: Some(_), month: Some(_), .. }) = found[at].value else {
            continue;
        };
        let between = &tokens[found[at - 1].end.min(found[at].first)..found[at].first];
        let linked = !between.is_empty()
            && between.iter().all(|t| matches!(t.text.as_str(), "and" | "," | "or" | "&"));
        if let Value::Amount(amount) = &found[at - 1].value
            && linked
            && amount.unit == BARE
            && (1.0..=31.0).contains(&amount.number)
        {
            found[at - 1].value = Value::Date(Date { day: Some(amount.number as u8), ..date });
        }
    }
    found
}

/// Joins two values into a range where the words between them say so.
fn ranges(tokens: &[Token], found: Vec<Mention>) -> Vec<Mention> {
    let mut joined: Vec<Mention> = Vec::with_capacity(found.len());
    for mention in found {
        let range = joined.last().and_then(|last| range(tokens, last, &mention));
        match range {
            Some(range) => {
                joined.pop();
                joined.push(range);
            }
            None => joined.push(mention),
        }
    }
    joined
}

fn range(tokens: &[Token], first: &Mention, second: &Mention) -> Option<Mention> {
    let start = first.end;
    let between: Vec<&str> = tokens
        .get(start.min(second.first)..second.first)?
        .iter()
        .map(|t| t.text.as_str())
        .collect();
    let opened =
        (1..=2).any(|back| first.first >= back && tokens[first.first - back].is("between"));
    let joins = match between.as_slice() {
        ["and"] => opened,
        ["-" | "to" | "until" | "till" | "through" | "up"]
        | [",", "<", "="]
        | ["up", "to"]
        | ["and", "up", "to"]
        | ["and", "no", "more", "than"]
        | ["and", "at", "most"]
        | ["until", "about"] => true,
        _ => false,
    };
    let point =
        |value: &Value| !matches!(value, Value::Amount(amount) if year_of(amount).is_none());
    let until = between.iter().any(|word| matches!(*word, "until" | "till"));
    if until && !(point(&first.value) && point(&second.value)) {
        return None;
    }
    let changes = first.first >= 1
        && tokens[first.first - 1].is("from")
        && tokens[..first.first - 1].iter().rev().take(4).any(|t| CHANGES.has(&t.text));
    let negative = between.is_empty();
    if !joins || changes || negative {
        return None;
    }
    let (low, high) = unified(&first.value, &second.value)?;
    Some(Mention {
        value: Value::Range(Box::new(low), Box::new(high)),
        first: first.first,
        end: second.end,
        bound: None,
        weak: false,
    })
}

/// Verbs of change: `from A to B` with them is no range.
static CHANGES: WordSet = WordSet::new(
    "\
    went rose fell grew increased decreased dropped raised cut lowered changed moved up down \
     reduced shortened extended climbed jumped goes postponed brought",
);

/// Gives both ends the unit, month, zone or century that only one of them names.
fn unified(low: &Value, high: &Value) -> Option<(Value, Value)> {
    let pair = (low.clone(), high.clone());
    match (low, high) {
        (Value::Amount(a), Value::Amount(b)) => {
            if let (Some(from), 0.0..100.0) = (year_of(a), b.number)
                && b.digits.len() == 2
                && b.unit == BARE
            {
                let century = from.year? / 100 * 100;
                let to = Date { year: Some(century + b.number as i32), ..Date::default() };
                return Some((Value::Date(from), Value::Date(to)));
            }
            let (x, y) = (a.unit.dimension, b.unit.dimension);
            if x == y || x == Dimension::Count || y == Dimension::Count {
                return Some((Value::Amount(like(a, b)), Value::Amount(like(b, a))));
            }
            None
        }
        (Value::Amount(a), Value::Date(date))
            if date.day.is_some() && (1.0..=31.0).contains(&a.number) && a.unit == BARE =>
        {
            Some((Value::Date(Date { day: Some(a.number as u8), ..*date }), high.clone()))
        }
        (Value::Amount(a), Value::Clock(clock)) if a.unit == BARE && a.number < 24.0 => {
            let shift = if clock.seconds >= 43_200
                && a.number < 12.0
                && a.number * 3600.0 + 43_200.0 < f64::from(clock.seconds)
            {
                12.0
            } else {
                0.0
            };
            let seconds = ((a.number + shift) * 3600.0) as u32;
            Some((Value::Clock(Clock { seconds, ..*clock }), high.clone()))
        }
        (Value::Clock(a), Value::Clock(b)) => {
            let zone = a.zone.or(b.zone);
            Some((Value::Clock(Clock { zone, ..*a }), Value::Clock(Clock { zone, ..*b })))
        }
        (Value::Date(a), Value::Date(b)) => {
            let year = a.year.or(b.year);
            Some((Value::Date(Date { year, ..*a }), Value::Date(*b)))
        }
        (Value::Date(_), Value::Amount(b)) if year_of(b).is_some() => Some(pair),
        (Value::Amount(a), Value::Date(_)) if year_of(a).is_some() => Some(pair),
        (Value::Version(_), Value::Version(_)) => Some(pair),
        _ => None,
    }
}

/// Returns `own` with the unit of `other` where it has none.
fn like(own: &Amount, other: &Amount) -> Amount {
    let mut own = own.clone();
    if own.unit == BARE && other.unit != BARE && !own.per {
        own.unit = other.unit;
        own.base = (own.number + own.unit.shift) * own.unit.factor;
    }
    if other.per && !own.per {
        own.per = true;
        own.base *= other.base / ((other.number + other.unit.shift) * other.unit.factor);
    }
    own
}
