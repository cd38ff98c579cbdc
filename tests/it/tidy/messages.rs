//! Error messages and hints on one page, with sample values in place of their placeholders, for a person to read.
//!
//! The texts are read from the sources: templates of `#[error(...)]`, literals of `impl Hint`, and literals of statements
//! that build an error, such as a reason. `INSTA_UPDATE=always cargo test --test it -- messages` records them again.

use std::collections::BTreeMap;
use std::fs;

use super::source::{Source, end_of_attribute, end_of_brackets, is_word};
use super::{is_test, name, root, rust_files, source_folders};

/// Values of placeholders: a part of the file's path, a word of the placeholder, the value. The first match counts.
#[rustfmt::skip]
const SAMPLES: [(&str, &str, &str); 127] = [
    ("models/src/service", "reason", "has no `/answer`"), ("models/src/remote", "model", "retrieval.dense"),
    ("fetch/src/dataset", "kind", "sha256"), ("fetch/src/dataset", "name", "scifact"),
    ("fetch/src/model", "name", "all-MiniLM-L6-v2"), ("models/src/llm", "name", "temperature"),
    ("models/src/llm", "setting", "max_usd"), ("bert/tensors", "name", "encoder.layer.0.output.dense.weight"),
    ("models/src", "reason", "must be at least 1"), ("checkpoint", "what", "not valid JSON"),
    ("bert/head", "weight", "classifier.weight"), ("http/src", "tries", "3"), ("datasets", "kind", "yes_no"),
    ("datasets", "expected", "a list of strings"), ("datasets", "id", "q7"), ("datasets", "name", "scfact"),
    ("settings", "name", "OPENAI_API_KEY"), ("settings", "place", "config.toml:12"), ("settings", "key", "chunk.size"),
    ("datasets", "place", "`questions.jsonl` line 12"), ("datasets", "key", "anwsers"), ("datasets", "nearest", "answers"),
    ("datasets", "field", "evidence[0].doc"), ("external", "key", "contxts"), ("external", "nearest", "contexts"),
    ("external", "expected", "a list of strings"), ("external", "first", "contexts"), ("external", "second", "packed"),
    ("external", "reason", "has no `/answer`"), ("vectors", "status", "unavailable"),
    ("encoder", "name", "all-MiniLM-L6-v2"), ("vectors", "what", "is not normalised"), ("models", "setting", "timeout_s"),
    ("sweep", "name", "chunk-sizes"), ("eval", "limit", "0.8"), ("bert", "what", "no tensor `classifier.weight`"),
    ("runs", "name", "nightly"), ("runs", "value", "12"), ("eval", "known", "300"), ("eval", "run", "evals/runs/nightly"),
    ("", "0", "not valid JSON"), ("", "len", "4"), ("", "f64", "30"), ("", "shown", "17"), ("", "action", "write"),
    ("", "address", "http://localhost:8080"), ("", "answer", "6 minutes"),
    ("", "asked", "How long may a rollback take?"), ("", "attempts", "3"), ("", "baseline", "main"), ("", "bytes", "1,024"),
    ("", "chunk", "deploy.md#3"), ("", "collection", "runbooks"), ("", "column", "31"), ("", "dataset", "runbooks"),
    ("", "dimension", "384"), ("", "display", "notes/deploy.md"), ("", "doc", "deploy.md"), ("", "document", "deploy.md"),
    ("", "end", "180"), ("", "error", "permission denied"), ("", "excerpt", "model not found"), ("", "expected", "4"),
    ("", "feature", "embedded"), ("", "field", "contexts[2].doc_id"), ("", "file", "answers.jsonl"), ("", "first", "q7"),
    ("", "folder", "evals/runs/nightly"), ("", "found", "3"), ("", "free", "1 GiB"), ("", "grade", "high"),
    ("", "has", "text, dense"), ("", "hub", "https://huggingface.co"), ("", "id", "q7"), ("", "join", "`bm25`, `dense`"),
    ("", "key", "chunk.size"), ("", "kind", "sparse"), ("", "known", "Who approves a rollback?"),
    ("", "last", "connection refused"), ("", "least", "1"), ("", "length", "4096"), ("", "limit", "2 GiB"),
    ("", "line", "12"), ("", "measure", "nDCG@10"), ("", "message", "expected a string"), ("", "missing", "3"),
    ("", "model", "all-MiniLM-L6-v2"), ("", "most", "1000"), ("", "n", "20"), ("", "n_failed", "3"),
    ("", "n_questions", "300"), ("", "name", "retrieval.k"), ("", "nearest", "chunking.size"), ("", "needed", "3 GiB"),
    ("", "number", "17"), ("", "of", "deploy.md#3"), ("", "other", "2"), ("", "overlap", "300"),
    ("", "path", "notes/deploy.md"), ("", "place", "/srv/qdrant"), ("", "point", "17"),
    ("", "position", "`answers.jsonl` line 12"), ("", "problem", "must be 1 to 1000"), ("", "query", "q7"),
    ("", "question", "How long may a rollback take?"), ("", "quote", "within 6 minutes"),
    ("", "reason", "connection refused"), ("", "revision", "main"), ("", "role", "retriever"),
    ("", "run", "evals/runs/nightly"), ("", "score", "NaN"), ("", "seconds", "30"), ("", "setting", "retrieval.k"),
    ("", "size", "200"), ("", "source", "No such file or directory (os error 2)"), ("", "split", "dev"),
    ("", "stage", "reranker"), ("", "start", "120"), ("", "status", "503"), ("", "text", "EM5"), ("", "trial", "003"),
    ("", "tries", "3"), ("", "url", "http://localhost:6333"), ("", "value", "0"), ("", "wanted", "4"),
    ("", "what", "not valid JSON"), ("", "why", "connection refused"),
];

/// Words of a statement that builds an error or its reason.
const BUILDERS: [&str; 10] =
    ["Err", "OutOfRange", "detail", "hint", "invalid", "problem", "reason", "what", "wrong", "why"];

/// A message of an error type, with the type and the variant.
struct Message {
    owner: String,
    variant: String,
    text: String,
}

struct File<'a> {
    path: &'a str,
    source: Source,
    messages: Vec<Message>,
    /// Hints by error type and variant.
    hints: BTreeMap<(String, String), Vec<String>>,
    reasons: Vec<String>,
}

impl<'a> File<'a> {
    fn read(path: &'a str, text: &str) -> Self {
        let mut file = Self {
            path,
            source: Source::parse(text),
            messages: Vec::new(),
            hints: BTreeMap::new(),
            reasons: Vec::new(),
        };
        let (mut owner, mut at) = (String::new(), 0);
        while at < file.source.tokens.len() {
            let after_attribute = end_of_attribute(&file.source, at);
            at = match [file.text(at), file.text(at + 1), file.text(at + 2)] {
                ["#", "[", "error"] => file.read_message(at, &owner),
                _ if after_attribute > at => after_attribute,
                ["impl", "Hint", _] => file.read_hints(at),
                ["enum" | "struct", name, _] => {
                    name.clone_into(&mut owner);
                    at + 1
                }
                _ => {
                    if file.is_prose(at) && file.builds_an_error(at) {
                        file.reasons.push(file.filled(at));
                    }
                    at + 1
                }
            }
        }
        file
    }

    fn text(&self, at: usize) -> &str {
        self.source.text(at)
    }

    /// Reads an `error` attribute, and returns the index of its item's name.
    fn read_message(&mut self, attribute: usize, owner: &str) -> usize {
        let mut item = attribute;
        while end_of_attribute(&self.source, item) > item {
            item = end_of_attribute(&self.source, item);
        }
        let of_struct = (item..item + 6).find(|&at| self.text(at) == "struct");
        let named = of_struct.map_or(item, |at| at + 1);
        let variant = self.text(named).to_owned();
        if self.text(attribute + 4) != "transparent" {
            self.messages.push(Message {
                owner: of_struct.map_or_else(|| owner.to_owned(), |_| variant.clone()),
                variant,
                text: self.filled(attribute + 4),
            });
        }
        named
    }

    /// Reads the literals of an `impl Hint` by the variants of their arms, and returns the index after it.
    fn read_hints(&mut self, start: usize) -> usize {
        let mut body = start;
        while self.text(body) != "{" {
            body += 1;
        }
        let end = end_of_brackets(&self.source, body);
        let owner = self.text(start + 3).to_owned();
        let (mut pattern, mut arm) = (Vec::new(), vec![owner.clone()]);
        for at in start..end {
            match [self.text(at), self.text(at + 1)] {
                ["Self", "::"] => pattern.push(self.text(at + 2).to_owned()),
                ["=", ">"] if !pattern.is_empty() => arm = std::mem::take(&mut pattern),
                _ if self.is_prose(at) => {
                    for variant in &arm {
                        let hint = self.filled(at);
                        let key = (owner.clone(), variant.clone());
                        self.hints.entry(key).or_default().push(hint);
                    }
                }
                _ => {}
            }
        }
        end
    }

    /// Returns true for a literal of three and more words.
    fn is_prose(&self, at: usize) -> bool {
        let words = self.source.tokens[at].literal.split_whitespace();
        words.filter(|word| word.contains(char::is_alphabetic)).count() >= 3
    }

    /// Returns true if the statement or arm of a literal builds an error or its reason. A panic's message is none.
    fn builds_an_error(&self, literal: usize) -> bool {
        let before = (0..literal).rev().map(|at| self.text(at)).take(60);
        let mut statement = before.take_while(|text| ![";", "}", "fn"].contains(text));
        let is_panic = ["allow", "expect", "unreachable"].contains(&self.called(literal));
        !is_panic && statement.any(|text| text.ends_with("Error") || BUILDERS.contains(&text))
    }

    /// Returns the token before the bracket that a literal is in: a function, an attribute, `!` of a macro.
    fn called(&self, literal: usize) -> &str {
        let mut depth = 0_usize;
        for at in (1..literal).rev() {
            match self.text(at) {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" if depth == 0 => return self.text(at - 1),
                "(" | "[" | "{" => depth -= 1,
                _ => {}
            }
        }
        ""
    }

    /// Returns a literal, and sample values for the placeholders of a format string.
    fn filled(&self, literal: usize) -> String {
        let template = self.source.tokens[literal].literal.replace('\n', "\\n");
        if !["!", "error"].contains(&self.called(literal)) {
            return template;
        }
        let mut arguments = self.arguments(literal).into_iter();
        let escaped = template.replace("{{", "\u{1}").replace("}}", "\u{2}");
        let (mut text, mut rest) = (String::new(), escaped.as_str());
        while let Some((before, (placeholder, after))) =
            rest.split_once('{').and_then(|(before, after)| Some((before, after.split_once('}')?)))
        {
            let field = placeholder.split(':').next().filter(|field| !field.is_empty());
            let words = field.map(|field| vec![field.to_owned()]);
            let words = words.or_else(|| arguments.next()).unwrap_or_default();
            text.push_str(before);
            text.push_str(&self.sample(&words));
            rest = after;
        }
        text.push_str(rest);
        text.replace('\u{1}', "{").replace('\u{2}', "}")
    }

    /// Returns the words of each argument that follows a literal in its brackets.
    fn arguments(&self, literal: usize) -> Vec<Vec<String>> {
        let mut found: Vec<Vec<String>> = Vec::new();
        let mut depth = 0_usize;
        for at in literal + 1..self.source.tokens.len() {
            match (self.text(at), found.last_mut()) {
                ("(" | "[" | "{", _) => depth += 1,
                (")" | "]" | "}", _) if depth == 0 => break,
                (")" | "]" | "}", _) => depth -= 1,
                (",", _) if depth == 0 => found.push(Vec::new()),
                (word, Some(words)) if is_word(word) => words.push(word.to_owned()),
                _ => {}
            }
        }
        found.retain(|words| !words.is_empty());
        found
    }

    /// Returns the sample value of the first known word, or the last word as a placeholder.
    fn sample(&self, words: &[String]) -> String {
        let known = |wanted: &str| {
            let mut samples = SAMPLES.iter();
            samples.find(|(place, name, _)| *name == wanted && self.path.contains(place))
        };
        let mut parts = words.iter().flat_map(|word| {
            let parts = word.split('_').rev();
            [word.as_str()].into_iter().chain(parts)
        });
        match parts.find_map(known) {
            Some((_, _, value)) => (*value).to_owned(),
            None => format!("<{}>", words.last().map_or("", String::as_str)),
        }
    }

    /// Returns the lines of the page: the path, messages with their hints, other hints, reasons.
    fn lines(mut self) -> Vec<String> {
        let mut lines = Vec::new();
        for Message { owner, variant, text } in std::mem::take(&mut self.messages) {
            lines.push(
                format!("{owner}::{variant}: {text}").replace(&format!("{owner}::{owner}"), &owner),
            );
            let hints = self.hints.remove(&(owner, variant)).unwrap_or_default();
            lines.extend(hints.into_iter().map(|hint| format!("    hint: {hint}")));
        }
        for ((owner, variant), hints) in self.hints {
            lines.push(format!("{owner}::{variant}"));
            lines.extend(hints.into_iter().map(|hint| format!("    hint: {hint}")));
        }
        lines.extend(self.reasons.into_iter().map(|reason| format!("- {reason}")));
        if !lines.is_empty() {
            lines.insert(0, format!("# {}\n", self.path));
        }
        lines
    }
}

#[test]
fn messages_are_those_on_their_page() {
    let mut files = Vec::new();
    let folders = source_folders();
    for path in folders.iter().flat_map(|folder| rust_files(folder)) {
        if !is_test(&path) {
            let text = fs::read_to_string(&path).expect("readable");
            let lines = File::read(&name(&path), &text).lines();
            files.extend((!lines.is_empty()).then(|| lines.join("\n")));
        }
    }
    let page = files.join("\n\n");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root().join("tests/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("messages", page));
}
