//! Where the calls go, and what of it may be shown.

use std::net::IpAddr;

use reqwest::Url;

use crate::llm::LlmError;

const PATH: &str = "/chat/completions";

/// The URL of the calls: `base_url` with `/chat/completions` behind its path, unless it ends so already. A query stays.
pub(super) fn endpoint(base_url: &str) -> Result<Url, LlmError> {
    let bad = |reason: String| LlmError::BadSetting { setting: "base_url", reason };
    let mut url = Url::parse(base_url.trim()).map_err(|error| bad(format!("is no URL: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(bad("must begin with `http://` or `https://`".into()));
    }
    let path = url.path().trim_end_matches('/');
    let path = if path.ends_with(PATH) { path.to_owned() } else { format!("{path}{PATH}") };
    url.set_path(&path);
    url.set_fragment(None);
    Ok(url)
}

/// The URL without user info and query: both may hold secrets.
pub(super) fn shown(url: &Url) -> String {
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or(""), url.path())
}

/// Whether the host is this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or("").trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_appended_once_and_the_query_kept() {
        for (base, expected) in [
            ("http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"),
            ("http://localhost:8080/", "http://localhost:8080/chat/completions"),
            ("https://h/v1/chat/completions/", "https://h/v1/chat/completions"),
            ("https://h/openai/d?api-version=1", "https://h/openai/d/chat/completions?api-version=1"),
        ] {
            assert_eq!(endpoint(base).expect(base).as_str(), expected);
        }
    }

    #[test]
    fn what_is_no_web_address_is_refused() {
        for base in ["", "localhost:8080", "ftp://h/v1", "http://"] {
            assert!(matches!(endpoint(base), Err(LlmError::BadSetting { setting: "base_url", .. })), "{base}");
        }
    }

    #[test]
    fn user_info_and_query_are_not_shown() {
        let url = endpoint("https://user:pass@h:8443/v1?key=secret").expect("a URL");
        assert_eq!(shown(&url), "https://h:8443/v1/chat/completions");
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for (base, expected) in [
            ("http://localhost:1", true),
            ("http://a.localhost", true),
            ("http://127.0.0.2", true),
            ("http://[::1]:8080", true),
            ("http://192.168.0.1", false),
            ("http://localhost.example.org", false),
        ] {
            assert_eq!(is_loopback(&endpoint(base).expect(base)), expected, "{base}");
        }
    }
}
