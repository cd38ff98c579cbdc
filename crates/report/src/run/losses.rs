//! Tables of a run's losses: outcomes of the questions, loss budget, support by stage, failure classes, retrieval by answer.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::document::{Align, Table, TableColumn};
use ragtriage_core::stats::rounding::adding_up;
use ragtriage_core::text::numbers::{percent, percents, plural, thousands, whole};
use ragtriage_core::types::{ArmName, FailureClass, Interval, Stage};
use ragtriage_eval::diagnose::{Cell, TwoByTwo};
use ragtriage_eval::losses::LossTable;
use ragtriage_eval::summary::{Share, Summary};
use ragtriage_eval::verdict::{ESTIMATED, LOSS_DIGITS, SUPPORT, Source};

/// The column of counts with `answer_elsewhere` taken for support.
const ELSEWHERE: &str = "with answer_elsewhere";
const ELSEWHERE_NOTE: &str = "with answer_elsewhere: an answer string in a packed passage that is not gold evidence counts as \
     support; where labels are incomplete, the truth lies between the two counts";

/// The column of counts if every unsure answer were right, or wrong.
const BOUNDS: &str = "bounds";
const BOUNDS_NOTE: &str =
    "bounds: the smallest and the largest count, whether unsure answers are right or wrong";
const LOSS_BOUNDS_NOTE: &str = "bounds: smallest and largest term over what the data leave open (an oracle that is worse than the \
     retrieved prompt, a label that is wider than a chunk)";

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
        is_answered |= row.class == FailureClass::Generation;
        let is_counted = losses.n_testable > 0 && row.class != FailureClass::Generation;
        let complete = row.complete.filter(|_| is_counted).map_or(String::new(), thousands);
        let label = match row.class {
            FailureClass::Undelivered => "lost before the prompt, stage not recorded".to_owned(),
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
        "not answered right, evidence first missing there"
    } else {
        "first missing there"
    };
    table.notes.push(format!("evidence complete: after the stage; lost: {lost}"));
    if has_answers {
        let lost = if losses.is_estimated { "answers lost (estimated)" } else { "answers lost" };
        let note = "would be right with complete evidence; at generation, still wrong with it";
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
        let is_split =
            budget.of == ESTIMATED || summary.arms.contains_key(ArmName::GoldInNoise.name());
        let without = if is_split {
            ""
        } else {
            "; without the condition gold_in_noise, distraction counts towards delivery"
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
                Source::Distraction => [SUPPORT, ESTIMATED].contains(&budget.of.as_str()),
                Source::Reader => budget.of == SUPPORT,
                _ => false,
            };
            budget.n > 0 && !needs_oracle
        })
        .collect();
    if summary.loss_budget_f1.is_some() && !rows.is_empty() {
        table.columns.push(TableColumn::of_numbers("in AnswerF1"));
    }
    let has_bounds = rows.iter().any(|(term, _)| term.bounds.is_some());
    if has_bounds {
        table.columns.push(TableColumn::of_numbers(BOUNDS));
        table.notes.push(LOSS_BOUNDS_NOTE.to_owned());
    }
    for (term, mean) in rows {
        let in_f1 = summary.loss_budget_f1.as_ref().map(|budget| {
            let mut terms = budget.terms.iter();
            let same = terms.find(|other| other.source == term.source);
            same.map_or(String::new(), |term| format!("{:.3}", term.mean))
        });
        let bounds = has_bounds.then(|| {
            let bounds = term.bounds.map(|[low, high]| format!("{low:.3} to {high:.3}"));
            bounds.unwrap_or_default()
        });
        let cells = [term.source.name().to_owned(), format!("{mean:.3}"), ci(term.ci95, 3)];
        table.row(cells.into_iter().chain(in_f1).chain(bounds));
    }
    table
}

/// Questions whose evidence is complete, stage by stage.
pub(super) fn support(losses: &LossTable) -> Table {
    let n = losses.n_testable;
    if n == 0 {
        return Table::default();
    }
    let title =
        format!("Support by stage (n = {}, answerable questions with gold evidence)", thousands(n));
    let mut table =
        Table::new(title, &["stage", "supported", "share", "lost here", "failure class"]);
    table.columns[4].align = Align::Left;
    let rows = losses.stages.iter().filter_map(|row| Some((row, row.complete?)));
    let rows: Vec<_> = rows.collect();
    let has_second =
        rows.iter().any(|(row, complete)| row.complete_with_elsewhere != Some(*complete));
    if has_second {
        table.columns.push(TableColumn::of_numbers(ELSEWHERE));
    }
    for (row, complete) in rows {
        let share = complete as f64 / n as f64;
        let mut missing: Vec<(&&str, &usize)> = row.missing.iter().collect();
        missing.sort_by_key(|(_, n)| Reverse(**n));
        let by_class = missing.iter().map(|(class, n)| format!("{} {class}", thousands(**n)));
        let cells = [
            row.class.stage().map_or("", Stage::result).to_owned(),
            thousands(complete),
            percent(share),
            thousands(row.missing.values().sum()),
            by_class.collect::<Vec<_>>().join(", "),
        ];
        let second = row.complete_with_elsewhere.filter(|_| has_second).map(thousands);
        table.row(cells.into_iter().chain(second));
        table.bars.push(share);
    }
    table.notes.push(
        "counts questions whose evidence is complete; the model may still answer others from memory".to_owned(),
    );
    table.notes.extend(has_second.then(|| ELSEWHERE_NOTE.to_owned()));
    table
}

/// The failure classes that occur, each with a link to its questions, and the flags as a note.
pub(super) fn classes(summary: &Summary) -> Table {
    let mut table =
        Table::new("Failure classes", &["class", "questions", "share", "95% CI", "faults"]);
    table.columns[4].align = Align::Left;
    let second = |class: &FailureClass| count(&summary.class_shares_with_elsewhere, *class);
    let mut all = FailureClass::ALL.iter();
    let has_second = all.any(|class| count(&summary.class_shares, *class) != second(class));
    let has_bounds = summary.class_bounds.values().any(|[low, high]| low < high);
    if has_second {
        table.columns.push(TableColumn::of_numbers(ELSEWHERE));
    }
    if has_bounds {
        table.columns.push(TableColumn::of_numbers(BOUNDS));
        table.notes.push(BOUNDS_NOTE.to_owned());
    }
    for class in &FailureClass::ALL {
        let bounds = summary.class_bounds.get(class.name()).filter(|[low, high]| low < high);
        let Some(share) = summary.class_shares.get(class.name()) else {
            continue;
        };
        let with_elsewhere = if has_second { second(class) } else { 0 };
        if share.count + with_elsewhere == 0 && bounds.is_none() {
            continue;
        }
        let faults = match class {
            FailureClass::Generation => counted(&summary.generation),
            _ => String::new(),
        };
        let bounds = bounds.map_or(String::new(), |[low, high]| {
            format!("{} to {}", thousands(*low), thousands(*high))
        });
        let ci95 = share.ci95.map_or(String::new(), percents);
        let cells =
            [class.name().to_owned(), thousands(share.count), percent(share.share), ci95, faults];
        let second = has_second.then(|| thousands(with_elsewhere));
        table.row(cells.into_iter().chain(second).chain(has_bounds.then_some(bounds)));
    }
    for row in &mut table.rows {
        row[0].link = format!("#class={}", row[0].text);
    }
    let flags = counted(&summary.flags);
    if !flags.is_empty() {
        table.notes.push(format!("flags: {flags}"));
    }
    table
}

fn count(shares: &BTreeMap<String, Share>, class: FailureClass) -> usize {
    shares.get(class.name()).map_or(0, |share| share.count)
}

fn counted(counts: &BTreeMap<String, usize>) -> String {
    let raised = counts.iter().filter(|(_, n)| **n > 0);
    raised.map(|(name, n)| format!("{n} {name}")).collect::<Vec<_>>().join(", ")
}

fn ci(ci95: Option<Interval>, digits: usize) -> String {
    ci95.map_or(String::new(), |ci| format!("{ci:.digits$}"))
}

/// Title of the table of retrieval by answer.
pub(crate) fn two_by_two_title(found: &TwoByTwo) -> String {
    format!(
        "Retrieval by answer (EM@{}, n = {}, questions with span answers)",
        found.k,
        thousands(found.n)
    )
}

/// Retrieval by answer.
pub(super) fn two_by_two(found: &TwoByTwo) -> Table {
    let mut table = Table::new(two_by_two_title(found), &["", "answer right", "answer wrong"]);
    let has_unsure = found.hit_unsure.n + found.miss_unsure.n > 0;
    if has_unsure {
        table.columns.push(TableColumn::of_numbers("unsure"));
    }
    for (label, cells) in [
        ("found", [found.hit_right, found.hit_wrong, found.hit_unsure]),
        ("not found", [found.miss_right, found.miss_wrong, found.miss_unsure]),
    ] {
        let cells = cells.map(|Cell { n, mean_f1 }| format!("{n} (mean F1 {mean_f1:.2})"));
        let cells = cells.into_iter().take(if has_unsure { 3 } else { 2 });
        table.row([label.to_owned()].into_iter().chain(cells));
    }
    table
}
