//! Values: amounts with units, dates, times of day, ranges; and how two of them relate.

use super::vocabulary::Unit;
use crate::language::Class;

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

/// A number with what it counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Amount {
    pub number: f64,
    /// The number if its separator means the other thing: `1.250`.
    pub other: Option<f64>,
    /// Digits that it is written with; 0 for words and sums.
    pub n_digits: usize,
    pub ordinal: bool,
    pub unit: Option<Unit>,
    /// Its divisor: a dimension or the stem of a noun, with the unit's factor.
    pub per: Option<Unit>,
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
pub(super) struct Mention {
    pub first: usize,
    pub end: usize,
    pub value: Value,
    /// The limit that the words around it make of it.
    pub bound: Option<Class>,
    /// A word that may count nothing: `one`, `second`.
    pub weak: bool,
}

impl Mention {
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
    /// Returns true for a word that may count nothing.
    pub(super) fn is_weak(&self) -> bool {
        let is_bare = self.n_digits == 0 && self.noun.is_none() && self.unit.is_none();
        is_bare && (self.ordinal || self.number == 1.0)
    }

    /// Returns the amount multiplied: no longer as its digits say.
    pub(super) fn times(self, factor: f64) -> Self {
        Self { number: self.number * factor, other: None, n_digits: 0, ..self }
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

    /// Returns true if the numbers are the same, read in one way or the other.
    fn has_number_of(&self, other: &Self) -> bool {
        let one = |number: Option<f64>, other: f64| number.is_some_and(|own| equal(own, other));
        equal(self.number, other.number)
            || one(self.other, other.number)
            || one(other.other, self.number)
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
    let numbers = gold.has_number_of(answer);
    let (rate, other_rate) = match (&gold.per, &answer.per) {
        (Some(one), Some(other)) if one.dimension != other.dimension => return Different,
        (Some(one), Some(other)) => (one.factor, other.factor),
        _ => (1.0, 1.0),
    };
    match (&gold.unit, &answer.unit) {
        (Some(one), Some(other)) if one.converts_to(other) => {
            let is_same = numbers && one == other && rate == other_rate;
            when(is_same || equal(gold.base() / rate, answer.base() / other_rate))
        }
        (Some(one), Some(other)) if numbers || one.kind() == other.kind() => Different,
        (Some(_), None) if numbers => Partial,
        (Some(_), None) if answer.noun.is_none() && answer.per.is_none() => Different,
        (None, Some(_)) if numbers && gold.noun.is_none() && !gold.ordinal => Equal,
        (None, None) => {
            when(numbers && rate == other_rate && gold.is_decade() == answer.is_decade())
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
    let upper = |bound| matches!(bound, Class::AtMost | Class::LessThan);
    gold.zip(answer).is_some_and(|(gold, answer)| upper(gold) != upper(answer))
}
