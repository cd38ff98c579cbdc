//! The encoder over loopback: requests, order of responses, rejected responses.

use ragtriage_core::hint::Hint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use wiremock::matchers::{body_json, header, method, path};
use wiremock::{Mock, MockServer, Request as Received, Respond, ResponseTemplate};

use super::*;
use crate::http::{Backoff, ENCODER, Secret};

const KEY: &str = "sk-very-secret";

/// The texts of a call.
fn input(request: &Received) -> Vec<String> {
    let body: Value = serde_json::from_slice(&request.body).expect("JSON");
    serde_json::from_value(body["input"].clone()).expect("texts")
}

/// Returns a vector per text, its length and its first byte, the last first.
fn encode(request: &Received) -> ResponseTemplate {
    let vector = |text: &String| json!([text.len(), text.as_bytes()[0]]);
    let of = |(i, text)| json!({ "object": "embedding", "index": i, "embedding": vector(text) });
    let data: Vec<Value> = input(request).iter().enumerate().map(of).rev().collect();
    ResponseTemplate::new(200)
        .set_body_json(json!({ "object": "list", "data": data, "usage": { "total_tokens": 1 } }))
}

async fn server(respond: impl Respond + 'static) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/v1/embeddings"))
        .respond_with(respond)
        .mount(&server)
        .await;
    server
}

/// Without waits.
fn endpoint(url: String) -> Endpoint {
    let endpoint = Endpoint::new(&ENCODER, url, Duration::from_secs(50), 4);
    let api_key = Some(Secret::new(KEY.to_owned()));
    Endpoint {
        api_key,
        backoff: Backoff { first_wait: Duration::ZERO, ..endpoint.backoff },
        ..endpoint
    }
}

/// Settings with two dimensions, so that no probe is sent.
fn settings() -> DenseSettings {
    DenseSettings { model: "m".to_owned(), dimensions: Some(2), ..DenseSettings::default() }
}

async fn open(server: &MockServer, settings: &DenseSettings) -> Result<Remote, Error> {
    Remote::open(&endpoint(format!("{}/v1/", server.uri())), settings).await
}

fn untitled<'a>(texts: &[&'a str]) -> Vec<TitledText<'a>> {
    texts.iter().map(|text| TitledText::untitled(text)).collect()
}

async fn try_encode(server: &MockServer, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
    open(server, &settings()).await?.encode(&untitled(texts), Role::Passage, &|_| ()).await
}

/// Returns the texts of each call, in order of arrival.
async fn calls(server: &MockServer) -> Vec<Vec<String>> {
    server.received_requests().await.expect("recorded").iter().map(input).collect()
}

#[tokio::test]
async fn a_call_is_what_the_settings_say_and_answers_are_put_in_order() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/v1/embeddings"))
        .and(header("authorization", "Bearer sk-very-secret"))
        .and(body_json(json!({
            "model": "m",
            "input": ["passage: Tea\nis hot", "passage: b"],
            "encoding_format": "float",
            "dimensions": 2,
        })))
        .respond_with(encode)
        .expect(1)
        .mount(&server)
        .await;
    let passage_prefix = Some("passage: ".to_owned());
    let remote = open(&server, &DenseSettings { passage_prefix, ..settings() }).await.unwrap();
    let texts = [TitledText { title: "Tea", text: "is hot" }, TitledText::untitled("b")];
    let n_done = AtomicUsize::new(0);
    let on_progress = |n| _ = n_done.fetch_add(n, Ordering::Relaxed);
    let vectors = remote.encode(&texts, Role::Passage, &on_progress).await.unwrap();
    // "passage: " is 9 bytes, "Tea\nis hot" 10; p is byte 112.
    assert_eq!(vectors, [[19.0, 112.0], [10.0, 112.0]]);
    assert_eq!(n_done.into_inner(), 2);
    assert_eq!(
        remote.shape(),
        VectorShape { dimension: 2, many: false, similarity: Similarity::Cosine }
    );
    assert_eq!(remote.read_bytes(texts[0], Role::Passage).unwrap(), None);
    assert_eq!(remote.lengths(&texts, Role::Passage).await.unwrap(), None);
}

#[tokio::test]
async fn the_dimension_is_learned_by_one_short_text_and_holds_for_every_vector() {
    let server = server(encode).await;
    let unknown = DenseSettings { dimensions: None, ..settings() };
    let remote = open(&server, &unknown).await.unwrap();
    assert_eq!(remote.shape().dimension, 2);
    assert_eq!(calls(&server).await, [[PROBE]]);
    let body: Value =
        serde_json::from_slice(&server.received_requests().await.unwrap()[0].body).unwrap();
    assert_eq!(body.get("dimensions"), None);
    let no_texts: Vec<Vec<f32>> = Vec::new();
    assert_eq!(remote.encode(&[], Role::Query, &|_| ()).await.unwrap(), no_texts);
    let other = DenseSettings { dimensions: Some(3), ..unknown };
    let other = open(&server, &other).await.unwrap();
    let error = other.encode(&untitled(&["a"]), Role::Query, &|_| ()).await.unwrap_err();
    let error = error.to_string();
    assert_eq!(
        error,
        format!(
            "`{}/v1/embeddings` returned a vector of 2 numbers, expected 3 as in `retrieval.dense.dimensions`",
            server.uri()
        )
    );
}

#[tokio::test]
async fn several_batches_run_at_once_and_come_back_in_order() {
    let server = server(encode).await;
    let texts: Vec<String> = (1..=200).map(|n| "x".repeat(n)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = try_encode(&server, &texts).await.unwrap();
    let expected: Vec<[f32; 2]> = (1_u8..=200).map(|n| [f32::from(n), 120.0]).collect();
    assert_eq!(vectors, expected);
    assert_eq!(calls(&server).await.len(), 4);
}

#[tokio::test]
async fn a_vector_of_another_dimension_in_a_later_batch_is_an_error() {
    let server = server(|request: &Received| {
        if input(request).len() == 64 {
            return encode(request);
        }
        let data = json!([{ "index": 0, "embedding": [1, 2, 3] }]);
        ResponseTemplate::new(200).set_body_json(json!({ "data": data }))
    })
    .await;
    let error = try_encode(&server, &["a"; 65]).await.unwrap_err().to_string();
    let expected = "returned a vector of 3 numbers, expected 2 as in `retrieval.dense.dimensions`";
    assert!(error.ends_with(expected), "{error}");
}

#[tokio::test]
async fn a_batch_that_is_too_large_is_halved_and_a_text_that_is_too_long_named() {
    let server = server(|request: &Received| {
        let texts = input(request);
        if texts.len() > 2 {
            let words = json!({ "error": "batch size 5 > maximum allowed batch size 2", "error_type": "Validation" });
            return ResponseTemplate::new(413).set_body_json(words);
        }
        if texts.iter().any(|text| text.len() > 9) {
            let words = json!({ "error": { "message": "maximum context length is 9 tokens" } });
            return ResponseTemplate::new(400).set_body_json(words);
        }
        encode(request)
    })
    .await;
    let vectors = try_encode(&server, &["a", "b", "c", "d", "e"]).await.unwrap();
    assert_eq!(vectors, [[1.0, 97.0], [1.0, 98.0], [1.0, 99.0], [1.0, 100.0], [1.0, 101.0]]);
    assert_eq!(calls(&server).await.iter().map(Vec::len).collect::<Vec<_>>(), [5, 2, 3, 1, 2]);
    let error = try_encode(&server, &["short", "ten  bytes", "c"]).await.unwrap_err();
    let expected = format!(
        "a text of 10 characters that begins with `ten bytes` is too long for the model of `retrieval.dense`: `{}/v1/embeddings` answered \
         with status 400: maximum context length is 9 tokens",
        server.uri()
    );
    assert_eq!(error.to_string(), expected);
    assert!(error.hint().is_some());
}

#[tokio::test]
async fn keys_stand_in_no_error_and_no_fingerprint() {
    let server = server(ResponseTemplate::new(401).set_body_string(format!("bad key {KEY}"))).await;
    let error = try_encode(&server, &["a"]).await.unwrap_err();
    assert!(!format!("{error}{error:?}").contains(KEY), "{error:?}");
    assert!(error.hint().unwrap().contains("api_key_env"));
    let url = format!("https://user:{KEY}@h/v1?key={KEY}");
    let remote = Remote::open(&endpoint(url), &settings()).await.unwrap();
    let fingerprint = remote.fingerprint(Role::Query);
    assert!(
        fingerprint.starts_with("remote v1 openai https://h/v1/embeddings query "),
        "{fingerprint}"
    );
    assert!(
        fingerprint.ends_with(" \"m\" dimension 2 prefix \"\"") && !fingerprint.contains(KEY),
        "{fingerprint}"
    );
}

#[tokio::test]
async fn a_fingerprint_changes_with_address_model_dimension_and_prefix() {
    let query_prefix = Some("query: ".to_owned());
    let mut fingerprints = std::collections::BTreeSet::new();
    for (url, settings) in [
        ("https://g/v1", settings()),
        ("https://h/v1", settings()),
        ("https://g/v1", DenseSettings { model: "n".to_owned(), ..settings() }),
        ("https://g/v1", DenseSettings { dimensions: Some(3), ..settings() }),
        ("https://g/v1", DenseSettings { query_prefix, ..settings() }),
    ] {
        let remote = Remote::open(&endpoint(url.to_owned()), &settings).await.unwrap();
        fingerprints.insert(remote.fingerprint(Role::Query).to_owned());
    }
    assert_eq!(fingerprints.len(), 5);
}
