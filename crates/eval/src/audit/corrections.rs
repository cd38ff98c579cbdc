//! Reads the judgments and corrections that a person entered in an audit sheet.

use std::collections::HashMap;

use super::sheet::SheetLine;
use crate::Error;
use ragtriage_core::types::{FailureClass, QuestionId};
use ragtriage_data::run::SavedRun;
use ragtriage_data::run::external::input::Input;

/// The entry that confirms the printed class.
const CONFIRMED: &str = "ok";

/// An audited question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuditedQuestion {
    /// Its index among the run's traces.
    pub at: usize,
    /// The correct class according to the auditor; `None` if not audited.
    pub correct: Option<FailureClass>,
    /// The auditor's judgment of the answer; `None` if not audited.
    pub is_correct: Option<bool>,
}

/// A completed audit sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct Corrections {
    /// Lines of the sheet.
    pub n_lines: usize,
    /// The audited questions, in the sheet's order.
    pub judged: Vec<AuditedQuestion>,
}

/// Reads a sheet of `run`. Lines with neither `answer_is` nor `correct_class` were not audited; blank lines are skipped.
///
/// # Errors
/// A line that is not of this run's sheet, an unknown entry, or a sheet without any.
pub fn read(input: &Input, run: &SavedRun) -> Result<Corrections, Error> {
    let place: HashMap<&QuestionId, usize> =
        run.traces.iter().enumerate().map(|(at, trace)| (&trace.question.id, at)).collect();
    let mut first: HashMap<QuestionId, usize> = HashMap::new();
    let mut judged = Vec::new();
    let run = format!("`{}` of {}", run.manifest.name, run.manifest.started);
    let lines = input.text().lines().enumerate();
    for (number, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
        let position = input.position(text);
        let error =
            |message: String, hint: &str| Error::new(format!("{position}: {message}"), hint);
        let line: SheetLine = serde_json::from_str(text).map_err(|reason| {
            let hint = "an audit sheet is JSON Lines: edit `answer_is`, `correct_class` and `note` only, or draw it again with \
                        `--audit`";
            error(format!("not a line of an audit sheet: {reason}"), hint)
        })?;
        let found = format!("`{}` of {}", line.run, line.started);
        if found != run {
            let message = format!("drawn from run {found}, not from {run}");
            return Err(error(message, "give the run that the sheet was drawn from"));
        }
        let edit = "edit `answer_is`, `correct_class` and `note` only; lines may be removed";
        let Some(&at) = place.get(&line.id) else {
            return Err(error(format!("the run has no question `{}`", line.id), edit));
        };
        if let Some(first) = first.insert(line.id.clone(), number + 1) {
            let message =
                format!("duplicate question `{}` (first defined on line {first})", line.id);
            return Err(error(message, edit));
        }
        let question = AuditedQuestion {
            at,
            correct: correct(&line).map_err(|found| {
                let hint = format!("write `ok` or one of {}, or leave it empty", class_names());
                error(format!("unknown failure class `{found}` in `correct_class`"), &hint)
            })?,
            is_correct: is_correct(&line).map_err(|found| {
                let hint = "write `correct` or `wrong`, or leave it empty";
                error(format!("unknown judgment `{found}` in `answer_is`"), hint)
            })?,
        };
        if question.correct.is_some() || question.is_correct.is_some() {
            judged.push(question);
        }
    }
    if judged.is_empty() {
        let hint = format!(
            "write `correct` or `wrong` in `answer_is`, and in `correct_class` `ok` where the class is correct, else one of {}",
            class_names()
        );
        let message = format!("`{}`: no line has `answer_is` or `correct_class`", input.name());
        return Err(Error::new(message, hint));
    }
    Ok(Corrections { n_lines: first.len(), judged })
}

fn class_names() -> String {
    FailureClass::ALL.iter().map(|class| class.name()).collect::<Vec<_>>().join(", ")
}

/// Returns the class entered in `line`; `None` if the field is empty. `Err`: the entry is not a
/// failure class.
fn correct(line: &SheetLine) -> Result<Option<FailureClass>, String> {
    match line.correct_class.trim() {
        "" => Ok(None),
        CONFIRMED => Ok(Some(line.class)),
        name => FailureClass::ALL
            .iter()
            .copied()
            .find(|class| class.name() == name)
            .map(Some)
            .ok_or_else(|| name.to_owned()),
    }
}

/// Returns the judgment entered in `line`; `None` if the field is empty. `Err`: the entry is neither `correct` nor `wrong`.
fn is_correct(line: &SheetLine) -> Result<Option<bool>, String> {
    match line.answer_is.as_deref().unwrap_or_default().trim() {
        "" => Ok(None),
        "correct" => Ok(Some(true)),
        "wrong" => Ok(Some(false)),
        other => Err(other.to_owned()),
    }
}
