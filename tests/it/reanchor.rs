//! `ragtriage dataset lint --reanchor` and `--changed`: labels after the documents were edited.

use std::process::Command;

use crate::project::Project;

const THEN: &str = "# Pump\n\nThe pump runs for nine hours and then it rests.\n\nPress the red button to stop it at once.\n";
const QUESTIONS: &str = r#"{"id": "long", "text": "How long?", "answers": ["nine hours"], "evidence": [{"doc": "pump.md", "quotes": ["runs for nine hours and then it rests"]}]}
{"id": "stop", "text": "Which button?", "answers": ["red"], "evidence": [{"doc": "pump.md", "quotes": ["Press the red button to stop it at once"]}]}
{"id": "tap", "text": "Where is the tap?", "answers": ["cellar"], "evidence": [{"doc": "tap.md", "quotes": ["in the cellar"]}]}
"#;

fn project() -> Project {
    let project = Project::of(&[
        ("docs/pump.md", THEN),
        ("docs/tap.md", "It is in the cellar.\n"),
        ("docs/questions.jsonl", QUESTIONS),
    ]);
    for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "then"]] {
        let identity =
            ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
        let done = Command::new("git")
            .current_dir(project.path(""))
            .args(identity)
            .args(arguments)
            .status();
        assert!(done.expect("git runs").success());
    }
    project
}

#[test]
fn untouched_documents_keep_every_label() {
    let outcome = project().call(&["dataset", "lint", "docs", "--reanchor"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let verdict = "  3 pieces of evidence: 3 unchanged, 0 to rewrite, 0 broken.\n";
    assert!(outcome.stdout.ends_with(verdict), "{}", outcome.stdout);
}

#[test]
fn an_edit_is_followed_where_the_answer_stands_and_told_where_not() {
    let project = project();
    // The first answer changes; the second quote gains a word; the third document is renamed.
    let now =
        THEN.replace("nine hours", "ten hours").replace("the red button", "the big red button");
    project.write("docs/pump.md", now);
    std::fs::rename(project.path("docs/tap.md"), project.path("docs/water.md")).expect("renamed");
    let outcome = project.call(&["dataset", "lint", "docs", "--reanchor"]);
    assert_eq!(outcome.code, 1, "a broken label: {}", outcome.stderr);
    insta::assert_snapshot!(outcome.stdout, @r"
    ragtriage: labels after an edit
      3 pieces of evidence: 0 unchanged, 2 to rewrite, 1 broken.
      - broken long (line 1), pump.md
          why      the answer is no longer in it: correct the answer or the question
          was      runs for nine hours and then it rests
          nearest  runs for ten hours and then it rests
      - edited stop (line 2), pump.md
          was  Press the red button to stop it at once
          now  Press the big red button to stop it at once
      - moved tap (line 3), tap.md
          was  in the cellar
          in   water.md
    ");
    assert!(outcome.stderr.contains("`--write`"), "{}", outcome.stderr);
    assert_eq!(project.read("docs/questions.jsonl"), QUESTIONS, "nothing is written unasked");

    assert_eq!(project.call(&["dataset", "lint", "docs", "--reanchor", "--write"]).code, 1);
    let lines = project.read("docs/questions.jsonl");
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(
        lines[0],
        QUESTIONS.lines().next().expect("a line"),
        "the broken one is left as it was"
    );
    assert!(
        lines[1].contains(r#"["Press the big red button to stop it at once"]"#),
        "{}",
        lines[1]
    );
    assert!(lines[2].contains(r#""doc": "water.md""#), "{}", lines[2]);
    let again = project.call(&["dataset", "lint", "docs", "--reanchor", "--json"]);
    let view: serde_json::Value = serde_json::from_str(&again.stdout).expect("JSON");
    assert_eq!(
        (&view["kept"], &view["placed"], &view["broken_questions"]),
        (&2.into(), &0.into(), &serde_json::json!(["long"]))
    );
}

#[test]
fn a_change_lists_the_questions_it_touches() {
    let project = project();
    project.write("docs/pump.md", THEN.replace("nine hours", "ten hours"));
    let outcome = project.call(&["dataset", "lint", "docs", "--changed", "HEAD"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(
        outcome.stdout,
        "long\tevidence gone\tpump.md\tHow long?\nstop\tdocument edited\tpump.md\tWhich button?\n"
    );
    assert_eq!(outcome.stderr, "2 questions touched by 1 document that differs from `HEAD`\n");
    let json = project.call(&["dataset", "lint", "docs", "--changed", "HEAD", "--json"]).stdout;
    let view: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(view["documents"], serde_json::json!(["pump.md"]));
    assert_eq!(view["questions"][0]["documents"]["pump.md"], "evidence gone");

    let wrong = project.call(&["dataset", "lint", "docs", "--changed", "no-such"]);
    assert_eq!(wrong.code, 2);
    assert_eq!(
        wrong.stderr,
        "error: cannot read `docs` at `no-such`: unknown commit\n\
         hint: name a commit, branch or tag of the repository that holds the data set\n"
    );
}

#[test]
fn byte_ranges_are_placed_by_what_stood_there() {
    let project = project();
    // `nine hours` is bytes 26 to 36 of THEN: `# Pump` and two line feeds are 8, `The pump runs for ` is 18.
    let ranges = r#"{"id": "r", "text": "?", "answers": ["nine hours"], "evidence": [{"doc": "pump.md", "ranges": [[26, 36]]}]}"#;
    project.write("docs/questions.jsonl", format!("{ranges}\n"));
    project.write("docs/pump.md", format!("New.\n\n{THEN}"));
    let unknown = project.call(&["dataset", "lint", "docs", "--reanchor"]);
    assert_eq!(unknown.code, 1);
    assert!(unknown.stderr.contains("`--changed GITREF`"), "{}", unknown.stderr);
    let known =
        project.call(&["dataset", "lint", "docs", "--reanchor", "--changed", "HEAD", "--write"]);
    assert_eq!(known.code, 0, "{}{}", known.stdout, known.stderr);
    // `New.` and two line feeds are 6 bytes.
    assert!(project.read("docs/questions.jsonl").contains(r#""ranges": [[32, 42]]"#));
}
