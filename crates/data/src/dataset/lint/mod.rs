//! Lint: errors and weaknesses of a data set, found before it is used for measurement.
//!
//! A check is a function from a `LintSubject` to findings; [`content`] runs all of them. Nothing here writes files or calls a service.

mod content;
mod duplicates;
pub mod finding;
mod subject;

use serde::Serialize;

use finding::{Finding, Severity};
use subject::LintSubject;

use crate::dataset::load::Inspection;

/// Raised whenever a field changes its meaning.
const SCHEMA: u32 = 1;

/// The findings and statistics of a data set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lint {
    /// The version of this layout.
    pub schema: u32,
    /// The data set, as named by the user.
    pub dataset: String,
    /// Findings of severity `error`.
    pub errors: usize,
    /// Findings of severity `warning`.
    pub warnings: usize,
    /// Statistics of the data set.
    pub figures: Figures,
    /// By rule, in the order of `Rule::ALL`, and for each rule in data order.
    pub findings: Vec<Finding>,
    /// Accepted irregularities, and checks that could not run.
    pub notes: Vec<String>,
}

/// Statistics of a data set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Documents.
    pub documents: usize,
    /// Questions.
    pub questions: usize,
}

/// Runs all checks. `dataset` is the user's name for it.
#[must_use]
pub fn content(dataset: String, inspection: &Inspection) -> Lint {
    let subject = LintSubject::new(inspection);
    let checks = [
        content::load_errors,
        content::answers_not_in_evidence,
        content::questions_without_evidence,
        content::empty_documents,
        duplicates::documents,
        duplicates::questions,
    ];
    let mut lint = Lint {
        schema: SCHEMA,
        dataset,
        errors: 0,
        warnings: 0,
        figures: Figures {
            documents: inspection.documents.len(),
            questions: inspection.questions.len(),
        },
        findings: Vec::new(),
        notes: inspection.notes.iter().map(ToString::to_string).collect(),
    };
    lint.add(checks.into_iter().flat_map(|check| check(&subject)));
    lint
}

impl Lint {
    /// Adds findings, in the order of [`finding::Rule::ALL`], and counts them by severity.
    pub fn add(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.findings.extend(findings);
        self.findings.sort_by_key(|finding| finding.rule);
        let all = self.findings.iter();
        self.errors = all.filter(|it| it.severity == Severity::Error).count();
        self.warnings = self.findings.len() - self.errors;
    }
}
