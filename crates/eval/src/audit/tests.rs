//! Ten questions, some of them audited, with the arithmetic written out.

use super::sheet::SheetLine;
use super::*;
use crate::compare::tests::run;
use crate::tests::{self, outcome};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::correctness::Correctness;
use ragtriage_core::types::{FailureClass, QuestionId, QuestionKind, Stage};
use ragtriage_data::run::SavedRun;
use ragtriage_data::run::external::input::Input;

/// Six correct, three lost by ranking, one by retrieval.
fn ten() -> (SavedRun, Vec<Outcome>) {
    let outcomes = (0..10).map(|at| match at {
        0..6 => outcome(FailureClass::Correct, None),
        6..9 => outcome(FailureClass::RankedLow, Some(Stage::Ranking)),
        _ => outcome(FailureClass::NotRetrieved, Some(Stage::Retrieval)),
    });
    let run = run("r", &["18 May"; 10]);
    let outcomes = tests::judged(&run.traces, outcomes.collect());
    (run, outcomes)
}

/// The rule's decisions: five correct, three wrong, two unsure.
fn ruled() -> Vec<Option<Correctness>> {
    (0..10)
        .map(|at| match at {
            0..5 => Some(Correctness::Correct),
            5..8 => Some(Correctness::Wrong),
            _ => Some(Correctness::Unsure),
        })
        .collect()
}

/// The sheet of all ten, with these classes filled in, as a file.
fn filled_in(answers: &[(&str, &str)]) -> Input {
    let (run, outcomes) = ten();
    let mut lines = sheet(&run, &outcomes, &decisions(&run, &outcomes), 10, 0);
    for line in &mut lines {
        let answer = answers.iter().find(|(id, _)| *id == line.id.as_str());
        line.correct_class = answer.map_or(String::new(), |(_, class)| (*class).to_owned());
    }
    file(&lines)
}

fn file(lines: &[SheetLine]) -> Input {
    let lines: Vec<String> =
        lines.iter().map(|line| serde_json::to_string(line).expect("JSON")).collect();
    Input::new("audit.jsonl", lines.join("\n")).expect("not empty")
}

fn audited(answers: &[(&str, &str)]) -> Audit {
    let (run, outcomes) = ten();
    let corrections = read(&filled_in(answers), &run).expect("a sheet of the run");
    let rule = decisions(&run, &outcomes);
    audit(&run, &outcomes, &rule, &corrections)
}

/// The audit of answers of a sheet with these judgments.
fn judged(rule: &[Option<Correctness>], answers: &[(usize, bool)]) -> AnswerAudit {
    let (run, outcomes) = ten();
    let mut lines = sheet(&run, &outcomes, rule, 10, 0);
    for (at, is_correct) in answers {
        let id: QuestionId = format!("q{at}").as_str().into();
        let line = lines.iter_mut().find(|line| line.id == id);
        let judgment = if *is_correct { "correct" } else { "wrong" };
        line.expect("on the sheet").answer_is = Some(judgment.to_owned());
    }
    let corrections = read(&file(&lines), &run).expect("a sheet of the run");
    answer_audit(&run, rule, &corrections).expect("judged")
}

#[test]
fn classes_have_an_error_rate_and_a_confusion_matrix() {
    let audit = audited(&[("q0", "ok"), ("q1", "correct"), ("q6", "split"), ("q7", "ok")]);
    assert_eq!(
        (audit.n_sampled, audit.n_audited, audit.wrong.count, audit.wrong.share),
        (10, 4, 1, 0.25)
    );
    // Wilson, 1 of 4 at z^2 = 3.8415: middle (.25 + .4802) / 1.9604 = .3725, half sqrt(.046875 + .060023) = .3270.
    let ci95 = audit.wrong.ci95.expect("four were looked at");
    assert!((ci95.low - 0.0456).abs() < 1e-3 && (ci95.high - 0.6994).abs() < 1e-3, "{ci95:?}");
    let told: Vec<_> =
        audit.confusion.iter().map(|cell| (cell.printed, cell.correct, cell.count)).collect();
    assert_eq!(
        told,
        [
            (FailureClass::RankedLow, FailureClass::Split, 1),
            (FailureClass::RankedLow, FailureClass::RankedLow, 1),
            (FailureClass::Correct, FailureClass::Correct, 2)
        ]
    );
}

#[test]
fn the_sample_is_seeded_and_leaves_out_what_failed() {
    let (run, mut outcomes) = ten();
    outcomes[3] = outcome(FailureClass::Failed, None);
    let ids = |n, seed| -> Vec<QuestionId> {
        sheet(&run, &outcomes, &[None; 10], n, seed).into_iter().map(|line| line.id).collect()
    };
    assert_eq!(ids(4, 1), ids(4, 1));
    assert_eq!((ids(4, 1).len(), ids(50, 1).len()), (4, 9));
    assert!((0..20).any(|seed| ids(4, seed) != ids(4, 1)), "another seed draws others");
    assert!(!ids(50, 1).contains(&"q3".into()));
}

#[test]
fn what_cannot_be_read_back_is_named_by_its_line() {
    let (run, _) = ten();
    let text = filled_in(&[("q0", "ok")]).text().to_owned();
    let error = |text: String| {
        read(&Input::new("a.jsonl", text).expect("not empty"), &run).unwrap_err().to_string()
    };
    let class = text.replacen(r#""correct_class":"""#, r#""correct_class":"rank""#, 1);
    assert_eq!(error(class), "`a.jsonl` line 2: unknown failure class `rank` in `correct_class`");
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
    assert!(other.starts_with("`a.jsonl` line 1: drawn from run `s` of "), "{other}");
    assert!(
        error(text.replace(r#""class""#, r#""klass""#))
            .starts_with("`a.jsonl` line 1: not a line of an audit sheet: ")
    );
    assert_eq!(
        error(text.replace(r#":"ok""#, r#":"""#)),
        "`a.jsonl`: no line has `answer_is` or `correct_class`"
    );
}

#[test]
fn answers_are_judged_where_the_rule_judges_them() {
    let (mut run, outcomes) = ten();
    run.traces[1].question.kind = QuestionKind::Unanswerable;
    run.traces[2].question.answers.clear();
    run.traces[3].conditions[0].attempts[0].extracted = "1815".to_owned();
    let outcomes = tests::judged(&run.traces, outcomes);
    let rule = decisions(&run, &outcomes);
    assert_eq!(rule[..4], [Some(Correctness::Correct), None, None, Some(Correctness::Wrong)]);
    let asked: Vec<bool> = sheet(&run, &outcomes, &rule, 10, 0)[..4]
        .iter()
        .map(|line| line.answer_is.is_some())
        .collect();
    assert_eq!(asked, [true, false, false, true]);
}

#[test]
fn correct_answers_are_corrected_by_the_audit() {
    // Called correct: one is, one is not. Called wrong: two are. Unsure: one of each.
    let found =
        judged(&ruled(), &[(0, true), (1, false), (5, false), (6, false), (8, true), (9, false)]);
    assert_eq!((found.n_questions, found.n_unsure, found.n_audited), (10, 2, 6));
    let cells: Vec<_> =
        found.cells.iter().map(|cell| (cell.rule, cell.is_correct, cell.count)).collect();
    assert_eq!(
        cells,
        [
            (Correctness::Correct, false, 1),
            (Correctness::Correct, true, 1),
            (Correctness::Unsure, false, 1),
            (Correctness::Unsure, true, 1),
            (Correctness::Wrong, false, 2),
        ]
    );
    // Of the four decided ones.
    assert_eq!((found.agreed.count, found.agreed.share), (3, 0.75));
    // The rule alone: (5 + 2 x 1/2) / 10. Its errors: 0, -1, 0, 0, 1/2, -1/2 with mean -1/6.
    let correct = found.correct.expect("six were audited");
    let mean = 0.6 - 1.0 / 6.0;
    assert!((correct.mean - mean).abs() < 1e-12 && (correct.predicted - 0.6).abs() < 1e-12);
    assert!(correct.ci95.low < mean && correct.ci95.high > mean);
}
