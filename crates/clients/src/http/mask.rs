//! Removes the caller's secrets from what a server sends back.
//!
//! A secret of eight characters or more is hidden wherever it occurs, and so is every beginning of it that has eight; also
//! escaped in JSON, and as the part of a base64 text that it determines (`user:key` in a `Basic` header). A shorter one is
//! hidden where it is a whole word. Values that are ordinary words (`none`, `ollama`) or that are not named
//! like secrets (`?api-version=`) are hidden in errors only: in an answer they may be the answer.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use memchr::memmem::Finder;
use reqwest::Url;
use serde_json::Value;

use super::Secret;
use ragtriage_core::text::{column, sanitize};

/// Maximum number of characters of a server's message in an error.
const EXCERPT_CHARS: usize = 300;
/// Minimum length of a secret that is hidden inside a word, and of a beginning that is hidden.
const LEAST_KEY_BYTES: usize = 8;
/// Minimum length of a secret in a URL or an answer: hiding shorter ones would only garble texts.
const LEAST_BYTES: usize = 4;
/// Ends of the names of query parameters that hold secrets.
const SECRET_NAMES: [&str; 7] =
    ["key", "token", "password", "secret", "authorization", "sig", "signature"];
const HIDDEN: &str = "***";

/// The secrets of one endpoint.
pub(super) struct Mask {
    /// Hidden in answers and in errors.
    secrets: Vec<Needle>,
    /// Hidden in errors only.
    words: Vec<Needle>,
}

/// A text to hide.
struct Needle {
    text: String,
    /// Finds its first [`LEAST_KEY_BYTES`], or all of it.
    start: Finder<'static>,
}

impl Mask {
    /// Collects keys and headers, and the user info and query values of `url`, both encoded and decoded.
    pub(super) fn new<'a>(url: &Url, values: impl Iterator<Item = &'a Secret>) -> Self {
        let (mut secrets, mut words) = in_url(url);
        for value in values.map(|value| value.expose().trim()) {
            let parts = value.split_whitespace().filter(|part| part.len() >= LEAST_KEY_BYTES);
            let all = std::iter::once(value).chain(parts);
            for text in all.filter(|text| !text.is_empty()) {
                let list = if is_ordinary(text) { &mut words } else { &mut secrets };
                list.push(text.to_owned());
            }
        }
        let forms = secrets.iter().flat_map(|secret| forms(secret));
        Self { secrets: needles(forms.collect()), words: needles(words) }
    }

    /// Returns the body of a response without secrets, including those that JSON escapes spell.
    pub(super) fn body(&self, body: Vec<u8>) -> Vec<u8> {
        let body = hide(&body, [&self.secrets]).unwrap_or(body);
        if self.secrets.is_empty() || memchr::memchr(b'\\', &body).is_none() {
            return body;
        }
        let unescaped =
            serde_json::from_slice::<Value>(&body).map(|value| value.to_string().into_bytes());
        unescaped.ok().and_then(|unescaped| hide(&unescaped, [&self.secrets])).unwrap_or(body)
    }

    /// Returns the text of an answer without secrets.
    pub(super) fn text(&self, text: String) -> String {
        match hide(text.as_bytes(), [&self.secrets]) {
            Some(hidden) => String::from_utf8_lossy(&hidden).into_owned(),
            None => text,
        }
    }

    /// Returns a short excerpt of a server's text: one line, without echoed secrets and control or bidi characters.
    pub(super) fn excerpt(&self, text: &str) -> String {
        match hide(text.as_bytes(), [&self.secrets, &self.words]) {
            Some(hidden) => sanitize::shortened(&String::from_utf8_lossy(&hidden), EXCERPT_CHARS),
            None => sanitize::shortened(text, EXCERPT_CHARS),
        }
    }
}

/// Returns the secrets of a URL, and its values that may be ordinary words.
fn in_url(url: &Url) -> (Vec<String>, Vec<String>) {
    let (mut secrets, mut words) = (Vec::new(), Vec::new());
    let password = url.password().unwrap_or_default();
    let query = url.query().unwrap_or_default().split('&');
    let query = query.map(|pair| pair.split_once('=').unwrap_or(("", pair)));
    // A user without a password is a token.
    let user = if password.is_empty() { "token" } else { "" };
    for (name, value) in query.chain([(user, url.username()), ("password", password)]) {
        let name = name.to_lowercase();
        let is_secret = SECRET_NAMES.iter().any(|end| name.ends_with(end));
        for text in [value.to_owned(), column::decode(value).into_owned()] {
            if text.len() >= LEAST_BYTES {
                let list = if is_secret && !is_ordinary(&text) { &mut secrets } else { &mut words };
                list.push(text);
            }
        }
    }
    (secrets, words)
}

/// Returns true for a short text of letters, as placeholders are that servers without keys accept.
fn is_ordinary(text: &str) -> bool {
    text.len() < LEAST_BYTES
        || (text.len() < LEAST_KEY_BYTES && text.chars().all(char::is_alphabetic))
}

/// Returns the ways in which a server may write `secret`.
fn forms(secret: &str) -> Vec<String> {
    let escaped = serde_json::to_string(secret).expect("a text serialises");
    let mut forms = vec![secret.to_owned(), escaped[1..escaped.len() - 1].to_owned()];
    if secret.len() >= LEAST_KEY_BYTES {
        forms.extend((0..3).flat_map(|n_before| in_base64(secret, n_before)));
    }
    forms
}

/// Returns the characters that `secret` determines in the base64 of a longer text, where `n_before` bytes precede it in its
/// group of three, in both alphabets. A character holds six bits.
fn in_base64(secret: &str, n_before: usize) -> [String; 2] {
    let bytes = [&vec![0; n_before], secret.as_bytes()].concat();
    let known = (8 * n_before).div_ceil(6)..8 * bytes.len() / 6;
    [STANDARD_NO_PAD, URL_SAFE_NO_PAD].map(|engine| engine.encode(&bytes)[known.clone()].to_owned())
}

fn needles(mut texts: Vec<String>) -> Vec<Needle> {
    texts.sort_unstable();
    texts.dedup();
    let needle = |text: String| {
        let n = text.floor_char_boundary(LEAST_KEY_BYTES);
        let start = Finder::new(&text.as_bytes()[..n]).into_owned();
        Needle { text, start }
    };
    texts.into_iter().map(needle).collect()
}

/// Returns `text` with every occurrence hidden; `None` if there is none.
fn hide<const N: usize>(text: &[u8], needles: [&Vec<Needle>; N]) -> Option<Vec<u8>> {
    let needles = needles.into_iter().flatten();
    let mut found: Vec<Range<usize>> = needles
        .flat_map(|needle| needle.start.find_iter(text).map(move |at| (needle, at)))
        .filter_map(|(needle, at)| needle.range(text, at))
        .collect();
    if found.is_empty() {
        return None;
    }
    found.sort_unstable_by_key(|range| range.start);
    let (mut hidden, mut end) = (Vec::with_capacity(text.len()), 0);
    for range in found {
        if range.start >= end {
            hidden.extend_from_slice(&text[end..range.start]);
            hidden.extend_from_slice(HIDDEN.as_bytes());
        }
        end = end.max(range.end);
    }
    hidden.extend_from_slice(&text[end..]);
    Some(hidden)
}

impl Needle {
    /// Returns the range to hide, of an occurrence of the start at `at`.
    fn range(&self, text: &[u8], at: usize) -> Option<Range<usize>> {
        let wanted = self.text.as_bytes();
        if wanted.len() < LEAST_KEY_BYTES {
            let end = at + wanted.len();
            let is_word = |i: Option<usize>| {
                i.and_then(|i| text.get(i)).is_some_and(u8::is_ascii_alphanumeric)
            };
            return (!is_word(at.checked_sub(1)) && !is_word(Some(end))).then_some(at..end);
        }
        let pairs = wanted.iter().zip(&text[at..]);
        let n_equal = pairs.take_while(|(a, b)| a == b).count();
        Some(at..at + self.text.floor_char_boundary(n_equal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-abcdef1234567890";

    fn mask(url: &str, secrets: &[&str]) -> Mask {
        let secrets: Vec<Secret> =
            secrets.iter().map(|text| Secret::new((*text).to_owned())).collect();
        Mask::new(&Url::parse(url).expect("a URL"), secrets.iter())
    }

    fn answer(mask: &Mask, text: &str) -> String {
        String::from_utf8(mask.body(text.as_bytes().to_vec())).expect("text")
    }

    #[test]
    fn keys_and_the_values_of_the_url_are_hidden_as_written_and_decoded() {
        assert_eq!(
            mask("http://h/ask", &["sk-1 "]).excerpt("bad key sk-1\nhere"),
            "bad key *** here"
        );
        let url = "https://user:pa%3Ass@h/ask?v=2&token=abcd%2Fef";
        let said = "v2: user with pa:ss (pa%3Ass) and abcd/ef";
        assert_eq!(mask(url, &[]).excerpt(said), "v2: *** with *** (***) and ***");
    }

    #[test]
    fn of_a_header_the_key_alone_is_hidden_too() {
        let mask = mask("http://h", &["Bearer sk-very-secret"]);
        assert_eq!(mask.excerpt("Bearer sk-very-secret, or sk-very-secret"), "***, or ***");
    }

    #[test]
    fn every_form_of_a_key_is_hidden_in_an_answer() {
        let mask = mask("http://h", &[KEY]);
        // Each base64 text by `printf '%s' TEXT | base64`; what the key does not determine remains.
        for (text, expected) in [
            ("sk-abcdef1234567890", "***"),
            ("Incorrect API key: sk-abcdef12...", "Incorrect API key: ***..."),
            ("sk-abcd***", "sk-abcd***"), // seven characters
            ("sk-abcde***", "******"),
            ("xsk-abcdef1234567890sk-abcdef1234567890y", "x******y"),
            // sk-abcdef1234567890
            ("c2stYWJjZGVmMTIzNDU2Nzg5MA==", "***A=="),
            // u:sk-abcdef1234567890
            ("dTpzay1hYmNkZWYxMjM0NTY3ODkw", "dTp***"),
            // user:sk-abcdef1234567890
            ("dXNlcjpzay1hYmNkZWYxMjM0NTY3ODkw", "dXNlcjp***"),
            // me:sk-abcdef1234567890
            ("bWU6c2stYWJjZGVmMTIzNDU2Nzg5MA", "bWU6***A"),
            // use:sk-abcdef1234567890
            ("dXNlOnNrLWFiY2RlZjEyMzQ1Njc4OTA=", "dXNlOn***A="),
        ] {
            assert_eq!(answer(&mask, text), expected, "{text}");
        }
        let escaped = r#"{"a":"\u0073k-abcdef1234567890","n":1}"#;
        assert_eq!(answer(&mask, escaped), r#"{"a":"***","n":1}"#);
        let slashes = super::tests::mask("http://h", &["ab/cd/ef/gh"]);
        assert_eq!(answer(&slashes, r#"["ab\/cd\/ef\/gh"]"#), r#"["***"]"#);
    }

    #[test]
    fn a_user_and_password_are_hidden_as_the_header_that_carries_them() {
        let mask = mask("http://user:sk-abcdef1234567890@h", &[]);
        assert_eq!(
            answer(&mask, "Basic dXNlcjpzay1hYmNkZWYxMjM0NTY3ODkw of user"),
            "Basic dXNlcjp*** of user"
        );
        // Without a password the user is the token.
        let token = super::tests::mask("http://sk-abcdef1234567890@h", &[]);
        assert_eq!(answer(&token, KEY), "***");
    }

    #[test]
    fn an_answer_is_unchanged_by_placeholders_and_values_that_are_not_secret() {
        let url = "http://user:pass@h/?api-version=2024-02-01&key=none";
        let mask = mask(url, &["EMPTY", "blue", "sk1"]);
        let text = r#"{"answer": "none; EMPTY, \u00e9, blue since 2024-02-01 user pass sk1"}"#;
        assert_eq!(answer(&mask, text), text);
        assert_eq!(mask.excerpt("EMPTY since 2024-02-01"), "*** since ***");
    }

    #[test]
    fn a_short_key_is_hidden_where_it_is_a_whole_word() {
        let mask = mask("http://h", &["pw12"]);
        assert_eq!(answer(&mask, "pw12 pw123 apw12 (pw12)"), "*** pw123 apw12 (***)");
    }

    #[test]
    fn a_long_complaint_is_cut() {
        assert_eq!(mask("http://h", &[]).excerpt(&"x".repeat(1000)).chars().count(), EXCERPT_CHARS);
    }
}
