//! Properties of URLs: their safe display form, and whether they lead to this machine.

use std::net::IpAddr;

use url::Url;

/// Returns the URL without user info and query, which may hold secrets.
#[must_use]
pub fn shown(url: &Url) -> String {
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or(""), url.path())
}

/// Returns [`shown`] of a text; unchanged if it is not a URL.
#[must_use]
pub fn shown_url(url: &str) -> String {
    Url::parse(url).map_or_else(|_| url.to_owned(), |url| shown(&url))
}

/// Returns true if [`shown_url`] omits something that is sent: user info or a query.
#[must_use]
pub fn is_shortened(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| {
        !url.username().is_empty() || url.password().is_some() || url.query().is_some()
    })
}

/// Returns true if the host is this machine.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or("").trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Returns [`is_loopback`] for a text; `false` if it is not a URL.
#[must_use]
pub fn is_on_this_machine(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| is_loopback(&url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_info_and_query_are_not_shown() {
        assert_eq!(
            shown_url("https://user:pass@h:8443/v1/ask?key=secret#x"),
            "https://h:8443/v1/ask"
        );
        assert_eq!(shown_url("no url"), "no url");
        for (url, expected) in [
            ("http://h/a", false),
            ("http://h/a#b", false),
            ("http://h/?a", true),
            ("http://u@h", true),
            ("no?url", false),
        ] {
            assert_eq!(is_shortened(url), expected, "{url}");
        }
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for (url, expected) in [
            ("http://localhost:1", true),
            ("http://a.localhost", true),
            ("http://127.0.0.2", true),
            ("http://[::1]:8080", true),
            ("http://192.168.0.1", false),
            ("http://localhost.example.org", false),
            ("localhost", false),
        ] {
            assert_eq!(is_on_this_machine(url), expected, "{url}");
        }
    }
}
