//! Waits that a server requests: `Retry-After` (RFC 9110, section 10.2.3) in both its forms, seconds or a date; and the
//! reset time of a rate limit (`x-ratelimit-reset-requests` and the like), whose format differs by provider.

use std::time::{Duration, SystemTime};

use jiff::fmt::rfc2822::DateTimeParser;

/// Returns the wait that a header's value asks for at `now`; zero if the time has passed. `None` for any other form.
#[must_use]
pub fn wait(value: &str, now: SystemTime) -> Option<Duration> {
    seconds(value).or_else(|| {
        // HTTP's preferred date is that of RFC 5322, which followed 2822.
        let until = DateTimeParser::new().parse_timestamp(value.trim()).ok()?;
        Some(SystemTime::from(until).duration_since(now).unwrap_or_default())
    })
}

/// Parses a header's value as a wait in seconds. `None` for a date, and for a value that is not a wait.
#[must_use]
pub fn seconds(value: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(value.trim().parse().ok()?).ok()
}

/// Numbers from here on are seconds since 1970, not a wait, which would be 31 years.
const LEAST_EPOCH_SECONDS: f64 = 1e9;
/// Numbers from here on are milliseconds since 1970.
const LEAST_EPOCH_MILLISECONDS: f64 = 1e12;

/// Returns the wait at `now` until a rate limit resets: units (`6m0s`, `1.5s`, `20ms`: `OpenAI`, Groq), seconds
/// (Azure), or a time since 1970 in seconds or milliseconds (`OpenRouter`). `None` for any other form.
#[must_use]
pub fn reset(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    let Ok(number) = value.parse::<f64>() else {
        return units(value);
    };
    let since_1970 = match number {
        n if n >= LEAST_EPOCH_MILLISECONDS => n / 1e3,
        n if n >= LEAST_EPOCH_SECONDS => n,
        _ => return seconds(value),
    };
    let until =
        SystemTime::UNIX_EPOCH.checked_add(Duration::try_from_secs_f64(since_1970).ok()?)?;
    Some(until.duration_since(now).unwrap_or_default())
}

/// Parses `1h2m3.5s`, `20ms`: numbers, each with its unit.
fn units(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let end = rest[digits..]
            .find(|c: char| !c.is_ascii_alphabetic())
            .map_or(rest.len(), |end| digits + end);
        seconds += number
            * match &rest[digits..end] {
                "ms" => 1e-3,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3_600.0,
                "d" => 86_400.0,
                _ => return None,
            };
        rest = &rest[end..];
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|_| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_providers_reset_is_a_wait() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_741_305_590);
        for (value, milliseconds) in [
            ("1s", 1_000),
            ("6m0s", 360_000),
            ("20ms", 20),
            ("2m59.56s", 179_560),
            ("1h0m1s", 3_601_000),
            ("7", 7_000),
            ("0.5", 500),
            // Ten seconds from now, in milliseconds and in seconds; and a time in the past.
            ("1741305600000", 10_000),
            ("1741305600", 10_000),
            ("1741305580", 0),
        ] {
            assert_eq!(reset(value, now), Some(Duration::from_millis(milliseconds)), "{value}");
        }
        for value in ["", "soon", "s", "1x", "-1", "1e400", "1.2.3s", "2026-10-21T07:28:00Z"] {
            assert_eq!(reset(value, now), None, "{value}");
        }
    }

    #[test]
    fn a_date_is_a_wait_until_then() {
        // `date -u -d '2026-10-21 07:28:00' +%s` is 1792567680.
        let date = "Wed, 21 Oct 2026 07:28:00 GMT";
        let now = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(wait(date, now(1_792_567_650)), Some(Duration::from_secs(30)));
        assert_eq!(wait(date, now(1_792_567_690)), Some(Duration::ZERO));
        assert_eq!(wait("7", now(0)), Some(Duration::from_secs(7)));
        assert_eq!(wait("soon", now(0)), None);
    }

    #[test]
    fn seconds_are_read_and_nothing_else() {
        assert_eq!(seconds(" 2.5 "), Some(Duration::from_millis(2500)));
        for value in ["-1", "NaN", "inf", "1e300", "", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(seconds(value), None, "{value}");
        }
    }
}
