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
//! | `answer` | the answer; `null`: there was none. `answers`: a list of repeats |
//! | `usage` | tokens, cost, seconds and model of the answer |
//! | `arms` | `oracle`, `gold_in_noise`, `closed_book`: an answer, or `{answer, contexts?, usage?}` |
//! | `error` | the reason the question failed there; contexts and answer are then optional |
//!
//! A stage is a list of passages, an object `{role?, query?, hits, seconds?}`, or a list of such objects: several queries
//! of one stage. A passage is a text, or an object with `text`, `chunk_id`, or `doc_id` with `start` and `end`. A run that is
//! written as a record adds `configuration` and `gold`, which are read with the same configuration only.
//!
//! Other keys are ignored and counted, at every depth; a misspelled key is rejected, so that it loses no answer. The fields of
//! common frameworks are read under their own names, which `names.rs` lists.

mod answer;
mod failure;
mod fields;
mod hit;
mod names;
mod schema;
mod stage;
mod usage;
mod written;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

pub use self::answer::{RecordedAnswer, RecordedArm, RecordedAttempt};
pub use self::failure::RecordedError;
use self::fields::Fields;
pub use self::hit::RecordedHit;
pub use self::stage::{CONTEXTS, RecordedExactSearch, RecordedStage, Role};
pub use self::usage::RecordedUsage;
pub use self::written::write;
use super::input::Input;
use super::unique::UniqueFields;
use super::{Error, Position};
use ragtriage_core::types::{Gold, Step};

/// One question as an external RAG answered it.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Its position, for errors.
    pub position: Position,
    /// The question's id.
    pub id: Option<String>,
    /// The question's text.
    pub question: Option<String>,
    /// Retrievers first, then reorderings, then what was packed; any of them may be missing. `contexts` are what was packed,
    /// or the last reordering: see [`CONTEXTS`].
    pub stages: Vec<RecordedStage>,
    /// The answer.
    pub answer: RecordedAnswer,
    /// The prompt, which decides what was packed.
    pub prompt: Option<String>,
    /// Answers of further arms, in the order of `ArmName::ALL`.
    pub arms: Vec<RecordedArm>,
    /// The error with which it failed there.
    pub error: Option<RecordedError>,
    /// Digest of the configuration of the run that was written as this record.
    pub configuration: Option<String>,
    /// The gold evidence in the chunks of that run.
    pub gold: Option<RecordedGold>,
    /// Ignored keys.
    pub unread: Vec<String>,
}

/// Gold evidence in the chunks of a run of ours.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedGold {
    /// The evidence.
    pub located: Gold,
    /// The chunks that it names.
    pub passages: Vec<RecordedHit>,
}

impl Recorded {
    /// Returns the stage of the packed passages.
    #[must_use]
    pub fn packed(&self) -> Option<&RecordedStage> {
        self.stages.iter().find(|stage| stage.role() == Role::Packed)
    }

    /// Returns the last ranking before packing, which `prompt` is compared with where packed passages are not recorded.
    #[must_use]
    pub fn offered(&self) -> Option<&RecordedStage> {
        let mut stages = self.stages.iter().rev();
        stages.find(|stage| stage.role() != Role::Packed)
    }
}

impl Recorded {
    /// Returns the passages of all stages and arms.
    pub(super) fn hits_mut(&mut self) -> impl Iterator<Item = &mut RecordedHit> {
        let of_stages = self.stages.iter_mut().flat_map(|stage| {
            let exact = stage.exact_search.iter_mut();
            let exact = exact.flat_map(|exact| &mut exact.hits);
            stage.hits.iter_mut().flatten().chain(exact)
        });
        let of_arms = self.arms.iter_mut().flat_map(|arm| &mut arm.contexts);
        of_stages.chain(of_arms)
    }
}

/// Reads a record: a JSON object on each non-blank line.
///
/// # Errors
/// The first line that is not a valid object or lacks a required key.
pub fn read(input: &Input) -> Result<Vec<Recorded>, Error> {
    let lines = input.text().lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line): (usize, &str)| {
            let position = input.line(number + 1);
            let recorded = object(&position, line)?;
            if recorded.id.is_none() && recorded.question.is_none() {
                let expected = "a string, or there must be an `id`";
                return Err(fields::wrong(&position, "question".to_owned(), expected));
            }
            Ok(recorded)
        })
        .collect()
}

/// Reads the object at `position`.
///
/// # Errors
/// What is not a record. The question's id may be missing.
pub fn object(position: &Position, text: &str) -> Result<Recorded, Error> {
    of_fields(position, parsed(position, text)?)
}

/// Reads the fields of an object at `position`.
pub(super) fn of_fields(position: &Position, given: Map<String, Value>) -> Result<Recorded, Error> {
    let mut fields = Fields::new(position, "", given);
    fields.refuse_slips(&names::LONG, &[names::ANSWERS, names::USAGE, names::LABELS])?;
    let mut unread = Vec::new();
    let id = fields.id(names::ID)?;
    let question = question(&mut fields)?;
    let error = failure::error(&mut fields, &mut unread)?;
    let contexts = contexts(&mut fields, error.is_some(), &mut unread)?;
    let mut stages = stage::stages(&mut fields, &mut unread)?;
    let answer = answer::answer(&mut fields, &mut unread)?;
    let prompt = fields.text(names::PROMPT)?;
    let arms = answer::arms(&mut fields, &mut unread)?;
    let configuration = fields.text(names::CONFIGURATION)?;
    let gold = gold(&mut fields, &mut unread)?;
    if let Some(contexts) = contexts {
        add_contexts(position, &mut stages, contexts, prompt.is_some())?;
    }
    fields.leave(&mut unread);
    unread.sort_unstable();
    unread.dedup();
    Ok(Recorded {
        position: position.clone(),
        id,
        question,
        stages,
        answer,
        prompt,
        arms,
        error,
        configuration,
        gold,
        unread,
    })
}

fn parsed(position: &Position, text: &str) -> Result<Map<String, Value>, Error> {
    let UniqueFields(given) =
        serde_json::from_str(text).map_err(|error| Error::json(position, &error))?;
    Ok(given)
}

fn question(fields: &mut Fields<'_>) -> Result<Option<String>, Error> {
    match fields.take_one(names::QUESTION)? {
        None | Some((_, Value::Null)) => Ok(None),
        Some((_, Value::String(text))) => Ok(Some(text)),
        Some((name, _)) => Err(fields.wrong(name, "a string")),
    }
}

/// Reads `contexts`, which a record without stages needs, unless its question failed.
fn contexts(
    fields: &mut Fields<'_>,
    has_failed: bool,
    unread: &mut Vec<String>,
) -> Result<Option<Vec<RecordedHit>>, Error> {
    match fields.take_one(names::CONTEXTS)? {
        None | Some((_, Value::Null)) if has_failed || fields.has(names::STAGES) => Ok(None),
        Some((name, Value::Array(items))) => {
            hit::hits(fields.position, name, items, unread).map(Some)
        }
        _ => Err(fields.wrong(
            "contexts",
            "a list of texts, or of objects with a `text`, unless there are `stages`",
        )),
    }
}

/// Adds `contexts` to the stages: what was packed, unless a prompt or a stage tells that.
fn add_contexts(
    position: &Position,
    stages: &mut Vec<RecordedStage>,
    contexts: Vec<RecordedHit>,
    has_prompt: bool,
) -> Result<(), Error> {
    if stages.iter().any(|stage| stage.name == CONTEXTS) {
        let expected = "left out next to a stage of that name";
        return Err(fields::wrong(position, CONTEXTS.to_owned(), expected));
    }
    let packed = stages.iter().position(|stage| stage.role() == Role::Packed);
    let step = match (packed, has_prompt) {
        (None, false) => Step::Packed,
        _ => Step::Ordered,
    };
    let at = packed.unwrap_or(stages.len());
    stages.insert(at, RecordedStage::new(CONTEXTS, step, contexts));
    Ok(())
}

fn gold(fields: &mut Fields<'_>, unread: &mut Vec<String>) -> Result<Option<RecordedGold>, Error> {
    const EXPECTED: &str = "as a run writes it, or left out";
    let Some((name, value)) = fields.take(names::GOLD) else {
        return Ok(None);
    };
    // Evaluation files have gold answers or documents under this name: labels, which come from the data set.
    let Value::Object(mut given) = value else {
        unread.push(name.to_owned());
        return Ok(None);
    };
    let (Some(located), Some(Value::Array(passages))) =
        (given.shift_remove("located"), given.shift_remove("passages"))
    else {
        unread.push(name.to_owned());
        return Ok(None);
    };
    let located = serde_json::from_value(located).map_err(|_| fields.wrong(name, EXPECTED))?;
    let passages = hit::hits(fields.position, "gold.passages", passages, unread)?;
    Ok(Some(RecordedGold { located, passages }))
}
