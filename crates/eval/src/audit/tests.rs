//! Ten questions, some of them audited, with the arithmetic written out.

use super::*;
use crate::compare::tests::{evaluation, run};
use crate::summary::EvaluationPlan;
use crate::tests::{self, outcome};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::rightness::Correctness;
use ragtriage_core::types::{FailureClass, QuestionId, QuestionKind, Stage};
use ragtriage_runs::SavedRun;
use ragtriage_runs::external::input::Input;

/// Six right, three lost by ranking, one by retrieval.
fn ten() -> (SavedRun, Vec<Outcome>) {
    let outcomes = (0..10).map(|at| match at {
        0..6 => outcome(FailureClass::Correct, None),
        6..9 => outcome(FailureClass::Ranking, Some(Stage::Ranking)),
        _ => outcome(FailureClass::Retrieval, Some(Stage::Retrieval)),
    });
    let run = run("r", &["18 May"; 10]);
    let outcomes = tests::judged(&run.traces, outcomes.collect());
    (run, outcomes)
}

fn plan() -> EvaluationPlan {
    evaluation(&["AnswerF1"])
}

/// The rule's decisions: five right, three wrong, two unsure.
fn ruled() -> Vec<Option<Correctness>> {
    (0..10)
        .map(|at| match at {
            0..5 => Some(Correctness::Right),
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
    audit(&run, &outcomes, &rule, &corrections, &plan())
}

/// The audit of answers of a sheet with these judgments.
fn judged(rule: &[Option<Correctness>], answers: &[(usize, bool)]) -> AnswerAudit {
    let (run, outcomes) = ten();
    let mut lines = sheet(&run, &outcomes, rule, 10, 0);
    for (at, is_right) in answers {
        let id: QuestionId = format!("q{at}").as_str().into();
        let line = lines.iter_mut().find(|line| line.id == id);
        let judgment = if *is_right { "right" } else { "wrong" };
        line.expect("on the sheet").answer_is = Some(judgment.to_owned());
    }
    let corrections = read(&file(&lines), &run).expect("a sheet of the run");
    answer_audit(&run, rule, &corrections, &plan()).expect("judged")
}

#[test]
fn shares_are_corrected_class_by_class() {
    let audit = audited(&[("q0", "ok"), ("q1", "correct"), ("q6", "chunking"), ("q7", "ok")]);
    assert_eq!(
        (audit.n_sampled, audit.n_audited, audit.wrong.count, audit.wrong.share),
        (10, 4, 1, 0.25)
    );
    // Wilson, 1 of 4 at z^2 = 3.8415: middle (.25 + .4802) / 1.9604 = .3725, half sqrt(.046875 + .060023) = .3270.
    let ci95 = audit.wrong.ci95.expect("four were looked at");
    assert!((ci95.low - 0.0456).abs() < 1e-3 && (ci95.high - 0.6994).abs() < 1e-3, "{ci95:?}");
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
    let told: Vec<_> =
        audit.confusion.iter().map(|cell| (cell.printed, cell.correct, cell.count)).collect();
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
    assert!(ranking.low < 1e-9 && (ranking.high - 0.3).abs() < 1e-9, "{ranking:?}");
    let one = audited(&[("q6", "chunking")]);
    assert_eq!(one.classes["ranking"].ci95, None, "one cluster");
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
fn unsure_questions_come_first_with_their_share_of_the_stratum() {
    let (run, outcomes) = ten();
    let mut rule = ruled();
    rule[2] = Some(Correctness::Unsure);
    let drawn = |n, seed| sheet(&run, &outcomes, &rule, n, seed);
    let is_unsure = |line: &SheetLine| ["q2", "q8", "q9"].contains(&line.id.as_str());
    for (n, n_unsure, of_unsure, of_others) in [
        // A third of the sample: 2 of 3, and 4 of 7.
        (6, 2, 2.0 / 3.0, 4.0 / 7.0),
        (9, 3, 1.0, 6.0 / 7.0),
        (50, 3, 1.0, 1.0),
    ] {
        let lines = drawn(n, 0);
        assert_eq!(lines.len(), n.min(10));
        for (at, line) in lines.iter().enumerate() {
            let inclusion = if at < n_unsure { of_unsure } else { of_others };
            assert_eq!((is_unsure(line), line.inclusion), (at < n_unsure, inclusion));
        }
    }
    // 1,000 seeds: a question is drawn 667 or 571 times, standard deviation at most sqrt(1000 / 4) = 15.8; five of them.
    for at in 0..10 {
        let id: QuestionId = format!("q{at}").as_str().into();
        let lines = (0..1000).flat_map(|seed| drawn(6, seed));
        let found: Vec<f64> =
            lines.filter(|line| line.id == id).map(|line| line.inclusion).collect();
        assert!((found.len() as f64 - 1000.0 * found[0]).abs() < 79.0, "{id}");
    }
}

#[test]
fn a_run_that_is_unsure_throughout_fills_the_sheet() {
    let (run, outcomes) = ten();
    let lines = sheet(&run, &outcomes, &[Some(Correctness::Unsure); 10], 4, 0);
    assert_eq!(lines.len(), 4);
    assert!(lines.iter().all(|line| line.inclusion == 0.4));
}

#[test]
fn answers_are_judged_where_the_rule_judges_them() {
    let (mut run, outcomes) = ten();
    run.traces[1].question.kind = QuestionKind::Unanswerable;
    run.traces[2].question.answers.clear();
    run.traces[3].arms[0].attempts[0].extracted = "1815".to_owned();
    let outcomes = tests::judged(&run.traces, outcomes);
    let rule = decisions(&run, &outcomes);
    assert_eq!(rule[..4], [Some(Correctness::Right), None, None, Some(Correctness::Wrong)]);
    let asked: Vec<bool> = sheet(&run, &outcomes, &rule, 10, 0)[..4]
        .iter()
        .map(|line| line.answer_is.is_some())
        .collect();
    assert_eq!(asked, [true, false, false, true]);
}

#[test]
fn right_answers_are_corrected_by_the_audit() {
    // Called right: one is, one is not. Called wrong: two are. Unsure: one of each.
    let found =
        judged(&ruled(), &[(0, true), (1, false), (5, false), (6, false), (8, true), (9, false)]);
    assert_eq!((found.n_questions, found.n_unsure, found.n_audited), (10, 2, 6));
    let cells: Vec<_> =
        found.cells.iter().map(|cell| (cell.rule, cell.is_right, cell.count)).collect();
    assert_eq!(
        cells,
        [
            (Correctness::Right, false, 1),
            (Correctness::Right, true, 1),
            (Correctness::Unsure, false, 1),
            (Correctness::Unsure, true, 1),
            (Correctness::Wrong, false, 2),
        ]
    );
    // Of the four decided ones three agree; by chance 1/2 x 1/4 + 1/2 x 3/4 = 1/2: kappa = (3/4 - 1/2) / (1 - 1/2).
    let kappa = found.kappa.expect("both judgments occur");
    assert!((kappa.observed - 0.75).abs() < 1e-12 && (kappa.value - 0.5).abs() < 1e-12);
    // Decided: lambda = cov 1/8 / var 1/4 = 1/2, so 1/2 x 5/8 + (1/4 - 1/2 x 1/2) = 5/16; unsure: 1/2. Together
    // 8/10 x 5/16 + 2/10 x 1/2 = .35. The rule alone: (5 + 2 x 1/2) / 10.
    let right = found.right.expect("both strata were audited");
    assert!((right.mean - 0.35).abs() < 1e-12 && (right.predicted - 0.6).abs() < 1e-12);
    assert!(right.ci95.low < 0.35 && right.ci95.high > 0.35);
}

#[test]
fn unsure_questions_without_an_audit_leave_the_share_open() {
    let found = judged(&ruled(), &[(0, true), (1, true), (5, false)]);
    assert_eq!((found.n_audited, found.right), (3, None));
    assert!(found.kappa.is_some());
}

#[test]
fn classes_of_oversampled_questions_count_less() {
    let (run, _) = ten();
    let outcomes: Vec<Outcome> = (0..10).map(|_| outcome(FailureClass::Correct, None)).collect();
    // Both unsure questions and two of the other eight were audited.
    let mut lines = sheet(&run, &outcomes, &ruled(), 10, 0);
    for (id, class) in [("q8", "ranking"), ("q9", "ranking"), ("q0", "ok"), ("q5", "ok")] {
        let line = lines.iter_mut().find(|line| line.id.as_str() == id);
        class.clone_into(&mut line.expect("on the sheet").correct_class);
    }
    let corrections = read(&file(&lines), &run).expect("a sheet of the run");
    let audit = audit(&run, &outcomes, &ruled(), &corrections, &plan());
    // Weights 2/2 and 8/2: 2 of 10.
    assert!((audit.wrong.share - 0.2).abs() < 1e-12 && audit.wrong.count == 2);
    assert!((audit.classes["ranking"].corrected - 0.2).abs() < 1e-12);
    assert_eq!(audit.answers, None);
}

#[test]
fn judgments_that_cannot_be_read_back_are_named_by_their_line() {
    let (run, _) = ten();
    let text = filled_in(&[("q0", "ok")]).text().to_owned();
    let error = |from: &str, to: &str| {
        let input = Input::new("a.jsonl", text.replacen(from, to, 1)).expect("not empty");
        read(&input, &run).unwrap_err().to_string()
    };
    assert_eq!(
        error(r#""answer_is":"""#, r#""answer_is":"yes""#),
        "`a.jsonl` line 1: unknown judgment `yes` in `answer_is`"
    );
    assert_eq!(
        error(r#""inclusion":1.0"#, r#""inclusion":0.0"#),
        "`a.jsonl` line 1: `inclusion` is 0, not a probability of at least 1e-6"
    );
}
