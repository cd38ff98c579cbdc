//! A small project whose run reads and writes everything that a fault can hit: a BM25 index, rerank scores and responses in the cache,
//! a run folder, two endpoints.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Output;

use serde_json::{Value, json};

use crate::network::Network;
use crate::project::Project;
use crate::server::Server;
use crate::verdict::Known;

/// The name of every disturbed run.
pub const NAME: &str = "r";

const NAMES: [&str; 24] = [
    "amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "heron", "indigo", "jasper",
    "karst", "lotus", "maple", "nadir", "onyx", "pearl", "quartz", "raven", "sable", "topaz",
    "umber", "velvet", "willow", "zephyr",
];
const PLACES: [&str; 5] = ["harbour", "quarry", "mill", "foundry", "dock"];

/// A project and the endpoints that its settings name.
pub struct Bench {
    pub project: Project,
    pub server: Server,
}

impl Bench {
    pub fn new(network: Network) -> Self {
        let server = Server::start(network);
        let settings = settings(server.port());
        let project = Project::of(&[
            ("c.toml", &settings),
            ("data/corpus.jsonl", &corpus()),
            ("data/questions.jsonl", &questions()),
        ]);
        Self { project, server }
    }
}

/// Calls are retried for at most three times `timeout_s`; the conditions include all that ask.
fn settings(port: u16) -> String {
    format!(
        "[dataset]\nformat = \"jsonl\"\npath = \"data\"\n\n\
         [retrieval]\nretrievers = [\"bm25\"]\nk = 2\ncandidates = 6\n\n\
         [rerank]\nendpoint = \"http://127.0.0.1:{port}\"\nmodel = \"scorer\"\n\n\
         [generation]\ngenerator = \"openai\"\nmodel = \"reader\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n\
         \n[http]\ntimeout_s = 2\nconcurrency = 4\n"
    )
}

/// Pump `n` waits that many minutes.
fn minutes(n: usize) -> usize {
    11 + 3 * n
}

/// A document per pump with its minutes, and one that only mentions it. Neighbours share a place, so that rankings confuse them.
fn corpus() -> String {
    let mut corpus = String::new();
    for (n, name) in NAMES.iter().enumerate() {
        let (place, next) = (PLACES[n / 5], NAMES[(n + 1) % NAMES.len()]);
        let fact = format!(
            "The {name} pump at the {place} waits {} minutes before it starts again. \
             Its valve was changed after the {next} pump failed.",
            minutes(n)
        );
        let rumour = format!(
            "Crews at the {place} ask how many minutes the {name} pump waits before it starts again. \
             The manual of the {name} pump does not say; see the board at the {place}."
        );
        for (kind, text) in [("fact", fact), ("rumour", rumour)] {
            let document = json!({"id": format!("{name}-{kind}"), "title": format!("{name} {kind}"), "text": text});
            writeln!(corpus, "{document}").expect("a string");
        }
    }
    corpus
}

fn questions() -> String {
    let mut questions = String::new();
    for (n, name) in NAMES.iter().enumerate() {
        let (answer, quote) =
            (format!("{} minutes", minutes(n)), format!("waits {} minutes", minutes(n)));
        let question = json!({
            "id": format!("q{n}"),
            "text": format!("How many minutes does the {name} pump wait before it starts again?"),
            "answers": [answer],
            "evidence": [[{"doc": format!("{name}-fact"), "quotes": [quote]}]],
        });
        writeln!(questions, "{question}").expect("a string");
    }
    questions
}

/// The arguments of a run named or resumed; `summary.json` goes to standard output.
pub fn run_args(flag: &str, name: &str) -> Vec<String> {
    ["run", "c.toml", "--out", "runs", "--json", flag, name].map(str::to_owned).to_vec()
}

/// An undisturbed run.
pub fn reference() -> Known {
    let bench = Bench::new(Network::sound());
    let output: Output =
        bench.project.command(&[]).args(run_args("--name", NAME)).output().expect("starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the undisturbed run: {text}");
    let known = Known {
        summary: Known::lasting(bench.project.summary(NAME)),
        outcomes: outcomes(&bench.project.read(&format!("runs/{NAME}/outcomes.jsonl"))),
        n_calls: bench.server.n_calls(),
    };
    known.assert_telling();
    known
}

/// The lines of `outcomes.jsonl` by question.
pub fn outcomes(text: &str) -> BTreeMap<String, Value> {
    text.lines()
        .map(|line| {
            let outcome: Value = serde_json::from_str(line).expect("a line of JSON");
            (outcome["index"].to_string(), outcome)
        })
        .collect()
}
