//! The JSON Schemas that the program prints, against the files that it writes and reads.

use std::sync::LazyLock;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::{Value, json};

use crate::project::Project;

const NAMES: [&str; 3] = ["trace", "summary", "config"];

static PRINTED: LazyLock<[Value; 3]> = LazyLock::new(|| NAMES.map(printed));

fn printed(name: &str) -> Value {
    let outcome = Project::of(&[]).call(&["schema", name]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    serde_json::from_str(&outcome.stdout).expect("JSON")
}

thread_local! {
    static COMPILED: (Schemas, [SchemaIndex; 3]) = compiled();
}

fn compiled() -> (Schemas, [SchemaIndex; 3]) {
    let mut schemas = Schemas::new();
    let mut compiler = Compiler::new();
    let indexes = [0, 1, 2].map(|at| {
        let file = format!("{}.json", NAMES[at]);
        let schema = PRINTED[at].clone();
        compiler.add_resource(&file, schema).expect("a schema");
        compiler.compile(&file, &mut schemas).expect("a schema")
    });
    (schemas, indexes)
}

/// Returns what the schema `name` says against `value`.
fn found(name: &str, value: &Value) -> Result<(), String> {
    let at = NAMES.iter().position(|one| *one == name).expect("a schema");
    COMPILED.with(|(schemas, indexes)| {
        let found = schemas.validate(value, indexes[at]);
        found.map_err(|error| format!("{error:#}"))
    })
}

fn check(name: &str, value: &Value) {
    assert_eq!(found(name, value), Ok(()), "{value:#}");
}

fn check_lines(name: &str, text: &str) {
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        check(name, &serde_json::from_str(line).expect("JSON"));
    }
}

/// Checks traces and summary of a run folder.
pub fn check_run(project: &Project, folder: &str) {
    check("summary", &project.json(&format!("{folder}/summary.json")));
    check_lines("trace", &project.read(&format!("{folder}/traces.jsonl")));
}

#[test]
fn the_demo_is_valid() {
    let project = Project::of(&[]);
    let demo = project.call(&["demo"]);
    assert_eq!(demo.code, 0, "{}", demo.stderr);
    let run = "ragtriage-demo/ragtriage-runs/demo";
    check_run(&project, run);
}

#[test]
fn traces_and_summaries_of_a_wrong_type_are_rejected() {
    let project = Project::new();
    project.good("r", &[]);
    check_run(&project, "runs/r");
    let trace: Value =
        serde_json::from_str(project.read("runs/r/traces.jsonl").lines().next().expect("a line"))
            .expect("JSON");
    let summary = project.summary("r");
    for (name, value, place) in [
        ("trace", &trace, "/index"),
        ("trace", &trace, "/question/kind"),
        ("trace", &trace, "/stages/0/hits/0/score"),
        ("trace", &trace, "/gold/groups/0/0/needed/0"),
        ("trace", &trace, "/conditions/0/attempts/0/stance"),
        ("summary", &summary, "/metrics/EM@5/ci95"),
        ("summary", &summary, "/losses/stages/0/class"),
        ("summary", &summary, "/verdict/conclusion"),
    ] {
        let mut wrong = value.clone();
        *wrong.pointer_mut(place).unwrap_or_else(|| panic!("no {place}")) = json!(["wrong"]);
        let error = found(name, &wrong).expect_err(place);
        assert!(error.contains(&format!("at '{place}")), "{place}: {error}");
    }
}

#[test]
fn configurations_are_valid_toml_or_rejected() {
    let project = Project::new();
    let starter = project.call(&["schema", "config"]);
    assert_eq!(serde_json::from_str::<Value>(&starter.stdout).ok().as_ref(), Some(&PRINTED[2]));
    for entry in std::fs::read_dir(crate::project::repository("config")).expect("shipped") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = std::fs::read_to_string(&path).expect("text");
            check("config", &toml::from_str(&text).expect("TOML"));
        }
    }
    assert!(found("config", &json!({ "retrieval": { "k": 0 } })).is_err());
}
