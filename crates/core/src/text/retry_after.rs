//! Waits that a server requests: `Retry-After` (RFC 9110, section 10.2.3) in both its forms, seconds or a date, and as the
//! Unix time that some gateways send.

use std::time::{Duration, SystemTime};

use jiff::fmt::rfc2822::DateTimeParser;

/// Seconds from which a number is a Unix time: 31 years as a wait, September 2001 as a time.
const LEAST_UNIX_TIME: Duration = Duration::from_secs(1_000_000_000);

/// Returns the wait that a header's value asks for at `now`; zero if the time has passed. `None` for any other form.
#[must_use]
pub fn wait(value: &str, now: SystemTime) -> Option<Duration> {
    let until = match seconds(value) {
        Some(time) if time >= LEAST_UNIX_TIME => SystemTime::UNIX_EPOCH.checked_add(time)?,
        Some(wait) => return Some(wait),
        // HTTP's preferred date is that of RFC 5322, which followed 2822.
        None => DateTimeParser::new().parse_timestamp(value.trim()).ok()?.into(),
    };
    Some(until.duration_since(now).unwrap_or_default())
}

/// Parses a header's value as a wait in seconds. `None` for a date, and for a value that is not a wait.
#[must_use]
pub fn seconds(value: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(value.trim().parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_a_wait_until_then() {
        // `date -u -d '2026-10-21 07:28:00' +%s` is 1792567680.
        let date = "Wed, 21 Oct 2026 07:28:00 GMT";
        let now = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(wait(date, now(1_792_567_650)), Some(Duration::from_secs(30)));
        assert_eq!(wait(date, now(1_792_567_690)), Some(Duration::ZERO));
        assert_eq!(wait("1792567680", now(1_792_567_650)), Some(Duration::from_secs(30)));
        assert_eq!(wait("1792567680", now(1_792_567_690)), Some(Duration::ZERO));
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
