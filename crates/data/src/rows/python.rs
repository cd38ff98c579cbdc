//! Lists and objects in cells of tables, as JSON or as Python, `NumPy` and LangChain write them.

use serde_json::{Map, Value, json};

/// Nesting that is read.
const DEEPEST: usize = 32;

/// How the `str` of a LangChain document begins, and what follows its content, which is written as it is.
const CONTENT: &str = "page_content='";
const METADATA: &str = "' metadata={";
/// Possible ends of a document that are tried, so that any text takes linear time.
const MOST_ENDS: usize = 16;

/// Returns the list or object that a cell is; `None` for any other text.
pub(crate) fn list(cell: &str) -> Option<Value> {
    let cell = cell.trim();
    if let Some(documents) = documents(cell) {
        return Some(Value::Array(documents));
    }
    if !cell.starts_with(['[', '{', '(']) && !cell.starts_with("array(") {
        return None;
    }
    let json = serde_json::from_str(cell).ok();
    json.or_else(|| {
        let mut literal = Literal { rest: cell, is_lenient: false };
        literal.value(0).filter(|_| literal.rest.trim().is_empty())
    })
}

/// Reads a text that is a list or object, in place.
pub(crate) fn open(value: &mut Value) {
    if let Some(opened) = value.as_str().and_then(list) {
        *value = opened;
    }
}

/// Returns the documents that a text is as LangChain writes one, `Document(...)`, or as `str` writes them, one after another:
/// `page_content='...' metadata={...}`.
pub(crate) fn documents(text: &str) -> Option<Vec<Value>> {
    if text.starts_with("Document(") {
        let mut literal = Literal { rest: text, is_lenient: false };
        let document = literal.value(0).filter(|_| literal.rest.trim().is_empty())?;
        return document.get("page_content").is_some().then(|| vec![document]);
    }
    let mut rest = text.strip_prefix(CONTENT)?;
    let mut documents = Vec::new();
    loop {
        let ends = rest.match_indices(CONTENT).map(|(at, _)| (at, at + CONTENT.len()));
        let ends = ends.filter(|(at, _)| rest[..*at].ends_with(char::is_whitespace));
        // A content that has such a beginning itself ends at a later one.
        let mut ends = ends.take(MOST_ENDS).chain([(rest.len(), rest.len())]);
        let (document, next) =
            ends.find_map(|(end, next)| Some((document(rest[..end].trim_end())?, next)))?;
        documents.push(document);
        if next == rest.len() {
            return Some(documents);
        }
        rest = &rest[next..];
    }
}

/// Returns the document of a content, its quote and its metadata, if it has some.
fn document(text: &str) -> Option<Value> {
    let (content, metadata) = match text.rfind(METADATA) {
        Some(at) => {
            let rest = &text[at + METADATA.len() - 1..];
            let mut literal = Literal { rest, is_lenient: true };
            let metadata = literal.value(0).filter(|_| literal.rest.trim().is_empty())?;
            (&text[..at], metadata)
        }
        None => (text.strip_suffix('\'')?, Value::Null),
    };
    Some(json!({ "page_content": content, "metadata": metadata }))
}

/// A Python literal: lists, tuples, dicts, strings, numbers, `None`, `True`, `False`; a call by its first argument, `array([...],
/// dtype=...)`, or with names alone as an object: `Document(page_content='...')`.
struct Literal<'t> {
    rest: &'t str,
    /// True in the metadata of a document: a value that is not understood is null there.
    is_lenient: bool,
}

impl Literal<'_> {
    fn value(&mut self, depth: usize) -> Option<Value> {
        self.rest = self.rest.trim_start();
        if depth > DEEPEST {
            return None;
        }
        let name = self.rest.find(|it: char| !is_of_name(it)).unwrap_or(0);
        if name > 0 && self.rest[name..].starts_with('(') {
            self.is_lenient |= self.rest[..name].ends_with("Document");
            self.rest = &self.rest[name + 1..];
            let (first, fields) = self.arguments(depth)?;
            return first.or(Some(Value::Object(fields)));
        }
        // Bytes are a text, and an object of a class is none.
        if ["b'", "b\"", "r'", "r\""].iter().any(|start| self.rest.starts_with(start)) {
            self.rest = &self.rest[1..];
        }
        match self.rest.chars().next()? {
            '<' if self.is_lenient => {
                self.rest = &self.rest[self.rest.find('>')? + 1..];
                Some(Value::Null)
            }
            '[' => self.items(']', depth).map(Value::Array),
            '(' => self.items(')', depth).map(Value::Array),
            '{' => self.dict(depth),
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

    /// Reads a dict, or a set as a list.
    fn dict(&mut self, depth: usize) -> Option<Value> {
        self.rest = &self.rest[1..];
        let (mut fields, mut items) = (Map::new(), Vec::new());
        while !self.takes("}") {
            let first = self.value(depth + 1)?;
            if self.takes(":") {
                let key = first.as_str().map_or_else(|| first.to_string(), str::to_owned);
                fields.insert(key, self.value(depth + 1)?);
            } else {
                items.push(first);
            }
            self.takes(",");
        }
        match (fields.is_empty(), items.is_empty()) {
            (false, false) => None,
            (true, false) => Some(Value::Array(items)),
            _ => Some(Value::Object(fields)),
        }
    }

    /// Reads the arguments of a call: the first without a name, and those with one. A name in place of a value (`dtype=object`) is null.
    fn arguments(&mut self, depth: usize) -> Option<(Option<Value>, Map<String, Value>)> {
        let (mut first, mut fields) = (None, Map::new());
        loop {
            self.takes(",");
            if self.takes(")") {
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
            "None" | "nan" | "NaN" | "inf" | "-inf" => Some(Value::Null),
            "True" => Some(true.into()),
            "False" => Some(false.into()),
            word => match serde_json::from_str::<serde_json::Number>(word) {
                Ok(number) => Some(Value::Number(number)),
                Err(_) if self.is_lenient && !word.is_empty() => Some(Value::Null),
                Err(_) => None,
            },
        }
    }
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || "_.".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("Document(page_content='a')", json!([{"page_content": "a"}])),
            // Its `str` escapes nothing.
            (
                "page_content='It isn't C:\\new.' metadata={'source': 'x'}\n\npage_content='## B\n\nb'",
                json!([{"page_content": "It isn't C:\\new.", "metadata": {"source": "x"}}, {"page_content": "## B\n\nb", "metadata": null}]),
            ),
            // What is not understood in metadata is null.
            (
                "[Document(metadata={'s': {'a', 'b'}, 'e': <Kind.A: 1>, 'k': Kind.A, 'i': inf, 'o': <object at 0x7f>}, page_content='a')]",
                json!([{"metadata": {"s": ["a", "b"], "e": null, "k": null, "i": null, "o": null}, "page_content": "a"}]),
            ),
            (
                "page_content='a' metadata={'f': frozenset({1}), 'b': b'x', 'n': -inf, 'a': array([1., 2.])}",
                json!([{"page_content": "a", "metadata": {"f": [1], "b": "x", "n": null, "a": [null, null]}}]),
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
