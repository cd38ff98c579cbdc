//! A chat model as a judge, over loopback: prompts, verdicts, cache, failures.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::AnswerJudge;
use crate::http::{Endpoint, JUDGE};
use crate::llm::openai::{OpenAi, OpenAiSettings};
use crate::llm::{CachedGenerator, Generator};
use ragtriage_core::config::Price;
use ragtriage_core::correctness::JudgeVerdict;
use ragtriage_core::text::tokens::{self, Tokenizer};
use ragtriage_core::types::{Origin, Question};

/// US dollars per million tokens.
const PRICE: Price = Price { prompt: 2.0, completion: 10.0 };

fn generator(server: &MockServer, model: &str) -> Arc<dyn Generator> {
    let url = format!("{}/v1", server.uri());
    let settings = OpenAiSettings {
        endpoint: Endpoint::new(&JUDGE, url, Duration::from_secs(20), 4),
        model: model.to_owned(),
        extra_body: Map::new(),
        temperature: 0.0,
        max_tokens: 64,
    };
    Arc::new(OpenAi::new(&settings, None).expect("valid settings"))
}

fn judge(generator: Arc<dyn Generator>) -> AnswerJudge {
    let counter = tokens::counter(Tokenizer::Cl100kBase, None).expect("built in");
    AnswerJudge::new(generator, counter, PRICE)
}

fn question() -> Question {
    Question {
        answers: vec!["6 minutes".to_owned()],
        ..Question::new("q".into(), "How long?".into())
    }
}

fn reply(text: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 4},
    }))
}

/// Calls "60 minutes" different, anything else the same.
fn sound(request: &Request) -> ResponseTemplate {
    let body: Value = serde_json::from_slice(&request.body).expect("JSON");
    let user = body["messages"][1]["content"].as_str().expect("a prompt");
    let is_same = !user.contains("60 minutes");
    reply(if is_same { "<think>hm</think> **SAME**" } else { "Different." })
}

async fn server() -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .respond_with(sound)
        .mount(&server)
        .await;
    server
}

#[tokio::test]
async fn verdicts_are_parsed_and_paid_once() {
    let server = server().await;
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("replies.sqlite");
    let cached = CachedGenerator::open(
        generator(&server, "m"),
        &cache,
        &ragtriage_core::notices::Notices::default(),
    );
    let judge = judge(Arc::new(cached.expect("opened")));
    let compare = |answer: &'static str| {
        let judge = &judge;
        async move { judge.compare(&question(), answer).await.expect("a reply") }
    };
    let first = compare("six minutes").await;
    assert_eq!(
        (first.verdict, first.origin, first.raw.as_str()),
        (JudgeVerdict::Same, Origin::Called, "<think>hm</think> **SAME**")
    );
    // 100 x $2 / 1e6 + 4 x $10 / 1e6.
    assert!((first.cost_usd - 0.000_24).abs() < 1e-12);
    let again = compare("six minutes").await;
    assert_eq!(
        (again.verdict, again.origin, again.cost_usd),
        (JudgeVerdict::Same, Origin::Cached, 0.0)
    );
    let wrong = compare("60 minutes").await;
    assert_eq!(wrong.verdict, JudgeVerdict::Different);
    assert_eq!(server.received_requests().await.expect("recorded").len(), 2);
}

#[tokio::test]
async fn another_model_is_another_judge() {
    let server = server().await;
    let [a, same, b] = ["a", "a", "b"].map(|model| judge(generator(&server, model)));
    assert_eq!(a.identity(), same.identity());
    assert_ne!(a.identity(), b.identity());
    assert!(a.identity().starts_with("a ") && a.identity().len() == 2 + 16);
}
