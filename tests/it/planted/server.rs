//! An OpenAI-compatible server on loopback for thousands of calls, every call counted.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::socket::{Sent, Socket, answer};

/// A prompt as the server got it, taken apart as the template `short-answer` puts it together.
pub struct Asked {
    /// System and user message.
    pub prompt: String,
    pub question: String,
    /// Title line and text of each; none where the prompt has none.
    pub passages: Vec<String>,
}

impl Asked {
    fn new(body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).expect("JSON");
        let messages = body["messages"].as_array().expect("messages");
        let prompt: Vec<&str> =
            messages.iter().map(|message| message["content"].as_str().expect("text")).collect();
        let prompt = prompt.join("\n\n");
        let (before, behind) = prompt.rsplit_once("\n\nQuestion: ").expect("the template's");
        let question =
            behind.split_once("\n\nUse only the passages.").expect("the template's").0.to_owned();
        let shown = before.split_once("Passages:\n\n").expect("the template's").1;
        let passages = match shown {
            "(no passages)" => Vec::new(),
            shown => shown.split("\n\n[").map(str::to_owned).collect(),
        };
        Self { prompt, question, passages }
    }
}

/// A reply.
pub struct Said {
    pub status: u16,
    pub text: String,
    /// The prompt's tokens that the server says it read.
    pub prompt_tokens: Option<usize>,
    pub finish_reason: &'static str,
}

impl Said {
    pub fn text(text: impl Into<String>) -> Self {
        Self { status: 200, text: text.into(), prompt_tokens: None, finish_reason: "stop" }
    }

    fn body(&self) -> Value {
        if self.status != 200 {
            return json!({"error": {"message": self.text}});
        }
        let message = json!({"role": "assistant", "content": self.text});
        let usage = self.prompt_tokens.map(|n| json!({"prompt_tokens": n, "completion_tokens": 5}));
        json!({"choices": [{"message": message, "finish_reason": self.finish_reason}], "usage": usage})
    }
}

/// A running server; its threads end with the process.
pub struct Server {
    socket: Socket,
    arrived: Arc<Arrived>,
}

/// The prompts in the order they arrived.
#[derive(Default)]
struct Arrived {
    prompts: Mutex<Vec<String>>,
    more: Condvar,
}

impl Server {
    pub fn start(respond: impl Fn(&Asked) -> Said + Send + Sync + 'static) -> Self {
        Self::slow(Duration::ZERO, respond)
    }

    /// Waits `latency` before each reply.
    pub fn slow(
        latency: Duration,
        respond: impl Fn(&Asked) -> Said + Send + Sync + 'static,
    ) -> Self {
        let arrived = Arc::<Arrived>::default();
        let seen = Arc::clone(&arrived);
        let socket = Socket::start(move |request| {
            let (_, body) = request.split_once("\r\n\r\n").expect("a whole request");
            let asked = Asked::new(body.as_bytes());
            seen.prompts.lock().expect("no holder panics").push(asked.prompt.clone());
            seen.more.notify_all();
            thread::sleep(latency);
            let said = respond(&asked);
            let (status, body) = (format!("{} X", said.status), said.body().to_string());
            Sent::KeptOpen(answer(&status, &["content-type: application/json"], &body))
        });
        Self { socket, arrived }
    }

    pub fn base_url(&self) -> String {
        self.socket.base_url()
    }

    /// The prompts that arrived until now, in order.
    pub fn arrived(&self) -> Vec<String> {
        self.arrived.prompts.lock().expect("no holder panics").clone()
    }

    /// Waits until `n` prompts have arrived, or for `most`; whether they have.
    pub fn wait_for(&self, n: usize, most: Duration) -> bool {
        let prompts = self.arrived.prompts.lock().expect("no holder panics");
        let more = &self.arrived.more;
        let waited = more.wait_timeout_while(prompts, most, |prompts| prompts.len() < n);
        waited.expect("no holder panics").0.len() >= n
    }
}
