//! The answers of a record: to the question, and under other conditions.

use ragtriage_core::types::ArmName;
use serde_json::{Map, Value};

use super::failure::{self, RecordedError};
use super::fields::Fields;
use super::hit::{self, RecordedHit};
use super::names::{self, Names};
use super::usage::{self, RecordedUsage};
use crate::external::{Error, Position};

/// The recorded answers to a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RecordedAnswer {
    /// Answers are not recorded: retrieval only.
    #[default]
    Unsaid,
    /// One answer, or several repeats; never empty.
    Given(Vec<RecordedAttempt>),
}

impl RecordedAnswer {
    /// Returns the record of no answer.
    #[must_use]
    pub fn none() -> Self {
        Self::Given(vec![RecordedAttempt::default()])
    }
}

/// One answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedAttempt {
    /// Its text; `None`: there was none.
    pub text: Option<String>,
    /// Usage of the call.
    pub usage: RecordedUsage,
    /// The error of a failed call.
    pub error: Option<RecordedError>,
}

/// The answers under another condition to the question.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedArm {
    /// The condition.
    pub arm: ArmName,
    /// Its answer, or several repeats; never empty.
    pub attempts: Vec<RecordedAttempt>,
    /// The passages of its prompt.
    pub contexts: Vec<RecordedHit>,
}

/// Reads `answer` or `answers` with `usage`. Within `answer` and `answers` an error is the call's.
pub(super) fn answer(
    fields: &mut Fields<'_>,
    unread: &mut Vec<String>,
) -> Result<RecordedAnswer, Error> {
    if let Some((name, value)) = fields.take(names::ANSWERS) {
        if let Some((other, _)) = fields.take(names::ANSWER) {
            return Err(fields.wrong(other, "left out next to `answers`"));
        }
        let Value::Array(items) = value else {
            return Err(fields.wrong(name, REPEATS));
        };
        return attempts(fields, name, items, unread).map(RecordedAnswer::Given);
    }
    let usage = usage::usage(fields, unread)?;
    let text = match fields.take_one(names::ANSWER)? {
        None => return Ok(RecordedAnswer::Unsaid),
        Some((_, Value::Null)) => None,
        Some((_, Value::String(text))) => Some(text),
        Some((name, _)) => {
            return Err(fields.wrong(name, "a string, or null where there was no answer"));
        }
    };
    Ok(RecordedAnswer::Given(vec![RecordedAttempt { text, usage, error: None }]))
}

const REPEATS: &str = "a list of at least one answer";

fn attempts(
    fields: &Fields<'_>,
    name: &str,
    items: Vec<Value>,
    unread: &mut Vec<String>,
) -> Result<Vec<RecordedAttempt>, Error> {
    if items.is_empty() {
        return Err(fields.wrong(name, REPEATS));
    }
    let items = items.into_iter().enumerate();
    items
        .map(|(at, item)| {
            let place = fields.name(&format!("{name}[{at}]"));
            let given = match item {
                Value::Object(given) => given,
                text => Map::from_iter([("answer".to_owned(), text)]),
            };
            let mut given = Fields::new(fields.position, &place, given);
            let attempt = attempt(&mut given, unread)?;
            given.leave(unread);
            Ok(attempt)
        })
        .collect()
}

fn attempt(fields: &mut Fields<'_>, unread: &mut Vec<String>) -> Result<RecordedAttempt, Error> {
    let usage = usage::usage(fields, unread)?;
    let error = failure::error(fields, unread)?;
    let text = match fields.take(names::ANSWER) {
        Some((_, Value::String(text))) => Some(text),
        Some((_, Value::Null)) => None,
        None if error.is_some() => None,
        _ => return Err(fields.wrong("answer", "a string, or null where there was no answer")),
    };
    Ok(RecordedAttempt { text, usage, error })
}

const OF_ARM: Names = &["contexts"];

/// Reads the answers under other conditions, in the order of [`ArmName::ALL`].
pub(super) fn arms(
    fields: &mut Fields<'_>,
    unread: &mut Vec<String>,
) -> Result<Vec<RecordedArm>, Error> {
    let mut given = match fields.take(names::ARMS) {
        None | Some((_, Value::Null)) => return Ok(Vec::new()),
        Some((_, Value::Object(arms))) => arms,
        Some((name, _)) => return Err(fields.wrong(name, "an object of arms")),
    };
    let mut arms = Vec::new();
    let others = ArmName::ALL.iter();
    for &arm in others.filter(|arm| **arm != ArmName::Retrieved) {
        if let Some(value) = given.shift_remove(arm.name()) {
            let place = fields.name(&format!("arms.{arm}"));
            arms.push(self::arm(fields.position, arm, &place, value, unread)?);
        }
    }
    match given.into_iter().next() {
        None => Ok(arms),
        Some((arm, _)) => Err(fields.wrong(
            &format!("arms.{arm}"),
            "left out: there are `oracle`, `gold_in_noise`, `closed_book`",
        )),
    }
}

fn arm(
    position: &Position,
    arm: ArmName,
    place: &str,
    value: Value,
    unread: &mut Vec<String>,
) -> Result<RecordedArm, Error> {
    const EXPECTED: &str = "an answer, or an object with an `answer`";
    let wrong = || super::fields::wrong(position, place.to_owned(), EXPECTED);
    let given = match value {
        Value::Object(given) => given,
        text @ (Value::String(_) | Value::Null) => Map::from_iter([("answer".to_owned(), text)]),
        _ => return Err(wrong()),
    };
    let mut given = Fields::new(position, place, given);
    given.refuse_slips(&[OF_ARM], &[names::ANSWER, names::ANSWERS])?;
    let contexts = match given.take(OF_ARM) {
        None | Some((_, Value::Null)) => Vec::new(),
        Some((name, Value::Array(items))) => hit::hits(position, &given.name(name), items, unread)?,
        Some((name, _)) => return Err(given.wrong(name, "a list")),
    };
    let attempts = match given.take(names::ANSWERS) {
        Some((name, Value::Array(items))) => attempts(&given, name, items, unread)?,
        Some((name, _)) => return Err(given.wrong(name, REPEATS)),
        None => vec![attempt(&mut given, unread)?],
    };
    given.leave(unread);
    Ok(RecordedArm { arm, attempts, contexts })
}
