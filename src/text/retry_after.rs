//! `Retry-After` (RFC 9110, section 10.2.3), the form that counts seconds; its date form is not read.

use std::time::Duration;

/// The wait that a header's value asks for. `None` for a date, and for what is no time.
#[must_use]
pub fn seconds(value: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(value.trim().parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_read_and_nothing_else() {
        assert_eq!(seconds(" 2.5 "), Some(Duration::from_millis(2500)));
        for value in ["-1", "NaN", "inf", "1e300", "", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(seconds(value), None, "{value}");
        }
    }
}
