//! Commands without a file of their own here: `config`, `schema`, `dataset fetch`, and wrong calls.

use crate::project::{Project, repository};
use crate::run_files::check;

#[test]
fn a_wrong_call_is_talk_and_exit_2() {
    let project = Project::new();
    for args in [
        &["rnu"][..],
        &["run", "--no-such-flag"],
        &["run", "--limit", "many"],
        &["run", "--name", "a", "--resume", "b"],
        &[],
    ] {
        let outcome = project.call(args);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{args:?}");
        assert!(!outcome.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn config_show_gives_settings_that_run_the_same() {
    let project = Project::new();
    let shown = project.call(&["config", "show", "c.toml", "--set", "retrieval.k=3"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    project.write("shown.toml", &shown.stdout);
    assert_eq!(project.call(&["run", "shown.toml", "--out", "runs", "--name", "r"]).code, 0);
    assert_eq!(project.json("runs/r/run.json")["settings"]["retrieval"]["k"], 3);
}

#[test]
fn the_schema_is_json_and_knows_every_table() {
    let outcome = Project::new().call(&["schema", "config"]);
    let schema: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    for table in [
        "dataset",
        "chunking",
        "retrieval",
        "vector_store",
        "generation",
        "evaluation",
        "gates",
        "cache",
    ] {
        assert!(schema["properties"].get(table).is_some(), "{table}");
    }
}

#[test]
fn a_fetched_data_set_is_where_the_shipped_settings_look() {
    let project = Project::of(&[(
        "elsewhere/hotpot.json",
        r#"[{"_id": "h", "question": "Who sings?", "answer": "Ann", "supporting_facts": [["Ann", 0]], "context": [["Ann", ["Ann sings."]]]}]"#,
    )]);
    project.write(
        "config/hotpotqa.toml",
        std::fs::read(repository("config/hotpotqa.toml")).expect("shipped"),
    );
    let fetched = project.call(&["dataset", "fetch", "hotpotqa", "--from", "elsewhere"]);
    assert_eq!(
        (fetched.code, fetched.stderr.as_str()),
        (0, "hotpotqa is in datasets/fetched/hotpotqa\n")
    );
    let bm25 = "retrieval.retrievers=[\"bm25\"]";
    let run = project.call(&[
        "run",
        "config/hotpotqa.toml",
        "--set",
        bm25,
        "--out",
        "runs",
        "--name",
        "r",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    check(&project, "r");

    let again = project.refused(&["dataset", "fetch", "hotpotqa", "--from", "elsewhere"]);
    assert_eq!(
        again.stderr,
        "error: `datasets/fetched/hotpotqa` already exists\nhint: choose another path, or replace it with `--force`\n"
    );
    assert_eq!(
        project.call(&["dataset", "fetch", "hotpotqa", "--from", "elsewhere", "--force"]).code,
        0
    );
}

#[test]
fn fetching_what_is_not_known_or_not_there_is_refused() {
    let project = Project::new();
    let outcome = project.refused(&["dataset", "fetch", "hotpotq", "--from", "."]);
    let expected = "error: unknown data set `hotpotq`\nhint: known data sets: ";
    assert!(outcome.stderr.starts_with(expected), "{}", outcome.stderr);
    let outcome = project.refused(&["dataset", "fetch", "cisi", "--from", "gone"]);
    assert!(outcome.stderr.starts_with("error: `gone` does not exist\n"), "{}", outcome.stderr);
    let outcome = project.refused(&["dataset", "fetch", "cisi", "--from", "data"]);
    assert!(outcome.stderr.starts_with("error: `data` has no `CISI.ALL`\n"), "{}", outcome.stderr);
    assert!(!project.path("datasets").exists() || project.files("datasets").is_empty());
}

#[test]
fn a_model_that_is_not_cached_is_not_fetched_offline() {
    let outcome = Project::new().refused(&["model", "fetch", "--offline"]);
    assert!(
        outcome.stderr.contains("the network: not tried in offline mode"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stderr.contains("\nhint: "), "{}", outcome.stderr);
}
