//! An audit as data: the sheet for reading, and what the corrections change.

use crate::answer_audit;
use crate::document::{Element, Fact, Report, Table};
use ragtriage_core::text::numbers::{percent, percents};
use ragtriage_core::types::FailureClass;
use ragtriage_eval::audit::{Audit, SheetLine};

/// Builds the sheet for reading. Corrections go into the JSON lines.
#[must_use]
pub fn sheet(lines: &[SheetLine]) -> Report {
    let mut report = Report::new("ragtriage: audit sheet");
    for line in lines {
        report.heading(line.id.as_str());
        report.elements.push(Element::Paragraph(line.question.clone()));
        report.facts(facts(line));
        report.list(line.gold_text.clone());
        report.elements.push(Element::Paragraph("In the prompt:".to_owned()));
        let passages = line.passages.iter().zip(1..).map(|(passage, rank)| {
            let text = format!("{} ({}): {}", passage.title, passage.id, passage.text);
            Fact::new(rank.to_string(), text)
        });
        report.facts(passages.collect());
    }
    report
}

fn facts(line: &SheetLine) -> Vec<Fact> {
    let fault = line.fault.map_or(String::new(), |fault| format!(" ({fault})"));
    let class = format!("{}{fault}: {}", line.class.name(), line.rule);
    let mut facts = vec![Fact::new("class", class)];
    if !line.flags.is_empty() {
        let flags: Vec<&str> = line.flags.iter().map(|flag| flag.name()).collect();
        facts.push(Fact::new("flags", flags.join(", ")));
    }
    facts.push(Fact::new("gold", &*line.gold));
    facts.extend(line.answer.iter().map(|answer| Fact::new("answer", answer)));
    facts
}

/// Builds the report on an audit.
#[must_use]
pub fn report(audit: &Audit) -> Report {
    let mut report = Report::new(format!("ragtriage: audit of {}", audit.run));
    if let Some(answers) = &audit.answers {
        report.elements.push(Element::Verdict(answer_audit::verdict(answers)));
    }
    if audit.n_audited > 0 {
        report.elements.push(Element::Verdict(error_rate(audit)));
    }
    if let Some(answers) = &audit.answers {
        report.table(answer_audit::agreement(answers));
    }
    if audit.n_audited > 0 {
        report.table(confusion(audit));
    }
    report
}

fn error_rate(audit: &Audit) -> String {
    let ci95 = audit.wrong.ci95.map_or(String::new(), |ci| format!(", 95% CI {}", percents(ci)));
    format!(
        "{} of {} sampled questions were audited, and {} had the wrong class: error rate {}{ci95}.",
        audit.n_audited,
        audit.n_sampled,
        audit.wrong.count,
        percent(audit.wrong.share)
    )
}

fn confusion(audit: &Audit) -> Table {
    let cells = &audit.confusion;
    let correct: Vec<FailureClass> = FailureClass::ALL
        .iter()
        .copied()
        .filter(|class| cells.iter().any(|cell| cell.correct == *class))
        .collect();
    let columns: Vec<&str> =
        ["printed as"].into_iter().chain(correct.iter().map(|class| class.name())).collect();
    let mut table = Table::new("Printed class (rows) by correct class (columns)", &columns);
    for printed in FailureClass::ALL.iter().copied() {
        if cells.iter().any(|cell| cell.printed == printed) {
            let counts = correct.iter().map(|correct| {
                let cell =
                    cells.iter().find(|cell| (cell.printed, cell.correct) == (printed, *correct));
                cell.map_or(0, |cell| cell.count).to_string()
            });
            table.row([printed.name().to_owned()].into_iter().chain(counts));
        }
    }
    table
}
