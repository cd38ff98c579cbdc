//! Tables of a run's losses: outcomes of the questions, loss budget, failure classes, retrieval by answer.

use std::collections::BTreeMap;

use crate::document::{Align, Table, TableCell};
use ragtriage_core::stats::rounding::adding_up;
use ragtriage_core::text::numbers::{percent, percents, plural, thousands, whole};
use ragtriage_core::types::{Condition, FailureClass, Interval};
use ragtriage_eval::diagnose::{Cell, TwoByTwo};
use ragtriage_eval::losses::LossTable;
use ragtriage_eval::summary::Summary;
use ragtriage_eval::verdict::{ESTIMATED, LOSS_DIGITS, SUPPORT, Source};

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

/// The loss budget. Without an oracle condition, losses with complete evidence are unknown and not 0.
pub(super) fn budget(summary: &Summary) -> Table {
    let budget = &summary.loss_budget;
    let title = if budget.of == SUPPORT {
        format!("Loss budget: support lost per question (n = {})", budget.n)
    } else {
        let is_split = budget.of == ESTIMATED
            || summary.conditions.contains_key(Condition::GoldWithDistractors.name());
        let without = if is_split {
            ""
        } else {
            "; without the condition gold_with_distractors, distraction counts towards delivery"
        };
        format!(
            "Loss budget: {:.3} {} lost per question (n = {}{without})",
            budget.loss, budget.of, budget.n
        )
    };
    let mut table = Table::new(title, &["source", "loss per question", "95% CI"]);
    let means: Vec<f64> = budget.terms.iter().map(|term| term.mean).collect();
    let rows = budget.terms.iter().zip(adding_up(&means, LOSS_DIGITS));
    let rows: Vec<_> = rows
        .filter(|(term, _)| {
            let needs_oracle = match term.source {
                Source::IgnoredContext => [SUPPORT, ESTIMATED].contains(&budget.of.as_str()),
                Source::Misread => budget.of == SUPPORT,
                _ => false,
            };
            budget.n > 0 && !needs_oracle
        })
        .collect();
    for (term, mean) in rows {
        let cells = [term.source.name().to_owned(), format!("{mean:.3}"), ci(term.ci95, 3)];
        table.row(cells);
    }
    table
}

/// The failure classes that occur, each with a link to its questions, and the flags as a note.
pub(super) fn classes(summary: &Summary) -> Table {
    let mut table =
        Table::new("Failure classes", &["class", "questions", "share", "95% CI", "faults"]);
    table.columns[4].align = Align::Left;
    let shares = FailureClass::ALL
        .iter()
        .filter_map(|class| Some((class, summary.class_shares.get(class.name())?)));
    for (class, share) in shares.filter(|(_, share)| share.count > 0) {
        let faults = match class {
            FailureClass::WrongAnswer => counted(&summary.generation),
            _ => String::new(),
        };
        let mut name = TableCell::from(class.name());
        name.link = format!("#class={class}");
        let ci95 = share.ci95.map_or(String::new(), percents);
        let cells = [thousands(share.count), percent(share.share), ci95, faults];
        table.row([name].into_iter().chain(cells.map(TableCell::from)));
        table.bars.push(share.share);
    }
    let flags = counted(&summary.flags);
    if !flags.is_empty() {
        table.notes.push(format!("flags: {flags}"));
    }
    table
}

fn counted(counts: &BTreeMap<String, usize>) -> String {
    let raised = counts.iter().filter(|(_, n)| **n > 0);
    raised.map(|(name, n)| format!("{n} {name}")).collect::<Vec<_>>().join(", ")
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
