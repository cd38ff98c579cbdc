//! Dates and times of day.

use super::lex::{Token, TokenShape};
use super::number::number;
use super::value::{Clock, Date, Value};
use super::words::{MONTHS, WEEKDAYS, ZONES};

/// Returns the date that begins at token `at`, with the index after it.
pub(super) fn date(tokens: &[Token], at: usize) -> Option<(Value, usize)> {
    let token = tokens.get(at)?;
    if WEEKDAYS.has(&token.text) && token.capital() {
        let mut next = at + 1;
        while tokens.get(next).is_some_and(|t| matches!(t.text.as_str(), "," | "the" | "." | "on"))
        {
            next += 1;
        }
        return date(tokens, next);
    }
    let (date, end) = month_and_year(tokens, at)
        .or_else(|| numeric(tokens, at))
        .or_else(|| day_first(tokens, at))
        .or_else(|| month_first(tokens, at))?;
    Some((Value::Date(date), end))
}

/// `06/1925`.
fn month_and_year(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let (slash, year) = (tokens.get(at + 1)?, tokens.get(at + 2)?);
    let joined = slash.is("/") && !slash.spaced && !year.spaced && year.text.len() == 4;
    let date = build(year.text.parse().ok()?, tokens[at].text.parse().ok()?, 1)?;
    joined.then_some((Date { day: None, ..date }, at + 3))
}

/// `1980-05-18`, `18.5.1980`, `18/5/1980`, `5/18/1980`.
fn numeric(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let token = tokens.get(at).filter(|token| token.shape == TokenShape::Digits)?;
    let (parts, end): (Vec<&str>, usize) = if token.text.contains('.') {
        (token.text.split('.').collect(), at + 1)
    } else {
        let joined = (1..5).all(|offset| tokens.get(at + offset).is_some_and(|t| !t.spaced));
        let (first, second) = (tokens.get(at + 1)?, tokens.get(at + 3)?);
        let separated =
            (first.is("-") || first.is("/") || first.is(".")) && second.text == first.text;
        if !joined || !separated {
            return None;
        }
        (vec![&token.text, &tokens[at + 2].text, &tokens[at + 4].text], at + 5)
    };
    let [a, b, c] = parts.as_slice() else {
        return None;
    };
    let (first, second, third): (i32, i32, i32) =
        (a.parse().ok()?, b.parse().ok()?, c.parse().ok()?);
    if a.len() == 4 {
        return build(first, second, third).map(|date| (date, end));
    }
    if c.len() != 4 {
        return None;
    }
    let american = tokens.get(at + 1).is_some_and(|t| t.is("/")) && second > 12
        || tokens.get(at + 1).is_some_and(|t| t.is("/")) && first <= 12;
    let date = if american { build(third, first, second) } else { build(third, second, first) };
    date.map(|date| (date, end))
}

fn build(year: i32, month: i32, day: i32) -> Option<Date> {
    ((1..=12).contains(&month) && (1..=31).contains(&day) && (1000..2200).contains(&year))
        .then_some(Date { year: Some(year), month: Some(month as u8), day: Some(day as u8) })
}

/// Returns the month that `token` names; `may` and `march` need a capital letter.
pub(super) fn month(token: &Token) -> Option<u8> {
    let word = token.text.as_str();
    if !token.is_word()
        || word.len() < 3
        || (matches!(word, "may" | "march" | "mar" | "dec" | "sat") && !token.capital())
    {
        return None;
    }
    let index = MONTHS.iter().position(|month| {
        *month == word
            || (word.len() == 3 && month.starts_with(word))
            || (word == "sept" && *month == "september")
    })?;
    Some(index as u8 + 1)
}

/// `18 May 1980`, `the 18th of May`, `eighteenth of May, 1980`, `18-May-1980`.
fn day_first(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let day = number(tokens, at)
        .filter(|day| (1.0..=31.0).contains(&day.value) && day.value.fract() == 0.0)?;
    let mut next = day.end;
    while tokens.get(next).is_some_and(|t| matches!(t.text.as_str(), "of" | "." | "-")) {
        next += 1;
    }
    let month = month(tokens.get(next)?)?;
    let (year, end) = year(tokens, next + 1);
    Some((Date { year, month: Some(month), day: Some(day.value as u8) }, end))
}

/// `May 18, 1980`, `May 18th`, `May 1980`, `May`.
fn month_first(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let month = month(tokens.get(at)?)?;
    let mut next = at + 1;
    while tokens.get(next).is_some_and(|t| {
        t.is("the")
            || t.is(".") && tokens.get(next + 1).is_some_and(|t| t.shape == TokenShape::Digits)
    }) {
        next += 1;
    }
    let full_name = MONTHS.contains(&tokens[at].text.as_str());
    if let Some(day) = number(tokens, next).filter(|day| {
        (1.0..=31.0).contains(&day.value)
            && day.value.fract() == 0.0
            && tokens[next].shape == TokenShape::Digits
            || day.ordinal && day.value <= 31.0
    }) && !tokens[next].text.contains(':')
        && !tokens.get(day.end).is_some_and(|t| t.is(":") || t.is("%"))
    {
        let (year, end) = year(tokens, day.end);
        return Some((Date { year, month: Some(month), day: Some(day.value as u8) }, end));
    }
    let (year, end) = year(tokens, at + 1);
    let alone = year.is_some() || (full_name && tokens[at].capital());
    alone.then_some((Date { year, month: Some(month), day: None }, end))
}

/// Returns the year after a day or month, with the index after it.
fn year(tokens: &[Token], at: usize) -> (Option<i32>, usize) {
    let mut next = at;
    while next < at + 2
        && tokens
            .get(next)
            .is_some_and(|t| matches!(t.text.as_str(), "," | "of" | "in" | "." | "-"))
    {
        next += 1;
    }
    let year = tokens
        .get(next)
        .filter(|token| token.shape == TokenShape::Digits && token.text.len() == 4)
        .and_then(|token| token.text.parse().ok())
        .filter(|year| (1000..2200).contains(year));
    if year.is_some() { (year, next + 1) } else { (None, at) }
}

/// Returns the time of day that begins at token `at`, with the index after it.
pub(super) fn clock(tokens: &[Token], at: usize) -> Option<(Value, usize)> {
    let (seconds, half_open, end) =
        named(tokens, at).or_else(|| past(tokens, at)).or_else(|| digits(tokens, at))?;
    let (zone, end) = zone(tokens, end);
    Some((Value::Clock(Clock { seconds, zone, half_open }), end))
}

fn named(tokens: &[Token], at: usize) -> Option<(u32, bool, usize)> {
    match tokens.get(at)?.text.as_str() {
        "noon" | "midday" => Some((43_200, false, at + 1)),
        "midnight" => Some((0, false, at + 1)),
        "12" if tokens.get(at + 1).is_some_and(|t| t.is("noon")) => Some((43_200, false, at + 2)),
        "12" if tokens.get(at + 1).is_some_and(|t| t.is("midnight")) => Some((0, false, at + 2)),
        _ => None,
    }
}

/// `half past nine`, `quarter to six`, `ten past three`.
fn past(tokens: &[Token], at: usize) -> Option<(u32, bool, usize)> {
    let (minutes, mut next) = match tokens[at].text.as_str() {
        "half" => (30.0, at + 1),
        "quarter" => (15.0, at + 1),
        _ => {
            let number = number(tokens, at).filter(|n| n.value < 60.0)?;
            (number.value, number.end)
        }
    };
    next += usize::from(tokens.get(next).is_some_and(|t| t.is("minutes")));
    let sign = match tokens.get(next)?.text.as_str() {
        "past" => 1.0,
        "to" if tokens[at].is_word() => -1.0,
        _ => return None,
    };
    let exact = tokens[at].text == "quarter";
    if let Some((hour, _, end)) = named(tokens, next + 1).filter(|_| exact) {
        let seconds = f64::from(if hour == 0 { 86_400 } else { hour }) + sign * minutes * 60.0;
        return Some((seconds as u32 % 86_400, false, end));
    }
    let hour = number(tokens, next + 1)
        .filter(|n| (1.0..24.0).contains(&n.value) && n.value.fract() == 0.0)?;
    let (shift, end) = half_of_day(tokens, hour.end, hour.value as u32);
    if sign < 0.0 && !exact && shift.is_none() {
        return None;
    }
    let seconds = f64::from(shift.unwrap_or(hour.value as u32) * 3600) + sign * minutes * 60.0;
    Some((seconds as u32, shift.is_none() && hour.value <= 12.0, end))
}

/// `15:00`, `3 pm`, `10.30 am`, `3 o'clock`, `20:00 h`.
fn digits(tokens: &[Token], at: usize) -> Option<(u32, bool, usize)> {
    let token = &tokens[at];
    if token.shape == TokenShape::Digits && token.text.contains(':') {
        let parts: Option<Vec<u32>> = token.text.split(':').map(|part| part.parse().ok()).collect();
        let parts =
            parts.filter(|p| p.len() <= 3 && p[0] <= 24 && p[1..].iter().all(|x| *x < 60))?;
        let widths_fit = token.text.split(':').skip(1).all(|part| part.len() == 2);
        if !widths_fit {
            return None;
        }
        let (hour, mut end) = half_of_day(tokens, at + 1, parts[0]);
        end += usize::from(
            tokens
                .get(end)
                .is_some_and(|t| matches!(t.text.as_str(), "h" | "hrs" | "hours" | "o'clock")),
        );
        let seconds = hour.unwrap_or(parts[0]) * 3600 + parts[1] * 60 + parts.get(2).unwrap_or(&0);
        return Some((seconds, false, end));
    }
    let number = number(tokens, at).filter(|n| (0.0..=24.0).contains(&n.value) && !n.ordinal)?;
    let (hours, minutes) = match number.digits.split_once('.') {
        Some((hours, minutes)) if minutes.len() == 2 => {
            (hours.parse().ok()?, minutes.parse().ok().filter(|m| *m < 60)?)
        }
        Some(_) => return None,
        None => (number.value as u32, 0),
    };
    if let [h, below] = tokens.get(number.end..number.end + 2).unwrap_or_default()
        && h.is("h")
        && !h.spaced
        && !below.spaced
        && below.text.len() == 2
        && let Ok(minutes) = below.text.parse::<u32>()
        && minutes < 60
        && !tokens.get(number.end + 2).is_some_and(|t| !t.spaced && t.is_word())
    {
        return Some((hours * 3600 + minutes * 60, false, number.end + 2));
    }
    let (hour, end) = half_of_day(tokens, number.end, hours);
    if let Some(hour) = hour {
        return Some((hour * 3600 + minutes * 60, false, end));
    }
    match tokens.get(number.end)?.text.as_str() {
        "o'clock" => Some((hours * 3600, true, number.end + 1)),
        "h" | "hours" | "hrs" if number.digits.contains('.') && minutes % 5 == 0 && hours > 12 => {
            Some((hours * 3600 + minutes * 60, false, number.end + 1))
        }
        _ => None,
    }
}

/// Applies `am`, `pm`, `in the evening` to `hour`; `None` without one.
fn half_of_day(tokens: &[Token], at: usize, hour: u32) -> (Option<u32>, usize) {
    let mut next = at + usize::from(tokens.get(at).is_some_and(|t| t.is("o'clock")));
    let word = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let half = match word(next) {
        "am" | "a.m" => (false, next + 1),
        "pm" | "p.m" => (true, next + 1),
        "in" if word(next + 1) == "the" => match word(next + 2) {
            "morning" => (false, next + 3),
            "afternoon" | "evening" => (true, next + 3),
            _ => return (None, at),
        },
        "at" if word(next + 1) == "night" => (hour >= 6, next + 2),
        _ => return (None, at),
    };
    next = half.1
        + usize::from(
            word(half.1) == "."
                && tokens.get(half.1).is_some_and(|t| !t.spaced)
                && word(half.1 + 1) == "m",
        );
    let shifted = match (half.0, hour) {
        (true, 1..=11) => hour + 12,
        (false, 12) => 0,
        _ => hour,
    };
    (Some(shifted), next)
}

/// Returns the time zone at token `at`.
fn zone(tokens: &[Token], at: usize) -> (Option<&'static str>, usize) {
    let open = usize::from(tokens.get(at).is_some_and(|t| t.is("(")));
    let stop = usize::from(tokens.get(at).is_some_and(|t| t.is(".") && !t.spaced));
    let at_zone = at + stop;
    if let Some(zone) =
        tokens.get(at_zone).filter(|t| stop == 1 && t.upper()).and_then(|t| ZONES.get(&t.text))
    {
        return (Some(zone), at_zone + 1);
    }
    let found = tokens.get(at + open).filter(|t| t.upper()).and_then(|t| ZONES.get(&t.text));
    match found {
        Some(zone) => (Some(zone), at + open + 1 + open),
        None => (None, at),
    }
}
