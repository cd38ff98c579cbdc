//! `ragtriage report --audit` and `--audited`: a sample for a person, and what came back.

use serde_json::Value;

use crate::compare::two_runs;
use crate::project::Project;

fn sheet(project: &Project, args: &[&str]) -> String {
    let outcome = project.call(&[&["report", "runs/k1", "--audit"], args].concat());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{}", outcome.stdout);
    outcome.stdout
}

/// The sheet with these classes filled in, by id.
fn fill_in(sheet: &str, classes: &[(&str, &str)]) -> String {
    let lines = sheet.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        let filled_in = classes.iter().find(|(id, _)| line["id"] == *id);
        line["correct_class"] = filled_in.map_or("", |(_, class)| class).into();
        line.to_string() + "\n"
    });
    lines.collect()
}

#[test]
fn a_sheet_holds_what_a_person_needs() {
    let project = two_runs(&[]);
    let text = sheet(&project, &["9"]);
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let ids: Vec<&Value> = lines.iter().map(|line| &line["id"]).collect();
    assert_eq!(ids, ["q1", "q2", "q3"]);
    let mut lost = lines[2].clone();
    lost["started"] = "[TIME]".into();
    insta::assert_snapshot!(serde_json::to_string_pretty(&lost).expect("JSON"), @r#"
    {
      "run": "k1",
      "started": "[TIME]",
      "id": "q3",
      "question": "How long do Gamma restarts take?",
      "gold": "nine seconds",
      "answer": "(declined) Answer: I don't know.",
      "class": "ranked_low",
      "fault": null,
      "rule": "gold range 32-44 of `d` is in chunk 0, which has rank 2, below the top 1",
      "flags": [],
      "gold_text": [
        "evidence 1, `d`: nine seconds"
      ],
      "passages": [
        {
          "id": "c#0",
          "title": "C",
          "text": "Gamma restarts. Gamma restarts often. Gamma restarts."
        }
      ],
      "answer_is": "",
      "correct_class": "",
      "note": ""
    }
    "#);
    assert_eq!(sheet(&project, &["2"]), sheet(&project, &["2"]));
    assert_eq!(sheet(&project, &["2"]).lines().count(), 2);
}

#[test]
fn corrections_become_an_error_rate() {
    let project = two_runs(&[]);
    let filled_in = fill_in(
        &sheet(&project, &["9"]),
        &[("q1", "ok"), ("q2", "correct"), ("q3", "not_retrieved")],
    );
    project.write("audit.jsonl", &filled_in);
    let args = ["report", "runs/k1", "--audited", "audit.jsonl"];
    let outcome = project.call(&args);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{}", outcome.stdout);
    insta::assert_snapshot!(outcome.stdout, @r"
    ragtriage: audit of k1
      3 of 3 sampled questions were audited, and 1 had the wrong class: error rate 33.3%, 95% CI [6.1, 79.2].

    Printed class (rows) by correct class (columns)
                  not_retrieved  correct
      ranked_low              1        0
      correct                 0        2
    ");
    let outcome = project.call(&[&args[..], &["--format", "json"]].concat());
    let audit: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!((&audit["n_audited"], &audit["wrong"]["count"]), (&3.into(), &1.into()));
}

#[test]
fn judged_answers_lead_the_reports_of_the_run() {
    let project = two_runs(&[]);
    let report = |args: &[&str]| {
        let outcome = project.call(&[&["report", "runs/k1"], args].concat());
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
        outcome.stdout
    };
    let lead = "Correct answers  ";
    assert!(!report(&["--format", "terminal"]).contains(lead));
    // The rule calls q1 and q2 correct and q3 wrong; so does the person, but for q2.
    let judged: String = sheet(&project, &["9"])
        .lines()
        .zip(["correct", "wrong", "wrong"])
        .map(|(line, judgment)| {
            let mut line: Value = serde_json::from_str(line).expect("JSON");
            line["answer_is"] = judgment.into();
            line.to_string() + "\n"
        })
        .collect();
    project.write("audit.jsonl", &judged);
    // All three were audited: 1 of 3, standard error sqrt(3/2 x 2/3) / 3 = 1/3, t(.975, 2) = 4.30. The rule agrees on 2 of
    // 3, with Wilson's interval (statsmodels: 0.2077, 0.9385).
    let found = report(&["--audited", "audit.jsonl"]);
    let correct =
        "0.333, 95% CI [0.000, 1.000], corrected by an audit of 3 answers (rule alone: 0.667)";
    assert!(found.contains(&format!("  Correct answers: {correct}.\n")), "{found}");
    assert!(found.contains("agreement 66.7%, 95% CI [20.8, 93.9]"), "{found}");
    assert!(!found.contains("error rate"), "no class was audited: {found}");
    let shown = report(&["--format", "terminal"]);
    assert!(shown.contains("\n  Correct answers  ") && shown.contains(correct), "{shown}");
    let summary: Value = serde_json::from_str(&report(&["--format", "json"])).expect("JSON");
    let mean = summary["answer_audit"]["correct"]["mean"].as_f64();
    assert!((mean.expect("a share") - 1.0 / 3.0).abs() < 1e-12);
    assert!(shown.contains("Answers decided  0 by the rule, 3 by a person, 0 unsure\n"), "{shown}");
    assert_eq!(summary["classes"]["correct"], 1, "a person's judgment counts in every class");
    assert_eq!(project.summary("k1"), summary, "the files of the run have it too");
    report(&[]);
    assert!(project.read("runs/k1/report.html").contains(correct), "the page");
}

#[test]
fn a_sheet_that_is_none_of_this_run_is_refused() {
    let project = two_runs(&[]);
    let text = sheet(&project, &["9"]);
    let refuses = |content: String, expected: &str| {
        project.write("audit.jsonl", content);
        project
            .refuses_with_some_hint(&["report", "runs/k1", "--audited", "audit.jsonl"], expected);
    };
    refuses(text.clone(), "error: `audit.jsonl`: no line has `answer_is` or `correct_class`");
    project.refuses_with_some_hint(
        &["report", "runs/k1", "--audit", "0"],
        "error: no questions to judge",
    );
    project.refused(&["report", "runs/k5", "--audited", "gone.jsonl"]);
    project.write("audit.jsonl", fill_in(&text, &[("q2", "ok")]));
    let other = project.refused(&["report", "runs/k5", "--audited", "audit.jsonl"]);
    assert!(
        other.stderr.starts_with("error: `audit.jsonl` line 1: drawn from run `k1` of "),
        "{}",
        other.stderr
    );
}
