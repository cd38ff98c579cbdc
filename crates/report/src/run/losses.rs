//! Tables of a run's losses: outcomes of the questions, retrieval by answer.

use crate::document::Table;
use ragtriage_core::text::numbers::{plural, thousands, whole};
use ragtriage_core::types::{FailureClass, Interval};
use ragtriage_eval::diagnose::{Cell, TwoByTwo};
use ragtriage_eval::losses::LossTable;

/// The stages that lost the questions, the first table of a report.
pub(super) fn outcomes(losses: &LossTable) -> Table {
    let has_answers = losses.stages.iter().any(|row| row.answers.is_some());
    let mut columns = vec!["", "evidence complete", "questions"];
    if has_answers {
        columns.extend(["answers lost", "95% CI"]);
    }
    let title =
        format!("Outcomes of {}", plural(losses.n, "answerable question", "answerable questions"));
    let mut table = Table::new(title, &columns);
    let mut is_answered = false;
    for row in &losses.stages {
        let Some(questions) = row.questions else {
            continue;
        };
        is_answered |= row.class == FailureClass::WrongAnswer;
        let is_counted = losses.n_testable > 0 && row.class != FailureClass::WrongAnswer;
        let complete = row.complete.filter(|_| is_counted).map_or(String::new(), thousands);
        let label = match row.class {
            FailureClass::NotInPrompt => "lost before the prompt, stage not recorded".to_owned(),
            class => format!("lost at {class}"),
        };
        let answers =
            has_answers.then(|| [whole(row.answers.unwrap_or_default()), ci(row.ci95, 0)]);
        let cells = [label, complete, thousands(questions)];
        table.row(cells.into_iter().chain(answers.into_iter().flatten()));
    }
    for other in &losses.others {
        let cells = [other.what.to_owned(), String::new(), thousands(other.questions)];
        let blank = has_answers.then(|| [String::new(), String::new()]);
        table.row(cells.into_iter().chain(blank.into_iter().flatten()));
    }
    let lost = if is_answered {
        "not answered correctly, evidence first missing there"
    } else {
        "first missing there"
    };
    table.notes.push(format!("evidence complete: after the stage; lost: {lost}"));
    if has_answers {
        let lost = if losses.is_estimated { "answers lost (estimated)" } else { "answers lost" };
        let note = "would be correct with complete evidence; at generation, still wrong with it";
        table.notes.push(format!("{lost}: {note}"));
    }
    if !losses.outside.is_empty() {
        let all = losses.n + losses.outside.iter().map(|one| one.questions).sum::<usize>();
        let each = losses.outside.iter();
        let each = each.map(|one| format!("{} {}", thousands(one.questions), one.what));
        let each = each.collect::<Vec<_>>().join(", ");
        let all = plural(all, "question", "questions");
        table.notes.push(format!("not counted here: {each} of {all}"));
    }
    table
}

fn ci(ci95: Option<Interval>, digits: usize) -> String {
    ci95.map_or(String::new(), |ci| format!("{ci:.digits$}"))
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
