//! Tables of a run's losses: answers lost by failure class, retrieval by answer.

use std::collections::BTreeMap;

use crate::document::{Align, Fact, Table, TableCell};
use ragtriage_core::text::numbers::{of_count, plural, thousands, whole};
use ragtriage_core::types::{FailureClass, Step};
use ragtriage_data::run::SavedRun;
use ragtriage_eval::diagnose::{Cell, TwoByTwo};
use ragtriage_eval::summary::Summary;

/// The losses by failure class, the first table of a report; empty where nothing is lost and where no evidence can be tested.
pub(super) fn losses(run: &SavedRun, summary: &Summary) -> Table {
    let losses = &summary.losses;
    let lost = match (losses.correct, losses.is_estimated) {
        (None, _) => "questions lost",
        (_, false) => "answers lost, 95% CI",
        (_, true) => "answers lost, estimated",
    };
    let columns = ["failure class", "the evidence is", "still complete", lost];
    let mut table = Table::new("", &columns);
    table.columns[1].align = Align::Left;
    if losses.n_testable == 0 || !losses.has_losses() {
        return table;
    }
    for row in &losses.stages {
        let is_of_generator = row.class == FailureClass::WrongAnswer;
        let Some(questions) = row.questions else { continue };
        if !row.is_known() {
            continue;
        }
        let mut class = TableCell::from(row.class.name());
        class.link = format!("#class={}", row.class);
        let complete = row.complete.filter(|_| !is_of_generator).map_or(String::new(), thousands);
        let lost = match row.answers {
            Some(answers) => whole(answers) + &of_count(row.ci95),
            None => thousands(questions),
        };
        let cells = [meaning(row.class, run, summary), complete, lost];
        table.row([class].into_iter().chain(cells.map(TableCell::from)));
    }
    table.notes.extend(not_lost(summary));
    table
}

/// Describes where the evidence of a class's questions is.
pub(super) fn meaning(class: FailureClass, run: &SavedRun, summary: &Summary) -> String {
    let (manifest, k) = (&run.manifest, summary.two_by_two.k);
    let retrieval = &manifest.settings.retrieval;
    let is_external = manifest.is_external();
    let has_step = |step| run.traces.iter().any(|trace| trace.step(step).is_some());
    match class {
        FailureClass::NotInCorpus => "in no document".to_owned(),
        FailureClass::Split if has_step(Step::Collection) => "in no point".to_owned(),
        FailureClass::Split => "split by chunking".to_owned(),
        FailureClass::NotRetrieved if is_external => "in no recorded passage".to_owned(),
        FailureClass::NotRetrieved if retrieval.retrievers.len() == 1 => {
            format!("not in {} passages", thousands(retrieval.candidates))
        }
        FailureClass::NotRetrieved => "not in the candidates".to_owned(),
        FailureClass::RankedLow if is_external => "below the prompt".to_owned(),
        FailureClass::RankedLow => format!("ranked below the top {k}"),
        FailureClass::NotPacked if is_external => "ranked, not in prompt".to_owned(),
        FailureClass::NotPacked => format!("in top {k}, not in prompt"),
        FailureClass::NotInPrompt => "lost, stage unrecorded".to_owned(),
        _ => "complete: still wrong".to_owned(),
    }
}

/// Reports correct answers without complete evidence, and unanswerable questions if all were declined.
fn not_lost(summary: &Summary) -> Option<String> {
    let count = |class: FailureClass| summary.classes.get(class.name()).copied().unwrap_or(0);
    let lucky = count(FailureClass::CorrectWithoutEvidence);
    let correct = lucky + count(FailureClass::Correct);
    let declined = count(FailureClass::Declined);
    let are_declined = declined > 1 && count(FailureClass::Hallucinated) == 0;
    let parts = [
        (lucky > 0).then(|| {
            let answers = plural(correct, "correct answer", "correct answers");
            format!("{} of the {answers} lacked evidence", thousands(lucky))
        }),
        are_declined.then(|| {
            let questions = plural(declined, "unanswerable question", "unanswerable questions");
            format!("all {questions} were declined")
        }),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Counts the questions by failure class, the faults of wrong answers, and the flags.
pub(super) fn classes(summary: &Summary) -> Vec<Fact> {
    let counts =
        [("classes", &summary.classes), ("faults", &summary.faults), ("flags", &summary.flags)];
    let facts = counts.map(|(label, counts)| Fact::new(label, counted(counts)));
    facts.into_iter().filter(|fact| !fact.text.is_empty()).collect()
}

fn counted(counts: &BTreeMap<String, usize>) -> String {
    let raised = counts.iter().filter(|(_, n)| **n > 0);
    raised.map(|(name, n)| format!("{n} {name}")).collect::<Vec<_>>().join(", ")
}

/// Retrieval by answer; without rows if no question has both.
pub(super) fn two_by_two(found: &TwoByTwo) -> Table {
    let title = format!(
        "Retrieval by answer (EM@{}, n = {}, questions with span answers)",
        found.k,
        thousands(found.n)
    );
    let mut table = Table::new(title, &["", "answer correct", "answer wrong", "unsure"]);
    let all = [
        ("found", [found.hit_correct, found.hit_wrong, found.hit_unsure]),
        ("not found", [found.miss_correct, found.miss_wrong, found.miss_unsure]),
    ];
    for (label, cells) in all.iter().filter(|_| found.n > 0) {
        let cells = cells.map(|Cell { n, mean_f1 }| format!("{n} (mean F1 {mean_f1:.2})"));
        table.row([(*label).to_owned()].into_iter().chain(cells));
    }
    table
}
