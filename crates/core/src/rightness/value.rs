//! Values and their comparison.

use super::units::{Dimension, Unit};

/// Relation of an answer's value to a gold value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Agreement {
    /// Another type: neither supports nor contradicts.
    Unrelated,
    /// Same type and different.
    Different,
    /// Compatible, but not all of the gold value.
    Partial,
    /// Equal.
    Same,
}

use Agreement::{Different, Partial, Same, Unrelated};

/// A number with its unit.
#[derive(Clone, Debug)]
pub(super) struct Amount {
    /// In the base unit; per second where `per` is set.
    pub(super) base: f64,
    /// As written, in `unit`.
    pub(super) number: f64,
    /// Digits as written, for versions; empty for words.
    pub(super) digits: String,
    pub(super) unit: Unit,
    /// A rate: divided by seconds.
    pub(super) per: bool,
    pub(super) ordinal: bool,
    /// Nouns that follow, stemmed.
    pub(super) nouns: Vec<String>,
}

impl Amount {
    /// Returns it in the base unit, not divided by time.
    pub(super) fn plain(&self) -> f64 {
        (self.number + self.unit.shift) * self.unit.factor
    }

    /// Returns true if `answer` writes the same digits with a point between thousands (`26.000`).
    fn grouped_like(&self, answer: &Self) -> bool {
        let groups = answer.digits.split_once('.');
        let grouped =
            groups.is_some_and(|(head, tail)| tail.len() == 3 && head.len() < 4 && head != "0");
        grouped
            && self.number >= 1000.0
            && self.unit == answer.unit
            && equal(self.number, answer.number * 1000.0)
    }
}

/// A calendar date, as far as it is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) year: Option<i32>,
    pub(super) month: Option<u8>,
    pub(super) day: Option<u8>,
}

/// A time of day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clock {
    pub(super) seconds: u32,
    pub(super) zone: Option<&'static str>,
    /// Could be of the other half of the day (`half past nine`).
    pub(super) half_open: bool,
}

/// A value in a text.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Amount(Amount),
    Date(Date),
    Clock(Clock),
    Version(String),
    Range(Box<Value>, Box<Value>),
}

impl Value {
    /// Returns its type's name in a reason.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Amount(amount) if amount.per => "rate",
            Self::Amount(amount) => amount.unit.dimension.name(),
            Self::Date(_) => "date",
            Self::Clock(_) => "time",
            Self::Version(_) => "version",
            Self::Range(low, _) => match **low {
                Self::Clock(_) => "range of times",
                Self::Date(_) => "range of dates",
                _ => "range",
            },
        }
    }

    fn is_version(&self) -> bool {
        matches!(self, Self::Version(_))
    }

    /// Returns its text as a version.
    fn version(&self) -> Option<&str> {
        match self {
            Self::Version(text) => Some(text),
            Self::Amount(amount)
                if amount.unit.dimension == Dimension::Count
                    && !amount.digits.is_empty()
                    && !amount.per =>
            {
                Some(&amount.digits)
            }
            _ => None,
        }
    }
}

/// Returns how `answer` relates to `gold`; plain numbers are versions if `versions`.
pub(super) fn compare(gold: &Value, answer: &Value, versions: bool) -> Agreement {
    if (versions || gold.is_version() || answer.is_version())
        && let (Some(gold), Some(answer)) = (gold.version(), answer.version())
    {
        return same_if(gold == answer);
    }
    match (gold, answer) {
        (Value::Amount(gold), Value::Amount(answer)) => compare_amounts(gold, answer),
        (Value::Date(gold), Value::Date(answer)) => compare_dates(*gold, *answer),
        (Value::Date(gold), Value::Amount(answer)) => {
            year_of(answer).map_or(Unrelated, |year| compare_dates(*gold, year))
        }
        (Value::Amount(gold), Value::Date(answer)) => {
            year_of(gold).map_or(Unrelated, |year| compare_dates(year, *answer))
        }
        (Value::Clock(gold), Value::Clock(answer)) => compare_clocks(*gold, *answer),
        (Value::Clock(gold), Value::Amount(answer)) => compare_hour(*gold, answer),
        (Value::Range(low, high), Value::Range(from, to)) => {
            compare(low, from, versions).min(compare(high, to, versions))
        }
        (Value::Range(low, high), single) => {
            match compare(low, single, versions).max(compare(high, single, versions)) {
                Same => Partial,
                other => other,
            }
        }
        (single, Value::Range(from, to)) => {
            match compare(single, from, versions).max(compare(single, to, versions)) {
                Unrelated => Unrelated,
                _ => Different,
            }
        }
        _ => Unrelated,
    }
}

fn same_if(same: bool) -> Agreement {
    if same { Same } else { Different }
}

/// Equal up to the error of unit conversion.
pub(super) fn equal(a: f64, b: f64) -> bool {
    if a.fract() == 0.0 && b.fract() == 0.0 {
        return a == b;
    }
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

fn compare_amounts(gold: &Amount, answer: &Amount) -> Agreement {
    use Dimension::{Cents, Count, Data, Decade, Frequency, Money};
    let (g, a) = (gold.unit.dimension, answer.unit.dimension);
    if gold.per != answer.per {
        return match (gold.per, g, a) {
            // `600 Hz`, `140 rps`: a count per second under its own name.
            (true, Count, Frequency) | (false, Frequency, Count) => {
                same_if(equal(gold.base, answer.base))
            }
            _ if g != a => Unrelated,
            _ if !equal(gold.plain(), answer.plain()) => Different,
            (true, ..) => Partial,
            _ => Same,
        };
    }
    if g == a {
        if matches!(g, Decade)
            || !gold.ordinal && answer.ordinal && g == Count && !gold.nouns.is_empty()
        {
            return same_if(g == Decade && equal(gold.base, answer.base));
        }
        return same_if(equal(gold.base, answer.base) || gold.grouped_like(answer));
    }
    match (g, a) {
        (Money(_), Cents) | (Cents, Money(_)) => same_if(equal(gold.base, answer.base)),
        // Units against a bare number: equal as written.
        (Count, Decade) | (Decade, Count) => Unrelated,
        (Count, _) if gold.nouns.is_empty() && !gold.ordinal => {
            if equal(gold.number, answer.number) { Same } else { Unrelated }
        }
        (_, Count) if equal(gold.number, answer.number) && answer.nouns.is_empty() => Partial,
        (_, Count) if answer.nouns.is_empty() && !answer.ordinal => Different,
        (Dimension::Duration, Dimension::WorkingDays | Dimension::Months)
        | (Dimension::WorkingDays | Dimension::Months, Dimension::Duration)
        | (Data, Dimension::Bits)
        | (Dimension::Bits, Data)
        | (Dimension::Percent, Dimension::Points)
        | (Money(_), Money(_)) => Different,
        _ => Unrelated,
    }
}

/// Returns the year that a plain number of four digits may be.
pub(super) fn year_of(amount: &Amount) -> Option<Date> {
    let plain = amount.digits.len() == 4 && amount.digits.bytes().all(|b| b.is_ascii_digit());
    let year = plain && amount.unit.dimension == Dimension::Count && !amount.per;
    (year && (1000.0..2200.0).contains(&amount.number))
        .then(|| Date { year: Some(amount.number as i32), ..Date::default() })
}

fn compare_dates(gold: Date, answer: Date) -> Agreement {
    let year = field(gold.year, answer.year);
    let month = field(gold.month, answer.month);
    let day = field(gold.day, answer.day);
    let all = year.min(month).min(day);
    if all == Partial && year.max(month).max(day) == Partial && !(shares(gold, answer)) {
        return Unrelated;
    }
    all
}

fn shares(gold: Date, answer: Date) -> bool {
    (gold.year.is_some() && answer.year.is_some())
        || (gold.month.is_some() && answer.month.is_some())
        || (gold.day.is_some() && answer.day.is_some())
}

fn field<T: PartialEq>(gold: Option<T>, answer: Option<T>) -> Agreement {
    match (gold, answer) {
        (None, _) => Same,
        (Some(_), None) => Partial,
        (Some(gold), Some(answer)) => same_if(gold == answer),
    }
}

fn compare_clocks(gold: Clock, answer: Clock) -> Agreement {
    if gold.zone.is_some() && answer.zone.is_some() && gold.zone != answer.zone {
        return Different;
    }
    let half =
        (gold.half_open || answer.half_open) && gold.seconds % 43_200 == answer.seconds % 43_200;
    same_if(half || gold.seconds == answer.seconds)
}

/// A bare hour (`until 13`, `between 2 and 5 am`) or `10.30` for a time of day.
fn compare_hour(gold: Clock, answer: &Amount) -> Agreement {
    if answer.unit.dimension != Dimension::Count || !answer.nouns.is_empty() || answer.ordinal {
        return Unrelated;
    }
    let (hours, minutes) = match answer.digits.split_once('.') {
        Some((hours, minutes)) if minutes.len() == 2 => (hours.parse().ok(), minutes.parse().ok()),
        _ => (Some(answer.number as u32), Some(0)),
    };
    let is_of_day = |hours: u32, minutes: u32| hours <= 24 && minutes < 60;
    match (hours, minutes) {
        (Some(hours), Some(minutes))
            if is_of_day(hours, minutes) && hours * 3600 + minutes * 60 == gold.seconds =>
        {
            if answer.digits.contains('.') { Same } else { Partial }
        }
        _ => Unrelated,
    }
}
