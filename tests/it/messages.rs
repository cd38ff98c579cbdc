//! What the program says when it cannot do its job: real commands that fail, one of each kind, in one snapshot to be read.
//!
//! After a changed text, `INSTA_UPDATE=always cargo test --test it messages::` writes the snapshot again.

use std::fs;

use serde_json::{Value, json};
use wiremock::{Request, ResponseTemplate};

use crate::endpoint::{Endpoint, says};
use crate::project::{Project, SETTINGS};

/// A file, its content for this one command (empty: the file is not there), and the command, whose arguments have no spaces.
type Case = (&'static str, &'static str, &'static str);

const CASES: [Case; 53] = [
    ("ragtriage.toml", "", "run"),
    ("ragtriage.toml", "", "import results.jsonl"),
    ("", "", "run gone.toml"),
    ("c.toml", "[chunking]\nsise = 3\n", "run c.toml"),
    ("c.toml", "[retrieval]\nk = \"five\"\n", "run c.toml"),
    ("c.toml", "[retrieval\n", "run c.toml"),
    ("", "", "run --set retrieval.k=0"),
    ("", "", "run --set retrieval.k"),
    ("", "", "run --set chunking.overlap=500"),
    ("", "", "run --set evaluation.conditions=[\"oracel\"]"),
    ("", "", "run --set evaluation.metrics=[\"F1\"]"),
    ("", "", "run --set generation.prompt=gone.txt --llm ollama:m"),
    ("", "", "run --set gates.min.EM@5=50"),
    ("", "", "run --set dataset.path=gone"),
    ("", "", "run --set dataset.format=hotpotqa"),
    ("", "", "run --set dataset.split=test"),
    ("data/corpus.jsonl", "{\"id\": \"a\", \"text\": 3}\n", "run"),
    (
        "data/corpus.jsonl",
        "{\"id\": \"a\", \"text\": \"A\"}\n{\"id\": \"a\", \"text\": \"B\"}\n",
        "run",
    ),
    ("data/questions.jsonl", "{\"id\" \"c\"}\n", "run"),
    (
        "data/questions.jsonl",
        "{\"id\": \"q\", \"text\": \"?\"}\n{\"id\": \"q\", \"text\": \"!\"}\n",
        "run",
    ),
    (
        "data/questions.jsonl",
        "{\"id\": \"q\", \"text\": \"?\", \"evidence\": [[{\"doc\": \"a\", \"quotes\": [\"seven\"]}]]}\n",
        "run",
    ),
    ("data/questions.jsonl", "\n", "run"),
    ("", "", "run --name r"),
    ("", "", "run --name a/b"),
    ("", "", "run --resume gone"),
    ("", "", "run --resume ragtriage-runs/r"),
    ("", "", "run --resume r --set retrieval.k=2"),
    ("", "", "run --llm llama3.2"),
    ("", "", "run --llm http://127.0.0.1:9/v1#m"),
    ("", "", "run --llm openai:m"),
    ("", "", "run --llm http://example.com/v1#m --offline"),
    ("", "", "run --set retrieval.retrievers=[\"dense\"] --offline"),
    ("", "", "ask Why? --set external.url=http://127.0.0.1:9"),
    ("", "", "tune"),
    ("", "", "report gone"),
    ("ragtriage-runs/r/run.json", "{\"schema\": 2}\n", "report r"),
    ("ragtriage-runs/r/traces.jsonl", "{\"index\": 0}\n", "report r"),
    ("", "", "compare r gone"),
    ("", "", "compare r r -m AnswerX"),
    ("", "", "check r"),
    ("", "", "check r --min em@5=0.8"),
    ("", "", "check r --min EM@5"),
    ("", "", "check r --min EM@5=80"),
    ("", "", "check r --max-drop RR=0.1"),
    ("results.jsonl", "{\"id\": \"q9\", \"contexts\": []}\n", "import results.jsonl"),
    ("results.jsonl", "{\"id\": \"q1\", \"contexts\": [\"Alpha\"]}\n", "import results.jsonl"),
    ("results.jsonl", "{\"id\": \"q1\", \"contexts\": 5}\n", "import results.jsonl"),
    ("results.jsonl", "Alpha waits.\n", "import results.jsonl"),
    ("run.trec", "q1 Q0 a 1 2 t\n", "score --run run.trec --qrels data/corpus.jsonl"),
    ("", "", "dataset fetch hotpotq"),
    ("", "", "dataset label --queries gone.txt"),
    ("", "", "init data"),
    ("", "", "init empty"),
];

/// Calls with `args`, which must be refused without data; returns the command and what it says.
fn said(project: &Project, args: &[&str]) -> String {
    let outcome = project.call(args);
    let shown = args.join(" ");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{shown}: {}", outcome.stderr);
    let folder = project.path("").to_string_lossy().into_owned();
    let lines = outcome.stderr.lines().filter(|line| !line.starts_with("run folder: "));
    let told =
        lines.collect::<Vec<_>>().join("\n").replace(folder.trim_end_matches('/'), "[FOLDER]");
    assert!(told.contains("error: "), "{shown}: {told}");
    format!("$ ragtriage {shown}\n{told}\n")
}

/// A service of one kind of defect each: a key that is refused, an unknown model, another dimension for questions than for passages,
/// replies that are no JSON.
fn of_services(project: &Project) -> Vec<String> {
    let refused = |status, message| {
        move |_: &Request| {
            ResponseTemplate::new(status).set_body_json(json!({"error": {"message": message}}))
        }
    };
    let vectors = |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).expect("JSON");
        let texts = body["input"].as_array().expect("texts");
        let is_question = texts.iter().any(|text| text.to_string().contains('?'));
        let vector = if is_question { vec![1.0; 3] } else { vec![1.0; 2] };
        let all = (0..texts.len()).map(|index| json!({"index": index, "embedding": vector}));
        ResponseTemplate::new(200).set_body_json(json!({"data": all.collect::<Vec<_>>()}))
    };
    let page = |_: &Request| ResponseTemplate::new(200).set_body_string("<html>");
    let dense = ["--set", "retrieval.retrievers=[\"dense\"]", "--set"];
    let endpoints = [
        Endpoint::start(None, refused(401, "invalid key")),
        Endpoint::start(None, refused(404, "model `m` not found")),
        Endpoint::start(None, page),
        Endpoint::start(None, says("")),
    ];
    endpoints[3].answer("/v1/embeddings", vectors);
    let all = endpoints.iter().enumerate().map(|(n, endpoint)| {
        let (llm, url) = (
            format!("{}#m", endpoint.base_url()),
            format!("retrieval.dense.endpoint={}", endpoint.base_url()),
        );
        let args = if n < 3 {
            vec!["run", "--llm", &llm]
        } else {
            [&["run"][..], &dense[..], &[url.as_str()]].concat()
        };
        said(project, &args).replace(&endpoint.port().to_string(), "PORT")
    });
    all.collect()
}

#[test]
fn each_says_what_failed_where_and_what_to_do() {
    let project = Project::new();
    project.write("ragtriage.toml", SETTINGS);
    fs::remove_file(project.path("c.toml")).expect("there");
    fs::create_dir(project.path("empty")).expect("made");
    let made = project.call(&["run", "--name", "r"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let mut all = Vec::new();
    for (file, content, command) in CASES {
        let before = fs::read(project.path(file)).ok();
        match content {
            "" if file.is_empty() => {}
            "" => fs::remove_file(project.path(file)).unwrap_or_default(),
            content => project.write(file, content),
        }
        let args: Vec<&str> = command.split(' ').collect();
        all.push(said(&project, &args));
        match before {
            Some(bytes) => project.write(file, bytes),
            None if file.is_empty() => {}
            None => fs::remove_file(project.path(file)).unwrap_or_default(),
        }
    }
    all.extend(of_services(&project));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    // Names of runs have a time.
    let named = |line: &str| match line.split_once("`--resume ragtriage-") {
        Some((before, after)) => {
            let after = after.split_once('`').map_or("", |(_, after)| after);
            format!("{before}`--resume NAME`{after}")
        }
        None => line.to_owned(),
    };
    let all = all.join("\n");
    let all = all.lines().map(named).collect::<Vec<_>>().join("\n");
    settings.bind(|| insta::assert_snapshot!("messages", all));
}
