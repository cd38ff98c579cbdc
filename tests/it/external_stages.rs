//! Further stages of an external RAG service, by JSON Pointers (`external.stages`).

use serde_json::{Value, json};
use wiremock::{Request, ResponseTemplate};

use crate::external::{Rag, asked};
use crate::project::Project;
use crate::run_files::check;

const ALPHA: &str = "Alpha waits six minutes.";
const BETA: &str = "Beta never waits.";

/// Wrong answers: the reranker leaves the evidence of q1 second, and the evidence of q2 is not found. Prompts have one passage.
fn respond(request: &Request) -> ResponseTemplate {
    let (hits, ranked) = if asked(request)["id"] == "q1" {
        (json!([ALPHA, BETA]), json!([{ "text": BETA }, { "text": ALPHA }]))
    } else {
        (json!([ALPHA]), json!([{ "text": ALPHA }]))
    };
    let sources = [ranked[0]["text"].clone()];
    let body =
        json!({"reply": "Gamma", "sources": sources, "debug": {"hits": hits, "ranked": ranked}});
    ResponseTemplate::new(200).set_body_json(body)
}

fn run(stages: &str) -> Project {
    let project = Project::new();
    let rag = Rag::start(respond);
    let sets = [
        rag.set(),
        "external.contexts=/sources".to_owned(),
        "external.answer=/reply".to_owned(),
        format!("external.stages={stages}"),
    ];
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let outcome = project.run(&[&["--name", "r"], sets.as_slice()].concat());
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
    project
}

fn classes(project: &Project) -> Vec<Value> {
    let outcomes = project.read("runs/r/outcomes.jsonl");
    let outcomes = outcomes.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    outcomes.map(|outcome| outcome["class"].clone()).collect()
}

#[test]
fn stages_of_a_service_tell_which_one_lost_the_evidence() {
    let stages = r#"{ vector_search = "/debug/hits", reranked = "/debug/ranked/*/text" }"#;
    let project = run(stages);
    check(&project, "r");
    assert_eq!(classes(&project), ["ranked_low", "not_retrieved"]);
    let trace = &project.traces("r")[0];
    let steps = trace["stages"].as_array().expect("stages");
    let steps: Vec<[&str; 2]> = steps
        .iter()
        .map(|step| ["name", "stage"].map(|key| step[key].as_str().unwrap_or("")))
        .collect();
    let expected = [["vector_search", "external"], ["", "reranked"], ["contexts", "packed"]];
    assert_eq!(steps, expected);
    // With the retriever alone, the prompt of q1 is not the first of its ranking.
    let project = run(r#"{ vector_search = "/debug/hits" }"#);
    assert_eq!(classes(&project), ["not_in_prompt", "not_retrieved"]);
}
