//! A JSON object of the native format, whose field names are checked so that a typing error loses no label.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::error::DatasetError;
use crate::place::Place;
use crate::{nearest, read};

/// The fields not yet taken, with their place.
pub(super) struct JsonRecord {
    place: Place,
    fields: Map<String, Value>,
}

impl JsonRecord {
    /// Parses the object on a line.
    pub(super) fn parse(place: Place, line: &str) -> Result<Self, DatasetError> {
        let UniqueFields(fields) = read::json(&place, line)?;
        Ok(Self { place, fields })
    }

    /// Returns an object inside the field `field` of the record at `place`.
    pub(super) fn inside(
        place: &Place,
        field: &'static str,
        value: Value,
    ) -> Result<Self, DatasetError> {
        match value {
            Value::Object(fields) => Ok(Self { place: place.clone(), fields }),
            _ => Err(DatasetError::Field {
                place: place.clone(),
                field,
                expected: "a list of objects",
            }),
        }
    }

    /// Returns its place.
    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// Adds the record's id to later errors.
    pub(super) fn identify(&mut self, id: &Id) {
        self.place = self.place.of(&id.0);
    }

    /// Returns an error for each key that is not `known`, except those that begin with `_`.
    pub(super) fn unknown_keys(&self, known: &[&'static str]) -> Vec<DatasetError> {
        let unknown = self
            .fields
            .keys()
            .filter(|key| !key.starts_with('_') && !known.contains(&key.as_str()));
        unknown.map(|key| self.unknown(key, known)).collect()
    }

    /// Fails on a key that resembles one of `known` if that one is missing.
    pub(super) fn refuse_misspelt(&self, known: &[&'static str]) -> Result<(), DatasetError> {
        let absent: Vec<&'static str> =
            known.iter().copied().filter(|name| !self.fields.contains_key(*name)).collect();
        let others = self
            .fields
            .keys()
            .filter(|key| !key.starts_with('_') && !known.contains(&key.as_str()));
        match others.into_iter().find(|key| nearest::word(key, absent.iter().copied()).is_some()) {
            None => Ok(()),
            Some(key) => Err(self.unknown(key, &absent)),
        }
    }

    fn unknown(&self, key: &str, known: &[&'static str]) -> DatasetError {
        let nearest = nearest::word(key, known.iter().copied());
        DatasetError::UnknownKey { place: self.place.clone(), key: key.into(), nearest }
    }

    /// Takes the field with one of `names`; null counts as missing.
    pub(super) fn take<T: DeserializeOwned>(
        &mut self,
        names: &[&'static str],
        expected: &'static str,
    ) -> Result<Option<T>, DatasetError> {
        let mut taken = None;
        for &name in names {
            match self.fields.remove(name) {
                None | Some(Value::Null) => {}
                Some(_) if taken.is_some() => {
                    return Err(self.wrong(name, "given under one of its names only"));
                }
                Some(value) => {
                    taken = Some(
                        serde_json::from_value(value).map_err(|_| self.wrong(name, expected))?,
                    );
                }
            }
        }
        Ok(taken)
    }

    /// Takes a required field.
    pub(super) fn need<T: DeserializeOwned>(
        &mut self,
        names: &[&'static str],
        expected: &'static str,
    ) -> Result<T, DatasetError> {
        self.take(names, expected)?.ok_or_else(|| self.wrong(names[0], expected))
    }

    /// Returns the error for a field of this record.
    pub(super) fn wrong(&self, field: &'static str, expected: &'static str) -> DatasetError {
        DatasetError::Field { place: self.place.clone(), field, expected }
    }

    /// Returns the fields that were not taken.
    pub(super) fn rest(self) -> BTreeMap<String, Value> {
        self.fields.into_iter().collect()
    }
}

/// An object with unique keys: of two equal ones, one would be lost silently.
struct UniqueFields(Map<String, Value>);

impl<'de> Deserialize<'de> for UniqueFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(UniqueFieldsVisitor)
    }
}

struct UniqueFieldsVisitor;

impl<'de> Visitor<'de> for UniqueFieldsVisitor {
    type Value = UniqueFields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UniqueFields, A::Error> {
        let mut fields = Map::new();
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            if fields.contains_key(&key) {
                return Err(A::Error::custom(format_args!("duplicate key `{key}`")));
            }
            fields.insert(key, value);
        }
        Ok(UniqueFields(fields))
    }
}

/// An id as written: a non-empty string, or a whole number.
pub(super) struct Id(pub(super) String);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = Id;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id: a string that is not empty, or a whole number")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Id, E> {
        if text.trim().is_empty() { Err(E::custom("an empty id")) } else { Ok(Id(text.to_owned())) }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Id, E> {
        Ok(Id(number.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Id, E> {
        Ok(Id(number.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use ragtriage_core::hint::Hint;

    fn record(json: &str) -> JsonRecord {
        JsonRecord::parse(Place { line: Some(3), ..Place::file(Path::new("f")) }, json)
            .expect("an object")
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_nearest_and_an_underscore_excuses_it() {
        let unknown =
            record(r#"{"id": "1", "_note": 1, "anwsers": []}"#).unknown_keys(&["id", "answers"]);
        let [error] = &unknown[..] else { panic!("{unknown:?}") };
        assert_eq!(error.to_string(), "`f` line 3: unknown key `anwsers`");
        assert_eq!(error.hint().expect("a hint"), "did you mean `answers`?");
    }

    #[test]
    fn a_key_that_stands_twice_is_refused() {
        let place = Place::file(Path::new("f"));
        let error = JsonRecord::parse(place, r#"{"id": "1", "answers": ["a"], "answers": []}"#)
            .err()
            .expect("refused");
        assert!(error.to_string().ends_with("invalid JSON: duplicate key `answers`"), "{error}");
    }

    #[test]
    fn a_key_like_one_that_is_there_is_no_slip() {
        assert!(
            record(r#"{"text": "a", "test": 1, "url": 1}"#)
                .refuse_misspelt(&["text", "title"])
                .is_ok()
        );
        assert!(
            record(r#"{"text": "a", "titel": "b"}"#).refuse_misspelt(&["text", "title"]).is_err()
        );
    }

    #[test]
    fn a_field_goes_by_one_of_its_names_and_must_have_its_type() {
        let mut both = record(r#"{"id": 7, "query_id": "8", "text": null}"#);
        let error = both.take::<Id>(&["id", "query_id"], "an id").err().expect("two names");
        assert_eq!(
            error.to_string(),
            "`f` line 3: `query_id` must be given under one of its names only"
        );
        assert_eq!(
            record(r#"{"_id": 7}"#).need::<Id>(&["id", "_id"], "an id").expect("a number").0,
            "7"
        );
        assert!(record(r#"{"text": null}"#).need::<String>(&["text"], "a string").is_err());
        let error = record(r#"{"id": " "}"#).need::<Id>(&["id"], "an id").err().expect("blank");
        assert_eq!(error.to_string(), "`f` line 3: `id` must be an id");
    }
}
