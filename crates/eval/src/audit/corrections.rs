//! Reads the judgments and corrections that a person entered in an audit sheet.

use std::collections::HashMap;

use super::error::AuditError;
use super::sheet::SheetLine;
use ragtriage_core::types::{FailureClass, QuestionId};
use ragtriage_runs::SavedRun;
use ragtriage_runs::external::input::Input;

/// The entry that confirms the printed class.
const CONFIRMED: &str = "ok";

/// An audited question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuditedQuestion {
    /// Its index among the run's traces.
    pub at: usize,
    /// The right class according to the auditor; `None` if not audited.
    pub correct: Option<FailureClass>,
    /// The auditor's judgment of the answer; `None` if not audited.
    pub is_right: Option<bool>,
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
/// Any [`AuditError`].
pub fn read(input: &Input, run: &SavedRun) -> Result<Corrections, AuditError> {
    let place: HashMap<&QuestionId, usize> =
        run.traces.iter().enumerate().map(|(at, trace)| (&trace.question.id, at)).collect();
    let mut first: HashMap<QuestionId, usize> = HashMap::new();
    let mut judged = Vec::new();
    for (number, text) in
        input.text().lines().enumerate().filter(|(_, text)| !text.trim().is_empty())
    {
        let position = input.position(text);
        let line: SheetLine = serde_json::from_str(text).map_err(|error| {
            AuditError::Malformed { position: position.clone(), reason: error.to_string() }
        })?;
        let found = format!("`{}` of {}", line.run, line.started);
        let run = format!("`{}` of {}", run.manifest.name, run.manifest.started);
        if found != run {
            return Err(AuditError::OtherRun { position, found, run });
        }
        let Some(&at) = place.get(&line.id) else {
            let id = line.id;
            return Err(AuditError::UnknownQuestion { position, id });
        };
        if let Some(first) = first.insert(line.id.clone(), number + 1) {
            return Err(AuditError::Twice { position, id: line.id, first });
        }
        let question = AuditedQuestion {
            at,
            correct: correct(&line)
                .map_err(|found| AuditError::UnknownClass { position: position.clone(), found })?,
            is_right: is_right(&line)
                .map_err(|found| AuditError::UnknownJudgment { position, found })?,
        };
        if question.correct.is_some() || question.is_right.is_some() {
            judged.push(question);
        }
    }
    if judged.is_empty() {
        return Err(AuditError::NothingFilledIn { file: input.name().to_owned() });
    }
    Ok(Corrections { n_lines: first.len(), judged })
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

/// Returns the judgment entered in `line`; `None` if the field is empty. `Err`: the entry is neither `right` nor `wrong`.
fn is_right(line: &SheetLine) -> Result<Option<bool>, String> {
    match line.answer_is.as_deref().unwrap_or_default().trim() {
        "" => Ok(None),
        "right" => Ok(Some(true)),
        "wrong" => Ok(Some(false)),
        other => Err(other.to_owned()),
    }
}
