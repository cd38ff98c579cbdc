//! URLs of endpoints.

use reqwest::Url;
use sha2::{Digest, Sha256};

use crate::http::error::Error;
use ragtriage_core::text::hex::hex;

/// Parses the address of a file.
pub fn address(text: &str) -> Result<Url, Error> {
    parse(text, "").map_err(|reason| {
        Error::local(format!("the address {reason}"), "write it like `https://example.org/file`")
    })
}

/// Returns the URL `base` with `path` appended to its path, unless it already ends with it. A query is preserved, a
/// fragment is dropped. The error completes "the address ...".
pub(crate) fn parse(base: &str, path: &str) -> Result<Url, String> {
    let mut url = Url::parse(base.trim()).map_err(|error| format!("is not a URL: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("must begin with `http://` or `https://`".to_owned());
    }
    if !path.is_empty() {
        let before = url.path().trim_end_matches('/');
        let whole =
            if before.ends_with(path) { before.to_owned() } else { format!("{before}{path}") };
        url.set_path(&whole);
    }
    url.set_fragment(None);
    Ok(url)
}

/// Returns the part of a fingerprint for an address's query, which may select the model and may hold a key: ` query `
/// and the first eight hexadecimal digits of its sha256; empty without a query.
pub fn hashed_query(url: &str) -> String {
    let Ok(url) = Url::parse(url.trim()) else {
        return String::new();
    };
    let Some(query) = url.query() else {
        return String::new();
    };
    format!(" query {}", hex(&Sha256::digest(query)[..4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_appended_once_and_the_query_kept() {
        let path = "/chat/completions";
        for (base, path, expected) in [
            ("http://localhost:11434/v1", path, "http://localhost:11434/v1/chat/completions"),
            ("http://localhost:8080/", path, "http://localhost:8080/chat/completions"),
            ("https://h/v1/chat/completions/", path, "https://h/v1/chat/completions"),
            (
                "https://h/openai/d?api-version=1",
                path,
                "https://h/openai/d/chat/completions?api-version=1",
            ),
            ("https://h/ask/?a=1#b", "", "https://h/ask/?a=1"),
        ] {
            assert_eq!(parse(base, path).expect(base).as_str(), expected);
        }
    }

    #[test]
    fn a_query_is_told_apart_without_being_told() {
        // printf 'deployment=a' | sha256sum
        assert_eq!(hashed_query("https://u:p@gw/v1?deployment=a"), " query bb682454");
        assert_eq!(hashed_query("https://u:p@gw/v1"), "");
    }

    #[test]
    fn what_is_no_web_address_is_refused() {
        for base in ["", "localhost:8080", "ftp://h/v1", "http://"] {
            assert!(parse(base, "/x").is_err(), "{base}");
        }
    }
}
