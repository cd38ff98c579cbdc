//! Replies of endpoints: chat, embeddings, rerank, an external RAG; a body with its status, or raw bytes in place of HTTP.

#![no_main]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use ragtriage_clients::embed::{Encoder, Remote, Role};
use ragtriage_clients::http::{self, Backoff, ENCODER, EXTERNAL, GENERATION, RERANKER};
use ragtriage_clients::llm::Generator;
use ragtriage_clients::llm::openai::{OpenAi, OpenAiSettings};
use ragtriage_clients::rerank::{RemoteReranker, Reranker};
use ragtriage_clients::service::{Rag, Service};
use ragtriage_core::config::{DenseSettings, ExternalSettings, RerankApi};
use ragtriage_core::prompt::Prompt;
use ragtriage_core::types::{Question, TitledText};

/// What the server sends.
static REPLY: Mutex<Vec<u8>> = Mutex::new(Vec::new());
const TIMEOUT: Duration = Duration::from_secs(5);

struct Clients {
    runtime: tokio::runtime::Runtime,
    chat: OpenAi,
    encoder: Remote,
    rerankers: [RemoteReranker; 2],
    service: Service,
}

static CLIENTS: LazyLock<Clients> = LazyLock::new(|| {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = serve(stream.expect("a connection")); // the client may close first
        }
    });
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let at = |names| http::Endpoint {
        // A call that is turned away with status 429 is made again until then.
        backoff: Backoff::new(1, Duration::from_millis(200)),
        ..http::Endpoint::new(names, url.clone(), TIMEOUT, 1)
    };
    let chat = OpenAiSettings {
        endpoint: at(&GENERATION),
        model: "m".to_owned(),
        extra_body: serde_json::Map::new(),
        temperature: 0.0,
        max_tokens: 64,
    };
    let dense = DenseSettings { dimensions: Some(2), ..DenseSettings::default() };
    let rerankers = [RerankApi::Cohere, RerankApi::Tei]
        .map(|form| RemoteReranker::new(&at(&RERANKER), form, "m".to_owned()).expect("settings"));
    let encoder = runtime.block_on(Remote::open(&at(&ENCODER), &dense)).expect("settings");
    let pointers =
        ExternalSettings { contexts: Some("/docs".to_owned()), ..ExternalSettings::default() };
    let service = Service::new(&at(&EXTERNAL), &pointers, true);
    let service = service.unwrap_or_else(|error| panic!("{error}"));
    Clients { runtime, chat: OpenAi::new(&chat, None).expect("settings"), encoder, rerankers, service }
});

/// Reads one request and sends the reply.
fn serve(mut stream: TcpStream) -> std::io::Result<()> {
    let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
    while !is_whole(&request) {
        let n = stream.read(&mut buffer)?;
        if n == 0 {
            return Ok(());
        }
        request.extend_from_slice(&buffer[..n]);
    }
    let reply = REPLY.lock().expect("no holder panics").clone();
    stream.write_all(&reply)
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.map_or(0, |length| length.parse().expect("our own client's header"))
}

fuzz_target!(|bytes: &[u8]| {
    let Some(([api, status], body)) = bytes.split_first_chunk() else { return };
    let status =
        ["200 OK", "400 Bad Request", "429 Too Many Requests", "raw"][usize::from(*status) % 4];
    let mut reply = Vec::new();
    if status != "raw" {
        let head = format!(
            "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        reply.extend_from_slice(head.as_bytes());
    }
    reply.extend_from_slice(body);
    *REPLY.lock().expect("no holder panics") = reply;
    let Clients { runtime, chat, encoder, rerankers, service } = &*CLIENTS;
    let texts = ["a", "b"].map(TitledText::untitled);
    runtime.block_on(async {
        match api % 5 {
            0 => drop(ended(chat.generate(&prompt()).await)),
            1 => {
                let vectors = encoder.encode(&texts, Role::Passage, &|_| {}).await;
                if let Some(vectors) = ended(vectors) {
                    assert!(vectors.len() == 2 && vectors.iter().all(|vector| vector.len() == 2));
                    assert!(vectors.iter().flatten().all(|number| number.is_finite()));
                }
            }
            4 => {
                let question = Question::new("q".into(), "q".to_owned());
                if let Some(recorded) = ended(service.ask(&question).await) {
                    assert!(recorded.id.is_none_or(|id| id == "q"));
                }
            }
            n => {
                let scores = rerankers[usize::from(n) - 2].scores("q", &texts).await;
                if let Some(scores) = ended(scores) {
                    assert!(scores.len() == 2 && scores.iter().all(|score| score.is_finite()));
                }
            }
        };
    });
});

/// The value, or nothing where the error says why.
fn ended<T, E: std::fmt::Display>(result: Result<T, E>) -> Option<T> {
    result.map_err(|error| assert!(!error.to_string().is_empty())).ok()
}

fn prompt() -> Prompt {
    Prompt {
        question: "q".to_owned(),
        passages: Vec::new(),
        system: String::new(),
        user: "q".to_owned(),
    }
}
