//! The first screen for every conclusion.

use crate::document::Report;
use crate::render::terminal::{self, Screen};
use crate::run::{COLUMNS, screen};
use crate::specimen;
use ragtriage_core::types::{Condition, ErrorKind, FailedPart, Step, TraceError};
use ragtriage_data::run::{ExternalSource, SavedRun};
use ragtriage_eval::summary;

/// Fates of [`specimen::of_fates`]: correct; the evidence is ranked low; the generator is wrong with it.
const CORRECT: usize = 0;
const LOW: usize = 2;
const WRONG: usize = 5;

fn answered(change: impl Fn(&mut SavedRun)) -> SavedRun {
    let mut run = specimen::of_fates(&[CORRECT, LOW, LOW, CORRECT], 40);
    change(&mut run);
    run
}

/// Removes all conditions but `retrieved`.
fn without_oracle(run: &mut SavedRun) {
    for trace in &mut run.traces {
        trace.conditions.retain(|condition| condition.condition == Condition::Retrieved);
    }
}

fn import(run: &mut SavedRun) {
    without_oracle(run);
    let (kind, from) = (ExternalSource::RESULTS.to_owned(), "results.jsonl".to_owned());
    run.manifest.external = Some(ExternalSource { kind, from, sha256: String::new() });
    for trace in &mut run.traces {
        trace.steps.retain(|step| step.step == Step::Packed);
    }
}

fn fail(run: &mut SavedRun) {
    let message = "status 403: no access".to_owned();
    let error = TraceError { part: FailedPart::Generator, kind: ErrorKind::Permanent, message };
    for condition in run.traces.iter_mut().flat_map(|trace| &mut trace.conditions) {
        condition.attempts.iter_mut().for_each(|attempt| attempt.error = Some(error.clone()));
    }
}

#[test]
fn every_conclusion_fits_the_screen() {
    let without_answers =
        answered(|run| run.traces.iter_mut().for_each(|trace| trace.conditions.clear()));
    let runs = vec![
        ("Yes.", answered(|_| ())),
        ("No, the generator is.", specimen::of_fates(&[CORRECT, WRONG, CORRECT], 40)),
        ("Undecided.", specimen::of_fates(&[CORRECT, LOW, WRONG], 40)),
        ("Undecided.", specimen::of_fates(&[LOW], 1)),
        ("No, nothing is lost.", specimen::of_fates(&[CORRECT], 40)),
        ("Not known without answers.", without_answers),
        ("No verdict.", answered(fail)),
        ("No verdict.", specimen::empty()),
        ("", answered(without_oracle)),
        ("", answered(import)),
        ("", answered(specimen::unlabel)),
    ];
    for (answer, run) in runs {
        let evaluation = summary::evaluate(&run, &specimen::plan());
        let laid_out =
            |report: &Report| terminal::render(report, Screen { width: COLUMNS, color: false });
        let text = screen(&run, &evaluation, &Report::default(), laid_out);
        assert!(text.contains(&format!("Is retrieval the bottleneck? {answer}")), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
        assert!(text.lines().count() <= 25, "{text}");
        let tries_model = text.contains("try     another model or prompt: ");
        assert_eq!(tries_model, answer == "No, the generator is.", "{text}");
        // No interval claims that a number is certain.
        assert!(!text.contains("[0, 0]") && !text.contains("[0.00, 0.00]"), "{text}");
    }
}
