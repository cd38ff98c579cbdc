//! Times of spans: nanoseconds or milliseconds since 1970, or ISO 8601. Only differences and order count.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
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

/// Reads `2026-11-24T22:28:33.147485Z`, also with a blank for `T`, without a zone (UTC), or with `+02:00`.
fn iso(text: &str) -> Option<i64> {
    let text = text.trim_end_matches(" UTC");
    let timestamp = text.parse::<Timestamp>().ok().or_else(|| {
        let utc = text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok()?;
        Some(utc.timestamp())
    });
    i64::try_from(timestamp?.as_nanosecond()).ok()
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
