//! Strips control and bidirectional characters from untrusted text before printing.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Removes escape sequences, control and bidirectional formatting characters; line feeds and tabs become spaces. For
/// one line of terminal output.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' if chars.next_if_eq(&'[').is_some() => {
                // A control sequence ends with a byte in 0x40..=0x7e (ECMA-48, section 5.4).
                while chars.next_if(|c| !('\u{40}'..='\u{7e}').contains(c)).is_some() {}
                chars.next();
            }
            '\n' | '\r' | '\t' => out.push(' '),
            c if is_unsafe(c) => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Truncates `text` to at most `width` characters, the last an ellipsis if something was removed.
#[must_use]
pub fn shortened(text: &str, width: usize) -> String {
    let line = one_line(text);
    let line = line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if line.chars().count() <= width {
        return line;
    }
    line.chars().take(width.saturating_sub(1)).chain(std::iter::once('…')).collect()
}

/// Escapes characters that could control a terminal but are allowed in a JSON string, as in `\u202e`.
#[must_use]
pub fn escaped_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter == '\n' || !is_unsafe(letter) {
            out.push(letter);
        } else {
            let _ = write!(out, "\\u{:04x}", u32::from(letter)); // all of them lie in the basic plane
        }
    }
    out
}

/// Returns true if a terminal may interpret the character instead of printing it: control characters, the bidirectional
/// controls of UAX #9, zero-width characters and line separators.
#[must_use]
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_bidi_controls_are_gone() {
        assert_eq!(one_line("a\u{1b}[31mred\u{1b}[0m b\u{202e}c\u{7}\nd"), "ared bc d");
        assert_eq!(one_line("\u{1b}]0;title\u{7}x"), "]0;titlex");
        assert!(matches!(one_line("naïve 数"), Cow::Borrowed(_)));
    }

    #[test]
    fn long_text_is_cut_with_an_ellipsis() {
        assert_eq!(shortened("one  two\nthree", 8), "one two…");
        assert_eq!(shortened("short", 8), "short");
    }
}
