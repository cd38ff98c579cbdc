//! Tests of the client over loopback: retries, permanent failures, and error messages.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wiremock::matchers::{any, body_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::{Backoff, Client, Endpoint, Secret, ServiceNames};
use crate::Error;
use crate::error::Fault;
use ragtriage_core::hint::Hint;
use ragtriage_core::types::ErrorKind;

static NAMES: ServiceNames = ServiceNames {
    table: "sums",
    url: "url",
    example: "http://localhost:8080",
    path: "/sum",
    server: "an adder",
    commands: "",
};

const KEY: &str = "sk-very-secret";

#[derive(Debug, Deserialize, PartialEq)]
struct Sum {
    sum: u32,
}

/// Returns four tries without waits.
fn at_once() -> Backoff {
    Backoff { first_wait: Duration::ZERO, ..Backoff::new(4, Duration::from_secs(50)) }
}

fn settings(uri: &str) -> Endpoint {
    let api_key = Some(Secret::new(KEY.to_owned()));
    let endpoint = Endpoint::new(&NAMES, uri.to_owned(), Duration::from_mins(2), 2);
    Endpoint { api_key, backoff: at_once(), ..endpoint }
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

fn good() -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({ "sum": 3, "more": null }))
}

async fn ask(server: &MockServer) -> Result<Sum, Error> {
    call(settings(&server.uri())).await
}

async fn call<T: DeserializeOwned>(endpoint: Endpoint) -> Result<T, Error> {
    Client::new(&endpoint).expect("valid settings").post(&[1, 2], &[]).await
}

#[tokio::test]
async fn a_call_carries_its_key_and_its_answer_is_read() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/sum"))
        .and(header("authorization", "Bearer sk-very-secret"))
        .and(header("content-type", "application/json"))
        .and(header("x-team", "blue"))
        .and(body_json(json!([1, 2])))
        .respond_with(good())
        .expect(1)
        .mount(&server)
        .await;
    let headers = vec![("x-team".to_owned(), Secret::new("blue".to_owned()))];
    let settings = Endpoint { headers, ..settings(&server.uri()) };
    let sum: Sum = call(settings).await.expect("an answer");
    assert_eq!(sum, Sum { sum: 3 });
}

#[tokio::test]
async fn what_is_transient_is_tried_again_as_the_server_asks() {
    let limited = |wait| (ResponseTemplate::new(429).insert_header("retry-after", wait), 1);
    let by_now = limited("Wed, 21 Oct 2015 07:28:00 GMT");
    let server =
        server(vec![limited("0"), by_now, (ResponseTemplate::new(500), 1), (good(), 1)]).await;
    assert_eq!(ask(&server).await.expect("the fourth try answers"), Sum { sum: 3 });
}

#[tokio::test]
async fn after_the_last_try_the_error_says_how_many_there_were() {
    let busy = ResponseTemplate::new(503)
        .set_body_json(json!({ "error": "loading\u{1b}[31m\n\n the model" }));
    let server = server(vec![(busy, 4)]).await;
    let error = ask(&server).await.expect_err("four tries, four failures");
    let expected = format!(
        "after 4 tries: `{}/sum` answered with status 503: loading the model",
        server.uri()
    );
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn what_no_further_try_mends_is_tried_once() {
    for (answer, part) in [
        (ResponseTemplate::new(404), "answered with status 404"),
        (
            ResponseTemplate::new(200).set_body_string("<html>hello</html>"),
            "cannot be read: expected value",
        ),
        (
            ResponseTemplate::new(200).set_body_json(json!({ "sum": "3" })),
            "cannot be read: invalid type",
        ),
        (ResponseTemplate::new(200), "cannot be read: EOF"),
    ] {
        let error = ask(&server(vec![(answer, 1)]).await).await.expect_err("no sum");
        assert!(error.to_string().contains(part) && error.kind == ErrorKind::Permanent, "{error}");
        assert!(error.to_string().len() < 1_000);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = server(vec![]).await;
    let redirect =
        ResponseTemplate::new(307).insert_header("location", format!("{}/x", elsewhere.uri()));
    let error = ask(&server(vec![(redirect, 1)]).await).await.expect_err("redirected");
    assert_eq!(error.fault, Some(Fault::Redirected), "{error}");
    assert!(error.to_string().ends_with("redirects to another address: status 307"));
    let hint = "set `sums.url` to the target of the redirect, if you trust it";
    assert_eq!(error.hint().as_deref(), Some(hint));
    assert_eq!(elsewhere.received_requests().await.map(|requests| requests.len()), Some(0));
}

#[tokio::test]
async fn a_slow_server_times_out_and_the_deadline_holds_for_all_tries() {
    let server = server(vec![]).await;
    Mock::given(any()).respond_with(good().set_delay(Duration::from_secs(30))).mount(&server).await;
    let once = Backoff { tries: 1, ..at_once() };
    let timeout = Duration::from_millis(20);
    let slow = Endpoint { timeout, backoff: once, ..settings(&server.uri()) };
    let error = call::<Sum>(slow).await.expect_err("30 s, not 20 ms");
    assert!(error.to_string().ends_with("did not respond within 0.02 s"), "{error}");
    let short = Backoff { deadline: Duration::from_millis(20), ..at_once() };
    let patient = Endpoint { backoff: short, ..settings(&server.uri()) };
    let error = call::<Sum>(patient).await.expect_err("30 s are more than 20 ms");
    assert_eq!(error.to_string(), "no response within the deadline of 0.02 s");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_its_secrets() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("bound")
        .port();
    let settings = settings(&format!("http://user:{KEY}@127.0.0.1:{port}?key={KEY}"));
    let error = call::<Value>(settings).await.expect_err("nothing listens");
    let shown = format!("after 4 tries: `http://127.0.0.1:{port}/sum` cannot be reached");
    assert!(error.to_string().starts_with(&shown), "{error}");
    assert!(!format!("{error}{error:?}").contains(KEY));
}

#[tokio::test]
async fn a_key_that_the_server_echoes_is_in_no_error() {
    for status in [200, 400, 401, 429, 500] {
        for body in
            [json!({ "error": { "message": format!("bad key {KEY}!") } }), json!([KEY]), json!(KEY)]
        {
            let server = server(vec![]).await;
            let answer = ResponseTemplate::new(status).set_body_json(body);
            Mock::given(any()).respond_with(answer).mount(&server).await;
            // A call that is turned away is made again until then.
            let backoff = Backoff { deadline: Duration::from_millis(50), ..at_once() };
            let endpoint = Endpoint { backoff, ..settings(&server.uri()) };
            let error = call::<Sum>(endpoint).await.expect_err("no sum");
            assert!(!format!("{error}{error:?}").contains(KEY), "{error:?}");
        }
    }
}

#[tokio::test]
async fn a_key_that_the_server_echoes_is_in_no_answer() {
    // `Basic` as reqwest sends the user info: base64 of `user:sk-very-secret`.
    for (user, echoed) in [
        ("", "Bearer sk-very-secret"),
        ("", "sk-very-s..."),
        ("", "sk-very\\u002dsecret"),
        ("user:sk-very-secret@", "Basic dXNlcjpzay12ZXJ5LXNlY3JldA=="),
    ] {
        let server = server(vec![]).await;
        let answer = ResponseTemplate::new(200)
            .insert_header("x-echo", KEY)
            .set_body_string(format!(r#"{{"text": "you sent {echoed}"}}"#));
        Mock::given(any()).respond_with(answer).mount(&server).await;
        let uri = server.uri().replace("//", &format!("//{user}"));
        let api_key = user.is_empty().then(|| Secret::new(KEY.to_owned()));
        let settings = Endpoint { api_key, ..settings(&uri) };
        let answer: Value = call(settings).await.expect("an answer");
        let text = answer["text"].as_str().expect("a text");
        let found = ["very", "dmVy", "12ZXJ5", "LXNl"].map(|part| text.contains(part));
        assert_eq!(found, [false; 4], "{echoed}: {text}");
        assert!(text.contains("***"), "{text}");
    }
}

fn refused(endpoint: &Endpoint) -> String {
    Client::new(endpoint).err().expect("refused").to_string()
}

#[test]
fn secrets_go_unencrypted_to_this_machine_only() {
    let in_clear = "the key would be sent unencrypted to ";
    for uri in ["http://10.0.0.5:8000", "http://example.org", "http://localhost.example.org"] {
        assert!(refused(&settings(uri)).starts_with(in_clear), "{uri}");
        let without = Endpoint { api_key: None, ..settings(uri) };
        assert!(Client::new(&without).is_ok(), "{uri}");
    }
    let user = Endpoint { api_key: None, ..settings("http://user:pw@example.org") };
    assert!(refused(&user).starts_with(in_clear));
    for uri in ["https://example.org", "http://[::1]:8000", "http://127.0.0.1"] {
        assert!(Client::new(&settings(uri)).is_ok(), "{uri}");
    }
}

#[test]
fn settings_that_cannot_be_used_are_named() {
    let good = settings("https://h");
    let key = Some(Secret::new("a\nb".to_owned()));
    assert_eq!(
        refused(&Endpoint { api_key: key, ..good.clone() }),
        "`sums.api_key_env` names a key with characters that are not allowed in a header"
    );
    let header = |name: &str, value: &str| Endpoint {
        headers: vec![(name.to_owned(), Secret::new(value.to_owned()))],
        ..good.clone()
    };
    assert_eq!(
        refused(&header("a b", "v")),
        "`sums.headers_env` has the invalid header name `a b`"
    );
    assert!(
        refused(&header("a", "v\n")).starts_with("`sums.headers_env` names a value of `a` with")
    );
    let ca_file = Some("no/such.pem".into());
    let error = refused(&Endpoint { ca_file, ..good.clone() });
    assert_eq!(error, "cannot read the CA file `no/such.pem`");
    let mut no_pem = tempfile::NamedTempFile::new().expect("a temporary file");
    std::io::Write::write_all(&mut no_pem, b"no certificate").expect("written");
    let ca_file = Some(no_pem.path().to_owned());
    let error = refused(&Endpoint { ca_file, ..good });
    assert!(error.starts_with("`http.ca_file` has no certificate: "), "{error}");
    let error = Client::new(&settings("localhost:80")).err().expect("refused");
    assert_eq!(error.to_string(), "`sums.url` must begin with `http://` or `https://`");
    let hint = "write it like `http://localhost:8080`; `/sum` is appended";
    assert_eq!(error.hint().as_deref(), Some(hint));
}

#[tokio::test]
async fn no_more_calls_run_at_once_than_allowed() {
    let client = Client::new(&settings("http://localhost")).expect("valid settings");
    let running = std::sync::Mutex::new((0, 0));
    let call = || async {
        {
            let (now, peak) = &mut *running.lock().unwrap();
            *now += 1;
            *peak = (*peak).max(*now);
        }
        tokio::task::yield_now().await;
        running.lock().unwrap().0 -= 1;
        Ok(())
    };
    let calls = (0..20).map(|_| client.retried(call));
    assert!(futures_util::future::join_all(calls).await.iter().all(Result::is_ok));
    assert_eq!(running.into_inner().unwrap(), (0, 2));
}
