//! Amounts: numbers with units, currencies, rates and nouns.

use super::lex::{Token, TokenShape};
use super::number::{Number, number};
use super::tables::WordMap;
use super::units::{BARE, Dimension, Unit, unit, upper_suffix};
use super::value::Amount;
use super::words::{SCALES, has_content, stem};

/// Seconds of a mean Gregorian month: 365.2425 days / 12.
pub(super) const MONTH_SECONDS: f64 = 2_629_746.0;

/// An amount at a position, with the index after it.
pub(super) struct Found {
    pub(super) amount: Amount,
    pub(super) end: usize,
    /// May be no amount at all (`a day`, `one`): never contradicts.
    pub(super) weak: bool,
}

/// Shares named by words.
static FRACTIONS: WordMap =
    WordMap::new("half=0.5 halves=0.5 quarter=0.25 quarters=0.25 tenth=0.1 tenths=0.1");

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| token.text.as_str())
}

/// Returns the amount that begins at token `at`.
pub(super) fn quantity(tokens: &[Token], at: usize) -> Option<Found> {
    if let Some((start, sign)) = after_sign(tokens, at) {
        let mut found = quantity(tokens, start)?;
        found.amount.number *= sign;
        found.amount.base =
            if found.amount.per { found.amount.base * sign } else { found.amount.plain() };
        return Some(found);
    }
    money_first(tokens, at)
        .or_else(|| one_in(tokens, at))
        .or_else(|| fraction(tokens, at))
        .or_else(|| counted(tokens, at))
        .or_else(|| article(tokens, at))
}

/// Returns the index after a sign, and 1 or -1.
fn after_sign(tokens: &[Token], at: usize) -> Option<(usize, f64)> {
    let sign = word(tokens, at);
    let next = tokens.get(at + 1)?;
    let opens = at == 0 || tokens[at].spaced || word(tokens, at - 1) == "(";
    let mark =
        (sign == "-" || sign == "+") && !next.spaced && opens && next.shape == TokenShape::Digits;
    let named = sign == "minus" && number(tokens, at + 1).is_some();
    (mark || named).then_some((at + 1, if sign == "+" { 1.0 } else { -1.0 }))
}

fn amount(number: &Number, unit: Unit) -> Amount {
    Amount {
        base: (number.value + unit.shift) * unit.factor,
        number: number.value,
        digits: number.digits.clone(),
        unit,
        per: false,
        ordinal: number.ordinal,
        nouns: Vec::new(),
    }
}

/// `EUR 4.95`, `$5 million`, `US$5`.
fn money_first(tokens: &[Token], at: usize) -> Option<Found> {
    let prefixed = matches!(word(tokens, at), "us" | "u.s")
        && word(tokens, at + 1) == "$"
        && !tokens[at + 1].spaced;
    let (unit, next) = match word(tokens, at) {
        _ if prefixed => (unit("$")?, at + 2),
        "a" | "c" if word(tokens, at + 1) == "$" => {
            (unit(if word(tokens, at) == "a" { "aud" } else { "cad" })?, at + 2)
        }
        name => (unit(name)?, at + 1),
    };
    let code = tokens[at].is_mark() || tokens[at].upper() || name_is_code(word(tokens, at));
    if !matches!(unit.dimension, Dimension::Money(_)) || !code {
        return None;
    }
    let number =
        number(tokens, next).filter(|n| !n.ordinal && tokens[next].shape == TokenShape::Digits)?;
    let mut end = number.end;
    end += usize::from(
        unit_at(tokens, end).is_some_and(|(again, _)| again.dimension == unit.dimension),
    );
    Some(with_rate(tokens, amount(&number, unit), end))
}

fn name_is_code(name: &str) -> bool {
    matches!(name, "eur" | "usd" | "gbp" | "chf" | "jpy" | "cad" | "aud" | "euro")
}

/// `half an hour`, `three quarters of an hour`, `a third`.
fn fraction(tokens: &[Token], at: usize) -> Option<Found> {
    let (count, share_at) = match number(tokens, at) {
        Some(number) if !number.ordinal && number.digits.is_empty() => (number.value, number.end),
        Some(_) => return None,
        None => (1.0, at),
    };
    let share = FRACTIONS.number(word(tokens, share_at))?;
    let ambiguous = matches!(word(tokens, share_at), "third" | "quarter" | "tenth");
    let follows_article = share_at > 0 && matches!(word(tokens, share_at - 1), "a" | "one");
    if ambiguous && !(follows_article || count > 1.0) {
        return None;
    }
    let mut next = share_at + 1;
    next += usize::from(word(tokens, next) == "of" || word(tokens, next) == "-");
    next += usize::from(matches!(word(tokens, next), "a" | "an" | "the"));
    let value = Number { value: count * share, digits: String::new(), ordinal: false, end: next };
    if let Some(scale) = SCALES.number(word(tokens, next)) {
        let value = Number { value: value.value * scale, ..value };
        return Some(finish(tokens, &value, next + 1, false));
    }
    if let Some((unit, end)) = unit_at(tokens, next) {
        return Some(with_rate(tokens, amount(&value, unit), end));
    }
    let value = Number { value: value.value * 100.0, ..value };
    Some(Found { amount: amount(&value, unit("%")?), end: share_at + 1, weak: true })
}

/// `one in four`.
fn one_in(tokens: &[Token], at: usize) -> Option<Found> {
    let count = number(tokens, at)
        .filter(|n| n.value == 1.0 && !n.ordinal && word(tokens, n.end) == "in")?;
    let whole = number(tokens, count.end + 1)
        .filter(|n| n.value > 1.0 && n.value <= 100.0 && !n.ordinal)?;
    let share = Number {
        value: 100.0 / whole.value,
        digits: String::new(),
        ordinal: false,
        end: whole.end,
    };
    let percent = unit("%").filter(|_| unit_at(tokens, whole.end).is_none())?;
    Some(Found { amount: amount(&share, percent), end: whole.end, weak: true })
}

/// `twice` before `a day` or `daily`.
fn times(tokens: &[Token], at: usize) -> Option<Number> {
    let value = match word(tokens, at) {
        "once" => 1.0,
        "twice" => 2.0,
        "thrice" => 3.0,
        _ => return None,
    };
    let rate = per(tokens, at + 1).is_some();
    rate.then_some(Number { value, digits: String::new(), ordinal: false, end: at + 1 })
}

/// `6 minutes`, `1 h 30`, `340 a second`, `48 replicas`, `137th`.
fn counted(tokens: &[Token], at: usize) -> Option<Found> {
    let found = number(tokens, at).or_else(|| times(tokens, at))?;
    let alone = tokens[at].text == "one" && found.end == at + 1;
    Some(finish(tokens, &found, found.end, alone))
}

fn finish(tokens: &[Token], found: &Number, end: usize, alone: bool) -> Found {
    if let Some(decade) = decade(tokens, found, end) {
        return Found { amount: decade, end: end + 1, weak: false };
    }
    let hyphen = usize::from(
        word(tokens, end) == "-" && tokens.get(end + 1).is_some_and(|t| !t.spaced && t.is_word()),
    );
    let ordinal_unit = |unit: &Unit| !found.ordinal || unit.dimension == Dimension::Century;
    if let Some((unit, after)) =
        unit_at(tokens, end + hyphen).filter(|(unit, _)| ordinal_unit(unit))
    {
        let (number, after) = half_more(tokens, after, found);
        let (first, after) = compound(tokens, amount(&number, unit), after);
        return with_rate(tokens, first, after);
    }
    let mut bare = amount(found, BARE);
    let mut after = end + hyphen;
    while bare.nouns.len() < 2
        && tokens.get(after).is_some_and(|token| is_noun(token) || token.is("x") && !token.spaced)
        && per(tokens, after).is_none()
    {
        bare.nouns.push(stem(word(tokens, after)).to_owned());
        after += 1;
    }
    let no_noun = bare.nouns.is_empty();
    let mut result = with_rate(tokens, bare, after);
    if result.end == after {
        result.end = end;
    }
    result.weak = alone && no_noun || found.ordinal && found.digits.is_empty();
    result
}

fn is_noun(token: &Token) -> bool {
    token.is_word() && has_content(&token.text) && token.text.len() > 1
}

/// `1960s`.
fn decade(tokens: &[Token], found: &Number, end: usize) -> Option<Amount> {
    let suffix = tokens.get(end).is_some_and(|token| token.is("s") && !token.spaced);
    let year = found.digits.len() == 4
        && found.value % 10.0 == 0.0
        && (1000.0..2200.0).contains(&found.value);
    let unit = Unit { dimension: Dimension::Decade, ..BARE };
    (suffix && year).then(|| amount(found, unit))
}

/// `an hour and a half`, `2 hours and a half`.
fn half_more(tokens: &[Token], at: usize, number: &Number) -> (Number, usize) {
    let (more, end) = match (word(tokens, at), word(tokens, at + 1), word(tokens, at + 2)) {
        ("and", "a", "half") => (0.5, at + 3),
        ("and", "a", "quarter") => (0.25, at + 3),
        _ => (0.0, at),
    };
    (Number { value: number.value + more, ..number.clone() }, end)
}

/// `a working day`, `an hour and a half`.
fn article(tokens: &[Token], at: usize) -> Option<Found> {
    if !matches!(word(tokens, at), "a" | "an") {
        return None;
    }
    let (unit, end) =
        unit_at(tokens, at + 1).filter(|(_, end)| word(tokens, *end - 1).len() > 2)?;
    let one = Number { value: 1.0, digits: String::new(), ordinal: false, end };
    let (number, end) = half_more(tokens, end, &one);
    let (amount, end) = compound(tokens, amount(&number, unit), end);
    Some(Found { weak: amount.number == 1.0 && amount.base == unit.factor, amount, end })
}

/// Returns the unit whose name begins at token `at`, with the index after it.
fn unit_at(tokens: &[Token], at: usize) -> Option<(Unit, usize)> {
    let first = tokens.get(at)?;
    if first.shape == TokenShape::Code && !first.text.contains('/') || first.is("\n") {
        return None;
    }
    let suffix = match first.text.as_str() {
        "g" if first.upper() => upper_suffix("G"),
        "t" if first.upper() => upper_suffix("T"),
        "k" if first.upper() && first.spaced => unit("kelvin"),
        "mi" if first.capital() && !first.spaced => upper_suffix("Mi"),
        _ => None,
    };
    if let Some(unit) = suffix {
        return Some((unit, at + 1));
    }
    let mut name = String::new();
    let mut best = None;
    for (index, token) in tokens.iter().enumerate().skip(at).take(4) {
        if token.spaced && index > at {
            name.push(' ');
        }
        name.push_str(&token.text);
        if let Some(unit) = unit(&name) {
            best = Some((unit, index + 1));
        }
    }
    best.filter(|(_, end)| *end > at + 1 || first.text != "to")
}

/// `1 min 30 s`, `5 h 40`, `2 hours and 35 minutes`, `four euros and ninety-five cents`.
fn compound(tokens: &[Token], first: Amount, end: usize) -> (Amount, usize) {
    let (mut sum, mut end) = (first, end);
    let mut smallest = sum.unit.factor;
    loop {
        let mut next = end;
        next += usize::from(word(tokens, next) == ",");
        next += usize::from(word(tokens, next) == "and");
        let Some(more) = number(tokens, next).filter(|n| !n.ordinal) else {
            return (sum, end);
        };
        let minutes =
            more.digits.len() == 2 && sum.unit.factor == 3600.0 && next == end && more.value < 60.0;
        match unit_at(tokens, more.end) {
            Some((unit, after))
                if continues(sum.unit.dimension, unit.dimension) && unit.factor < smallest =>
            {
                sum.base += more.value * unit.factor;
                smallest = unit.factor;
                end = after;
            }
            Some((_, after)) if sum.unit.factor == 3600.0 && word(tokens, more.end) == "m" => {
                sum.base += more.value * 60.0;
                smallest = 60.0;
                end = after;
            }
            None if minutes && sum.unit.dimension == Dimension::Duration => {
                sum.base += more.value * 60.0;
                end = more.end;
            }
            _ => return (sum, end),
        }
        sum.number = sum.base / sum.unit.factor;
        sum.digits.clear();
    }
}

fn continues(first: Dimension, second: Dimension) -> bool {
    let additive = matches!(
        first,
        Dimension::Duration | Dimension::Months | Dimension::Length | Dimension::Mass
    );
    first == second && additive
        || matches!((first, second), (Dimension::Money(_), Dimension::Cents))
}

/// Returns the seconds of `per second`, `a minute`, `/h` or `daily`, with the index after it.
fn per(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    static ADVERBS: WordMap = WordMap::new("hourly=3600 daily=86_400 weekly=604_800");
    if let Some(seconds) = ADVERBS.number(word(tokens, at)) {
        return Some((seconds, at + 1));
    }
    if !matches!(word(tokens, at), "per" | "a" | "an" | "each" | "every" | "/") {
        return None;
    }
    let (unit, after) = unit_at(tokens, at + 1)?;
    match unit.dimension {
        Dimension::Duration => Some((unit.factor, after)),
        Dimension::Months => Some((unit.factor * MONTH_SECONDS, after)),
        _ => None,
    }
}

/// Applies `per second`, `a minute`, `/h`.
fn with_rate(tokens: &[Token], mut amount: Amount, end: usize) -> Found {
    let Some((seconds, after)) = per(tokens, end) else {
        return Found { amount, end, weak: false };
    };
    amount.base /= seconds;
    amount.digits.clear();
    if amount.unit.dimension == Dimension::Length {
        amount.unit.dimension = Dimension::Speed;
    } else {
        amount.per = true;
    }
    Found { amount, end: after, weak: false }
}
