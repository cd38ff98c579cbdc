//! The fields of a JSON object of a record that have not been read yet, with their place for errors.

use serde_json::{Map, Value};

use super::names::{self, Names};
use crate::external::{Error, Position};

/// Largest count and amount: sums of as many as a record has lines cannot overflow.
pub(super) const MOST: u32 = 1_000_000_000;

/// An object being read: a field that is read is removed.
pub(super) struct Fields<'p> {
    pub position: &'p Position,
    /// The object's place in the record, empty for the record itself: `contexts[3]`.
    place: String,
    left: Map<String, Value>,
}

impl<'p> Fields<'p> {
    pub fn new(position: &'p Position, place: &str, fields: Map<String, Value>) -> Self {
        Self { position, place: place.to_owned(), left: fields }
    }

    /// Returns the full name of a field.
    pub fn name(&self, key: &str) -> String {
        if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) }
    }

    /// Removes and returns the first of `names` that is present, with its name. The others remain.
    pub fn take(&mut self, names: Names) -> Option<(&'static str, Value)> {
        names.iter().find_map(|name| Some((*name, remove(&mut self.left, name)?)))
    }

    /// Removes and returns the one of `names` that is present.
    ///
    /// # Errors
    /// `Field` if two of them are.
    pub fn take_one(&mut self, names: Names) -> Result<Option<(&'static str, Value)>, Error> {
        let taken = self.take(names);
        match names.iter().find(|name| self.left.contains_key(**name)) {
            Some(second) if taken.is_some() => {
                Err(self.wrong(second, "given under one of its names only"))
            }
            _ => Ok(taken),
        }
    }

    /// Reads a text; `None` if it is missing or null.
    pub fn text(&mut self, names: Names) -> Result<Option<String>, Error> {
        match self.take(names) {
            None | Some((_, Value::Null)) => Ok(None),
            Some((_, Value::String(text))) => Ok(Some(text)),
            Some((name, _)) => Err(self.wrong(name, "a string")),
        }
    }

    /// Reads an id, a text or a whole number; `None` if it is missing or null.
    pub fn id(&mut self, names: Names) -> Result<Option<String>, Error> {
        match self.take(names) {
            None | Some((_, Value::Null)) => Ok(None),
            Some((name, value)) => match id_of(&value) {
                Some(id) => Ok(Some(id)),
                None => Err(self.wrong(name, "a string that is not empty, or a whole number")),
            },
        }
    }

    /// Reads a number; `None` if it is missing or null.
    pub fn number(&mut self, names: Names) -> Result<Option<f64>, Error> {
        match self.take(names) {
            None | Some((_, Value::Null)) => Ok(None),
            Some((name, value)) => match value.as_f64().filter(|number| number.is_finite()) {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(name, "a number")),
            },
        }
    }

    /// Reads an amount of seconds or money; `None` if it is missing or null.
    pub fn amount(&mut self, names: Names) -> Result<Option<f64>, Error> {
        match self.number(names)? {
            Some(number) if !(0.0..=f64::from(MOST)).contains(&number) => {
                Err(self.wrong(names[0], "a number from 0 to 1,000,000,000"))
            }
            number => Ok(number),
        }
    }

    /// Reads a count; `None` if it is missing or null.
    pub fn count(&mut self, names: Names) -> Result<Option<usize>, Error> {
        match self.take(names) {
            None | Some((_, Value::Null)) => Ok(None),
            Some((name, value)) => match value.as_u64().filter(|count| *count <= u64::from(MOST)) {
                Some(count) => Ok(Some(count as usize)),
                None => Err(self.wrong(name, "a whole number from 0 to 1,000,000,000")),
            },
        }
    }

    /// Returns true if one of `names` is present.
    pub fn has(&self, names: Names) -> bool {
        names.iter().any(|name| self.left.contains_key(*name))
    }

    /// Rejects a key that is a misspelling of a field that is absent under all its names: one character of five, two of
    /// more.
    pub fn refuse_slips(&self, known: &[Names], others: &[Names]) -> Result<(), Error> {
        let is_known = |key: &str| {
            let mut all = known.iter().chain(others).copied().flatten();
            all.any(|name| *name == key || name.split('.').next() == Some(key))
        };
        let absent = known.iter().filter(|names| !self.has(names));
        let absent: Vec<&'static str> = absent.copied().flatten().copied().collect();
        for key in self.left.keys().filter(|key| !is_known(key)) {
            let distance = |name: &str| strsim::damerau_levenshtein(name, &key.to_lowercase());
            let nearest =
                absent.iter().find(|name| distance(name) <= if name.len() > 5 { 2 } else { 1 });
            if let Some(nearest) = nearest {
                return Err(Error::at(
                    self.position,
                    format_args!("unknown key `{}`", self.name(key)),
                    format!("did you mean `{nearest}`?"),
                ));
            }
        }
        Ok(())
    }

    /// Adds the names of the keys that were not read to `unread`, without positions in lists.
    pub fn leave(self, unread: &mut Vec<String>) {
        let place = without_positions(&self.place);
        let keys = self.left.into_iter().map(|(key, _)| key);
        let keys = keys.filter(|key| !names::FREE_FORM.contains(&key.as_str()));
        unread.extend(keys.map(|key| match place.as_str() {
            "" => key,
            place => format!("{place}.{key}"),
        }));
    }

    pub fn wrong(&self, field: &str, expected: &'static str) -> Error {
        wrong(self.position, self.name(field), expected)
    }
}

pub(super) fn wrong(position: &Position, field: String, expected: &'static str) -> Error {
    Error::field(position, &field, expected)
}

/// Returns the id that a value is; `None` if it is none.
pub(super) fn id_of(value: &Value) -> Option<String> {
    match value {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}

/// Removes a field by its name or path.
fn remove(fields: &mut Map<String, Value>, name: &str) -> Option<Value> {
    match name.split_once('.') {
        None => fields.shift_remove(name),
        Some((first, rest)) => match fields.get_mut(first)? {
            Value::Object(inner) => remove(inner, rest),
            _ => None,
        },
    }
}

/// Returns `contexts[3].score` as `contexts[].score`.
fn without_positions(place: &str) -> String {
    let mut text = String::with_capacity(place.len());
    let mut is_inside = false;
    for character in place.chars() {
        match character {
            '[' => is_inside = true,
            ']' => is_inside = false,
            _ if is_inside => continue,
            _ => {}
        }
        text.push(character);
    }
    text
}
