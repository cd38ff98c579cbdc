//! Excerpts of responses without secrets.

use reqwest::Url;

use super::Secret;
use ragtriage_core::text::{column, sanitize};

/// Maximum number of characters of a server's message in an error.
const EXCERPT_CHARS: usize = 300;
/// Minimum length of a secret in a URL: hiding shorter parts would only garble messages.
const LEAST_URL_BYTES: usize = 4;
/// Minimum length of a header value's part that is hidden separately (the key in `Bearer KEY`).
const LEAST_PART_BYTES: usize = 8;

/// Secrets that no message may show, the longest first so that none is hidden only in part.
pub(super) struct Mask {
    secrets: Vec<String>,
}

impl Mask {
    /// Collects keys and headers, and the user info and query values of `url`, both encoded and decoded; short values
    /// of the URL (`v=2`) are left out.
    pub(super) fn new<'a>(url: &Url, values: impl Iterator<Item = &'a Secret>) -> Self {
        let query = url.query().unwrap_or_default().split('&');
        let query = query.map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value));
        let as_written = [url.username(), url.password().unwrap_or_default()]
            .into_iter()
            .chain(query);
        let mut secrets: Vec<String> = as_written
            .flat_map(|text| [text.to_owned(), column::decode(text).into_owned()])
            .collect();
        secrets.retain(|secret| secret.len() >= LEAST_URL_BYTES);
        for value in values
            .map(|value| value.expose().trim())
            .filter(|value| !value.is_empty())
        {
            secrets.push(value.to_owned());
            secrets.extend(
                value
                    .split_whitespace()
                    .filter(|part| part.len() >= LEAST_PART_BYTES)
                    .map(str::to_owned),
            );
        }
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        Self { secrets }
    }

    /// Returns a short excerpt of a server's text: one line, without echoed secrets and control or bidi characters.
    pub(super) fn excerpt(&self, text: &str) -> String {
        let hidden = self.secrets.iter().fold(text.to_owned(), |text, secret| {
            text.replace(secret.as_str(), "***")
        });
        sanitize::shortened(&hidden, EXCERPT_CHARS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(url: &str, secrets: &[&str]) -> Mask {
        let secrets: Vec<Secret> = secrets
            .iter()
            .map(|text| Secret::new((*text).to_owned()))
            .collect();
        Mask::new(&Url::parse(url).expect("a URL"), secrets.iter())
    }

    #[test]
    fn keys_and_what_the_url_holds_are_hidden_as_written_and_decoded() {
        assert_eq!(
            mask("http://h/ask", &["sk-1 "]).excerpt("bad key sk-1\nhere"),
            "bad key *** here"
        );
        let url = "https://user:pa%3Ass@h/ask?v=2&token=abcd%2Fef";
        let said = "v2: user with pa:ss (pa%3Ass) and abcd/ef";
        assert_eq!(
            mask(url, &[]).excerpt(said),
            "v2: *** with *** (***) and ***"
        );
    }

    #[test]
    fn of_a_header_the_key_alone_is_hidden_too() {
        let mask = mask("http://h", &["Bearer sk-very-secret"]);
        assert_eq!(
            mask.excerpt("Bearer sk-very-secret, or sk-very-secret"),
            "***, or ***"
        );
    }

    #[test]
    fn a_long_complaint_is_cut() {
        assert_eq!(
            mask("http://h", &[])
                .excerpt(&"x".repeat(1000))
                .chars()
                .count(),
            EXCERPT_CHARS
        );
    }
}
