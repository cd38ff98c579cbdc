//! Finds the spans of a file: JSON lines, JSON values one after another, or one JSON value; each a span, a list of spans,
//! or an object that holds one.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::{Map, StreamDeserializer, Value};

use super::source::{Source, is_list};
use super::span::Span;
use crate::run::external::input::Input;
use crate::run::{Error, Kind};

/// The spans of a file, or of a part of it.
#[derive(Debug, Default)]
pub(super) struct Export {
    /// The spans, in the order of the file.
    pub spans: Vec<Span>,
    /// Number of values that are no span of a known source.
    pub n_unknown: usize,
}

/// Reads every span.
///
/// # Errors
/// `Line` for invalid JSON.
pub(super) fn read(input: &Input) -> Result<Export, Error> {
    let lines = input.text().lines().enumerate();
    let lines: Vec<(usize, &str)> = lines
        .map(|(at, line)| (at + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty())
        .collect();
    if lines.iter().all(|(_, line)| line.starts_with('{') && line.ends_with('}')) {
        let parts: Vec<Export> = lines
            .par_iter()
            .map(|(number, line)| values(input, *number, line))
            .collect::<Result<_, _>>()?;
        return Ok(parts.into_iter().fold(Export::default(), Export::joined));
    }
    values(input, 1, input.text())
}

/// Reads the JSON values of `text`, which begins on line `first`.
fn values(input: &Input, first: usize, text: &str) -> Result<Export, Error> {
    let mut export = Export::default();
    let mut stream: StreamDeserializer<'_, _, Value> =
        serde_json::Deserializer::from_str(text).into_iter();
    let (mut line, mut from) = (first, 0);
    while let Some(value) = stream.next() {
        let value = value.map_err(|error| {
            let position = input.line(first + error.line().max(1) - 1);
            Error::json(&position, &error).of_kind(Kind::NotTraces)
        })?;
        let n_spans = export.spans.len();
        export.walk(value);
        for span in &mut export.spans[n_spans..] {
            span.line = line;
        }
        let to = stream.byte_offset();
        line += memchr::memchr_iter(b'\n', &text.as_bytes()[from..to]).count();
        from = to;
    }
    Ok(export)
}

impl Export {
    fn joined(mut self, mut other: Self) -> Self {
        self.spans.append(&mut other.spans);
        self.n_unknown += other.n_unknown;
        self
    }

    /// Adds the spans of a value: a span, a list of spans, or an object that holds one.
    fn walk(&mut self, value: Value) {
        let mut fields = match value {
            Value::Null => return,
            Value::Array(items) => return items.into_iter().for_each(|item| self.walk(item)),
            Value::Object(fields) => fields,
            _ => return self.n_unknown += 1,
        };
        let lists: Vec<String> = fields.keys().filter(|key| is_list(key)).cloned().collect();
        let n_spans = self.spans.len();
        for key in &lists {
            self.walk(fields.shift_remove(key).unwrap_or_default());
        }
        match lists.last().map(String::as_str) {
            None => self.add(fields),
            // A trace of Langfuse is the root of its observations without a parent.
            Some("observations") => {
                let trace = fields.shift_remove("trace").and_then(|trace| match trace {
                    Value::Object(trace) => Some(trace),
                    _ => None,
                });
                let root = Span::read(Source::LangfuseTrace, trace.unwrap_or(fields));
                if let Some(mut root) = root {
                    // No observation's id has a blank.
                    root.id = format!("trace {}", root.id);
                    let spans = self.spans[n_spans..].iter_mut();
                    for span in spans.filter(|span| span.parent.is_none()) {
                        span.parent = Some(root.id.clone());
                    }
                    self.spans.push(root);
                }
            }
            Some(_) => {}
        }
    }

    /// Adds the span that an object is, and the child runs of `LangSmith` in it.
    fn add(&mut self, mut fields: Map<String, Value>) {
        let source = Source::of(&|key| fields.contains_key(key));
        let children = match source {
            Some(Source::LangSmith) => fields.shift_remove("child_runs"),
            _ => None,
        };
        let Some(span) = source.and_then(|source| Span::read(source, fields)) else {
            self.n_unknown += 1;
            return;
        };
        self.spans.push(span);
        if let Some(Value::Array(children)) = children {
            for child in children {
                if let Value::Object(child) = child {
                    self.add(child);
                }
            }
        }
    }
}
