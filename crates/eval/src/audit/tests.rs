//! Ten questions, some of them audited, with the arithmetic written out.

use super::*;
use crate::compare::tests::{evaluation, run};
use crate::summary::EvaluationPlan;
use crate::tests::outcome;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::types::{FailureClass, QuestionId, Stage};
use ragtriage_runs::SavedRun;
use ragtriage_runs::external::input::Input;

/// Six right, three lost by ranking, one by retrieval.
fn ten() -> (SavedRun, Vec<Outcome>) {
    let outcomes = (0..10).map(|at| match at {
        0..6 => outcome(FailureClass::Correct, None),
        6..9 => outcome(FailureClass::Ranking, Some(Stage::Ranking)),
        _ => outcome(FailureClass::Retrieval, Some(Stage::Retrieval)),
    });
    (run("r", &["18 May"; 10]), outcomes.collect())
}

fn plan() -> EvaluationPlan {
    evaluation(&["AnswerF1"])
}

/// The sheet of all ten, with these classes filled in, as a file.
fn filled_in(answers: &[(&str, &str)]) -> Input {
    let (run, outcomes) = ten();
    let mut lines = sheet(&run, &outcomes, 10, 0);
    for line in &mut lines {
        let answer = answers.iter().find(|(id, _)| *id == line.id.as_str());
        line.correct_class = answer.map_or(String::new(), |(_, class)| (*class).to_owned());
    }
    let lines: Vec<String> = lines
        .iter()
        .map(|line| serde_json::to_string(line).expect("JSON"))
        .collect();
    Input::new("audit.jsonl", lines.join("\n")).expect("not empty")
}

fn audited(answers: &[(&str, &str)]) -> Audit {
    let (run, outcomes) = ten();
    let corrections = read(&filled_in(answers), &run).expect("a sheet of the run");
    audit(&run, &outcomes, &corrections, &plan())
}

#[test]
fn shares_are_corrected_class_by_class() {
    let audit = audited(&[
        ("q0", "ok"),
        ("q1", "correct"),
        ("q6", "chunking"),
        ("q7", "ok"),
    ]);
    assert_eq!(
        (
            audit.n_sampled,
            audit.n_audited,
            audit.wrong.count,
            audit.wrong.share
        ),
        (10, 4, 1, 0.25)
    );
    // Wilson, 1 of 4 at z^2 = 3.8415: middle (.25 + .4802) / 1.9604 = .3725, half sqrt(.046875 + .060023) = .3270.
    let ci95 = audit.wrong.ci95.expect("four were looked at");
    assert!(
        (ci95.low - 0.0456).abs() < 1e-3 && (ci95.high - 0.6994).abs() < 1e-3,
        "{ci95:?}"
    );
    // Of the .3 printed as ranking half are chunking; the one printed as retrieval was not audited.
    let share = |class: FailureClass| audit.classes[class.name()];
    for (class, printed, corrected) in [
        (FailureClass::Correct, 0.6, 0.6),
        (FailureClass::Ranking, 0.3, 0.15),
        (FailureClass::Chunking, 0.0, 0.15),
        (FailureClass::Retrieval, 0.1, 0.1),
    ] {
        let found = share(class);
        assert!(
            (found.printed - printed).abs() < 1e-12 && (found.corrected - corrected).abs() < 1e-12,
            "{class}: {found:?}"
        );
    }
    assert_eq!(
        (audit.classes.len(), audit.not_audited.as_slice()),
        (4, &[FailureClass::Retrieval][..])
    );
    let told: Vec<_> = audit
        .confusion
        .iter()
        .map(|cell| (cell.printed, cell.correct, cell.count))
        .collect();
    assert_eq!(
        told,
        [
            (FailureClass::Ranking, FailureClass::Chunking, 1),
            (FailureClass::Ranking, FailureClass::Ranking, 1),
            (FailureClass::Correct, FailureClass::Correct, 2)
        ]
    );
}

#[test]
fn intervals_hold_what_no_resample_shows() {
    let audit = audited(&[("q0", "ok"), ("q1", "ok"), ("q6", "ok"), ("q7", "ok")]);
    // All four confirmed, so every resample gives .6. Up to 1 - .025^(1/4) = .6024 of the clusters may be otherwise:
    // .6 - .6024 x .6 = .2386 and .6 + .6024 x .4 = .8410.
    let correct = audit.classes["correct"].ci95.expect("four clusters");
    assert!(
        (correct.low - 0.2386).abs() < 5e-4 && (correct.high - 0.8410).abs() < 5e-4,
        "{correct:?}"
    );
    let audit = audited(&[("q6", "chunking"), ("q7", "ok"), ("q8", "ok"), ("q0", "ok")]);
    // Some resamples have no question printed as ranking and take it as printed (.3), some only the corrected one (0).
    let ranking = audit.classes["ranking"].ci95.expect("four clusters");
    assert!(
        ranking.low < 1e-9 && (ranking.high - 0.3).abs() < 1e-9,
        "{ranking:?}"
    );
    let one = audited(&[("q6", "chunking")]);
    assert_eq!(one.classes["ranking"].ci95, None, "one cluster");
}

#[test]
fn the_sample_is_seeded_and_leaves_out_what_failed() {
    let (run, mut outcomes) = ten();
    outcomes[3] = outcome(FailureClass::Failed, None);
    let ids = |n, seed| -> Vec<QuestionId> {
        sheet(&run, &outcomes, n, seed)
            .into_iter()
            .map(|line| line.id)
            .collect()
    };
    assert_eq!(ids(4, 1), ids(4, 1));
    assert_eq!((ids(4, 1).len(), ids(50, 1).len()), (4, 9));
    assert!(
        (0..20).any(|seed| ids(4, seed) != ids(4, 1)),
        "another seed draws others"
    );
    assert!(!ids(50, 1).contains(&"q3".into()));
}

#[test]
fn what_cannot_be_read_back_is_named_by_its_line() {
    let (run, _) = ten();
    let text = filled_in(&[("q0", "ok")]).text().to_owned();
    let error = |text: String| {
        read(&Input::new("a.jsonl", text).expect("not empty"), &run)
            .unwrap_err()
            .to_string()
    };
    let class = text.replacen(r#""correct_class":"""#, r#""correct_class":"rank""#, 1);
    assert_eq!(
        error(class),
        "`a.jsonl` line 2: unknown class `rank` in `correct_class`"
    );
    let twice = format!("{text}\n\n{}", text.lines().next().expect("a line"));
    assert_eq!(
        error(twice),
        "`a.jsonl` line 12: duplicate question `q0` (first defined on line 1)"
    );
    assert_eq!(
        error(text.replace(r#""id":"q1""#, r#""id":"q10""#)),
        "`a.jsonl` line 2: the run has no question `q10`"
    );
    let other = error(text.replace(r#""run":"r""#, r#""run":"s""#));
    assert!(
        other.starts_with("`a.jsonl` line 1: drawn from run `s` of "),
        "{other}"
    );
    assert!(
        error(text.replace(r#""class""#, r#""klass""#))
            .starts_with("`a.jsonl` line 1: not a line of an audit sheet: ")
    );
    assert_eq!(
        error(text.replace(r#":"ok""#, r#":"""#)),
        "`a.jsonl`: no line has a `correct_class`"
    );
}
