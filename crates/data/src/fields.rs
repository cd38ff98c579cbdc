//! The fields of files and responses of other systems, found by JSON Pointers: a table in `fields.toml`, and `--map`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::dataset::nearest;
use crate::error::{Error, Place};
use crate::pointer::Pointer;
use crate::rows::python;

/// A section of the table: the pointers of each field, by priority.
type Section = BTreeMap<String, Vec<Pointer>>;

/// Where fields are.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    sections: BTreeMap<String, Section>,
    /// The fields that every row must have: those of a row that the user mapped.
    mapped: Vec<String>,
    /// The fields that `dataset.fields` names, which some row or passage must have.
    named: Vec<(&'static str, String)>,
    /// The reference answer of a data set that says that there is none.
    no_answer: Option<String>,
    /// True if one of several gold passages of a data set suffices.
    any_suffices: bool,
}

static STANDARD: LazyLock<Fields> = LazyLock::new(|| {
    let sections: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        toml::from_str(include_str!("fields.toml")).expect("a table of pointers");
    let section = |fields: BTreeMap<String, Vec<String>>| -> Section {
        let parsed = |texts: Vec<String>| {
            texts.iter().map(|text| Pointer::parse(text).expect("a pointer")).collect()
        };
        fields.into_iter().map(|(field, texts)| (field, parsed(texts))).collect()
    };
    let sections = sections.into_iter().map(|(name, fields)| (name, section(fields)));
    Fields { sections: sections.collect(), ..Fields::default() }
});

impl Fields {
    /// Returns the fields of known tools.
    #[must_use]
    pub fn standard() -> &'static Self {
        &STANDARD
    }

    /// Returns the fields with those of `maps`, `NAME=POINTER`, which are at that place only.
    ///
    /// # Errors
    /// No such field, or not a pointer.
    pub fn mapped(maps: &[String]) -> Result<Self, Error> {
        let mut fields = Self::standard().clone();
        for map in maps {
            let (name, text) = map.split_once('=').unwrap_or((map, ""));
            let section = fields.set(name, text)?;
            if section == "row" {
                fields.mapped.push(name.to_owned());
            }
        }
        Ok(fields)
    }

    /// Returns the fields of a data set by `dataset.fields`: those of the `preset`, if any, then the pointers.
    ///
    /// # Errors
    /// No such preset or field, or not a pointer.
    pub(crate) fn of_dataset(settings: &BTreeMap<String, String>) -> Result<Self, Error> {
        let mut presets: BTreeMap<String, BTreeMap<String, String>> =
            toml::from_str(include_str!("presets.toml")).expect("tables of pointers");
        let mut of = BTreeMap::new();
        if let Some(name) = settings.get("preset") {
            let known = presets.keys().cloned().collect::<Vec<_>>().join(", ");
            of = presets.remove(name).ok_or_else(|| {
                let message = format!("`dataset.fields.preset`: no preset `{name}`");
                Error::new(message, format!("presets: {known}"))
            })?;
        }
        of.extend(settings.iter().map(|(name, text)| (name.clone(), text.clone())));
        of.remove("preset");
        let no_answer = of.remove("no_answer");
        let mut fields = Self { no_answer, ..Self::standard().clone() };
        match of.remove("needs").as_deref() {
            None | Some("all") => {}
            Some("any") => fields.any_suffices = true,
            Some(_) => {
                return Err(Error::new(
                    "`dataset.fields.needs` must be `all` or `any`",
                    "name one",
                ));
            }
        }
        for (name, text) in &of {
            let section = fields.set(name, text)?;
            if ["question", "documents", "gold"].contains(&name.as_str()) {
                fields.mapped.push(name.clone());
            } else if settings.contains_key(name) {
                fields.named.push((section, name.clone()));
            }
        }
        Ok(fields)
    }

    /// Sets the only place of a field, and returns its section.
    fn set(&mut self, name: &str, text: &str) -> Result<&'static str, Error> {
        let parsed = match text {
            "" => Err("must begin with `/`".to_owned()),
            text => Pointer::parse(text),
        };
        let pointer = parsed.map_err(|reason| {
            let hint =
                "for example `question=/inputs/question`, or `text=/payload/body` for a passage";
            Error::new(format!("field `{name}` = `{text}` {reason}"), hint)
        })?;
        let known = |section: &&str| self.sections[*section].contains_key(name);
        let Some(section) = ["row", "hit"].into_iter().find(known) else {
            let names = self.sections["row"].keys().chain(self.sections["hit"].keys());
            let hint = match nearest::word(name, names.clone().map(String::as_str)) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("fields: {}", names.cloned().collect::<Vec<_>>().join(", ")),
            };
            return Err(Error::new(format!("there is no field `{name}`"), hint));
        };
        let of_section = self.sections.get_mut(section).expect("known");
        of_section.insert(name.to_owned(), vec![pointer]);
        Ok(section)
    }

    /// Returns the fields, by section, that `dataset.fields` names.
    pub(crate) fn named(&self) -> &[(&'static str, String)] {
        &self.named
    }

    /// Returns true for reference answers of a data set that say that there is none.
    pub(crate) fn is_no_answer(&self, answers: &[String]) -> bool {
        answers.first().is_some_and(|answer| Some(answer) == self.no_answer.as_ref())
    }

    /// Returns true if one of several gold passages of a data set suffices.
    pub(crate) fn any_suffices(&self) -> bool {
        self.any_suffices
    }

    /// Returns where a field is looked for first.
    pub(crate) fn pointer<'a>(&'a self, section: &str, name: &'a str) -> &'a str {
        self.pointers(section, name).first().map_or(name, Pointer::text)
    }

    /// Returns the key of a field where it is looked for first.
    pub(crate) fn first(&self, section: &str, name: &str) -> Option<&str> {
        self.pointers(section, name).first().and_then(Pointer::first)
    }

    /// Returns an error if a row lacks a field that the user mapped.
    pub(crate) fn check(&self, place: &Place, row: &Map<String, Value>) -> Result<(), Error> {
        if self.mapped.is_empty() {
            return Ok(());
        }
        let row = Value::Object(row.clone());
        for name in &self.mapped {
            let pointer = &self.sections["row"][name][0];
            if let Some(miss) = pointer.find(&row).into_iter().find_map(Result::err) {
                let message = format!("nothing at `{name}` = `{}`: {miss}", pointer.text());
                return Err(Error::in_line(place, message, "correct the pointer"));
            }
        }
        Ok(())
    }

    /// Returns the value of a field in `object`: the first of its type, or null if there is none but null.
    pub(crate) fn find(&self, section: &str, name: &str, object: &Value) -> Option<Value> {
        self.found(section, name, object).map(|(_, value)| value)
    }

    fn found(&self, section: &str, name: &str, object: &Value) -> Option<(&Pointer, Value)> {
        let others = self.sections[section].get(&format!("{name}_else"));
        let pointers = self.pointers(section, name).iter().chain(others.into_iter().flatten());
        let mut found =
            pointers.filter_map(|it| Some((it, accepted(name, it, object)?))).peekable();
        let first = found.peek().cloned();
        found.find(|(_, value)| !value.is_null()).or(first)
    }

    /// Returns a question or answer of another type, which is then refused: it must not be lost.
    fn mistyped(&self, section: &str, name: &str, object: &Value) -> Option<(&Pointer, Value)> {
        let mut pointers = self.pointers(section, name).iter();
        let strict = ["question", "answer"].contains(&name);
        let pointer = pointers
            .find(|it| strict && it.len() == 1 && it.find(object).iter().any(Result::is_ok))?;
        Some((pointer, pointer.find(object).into_iter().find_map(Result::ok)?.clone()))
    }

    /// Returns true if a field of `object` is found at `pointer`.
    pub(crate) fn is_at(&self, section: &str, name: &str, pointer: &str, object: &Value) -> bool {
        self.found(section, name, object).is_some_and(|(found, _)| found.text() == pointer)
    }

    /// Returns true if a row has a field, whatever its value.
    pub(crate) fn has(&self, section: &str, name: &str, object: &Value) -> bool {
        let mut pointers = self.pointers(section, name).iter();
        pointers.any(|pointer| pointer.find(object).iter().any(Result::is_ok))
    }

    /// Moves the fields `names` of a section to their own names, and removes the objects that fields were searched in.
    pub(crate) fn rename(&self, section: &str, names: &[&str], object: &mut Map<String, Value>) {
        let own = Value::Object(std::mem::take(object));
        let found: Vec<(&str, &str, Value)> = names
            .iter()
            .filter_map(|name| {
                let found = self.found(section, name, &own);
                let (pointer, value) = found.or_else(|| self.mistyped(section, name, &own))?;
                Some((*name, pointer.first()?, value))
            })
            .collect();
        let Value::Object(own) = own else { unreachable!("an object") };
        *object = own;
        object.retain(|key, _| {
            let is_moved = found.iter().any(|(_, first, _)| is_same_key(first, key));
            !is_moved && !self.is_container(section, names, key)
        });
        object.extend(found.into_iter().map(|(name, _, value)| (name.to_owned(), value)));
    }

    /// Returns true if one of the fields `names` may be below this key.
    fn is_container(&self, section: &str, names: &[&str], key: &str) -> bool {
        let mut pointers = names.iter().flat_map(|name| self.pointers(section, name));
        pointers.any(|it| it.len() > 1 && it.first().is_some_and(|first| is_same_key(first, key)))
    }

    /// Returns true if a field of the section may be at or below this key.
    pub(crate) fn is_known(&self, section: &str, key: &str) -> bool {
        let mut pointers = self.sections[section].values().flatten();
        pointers.any(|it| it.first().is_some_and(|first| is_same_key(first, key)))
    }

    /// Returns the top-level names of a field.
    pub(crate) fn names(&self, section: &str, name: &str) -> impl Iterator<Item = &str> {
        let pointers = self.pointers(section, name).iter();
        pointers.filter(|pointer| pointer.len() == 1).filter_map(Pointer::first)
    }

    fn pointers(&self, section: &str, name: &str) -> &[Pointer] {
        self.sections[section].get(name).map_or(&[], Vec::as_slice)
    }
}

/// Returns what `pointer` finds in `object`, if it has the type of the field; of several texts all, one a line.
fn accepted(name: &str, pointer: &Pointer, object: &Value) -> Option<Value> {
    let found: Vec<&Value> = pointer.find(object).into_iter().collect::<Result<_, _>>().ok()?;
    let value = match found.as_slice() {
        [value] => (*value).clone(),
        [] => return None,
        values if is_list(name) => Value::Array(values.iter().map(|it| (*it).clone()).collect()),
        values => {
            let texts: Option<Vec<&str>> = values.iter().map(|value| value.as_str()).collect();
            Value::String(texts?.join("\n"))
        }
    };
    if value.is_null() {
        return Some(value);
    }
    match name {
        "text" | "question" | "title" => value.is_string().then_some(value),
        // A list of one, as AutoRAG writes it, is that one.
        "answer" => match value {
            Value::Array(items) if items.len() == 1 => items.into_iter().find(Value::is_string),
            Value::Object(_) | Value::Array(_) => None,
            Value::Number(number) => Some(Value::String(number.to_string())),
            value => Some(value),
        },
        "id" | "chunk_id" | "doc_id" | "doc" | "source" => {
            (value.is_string() || value.is_i64() || value.is_u64()).then_some(value)
        }
        // An offset of -1 or none is not known.
        "start" | "end" => value.is_u64().then_some(value),
        "hits" => value.is_array().then_some(value),
        name if is_list(name) => match value {
            Value::String(text) => Some(python::list(&text).unwrap_or(Value::String(text))),
            value => Some(value),
        },
        _ => Some(value),
    }
}

fn is_list(name: &str) -> bool {
    matches!(
        name,
        "contexts"
            | "context_ids"
            | "reference"
            | "sole_answer"
            | "aliases"
            | "reference_contexts"
            | "sole_contexts"
    )
}

/// Compares keys in any case, without marks and blanks.
pub(crate) fn is_same_key(one: &str, other: &str) -> bool {
    one == other || folded(one).next().is_some() && folded(one).eq(folded(other))
}

fn folded(key: &str) -> impl Iterator<Item = char> {
    key.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase)
}
