//! The error with which a question or a call failed in an external RAG.

use ragtriage_core::types::{ErrorKind, FailedPart};
use serde_json::Value;

use super::fields::Fields;
use super::names::{self, Names};
use crate::external::Error;

/// A recorded error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedError {
    /// The failed part, if it is recorded.
    pub part: Option<FailedPart>,
    /// Its cause; permanent, unless recorded otherwise.
    pub kind: ErrorKind,
    /// The message.
    pub message: String,
}

const PART: Names = &["part"];
const KIND: Names = &["kind"];
const MESSAGE: Names = &["message"];

/// Reads an error: a text, or `{message, part?, kind?}`; adds the names of the keys that are not read to `unread`.
pub(super) fn error(
    fields: &mut Fields<'_>,
    unread: &mut Vec<String>,
) -> Result<Option<RecordedError>, Error> {
    match fields.take(names::ERROR) {
        None | Some((_, Value::Null)) => Ok(None),
        Some((_, Value::String(message))) if !message.trim().is_empty() => Ok(Some(RecordedError {
            part: None,
            kind: ErrorKind::Permanent,
            message,
        })),
        Some((name, Value::Object(given))) => {
            let mut given = Fields::new(fields.position, &fields.name(name), given);
            let message = given.text(MESSAGE)?;
            let Some(message) = message.filter(|message| !message.trim().is_empty()) else {
                return Err(given.wrong("message", "a text that is not blank"));
            };
            let part = given.text(PART)?;
            let kind = given.text(KIND)?;
            let error = RecordedError {
                part: part.and_then(|name| FailedPart::named(&name)),
                kind: kind
                    .and_then(|name| ErrorKind::named(&name))
                    .unwrap_or(ErrorKind::Permanent),
                message,
            };
            given.leave(unread);
            Ok(Some(error))
        }
        Some((name, _)) => Err(fields.wrong(
            name,
            "a text that is not blank, or an object with one as `message`; null where nothing failed",
        )),
    }
}
