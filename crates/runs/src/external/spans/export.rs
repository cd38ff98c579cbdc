//! Finds the spans of a file: JSON lines, JSON values one after another, or one JSON value; each a span, a list of spans,
//! or an object that holds one.

use std::fmt;

use ragtriage_core::text::sanitize;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, StreamDeserializer, Value};

use super::attributes::Read;
use super::source::{Source, is_list};
use super::span::Span;
use super::{langfuse, langsmith, otlp};
use crate::external::input::Input;
use crate::{Error, Kind};

/// Maximum number of keys that an error names, and of their characters.
const MOST_KEYS: usize = 8;
const KEY_CHARS: usize = 40;

/// The spans of a file, or of a part of it.
#[derive(Debug, Default)]
pub(super) struct Export {
    /// The spans, in the order of the file.
    pub spans: Vec<Span>,
    /// Number of values that are no span of a known source.
    pub n_unknown: usize,
    /// The keys of the first of them.
    pub unknown_keys: Option<String>,
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
    let mut stream: StreamDeserializer<'_, _, Export> =
        serde_json::Deserializer::from_str(text).into_iter();
    let (mut line, mut from) = (first, 0);
    while let Some(part) = stream.next() {
        let mut part = part.map_err(|error| {
            let position = input.line(first + error.line().max(1) - 1);
            Error::json(&position, &error).of_kind(Kind::NotTraces)
        })?;
        for span in &mut part.spans {
            span.line = line;
        }
        let to = stream.byte_offset();
        line += memchr::memchr_iter(b'\n', &text.as_bytes()[from..to]).count();
        from = to;
        export = export.joined(part);
    }
    Ok(export)
}

impl Export {
    fn joined(mut self, mut other: Self) -> Self {
        self.spans.append(&mut other.spans);
        self.n_unknown += other.n_unknown;
        self.unknown_keys = self.unknown_keys.or(other.unknown_keys);
        self
    }

    /// Adds the span that an object is.
    fn add(&mut self, fields: &mut Map<String, Value>) {
        let n_spans = self.spans.len();
        match Source::of(&|key| fields.contains_key(key)) {
            Some(Source::Otlp) => self.spans.extend(otlp::of_otlp(fields)),
            Some(Source::Console) => self.spans.extend(otlp::of_console(fields)),
            Some(Source::LangSmith) => langsmith::add_run(&mut self.spans, fields),
            Some(Source::Langfuse) => self.spans.extend(langfuse::of_observation(fields)),
            None => {}
        }
        if self.spans.len() == n_spans {
            self.n_unknown += 1;
            let keys = fields.keys().take(MOST_KEYS);
            let keys: Vec<String> =
                keys.map(|key| format!("`{}`", sanitize::shortened(key, KEY_CHARS))).collect();
            self.unknown_keys = Some(keys.join(", "));
        }
    }

    /// Adds the trace that holds these observations: the root of those without a parent.
    fn add_trace(&mut self, fields: &Map<String, Value>) {
        let Some(root) = langfuse::of_trace(fields) else {
            return;
        };
        for span in self.spans.iter_mut().filter(|span| span.parent.is_none()) {
            span.parent = Some(root.id.clone());
        }
        self.spans.push(root);
    }
}

impl<'de> Deserialize<'de> for Export {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExportVisitor)
    }
}

/// One value: lists are walked through, so that only one span at a time is held as JSON.
struct ExportVisitor;

impl<'de> Visitor<'de> for ExportVisitor {
    type Value = Export;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a span or a list of spans")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Export, A::Error> {
        let mut export = Export::default();
        while let Some(item) = items.next_element::<Export>()? {
            export = export.joined(item);
        }
        Ok(export)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Export, A::Error> {
        let (mut fields, mut listed) = (Map::new(), None::<(String, Export)>);
        while let Some(key) = map.next_key::<String>()? {
            if is_list(&key) {
                let items = map.next_value::<Export>()?;
                let before = listed.map_or_else(Export::default, |(_, export)| export);
                listed = Some((key, before.joined(items)));
            } else if key == "attributes" {
                let attributes = map.next_value::<Read>()?.0;
                fields.insert(key, Value::Object(attributes));
            } else {
                fields.insert(key, map.next_value()?);
            }
        }
        let mut export = Export::default();
        match listed {
            None => export.add(&mut fields),
            Some((key, items)) => {
                export = items;
                if key == "observations" {
                    export.add_trace(&fields);
                }
            }
        }
        Ok(export)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Export, E> {
        Ok(Export::default())
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Export, E> {
        unknown()
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Export, E> {
        unknown()
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Export, E> {
        unknown()
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Export, E> {
        unknown()
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Export, E> {
        unknown()
    }
}

#[allow(clippy::unnecessary_wraps, reason = "a visitor's result")]
fn unknown<E>() -> Result<Export, E> {
    Ok(Export { n_unknown: 1, ..Export::default() })
}
