//! Ids in files whose columns are separated by white space: white space, control characters and `%` are written as
//! `%20`, `%25` and so on, byte by byte; so is a leading `#`, which would make the line a comment.

use std::borrow::Cow;
use std::fmt::Write as _;

use percent_encoding::percent_decode_str;

/// Encodes `id` as one column.
#[must_use]
pub fn encode(id: &str) -> String {
    let mut out = String::with_capacity(id.len());
    for (at, c) in id.char_indices() {
        if c.is_whitespace() || c.is_control() || c == '%' || (at == 0 && c == '#') {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(out, "%{byte:02X}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// Decodes an id. Text that is not UTF-8 once decoded is returned unchanged, and so is a `%` before anything but two digits.
#[must_use]
pub fn decode(column: &str) -> Cow<'_, str> {
    percent_decode_str(column).decode_utf8().unwrap_or(Cow::Borrowed(column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_with_white_space_stays_one_column_and_comes_back() {
        assert_eq!(encode("Andre Norton 100%"), "Andre%20Norton%20100%25");
        assert_eq!(encode("a\u{a0}b"), "a%C2%A0b");
        assert_eq!(encode("#1"), "%231");
        assert_eq!(encode("d#1"), "d#1");
        for id in ["Andre Norton 100%", "a\u{a0}b", "plain", "\t", "é%20", "#1"] {
            assert_eq!(decode(&encode(id)), id);
        }
    }

    #[test]
    fn what_nobody_encoded_stays_as_it_is() {
        for column in ["100%", "%zz", "%C2", "%é1"] {
            assert_eq!(decode(column), column);
        }
    }
}
