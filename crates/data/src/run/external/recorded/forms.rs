//! Brings a record to its canonical form: every field under its own name, and an object where a text or a list may be given.

use serde_json::{Map, Value, json};

use crate::error::{Error, Place};
use crate::fields::{Fields, is_list_of_passages};
use crate::pointer::escaped;
use crate::rows::{self, python};

type Object = Map<String, Value>;

const PASSAGE: &str = "a text, an object with one as `text`, or a `doc_id` with `start` and `end`";
/// Fields of a row whose misspellings are rejected: those long enough to be distinctive.
const LONG: [&str; 6] = ["question", "contexts", "answer", "prompt", "stages", "error"];
/// Fields of a passage whose misspellings are rejected.
const LONG_OF_HIT: [&str; 3] = ["doc_id", "title", "text"];
const HIT: [&str; 9] =
    ["text", "id", "doc_id", "start", "end", "title", "score", "tokens", "parts"];
const USAGE: [&str; 6] =
    ["prompt_tokens", "completion_tokens", "cost_usd", "seconds", "model", "finish_reason"];
/// Length of a key from which two characters may be wrong.
const LONG_KEY: usize = 8;

/// The forms of one record.
pub(super) struct Forms<'p> {
    position: &'p Place,
    fields: &'p Fields,
    /// Keys that are not read because of their form.
    pub unread: Vec<String>,
    /// The place of each stage, as it was given: `stages.bm25`, `stages[3]`.
    pub stages: Vec<String>,
    /// True if the stages were given as a list, whose order says something.
    pub is_list: bool,
}

impl<'p> Forms<'p> {
    pub(super) fn new(position: &'p Place, fields: &'p Fields) -> Self {
        Self { position, fields, unread: Vec::new(), stages: Vec::new(), is_list: false }
    }

    pub(super) fn record(&mut self, fields: &mut Object) -> Result<(), Error> {
        self.refuse_slips("", "row", &LONG, fields)?;
        for name in ["question", "answer"] {
            let is_given = |(key, value): &(&String, &Value)| {
                self.fields.is_named(name, key) && value.as_str().is_some_and(|it| !it.is_empty())
            };
            let given: Vec<(&String, &Value)> = fields.iter().filter(is_given).collect();
            if let Some((other, _)) = given.iter().find(|(_, value)| *value != given[0].1) {
                let key = given[0].0;
                let message = format!("`{key}` and `{other}` differ, and either may be the {name}");
                let mut hint = format!("choose one: `--map {name}=/{}`", escaped(other));
                if name == "answer" {
                    hint =
                        format!("{hint}, and `--map reference=/{}` if that is gold", escaped(key));
                }
                return Err(Error::in_line(self.position, message, hint));
            }
        }
        let own = Value::Object(std::mem::take(fields));
        let ids = self.fields.find("row", "context_ids", &own);
        if let Value::Object(own) = own {
            *fields = own;
        }
        self.fields.rename("row", &["id", "question", "contexts", "answer", "prompt"], fields);
        if fields.get("prompt").is_some_and(|prompt| prompt.is_object() || prompt.is_array()) {
            fields.shift_remove("prompt");
            self.unread.push("prompt".to_owned());
        }
        // promptfoo's `error` is then the assertion that an answer failed.
        if fields.contains_key("gradingResult")
            && fields.get("answer").is_some_and(Value::is_string)
        {
            fields.shift_remove("error");
        }
        match (fields.get_mut("contexts"), ids) {
            (Some(contexts), ids) => *contexts = self.contexts(contexts.take(), ids)?,
            // Documents by their ids alone.
            (None, Some(Value::Array(ids))) => {
                let hits: Vec<Value> = ids.iter().map(|id| json!({ "doc_id": id })).collect();
                fields.insert("contexts".to_owned(), Value::Array(hits));
            }
            (None, _) => {}
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
                self.refuse_slips(&format!("{place}."), "row", &["contexts"], condition)?;
                self.fields.rename("row", &["answer", "contexts"], condition);
                self.passages(&format!("{place}.contexts"), condition, "contexts")?;
                self.call(&format!("{place}."), condition)?;
            }
        }
        Ok(())
    }

    /// Brings answers, usage and error of a call to their forms. `place`: of the call, with a final dot.
    fn call(&self, place: &str, fields: &mut Object) -> Result<(), Error> {
        let usage = fields.get_mut("usage");
        if let Some(usage) = self.object(&format!("{place}usage"), usage, "an object of counts")? {
            self.fields.rename("usage", &USAGE, usage);
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
    ) -> Result<Option<&'v mut Object>, Error> {
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
            Ok(Value::Object(stage))
        });
        *stages = Value::Array(list.collect::<Result<_, Error>>()?);
        self.stages = places;
        Ok(())
    }

    fn by_name(&mut self, given: Object) -> Result<Vec<Object>, Error> {
        let mut list = Vec::new();
        for (name, value) in given {
            let place = format!("stages.{name}");
            let mut add = |place: String, mut stage: Object| {
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

    fn listed(&mut self, items: Vec<Value>) -> Result<Vec<Object>, Error> {
        self.is_list = true;
        let items = items.into_iter().enumerate();
        items
            .map(|(at, item)| {
                let place = format!("stages[{at}]");
                if let Value::Object(mut stage) = item {
                    self.fields.rename("stage", &["name"], &mut stage);
                    if stage.get("name").is_some_and(Value::is_string) {
                        self.stages.push(place);
                        return Ok(stage);
                    }
                }
                Err(self.wrong(&place, "an object with a `name` and `hits`"))
            })
            .collect()
    }

    fn ranking(&self, place: &str, fields: &mut Object) -> Result<(), Error> {
        self.fields.rename("stage", &["hits", "seconds"], fields);
        self.passages(&format!("{place}.hits"), fields, "hits")
    }

    fn passages(&self, place: &str, fields: &mut Object, key: &str) -> Result<(), Error> {
        let Some(Value::Array(items)) = fields.get_mut(key) else { return Ok(()) };
        let printed = |item: &Value| item.as_str().and_then(|text| python::documents(text.trim()));
        *items = std::mem::take(items)
            .into_iter()
            .flat_map(|item| printed(&item).unwrap_or_else(|| vec![item]))
            .collect();
        for (at, item) in items.iter_mut().enumerate() {
            self.passage(&format!("{place}[{at}]"), item)?;
        }
        Ok(())
    }

    /// Returns the list of passages in `contexts`: of a text, a store's response, or parallel columns.
    fn contexts(&self, contexts: Value, ids: Option<Value>) -> Result<Value, Error> {
        let mut items = match contexts {
            Value::Array(items) => items,
            Value::Object(fields) => self.response(fields)?,
            text @ Value::String(_) => vec![text],
            // Refused where its type is.
            other => return Ok(other),
        };
        // Of one query, where a store takes several.
        if let [Value::Array(inner)] = items.as_mut_slice()
            && !inner.get(1).is_some_and(Value::is_number)
        {
            items = std::mem::take(inner);
        }
        let Some(Value::Array(mut ids)) = ids else { return Ok(Value::Array(items)) };
        if let [Value::Array(inner)] = ids.as_mut_slice() {
            ids = std::mem::take(inner);
        }
        if ids.len() == items.len() {
            for (item, id) in items.iter_mut().zip(ids).filter(|(item, _)| item.is_string()) {
                *item = json!({ "text": item.take(), "doc_id": id });
            }
        }
        Ok(Value::Array(items))
    }

    /// Returns the passages in the whole response of a store.
    fn response(&self, mut fields: Object) -> Result<Vec<Value>, Error> {
        // Chroma: lists of texts, ids and metadata, each in a list by query.
        for column in fields.values_mut() {
            if let Value::Array(outer) = column
                && let [Value::Array(inner)] = outer.as_mut_slice()
            {
                *column = Value::Array(std::mem::take(inner));
            }
        }
        let texts = self.fields.names("hit", "text").filter_map(|name| fields.get(name));
        let is_columns =
            texts.filter_map(Value::as_array).any(|it| it.iter().all(Value::is_string));
        if is_columns {
            let rows = rows::columns(self.position, fields)?;
            return Ok(rows.into_iter().map(Value::Object).collect());
        }
        let keys = rows::keys(&fields);
        // One list under any key, or passages by their ids.
        let lists: Vec<&Value> = fields.values().filter(|it| is_list_of_passages(it)).collect();
        let only = match lists.as_slice() {
            [one] => Some((*one).clone()),
            _ if !fields.is_empty() && fields.values().all(Value::is_object) => {
                Some(fields.values().cloned().collect())
            }
            _ => None,
        };
        if let Some(Value::Array(items)) =
            self.fields.find("stage", "hits", &Value::Object(fields)).or(only)
        {
            return Ok(items);
        }
        let message = format!("`contexts` must be a list of passages; {keys}");
        let hint = "name the list, for instance `--map contexts=/KEY/KEY`";
        Err(Error::in_line(self.position, message, hint))
    }

    fn passage(&self, place: &str, item: &mut Value) -> Result<(), Error> {
        let (mut fields, score) = match item.take() {
            Value::Object(fields) => (fields, None),
            // A document or text with its score.
            Value::Array(pair) => match <[Value; 2]>::try_from(pair) {
                Ok([Value::Object(fields), score @ Value::Number(_)]) => (fields, Some(score)),
                Ok([text @ Value::String(_), score @ Value::Number(_)]) => {
                    (Map::from_iter([("text".to_owned(), text)]), Some(score))
                }
                _ => return Err(self.wrong(place, PASSAGE)),
            },
            text => (Map::from_iter([("text".to_owned(), text)]), None),
        };
        self.refuse_slips(&format!("{place}."), "hit", &LONG_OF_HIT, &fields)?;
        let keys = rows::keys(&fields);
        let is_foreign = fields.keys().any(|key| !self.fields.is_known("hit", key));
        self.fields.rename("hit", &HIT, &mut fields);
        let id = fields.shift_remove("id");
        if ["text", "doc_id"].iter().all(|name| fields.get(*name).is_none_or(Value::is_null)) {
            fields.extend(id.map(|id| ("doc_id".to_owned(), id)));
        }
        fields.retain(|key, _| !self.fields.names("hit", "about").any(|name| name == key));
        if fields.get("score").is_none_or(Value::is_null) {
            fields.extend(score.map(|score| ("score".to_owned(), score)));
        }
        let offset = |name: &str| fields.get(name).and_then(Value::as_u64);
        let is_range =
            offset("start").is_some_and(|start| offset("end").is_none_or(|end| start <= end));
        if !is_range && fields.contains_key("text") {
            // The text is located without them.
            fields.shift_remove("start");
            fields.shift_remove("end");
        } else if let (Some(start), Some(end)) = (offset("start"), offset("end"))
            && start > end
        {
            let expected = "given with `start`, and not before it";
            return Err(self.wrong(&format!("{place}.end"), expected));
        }
        let has = |name: &str| fields.get(name).is_some_and(|value| !value.is_null());
        let is_placed = has("doc_id") && (has("end") || !is_foreign);
        if !has("text") && !is_placed {
            let message = format!("`{place}` must be {PASSAGE}; {keys}");
            let hint = "name the key of its text: `--map text=/KEY`";
            return Err(Error::in_line(self.position, message, hint));
        }
        *item = Value::Object(fields);
        Ok(())
    }

    fn wrong(&self, field: &str, expected: &str) -> Error {
        Error::field(self.position, field, expected)
    }

    /// Rejects a key that is a misspelling of one of the fields `long` that is absent: one character, two of eight or more.
    fn refuse_slips(
        &self,
        place: &str,
        section: &str,
        long: &[&str],
        fields: &Object,
    ) -> Result<(), Error> {
        let is_known = |key: &str| {
            ["usage", "conditions"].contains(&key) || self.fields.is_known(section, key)
        };
        let is_named = |name: &str, key: &str| {
            key == name || self.fields.names(section, name).any(|known| known == key)
        };
        let absent: Vec<&&str> =
            long.iter().filter(|name| !fields.keys().any(|key| is_named(name, key))).collect();
        for key in fields.keys().filter(|key| !is_known(key) && !long.contains(&key.as_str())) {
            let allowed = if key.len() < LONG_KEY { 1 } else { 2 };
            // `promptId` is no slip.
            let is_near = |name: &&&&str| {
                let is_longer = key.strip_prefix(**name).is_some_and(|rest| rest.len() > 1);
                !is_longer && strsim::damerau_levenshtein(name, &key.to_lowercase()) <= allowed
            };
            if let Some(near) = absent.iter().find(is_near) {
                let message = format!("unknown key `{place}{key}`");
                let hint = format!("did you mean `{near}`?");
                return Err(Error::in_line(self.position, message, hint));
            }
        }
        Ok(())
    }
}

/// Returns true for `[{"query", "hits"}, ...]`: several queries of one stage.
fn is_list_of_rankings(items: &[Value]) -> bool {
    let is_ranking = |item: &Value| item.get("hits").is_some_and(Value::is_array);
    !items.is_empty() && items.iter().all(is_ranking)
}
