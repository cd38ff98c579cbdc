//! The wait that a server asks for, from the common headers.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

use ragtriage_core::text::retry_after;

/// Returns the wait that the server asks for.
pub(super) fn asked_wait(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let thousands = text(headers, "retry-after-ms").and_then(retry_after::seconds);
    let wait = || retry_after::wait(text(headers, "retry-after")?, now);
    thousands.map(|thousands| thousands / 1_000).or_else(wait)
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn wait(headers: &[(&str, &str)]) -> Option<u128> {
        let named = |(name, value): &(&str, &str)| {
            (
                HeaderName::from_bytes(name.as_bytes()).expect("a name"),
                HeaderValue::from_str(value).expect("a value"),
            )
        };
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_741_305_590);
        asked_wait(&headers.iter().map(named).collect(), now).map(|wait| wait.as_millis())
    }

    #[test]
    fn the_wait_is_what_the_server_says_it_is() {
        assert_eq!(wait(&[("retry-after-ms", "1500"), ("retry-after", "2")]), Some(1_500));
        assert_eq!(wait(&[("retry-after", "Fri, 07 Mar 2025 00:00:00 GMT")]), Some(10_000));
        assert_eq!(wait(&[]), None);
    }
}
