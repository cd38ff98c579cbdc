//! The fields of files and responses of other systems, found by JSON Pointers: a table in `fields.toml`, and `--map`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::dataset::nearest;
use crate::error::{Error, Place};
use crate::pointer::{self, Pointer};
use crate::rows::python;
use crate::unread::Suggestion;
use ragtriage_core::types::{Speaker, Turn};

/// A section of the table: the pointers of each field, by priority.
type Section = BTreeMap<String, Vec<Pointer>>;

/// Words, separated by blanks, by field or step.
type Words = BTreeMap<String, Vec<String>>;

/// Where fields are.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    sections: BTreeMap<String, Section>,
    /// Names of a row's fields that are two words, as [`folded`] leaves them.
    composed: BTreeMap<String, HashSet<String>>,
    /// Names of other systems for a stage, by the step.
    steps: Words,
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
    let mut sections: BTreeMap<String, Words> =
        toml::from_str(include_str!("fields.toml")).expect("a table of pointers");
    let composed = sections.remove("composed").expect("names of two words");
    let composed = composed.into_iter().map(|(field, words)| (field, composed_names(&words)));
    let steps = sections.remove("steps").expect("names of stages");
    let section = |fields: Words| -> Section {
        let parsed = |texts: Vec<String>| {
            texts.iter().map(|text| Pointer::parse(text).expect("a pointer")).collect()
        };
        fields.into_iter().map(|(field, texts)| (field, parsed(texts))).collect()
    };
    let sections = sections.into_iter().map(|(name, fields)| (name, section(fields)));
    let (sections, composed) = (sections.collect(), composed.collect());
    Fields { sections, composed, steps, ..Fields::default() }
});

/// Returns the names of two words, from sets of first and of last words, in turn: in either order, the last one also in the plural.
fn composed_names(words: &[String]) -> HashSet<String> {
    let of_sets = |sets: &[String]| {
        let pairs =
            sets[0].split(' ').flat_map(|first| sets[1].split(' ').map(move |it| (first, it)));
        let forms = |(first, last): (&str, &str)| {
            [
                format!("{first}{last}"),
                format!("{first}{last}s"),
                format!("{last}{first}"),
                format!("{last}s{first}"),
            ]
        };
        pairs.flat_map(forms).collect::<Vec<String>>()
    };
    words.chunks(2).flat_map(of_sets).collect()
}

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
        of_section.remove(&format!("{name}_else"));
        self.composed.remove(name);
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

    /// Returns the name of the step that a stage's name means.
    pub(crate) fn step(&self, stage: &str) -> Option<&str> {
        let means =
            |names: &Vec<String>| names.iter().flat_map(|it| it.split(' ')).any(|it| it == stage);
        self.steps.iter().find(|(_, names)| means(names)).map(|(step, _)| step.as_str())
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

    /// Reads the cells of a row that hold an object or a list as text, where a field is in one. An error if the row lacks a field that the
    /// user mapped, unless it failed.
    pub(crate) fn open(&self, place: &Place, row: &mut Map<String, Value>) -> Result<(), Error> {
        let mapped = || self.mapped.iter().map(|name| (name, &self.sections["row"][name][0]));
        let containers = self.pointers("row", "containers").iter();
        let opened = mapped().map(|(_, pointer)| pointer).chain(containers);
        let is_opened = |key: &str| {
            opened
                .clone()
                .any(|it| it.len() > 1 && it.first().is_some_and(|first| is_same_key(first, key)))
        };
        row.iter_mut().filter(|(key, _)| is_opened(key)).for_each(|(_, cell)| python::open(cell));
        if self.mapped.is_empty() || row.get("error").is_some_and(|error| !error.is_null()) {
            return Ok(());
        }
        let own = Value::Object(row.clone());
        for (name, pointer) in mapped() {
            if let Some(miss) = pointer.find(&own).into_iter().find_map(Result::err) {
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

    fn found(&self, section: &str, name: &str, object: &Value) -> Option<(Pointer, Value)> {
        let fields = object.as_object().filter(|_| section == "row");
        let keys = fields.into_iter().flat_map(Map::keys);
        let composed = keys.filter(|key| self.is_composed(name, key)).map(|key| Pointer::key(key));
        let own = self.pointers(section, name).iter().map(Cow::Borrowed);
        let own = own.chain(composed.map(Cow::Owned)).map(|it| (name, it));
        let name_else = format!("{name}_else");
        let others = self.pointers(section, &name_else).iter().map(Cow::Borrowed);
        let all = own.chain(others.map(|it| (name_else.as_str(), it)));
        let mut found =
            all.filter_map(|(name, it)| accepted(name, &it, object).map(|value| (it, value)));
        let mut null = None;
        let one = found.find_map(|(pointer, value)| match value {
            Value::Null => {
                null.get_or_insert((pointer, value));
                None
            }
            value => Some((pointer, value)),
        });
        one.or(null).map(|(pointer, value)| (pointer.into_owned(), value))
    }

    /// Returns the turns before `question` in its row. A chat may end with the question itself; its messages of other roles are left
    /// out.
    ///
    /// # Errors
    /// Anything but a list of messages, where the user named it.
    pub(crate) fn history(
        &self,
        place: &Place,
        row: &Value,
        question: &str,
    ) -> Result<Vec<Turn>, Error> {
        let found = match self.find("row", "history", row) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(Vec::new()),
            Some(found) => found,
        };
        let turns = found.as_array().and_then(|items| items.iter().map(turn).collect());
        let Some(turns): Option<Vec<Vec<Turn>>> = turns else {
            let named = self.named.iter().map(|(_, name)| name).chain(&self.mapped);
            if named.into_iter().all(|name| name != "history") {
                return Ok(Vec::new());
            }
            let hint = "each turn is an object such as `{\"role\": \"user\", \"text\": \"...\"}`";
            return Err(Error::in_line(place, "`history` must be a list of turns", hint));
        };
        let mut turns = turns.concat();
        // Not the reply either.
        let is_it = |it: &Turn| it.role == Speaker::User && it.text.trim() == question.trim();
        turns.truncate(turns.iter().rposition(is_it).unwrap_or(turns.len()));
        Ok(turns)
    }

    /// Returns true if a field of `object` is found at `pointer`.
    pub(crate) fn is_at(&self, section: &str, name: &str, pointer: &str, object: &Value) -> bool {
        self.found(section, name, object).is_some_and(|(found, _)| found.text() == pointer)
    }

    /// Returns true if a row has a field, whatever its value; passages are no reference answers.
    pub(crate) fn has(&self, section: &str, name: &str, object: &Value) -> bool {
        let is_there = |pointer: &Pointer| {
            let (found, _) = pointer.values(object);
            !(found.is_empty() || name == "reference" && found.into_iter().any(is_evidence))
        };
        self.pointers(section, name).iter().any(is_there)
            || self.found(section, name, object).is_some()
    }

    /// Returns true if a key is a name of a row's field.
    pub(crate) fn is_named(&self, name: &str, key: &str) -> bool {
        self.names("row", name).any(|known| is_same_key(known, key)) || self.is_composed(name, key)
    }

    fn is_composed(&self, name: &str, key: &str) -> bool {
        let names = self.composed.get(name);
        names.is_some_and(|names| names.contains(&folded(key).collect::<String>()))
    }

    /// Returns the options that would read keys of a row which are not read, by their names and the form of their values: an answer
    /// as the field `names[0]` and passages as `names[1]`, if the row lacks these.
    pub(crate) fn suggested(&self, row: &Value, names: [&'static str; 2]) -> Vec<Suggestion> {
        let lacks = || names.map(|name| self.find("row", name, row).is_none_or(|it| it.is_null()));
        let suggested = |(key, value): (&String, &Value)| {
            let lower = key.to_lowercase();
            let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
            let opened = value.as_str().and_then(python::list);
            let is_text = |text: &str| text.contains(char::is_whitespace);
            let is_passages = match opened.as_ref().unwrap_or(value) {
                Value::Array(items) => {
                    items.iter().any(|it| it.is_object() || it.as_str().is_some_and(is_text))
                }
                value => value.as_str().is_some_and(is_text),
            };
            let is_text =
                value.as_str().is_some_and(|text| text.parse::<f64>().is_err()) && opened.is_none();
            let is_answer = has(&["answer", "response", "output", "prediction", "truth"]);
            let is_passage = has(&["context", "passage", "chunk", "evidence", "document"]);
            let name = match lacks() {
                [_, true] if is_passage && is_passages => names[1],
                [true, _] if is_answer && (is_text || value.is_object()) => names[0],
                _ => return None,
            };
            let at = if value.is_object() { "/KEY" } else { "" };
            let pointer = format!("/{}{at}", pointer::escaped(key));
            Some(Suggestion { field: given_as(name), pointer })
        };
        let keys = row.as_object().into_iter().flatten();
        let unread = keys.filter(|(key, value)| {
            !self.is_known("row", key) && !value.is_object()
                || self.is_named(names[0], key) && value.is_object()
        });
        unread.filter_map(suggested).collect()
    }

    /// Moves the fields `names` of a section to their own names, and removes the objects that fields were searched in.
    pub(crate) fn rename(&self, section: &str, names: &[&str], object: &mut Map<String, Value>) {
        let own = Value::Object(std::mem::take(object));
        let found: Vec<(&str, String, Value)> = names
            .iter()
            .filter_map(|name| {
                let (pointer, value) = self.found(section, name, &own)?;
                Some((*name, pointer.first()?.to_owned(), value))
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
            || section == "row" && self.composed.keys().any(|name| self.is_composed(name, key))
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

/// Returns the name of a field in options and messages: that of one whose values are looked for in more places in some files.
pub(crate) fn given_as(field: &str) -> &str {
    match field {
        "sole_answer" => "reference",
        "sole_contexts" => "reference_contexts",
        field => field,
    }
}

/// Returns what `pointer` finds in `object`, if it has the type of the field; of several texts all, one a line.
fn accepted(name: &str, pointer: &Pointer, object: &Value) -> Option<Value> {
    let (found, is_whole) = pointer.values(object);
    let value = match found.as_slice() {
        [] => return None,
        _ if !is_whole => return None,
        // They would be several questions.
        [_, _, ..] if name == "question" => return None,
        [value] => (*value).clone(),
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
        "text" | "title" => value.is_string().then_some(value),
        "question" | "question_else" | "answer" | "prompt" => text_of(name, value),
        "reference" if is_evidence(&value) => None,
        "reference_contexts_else" if !is_evidence(&value) => None,
        "reference_else" => expected(&value),
        "doc" | "source" => {
            let listed = value.as_str().and_then(python::list).unwrap_or(value);
            let one = match listed {
                Value::Array(items) if items.len() == 1 => items.into_iter().next()?,
                value => value,
            };
            is_id(&one).then_some(one)
        }
        "id" | "doc_id" => is_id(&value).then_some(value),
        // An offset of -1 or none is not known.
        "start" | "end" => value.is_u64().then_some(value),
        "hits" => value.is_array().then_some(value),
        name if is_list(name) => {
            let mut value = value;
            python::open(&mut value);
            Some(value)
        }
        _ => Some(value),
    }
}

fn is_id(value: &Value) -> bool {
    value.is_string() || value.is_i64() || value.is_u64()
}

/// Returns the turn that a message of a chat is, none for one of neither user nor model and for one without words; `None` for another
/// value.
fn turn(message: &Value) -> Option<Vec<Turn>> {
    let of = |name: &str| Fields::standard().find("message", name, message);
    let (Value::String(role), Value::String(text)) = (of("role")?, of("text")?) else {
        return None;
    };
    let role = match role.to_lowercase().as_str() {
        role if USER.contains(&role) => Speaker::User,
        "system" | "developer" | "tool" => return Some(Vec::new()),
        _ => Speaker::Assistant,
    };
    let is_blank = text.trim().is_empty();
    Some(if is_blank { Vec::new() } else { vec![Turn { role, text }] })
}

/// Roles of the user's messages.
const USER: [&str; 3] = ["user", "human", "humanmessage"];

/// Returns the text that a value is or has: of an object, of a list of one, and of a chat the last message of the user or, for an
/// answer, of the model.
fn text_of(name: &str, value: Value) -> Option<Value> {
    let message = |value: &Value| Fields::standard().find("message", "text", value);
    let is_own = |item: &&Value| {
        let role = Fields::standard().find("message", "role", item);
        let is_user = |role: &str| USER.contains(&role.to_lowercase().as_str());
        role.as_ref().and_then(Value::as_str).is_some_and(|it| is_user(it) != (name == "answer"))
    };
    match value {
        Value::Object(_) => message(&value).filter(Value::is_string),
        Value::Array(items) if items.len() == 1 && name == "answer" => {
            let one = items.into_iter().next()?;
            if one.is_array() { None } else { text_of(name, one) }
        }
        Value::Array(items) if name == "prompt" => {
            let texts = items.iter().map(|it| Some(message(it)?.as_str()?.to_owned()));
            Some(Value::String(texts.collect::<Option<Vec<String>>>()?.join("\n")))
        }
        Value::Array(items) => text_of(name, message(items.iter().rev().find(is_own)?)?),
        Value::Number(number) if name == "answer" => Some(Value::String(number.to_string())),
        Value::String(_) => Some(value),
        _ => None,
    }
}

/// Returns true for a list of texts or objects that is not empty.
pub(crate) fn is_list_of_passages(value: &Value) -> bool {
    let items = value.as_array().filter(|items| !items.is_empty());
    items.is_some_and(|items| items.iter().all(|it| it.is_string() || it.is_object()))
}

/// Returns true for a list of passages that have a document or offsets.
fn is_evidence(value: &Value) -> bool {
    let opened = value.as_str().and_then(python::list);
    let is_passage = |item: &Value| {
        let has = |name: &str| Fields::standard().find("hit", name, item).is_some();
        item.is_object() && (has("text") && (has("start") || has("end")) || has("doc_id"))
    };
    let items = opened.as_ref().unwrap_or(value).as_array();
    items.is_some_and(|items| !items.is_empty() && items.iter().all(is_passage))
}

/// Returns the texts that assertions of promptfoo expect: `TYPE: TEXT`, a text without a type, or objects with both.
fn expected(assertions: &Value) -> Option<Value> {
    const EQUAL: [&str; 3] = ["equals", "contains", "icontains"];
    let plain = |text: &str| match text.split_once(':') {
        Some((kind, text)) if EQUAL.contains(&kind) => Some(text.trim().to_owned()),
        Some((kind, _)) if kind.starts_with(char::is_lowercase) && !kind.contains(' ') => None,
        None if text.starts_with("is-") || text.starts_with("contains-") => None,
        _ => Some(text.trim().to_owned()),
    };
    let one = |item: &Value| match item {
        Value::String(text) => plain(text),
        item if EQUAL.contains(&item.get("type")?.as_str()?) => plain(item.get("value")?.as_str()?),
        _ => None,
    };
    let items = assertions.as_array().map_or(std::slice::from_ref(assertions), Vec::as_slice);
    let texts: Vec<Value> = items.iter().filter_map(one).map(Value::String).collect();
    (!texts.is_empty()).then_some(Value::Array(texts))
}

fn is_list(name: &str) -> bool {
    matches!(
        name,
        "contexts"
            | "context_ids"
            | "reference"
            | "sole_answer"
            | "aliases"
            | "history"
            | "reference_contexts"
            | "reference_contexts_else"
            | "sole_contexts"
    )
}

/// Compares keys in any case, without marks and blanks; `__expected` of promptfoo is not `expected`.
pub(crate) fn is_same_key(one: &str, other: &str) -> bool {
    // Most keys differ in their first letter, which is quick to see.
    let letter = |key: &str| key.bytes().next().filter(u8::is_ascii_alphanumeric);
    let [one_letter, other_letter] = [one, other].map(letter);
    if one_letter.zip(other_letter).is_some_and(|(a, b)| !a.eq_ignore_ascii_case(&b)) {
        return false;
    }
    let is_alike = one.starts_with("__") == other.starts_with("__");
    one == other || is_alike && folded(one).next().is_some() && folded(one).eq(folded(other))
}

fn folded(key: &str) -> impl Iterator<Item = char> {
    key.chars().filter(|it| it.is_alphanumeric()).filter_map(|it| it.to_lowercase().next())
}
