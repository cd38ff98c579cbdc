//! An OpenAI-compatible server on loopback, answering as a test says.

use std::io::ErrorKind;
use std::net::TcpListener;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// A running server; gone at the end.
pub struct Endpoint {
    // Dropped before the runtime that it runs on.
    server: MockServer,
    runtime: Runtime,
}

/// Another test's connection may hold a port that was free a moment ago: it is waited for.
async fn bind(port: Option<u16>) -> TcpListener {
    loop {
        match TcpListener::bind(("127.0.0.1", port.unwrap_or(0))) {
            Err(error) if error.kind() == ErrorKind::AddrInUse => tokio::task::yield_now().await,
            bound => return bound.expect("a port"),
        }
    }
}

impl Endpoint {
    /// Answers `POST /v1/chat/completions` by `respond`; on `port` where one is given.
    pub fn start(port: Option<u16>, respond: impl Respond + 'static) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let server = runtime.block_on(async {
            let listener = bind(port).await;
            let server = MockServer::builder().listener(listener).start().await;
            Mock::given(method("POST"))
                .and(path("/v1/chat/completions"))
                .respond_with(respond)
                .mount(&server)
                .await;
            server
        });
        Self { server, runtime }
    }

    /// Answers `POST` to another path, too.
    pub fn answer(&self, at: &str, respond: impl Respond + 'static) {
        self.runtime.block_on(
            Mock::given(method("POST")).and(path(at)).respond_with(respond).mount(&self.server),
        );
    }

    /// Answers `GET` of a path.
    pub fn answer_get(&self, at: &str, respond: impl Respond + 'static) {
        self.runtime.block_on(
            Mock::given(method("GET")).and(path(at)).respond_with(respond).mount(&self.server),
        );
    }

    /// Without a path.
    pub fn uri(&self) -> String {
        self.server.uri()
    }

    pub fn base_url(&self) -> String {
        format!("{}/v1", self.server.uri())
    }

    pub fn port(&self) -> u16 {
        self.server.address().port()
    }

    /// What was received until now.
    pub fn requests(&self) -> Vec<Request> {
        self.runtime.block_on(self.server.received_requests()).expect("recorded")
    }
}

/// `--set` arguments of an endpoint.
pub fn sets(base_url: &str) -> Vec<String> {
    let base_url = format!("generation.base_url={base_url}");
    let all = [
        "--set",
        "generation.generator=openai",
        "--set",
        "generation.model=tiny",
        "--set",
        &base_url,
    ];
    all.map(str::to_owned).to_vec()
}

/// The user's message.
pub fn user_message(request: &Request) -> String {
    let body: Value = serde_json::from_slice(&request.body).expect("JSON");
    let messages = body["messages"].as_array().expect("messages");
    messages.last().expect("one")["content"].as_str().expect("text").to_owned()
}

/// A reply that says `text`.
pub fn says(text: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]
    }))
}

/// The correct answers to [`crate::project::QUESTIONS`], told apart by the question in the prompt.
pub fn knows(request: &Request) -> ResponseTemplate {
    let asked = user_message(request);
    if asked.contains("How long does alpha wait?") {
        says("The first passage says so.\nAnswer: six minutes")
    } else {
        says("Answer: Beta")
    }
}

/// The same answers with a bill: 1,000 tokens of the prompt and 7 of the answer a call.
pub fn knows_and_bills(request: &Request) -> ResponseTemplate {
    let text = if user_message(request).contains("alpha") {
        "Answer: six minutes"
    } else {
        "Answer: Beta"
    };
    ResponseTemplate::new(200).set_body_json(json!({
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 7}
    }))
}

/// Gives a gold answer of `questions`, which are lines of JSON, where a passage of the prompt has it.
pub fn reads(questions: &str) -> impl Respond + use<> {
    let known: Vec<(String, Vec<String>)> = questions
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|question| {
            let answers = question["answers"].as_array().into_iter().flatten();
            let answers = answers.filter_map(Value::as_str).map(str::to_owned).collect();
            (question["text"].as_str().unwrap_or_default().to_owned(), answers)
        })
        .collect();
    move |request: &Request| {
        let prompt = user_message(request);
        let found = known.iter().find(|(text, _)| prompt.contains(text.as_str()));
        let answer = found.and_then(|(text, answers)| {
            let passages = prompt.replace(text.as_str(), "").to_lowercase();
            answers.iter().find(|answer| passages.contains(&answer.to_lowercase()))
        });
        says(&format!("Answer: {}", answer.map_or("I don't know.", String::as_str)))
    }
}
