//! The report of a run as a [`Report`], for every format, and its first screen.

mod approximate;
mod configuration;
mod flow;
mod language;
mod losses;
mod lost;
mod metrics;
mod notices;
mod screen;
pub(crate) mod sections;
#[cfg(test)]
mod tests;
mod what_if;

use crate::audit::correct_answers;
use crate::document::{Element, Fact, Report};
use crate::judge;
use ragtriage_data::run::SavedRun;
use ragtriage_eval::summary::{Evaluation, Summary};

pub use screen::{COLUMNS, screen};

/// Lays out everything there is to report of a run.
#[must_use]
pub fn report(run: &SavedRun, evaluation: &Evaluation) -> Report {
    let summary = &evaluation.summary;
    let mut report = screen::head(run, summary, 2);
    report.notices(notices::others(run, summary));
    let (lost, n_lost) = lost::lost(run, evaluation);
    report.section(sections::QUESTIONS);
    report.heading(format!(
        "Lost questions ({} of {n_lost}, one of each class first; traces.jsonl has all)",
        lost.len()
    ));
    report.entries(lost);
    if let Some(effects) = what_if::table(&summary.what_if.alternatives) {
        report.section(sections::EFFECTS);
        report.table(effects);
    }
    report.section(sections::METRICS);
    report.facts(losses::classes(summary));
    let judged = summary.judge.as_ref().map(judge::table);
    let tables = [metrics::retrieval(summary), metrics::answers(summary)].into_iter();
    let by_answer = losses::two_by_two(&summary.two_by_two);
    for table in tables.chain([by_answer]).chain(metrics::conditions(summary)).chain(judged) {
        report.table(table);
    }
    for (at, table) in metrics::slices(run, summary).into_iter().enumerate() {
        if at == 0 {
            report.section(sections::DIAGNOSIS);
        }
        report.table(table);
    }
    report.section(sections::CONFIGURATION);
    report.facts(configuration::facts(run, summary));
    report.section(sections::TIME);
    report.elements.push(Element::Paragraph(timings(summary)));
    report.table(metrics::costs(&summary.costs));
    report
}

fn title(run: &SavedRun) -> String {
    format!("ragtriage: {}", run.manifest.name)
}

/// Returns the share of correct answers, corrected by an audit, and who decided on answers; empty without an audit and a judge.
fn correct(summary: &Summary) -> Vec<Fact> {
    let audited = summary.answer_audit.as_ref().and_then(correct_answers);
    audited.into_iter().chain(judge::decided(summary)).collect()
}

/// Lists the steps with their seconds in the order they happen; unlisted ones come last.
fn timings(summary: &Summary) -> String {
    const ORDER: [&str; 8] =
        ["load", "assemble", "chunk", "tfidf", "bm25", "embed", "qdrant", "questions"];
    let mut steps: Vec<_> = summary.seconds.iter().collect();
    steps.sort_by_key(|(step, _)| {
        let kind = step.split(' ').next();
        ORDER.iter().position(|known| Some(*known) == kind).unwrap_or(ORDER.len())
    });
    let steps = steps.iter().map(|(step, seconds)| format!("{step} {seconds:.2}"));
    steps.collect::<Vec<_>>().join(", ")
}
