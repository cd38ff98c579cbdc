//! The endpoints of generator and reranker: the same request always gets the same answer, unless the network fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::network::Network;
use crate::socket::{Sent, Socket, answer};

/// A running server; its threads end with the process.
pub struct Server {
    socket: Socket,
    n_calls: Arc<AtomicUsize>,
    network: Arc<Network>,
}

impl Server {
    pub fn start(network: Network) -> Self {
        let (n_calls, network) = (Arc::new(AtomicUsize::new(0)), Arc::new(network));
        let (counter, wires) = (Arc::clone(&n_calls), Arc::clone(&network));
        let socket = Socket::start(move |request| {
            let n = counter.fetch_add(1, Ordering::SeqCst);
            wires.send(n, || reply(request))
        });
        Self { socket, n_calls, network }
    }

    pub fn port(&self) -> u16 {
        self.socket.port()
    }

    /// Calls until now.
    pub fn n_calls(&self) -> usize {
        self.n_calls.load(Ordering::SeqCst)
    }

    /// Answers every further call.
    pub fn heal(&self) {
        self.network.heal();
    }

    /// Waits for the `n`-th call from now; returns false if `has_ended` does first.
    pub fn wait_for(&self, n: usize, limit: Duration, mut has_ended: impl FnMut() -> bool) -> bool {
        let (target, began) = (self.n_calls() + n, Instant::now());
        while self.n_calls() < target {
            if has_ended() || began.elapsed() > limit {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }
}

fn reply(request: &str) -> Sent {
    let (head, body) = request.split_once("\r\n\r\n").expect("a whole request");
    let body: Value = serde_json::from_str(body).expect("JSON");
    let reply = if head.starts_with("POST /rerank") { scores(&body) } else { completion(&body) };
    Sent::KeptOpen(answer("200 OK", &["content-type: application/json"], &reply.to_string()))
}

/// The reranker does not recognise the documents with the minutes of names of six letters.
fn knows(name: &str) -> bool {
    name.len() != 6
}

/// Prefers documents with a number, where it recognises them, then those that share many words with the query.
fn scores(body: &Value) -> Value {
    let words =
        |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_lowercase).collect() };
    let query = words(body["query"].as_str().expect("a query"));
    let documents = body["documents"].as_array().expect("documents");
    let results: Vec<Value> = documents
        .iter()
        .enumerate()
        .map(|(index, document)| {
            let text = words(document.as_str().expect("a text"));
            let shared = query.iter().filter(|word| text.contains(word)).count();
            let is_fact = document.as_str().is_some_and(|text| text.contains(char::is_numeric));
            let bonus = if is_fact && knows(&query[5]) { 0.5 } else { 0.0 };
            let score = shared as f64 / query.len() as f64 + bonus;
            json!({"index": index, "relevance_score": score})
        })
        .collect();
    json!({ "results": results })
}

/// Reads the minutes of the pump that is asked for from the prompt, if its sentence is there; misreads names with an `r`.
fn completion(body: &Value) -> Value {
    let messages = body["messages"].as_array().expect("messages");
    let prompt = messages.last().expect("one")["content"].as_str().expect("text");
    let text = found(prompt).unwrap_or_else(|| "14 minutes".to_owned());
    json!({
        "choices": [{"message": {"role": "assistant", "content": format!("Answer: {text}")}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 5},
    })
}

fn found(prompt: &str) -> Option<String> {
    let (_, asked) = prompt.rsplit_once("How many minutes does the ")?;
    let name = asked.split(' ').next()?;
    let start = format!("The {name} pump at the ");
    let mut sentences = prompt.split(&start).skip(1);
    let minutes = sentences.find_map(|rest| rest.split(" waits ").nth(1)?.split(' ').next())?;
    let digits = if name.contains('r') { "7" } else { minutes };
    Some(format!("{digits} minutes"))
}
