//! The losses of a run as a picture: the questions flow through the stages, and what a stage loses leaves there.

use super::losses::{losses, meaning};
use crate::document::{Flow, FlowPart};
use ragtriage_core::text::numbers::{of_count, whole};
use ragtriage_core::types::FailureClass;
use ragtriage_data::run::SavedRun;
use ragtriage_eval::summary::Summary;

/// The failure classes in the order in which they leave, with the second line of those that no stage loses; the correct answers remain.
const PARTS: [(FailureClass, &str); 15] = [
    (FailureClass::NotInCorpus, ""),
    (FailureClass::Split, ""),
    (FailureClass::NotRetrieved, ""),
    (FailureClass::RankedLow, ""),
    (FailureClass::NotPacked, ""),
    (FailureClass::NotInPrompt, ""),
    (FailureClass::WrongAnswer, ""),
    (FailureClass::Hallucinated, "unanswerable, but answered"),
    (FailureClass::Failed, "no usable answer"),
    (FailureClass::Unclear, "stage not known, or no answer"),
    (FailureClass::Unsure, "correct or wrong is not known"),
    (FailureClass::Declined, "unanswerable, as the generator says"),
    (FailureClass::CorrectWithoutEvidence, ""),
    (FailureClass::Delivered, "complete evidence in the prompt"),
    (FailureClass::Correct, "with complete evidence"),
];

/// Returns the picture: the classes of all questions, with the correct answers that each costs or else the interval of its questions.
pub(super) fn flow(run: &SavedRun, summary: &Summary) -> Flow {
    let table = &summary.losses;
    let has_answers = table.stages.iter().any(|row| row.answers.is_some());
    let is_answered = table.stages.iter().any(|row| row.class == FailureClass::WrongAnswer);
    let end = if is_answered { FailureClass::Correct } else { FailureClass::Delivered };
    let parts = PARTS.into_iter().filter_map(|(class, detail)| {
        let share = summary.class_shares.get(class.name())?;
        let row = table.row(class).filter(|row| row.is_known());
        let n_questions = summary.n_questions as f64;
        let (answers, ci95) = match row {
            Some(row) if has_answers => (row.answers, row.ci95),
            _ if has_answers => (None, None),
            _ => (None, share.ci95.map(|ci95| ci95.times(n_questions))),
        };
        let figures = answers.map_or(String::new(), whole) + &of_count(ci95);
        let figures = figures.trim_start().to_owned();
        let is_shown = share.count > 0 || row.is_some() || class == end;
        let detail = if row.is_some() { meaning(class, run, summary) } else { detail.to_owned() };
        is_shown.then_some(FlowPart { class, questions: share.count, detail, figures })
    });
    let (figures, note) = match (has_answers, table.is_estimated) {
        (false, _) => ("95% CI", None),
        (true, false) => ("answers lost, 95% CI", Some("Answers lost")),
        (true, true) => ("answers lost, about", Some("Answers lost (estimated, with 95% CI)")),
    };
    let note = note.map(|note| {
        format!("{note}: correct answers that complete evidence would bring; at wrong_answer, those still wrong with it.")
    });
    let counted = "Each question is counted where its evidence is first missing.".to_owned();
    let correct = "Those answered correctly without it are not lost.".to_owned();
    let notes = [counted].into_iter().chain(is_answered.then_some(correct)).chain(note).collect();
    Flow { parts: parts.collect(), figures, notes, table: losses(run, summary) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specimen;
    use ragtriage_eval::summary::evaluate;

    fn parts(run: &SavedRun) -> Vec<FlowPart> {
        flow(run, &evaluate(run, &specimen::plan()).summary).parts
    }

    #[test]
    fn every_question_is_in_one_part() {
        assert!(FailureClass::ALL.iter().all(|class| PARTS.iter().any(|part| part.0 == *class)));
        for run in [specimen::sample("s", 0), specimen::without_answers("r"), specimen::empty()] {
            let n: usize = parts(&run).iter().map(|part| part.questions).sum();
            assert_eq!(n, run.traces.len());
        }
    }

    #[test]
    fn a_part_has_the_interval_of_its_answers_or_else_of_its_questions() {
        let of = |run: &SavedRun| {
            let mut parts = parts(run).into_iter();
            let part = parts.find(|part| part.class == FailureClass::RankedLow).expect("it");
            (part.questions, part.figures)
        };
        assert_eq!(of(&specimen::sample("s", 0)), (2, "2 [0, 5]".to_owned()));
        // Wilson's 95% interval of 1 of 4 questions is [0.0456, 0.6994].
        assert_eq!(of(&specimen::without_answers("r")), (1, "[0, 3]".to_owned()));
    }
}
