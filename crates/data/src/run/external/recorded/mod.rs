//! The record of one question by an external RAG: a JSON object, on a line of a file or from a
//! service.
//!
//! | key | holds |
//! |---|---|
//! | `id` | the question's id, a string or a whole number |
//! | `question` | its text; one of the two is needed |
//! | `contexts` | the passages of the prompt, in its order; with `prompt` or a stage `packed`, those offered to it |
//! | `stages` | the rankings of retrievers, their reorderings, and what was packed, by name |
//! | `prompt` | the whole prompt: the contexts that it contains were packed |
//! | `answer` | the answer; `null`: there was none |
//! | `usage` | tokens, cost, seconds and model of the answer |
//! | `conditions` | `oracle`, `gold_with_distractors`, `closed_book`: an answer, or `{answer, contexts?, usage?}` |
//! | `error` | the reason the question failed there; contexts and answer are then optional |
//!
//! A stage is a list of passages, an object `{role?, query?, hits, seconds?}`, or a list of such objects: several queries
//! of one stage. A passage is a text, or an object with `text`, or `doc_id` with `start` and `end`.
//!
//! Other keys are ignored and counted, at every depth; a misspelled key is rejected, so that it loses no answer. The fields of
//! common tools are read where `fields.toml` says. `forms.rs` brings a record to its canonical form, which `line.rs` reads.

mod forms;
mod line;
mod stage;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use ragtriage_core::types::{Condition, Step};
use serde_json::{Map, Value};

use self::forms::Forms;
use self::line::{ConditionLine, Conditions, RecordLine};
pub(super) use self::line::{MOST, count, finish_named, id};
pub use self::line::{RecordedAttempt, RecordedError, RecordedHit, RecordedUsage};
pub(super) use self::stage::step_named;
pub use self::stage::{CONTEXTS, RecordedStage, StageRole};
use super::input::Input;
use super::join::duplicate_question;
use super::unique::UniqueFields;
use crate::error::{Error, Place};
use crate::fields::Fields;
use crate::rows;
use crate::unread::Suggestion;

/// One question as an external RAG answered it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// Its position, for errors.
    pub position: Place,
    /// The question's id.
    pub id: Option<String>,
    /// The question's text.
    pub question: Option<String>,
    /// Retrievers first, then reorderings, then what was packed; any of them may be missing. `contexts` are what was packed,
    /// or the last reordering: see [`CONTEXTS`].
    pub stages: Vec<RecordedStage>,
    /// The answer; `None` if answers are not recorded: retrieval only.
    pub answer: Option<RecordedAttempt>,
    /// The prompt, which decides what was packed.
    pub prompt: Option<String>,
    /// Answers of further conditions, in the order of `Condition::ALL`.
    pub conditions: Vec<RecordedCondition>,
    /// The error with which it failed there.
    pub error: Option<RecordedError>,
    /// Ignored keys.
    pub unread: Vec<String>,
    /// The options that would read some of them.
    pub suggested: Vec<Suggestion>,
}

/// The answer to the question under another condition.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedCondition {
    /// The condition.
    pub condition: Condition,
    /// Its answer.
    pub answer: RecordedAttempt,
    /// The passages of its prompt.
    pub contexts: Vec<RecordedHit>,
}

impl Recorded {
    /// Returns true if `next` is the next passage of this record, in a file with a row for each: of the same question with the same answer
    /// or none. `texts`: those of this record's passages, if another followed it before.
    fn goes_on_in(&self, next: &Self, texts: &mut HashSet<Option<String>>) -> bool {
        fn text(it: &Recorded) -> Option<&String> {
            it.answer.as_ref()?.text.as_ref()
        }
        let [own, others] = [self, next].map(|it| match it.stages.as_slice() {
            [stage] if stage.name == CONTEXTS && it.conditions.is_empty() => stage.hits.as_deref(),
            _ => None,
        });
        let is_same = (&self.id, &self.question) == (&next.id, &next.question)
            && text(next).is_none_or(|answer| text(self) == Some(answer));
        let (true, Some(own), Some([one])) = (is_same, own, others) else { return false };
        if texts.is_empty() {
            texts.extend(own.iter().map(|hit| hit.text.clone()));
        }
        texts.insert(one.text.clone()) || !own.contains(one)
    }

    /// Returns the stage of the packed passages.
    #[must_use]
    pub fn packed(&self) -> Option<&RecordedStage> {
        self.stages.iter().find(|stage| stage.role() == StageRole::Packed)
    }

    /// Returns the last ranking before packing, which `prompt` is compared with where packed passages are not recorded.
    #[must_use]
    pub fn offered(&self) -> Option<&RecordedStage> {
        let mut stages = self.stages.iter().rev();
        stages.find(|stage| stage.role() != StageRole::Packed)
    }
}

/// Reads the records of a file: the rows of any of its forms (`rows`), with their fields where `fields` says.
///
/// # Errors
/// The first row that is not valid or lacks a required key.
pub fn read(input: &Input, fields: &Fields) -> Result<Vec<Recorded>, Error> {
    let mut all: Vec<Recorded> = Vec::new();
    let (mut has_reference, mut n_gold) = (false, 0);
    let (mut texts, mut questions) = (HashSet::new(), HashSet::new());
    rows::each(input, fields, |place, row| {
        let row = Value::Object(row);
        has_reference |= fields.has("row", "reference", &row);
        n_gold += usize::from(fields.is_at("row", "contexts", "/context", &row));
        let Value::Object(row) = row else { unreachable!("an object") };
        let recorded = of_fields(place, row, fields, true)?;
        if let Some(last) = all.last_mut().filter(|last| last.goes_on_in(&recorded, &mut texts)) {
            let added = recorded.stages.into_iter().filter_map(|stage| stage.hits).flatten();
            last.stages[0].hits.get_or_insert_default().extend(added);
            return Ok(());
        }
        if !questions.insert((recorded.id.clone(), recorded.question.clone())) {
            let id = recorded.id.or(recorded.question).unwrap_or_default();
            return Err(duplicate_question(place, &id));
        }
        texts.clear();
        all.push(recorded);
        Ok(())
    })?;
    let is_context_alone = |it: &Recorded| {
        it.answer.is_none() && it.prompt.is_none() && it.stages.len() < 2 && it.error.is_none()
    };
    if has_reference && n_gold > 0 && n_gold >= all.len() && all.iter().all(is_context_alone) {
        let message = "a test set, not results: reference answers with a `context`, and no answer";
        let hint = format!("{NO_RESULTS}; if `context` was retrieved: `--map contexts=/context`");
        return Err(Error::in_line(&all[0].position, message, hint));
    }
    Ok(all)
}

/// What helps where a file has no results.
const NO_RESULTS: &str = "a test set becomes labelled questions with `ragtriage dataset anchor FILE`, and answers alone are scored with `ragtriage score --predictions FILE --gold FILE`";

/// Reads the object at `position`. The question's id may be missing.
pub fn object(position: &Place, text: &str) -> Result<Recorded, Error> {
    of_fields(position, keys(position, text)?, Fields::standard(), false)
}

/// Returns the keys of the object at `position`, none twice.
pub fn keys(position: &Place, text: &str) -> Result<Map<String, Value>, Error> {
    let UniqueFields(given) =
        serde_json::from_str(text).map_err(|error| Error::json(position, &error))?;
    Ok(given)
}

/// Reads the fields of an object at `position`.
fn of_fields(
    position: &Place,
    given: Map<String, Value>,
    fields: &Fields,
    is_asked: bool,
) -> Result<Recorded, Error> {
    let keys = rows::keys(&given);
    let row = Value::Object(given);
    let names = ["answer", "contexts"];
    let suggested = if is_asked { fields.suggested(&row, names) } else { Vec::new() };
    let Value::Object(mut given) = row else { unreachable!("an object") };
    let mut forms = Forms::new(position, fields);
    forms.record(&mut given)?;
    let Forms { mut unread, stages: places, is_list, .. } = forms;
    let has_stages = given.contains_key("stages");
    let has = |name: &str| given.get(name).is_some_and(|value| !value.is_null());
    if is_asked && !has("id") && !has("question") {
        return Err(rows::no_question(position, &keys));
    }
    let RecordLine { id, question, contexts, stages, prompt, answer, usage, conditions, error } =
        line(position, given, &places, &mut unread)?;
    let mut stages = stage::stages(position, stages.unwrap_or_default(), (&places, is_list))?;
    match contexts {
        Some(contexts) => add_contexts(position, &mut stages, contexts, prompt.is_some())?,
        None if has_stages || error.is_some() => {}
        None => {
            let known = suggested.iter().find(|it| it.field == "contexts");
            let any = "`--map contexts=/KEY` (their documents: `--map context_ids=/KEY`)";
            let map = known.map_or_else(|| any.to_owned(), ToString::to_string);
            let hint = format!("name the passages that were retrieved with {map}; {NO_RESULTS}");
            let message = format!("neither `contexts` nor `stages`; {keys}");
            return Err(Error::in_line(position, message, hint));
        }
    }
    let usage = usage.unwrap_or_default();
    let answer = answer.map(|text| RecordedAttempt { text, usage, error: None });
    // Labels are the data set's, or were read from here as a test set.
    unread.retain(|key| !fields.is_known("row", key));
    unread.sort_unstable();
    unread.dedup();
    Ok(Recorded {
        position: position.clone(),
        id,
        question,
        stages,
        answer,
        prompt,
        conditions: self::conditions(position, conditions)?,
        error,
        unread,
        suggested,
    })
}

/// Reads the canonical form of a record; adds the places of the keys that are not read to `unread`.
fn line(
    position: &Place,
    fields: Map<String, Value>,
    stages: &[String],
    unread: &mut Vec<String>,
) -> Result<RecordLine, Error> {
    let mut track = serde_path_to_error::Track::new();
    let fields = serde_path_to_error::Deserializer::new(Value::Object(fields), &mut track);
    let read = serde_ignored::deserialize(fields, |path| {
        unread.push(without_positions(&placed(text_of(&path), stages)));
    });
    read.map_err(|error: serde_json::Error| {
        let path = placed(track.path().to_string(), stages);
        Error::in_line(position, format_args!("`{path}`: {error}"), Error::RECORD)
    })
}

fn text_of(path: &serde_ignored::Path<'_>) -> String {
    use serde_ignored::Path;
    match path {
        Path::Root => String::new(),
        Path::Seq { parent, index } => format!("{}[{index}]", text_of(parent)),
        Path::Map { parent: Path::Root, key } => key.clone(),
        Path::Map { parent, key } => format!("{}.{key}", text_of(parent)),
        Path::Some { parent }
        | Path::NewtypeStruct { parent }
        | Path::NewtypeVariant { parent } => text_of(parent),
    }
}

/// Returns a path with the place that a stage has in the record: `stages.bm25.k` for `stages[0].k`.
fn placed(path: String, stages: &[String]) -> String {
    let stage = path.strip_prefix("stages[").and_then(|rest| {
        let (at, rest) = rest.split_once(']')?;
        Some(format!("{}{rest}", stages.get(at.parse::<usize>().ok()?)?))
    });
    stage.unwrap_or(path)
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

/// Returns the answers under other conditions, in the order of [`Condition::ALL`].
fn conditions(
    position: &Place,
    conditions: Option<Conditions>,
) -> Result<Vec<RecordedCondition>, Error> {
    let Some(Conditions { oracle, gold_with_distractors, closed_book }) = conditions else {
        return Ok(Vec::new());
    };
    let lines = [
        (Condition::Oracle, oracle),
        (Condition::GoldWithDistractors, gold_with_distractors),
        (Condition::ClosedBook, closed_book),
    ];
    let lines = lines.into_iter().filter_map(|(condition, line)| Some((condition, line?)));
    lines
        .map(|(condition, ConditionLine { answer, usage, error, contexts })| {
            let place = format!("conditions.{condition}");
            let text = if error.is_some() { Some(answer.flatten()) } else { answer };
            let usage = usage.unwrap_or_default();
            let text = text.ok_or_else(|| {
                Error::field(position, &place, "an answer, or an object with an `answer`")
            })?;
            let answer = RecordedAttempt { text, usage, error };
            Ok(RecordedCondition { condition, answer, contexts: contexts.unwrap_or_default() })
        })
        .collect()
}

/// Adds `contexts` to the stages: what was packed, unless a prompt or a stage tells that.
fn add_contexts(
    position: &Place,
    stages: &mut Vec<RecordedStage>,
    contexts: Vec<RecordedHit>,
    has_prompt: bool,
) -> Result<(), Error> {
    if stages.iter().any(|stage| stage.name == CONTEXTS) {
        let expected = "left out next to a stage of that name";
        return Err(Error::field(position, CONTEXTS, expected));
    }
    let packed = stages.iter().position(|stage| stage.role() == StageRole::Packed);
    let step = match (packed, has_prompt) {
        (None, false) => Step::Packed,
        _ => Step::Ordered,
    };
    let at = packed.unwrap_or(stages.len());
    stages.insert(at, RecordedStage::new(CONTEXTS, step, contexts));
    Ok(())
}
