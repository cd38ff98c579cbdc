//! Values: amounts with units, dates, times of day, ranges; how two of them relate, and how they are read in any notation.

use super::notation::digit_date;
use super::parsed::Parsed;
use super::token::{Kind, Token};
use super::vocabulary::Unit;
use crate::language::Class::{self, Cardinals, ClockWords, Halves, Months, Ordinals, Scales};

/// Relation of a value in an answer to a gold value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Agreement {
    /// Another type: neither supports nor contradicts.
    Unrelated,
    /// Another value of the same type.
    Different,
    /// Compatible, but not all of the gold value.
    Partial,
    Equal,
}

use Agreement::{Different, Equal, Partial, Unrelated};

/// Integers from here on compare as written: a float is no longer one of them.
const INEXACT: f64 = 9_007_199_254_740_992.0;

/// A number with what it counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Amount {
    pub number: f64,
    /// Digits that it is written with; 0 for words and sums.
    pub n_digits: usize,
    pub ordinal: bool,
    pub unit: Option<Unit>,
    /// Its divisor: a dimension or the stem of a noun, with the unit's factor.
    pub per: Option<Unit>,
    /// True for a time after which something happens again: `every six months`.
    pub recurs: bool,
    /// Stem of the noun that follows a number without a unit.
    pub noun: Option<String>,
}

/// Year, month and day, as far as they are given.
pub(super) type Date = [Option<u32>; 3];

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Amount(Amount),
    Date(Date),
    /// Minutes since midnight; `true`: of either half of the day.
    Clock(u32, bool),
    Range(Box<Value>, Box<Value>),
}

/// A value at its place in a text.
#[derive(Clone, Debug)]
pub(super) struct Occurrence {
    pub first: usize,
    pub end: usize,
    pub value: Value,
    /// The limit that the words around it make of it.
    pub bound: Option<Class>,
}

/// Classes of the phrases that make a limit of a value.
const LIMITS: [Class; 6] =
    [Class::AtMost, Class::AtLeast, Class::MoreThan, Class::LessThan, Class::After, Class::Before];

/// Returns true for a limit that counts whether or not the gold answer is one.
pub(super) fn is_firm(bound: Option<Class>) -> bool {
    !matches!(bound, None | Some(Class::Before | Class::After))
}

impl Occurrence {
    /// Returns true for a word that may count nothing: `one`, `second`, `daily`.
    pub(super) fn is_weak(&self) -> bool {
        let Some(amount) = self.value.amount() else { return false };
        let is_bare = amount.n_digits == 0 && amount.noun.is_none() && amount.unit.is_none();
        let is_adverb = self.end - self.first == 1 && amount.per.is_some();
        is_adverb || is_bare && (amount.ordinal || amount.number == 1.0)
    }

    /// Returns how this value of a gold answer relates to one of an answer.
    pub(super) fn relation(&self, answer: &Self) -> Agreement {
        compare(&self.value, &answer.value)
    }

    /// Returns the number of an amount that says what it counts.
    pub(super) fn specific(&self) -> Option<f64> {
        let amount = self.value.amount()?;
        let is_bare = amount.unit.is_none() && amount.per.is_none() && amount.noun.is_none();
        (!is_bare).then_some(amount.number)
    }
}

impl Value {
    /// Returns the amount, if it is one.
    pub(super) fn amount(&self) -> Option<&Amount> {
        match self {
            Self::Amount(amount) => Some(amount),
            _ => None,
        }
    }

    /// Returns the date that a value is, or may be: a plain number of four digits.
    pub(super) fn date(&self) -> Option<Date> {
        match self {
            Self::Date(date) => Some(*date),
            Self::Amount(amount) => amount.year().map(|year| [Some(year), None, None]),
            _ => None,
        }
    }
}

impl Amount {
    /// Returns the amount multiplied: no longer as its digits say.
    pub(super) fn times(self, factor: f64) -> Self {
        Self { number: self.number * factor, n_digits: 0, ..self }
    }

    /// Returns the year that a plain number of four digits may be.
    pub(super) fn year(&self) -> Option<u32> {
        let is_plain = self.n_digits == 4 && self.unit.is_none() && self.number.fract() == 0.0;
        let is_year = is_plain && (1000.0..2200.0).contains(&self.number) && !self.is_decade();
        is_year.then_some(self.number as u32)
    }

    /// `1980s`.
    fn is_decade(&self) -> bool {
        self.noun.as_deref() == Some("s")
    }

    /// Returns the number in the unit's base.
    fn base(&self) -> f64 {
        self.unit.as_ref().map_or(self.number, |unit| (self.number + unit.shift) * unit.factor)
    }

    /// Returns the time from one to the next, with its dimension: of `every six months`, of `twice a year`.
    fn period(&self) -> Option<(&str, f64)> {
        let (unit, time) = match (&self.unit, &self.per) {
            (Some(unit), None) if self.recurs => (unit, self.base()),
            (None, Some(per)) if self.noun.is_none() => (per, per.factor / self.number),
            _ => return None,
        };
        (unit.kind() == "duration" && time.is_finite()).then_some((&unit.dimension, time))
    }
}

/// Equal up to the error of a conversion of units.
fn equal(a: f64, b: f64) -> bool {
    a == b || (a.fract() != 0.0 || b.fract() != 0.0) && (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Returns how `answer` relates to `gold`.
fn compare(gold: &Value, answer: &Value) -> Agreement {
    match (gold, answer) {
        (Value::Amount(gold), Value::Amount(answer)) => amounts(gold, answer),
        (Value::Clock(gold, a), Value::Clock(answer, b)) => {
            when(gold == answer || (*a || *b) && gold % 720 == answer % 720)
        }
        (Value::Range(low, high), Value::Range(from, to)) => {
            compare(low, from).min(compare(high, to))
        }
        (Value::Range(low, high), single) | (single, Value::Range(low, high)) => {
            compare(low, single).max(compare(high, single)).min(Partial)
        }
        _ => gold.date().zip(answer.date()).map_or(Unrelated, dates),
    }
}

/// Returns `Equal` or `Different`.
fn when(same: bool) -> Agreement {
    if same { Equal } else { Different }
}

/// Compares amounts in their units; a number without a unit may be part of one with it.
fn amounts(gold: &Amount, answer: &Amount) -> Agreement {
    let numbers = equal(gold.number, answer.number);
    let (rate, other_rate) = match (&gold.per, &answer.per) {
        (Some(one), Some(other)) if one.dimension != other.dimension => return Different,
        (Some(one), Some(other)) => (one.factor, other.factor),
        _ => (1.0, 1.0),
    };
    let (period, other_period) = (gold.period(), answer.period());
    match (&gold.unit, &answer.unit) {
        (Some(one), Some(other)) if one.converts_to(other) => {
            let is_same = numbers && one == other && rate == other_rate;
            let rounds = |one: &Amount, other: &Amount| {
                one.n_digits == 0 || one.number.fract() == 0.0 && other.number.round() == one.number
            };
            let is_rounded = one != other || rounds(gold, answer) || rounds(answer, gold);
            let (gold, answer) = (gold.base() / rate, answer.base() / other_rate);
            match is_same || equal(gold, answer) {
                // `26.2 miles` for `42.195 km`, `78.08%` for `78%`.
                false if is_rounded && (gold - answer).abs() < 0.005 * gold.abs() => Partial,
                is_equal => when(is_equal),
            }
        }
        (Some(one), Some(other)) if numbers || one.kind() == other.kind() => Different,
        _ if let Some((one, other)) = period.zip(other_period) => {
            when(one.0 == other.0 && equal(one.1, other.1))
        }
        (Some(_), None) if numbers => Partial,
        (None, Some(_))
            if numbers && gold.noun.is_none() && gold.per.is_none() && !gold.ordinal =>
        {
            Equal
        }
        (None, None) => {
            let is_same = numbers && rate == other_rate;
            let is_equal = || equal(gold.number / rate, answer.number / other_rate);
            // `3.10` is no `3.1`, but `0.50` is `0.5`.
            let digits = [gold.n_digits, answer.n_digits];
            let is_padded = gold.number > 1.0 && gold.number.fract() != 0.0 && !digits.contains(&0);
            let is_other = is_padded && digits[0] != digits[1];
            when((is_same || is_equal()) && !is_other && gold.is_decade() == answer.is_decade())
        }
        _ => Unrelated,
    }
}

/// Compares what both dates give; what only the gold date gives is missing.
fn dates((gold, answer): (Date, Date)) -> Agreement {
    let shared = gold.iter().zip(&answer).any(|(gold, answer)| gold.is_some() && answer.is_some());
    let fields = gold.iter().zip(&answer).map(|(gold, answer)| match (gold, answer) {
        (Some(_), None) => Partial,
        (Some(gold), Some(answer)) => when(gold == answer),
        (None, _) => Equal,
    });
    fields.min().filter(|_| shared).unwrap_or(Unrelated)
}

/// Returns true if one limit is an upper, the other a lower one.
pub(super) fn opposed(gold: Option<Class>, answer: Option<Class>) -> bool {
    let upper = |bound| matches!(bound, Class::AtMost | Class::LessThan | Class::Before);
    gold.zip(answer).is_some_and(|(gold, answer)| upper(gold) != upper(answer))
}

impl Parsed {
    /// Returns all values of the text, in order.
    pub(super) fn values(&self) -> Vec<Occurrence> {
        let mut found: Vec<Occurrence> = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let Some((value, end)) = self.value(at) else {
                at += 1;
                continue;
            };
            let (value, end) = self.range(at, value, end);
            let mut mention = Occurrence { first: at, end, bound: None, value };
            mention.bound = self.bound(&mention);
            found.push(mention);
            at = end;
        }
        found
    }

    /// Returns the value that begins at `at`, and the token after it.
    fn value(&self, at: usize) -> Option<(Value, usize)> {
        // Digits within an identifier are no value: `802.3at`.
        let is_joined = |next: &&Token| !next.spaced && next.is_word() && next.text.is_ascii();
        let marks = [Class::OrdinalEnds, Class::BeforeNoon, Class::AfterNoon];
        if self.number_token(at).is_some()
            && let Some(next) = self.tokens.get(at + 1).filter(is_joined)
            && next.text.len() > 1
            && self.unit(at + 1).is_none()
            && self.scale(at + 1).is_none()
            && !marks.into_iter().any(|class| self.at(class, at + 1) > 0)
        {
            return None;
        }
        if let Some((ClockWords, hour)) = self.number_word(at) {
            return Some((Value::Clock((hour * 60.0) as u32, false), at + 1));
        }
        let date = self.digit_date(at).or_else(|| self.named_date(at));
        let date = date.map(|(date, end)| (Value::Date(date), end));
        let amount = || self.amount(at).map(|(amount, end)| (Value::Amount(amount), end));
        date.or_else(|| self.clock(at)).or_else(amount)
    }

    /// Returns the class of the word at `at` in a number, a date or a time, and its value.
    pub(super) fn number_word(&self, at: usize) -> Option<(Class, f64)> {
        self.words.number_words.get(self.word(at)).copied()
    }

    /// Returns the factor that the word at `at` names.
    fn scale(&self, at: usize) -> Option<f64> {
        match self.number_word(at) {
            Some((Scales, scale)) => Some(scale),
            _ => None,
        }
    }

    /// Returns the token at `at` if it is a number.
    fn number_token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at).filter(|token| token.is_number())
    }

    /// Returns the token at `at` if no white space precedes it.
    fn joined(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at).filter(|token| !token.spaced)
    }

    /// Returns the place after an article at `at`, if there is one.
    fn after_article(&self, at: usize) -> usize {
        at + usize::from(self.tokens.get(at).is_some_and(|token| self.words.is_article(token)))
    }

    /// `10-20`, `10 to 20`, `between 10 and 20`.
    fn range(&self, at: usize, mut low: Value, end: usize) -> (Value, usize) {
        let opened = at > 0 && self.at(Class::RangeStarts, at - 1) > 0;
        let joins = self.word(end) == "-"
            || opened && self.at(Class::And, end) == 1
            || self.at(Class::RangeLinks, end) == 1;
        let is_amount = low.amount().is_some();
        let fits = |(high, _): &(Value, usize)| {
            joins && self.is_same_sentence(at, end) && high.amount().is_some() == is_amount
        };
        let Some((high, after)) = self.value(end + 1).filter(fits) else { return (low, end) };
        if let (Value::Amount(low), Some(high)) = (&mut low, high.amount())
            && low.unit.is_none()
        {
            (low.unit, low.noun) = (high.unit.clone(), None);
        }
        (Value::Range(Box::new(low), Box::new(high)), after)
    }

    /// Returns the limit that the longest phrase directly before or after a value makes of it.
    fn bound(&self, mention: &Occurrence) -> Option<Class> {
        let (first, end) = (mention.first, mention.end);
        let mut best = (0, None, first);
        // `It rose by 5%.`
        let fits = |bound: &Class| *bound != Class::Before || mention.specific().is_none();
        for bound in LIMITS.into_iter().filter(fits) {
            for at in (first.saturating_sub(6)..first).chain(end..end + 3) {
                let len = self.at(bound, at);
                let is_before = at < first && (first - 1..=first).contains(&(at + len));
                let adjoins = is_before && self.is_same_sentence(at, first) || at >= end && len > 1;
                if len > best.0 && adjoins {
                    best = (len, Some(bound), at.min(first));
                }
            }
        }
        // `should not take more than 4 g` is at most 4 g.
        let clause = self.tokens[first].clause;
        let is_denial = |at: usize| self.tokens[at].clause == clause && self.denies(at);
        let is_denied = |n: usize| (best.2.saturating_sub(n)..best.2).any(is_denial);
        match best.1? {
            Class::MoreThan if is_denied(8) => Some(Class::AtMost),
            Class::LessThan if is_denied(8) => Some(Class::AtLeast),
            Class::AtMost if is_denied(1) => Some(Class::MoreThan),
            Class::AtLeast if is_denied(1) => Some(Class::LessThan),
            Class::Before if is_denied(1) => Some(Class::AtLeast),
            Class::After if is_denied(1) => Some(Class::AtMost),
            bound => Some(bound),
        }
    }

    /// Returns the number in digits or words at `at`, and the token after it.
    fn number(&self, at: usize) -> Option<(Amount, usize)> {
        let token = self.tokens.get(at)?;
        let is_minus = self.at(Class::Minus, at) > 0;
        if is_minus || token.is("+") {
            let opens = at == 0 || token.spaced || self.tokens[at - 1].is_symbol();
            let next = self.tokens.get(at + 1).filter(|next| !next.spaced || token.is_word());
            let is_other = self.at(Class::Minus, at + 1) == 0;
            let next = next.filter(|next| opens && is_other && !next.is_symbol());
            let digits = next.and_then(|_| self.number(at + 1));
            let (amount, end) = digits.filter(|(amount, _)| !amount.ordinal)?;
            let number = if is_minus { -amount.number } else { amount.number };
            return Some((Amount { number, ..amount }, end));
        }
        let (amount, end) = match token.kind {
            _ if self.fraction(at).is_some() => (Amount::default(), at),
            Kind::Number => self.in_digits(at)?,
            Kind::Word => self.in_words(at)?,
            Kind::Symbol => return None,
        };
        // `4 3/8`, `two and a half million`, `half a million`.
        let and = self.at(Class::And, end);
        let next = if and == 1 { self.after_article(end + 1) } else { end };
        let is_mixed = next > end + 1 || end == at || self.word(next + 1) == "/";
        let share = self.fraction(next).filter(|_| is_mixed && !amount.ordinal);
        let Some((share, end)) = share.filter(|_| amount.number < 100.0) else {
            return Some((amount, end));
        };
        let amount = Amount { number: amount.number + share, ..Amount::default() };
        let next = self.after_article(end);
        let scaled = self.scale(next).map(|scale| (amount.clone().times(scale), next + 1));
        Some(scaled.unwrap_or((amount, end)))
    }

    /// `3/8`, `half`, `two-thirds`, `one fifth`: the share, and the token after it.
    fn fraction(&self, at: usize) -> Option<(f64, usize)> {
        let next = at + 1 + usize::from(self.word(at + 1) == "-");
        match (self.number_word(at), self.number_word(next)) {
            (Some((Halves, share)), _) => Some((share, at + 1)),
            (Some((Cardinals, n)), Some((Halves, share))) if share < 0.5 => {
                Some((n * share, next + 1))
            }
            (Some((Cardinals, 1.0)), Some((Ordinals, part))) if (3.0..=10.0).contains(&part) => {
                Some((1.0 / part, next + 1))
            }
            _ => {
                self.joined(at + 1).filter(|slash| slash.is_one_of("/\u{2044}"))?;
                let above: f64 = self.number_token(at)?.text.parse().ok()?;
                let below: f64 = self.joined(at + 2)?.text.parse().ok()?;
                let is_share = (2.0..=10.0).contains(&below) && above < below;
                is_share.then_some((above / below, at + 3))
            }
        }
    }

    /// Returns the number in digits at `at`: with groups, fractions, the end of an ordinal or a factor.
    fn in_digits(&self, at: usize) -> Option<(Amount, usize)> {
        let text = &self.tokens[at].text;
        // `€5.000`, `5.000 €`: money has no three decimals.
        let is_money = at > 0 && self.money(at - 1).is_some() || self.money(at + 1).is_some();
        let is_grouped = is_money && self.scale(at + 1).is_none();
        let mut number = parse(text, self.words.language.decimal == ",", is_grouped)?;
        let mut end = at + 1;
        // `12 400`.
        let is_group = |token: &&Token| token.spaced && token.text.len() == 3;
        while let Some(group) = self.number_token(end).filter(is_group)
            && text.len() <= 3
            && number.fract() == 0.0
        {
            number = number * 1e3 + group.text.parse::<f64>().ok()?;
            end += 1;
        }
        // Not the footnote of `1945²`.
        let (base, power) = match (self.word(end), self.word(end + 1), self.word(end + 2)) {
            ("^", ..) if number < 100.0 => (number, end + 1),
            ("x" | "*", "10", "^") => (10.0, end + 3),
            _ => (1.0, end),
        };
        let minus = usize::from(self.word(power) == "-");
        if power > end
            && let Ok(exponent) = self.word(power + minus).parse::<i32>()
        {
            let factor = base.powi(if minus > 0 { -exponent } else { exponent });
            let number = if power == end + 1 { factor } else { number * factor };
            return Some((Amount { number, n_digits: 1, ..Amount::default() }, power + minus + 1));
        }
        if number >= INEXACT {
            return None;
        }
        let n_digits = text.bytes().filter(u8::is_ascii_digit).count();
        let amount = Amount { number, n_digits, ..Amount::default() };
        // `3rd`, `18. Mai`.
        let next = self.joined(end);
        let is_month = matches!(self.number_word(end + 1), Some((Months, _)));
        if next.is_some_and(|next| next.is_word() || is_month)
            && self.at(Class::OrdinalEnds, end) > 0
        {
            return Some((Amount { ordinal: true, ..amount }, end + 1));
        }
        let is_scale = |next: &&Token| next.capital || is_money || next.is("k");
        let letter = next.filter(is_scale).map_or("", |next| &next.text);
        let factor = match self.scale(end) {
            _ if letter == "m" => 1e6,
            _ if letter == "b" => 1e9,
            Some(factor) if self.word(end) != "k" || letter == "k" => factor,
            _ => return Some((amount, end)),
        };
        Some((amount.times(factor), end + 1))
    }

    /// `forty-two`, `one hundred and twenty`, `two and a half million`, `a dozen`, `twenty-first`.
    fn in_words(&self, at: usize) -> Option<(Amount, usize)> {
        let is_scale = self.scale(self.after_article(at)).is_some_and(|scale| scale > 10.0);
        let start = if is_scale { self.after_article(at) } else { at };
        let (mut total, mut current, mut end) = (0.0, if start > at { 1.0 } else { 0.0 }, start);
        loop {
            let hyphen = end > start && self.word(end) == "-";
            let and = end > start && current >= 100.0 && self.at(Class::And, end) == 1;
            let next = end + usize::from(hyphen || and);
            match self.number_word(next) {
                // `三十`.
                Some((Cardinals, 10.0)) if current % 10.0 > 1.0 && self.tokens[next].unspaced => {
                    current += current % 10.0 * 9.0;
                }
                Some((Cardinals, value)) if end == start || current % 100.0 == 0.0 => {
                    current += value;
                }
                Some((Cardinals, value)) if current % 10.0 == 0.0 && value < 10.0 => {
                    current += value;
                }
                Some((Ordinals, value)) if value > 0.0 && (end == start || hyphen || and) => {
                    let number = total + current + value;
                    return Some((Amount { number, ordinal: true, ..Amount::default() }, next + 1));
                }
                Some((Scales, scale)) if current > 0.0 && scale <= 100.0 => current *= scale,
                Some((Scales, scale)) if current > 0.0 => {
                    (total, current) = (total + current * scale, 0.0);
                }
                _ => break,
            }
            end = next + 1;
        }
        let number = total + current;
        (end > at).then_some((Amount { number, ..Amount::default() }, end))
    }

    /// Returns the number at `at` with its currency, unit, noun and rate.
    fn amount(&self, at: usize) -> Option<(Amount, usize)> {
        if let Some((unit, next)) = self.money(at)
            && self.tokens.get(next).is_some_and(|token| !token.is_word())
            && let Some((amount, end)) = self.number(next)
        {
            return Some(self.with_rate(Amount { unit: Some(unit), ..amount }, end));
        }
        // `Within an hour`, `every hour`, `daily`.
        let follows =
            |class| (at.saturating_sub(3)..at).any(|from| from + self.at(class, from) == at);
        let single = Amount { number: 1.0, ..Amount::default() };
        let is_part = at > 0 && self.word(at - 1) == "-" && self.joined(at).is_some();
        if let Some(per) = self.words.periods.get(self.word(at)).filter(|_| !is_part) {
            return Some((Amount { per: Some(per.clone()), ..single }, at + 1));
        }
        let (one, recurs) = (self.after_article(at), follows(Class::Every));
        if (recurs || one > at && follows(Class::AtMost))
            && let Some((unit, end)) = self.unit(one)
            && (!recurs || unit.kind() == "duration")
            && self.unit(self.after_article(end + self.at(Class::Links, end))).is_none()
        {
            return Some((Amount { unit: Some(unit), recurs, ..single }, end));
        }
        let (mut amount, end) = self.number(at)?;
        // `half of an hour`; a share of something else is a percentage.
        let is_share = amount.n_digits == 0 && amount.number > 0.0 && amount.number < 1.0;
        let of = self.at(Class::Links, end);
        let next = if is_share { self.after_article(end + of) } else { end };
        amount.recurs = recurs;
        // `1980s` are no seconds.
        let is_decade = amount.n_digits == 4
            && amount.number % 10.0 == 0.0
            && amount.number < 2100.0
            && (self.tokens.len() == 2 || at > 0 && self.words.is_article(&self.tokens[at - 1]))
            && self.joined(next).is_some_and(|it| it.is("s"));
        let unit = self.unit(next).filter(|_| !is_decade);
        if let Some((unit, end)) = unit.filter(|_| !amount.ordinal) {
            let (amount, end) = self.with_smaller(amount, unit, end);
            return Some(self.with_rate(amount, end));
        }
        if is_share {
            let unit = self.words.unit("%", "").cloned();
            return Some((Amount { unit, ..amount.times(100.0) }, end));
        }
        let counts = |noun: &&Token| {
            let is_near = noun.spaced && self.is_same_sentence(at, next);
            let is_near = is_near && !self.words.periods.contains_key(&noun.text);
            noun.is("s") || noun.is_word() && noun.content && is_near
        };
        amount.noun = self.tokens.get(next).filter(counts).map(|noun| noun.stem.clone());
        let after = next + usize::from(amount.noun.is_some());
        let is_times = self.at(Class::Times, next) > 0;
        let (mut amount, last) = self.with_rate(amount, after);
        amount.noun = amount.noun.filter(|_| !is_times || amount.per.is_none());
        Some((amount, if last > after { last } else { end }))
    }

    /// Adds smaller units of the same dimension: `1 h 30 min`.
    fn with_smaller(&self, mut amount: Amount, unit: Unit, mut end: usize) -> (Amount, usize) {
        let mut smallest = unit.factor;
        while let Some((more, after)) =
            self.number(end + usize::from(self.at(Class::And, end) == 1))
            && let Some((small, after)) = self.unit(after)
            && !more.ordinal
            && small.dimension == unit.dimension
            && small.factor < smallest
        {
            amount.number += more.number * small.factor / unit.factor;
            amount.n_digits = 0;
            (smallest, end) = (small.factor, after);
        }
        amount.unit = Some(unit);
        (amount, end)
    }

    /// Adds `per second`, `a minute`, `/h` or `per request`.
    fn with_rate(&self, amount: Amount, end: usize) -> (Amount, usize) {
        let next = end + self.at(Class::Per, end);
        let unit = || self.unit(next).filter(|_| next > end);
        let noun = || {
            let noun = self.tokens.get(next).filter(|noun| noun.is_word() && noun.content)?;
            let is_number = self.number_word(next).is_some();
            let is_counted = next > end && self.after_article(end) == end && !is_number;
            let unit = Unit { dimension: noun.stem.clone(), factor: 1.0, shift: 0.0 };
            is_counted.then_some((unit, next + 1))
        };
        // `Twice daily`.
        let daily = || Some((self.words.periods.get(self.word(end))?.clone(), end + 1));
        match unit().or_else(daily).or_else(noun) {
            Some((per, end)) => (Amount { per: Some(per), ..amount }, end),
            None => (amount, end),
        }
    }

    /// Returns the unit whose symbol or name begins at `at`, with the token after it.
    pub(super) fn unit(&self, at: usize) -> Option<(Unit, usize)> {
        let first = self.tokens.get(at)?;
        let mut name = String::new();
        let mut best = None;
        for (place, token) in self.tokens.iter().enumerate().skip(at).take(4) {
            if place > at && (token.spaced || token.is("-")) {
                name.push(' ');
            }
            name.push_str(if token.is("-") { "" } else { &token.text });
            // `m³` is read as `m^3`.
            let raw = self.text[first.start..token.end].replace('^', "");
            // `5 in 2020`: a short word is a unit only where it cannot be a word.
            let goes_on =
                self.tokens.get(place + 1).is_some_and(|next| !next.is_one_of(".,;:)!?["));
            let is_word = first.spaced && goes_on && matches!(&*raw, "in" | "A" | "p");
            if let Some(unit) = self.words.unit(&raw, &name).filter(|_| !is_word) {
                best = Some((unit.clone(), place + 1));
            }
        }
        best
    }

    /// Returns the currency at `at`, with the token after it.
    fn money(&self, at: usize) -> Option<(Unit, usize)> {
        self.unit(at).filter(|(unit, _)| unit.kind() == "money")
    }

    /// `15:00`, `3 pm`, `15 Uhr`.
    fn clock(&self, at: usize) -> Option<(Value, usize)> {
        let text = self.number_token(at)?.text.as_str();
        let (hours, minutes) = text.split_once([':', '.']).unwrap_or((text, "00"));
        let minutes = minutes.split(':').next().filter(|minutes| minutes.len() == 2)?;
        let minutes: u32 = minutes.parse().ok().filter(|minutes| *minutes < 60)?;
        let hours: u32 = hours.parse().ok().filter(|hours| *hours <= 24)?;
        let mark = |class| self.at(class, at + 1);
        let (before, after) = (mark(Class::BeforeNoon), mark(Class::AfterNoon));
        let word = mark(Class::HourWords);
        let (hours, open) = match hours {
            12 if before > 0 => (0, false),
            1..=11 if after > 0 => (hours + 12, false),
            _ if before + after + word == 0 && !text.contains(':') => return None,
            _ => (hours, word > 0 && hours <= 12 && text.len() < 3),
        };
        Some((Value::Clock(hours * 60 + minutes, open), at + 1 + before.max(after).max(word)))
    }

    /// `1980-05-18`, `18.5.1980`, `5/18/1980`, `1980年5月18日`.
    fn digit_date(&self, at: usize) -> Option<(Date, usize)> {
        let start = self.number_token(at)?.start;
        let (date, len) = digit_date(&self.text[start..], self.words.language.decimal != ",")?;
        Some((date, at + self.tokens[at..].partition_point(|token| token.start < start + len)))
    }

    /// A month by name with day and year in any order: `18 May 1980`, `May 18, 1980`, `the 18th of May`, `May 1980`, `September`.
    fn named_date(&self, at: usize) -> Option<(Date, usize)> {
        let part = |at: usize| {
            if let Some((Months, month)) = self.number_word(at) {
                return Some((1, month as u32, at + 1));
            }
            let (amount, end) = self.number(at)?;
            let is_day = amount.number.fract() == 0.0 && (1.0..=31.0).contains(&amount.number);
            let (field, number) =
                if is_day { (2, amount.number as u32) } else { (0, amount.year()?) };
            Some((field, number, end))
        };
        let (mut date, mut end): (Date, usize) = ([None; 3], at);
        loop {
            // One word between.
            let linked = || part(end + 1).filter(|_| end > at && self.is_date_link(end));
            let Some((field, number, after)) = part(end).or_else(linked) else { break };
            // A year follows the month, and the day comes before the year.
            let fits = [date[1].is_some(), true, date[0].is_none()][field];
            if !fits || date[field].is_some() {
                break;
            }
            (date[field], end) = (Some(number), after);
        }
        let [year, month, day] = date;
        let name = self.tokens.get(end.checked_sub(1)?)?;
        let is_long = name.text.chars().count() > if name.capital { 4 } else { 5 };
        let is_date = month.is_some() && (year.or(day).is_some() || is_long);
        is_date.then_some((date, end))
    }

    /// `,` or `of the` between the parts of a date.
    fn is_date_link(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        token.is_one_of(",.-") || self.at(Class::Links, at) == 1 || self.words.is_article(token)
    }
}

/// Reads digits with separators. `None` for times, versions and addresses.
fn parse(text: &str, decimal_comma: bool, is_money: bool) -> Option<f64> {
    let text = text.replace('\'', "").replace('٫', ".").replace('٬', "");
    let n_marks = (text.matches(',').count(), text.matches('.').count());
    let is_grouped = |separator: char| {
        let mut groups = text.split(separator);
        let first = groups.next().unwrap_or_default();
        let is_start = (1..=3).contains(&first.len()) && !first.starts_with('0');
        is_start && groups.all(|group| group.len() == 3)
    };
    let is_ambiguous = n_marks == (1, 0) && is_grouped(',') || n_marks == (0, 1) && is_grouped('.');
    let comma = match n_marks {
        _ if text.contains(':') => return None,
        _ if is_ambiguous && is_money => n_marks.1 == 1,
        _ if is_ambiguous => decimal_comma,
        (2.., 0) if is_grouped(',') => false,
        (0, 2..) if is_grouped('.') => true,
        _ => text.rfind(',') > text.rfind('.'),
    };
    let (thousands, decimal) = if comma { ('.', ',') } else { (',', '.') };
    text.replace(thousands, "").replace(decimal, ".").parse().ok()
}
