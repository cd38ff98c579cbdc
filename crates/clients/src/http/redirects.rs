//! Redirect policy of downloads. Calls that carry a key follow no redirects.

use reqwest::Url;
use reqwest::redirect::Policy;

/// Maximum number in a row: publishers need one or two.
const MOST: usize = 5;

/// Follows the redirects that [`refusal`] allows; none if the first address `has_user` info, which reqwest passes on to
/// the same host.
pub(super) fn policy(has_user: bool) -> Policy {
    Policy::custom(move |attempt| match refusal(attempt.previous(), attempt.url()) {
        _ if has_user => {
            attempt.error("the user name and password in the address would be sent along")
        }
        Some(reason) => attempt.error(reason),
        None => attempt.follow(),
    })
}

/// Returns the reason for not following the redirects from `previous`, the first address included, to `next`.
fn refusal(previous: &[Url], next: &Url) -> Option<&'static str> {
    let was_encrypted = previous.iter().any(|url| url.scheme() == "https");
    match next.scheme() {
        _ if previous.contains(next) => Some("the redirects form a loop"),
        _ if previous.len() > MOST => Some("more than 5 redirects in a row"),
        "http" if was_encrypted => Some("it leads from `https` to `http`"),
        "http" | "https" => None,
        _ => Some("it leads to a scheme other than `http` and `https`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(previous: &[&str], next: &str) -> Option<&'static str> {
        let url = |text: &&str| Url::parse(text).expect("a URL");
        refusal(&previous.iter().map(url).collect::<Vec<_>>(), &url(&next))
    }

    #[test]
    fn a_way_that_stays_encrypted_and_ends_is_followed() {
        assert_eq!(refused(&["http://a"], "http://b"), None);
        assert_eq!(refused(&["http://a"], "https://a"), None);
        assert_eq!(refused(&["https://a", "https://b"], "https://c/?x=1"), None);
        assert_eq!(
            refused(&["http://1", "http://2", "http://3", "http://4", "http://5"], "http://6"),
            None
        );
    }

    #[test]
    fn circles_downgrades_long_ways_and_other_protocols_are_not() {
        assert_eq!(
            refused(&["http://a", "http://b"], "http://a"),
            Some("the redirects form a loop")
        );
        assert_eq!(
            refused(&["http://a", "https://b"], "http://c"),
            Some("it leads from `https` to `http`")
        );
        let six = ["http://1", "http://2", "http://3", "http://4", "http://5", "http://6"];
        assert_eq!(refused(&six, "http://7"), Some("more than 5 redirects in a row"));
        assert!(refused(&["http://a"], "file:///etc/passwd").is_some());
    }
}
