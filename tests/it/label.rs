//! `dataset label` over a pipe.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::project::{CORPUS, Outcome, Project, SETTINGS, outcome, tiny_bert};

const QUERIES: &str = "How long does alpha wait?\nDoes beta wait?\nWho waits a year?\n";

/// The best passage of each question: of the first `a`, of the second `b`.
const LABEL: [&str; 7] = ["dataset", "label", "c.toml", "--queries", "asked.txt", "--depth", "1"];

/// The corpus, and queries in `asked.txt`, without any question labelled.
fn project() -> Project {
    Project::of(&[("c.toml", SETTINGS), ("data/corpus.jsonl", CORPUS), ("asked.txt", QUERIES)])
}

fn label(project: &Project, args: &[&str], input: &str) -> Outcome {
    outcome(
        &project.command(&[&LABEL[..], args].concat()).write_stdin(input).output().expect("starts"),
    )
}

fn lines(project: &Project, file: &str) -> Vec<Value> {
    project
        .read(file)
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

#[test]
fn what_is_typed_becomes_questions_that_load_and_run() {
    let project = project();
    let input = "y\nsix minutes\n\nsix minutes | 6 minutes\ny\n1\nno\nu\n";
    let outcome = label(&project, &[], input);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""), "{}", outcome.stderr);
    let told = "3 questions written to data/questions.jsonl: 2 with evidence, 1 unanswerable, 0 without evidence\n";
    assert!(outcome.stderr.ends_with(told), "{}", outcome.stderr);
    let written = lines(&project, "data/questions.jsonl");
    assert_eq!(written[0]["answers"], json!(["six minutes", "6 minutes"]));
    assert_eq!(written[0]["evidence"], json!([[{"doc": "a", "quotes": ["six minutes"]}]]));
    assert_eq!(written[0]["relevant"], json!({"a": 3}));
    assert_eq!(
        (&written[1]["kind"], &written[1]["relevant"]),
        (&json!("yes_no"), &json!({"b": 3}))
    );
    assert_eq!(written[1]["evidence"], json!([[{"doc": "b", "quotes": ["Beta never waits."]}]]));
    assert_eq!(
        (&written[2]["text"], &written[2]["kind"]),
        (&json!("Who waits a year?"), &json!("unanswerable"))
    );

    project.good("labelled", &[]);
    let kinds: Vec<Value> =
        project.traces("labelled").iter().map(|trace| trace["question"]["kind"].clone()).collect();
    assert_eq!(kinds, ["span", "yes_no", "unanswerable"]);
}

#[test]
fn a_sitting_reads_like_a_conversation() {
    let project = project();
    let outcome = label(&project, &[], "y\nsix  hours.\n\ny\nsix\nq\n");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    insta::assert_snapshot!(outcome.stderr, @r"

    ──────────────────────────────────────────────────────────────────── question 1 of 3, passage 1 of 1
    How long does alpha wait?

    a · A
      1  Alpha waits six minutes.

    y n 0-3 s b d e u q ? > y
      Which words answer it? Enter a line number (`2`) or a range of lines (`2-4`); or the words
      themselves, with an empty line after them. An empty line alone means the whole document. `/b`:
      judge again, `/q`: quit.
    words > six  hours.

      Not in this document: `six hours.`.
      Nearest text: `waits six`. Enter `y` to use it, or other words, a number, or `/b`.
    words > y
      Enter the answer as worded there, with other wordings after ` | `; or `yes` or `no`; or an empty
      line if the answer is free text. A single letter is entered as a capital. `/b`: judge again, `/q`:
      quit.
    answer > six

    ──────────────────────────────────────────────────────────────────── question 2 of 3, passage 1 of 1
    Does beta wait?

    b · B
      1  Beta never waits.

    y n 0-3 s b d e u q ? > q
    1 question written to data/questions.jsonl: 1 with evidence, 0 unanswerable, 0 without evidence
    2 questions left: run the same command to continue
    ");
}

/// A run `r` of a reader that does not know the answer; the label of its first question is in a document that no search finds. With
/// the question's id.
fn mislabelled() -> (Project, String) {
    let project = Project::new();
    let questions = project.read("data/questions.jsonl");
    project.write("data/questions.jsonl", questions.replace("six minutes", "a year"));
    project.reader_sets();
    let mut lines: Vec<Value> =
        questions.lines().map(|line| serde_json::from_str(line).expect("a question")).collect();
    let id = lines[0]["id"].as_str().expect("an id").to_owned();
    lines[0]["evidence"] = json!([[{"doc": "c", "quotes": ["Gamma sleeps."]}]]);
    project.append(
        "data/corpus.jsonl",
        "{\"id\": \"c\", \"title\": \"C\", \"text\": \"Gamma sleeps.\"}\n",
    );
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    project.write("data/questions.jsonl", lines.join("\n"));
    project.good("r", &[]);
    (project, id)
}

/// `dataset label --run` with this input.
fn sitting(project: &Project, input: &str) -> Outcome {
    let args = ["dataset", "label", "c.toml", "--run", "runs/r"];
    outcome(&project.command(&args).write_stdin(input).output().expect("starts"))
}

#[test]
fn labels_that_may_change_the_verdict_are_proposed_until_they_are_judged() {
    let (project, id) = mislabelled();
    let first = sitting(&project, "y\n\nn\n");
    assert!(first.stderr.contains("Is retrieval the bottleneck?"), "{}", first.stderr);
    assert!(first.stderr.contains("question 1 of 1, passage 2 of 2"), "{}", first.stderr);
    let labelled = self::lines(&project, "data/questions.jsonl");
    let labelled = labelled.iter().find(|line| line["id"] == id.as_str()).expect("there");
    assert_eq!(labelled["evidence"], json!([[{"doc": "a"}]]), "{labelled}");
    assert_eq!(labelled["tags"], json!(["judged"]));
    let again = sitting(&project, "");
    assert!(again.stderr.contains("no question is left to label"), "{}", again.stderr);
    let others = project.call(&["dataset", "label", "c.toml", "--run", "runs/none"]);
    assert_eq!(others.code, 2, "{}", others.stderr);
}

/// A retrieval loss whose gold passages are rejected: without its label it may be the generator's, so it leaves the lower bound only.
#[test]
fn a_question_whose_gold_passages_are_rejected_stays_in_the_bounds_of_the_next_sitting() {
    let (project, _) = mislabelled();
    let first = sitting(&project, "n\nn\nn\n").stderr;
    let open = "0 with evidence, 0 unanswerable, 1 without evidence\npool more passages: `ragtriage dataset label c.toml --depth 50`\n";
    assert!(first.ends_with(open), "{first}");
    let next = sitting(&project, "").stderr;
    assert!(next.contains("no question is left to label"), "{next}");
    let bounds = "1 question with doubted or missing labels: retrieval loses 0 to 1 if no other label is wrong";
    assert!(next.contains(bounds), "{next}");
}

#[test]
fn what_is_no_command_is_answered_with_help_and_asked_again() {
    let project = project();
    let outcome = label(&project, &[], "\r\nmaybe\r\n7\r\ny\r\n\r\nyes\r\nq\r\n");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    for wrong in ["``", "`maybe`", "`7`"] {
        assert!(
            outcome
                .stderr
                .contains(&format!("  unknown command {wrong}:\n  y, 3  relevant: it answers")),
            "{}",
            outcome.stderr
        );
    }
    assert!(!outcome.stderr.contains('\r'), "{:?}", outcome.stderr);
    assert_eq!(lines(&project, "data/questions.jsonl")[0]["relevant"], json!({"a": 3}));
}

#[test]
fn evidence_that_is_all_needed_is_told_before_words_are_asked_for() {
    let project = project();
    let query = r#"{"id": "q", "text": "How long does alpha wait?", "evidence": [{"doc": "a"}, {"doc": "b"}]}"#;
    project.write("asked.txt", query);
    let outcome = label(&project, &[], "y\n1\nsix minutes\n");
    assert!(
        outcome
            .stderr
            .contains("  This question already has several pieces of evidence, all required."),
        "{}",
        outcome.stderr
    );
    let question = &lines(&project, "data/questions.jsonl")[0];
    let (whole, words) = (
        |doc: &str| json!({ "doc": doc }),
        json!({"doc": "a", "quotes": ["Alpha waits six minutes."]}),
    );
    assert_eq!(question["evidence"], json!([[whole("a"), words], [whole("b"), words]]));
}

#[test]
fn a_labelled_question_is_opened_again_with_its_labels() {
    let project = project();
    label(&project, &[], "y\nsix minutes\n\nsix\ny\n1\nno\nu\n");
    let before = lines(&project, "data/questions.jsonl");
    let again = |input: &str| {
        let id = before[0]["id"].as_str().expect("an id");
        let args = ["dataset", "label", "c.toml", "--reopen", id, "--depth", "1"];
        outcome(&project.command(&args).write_stdin(input).output().expect("starts"))
    };
    // Quitting changes nothing.
    assert_eq!(again("q\n").code, 0);
    assert_eq!(lines(&project, "data/questions.jsonl"), before);
    let told = again("y\n1\n");
    assert!(told.stderr.contains("question 1 of 1, passage 1 of 1"), "{}", told.stderr);
    let after = lines(&project, "data/questions.jsonl");
    assert_eq!(after[1..], before[1..]);
    let quotes = |words: &str| json!({"doc": "a", "quotes": [words]});
    assert_eq!(
        after[0]["evidence"],
        json!([[quotes("six minutes"), quotes("Alpha waits six minutes.")]])
    );
    project.refuses(
        &["dataset", "label", "c.toml", "--reopen", "gone"],
        &[
            "error: no question `gone` in `data/questions.jsonl`",
            "hint: `--reopen` takes the `id` of a question in this file",
        ],
    );
}

#[test]
fn questions_that_are_a_document_are_refused_by_whatever_path() {
    let project = Project::of(&[
        ("c.toml", "[dataset]\npath = \"my\"\n"),
        ("my/pump.md", "It runs."),
        ("my/deep/questions.txt", "How long does it run?\n"),
    ]);
    let path = "my/deep/../deep/questions.txt";
    project.refuses(
        &["dataset", "label", "c.toml", "--queries", path],
        &[
            "error: `my/deep/../deep/questions.txt` is one of the documents",
            "hint: move it out of the documents' folder, or give it an ending that no document has: `asked.queries`",
        ],
    );
    assert!(!project.path("my/questions.jsonl").exists());
}

#[test]
fn a_model_that_cannot_be_had_leaves_no_empty_file() {
    let project = project();
    let sets =
        ["--set", "retrieval.retrievers=[\"dense\"]", "--set", "retrieval.dense.model=./gone"];
    project.refused(&[&LABEL[..], &sets[..]].concat());
    assert!(!project.path("data/questions.jsonl").exists());
}

#[test]
fn words_of_several_lines_with_any_line_ends_are_found_as_one() {
    let project = project();
    let outcome = label(&project, &[], "y\r\nAlpha  waits\r\n six\r\n\r\nsix\r\n");
    let first = &lines(&project, "data/questions.jsonl")[0];
    assert_eq!(
        first["evidence"],
        json!([[{"doc": "a", "quotes": ["Alpha waits six"]}]]),
        "{}",
        outcome.stderr
    );
    assert_eq!(first["answers"], json!(["six"]));
}

#[test]
fn a_sitting_killed_half_way_is_gone_on_with_where_it_was() {
    let project = project();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("ragtriage"))
        .args(LABEL)
        .env_clear()
        .envs(project.environment())
        .current_dir(project.path("."))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    // The second question is shown when the first is written.
    child.stdin.as_mut().expect("piped").write_all(b"2\nn\n").expect("written");
    let (mut seen, mut buffer) = (Vec::new(), [0; 1024]);
    while !String::from_utf8_lossy(&seen).contains("question 2 of 3, passage 1 of 1") {
        let n_read = child.stderr.as_mut().expect("piped").read(&mut buffer).expect("read");
        assert!(n_read > 0, "ended early: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&buffer[..n_read]);
    }
    child.kill().expect("killed"); // SIGKILL
    child.wait().expect("ended");
    let before = project.read("data/questions.jsonl");
    assert_eq!(before.lines().count(), 1);

    let outcome = label(&project, &[], "y\n\nno\nu\n");
    assert!(
        outcome.stderr.starts_with("already in data/questions.jsonl: 1 of 3 questions\n"),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome.stderr.contains("question 1 of 2, passage 1 of 1\nDoes beta wait?"),
        "{}",
        outcome.stderr
    );
    let after = project.read("data/questions.jsonl");
    assert!(after.starts_with(&before) && after.lines().count() == 3, "{after}");
    let nothing_left = label(&project, &[], "");
    assert_eq!(
        (nothing_left.code, nothing_left.stderr.as_str()),
        (0, "already in data/questions.jsonl: 3 of 3 questions\nno question is left to label\n")
    );
    assert_eq!(project.read("data/questions.jsonl"), after);
}

#[test]
fn nobody_sees_who_found_a_passage_and_both_retrievers_are_asked() {
    let project = project();
    // No word of it is in the documents: terms find nothing, vectors always find something.
    project.write("asked.txt", "Quid?\n");
    let none = label(&project, &[], "y\n");
    assert!(none.stderr.starts_with("\nQuid?\n"), "{}", none.stderr);
    assert_eq!(lines(&project, "data/questions.jsonl")[0]["kind"], "unanswerable");
    project.write("data/questions.jsonl", "");
    let sets = tiny_bert();
    let both = label(&project, &["--set", &sets[0], "--set", &sets[1]], "1\nn\n");
    assert!(both.stderr.contains("passage 1 of 1"), "{}", both.stderr);
    for name in ["bm25", "dense", "rank", "score"] {
        assert!(!both.stderr.to_lowercase().contains(name), "{}", both.stderr);
    }
}

#[test]
fn a_passage_does_nothing_to_the_terminal() {
    let project = project();
    let text =
        "Alpha \u{1b}[2J\u{1b}]0;title\u{7}waits\u{202e} six\u{9b}31m minutes.\r\n\u{1b}[1A# Beta";
    project.write(
        "data/corpus.jsonl",
        format!("{}\n", json!({"id": "a\u{1b}[5m", "title": "\u{1b}c", "text": text})),
    );
    project.write("asked.txt", "How long does \u{1b}[31malpha wait?\n");
    let outcome = label(&project, &[], "d\n\u{1b}[9mwhat\ny\n\u{1b}[7mno such words\n\n/b\nu\n");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let controls: Vec<char> =
        outcome.stderr.chars().filter(|c| c.is_control() && *c != '\n').collect();
    assert!(controls.is_empty() && !outcome.stderr.contains('\u{202e}'), "{:?}", outcome.stderr);
}

#[test]
fn a_published_data_set_wants_a_file_of_its_own() {
    let project = project();
    project.write("beir/corpus.jsonl", "{\"_id\": \"a\", \"text\": \"Alpha waits.\"}\n");
    project.write("beir/queries.jsonl", "{\"_id\": \"1\", \"text\": \"Who waits?\"}\n");
    project.write("beir/qrels/test.tsv", "query-id\tcorpus-id\tscore\n1\ta\t1\n");
    project.write("b.toml", "[dataset]\nformat = \"beir\"\npath = \"beir\"\n");
    project.refuses(
        &["dataset", "label", "b.toml", "--queries", "beir/queries.jsonl"],
        &[
            "error: a `beir` data set takes no further questions",
            "hint: copy its documents into a folder of your own, and name that",
        ],
    );
}
