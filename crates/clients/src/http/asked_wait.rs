//! The wait that a server asks for, from the common headers.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

use ragtriage_core::text::retry_after;

/// Headers of remaining rate limits, each with the header of its reset time (`OpenAI`, Azure, Groq, vLLM gateways; the
/// last pair `OpenRouter`).
const LIMITS: [(&str, &str); 3] = [
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
];

/// Returns the wait that the server asks for: the explicit one, else until the last of its exhausted rate limits
/// resets.
pub(super) fn asked_wait(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    if let Some(thousands) = text(headers, "retry-after-ms").and_then(retry_after::seconds) {
        return Some(thousands / 1_000);
    }
    if let Some(wait) = text(headers, "retry-after").and_then(|text| retry_after::wait(text, now)) {
        return Some(wait);
    }
    LIMITS
        .into_iter()
        .filter(|(left, _)| text(headers, left).is_some_and(|it| it.trim().parse() == Ok(0.0)))
        .filter_map(|(_, reset)| retry_after::reset(text(headers, reset)?, now))
        .max()
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
        let empty = [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "1s")];
        let tokens = [("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "6m0s")];
        assert_eq!(wait(&[("retry-after-ms", "1500"), ("retry-after", "2")]), Some(1_500));
        assert_eq!(wait(&[&[("retry-after", "2")][..], &empty].concat()), Some(2_000));
        assert_eq!(wait(&[("retry-after", "Fri, 07 Mar 2025 00:00:00 GMT")]), Some(10_000));
        assert_eq!(wait(&empty), Some(1_000));
        assert_eq!(wait(&[empty, tokens].concat()), Some(360_000));
        assert_eq!(
            wait(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1741305600000")]),
            Some(10_000)
        );
    }

    #[test]
    fn a_limit_with_something_left_asks_for_nothing() {
        let left = [("x-ratelimit-remaining-requests", "59"), ("x-ratelimit-reset-requests", "1s")];
        assert_eq!(wait(&left), None);
        assert_eq!(wait(&[("x-ratelimit-reset-requests", "1s")]), None);
        assert_eq!(wait(&[]), None);
    }
}
