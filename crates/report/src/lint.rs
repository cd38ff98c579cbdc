//! Lint findings as data: figures of the data set, then the findings by rule, worst first.

use crate::document::{Element, Fact, Notice, Report};
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::text::sanitize::shortened;
use ragtriage_core::types::DocId;
use ragtriage_data::dataset::lint::finding::Finding;
use ragtriage_data::dataset::lint::{Figures, Lint};

/// Most findings shown of a rule; the others say nothing new about it.
const SHOWN: usize = 8;
/// Most characters of a file's or document's name.
const NAME: usize = 40;

/// Builds the report.
#[must_use]
pub fn report(lint: &Lint) -> Report {
    let mut report = Report::new(format!("ragtriage: lint of {}", lint.dataset));
    report.elements.push(Element::Verdict(total(lint)));
    report.facts(figures(&lint.figures));
    report.warnings(&lint.notes);
    for findings in lint.findings.chunk_by(|a, b| a.rule == b.rule) {
        of_rule(findings, &mut report);
    }
    report
}

fn total(lint: &Lint) -> String {
    match (lint.errors, lint.warnings) {
        (0, 0) => "No errors, no warnings.".to_owned(),
        (errors, warnings) => format!(
            "{}, {}.",
            plural(errors, "error", "errors"),
            plural(warnings, "warning", "warnings")
        ),
    }
}

fn figures(figures: &Figures) -> Vec<Fact> {
    let Figures { documents, questions } = figures;
    vec![
        Fact::new("documents", thousands(*documents)),
        Fact::new("questions", thousands(*questions)),
    ]
}

/// Appends the findings of one rule. Equal hints in a row are given once.
fn of_rule(findings: &[Finding], report: &mut Report) {
    let rule = findings[0].rule;
    report.heading(format!(
        "{}: {rule} ({}), {}",
        rule.severity().name(),
        thousands(findings.len()),
        rule.explanation()
    ));
    let mut previous = None;
    let notices = findings.iter().take(SHOWN).map(|finding| {
        let is_new = previous.replace(&finding.hint) != Some(&finding.hint);
        Notice {
            severity: rule.severity(),
            text: format!("{}{}", location(finding), finding.message),
            hint: is_new.then(|| finding.hint.clone()),
        }
    });
    report.elements.push(Element::Notices(notices.collect()));
    if findings.len() > SHOWN {
        report.list(vec![format!(
            "and {} more; the JSON output lists all",
            thousands(findings.len() - SHOWN)
        )]);
    }
}

/// Formats `questions.jsonl:12 q12: ` as far as it is known; of a document, the line is its own.
fn location(finding: &Finding) -> String {
    let line = finding.line.map_or(String::new(), |line| format!(":{line}"));
    let file = finding.file.as_deref().map(|file| file.rsplit('/').next().unwrap_or(file));
    let document = finding.document.as_ref().filter(|_| !line.is_empty()).map(DocId::as_str);
    let source = file.or(document).map(|name| shortened(name, NAME) + &line);
    let question = finding.question.as_ref().map(|id| shortened(id.as_str(), NAME));
    let parts: Vec<String> = source.into_iter().chain(question).collect();
    if parts.is_empty() { String::new() } else { parts.join(" ") + ": " }
}
