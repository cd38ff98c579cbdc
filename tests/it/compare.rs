//! `ragtriage compare`: runs against a baseline, question by question.

use serde_json::Value;

use crate::project::{CORPUS, Project, QUESTIONS, SETTINGS};

/// Two documents that share their words: the one with the answer comes second.
const GAMMA: &str = r#"{"id": "c", "title": "C", "text": "Gamma restarts. Gamma restarts often. Gamma restarts."}
{"id": "d", "title": "D", "text": "After a crash Gamma restarts in nine seconds, says the operator on duty."}
"#;
/// With k = 1 it is lost by ranking; with k = 5 the built-in reader answers it.
const THIRD: &str = r#"{"id": "q3", "text": "How long do Gamma restarts take?", "answers": ["nine seconds"], "evidence": [[{"doc": "d", "quotes": ["nine seconds"]}]]}
"#;

/// A project whose three questions are correct in the run `k5`; in `k1` the third is wrong.
pub fn two_runs(sets: &[&str]) -> Project {
    let project = Project::of(&[
        ("c.toml", SETTINGS),
        ("data/corpus.jsonl", &format!("{CORPUS}{GAMMA}")),
        ("data/questions.jsonl", &format!("{QUESTIONS}{THIRD}")),
    ]);
    project.good("k5", sets);
    project.good("k1", &[sets, &["--set", "retrieval.k=1"]].concat());
    project
}

/// Stdout of a comparison that must succeed, without the times of the runs.
fn compared(project: &Project, args: &[&str]) -> String {
    let outcome = project.call(&[&["compare"], args].concat());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{}", outcome.stdout);
    let mut text = outcome.stdout;
    for name in ["k5", "k1"] {
        let started = project.json(&format!("runs/{name}/run.json"))["started"]
            .as_str()
            .expect("a time")
            .to_owned();
        text = text.replace(&started, "[TIME]");
    }
    text
}

fn json(project: &Project, args: &[&str]) -> Value {
    serde_json::from_str(&compared(project, &[args, &["--json"]].concat())).expect("JSON")
}

#[test]
fn a_comparison_in_a_terminal() {
    let project = two_runs(&[]);
    let text = compared(&project, &["runs/k5", "runs/k1", "-m", "AnswerF1"]);
    let (above, below) = text.split_once("How to read the comparison").expect("a legend");
    // A lost one of three: the sign of that one cluster is all there is to flip, and both signs reach it.
    insta::assert_snapshot!(above, @r"
    ragtriage: comparison
      B: No significant difference: AnswerF1 1.000 -> 0.667, -0.333 [-1.000, 1.000], p = 1.000. Too few clusters
      of questions differ: p cannot fall below 1.000; add questions.

      A  k5, the baseline: 3 questions, [TIME]
      B  k1: 3 questions, [TIME]

    B (k1) against A (k5): 3 questions, 3 clusters
      ! intervals are rough: 3 questions

    Differences from A to B
                   A  B
      retrieval.k  5  1

    Metrics, A to B
      metric      n      A      B   delta            95% CI      p  MDE  W/T/L
      * AnswerF1  3  1.000  0.667  -0.333  [-1.000, +1.000]  1.000  > 1  0/2/1

    Flipped from A to B
            class in A  class in B  questions
      lost  correct     ranked_low          1
      - q3: How long do Gamma restarts take?
          flip  lost: correct -> ranked_low
          gold  nine seconds
          A     nine seconds
          B     (declined) Answer: I don't know.
    ");
    assert!(
        below.contains("* AnswerF1 is the primary metric. Every other p is unadjusted"),
        "{below}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 120));
    // What was named stands there, also what is the same or what no question has.
    let text = compared(
        &project,
        &["runs/k5", "runs/k1", "-m", "AnswerF1", "-m", "EM@3", "-m", "FactRecall"],
    );
    let named = "  - equal on every question: EM@3\n  - in neither run or only one: FactRecall\n";
    assert!(text.contains(named) && !text.contains("other cutoffs"), "{text}");
    // Else the baseline's k is, and JSON has the rest.
    let text = compared(&project, &["runs/k5", "runs/k1"]);
    assert!(
        text.contains("EM@5, ") && !text.contains("EM@3") && text.contains("more at other cutoffs")
    );
}

#[test]
fn a_comparison_in_json_holds_what_the_terminal_shortens() {
    let project = two_runs(&[]);
    let comparison = json(&project, &["runs/k5", "runs/k1"]);
    let pair = &comparison["pairs"][0];
    let correct = pair["metrics"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["metric"] == "AnswerCorrect");
    let correct = correct.expect("compared");
    assert_eq!(
        (&correct["n"], &correct["wins"], &correct["ties"], &correct["losses"]),
        (&3.into(), &0.into(), &2.into(), &1.into())
    );
    assert_eq!(
        (correct["baseline"].as_f64(), correct["p"].as_f64(), correct["p_holm"].as_f64()),
        (Some(1.0), Some(1.0), Some(1.0))
    );
    let delta = correct["delta"].as_f64().expect("a number");
    assert!((delta + 1.0 / 3.0).abs() < 1e-12, "{delta}");
    let flip = &pair["flips"][0];
    assert_eq!(
        (&flip["turn"], &flip["from"], &flip["to"]),
        (&"lost".into(), &"correct".into(), &"ranked_low".into())
    );
    assert_eq!(flip["questions"][0]["baseline"], "nine seconds");
    assert_eq!(pair["changes"].to_string(), r#"[{"what":"retrieval.k","baseline":5,"run":1}]"#);
}

#[test]
fn another_ruler_is_told_and_not_used() {
    let project = two_runs(&[]);
    project.good("strict", &["--set", "evaluation.seed=1"]);
    let text = compared(&project, &["runs/k5", "runs/strict"]);
    let expected = [
        "  ! evaluation settings differ: both runs are scored with those of A\n",
        "\n  evaluation.seed  0  1\n",
        "  B: No difference: AnswerCorrect is equal on each of 3 questions.\n",
    ];
    assert!(expected.iter().all(|line| text.contains(line)), "{text}");
    assert!(!text.contains("Flipped"), "{text}");
}

#[test]
fn runs_over_other_questions_are_refused_unless_they_intersect() {
    let project = two_runs(&[]);
    let questions = project.read("data/questions.jsonl");
    let fourth = r#"{"id": "q4", "text": "What never waits?", "answers": ["Beta"], "evidence": [[{"doc": "b"}]]}"#;
    let fewer = questions.lines().skip(1).chain([fourth]).collect::<Vec<_>>().join("\n");
    project.write("data/questions.jsonl", fewer.replace("Who never waits?", "Who does not wait?"));
    project.good("other", &[]);
    project.refuses(
        &["compare", "runs/k5", "runs/other"],
        &[
            "error: the baseline `k5` and the run `other` do not ask the same questions: 1 in both, 1 only in the baseline, 1 only in the run, 1 with the same id and different texts",
            "hint: `--intersect` compares the questions in both (1); after questions were added or edited, make a new baseline; an interrupted run is completed by `ragtriage run --resume other`",
        ],
    );
    let text = compared(&project, &["runs/k5", "runs/other", "--intersect"]);
    let notice = "  ! compared over the questions that both ask; left out: 1 only in A, 1 only in B, 1 with the same id and\n    different texts\n";
    assert!(text.contains(notice), "{text}");
    assert!(text.contains("B (other) against A (k5): 1 question, 1 cluster\n"), "{text}");
    assert!(!text.contains("NaN"), "{text}");

    project.write("data/questions.jsonl", fourth);
    project.good("apart", &[]);
    project.refuses(
        &["compare", "runs/k5", "runs/apart", "--intersect"],
        &[
            "error: `k5` (3 questions) and `apart` (1 questions) have no question in common",
            "hint: compare runs over the same question set",
        ],
    );
}

#[test]
fn what_data_says_is_inert() {
    let project = two_runs(&[]);
    let hostile = "::error title=x::y]]>\u{202e}\u{1b}[31m<img src=x>|`\r\n::warning::z";
    let question = serde_json::json!({
        "id": hostile, "text": format!("How long do Gamma restarts take? {hostile}"), "answers": ["nine seconds", hostile],
        "evidence": [[{"doc": "d", "quotes": ["nine seconds"]}]],
    });
    project.write("data/questions.jsonl", question.to_string());
    project.good("a", &[]);
    project.good("b", &["--set", "retrieval.k=1"]);
    let text = compared(&project, &["runs/a", "runs/b"]);
    assert!(text.contains("- ::error title=x::y]]><img src…: How long"), "{text}");
    assert!(text.lines().all(|line| !line.trim_start().starts_with("::")), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\r']), "{text}");
    let markdown = compared(&project, &["runs/a", "runs/b", "--md"]);
    assert!(
        markdown.contains("&lt;img src=x&gt;\\|\\`") && !markdown.contains("<img"),
        "{markdown}"
    );
    assert!(markdown.lines().all(|line| !line.trim_start().starts_with("::")), "{markdown}");
    assert_eq!(
        json(&project, &["runs/a", "runs/b"])["pairs"][0]["flips"][0]["questions"][0]["id"],
        hostile
    );
}

#[test]
fn a_wrong_call_is_refused_with_a_hint() {
    let project = two_runs(&[]);
    project.refuses(
        &["compare", "runs/k5", "runs/k1", "-m", "ndcg@5"],
        &[
            "error: unknown metric `ndcg@5`; did you mean `nDCG@5`?",
            "hint: metrics read like `EM@5`, `EM@1000t`, `EM@prompt`, `nDCG@10`, `RR`, `AnswerF1`; the documentation's page Metrics has them all",
        ],
    );
    project.refuses_with_some_hint(
        &["compare", "runs/k5", "runs/k1", "--primary", "FactRecall"],
        "error: no question has a value of `FactRecall` in both runs",
    );
    project
        .refuses_with_some_hint(&["compare", "runs/k5", "gone"], "error: there is no run `gone`");
    for args in [
        &["compare"][..],
        &["compare", "runs/k5"],
        &["compare", "runs/k5", "runs/k1", "--md", "--json"],
    ] {
        let outcome = project.call(args);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{args:?}");
    }
}
