//! The protocol over loopback: requests, replies, error messages. Retries and keys are tested with the client.

use std::time::Duration;

use serde_json::{Map, Value, json};
use wiremock::matchers::{any, body_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::{OpenAi, OpenAiSettings, most_completion_tokens};
use crate::Error;
use crate::http::{Backoff, Endpoint, GENERATION, Secret};
use crate::llm::{Completion, Generator};
use ragtriage_core::hint::Hint;
use ragtriage_core::prompt::Prompt;
use ragtriage_core::types::{ErrorKind, Finish, Origin};

const KEY: &str = "sk-very-secret";

/// Four tries without waits.
fn settings(base_url: String) -> OpenAiSettings {
    let endpoint = Endpoint::new(&GENERATION, base_url, Duration::from_secs(20), 4);
    let api_key = Some(Secret::new(KEY.into()));
    let backoff = Backoff { first_wait: Duration::ZERO, ..endpoint.backoff };
    OpenAiSettings {
        endpoint: Endpoint { api_key, backoff, ..endpoint },
        model: "m".into(),
        extra_body: Map::new(),
        temperature: 0.0,
        max_tokens: 64,
    }
}

fn connect(settings: &OpenAiSettings) -> OpenAi {
    OpenAi::new(settings, None).expect("valid settings")
}

fn prompt() -> Prompt {
    Prompt {
        question: "q".into(),
        passages: Vec::new(),
        system: "Be brief.".into(),
        user: "Capital of France?".into(),
    }
}

fn paris() -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Paris"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 1, "total_tokens": 13},
    }))
}

async fn server(answers: Vec<(ResponseTemplate, u64)>) -> MockServer {
    let server = MockServer::start().await;
    for (answer, times) in answers {
        Mock::given(any())
            .respond_with(answer)
            .up_to_n_times(times)
            .expect(times)
            .mount(&server)
            .await;
    }
    server
}

async fn ask(server: &MockServer) -> Result<Completion, Error> {
    connect(&settings(format!("{}/v1", server.uri()))).generate(&prompt()).await
}

#[tokio::test]
async fn the_call_is_what_the_settings_say_and_nothing_more() {
    let server = MockServer::start().await;
    let mut settings = settings(format!("{}/v1/", server.uri()));
    settings.endpoint.headers = vec![("x-team".into(), Secret::new("blue".into()))];
    settings.extra_body = Map::from_iter([
        ("reasoning_effort".into(), json!("low")),
        ("max_tokens".into(), json!(8)),
    ]);
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .and(header("authorization", "Bearer sk-very-secret"))
        .and(header("content-type", "application/json"))
        .and(header("x-team", "blue"))
        .and(body_json(json!({
            "model": "m",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Capital of France?"}],
            "temperature": 0.0,
            "reasoning_effort": "low",
            "max_tokens": 8,
        })))
        .respond_with(paris())
        .expect(1)
        .mount(&server)
        .await;
    let generator = connect(&settings);
    let reply = generator.generate(&prompt()).await.expect("an answer");
    let expected = Completion {
        text: "Paris".into(),
        finish: Finish::Stop,
        origin: Origin::Called,
        prompt_tokens: Some(12),
        completion_tokens: Some(1),
        seconds: reply.seconds,
    };
    assert_eq!(reply, expected);
    assert_eq!(generator.name(), "m");
}

#[tokio::test]
async fn a_key_that_an_answer_echoes_is_hidden() {
    let whole = json!({"choices": [{"message": {"content": format!("Paris ({KEY})")}}]});
    let parts = json!({"choices": [{"message": {"content": [{"text": "Paris (sk-very"}, {"text": "-secret)"}]}}]});
    for body in [whole.to_string(), parts.to_string()] {
        let answer =
            ResponseTemplate::new(200).insert_header("x-echo", KEY).set_body_string(body.clone());
        let reply = ask(&server(vec![(answer, 1)]).await).await.expect("an answer");
        assert_eq!(reply.text, "Paris (***)", "{body}");
    }
}

#[tokio::test]
async fn max_completion_tokens_stand_for_max_tokens() {
    let server = server(vec![(paris(), 1)]).await;
    let mut settings = settings(server.uri());
    settings.extra_body = Map::from_iter([("max_completion_tokens".into(), json!(512))]);
    connect(&settings).generate(&prompt()).await.expect("an answer");
    let body: Value =
        server.received_requests().await.expect("recorded")[0].body_json().expect("JSON");
    assert_eq!((&body["max_completion_tokens"], &body["max_tokens"]), (&json!(512), &Value::Null));
    assert_eq!(most_completion_tokens(&settings.extra_body, settings.max_tokens), 512);
    assert_eq!(most_completion_tokens(&Map::new(), settings.max_tokens), 64);
}

#[test]
fn a_fingerprint_is_what_an_answer_depends_on_and_no_key() {
    let of = |settings: &OpenAiSettings| connect(settings).fingerprint().expect("one").to_owned();
    let base = settings(format!("https://h/v1?token={KEY}"));
    let mut same = base.clone();
    (same.endpoint.api_key, same.endpoint.concurrency) = (None, 9);
    assert_eq!(of(&base), of(&same));
    for other in [
        OpenAiSettings { model: "n".into(), ..base.clone() },
        settings("https://h/v2".into()),
        settings("https://h/v1?token=another".into()),
        OpenAiSettings { temperature: 0.5, ..base.clone() },
        OpenAiSettings { max_tokens: 65, ..base.clone() },
        OpenAiSettings { extra_body: Map::from_iter([("seed".into(), json!(7))]), ..base.clone() },
    ] {
        assert_ne!(of(&base), of(&other));
    }
    assert!(!of(&base).contains(KEY));
}

#[tokio::test]
async fn answers_that_are_no_completions_are_permanent_errors() {
    for answer in [
        ResponseTemplate::new(200).set_body_string("<html>hello</html>"),
        ResponseTemplate::new(200).set_body_json(json!({"choices": []})),
        ResponseTemplate::new(200).set_body_string("data: {\"choices\": []}\n\n"),
        ResponseTemplate::new(200),
    ] {
        let server = server(vec![(answer, 1)]).await;
        let error = ask(&server).await.expect_err("unreadable");
        assert!(error.may_be_billed(), "{error}");
        assert_eq!(error.kind, ErrorKind::Permanent);
        assert!(error.to_string().len() < 1_000);
    }
}

#[tokio::test]
async fn a_key_that_the_server_echoes_is_in_no_error() {
    for status in [400, 401, 429, 500] {
        for body in
            [json!({"error": {"message": format!("bad key {KEY}!")}}), json!([KEY]), Value::Null]
        {
            let answer = ResponseTemplate::new(status).set_body_json(body);
            let server = server(vec![]).await;
            Mock::given(any()).respond_with(answer).mount(&server).await;
            let mut settings = settings(server.uri());
            settings.endpoint.api_key = None;
            let key = Secret::new(format!("Bearer {KEY}"));
            settings.endpoint.headers = vec![("api-key".into(), key)];
            settings.endpoint.backoff.deadline = Duration::from_millis(50);
            let error = connect(&settings).generate(&prompt()).await.expect_err("an error status");
            assert!(!format!("{error}{error:?}").contains(KEY), "{error:?}");
        }
    }
}

#[tokio::test]
async fn a_rejected_parameter_is_answered_with_the_setting_that_replaces_it() {
    for (word, hint) in [
        ("max_tokens", "`generation.extra_body = { max_completion_tokens = 2048 }`"),
        ("temperature", "`generation.extra_body = { temperature = 1 }`"),
    ] {
        let message = format!("Unsupported parameter: '{word}'");
        let bad = json!({ "error": { "message": message } });
        let server = server(vec![(ResponseTemplate::new(400).set_body_json(bad), 1)]).await;
        let found = ask(&server).await.expect_err("rejected").hint().expect("a hint");
        assert!(found.contains(hint), "{found}");
    }
}

#[test]
fn settings_that_cannot_be_are_refused_by_name() {
    let good = settings("http://localhost/v1".into());
    let several = Map::from_iter([("n".into(), json!(2))]);
    for (bad, setting) in [
        (OpenAiSettings { model: String::new(), ..good.clone() }, "model"),
        (OpenAiSettings { extra_body: several, ..good.clone() }, "extra_body"),
        (settings("localhost".into()), "base_url"),
    ] {
        let error = OpenAi::new(&bad, None).err().expect("refused").to_string();
        assert!(error.starts_with(&format!("`generation.{setting}` ")), "{error}");
    }
    assert!(OpenAi::new(&good, None).is_ok());
}
