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
    run_with(project, &rag, stages, &[])
}

fn run_with(project: Project, rag: &Rag, stages: &str, more: &[&str]) -> Project {
    let sets = [
        rag.set(),
        "external.contexts=/sources".to_owned(),
        "external.answer=/reply".to_owned(),
        format!("external.stages={stages}"),
    ];
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let outcome = project.run(&[&["--name", "r"], sets.as_slice(), more].concat());
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

/// The retriever of the service finds the document of the second question if `finds` is in what it is asked.
fn cause(finds: &'static str) -> (Project, usize) {
    let rag = Rag::start(move |request: &Request| {
        let question = asked(request)["question"].as_str().expect("a question").to_owned();
        let is_found = question.contains(finds) || question.contains("alpha");
        let hits = if is_found { json!([ALPHA, BETA]) } else { json!([ALPHA]) };
        let body = json!({"reply": "Gamma", "sources": hits, "debug": hits});
        ResponseTemplate::new(200).set_body_json(body)
    });
    let again = ["--set", "external.search_again=true"];
    let project = run_with(Project::new(), &rag, r#"{ vector_search = "/debug" }"#, &again);
    let n_calls = rag.requests().len();
    (project, n_calls)
}

#[test]
fn a_service_that_is_asked_in_other_words_shows_why_it_did_not_retrieve() {
    let of = |finds| {
        let (project, n_calls) = cause(finds);
        // The second question lacks one document: two further texts.
        assert_eq!(n_calls, 4, "{finds}");
        let outcomes = project.read("runs/r/outcomes.jsonl");
        let second: Value =
            serde_json::from_str(outcomes.lines().nth(1).expect("q2")).expect("JSON");
        assert_eq!(second["class"], "not_retrieved");
        second["cause"].as_str().expect("a cause").to_owned()
    };
    assert_eq!(of("Who never waits? B"), "query");
    assert_eq!(of("Beta never waits"), "vocabulary");
    assert_eq!(of("something else"), "index");
}
