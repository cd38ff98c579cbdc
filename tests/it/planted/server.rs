//! An OpenAI-compatible server on loopback for thousands of calls: a thread a connection, kept alive, every call counted.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

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

/// A running server; it takes no new connection once dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    respond: Box<dyn Fn(&Asked) -> Said + Send + Sync>,
    latency: Duration,
    /// The prompts in the order they arrived.
    arrived: Mutex<Vec<String>>,
    more: Condvar,
    closing: AtomicBool,
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
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let address = listener.local_addr().expect("bound");
        let shared = Arc::new(Shared {
            respond: Box::new(respond),
            latency,
            arrived: Mutex::default(),
            more: Condvar::new(),
            closing: AtomicBool::new(false),
        });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if serving.closing.load(Ordering::SeqCst) {
                    return;
                }
                let shared = Arc::clone(&serving);
                // A client that is killed breaks its connections off: that is no failure of the server.
                thread::spawn(move || shared.serve(stream));
            }
        });
        Self { address, shared }
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The prompts that arrived until now, in order.
    pub fn arrived(&self) -> Vec<String> {
        self.shared.arrived.lock().expect("no holder panics").clone()
    }

    /// Waits until `n` prompts have arrived, or for `most`; whether they have.
    pub fn wait_for(&self, n: usize, most: Duration) -> bool {
        let arrived = self.shared.arrived.lock().expect("no holder panics");
        let (arrived, _) = self
            .shared
            .more
            .wait_timeout_while(arrived, most, |arrived| arrived.len() < n)
            .expect("no holder panics");
        arrived.len() >= n
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address); // wakes the accepting thread
    }
}

impl Shared {
    /// Answers the requests of one connection until the client closes it.
    fn serve(&self, stream: TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut writer = stream.try_clone()?;
        let mut reader = BufReader::new(stream);
        while let Some(body) = request(&mut reader)? {
            let asked = Asked::new(&body);
            self.arrived.lock().expect("no holder panics").push(asked.prompt.clone());
            self.more.notify_all();
            thread::sleep(self.latency);
            let said = (self.respond)(&asked);
            let body = said.body().to_string();
            let (status, length) = (said.status, body.len());
            let head = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {length}"
            );
            writer.write_all(format!("{head}\r\n\r\n{body}").as_bytes())?;
        }
        Ok(())
    }
}

/// The next request's body; `None` at the connection's end.
fn request(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Vec<u8>>> {
    let (mut length, mut line) = (0, String::new());
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().expect("a length");
            }
            None if line == "\r\n" => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(body))
}
