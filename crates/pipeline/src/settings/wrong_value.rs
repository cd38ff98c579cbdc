//! Words for a value of the wrong type, in place of serde's, which name Rust's types.

use ragtriage_core::text::sanitize;

/// Maximum number of characters of a value in a message.
const SHOWN: usize = 60;

/// Key of the table that a TOML date looks like to serde.
pub(super) const DATE: &str = "$__toml_private_datetime";

/// Translates serde's message about a value of the wrong type, `key` being the value's and `written` its text; `None` for any
/// other message.
pub(super) fn in_words(message: &str, key: &str, written: &str) -> Option<String> {
    let about =
        message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    let (_, expected) = about?.rsplit_once(", expected ")?;
    let written = sanitize::shortened(written, SHOWN);
    Some(format!("`{key}` is {written}, must be {}", words(expected)))
}

fn words(expected: &str) -> &str {
    match expected {
        "usize" | "u64" => "a whole number from 0 to 9223372036854775807",
        "u32" => "a whole number from 0 to 4294967295",
        "i64" => "a whole number from -9223372036854775808 to 9223372036854775807",
        "f64" | "f32" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "a table",
        table if table.starts_with("struct ") => "a table",
        other => other,
    }
}

/// Returns the key of the value at `start` of a TOML text, with those of its tables; `None` if its line has none.
pub(super) fn key_at(text: &str, start: usize) -> Option<String> {
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line = text[line_start..].lines().next().unwrap_or_default();
    if line.trim_start().starts_with('[') {
        return Some(header(line).to_owned());
    }
    let before = text[line_start..start].split(['=', '{', ',']);
    let names: Vec<&str> = before.map(str::trim).filter(|name| !name.is_empty()).collect();
    let (first, last) = (*names.first()?, *names.last()?);
    let table = text[..line_start]
        .lines()
        .rev()
        .find(|line| line.trim_start().starts_with('['))
        .map(header);
    let mut path: Vec<&str> = table.into_iter().chain([first]).collect();
    if names.len() > 1 {
        path.push(last);
    }
    Some(path.join("."))
}

fn header(line: &str) -> &str {
    line.trim().trim_start_matches('[').split(']').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_named_with_its_tables() {
        let text = "a = 1\n[b.c]\n  d = 2\ne = { f = 3, g = 4 }\n[h]\n";
        for (value, expected) in
            [("1", "a"), ("2", "b.c.d"), ("3", "b.c.e.f"), ("4", "b.c.e.g"), ("[h]", "h")]
        {
            let start = text.find(value).expect("in the text");
            assert_eq!(key_at(text, start).as_deref(), Some(expected));
        }
        assert_eq!(key_at("5", 0), None);
    }

    #[test]
    fn types_are_named_in_words() {
        assert_eq!(
            in_words("invalid type: map, expected usize", "k", "{a = 1}").as_deref(),
            Some("`k` is {a = 1}, must be a whole number from 0 to 9223372036854775807")
        );
        let table = in_words("invalid type: integer `3`, expected struct X", "d", "3");
        assert_eq!(table.as_deref(), Some("`d` is 3, must be a table"));
        assert_eq!(in_words("missing field `x`", "d", "3"), None);
    }
}
