//! The result of one check.

use serde::Serialize;

use crate::failure::Failure;

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It passed.
    Ok,
    /// A run will repair it by itself, or can do without.
    Note,
    /// A run will fail.
    Failed,
}

/// A subject with what was found, and what to do about it.
#[derive(Debug, Serialize)]
pub struct Check {
    pub status: Status,
    pub subject: &'static str,
    pub fact: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Check {
    /// Creates a check that passed if there is a fact, and failed otherwise.
    pub fn new(subject: &'static str, result: Result<String, Failure>) -> Self {
        match result {
            Ok(fact) => Self { status: Status::Ok, subject, fact, hint: None },
            Err(Failure { message, hint }) => {
                Self { status: Status::Failed, subject, fact: message, hint }
            }
        }
    }

    /// Creates a check of something that is missing and will not be missed.
    pub fn note(subject: &'static str, fact: impl Into<String>) -> Self {
        Self { status: Status::Note, subject, fact: fact.into(), hint: None }
    }
}
