//! Brings a record to its canonical form: every field under its own name, and an object where a text or a list may be given.

use serde_json::{Map, Value, json};

use super::line::id_of;
use super::names::{self, Names};
use crate::error::{Error, Place};

type Fields = Map<String, Value>;

const PASSAGE: &str = "a text that is not blank, or an object with one as `text`, a `chunk_id`, or a `doc_id` with \
                       `start` and `end`";

/// The forms of one record.
pub(super) struct Forms<'p> {
    position: &'p Place,
    /// Keys that are not read because of their form.
    pub unread: Vec<String>,
    /// The place of each stage, as it was given: `stages.bm25`, `stages[3]`.
    pub stages: Vec<String>,
}

impl<'p> Forms<'p> {
    pub(super) fn new(position: &'p Place) -> Self {
        Self { position, unread: Vec::new(), stages: Vec::new() }
    }

    pub(super) fn record(&mut self, fields: &mut Fields) -> Result<(), Error> {
        self.refuse_slips("", fields, &names::LONG, &names::OTHERS)?;
        for names in [names::QUESTION, names::CONTEXTS, names::ANSWER] {
            let mut given = names.iter().filter(|name| fields.contains_key(**name));
            if let (Some(_), Some(second)) = (given.next(), given.next()) {
                return Err(self.wrong(second, "given under one of its names only"));
            }
        }
        rename(fields, &names::RECORD);
        if fields.contains_key("answers") {
            if fields.contains_key("answer") {
                return Err(self.wrong("answer", "left out next to `answers`"));
            }
            if fields.shift_remove("usage").is_some() {
                self.unread.push("usage".to_owned());
            }
        }
        self.call("", fields)?;
        self.passages("contexts", fields, "contexts")?;
        self.stages(fields.get_mut("stages"))?;
        if let Some(conditions) =
            self.object("conditions", fields.get_mut("conditions"), "an object of conditions")?
        {
            for (name, condition) in conditions {
                let place = format!("conditions.{name}");
                if matches!(condition, Value::String(_) | Value::Null) {
                    *condition = json!({ "answer": condition.take() });
                }
                let expected = "an answer, or an object with an `answer`";
                let Some(condition) = self.object(&place, Some(condition), expected)? else {
                    continue;
                };
                let known = [names::ANSWER, names::ANSWERS];
                self.refuse_slips(&place, condition, &[&["contexts"]], &known)?;
                rename(condition, &[names::ANSWER]);
                self.passages(&format!("{place}.contexts"), condition, "contexts")?;
                self.call(&format!("{place}."), condition)?;
            }
        }
        // Evaluation files have gold answers or documents under this name: labels, which come from the data set.
        let is_ours = fields.get("gold").is_some_and(|gold| {
            gold.get("located").is_some() && gold.get("passages").is_some_and(Value::is_array)
        });
        if is_ours {
            if let Some(Value::Object(gold)) = fields.get_mut("gold") {
                self.passages("gold.passages", gold, "passages")?;
            }
        } else if fields.shift_remove("gold").is_some() {
            self.unread.push("gold".to_owned());
        }
        Ok(())
    }

    /// Brings answers, usage and error of a call to their forms. `place`: of the call, with a final dot.
    fn call(&self, place: &str, fields: &mut Fields) -> Result<(), Error> {
        let usage = fields.get_mut("usage");
        if let Some(usage) = self.object(&format!("{place}usage"), usage, "an object of counts")? {
            rename(usage, &names::USAGE_FIELDS);
        }
        if let Some(Value::Array(answers)) = fields.get_mut("answers") {
            for (at, answer) in answers.iter_mut().enumerate() {
                if !answer.is_object() {
                    *answer = json!({ "answer": answer.take() });
                }
                if let Value::Object(answer) = answer {
                    rename(answer, &[names::ANSWER]);
                    self.call(&format!("{place}answers[{at}]."), answer)?;
                    if answer.get("error").is_some_and(|error| !error.is_null()) {
                        answer.entry("answer").or_insert(Value::Null);
                    }
                }
            }
        }
        let Some(error) = fields.get_mut("error") else { return Ok(()) };
        if error.is_string() {
            *error = json!({ "message": error.take() });
        }
        let place = format!("{place}error");
        let expected = "a text that is not blank, or an object with one as `message`";
        let Some(error) = self.object(&place, Some(error), expected)? else { return Ok(()) };
        match error.get("message") {
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(()),
            _ => Err(self.wrong(&format!("{place}.message"), "a text that is not blank")),
        }
    }

    ///Returns an object; `None` if it is missing or null. A list is none, though serde would read one as a struct.
    #[expect(clippy::needless_pass_by_value, reason = "a borrow that ends here")]
    fn object<'v>(
        &self,
        place: &str,
        value: Option<&'v mut Value>,
        expected: &str,
    ) -> Result<Option<&'v mut Fields>, Error> {
        match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(fields)),
            Some(_) => Err(self.wrong(place, expected)),
        }
    }

    fn stages(&mut self, stages: Option<&mut Value>) -> Result<(), Error> {
        let Some(stages) = stages else { return Ok(()) };
        let list = match stages.take() {
            Value::Object(by_name) => self.by_name(by_name)?,
            Value::Array(items) => self.listed(items)?,
            Value::Null => return Ok(()),
            _ => {
                let expected = "an object of stages by name, or a list of them";
                return Err(self.wrong("stages", expected));
            }
        };
        let places = std::mem::take(&mut self.stages);
        let list = list.into_iter().zip(&places).map(|(mut stage, place)| {
            self.ranking(place, &mut stage)?;
            let place = format!("{place}.exact_search");
            let exact = stage.get_mut("exact_search");
            if let Some(exact) = self.object(&place, exact, "an object with `hits`")? {
                self.ranking(&place, exact)?;
            }
            Ok(Value::Object(stage))
        });
        *stages = Value::Array(list.collect::<Result<_, Error>>()?);
        self.stages = places;
        Ok(())
    }

    fn by_name(&mut self, given: Fields) -> Result<Vec<Fields>, Error> {
        let mut list = Vec::new();
        for (name, value) in given {
            let place = format!("stages.{name}");
            let mut add = |place: String, mut stage: Fields| {
                stage.insert("name".to_owned(), name.clone().into());
                list.push(stage);
                self.stages.push(place);
            };
            match value {
                Value::Array(items) if is_list_of_rankings(&items) => {
                    for (at, item) in items.into_iter().enumerate() {
                        if let Value::Object(item) = item {
                            add(format!("{place}[{at}]"), item);
                        }
                    }
                }
                hits @ Value::Array(_) => add(place, Map::from_iter([("hits".to_owned(), hits)])),
                Value::Object(stage) => add(place, stage),
                Value::Null => {}
                _ => {
                    let expected = "a list of passages, or an object with one as `hits`";
                    return Err(self.wrong(&place, expected));
                }
            }
        }
        Ok(list)
    }

    fn listed(&mut self, items: Vec<Value>) -> Result<Vec<Fields>, Error> {
        let items = items.into_iter().enumerate();
        items
            .map(|(at, item)| {
                let place = format!("stages[{at}]");
                if let Value::Object(mut stage) = item {
                    rename(&mut stage, &[names::NAME]);
                    if stage.get("name").is_some_and(Value::is_string) {
                        self.stages.push(place);
                        return Ok(stage);
                    }
                }
                Err(self.wrong(&place, "an object with a `name` and `hits`"))
            })
            .collect()
    }

    fn ranking(&self, place: &str, fields: &mut Fields) -> Result<(), Error> {
        rename(fields, &[names::HITS, names::SECONDS]);
        self.passages(&format!("{place}.hits"), fields, "hits")
    }

    fn passages(&self, place: &str, fields: &mut Fields, key: &str) -> Result<(), Error> {
        let Some(Value::Array(items)) = fields.get_mut(key) else { return Ok(()) };
        for (at, item) in items.iter_mut().enumerate() {
            self.passage(&format!("{place}[{at}]"), item)?;
        }
        Ok(())
    }

    fn passage(&self, place: &str, item: &mut Value) -> Result<(), Error> {
        let (mut fields, score) = match item.take() {
            Value::Object(fields) => (fields, None),
            // LangChain's documents with scores.
            Value::Array(pair) => match <[Value; 2]>::try_from(pair) {
                Ok([Value::Object(fields), score @ Value::Number(_)]) => (fields, Some(score)),
                _ => return Err(self.wrong(place, PASSAGE)),
            },
            text => (Map::from_iter([("text".to_owned(), text)]), None),
        };
        self.refuse_slips(place, &fields, &names::LONG_OF_HIT, &names::HIT)?;
        // A framework's `id` may be anything: it counts where it is an id.
        let own_id = fields.shift_remove("chunk_id").filter(|id| !id.is_null());
        rename(&mut fields, &names::HIT);
        match own_id {
            Some(id) => drop(fields.insert("chunk_id".to_owned(), id)),
            None if fields.get("chunk_id").and_then(id_of).is_none() => {
                fields.shift_remove("chunk_id");
            }
            None => {}
        }
        if fields.get("score").is_none_or(Value::is_null) {
            fields.extend(score.map(|score| ("score".to_owned(), score)));
        }
        let has = |name: &str| fields.get(name).is_some_and(|value| !value.is_null());
        let is_found = match fields.get("text") {
            None | Some(Value::Null) => {
                has("chunk_id") || ["doc_id", "start", "end"].into_iter().all(has)
            }
            Some(text) => text.as_str().is_some_and(|text| !text.trim().is_empty()),
        };
        if !is_found {
            return Err(self.wrong(place, PASSAGE));
        }
        let is_before = |end: u64| match fields.get("start") {
            None | Some(Value::Null) => true,
            Some(start) => start.as_u64().is_some_and(|start| start > end),
        };
        if fields.get("end").and_then(Value::as_u64).is_some_and(is_before) {
            let expected = "given with `start`, and not before it";
            return Err(self.wrong(&format!("{place}.end"), expected));
        }
        *item = Value::Object(fields);
        Ok(())
    }

    fn wrong(&self, field: &str, expected: &str) -> Error {
        Error::field(self.position, field, expected)
    }

    /// Rejects a key that is a misspelling of a field that is absent under all its names: one character of five, two of more.
    fn refuse_slips(
        &self,
        place: &str,
        fields: &Fields,
        long: &[Names],
        others: &[Names],
    ) -> Result<(), Error> {
        let is_known = |key: &str| {
            let mut all = long.iter().chain(others).copied().flatten();
            all.any(|name| name.split('.').next() == Some(key))
        };
        let is_absent = |names: &&Names| !names.iter().any(|name| fields.contains_key(*name));
        let absent: Vec<&str> = long.iter().filter(is_absent).copied().flatten().copied().collect();
        for key in fields.keys().filter(|key| !is_known(key)) {
            let distance = |name: &str| strsim::damerau_levenshtein(name, &key.to_lowercase());
            let nearest =
                absent.iter().find(|name| distance(name) <= if name.len() > 5 { 2 } else { 1 });
            if let Some(nearest) = nearest {
                let dot = if place.is_empty() { "" } else { "." };
                return Err(Error::in_line(
                    self.position,
                    format_args!("unknown key `{place}{dot}{key}`"),
                    format!("did you mean `{nearest}`?"),
                ));
            }
        }
        Ok(())
    }
}

/// Moves each field to the first of its names, from the first that is present, and drops free-form objects.
fn rename(fields: &mut Fields, all: &[Names]) {
    for names in all {
        let found = names.iter().find_map(|name| remove(fields, name));
        fields.extend(found.map(|value| (names[0].to_owned(), value)));
    }
    for name in names::FREE_FORM {
        fields.shift_remove(*name);
    }
}

/// Removes a field by its name or path.
fn remove(fields: &mut Fields, name: &str) -> Option<Value> {
    match name.split_once('.') {
        None => fields.shift_remove(name),
        Some((first, rest)) => remove(fields.get_mut(first)?.as_object_mut()?, rest),
    }
}

/// Returns true for `[{"query", "hits"}, ...]`: several queries of one stage.
fn is_list_of_rankings(items: &[Value]) -> bool {
    let is_ranking = |item: &Value| item.get("hits").is_some_and(Value::is_array);
    !items.is_empty() && items.iter().all(is_ranking)
}
