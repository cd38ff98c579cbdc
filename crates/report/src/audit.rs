//! An audit in words: the sheet for reading, and what the corrections came to.

use std::fmt::Write as _;

use super::markdown::escape;
use super::section::Section;
use super::terminal::Page;
use ragtriage_core::types::FailureClass;
use ragtriage_eval::audit::{Audit, SheetLine};

/// The sheet as Markdown, for reading; what is filled in stands in the JSON lines.
#[must_use]
pub fn sheet(lines: &[SheetLine]) -> String {
    let mut out = "# ragtriage: audit sheet\n".to_owned();
    for line in lines {
        let _ = writeln!(
            out,
            "\n## {}\n\n{}\n",
            escape(line.id.as_str()),
            escape(&line.question)
        );
        let fault = line
            .fault
            .map_or(String::new(), |fault| format!(" ({fault})"));
        let _ = writeln!(
            out,
            "- class: **{}{fault}**: {}",
            escape(line.class.name()),
            escape(&line.rule)
        );
        if !line.flags.is_empty() {
            let flags: Vec<&str> = line.flags.iter().map(|flag| flag.name()).collect();
            let _ = writeln!(out, "- flags: {}", escape(&flags.join(", ")));
        }
        let _ = writeln!(out, "- gold: {}", escape(&line.gold));
        if let Some(answer) = &line.answer {
            let _ = writeln!(out, "- answer: {}", escape(answer));
        }
        for text in &line.gold_text {
            let _ = writeln!(out, "- {}", escape(text));
        }
        let _ = writeln!(out, "\nIn the prompt:\n");
        for (at, passage) in line.passages.iter().enumerate() {
            let (id, title, text) = (passage.id.as_str(), &passage.title, &passage.text);
            let _ = writeln!(
                out,
                "{}. {} ({}): {}",
                at + 1,
                escape(title),
                escape(id),
                escape(text)
            );
        }
    }
    out
}

/// The audit in a terminal; `color` turns on ANSI bold for headings.
#[must_use]
pub fn render(audit: &Audit, color: bool) -> String {
    let mut out = Page::new(color);
    out.heading(&format!("ragtriage: audit of {}", audit.run));
    out.wrapped("  ", &sentence(audit));
    out.section(&shares(audit));
    out.section(&confusion(audit));
    out.text
}

fn sentence(audit: &Audit) -> String {
    let Audit {
        n_audited,
        n_sampled,
        wrong,
        ..
    } = audit;
    let ci95 = wrong.ci95.map_or(String::new(), |ci| {
        format!(" [{:.1}, {:.1}]", 100.0 * ci.low, 100.0 * ci.high)
    });
    format!(
        "{n_audited} of {n_sampled} sampled questions were looked at, and {} had the wrong class: error rate {:.1} %{ci95}.",
        wrong.count,
        100.0 * wrong.share
    )
}

fn shares(audit: &Audit) -> Section {
    let n = audit.n_questions;
    let mut section = Section::new(
        format!("Classes of {n} questions"),
        &["", "printed", "corrected", "95 %"],
    );
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    section.rows = FailureClass::ALL
        .iter()
        .filter_map(|class| Some((class, audit.classes.get(class.name())?)))
        .map(|(class, share)| {
            let ci95 = share.ci95.map_or(String::new(), |ci| {
                format!("{:.1}-{:.1}", 100.0 * ci.low, 100.0 * ci.high)
            });
            vec![
                class.name().to_owned(),
                percent(share.printed),
                percent(share.corrected),
                ci95,
            ]
        })
        .collect();
    section.notes.push(
        "corrected: each printed class's share of all questions, divided as its audited questions were; intervals by the bootstrap"
            .to_owned(),
    );
    if !audit.not_audited.is_empty() {
        let names: Vec<&str> = audit.not_audited.iter().map(|class| class.name()).collect();
        section.notes.push(format!(
            "no question was looked at of {}: taken as printed",
            names.join(", ")
        ));
    }
    section
}

fn confusion(audit: &Audit) -> Section {
    let printed =
        |class: &&FailureClass| audit.confusion.iter().any(|cell| cell.printed == **class);
    let found: Vec<FailureClass> = FailureClass::ALL
        .iter()
        .copied()
        .filter(|class| audit.confusion.iter().any(|cell| cell.correct == *class))
        .collect();
    let head: Vec<&str> = ["printed as"]
        .into_iter()
        .chain(found.iter().map(|class| class.name()))
        .collect();
    let mut section = Section::new(
        "Printed class (down) by the one it should be (across)",
        &head,
    );
    let count = |printed: FailureClass, correct: FailureClass| {
        let cell = audit
            .confusion
            .iter()
            .find(|cell| (cell.printed, cell.correct) == (printed, correct));
        cell.map_or(0, |cell| cell.count).to_string()
    };
    section.rows = FailureClass::ALL
        .iter()
        .filter(printed)
        .map(|class| {
            [class.name().to_owned()]
                .into_iter()
                .chain(found.iter().map(|f| count(*class, *f)))
                .collect()
        })
        .collect();
    section
}
