//! A passage of a record: a text, or an object with a text, the id of a chunk, or a range of a document.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::fields::{Fields, id_of, wrong};
use super::names;
use crate::external::{Error, Position};

/// A passage. It has a text, a chunk, or a document (with a range, or as a whole).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedHit {
    /// Its text; `None`: that of the chunk or of the range.
    pub text: Option<String>,
    /// The id of its chunk.
    pub chunk_id: Option<String>,
    /// Its document, by the source's id.
    pub doc_id: Option<String>,
    /// Its start in the document, in bytes or code points.
    pub start: Option<usize>,
    /// Its end in the document; `None`: its start plus the length of its text.
    pub end: Option<usize>,
    /// Its document's title.
    pub title: Option<String>,
    /// The source's score; finite.
    pub score: Option<f64>,
    /// Parts of the score, by component.
    pub parts: BTreeMap<String, f64>,
    /// Its tokens, as counted by the source.
    pub tokens: Option<usize>,
}

impl RecordedHit {
    /// Returns true if it has a text, or a range of a document.
    #[must_use]
    pub fn is_placed(&self) -> bool {
        self.text.is_some() || (self.doc_id.is_some() && self.start.is_some() && self.end.is_some())
    }
}

const EXPECTED: &str = "a text that is not blank, or an object with one as `text`, a `chunk_id`, or a `doc_id` with \
                        `start` and `end`";

/// Reads a list of passages; adds the names of the keys that are not read to `unread`.
pub(super) fn hits(
    position: &Position,
    place: &str,
    items: Vec<Value>,
    unread: &mut Vec<String>,
) -> Result<Vec<RecordedHit>, Error> {
    let items = items.into_iter().enumerate();
    items.map(|(at, item)| hit(position, &format!("{place}[{at}]"), item, unread)).collect()
}

fn hit(
    position: &Position,
    place: &str,
    item: Value,
    unread: &mut Vec<String>,
) -> Result<RecordedHit, Error> {
    let (fields, score) = match item {
        Value::Object(fields) => (fields, None),
        // LangChain's documents with scores.
        Value::Array(pair) => match <[Value; 2]>::try_from(pair) {
            Ok([Value::Object(fields), Value::Number(score)]) => (fields, score.as_f64()),
            _ => return Err(wrong(position, place.to_owned(), EXPECTED)),
        },
        text => (Map::from_iter([("text".to_owned(), text)]), None),
    };
    let mut fields = Fields::new(position, place, fields);
    fields.refuse_slips(&names::LONG_OF_HIT, &OTHERS)?;
    let text = match fields.take(names::TEXT) {
        None | Some((_, Value::Null)) => None,
        Some((_, Value::String(text))) if !text.trim().is_empty() => Some(text),
        Some(_) => return Err(wrong(position, place.to_owned(), EXPECTED)),
    };
    let chunk_id = chunk_id(&mut fields)?;
    let doc_id = fields.id(names::DOC_ID)?;
    let start = fields.count(names::START)?;
    let end = fields.count(names::END)?;
    let title = fields.text(names::TITLE)?;
    let score = fields.number(names::SCORE)?.or(score);
    let tokens = fields.count(names::TOKENS)?;
    let parts = parts(&mut fields)?;
    if end.is_some() && start.is_none_or(|start| Some(start) > end) {
        return Err(fields.wrong("end", "given with `start`, and not before it"));
    }
    let hit = RecordedHit { text, chunk_id, doc_id, start, end, title, score, parts, tokens };
    if hit.chunk_id.is_none() && !hit.is_placed() {
        return Err(wrong(position, place.to_owned(), EXPECTED));
    }
    fields.leave(unread);
    Ok(hit)
}

/// Known keys of a hit.
const OTHERS: [names::Names; 9] = [
    names::TEXT,
    names::CHUNK_ID,
    names::DOC_ID,
    names::START,
    names::END,
    names::TITLE,
    names::SCORE,
    names::TOKENS,
    names::PARTS,
];

/// Reads the id of the chunk. A framework's `id` may be anything: it counts where it is an id.
fn chunk_id(fields: &mut Fields<'_>) -> Result<Option<String>, Error> {
    let Some((own, others)) = names::CHUNK_ID.split_first() else {
        return Ok(None);
    };
    match fields.take(std::slice::from_ref(own)) {
        None | Some((_, Value::Null)) => {}
        Some((name, value)) => {
            return match id_of(&value) {
                Some(id) => Ok(Some(id)),
                None => Err(fields.wrong(name, "a string that is not empty, or a whole number")),
            };
        }
    }
    Ok(fields.take(others).and_then(|(_, value)| id_of(&value)))
}

fn parts(fields: &mut Fields<'_>) -> Result<BTreeMap<String, f64>, Error> {
    const EXPECTED: &str = "an object of numbers";
    let given = match fields.take(names::PARTS) {
        None | Some((_, Value::Null)) => return Ok(BTreeMap::new()),
        Some((_, Value::Object(parts))) => parts,
        Some((name, _)) => return Err(fields.wrong(name, EXPECTED)),
    };
    let numbers = given.into_iter().map(|(name, value)| Some((name, value.as_f64()?)));
    let numbers: Option<BTreeMap<String, f64>> = numbers.collect();
    numbers.ok_or_else(|| fields.wrong("parts", EXPECTED))
}
