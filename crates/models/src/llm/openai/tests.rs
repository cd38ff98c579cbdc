//! The protocol over loopback: requests, retries, error messages.

use ragtriage_core::hint::Hint;
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::{Map, Value, json};
use wiremock::matchers::{any, body_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::{LARGEST_ANSWER_BYTES, OpenAi, OpenAiSettings, connect, most_completion_tokens};
use crate::llm::{Completion, ErrorClass, Generator, LlmError, Retrying, Secret};
use ragtriage_core::prompt::Prompt;
use ragtriage_core::types::{Finish, Origin, QuestionKind};
use ragtriage_http::{Backoff, HttpError};

const KEY: &str = "sk-very-secret";

fn settings(base_url: String) -> OpenAiSettings {
    OpenAiSettings {
        base_url,
        model: "m".into(),
        api_key: Some(Secret::new(KEY.into())),
        headers: Vec::new(),
        extra_body: Map::new(),
        temperature: Some(0.0),
        top_p: None,
        seed: None,
        max_tokens: Some(64),
        stop: Vec::new(),
        timeout: Duration::from_secs(20),
        deadline: Duration::from_secs(50),
        concurrency: 4,
        ca_file: None,
    }
}

/// Creates the generator as `connect` does, but without waits.
fn at_once(settings: &OpenAiSettings) -> Retrying<OpenAi> {
    let backoff =
        Backoff { first_wait: Duration::ZERO, ..Backoff::new(4, Duration::from_secs(50)) };
    let inner = OpenAi::new(settings).expect("valid settings");
    let pause = inner.pause.clone();
    Retrying::new(inner, settings.concurrency, pause, backoff).expect("valid patience")
}

fn prompt() -> Prompt {
    Prompt {
        question: "q".into(),
        kind: QuestionKind::Span,
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

async fn ask(server: &MockServer) -> Result<Completion, LlmError> {
    at_once(&settings(format!("{}/v1", server.uri()))).generate(&prompt()).await
}

#[tokio::test]
async fn the_call_is_what_the_settings_say_and_nothing_more() {
    let server = MockServer::start().await;
    let mut settings = settings(format!("{}/v1/", server.uri()));
    settings.headers = vec![("x-team".into(), Secret::new("blue".into()))];
    settings.extra_body = Map::from_iter([
        ("reasoning_effort".into(), json!("low")),
        ("max_tokens".into(), json!(8)),
    ]);
    settings.seed = Some(7);
    settings.stop = vec!["\n\n".into()];
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .and(header("authorization", "Bearer sk-very-secret"))
        .and(header("content-type", "application/json"))
        .and(header("x-team", "blue"))
        .and(body_json(json!({
            "model": "m",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Capital of France?"}],
            "temperature": 0.0,
            "seed": 7,
            "stop": ["\n\n"],
            "reasoning_effort": "low",
            "max_tokens": 8,
        })))
        .respond_with(paris())
        .expect(1)
        .mount(&server)
        .await;
    let generator = connect(&settings, None).expect("valid settings");
    let reply = generator.generate(&prompt()).await.expect("an answer");
    let expected = Completion {
        text: "Paris".into(),
        finish: Finish::Stop,
        origin: Origin::Called,
        prompt_tokens: Some(12),
        completion_tokens: Some(1),
    };
    assert_eq!(reply, expected);
    assert_eq!(generator.name(), "m");
}

#[tokio::test]
async fn a_key_that_an_answer_echoes_is_hidden() {
    let whole = json!({"choices": [{"message": {"content": format!("Paris ({KEY})")}}]});
    let parts = json!({"choices": [{"message": {"content": [{"text": "Paris (sk-very"}, {"text": "-secret)"}]}}]});
    let event = |text: &str| {
        let delta = json!({"choices": [{"delta": {"content": text}}]});
        format!("data: {delta}\n\n")
    };
    let stream = format!("{}{}data: [DONE]\n\n", event("Paris (sk-very"), event("-secret)"));
    for body in [whole.to_string(), parts.to_string(), stream] {
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
    connect(&settings, None).expect("valid").generate(&prompt()).await.expect("an answer");
    let body: Value =
        server.received_requests().await.expect("recorded")[0].body_json().expect("JSON");
    assert_eq!((&body["max_completion_tokens"], &body["max_tokens"]), (&json!(512), &Value::Null));
    assert_eq!(most_completion_tokens(&settings.extra_body, settings.max_tokens), Some(512));
    assert_eq!(most_completion_tokens(&Map::new(), settings.max_tokens), Some(64));
}

#[test]
fn a_fingerprint_is_what_an_answer_depends_on_and_no_key() {
    let of = |settings: &OpenAiSettings| {
        OpenAi::new(settings).expect("valid").fingerprint().expect("one").to_owned()
    };
    let base = settings(format!("https://h/v1?token={KEY}"));
    let same = OpenAiSettings { api_key: None, concurrency: 9, ..base.clone() };
    assert_eq!(of(&base), of(&same));
    for other in [
        OpenAiSettings { model: "n".into(), ..base.clone() },
        OpenAiSettings { base_url: "https://h/v2".into(), ..base.clone() },
        OpenAiSettings { base_url: "https://h/v1?token=another".into(), ..base.clone() },
        OpenAiSettings { temperature: Some(0.5), ..base.clone() },
        OpenAiSettings { max_tokens: None, ..base.clone() },
        OpenAiSettings { stop: vec!["x".into()], ..base.clone() },
    ] {
        assert_ne!(of(&base), of(&other));
    }
    assert!(!of(&base).contains(KEY));
}

#[tokio::test]
async fn an_answer_that_says_the_limit_is_used_up_holds_back_the_next_call() {
    let last = paris()
        .insert_header("x-ratelimit-remaining-requests", "0")
        .insert_header("x-ratelimit-reset-requests", "40s");
    let server = server(vec![(last, 1)]).await;
    let generator = at_once(&settings(server.uri()));
    generator.generate(&prompt()).await.expect("an answer");
    let prompt = prompt();
    assert!(generator.generate(&prompt).now_or_never().is_none(), "it waits without a call");
    assert_eq!(server.received_requests().await.map(|requests| requests.len()), Some(1));
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_as_the_server_says() {
    let limited = ResponseTemplate::new(429).insert_header("retry-after", "0");
    let server = server(vec![(limited, 1), (paris(), 1)]).await;
    assert_eq!(ask(&server).await.expect("the second try answers").text, "Paris");
}

#[tokio::test]
async fn server_faults_are_tried_again() {
    let server = server(vec![(ResponseTemplate::new(500), 2), (paris(), 1)]).await;
    assert_eq!(ask(&server).await.expect("the third try answers").text, "Paris");
}

#[tokio::test]
async fn after_the_last_try_the_error_says_how_many_there_were() {
    let busy = ResponseTemplate::new(503).set_body_string("loading\u{1b}[31m\n\n the model");
    let server = server(vec![(busy, 4)]).await;
    let error = ask(&server).await.expect_err("four tries, four failures");
    assert_eq!(error.class(), ErrorClass::Transient);
    let expected = format!(
        "after 4 tries: `{}/v1/chat/completions` is busy or failing: status 503: loading the model",
        server.uri()
    );
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn a_rejected_call_is_made_once() {
    let bad =
        ResponseTemplate::new(400).set_body_json(json!({"error": {"message": "no such model"}}));
    let server = server(vec![(bad, 1)]).await;
    let error = ask(&server).await.expect_err("rejected");
    assert!(
        matches!(&error, LlmError::Rejected { status: 400, excerpt, .. } if excerpt == "no such model"),
        "{error}"
    );
    assert_eq!(error.class(), ErrorClass::Permanent);
}

#[tokio::test]
async fn a_prompt_beyond_the_context_is_too_long_and_not_repeated() {
    let long = json!({"error": {"message": "This model's maximum context length is 10", "code": "context_length_exceeded"}});
    let server = server(vec![(ResponseTemplate::new(400).set_body_json(long), 1)]).await;
    assert_eq!(ask(&server).await.expect_err("too long").class(), ErrorClass::TooLong);
}

#[tokio::test]
async fn answers_that_are_no_completions_are_permanent_errors() {
    for answer in [
        ResponseTemplate::new(200).set_body_string("<html>hello</html>"),
        ResponseTemplate::new(200).set_body_json(json!({"choices": []})),
        ResponseTemplate::new(200).set_body_string("data: {\"choices\": []}\n\n"),
        ResponseTemplate::new(200).set_body_bytes(vec![b'a'; LARGEST_ANSWER_BYTES + 1]),
        ResponseTemplate::new(200),
    ] {
        let server = server(vec![(answer, 1)]).await;
        let error = ask(&server).await.expect_err("unreadable");
        assert!(
            matches!(
                error,
                LlmError::Http(HttpError::Unreadable { .. } | HttpError::TooLarge { .. })
            ),
            "{error}"
        );
        assert_eq!(error.class(), ErrorClass::Permanent);
        assert!(error.to_string().len() < 1_000);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = server(vec![]).await;
    let redirect =
        ResponseTemplate::new(307).insert_header("location", format!("{}/x", elsewhere.uri()));
    let server = server(vec![(redirect, 1)]).await;
    let error = ask(&server).await.expect_err("redirected");
    assert!(matches!(error, LlmError::Http(HttpError::Redirected { status: 307, .. })), "{error}");
    assert_eq!(elsewhere.received_requests().await.map(|requests| requests.len()), Some(0));
}

#[tokio::test]
async fn a_slow_server_times_out() {
    let server = server(vec![]).await;
    Mock::given(any())
        .respond_with(paris().set_delay(Duration::from_secs(30)))
        .mount(&server)
        .await;
    let mut settings = settings(server.uri());
    settings.timeout = Duration::from_millis(20);
    let error = OpenAi::new(&settings)
        .expect("valid")
        .generate(&prompt())
        .await
        .expect_err("30 s are more than 20 ms");
    assert!(matches!(error, LlmError::Http(HttpError::TimedOut { .. })), "{error}");
    assert_eq!(error.class(), ErrorClass::Transient);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_what_to_start() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("bound")
        .port();
    let generator = at_once(&settings(format!("http://user:{KEY}@127.0.0.1:{port}/v1?key={KEY}")));
    let error = generator.generate(&prompt()).await.expect_err("nobody listens");
    let shown = format!("`http://127.0.0.1:{port}/v1/chat/completions` cannot be reached");
    assert!(error.to_string().contains(&shown), "{error}");
    assert!(error.hint().expect("a hint").contains("ollama serve"));
    assert!(!format!("{error}{error:?}").contains(KEY));
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
            settings.api_key = None;
            settings.headers = vec![("api-key".into(), Secret::new(format!("Bearer {KEY}")))];
            let error = OpenAi::new(&settings)
                .expect("valid")
                .generate(&prompt())
                .await
                .expect_err("an error status");
            assert!(!format!("{error}{error:?}").contains(KEY), "{error:?}");
        }
    }
}

#[test]
fn secrets_go_unencrypted_to_this_machine_only() {
    for base_url in
        ["http://10.0.0.5:8000/v1", "http://example.org/v1", "http://localhost.example.org"]
    {
        assert!(
            matches!(
                OpenAi::new(&settings(base_url.into())),
                Err(LlmError::Http(HttpError::KeyInClear { .. }))
            ),
            "{base_url}"
        );
        let keyless = OpenAiSettings { api_key: None, ..settings(base_url.into()) };
        assert!(OpenAi::new(&keyless).is_ok(), "{base_url}");
        let headed = OpenAiSettings {
            headers: vec![("api-key".into(), Secret::new("k".into()))],
            ..keyless
        };
        assert!(
            matches!(OpenAi::new(&headed), Err(LlmError::Http(HttpError::KeyInClear { .. }))),
            "{base_url}"
        );
    }
    let user = OpenAiSettings { api_key: None, ..settings("http://user:pw@example.org/v1".into()) };
    assert!(matches!(OpenAi::new(&user), Err(LlmError::Http(HttpError::KeyInClear { .. }))));
    assert!(OpenAi::new(&settings("https://example.org/v1".into())).is_ok());
    assert!(OpenAi::new(&settings("http://[::1]:8000/v1".into())).is_ok());
}

#[test]
fn settings_that_cannot_be_are_refused_by_name() {
    let good = settings("http://localhost/v1".into());
    let named = |settings: &OpenAiSettings| match connect(settings, None) {
        Err(LlmError::BadSetting { setting, .. }) => setting,
        Err(LlmError::Http(HttpError::CaFile { .. })) => "file",
        _ => "",
    };
    assert_eq!(named(&good), "");
    assert_eq!(named(&OpenAiSettings { model: String::new(), ..good.clone() }), "model");
    assert_eq!(named(&OpenAiSettings { concurrency: 0, ..good.clone() }), "concurrency");
    assert_eq!(named(&OpenAiSettings { timeout: Duration::ZERO, ..good.clone() }), "timeout_s");
    assert_eq!(named(&OpenAiSettings { deadline: Duration::ZERO, ..good.clone() }), "deadline_s");
    assert_eq!(
        named(&OpenAiSettings { api_key: Some(Secret::new("a\nb".into())), ..good.clone() }),
        "api_key"
    );
    let header = vec![("a b".into(), Secret::new("v".into()))];
    assert_eq!(named(&OpenAiSettings { headers: header, ..good.clone() }), "headers_env");
    let stream = Map::from_iter([("stream".into(), json!(true))]);
    assert_eq!(named(&OpenAiSettings { extra_body: stream, ..good.clone() }), "extra_body");
    assert_eq!(
        named(&OpenAiSettings { ca_file: Some("no/such.pem".into()), ..good.clone() }),
        "file"
    );
    let mut no_pem = tempfile::NamedTempFile::new().expect("a temporary file");
    std::io::Write::write_all(&mut no_pem, b"no certificate").expect("written");
    assert_eq!(
        named(&OpenAiSettings { ca_file: Some(no_pem.path().to_owned()), ..good }),
        "ca_file"
    );
}
