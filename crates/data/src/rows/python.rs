//! Lists and objects in cells of tables, as JSON or as Python, `NumPy` and LangChain write them.

use serde_json::{Map, Value};

/// Nesting that is read.
const DEEPEST: usize = 32;

/// How the `str` of a LangChain document begins.
const DOCUMENT: &str = "page_content=";

/// Returns the list or object that a cell is; `None` for any other text.
pub(crate) fn list(cell: &str) -> Option<Value> {
    let cell = cell.trim();
    if let Some(document) = document(cell) {
        return Some(Value::Array(vec![document]));
    }
    if !cell.starts_with(['[', '{', '(']) && !cell.starts_with("array(") {
        return None;
    }
    let json = serde_json::from_str(cell).ok();
    json.or_else(|| {
        let mut literal = Literal { rest: cell };
        literal.value(0).filter(|_| literal.rest.trim().is_empty())
    })
}

/// Returns the document that a text is as LangChain's `str` writes it: `page_content='...' metadata={...}`.
pub(crate) fn document(text: &str) -> Option<Value> {
    let mut literal = Literal { rest: text.strip_prefix(DOCUMENT).map(|_| text)? };
    let (_, fields) = literal.arguments(None, 0)?;
    fields.get("page_content").is_some_and(Value::is_string).then_some(Value::Object(fields))
}

/// A Python literal: lists, tuples, dicts, strings, numbers, `None`, `True`, `False`; a call by its first argument, `array([...],
/// dtype=...)`, or with names alone as an object: `Document(page_content='...')`.
struct Literal<'t> {
    rest: &'t str,
}

impl Literal<'_> {
    fn value(&mut self, depth: usize) -> Option<Value> {
        self.rest = self.rest.trim_start();
        if depth > DEEPEST {
            return None;
        }
        let name = self.rest.find(|it: char| !is_of_name(it)).unwrap_or(0);
        if name > 0 && self.rest[name..].starts_with('(') {
            self.rest = &self.rest[name + 1..];
            let (first, fields) = self.arguments(Some(')'), depth)?;
            return first.or(Some(Value::Object(fields)));
        }
        match self.rest.chars().next()? {
            '[' => self.items(']', depth).map(Value::Array),
            '(' => self.items(')', depth).map(Value::Array),
            '{' => self.dict(depth).map(Value::Object),
            '\'' | '"' => self.string().map(Value::String),
            _ => self.word(),
        }
    }

    fn takes(&mut self, text: &str) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.strip_prefix(text).map(|rest| self.rest = rest).is_some()
    }

    /// Reads items; `NumPy` writes blanks between them where Python writes commas.
    fn items(&mut self, end: char, depth: usize) -> Option<Vec<Value>> {
        self.rest = &self.rest[1..];
        let mut items = Vec::new();
        while !self.takes(end.encode_utf8(&mut [0; 4])) {
            items.push(self.value(depth + 1)?);
            self.takes(",");
        }
        Some(items)
    }

    fn dict(&mut self, depth: usize) -> Option<Map<String, Value>> {
        self.rest = &self.rest[1..];
        let mut fields = Map::new();
        while !self.takes("}") {
            let key = match self.value(depth + 1)? {
                Value::String(key) => key,
                other => other.to_string(),
            };
            let value = self.takes(":").then(|| self.value(depth + 1))??;
            fields.insert(key, value);
            self.takes(",");
        }
        Some(fields)
    }

    /// Reads arguments up to `end`, or the end of the text: the first without a name, and those with one. A name in place of a value
    /// (`dtype=object`) is null.
    fn arguments(
        &mut self,
        end: Option<char>,
        depth: usize,
    ) -> Option<(Option<Value>, Map<String, Value>)> {
        let (mut first, mut fields) = (None, Map::new());
        loop {
            self.takes(",");
            let is_end = match end {
                Some(end) => self.takes(end.encode_utf8(&mut [0; 4])),
                None => self.rest.is_empty(),
            };
            if is_end {
                return Some((first, fields));
            }
            let name = self.rest.find(|it: char| !is_of_name(it)).unwrap_or(0);
            if name > 0 && self.rest[name..].starts_with('=') {
                let key = self.rest[..name].to_owned();
                self.rest = &self.rest[name + 1..];
                fields.insert(key, self.value(depth + 1).unwrap_or(Value::Null));
            } else {
                first = first.or(Some(self.value(depth + 1)?));
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.rest.chars().next()?;
        let mut text = String::new();
        let mut characters = self.rest[1..].char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => {
                    let (_, escaped) = characters.next()?;
                    let n_digits = match escaped {
                        'x' => 2,
                        'u' => 4,
                        'U' => 8,
                        _ => 0,
                    };
                    if n_digits > 0 {
                        let digits: String =
                            characters.by_ref().take(n_digits).map(|(_, it)| it).collect();
                        text.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                    } else {
                        match escaped {
                            'n' => text.push('\n'),
                            't' => text.push('\t'),
                            'r' => text.push('\r'),
                            '\\' | '\'' | '"' => text.push(escaped),
                            other => text.extend(['\\', other]),
                        }
                    }
                }
                end if end == quote => {
                    self.rest = &self.rest[1 + at + quote.len_utf8()..];
                    return Some(text);
                }
                other => text.push(other),
            }
        }
        None
    }

    fn word(&mut self) -> Option<Value> {
        let is_end = |it: char| it.is_whitespace() || ",:]})".contains(it);
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "None" | "nan" | "NaN" => Some(Value::Null),
            "True" => Some(true.into()),
            "False" => Some(false.into()),
            number => serde_json::from_str::<serde_json::Number>(number).ok().map(Value::Number),
        }
    }
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || "_.".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Each cell is what Python 3.11 prints for `repr` of the list, `NumPy` 1.26 for the arrays.
    #[test]
    fn a_cell_is_read_as_json_python_and_numpy_write_it() {
        for (cell, expected) in [
            (r#"["a", 1]"#, json!(["a", 1])),
            (
                r#"['a', "it's", 'x\n\'y\'', 'caf\xe9 \u20ac', None, True, 1.5]"#,
                json!(["a", "it's", "x\n'y'", "café €", null, true, 1.5]),
            ),
            ("('a',)", json!(["a"])),
            ("[{'text': 'a', 'score': 0.5, 1: []}]", json!([{"text": "a", "score": 0.5, "1": []}])),
            ("['a' 'b']", json!(["a", "b"])),
            ("array(['a',\n       'b'], dtype=object)", json!(["a", "b"])),
            ("[array(['a'], dtype=object), array([], dtype=float64)]", json!([["a"], []])),
            ("[]", json!([])),
            // As LangChain 1.5 writes documents: in a list, and one.
            (
                "[Document(id='7', metadata={'source': 'docs/a.md', 'start_index': 3}, page_content='## A\\n\\nIt\\'s (a) \"b\".')]",
                json!([{"id": "7", "metadata": {"source": "docs/a.md", "start_index": 3}, "page_content": "## A\n\nIt's (a) \"b\"."}]),
            ),
            (
                "page_content='a, b' metadata={'source': 'x'}",
                json!([{"page_content": "a, b", "metadata": {"source": "x"}}]),
            ),
            ("[np.float64(0.5), Timestamp('2026-01-02')]", json!([0.5, "2026-01-02"])),
        ] {
            assert_eq!(list(cell), Some(expected), "{cell}");
        }
    }

    #[test]
    fn a_text_that_is_no_list_stays_a_text() {
        for cell in [
            "6 minutes",
            "[1] see above",
            "(a)",
            "['a'",
            "['a'] b",
            "{x}",
            "",
            "array(",
            "page_content=",
            "page_content='a' b",
        ] {
            assert_eq!(list(cell), None, "{cell}");
        }
        assert_eq!(list(&"[".repeat(100_000)), None);
    }
}
