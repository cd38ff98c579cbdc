//! Error texts of other programs, as a run may store them: one line, of bounded length, without credentials.
//!
//! The credentials are unknown, so they are recognised by their form: a known prefix (`sk-`, `hf_`), the value of a name such as
//! `api_key`, the token of a `Bearer` or `Basic` header, the user info of a URL, or a long run of letters and digits.

use super::sanitize;

const HIDDEN: &str = "***";
/// Prefixes of the keys of common services.
const PREFIXES: &str = include_str!("key_prefixes.txt");
/// Ends of the names whose values are credentials.
const NAMES: [&str; 8] =
    ["key", "token", "password", "passwd", "secret", "authorization", "sig", "signature"];
/// Minimum length of what follows a prefix, or of the value of a name.
const LEAST_CHARS: usize = 4;
/// Minimum length of letters and digits that are a credential by their form alone.
const LONG_CHARS: usize = 24;
/// Number of letters, and of digits, that such a text has.
const LEAST_OF_EACH: usize = 4;

/// Returns the first line of `text` that has a letter or a digit, without credentials, of at most `width` characters. Of a
/// Python traceback the last line is returned, which names the exception.
#[must_use]
pub fn summary(text: &str, width: usize) -> String {
    sanitize::shortened(&without_credentials(line(text)), width)
}

fn line(text: &str) -> &str {
    const TRACEBACK: &str = "Traceback (most recent call last)";
    let mut lines = text.lines().map(str::trim);
    let has_text = |line: &&str| line.chars().any(char::is_alphanumeric);
    let first = lines.find(has_text).unwrap_or_default();
    match first.split_once(TRACEBACK) {
        None => first,
        Some((before, _)) if has_text(&before) => before.trim_end(),
        Some(_) => lines.rfind(has_text).unwrap_or(first),
    }
}

/// Replaces credentials by `***`.
#[must_use]
pub fn without_credentials(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // What was written before the current token decides how it is read.
    let mut is_value = false;
    while !rest.is_empty() {
        let n_token = rest.find(|c| !is_of_token(c)).unwrap_or(rest.len());
        let (token, behind) = rest.split_at(n_token);
        let n_between = behind.find(is_of_token).unwrap_or(behind.len());
        let (between, next) = behind.split_at(n_between);
        let is_hidden =
            (is_value && token.len() >= LEAST_CHARS && !is_scheme(token)) || is_credential(token);
        out.push_str(if is_hidden { HIDDEN } else { token });
        out.push_str(between);
        let after_user = user_info(between, next);
        if after_user.is_some() {
            out.push_str(HIDDEN);
        }
        rest = after_user.unwrap_or(next);
        is_value = if is_scheme(token) {
            let follows = &rest[..rest.find(|c| !is_of_token(c)).unwrap_or(rest.len())];
            between.trim().is_empty() && (is_value || is_telling(follows))
        } else {
            is_name_of(token, between, rest)
        };
    }
    out
}

fn is_of_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.' | '~')
}

fn is_scheme(token: &str) -> bool {
    token.eq_ignore_ascii_case("bearer") || token.eq_ignore_ascii_case("basic")
}

/// Returns true for a text that is not a word.
fn is_telling(token: &str) -> bool {
    token.len() >= LONG_CHARS
        || (token.len() >= 2 * LEAST_CHARS && token.bytes().any(|byte| byte.is_ascii_digit()))
}

fn is_credential(token: &str) -> bool {
    let has_prefix = PREFIXES
        .split_whitespace()
        .any(|prefix| token.strip_prefix(prefix).is_some_and(|rest| rest.len() >= 2 * LEAST_CHARS));
    let is_long = |part: &str| {
        let count = |is: fn(&u8) -> bool| part.bytes().filter(is).count();
        part.len() >= LONG_CHARS
            && count(u8::is_ascii_digit) >= LEAST_OF_EACH
            && count(u8::is_ascii_alphabetic) >= LEAST_OF_EACH
    };
    has_prefix || token.split(['-', '.', '_', '+', '~']).any(is_long)
}

/// Returns true if `token` names the credential that follows `between`.
fn is_name_of(token: &str, between: &str, value: &str) -> bool {
    let name = token.to_ascii_lowercase();
    if !NAMES.iter().any(|end| name.ends_with(end)) {
        return false;
    }
    let is_quote = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
    match between.trim_matches(is_quote) {
        "=" => true,
        // `key: value` is also plain English, and `x-api-key: value` is not.
        ":" => {
            let is_word = ["key", "token", "sig", "signature"].contains(&name.as_str());
            let follows = &value[..value.find(|c| !is_of_token(c)).unwrap_or(value.len())];
            !is_word || is_telling(follows)
        }
        _ => false,
    }
}

/// Returns what follows the user info of a URL; `None` if `between` does not begin an address with one.
fn user_info<'t>(between: &str, next: &'t str) -> Option<&'t str> {
    let end = next.find(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '?'));
    let host = &next[..end.unwrap_or(next.len())];
    let at = host.rfind('@').filter(|_| between.ends_with("://"))?;
    Some(&next[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_hidden_wherever_they_occur() {
        for (text, expected) in [
            ("bad key sk-abcdef1234567890", "bad key ***"),
            (
                "401: Incorrect API key provided: sk-proj-abc_DEF-1234.",
                "401: Incorrect API key provided: ***",
            ),
            ("Authorization: Bearer abc123def456, refused", "Authorization: Bearer ***, refused"),
            ("{'authorization': 'Basic dXNlcjpwYXNz'}", "{'authorization': 'Basic ***'}"),
            ("headers={\"x-api-key\": \"hunter2\"}", "headers={\"x-api-key\": \"***\"}"),
            (
                "GET http://h/ask?api_key=hunter2&k=5 failed",
                "GET http://h/ask?api_key=***&k=5 failed",
            ),
            ("postgres://rag:hunter2@db/x is down", "postgres://***@db/x is down"),
            ("token hf_abcdefghijkl is invalid", "token *** is invalid"),
            ("key 0123456789abcdef0123456789abcdef", "key ***"),
            ("password=hunter2", "password=***"),
        ] {
            assert_eq!(without_credentials(text), expected);
        }
    }

    #[test]
    fn plain_messages_are_unchanged() {
        for text in [
            "KeyError: 'question'",
            "missing key: question",
            "Bearer token is missing; Basic authentication is off",
            "Bearer *** xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "maximum context is 8192 tokens: 9000 given",
            "request 3f2b1c9a-1f2e-4d3c-9b8a-0123456789ab failed at http://h:8080/ask",
            "connection to https://h/a@b refused é",
            "unexpected token: '}'",
            "",
        ] {
            assert_eq!(without_credentials(text), text);
        }
    }

    #[test]
    fn the_line_that_names_the_error_is_taken() {
        let traceback = "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\nValueError: no index\n";
        for (text, expected) in [
            (traceback, "ValueError: no index"),
            (&format!("ValueError('no index'){traceback}"), "ValueError('no index')"),
            (&format!("ValueError('no index')\n\n{traceback}"), "ValueError('no index')"),
            ("\n{\n  \"detail\": \"no index\"\n}", "\"detail\": \"no index\""),
            ("Traceback (most recent call last)", "Traceback (most recent call last)"),
            (" \n", ""),
        ] {
            assert_eq!(summary(text, 300), expected);
        }
        assert_eq!(summary(&"x ".repeat(400), 300).chars().count(), 300);
    }
}
