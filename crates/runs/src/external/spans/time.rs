//! Times of spans: nanoseconds or milliseconds since 1970, or ISO 8601. Only differences and order count.

use serde_json::Value;

/// Below this, a number is milliseconds: as nanoseconds it would be the first hours of 1970.
const LEAST_NANOSECONDS: i64 = 10_000_000_000_000;

/// Returns the nanoseconds of a time.
pub(super) fn nanoseconds(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => {
            let number = number.as_i64().or_else(|| number.as_f64().map(|n| n as i64))?;
            Some(scaled(number))
        }
        Value::String(text) => match text.parse::<i64>() {
            Ok(number) => Some(scaled(number)),
            Err(_) => iso(text),
        },
        _ => None,
    }
}

fn scaled(number: i64) -> i64 {
    if number < LEAST_NANOSECONDS { number.saturating_mul(1_000_000) } else { number }
}

/// Reads `2026-11-24T22:28:33.147485Z`, also with a blank for `T`, without a zone, or with `+02:00`.
fn iso(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let rest = text.get(19..)?;
    let fraction = rest.strip_prefix(['.', ',']).unwrap_or("");
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count().min(9);
    let fraction = match digits {
        0 => 0,
        _ => fraction[..digits].parse::<i64>().ok()? * 10_i64.pow(9 - digits as u32),
    };
    let seconds = days(year, month, day)? * 86_400 + hour * 3_600 + minute * 60 + second;
    (seconds - offset(rest).unwrap_or(0)).checked_mul(1_000_000_000)?.checked_add(fraction)
}

/// Returns the seconds of a zone such as `+02:00` at the end of a time.
fn offset(rest: &str) -> Option<i64> {
    let at = rest.find(['+', '-'])?;
    let zone = &rest[at + 1..];
    let hours = zone.get(..2)?.parse::<i64>().ok()?;
    let minutes = zone.get(zone.len().checked_sub(2)?..)?.parse::<i64>().ok()?;
    let seconds = hours * 3_600 + if zone.len() > 2 { minutes * 60 } else { 0 };
    Some(if rest[at..].starts_with('-') { -seconds } else { seconds })
}

/// Returns the days from 1970-01-01 in the Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms").
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Option<i64> {
        nanoseconds(value)
    }

    #[test]
    fn every_form_of_a_time_is_the_same_instant() {
        // date -u -d 2026-11-24T22:28:33Z +%s = 1795559313
        let expected = Some(1_795_559_313_147_485_000);
        for time in [
            json!("1795559313147485000"),
            json!(1_795_559_313_147_485_000_i64),
            json!("2026-11-24T22:28:33.147485Z"),
            json!("2026-11-24T22:28:33.147485"),
            json!("2026-11-24 22:28:33.147485"),
            json!("2026-11-24T22:28:33.147485+00:00"),
            json!("2026-11-25T00:28:33.147485000+02:00"),
        ] {
            assert_eq!(read(&time), expected, "{time}");
        }
        assert_eq!(read(&json!(1_795_559_313_147_i64)), Some(1_795_559_313_147_000_000));
        assert_eq!(read(&json!("1970-01-01T00:00:00Z")), Some(0));
        // date -u -d 2024-02-29 +%s = 1709164800
        assert_eq!(read(&json!("2024-02-29T00:00:00Z")), Some(1_709_164_800_000_000_000));
    }

    #[test]
    fn other_values_are_no_time() {
        for time in [
            json!("yesterday"),
            json!(""),
            json!(null),
            json!({}),
            json!("2026-13-01T00:00:00Z"),
            json!("é026-11-24T22:28:33"),
        ] {
            assert_eq!(read(&time), None, "{time}");
        }
    }
}
