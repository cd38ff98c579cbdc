//! What lint found, for people: what the data set is like, then the findings by rule, worst first.

use std::collections::BTreeMap;

use super::terminal::Page;
use ragtriage_core::text::numbers::{listed, plural, thousands};
use ragtriage_core::text::sanitize::shortened;
use ragtriage_datasets::lint::finding::Finding;
use ragtriage_datasets::lint::{Figures, Lint};

/// So many findings of a rule are shown: what comes after tells nothing new of the rule.
const SHOWN: usize = 8;
/// Columns of a place.
const PLACE: usize = 40;

/// The report; `color` turns on ANSI bold for headings.
#[must_use]
pub fn render(lint: &Lint, color: bool) -> String {
    let mut out = Page::new(color);
    out.heading(&format!("ragtriage: lint of {}", lint.dataset));
    for (label, text) in head(&lint.figures) {
        out.wrapped(&format!("{label:<12} "), &text);
    }
    for note in &lint.notes {
        out.wrapped("  ! ", note);
    }
    for findings in lint.findings.chunk_by(|a, b| a.rule == b.rule) {
        group(&mut out, findings);
    }
    out.heading(&total(lint));
    out.text
}

fn head(figures: &Figures) -> Vec<(&'static str, String)> {
    let Figures {
        documents,
        questions,
        kinds,
        tags,
        splits,
        coverage,
        overlap,
        truncated,
        pooled,
    } = figures;
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let counts = |counts: &BTreeMap<String, usize>| {
        let each: Vec<String> = counts
            .iter()
            .map(|(name, n)| format!("{} {name}", thousands(*n)))
            .collect();
        each.join(", ")
    };
    let covered = format!(
        "{} used by a question ({})",
        thousands(coverage.used),
        percent(coverage.share)
    );
    let mut head = vec![("documents", format!("{}, {covered}", thousands(*documents)))];
    let by_kind = if kinds.is_empty() {
        String::new()
    } else {
        format!(": {}", counts(kinds))
    };
    head.push(("questions", thousands(*questions) + &by_kind));
    if splits.len() > 1 || splits.keys().any(|part| part != "none") {
        head.push(("split", counts(splits)));
    }
    if !tags.is_empty() {
        head.push(("tags", counts(tags)));
    }
    if let Some(overlap) = overlap {
        let of = format!(
            "of a question's content words stand in the sentences of its evidence (mean, n {})",
            overlap.n
        );
        head.push(("wording", format!("{} {of}", percent(overlap.mean))));
    }
    for cut in truncated {
        let lost = percent(cut.tokens_lost as f64 / cut.tokens.max(1) as f64);
        let all = plural(cut.chunks, "chunk", "chunks");
        let said = format!(
            "{} of {all} cut, {lost} of all tokens",
            thousands(cut.chunks_cut)
        );
        head.push(("encoder", format!("`{}`: {said}", cut.retriever)));
    }
    if let Some(pooled) = pooled {
        let asked = plural(pooled.questions, "question", "questions");
        head.push((
            "pooled",
            format!(
                "the first {} of {} for {asked}",
                pooled.depth,
                listed(&pooled.retrievers)
            ),
        ));
    }
    head
}

/// The findings of one rule.
fn group(out: &mut Page, findings: &[Finding]) {
    let rule = findings[0].rule;
    out.heading(&format!(
        "{}: {rule} ({}), {}",
        rule.severity().name(),
        thousands(findings.len()),
        rule.explanation()
    ));
    for (at, finding) in findings.iter().take(SHOWN).enumerate() {
        out.wrapped("  ", &format!("{}{}", place(finding), finding.message));
        let is_new = at == 0 || findings[at - 1].hint != finding.hint;
        if is_new {
            out.wrapped("      ", &finding.hint);
        }
    }
    if findings.len() > SHOWN {
        out.line(&format!(
            "  ... and {} more: --json has all",
            thousands(findings.len() - SHOWN)
        ));
    }
}

/// `questions.jsonl:12 q12: `, as far as it is known; a document's place is its own line.
fn place(finding: &Finding) -> String {
    let line = finding
        .line
        .map_or(String::new(), |line| format!(":{line}"));
    let file = finding
        .file
        .as_deref()
        .map(|file| file.rsplit('/').next().unwrap_or(file));
    let where_from = match (file, &finding.document) {
        (Some(file), _) => format!("{}{line}", shortened(file, PLACE)),
        (None, Some(document)) if !line.is_empty() => {
            format!("{}{line}", shortened(document.as_str(), PLACE))
        }
        (None, _) => String::new(),
    };
    let question = finding
        .question
        .as_ref()
        .map_or(String::new(), |id| shortened(id.as_str(), PLACE));
    match (where_from.is_empty(), question.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!("{where_from}: "),
        (true, false) => format!("{question}: "),
        (false, false) => format!("{where_from} {question}: "),
    }
}

fn total(lint: &Lint) -> String {
    match (lint.errors, lint.warnings) {
        (0, 0) => "Nothing found.".to_owned(),
        (errors, warnings) => {
            format!(
                "{}, {}",
                plural(errors, "error", "errors"),
                plural(warnings, "warning", "warnings")
            )
        }
    }
}
