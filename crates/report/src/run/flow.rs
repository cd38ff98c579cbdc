//! The losses of a run as a picture: the questions flow through the stages, and what a stage loses leaves there.

use crate::document::{Fate, Flow, FlowPart, Table};
use ragtriage_core::text::numbers::{plural, thousands, whole};
use ragtriage_core::types::FailureClass;
use ragtriage_eval::losses::StageLosses;
use ragtriage_eval::summary::Summary;

/// The answerable questions that no stage lost, in the order in which they leave the flow.
const ENDS: [(FailureClass, Fate, &str); 5] = [
    (FailureClass::Unclear, Fate::Open, "unclear"),
    (FailureClass::Unsure, Fate::Open, "unsure if correct"),
    (FailureClass::Delivered, Fate::Good, "complete evidence in the prompt"),
    (FailureClass::CorrectWithoutEvidence, Fate::Open, "correct, without evidence"),
    (FailureClass::Correct, Fate::Good, "correct, with evidence"),
];
/// The questions outside the flow.
const OUTSIDE: [(FailureClass, &str); 3] = [
    (FailureClass::Failed, "failed"),
    (FailureClass::Declined, "unanswerable and declined"),
    (FailureClass::Hallucinated, "unanswerable and answered"),
];

/// Returns the picture of the losses; `table` has them for the other formats.
pub(super) fn flow(summary: &Summary, table: Table) -> Flow {
    let losses = &summary.losses;
    let has_answers = losses.stages.iter().any(|row| row.answers.is_some());
    let lost = losses.stages.iter().filter_map(|row| {
        let questions = row.questions?;
        let figures =
            if has_answers { answers(row) } else { interval(summary, row.class, questions) };
        let part = part(summary, Fate::Lost, row.class, questions);
        Some(FlowPart { detail: detail(summary, row.class), figures, ..part })
    });
    let lost: Vec<FlowPart> = lost.collect();
    let n_lost: usize = lost.iter().map(|part| part.questions).sum();
    let ends = ends(summary, losses.n.saturating_sub(n_lost));
    let outside = OUTSIDE.into_iter().map(|(class, name)| {
        let part = part(summary, Fate::Outside, class, count(summary, class));
        FlowPart { name: name.to_owned(), ..part }
    });
    let outside = outside.filter(|part| part.questions > 0);
    let figures = match (has_answers, losses.is_estimated) {
        (true, false) => "answers lost, 95% CI",
        (true, true) => "answers lost (estimated), 95% CI",
        (false, _) => "95% CI",
    };
    let mut notes = vec![
        "Each question is counted where its evidence is first missing. Those answered correctly without it are not lost."
            .to_owned(),
    ];
    if has_answers {
        notes.push(
            "Answers lost: correct answers that complete evidence would bring; at wrong answer, those still wrong with it."
                .to_owned(),
        );
    }
    Flow {
        n: losses.n,
        title: plural(losses.n, "answerable question", "answerable questions"),
        figures: figures.to_owned(),
        parts: lost.into_iter().chain(ends).chain(outside).collect(),
        notes,
        table,
    }
}

/// Returns the parts of the `n` questions that no stage lost. Unclear are those of no other class, since unanswerable questions without a
/// generator have the class too. Where retrieval alone is judged, the classes may not add up: then all are one part.
fn ends(summary: &Summary, n: usize) -> Vec<FlowPart> {
    let known: usize = ENDS[1..].iter().map(|(class, ..)| count(summary, *class)).sum();
    let Some(n_unclear) = n.checked_sub(known) else {
        let part = part(summary, Fate::Good, FailureClass::Delivered, n);
        return vec![FlowPart { name: "not lost before the prompt".to_owned(), ..part }];
    };
    let parts = ENDS.into_iter().map(|(class, fate, name)| {
        let is_unclear = class == FailureClass::Unclear;
        let questions = if is_unclear { n_unclear } else { count(summary, class) };
        FlowPart { name: name.to_owned(), ..part(summary, fate, class, questions) }
    });
    parts.filter(|part| part.questions > 0).collect()
}

fn count(summary: &Summary, class: FailureClass) -> usize {
    summary.classes.get(class.name()).copied().unwrap_or_default()
}

/// Returns a part, which links to its questions if these are all questions of its class.
fn part(summary: &Summary, fate: Fate, class: FailureClass, questions: usize) -> FlowPart {
    let is_all = questions > 0 && count(summary, class) == questions;
    FlowPart {
        fate,
        questions,
        name: class.name().replace('_', " "),
        detail: String::new(),
        figures: String::new(),
        link: if is_all { format!("#class={class}") } else { String::new() },
    }
}

fn answers(row: &StageLosses) -> String {
    let ci95 = row.ci95.map_or(String::new(), |ci95| format!(" {ci95:.0}"));
    whole(row.answers.unwrap_or_default()) + &ci95
}

/// Returns the interval of the number of questions of a class.
fn interval(summary: &Summary, class: FailureClass, questions: usize) -> String {
    let share = summary.class_shares.get(class.name()).filter(|share| share.count == questions);
    let ci95 = share.and_then(|share| share.ci95);
    ci95.map_or(String::new(), |ci95| format!("{:.0}", ci95.times(summary.n_questions as f64)))
}

/// Describes where the evidence of a class's questions is, and what the generator did with it.
fn detail(summary: &Summary, class: FailureClass) -> String {
    let text = match class {
        FailureClass::NotInCorpus => "in no document",
        FailureClass::Split => "cut by a chunk boundary",
        FailureClass::NotRetrieved => "not among the candidates",
        FailureClass::RankedLow => "a candidate, but not in the top k",
        FailureClass::NotPacked => "in the top k, but not in the prompt",
        FailureClass::NotInPrompt => "the stage is not recorded",
        _ => {
            let faults = summary.generation.iter().filter(|(_, n)| **n > 0);
            let faults =
                faults.map(|(name, n)| format!("{} {}", thousands(*n), name.replace('_', " ")));
            return faults.collect::<Vec<_>>().join(", ");
        }
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specimen;
    use ragtriage_data::run::SavedRun;
    use ragtriage_eval::summary::evaluate;

    fn parts(run: &SavedRun) -> (usize, Vec<FlowPart>) {
        let flow = flow(&evaluate(run, &specimen::plan()).summary, Table::default());
        (flow.n, flow.parts)
    }

    #[test]
    fn the_parts_are_the_questions_and_link_to_them() {
        for run in
            [specimen::sample("s", 0), specimen::without_answers("r"), specimen::imported("r")]
        {
            let (n, parts) = parts(&run);
            let count = |is_outside: bool| {
                let parts = parts.iter().filter(|part| (part.fate == Fate::Outside) == is_outside);
                parts.map(|part| part.questions).sum::<usize>()
            };
            assert_eq!((count(false), count(true)), (n, run.traces.len() - n));
            assert!(parts.iter().all(|part| part.link.is_empty() == (part.questions == 0)));
        }
    }

    #[test]
    fn a_part_has_the_interval_of_its_answers_or_else_of_its_questions() {
        let of = |run: &SavedRun| {
            let (_, parts) = parts(run);
            let part = parts.into_iter().find(|part| part.name == "ranked low").expect("it");
            (part.questions, part.figures)
        };
        assert_eq!(of(&specimen::sample("s", 0)), (2, "2 [0, 5]".to_owned()));
        // Wilson's 95% interval of 1 of 4 questions is [0.0456, 0.6994].
        assert_eq!(of(&specimen::without_answers("r")), (1, "[0, 3]".to_owned()));
    }
}
