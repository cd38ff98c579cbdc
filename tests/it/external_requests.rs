//! External RAG services with requests and responses of their own.

use serde_json::{Value, json};
use wiremock::{Request, ResponseTemplate};

use crate::external::{Rag, asked};
use crate::project::{Outcome, Project};
use crate::run_files::{self, class};

/// The correct context, document and answer of a question.
fn correct(question: &str) -> (&'static str, &'static str, &'static str) {
    match question {
        "How long does alpha wait?" => ("Alpha waits six minutes.", "a", "six minutes"),
        "Who never waits?" => ("Beta never waits.", "b", "Beta"),
        other => panic!("unknown question: {other}"),
    }
}

fn run(project: &Project, rag: &Rag, sets: &[&str]) -> Outcome {
    let url = rag.set();
    let mut args = vec!["--set", url.as_str()];
    args.extend(sets.iter().flat_map(|set| ["--set", set]));
    project.run(&[&["--name", "r"], args.as_slice()].concat())
}

/// A server of some framework.
struct Shape {
    sets: &'static [&'static str],
    /// Place of the question in a request.
    question: &'static str,
    respond: fn(&str) -> Value,
}

const SHAPES: [Shape; 3] = [
    // LangServe: a chain that returns a retriever's documents next to the answer.
    Shape {
        sets: &[
            "external.request={ input = { question = \"{question}\" }, config = { tags = [\"{id}\"] } }",
            "external.contexts=/output/context",
            "external.answer=/output/answer",
        ],
        question: "/input/question",
        respond: |question| {
            let (text, doc, answer) = correct(question);
            let document =
                json!({"page_content": text, "metadata": {"source": doc}, "type": "Document"});
            json!({"output": {"answer": answer, "context": [document]}, "metadata": {"run_id": "1"}})
        },
    },
    // LlamaIndex behind FastAPI.
    Shape {
        sets: &[
            "external.request={ query = \"{question}\", similarity_top_k = 3 }",
            "external.contexts=/source_nodes",
            "external.answer=/response",
        ],
        question: "/query",
        respond: |question| {
            let (text, _, answer) = correct(question);
            let node = json!({"node": {"text": text, "id_": "n"}, "score": 0.7});
            json!({"response": answer, "source_nodes": [node], "metadata": {}})
        },
    },
    // Haystack's REST API.
    Shape {
        sets: &[
            "external.request={ query = \"{question}\", params = { Retriever = { top_k = 1 } } }",
            "external.contexts=/documents",
            "external.answer=/answers/0/answer",
        ],
        question: "/query",
        respond: |question| {
            let (text, doc, answer) = correct(question);
            let document = json!({"content": text, "meta": {"name": doc}, "score": 0.9});
            json!({"query": question, "answers": [{"answer": answer}], "documents": [document]})
        },
    },
];

#[test]
fn the_servers_of_three_frameworks_are_asked_and_read() {
    for shape in SHAPES {
        let project = Project::new();
        let (place, respond) = (shape.question, shape.respond);
        let rag = Rag::start(move |request: &Request| {
            let asked = asked(request);
            let question = asked.pointer(place).and_then(Value::as_str);
            ResponseTemplate::new(200).set_body_json(respond(question.expect("the question")))
        });
        let outcome = run(&project, &rag, shape.sets);
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        run_files::check(&project, "r");
        let summary = project.summary("r");
        assert_eq!(class(&summary, "correct"), 2, "{place}");
        let bodies: Vec<String> =
            rag.requests().iter().map(|request| asked(request).to_string()).collect();
        assert!(
            bodies.iter().all(|body| !body.contains('{') || !body.contains("{question}")),
            "{bodies:?}"
        );
    }
}

#[test]
fn headers_come_from_the_environment_and_their_values_are_in_no_file() {
    let project = Project::new();
    let rag = Rag::start(|request: &Request| {
        let (text, _, _) = correct(asked(request)["question"].as_str().expect("text"));
        let key = request.headers["x-rag-key"].to_str().expect("text");
        ResponseTemplate::new(200).set_body_json(json!({"sources": [text], "said": key}))
    });
    let url = rag.set();
    let sets = [
        url.as_str(),
        "external.headers_env={ \"x-rag-key\" = \"RAG_KEY\" }",
        "external.contexts=/sources",
        "external.answer=/said",
    ];
    let args = sets.iter().flat_map(|set| ["--set", set]);
    let args: Vec<&str> =
        ["run", "c.toml", "--out", "runs", "--name", "r"].into_iter().chain(args).collect();
    let output =
        project.command(&args).env("RAG_KEY", "hush-very-secret").output().expect("starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr;
    assert!(!printed.contains("hush-very-secret"), "{printed}");
    for (path, bytes) in project.files("runs") {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("hush-very-secret"), "{}", path.display());
    }
    assert!(project.read("runs/r/traces.jsonl").contains("***"));
    let unset = project.call(&args);
    assert!(
        unset.stderr.contains("`RAG_KEY` named by `external.headers_env` is not set"),
        "{}",
        unset.stderr
    );
}
