//! The encoder over loopback: requests, order of responses, rejected responses.

use ragtriage_core::hint::Hint;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use wiremock::matchers::{body_json, header, method, path};
use wiremock::{Mock, MockServer, Request as Received, Respond, ResponseTemplate};

use super::*;

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

/// Settings with two dimensions, so that no probe is sent, and without waits.
fn settings(server: &MockServer) -> RemoteSettings {
    RemoteSettings {
        api_key: Some(Secret::new(KEY.to_owned())),
        dimensions: Some(2),
        backoff: Backoff { first_wait: Duration::ZERO, ..Backoff::new(3, Duration::from_secs(50)) },
        ..RemoteSettings::new(format!("{}/v1/", server.uri()), "m".to_owned())
    }
}

fn untitled<'a>(texts: &[&'a str]) -> Vec<TitledText<'a>> {
    texts.iter().map(|text| TitledText::untitled(text)).collect()
}

async fn try_encode(settings: RemoteSettings, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
    Remote::open(settings).await?.encode(&untitled(texts), Role::Passage, &|_| ()).await
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
    let passage_prefix = "passage: ".to_owned();
    let remote =
        Remote::open(RemoteSettings { passage_prefix, ..settings(&server) }).await.unwrap();
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
    let unknown = RemoteSettings { dimensions: None, ..settings(&server) };
    let remote = Remote::open(unknown.clone()).await.unwrap();
    assert_eq!(remote.shape().dimension, 2);
    assert_eq!(calls(&server).await, [[PROBE]]);
    let body: Value =
        serde_json::from_slice(&server.received_requests().await.unwrap()[0].body).unwrap();
    assert_eq!(body.get("dimensions"), None);
    let no_texts: Vec<Vec<f32>> = Vec::new();
    assert_eq!(remote.encode(&[], Role::Query, &|_| ()).await.unwrap(), no_texts);
    let other = RemoteSettings { dimensions: Some(3), ..unknown };
    let error = try_encode(other, &["a"]).await.unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "`{}/v1/embeddings` returned a vector of 2 numbers, expected 3 as in `retrieval.dense.dimensions`",
            server.uri()
        )
    );
}

#[tokio::test]
async fn texts_go_in_batches_of_so_many_texts_and_characters() {
    let server = server(encode).await;
    let few =
        RemoteSettings { batch_texts: 3, batch_chars: 6, concurrency: 1, ..settings(&server) };
    let texts = ["a", "bb", "ccc", "dddd", "eeeeeeeeee", "f", "g", "h", "i"];
    let vectors = try_encode(few, &texts).await.unwrap();
    let lengths: Vec<f32> = vectors.iter().map(|vector| vector[0]).collect();
    assert_eq!(lengths, [1.0, 2.0, 3.0, 4.0, 10.0, 1.0, 1.0, 1.0, 1.0]);
    let expected: [&[&str]; 5] =
        [&["a", "bb", "ccc"], &["dddd"], &["eeeeeeeeee"], &["f", "g", "h"], &["i"]];
    assert_eq!(calls(&server).await, expected);
}

#[tokio::test]
async fn several_batches_run_at_once_and_come_back_in_order() {
    let server = server(encode).await;
    let single = RemoteSettings { batch_texts: 1, ..settings(&server) };
    let texts: Vec<String> = (1..=20).map(|n| "x".repeat(n)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = try_encode(single, &texts).await.unwrap();
    let expected: Vec<[f32; 2]> = (1_u8..=20).map(|n| [f32::from(n), 120.0]).collect();
    assert_eq!(vectors, expected);
}

#[tokio::test]
async fn what_is_transient_is_tried_again() {
    let n_calls = AtomicUsize::new(0);
    let server = server(move |request: &Received| match n_calls.fetch_add(1, Ordering::SeqCst) {
        0 => ResponseTemplate::new(429).insert_header("retry-after", "0"),
        1 => ResponseTemplate::new(500),
        _ => encode(request),
    })
    .await;
    assert_eq!(try_encode(settings(&server), &["a"]).await.unwrap(), [[1.0, 97.0]]);
    assert_eq!(calls(&server).await.len(), 3);
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
    let vectors = try_encode(settings(&server), &["a", "b", "c", "d", "e"]).await.unwrap();
    assert_eq!(vectors, [[1.0, 97.0], [1.0, 98.0], [1.0, 99.0], [1.0, 100.0], [1.0, 101.0]]);
    assert_eq!(calls(&server).await.iter().map(Vec::len).collect::<Vec<_>>(), [5, 2, 3, 1, 2]);
    let error = try_encode(settings(&server), &["short", "ten  bytes", "c"]).await.unwrap_err();
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
    let error = try_encode(settings(&server), &["a"]).await.unwrap_err();
    assert!(!format!("{error}{error:?}").contains(KEY), "{error:?}");
    assert!(error.hint().unwrap().contains("api_key_env"));
    let url = format!("https://user:{KEY}@h/v1?key={KEY}");
    let remote = Remote::open(RemoteSettings { url, ..settings(&server) }).await.unwrap();
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
    let server = server(encode).await;
    let base = settings(&server);
    let query_prefix = "query: ".to_owned();
    let changed = [
        base.clone(),
        RemoteSettings { url: "https://h/v1".to_owned(), ..base.clone() },
        RemoteSettings { model: "n".to_owned(), ..base.clone() },
        RemoteSettings { dimensions: Some(3), ..base.clone() },
        RemoteSettings { query_prefix, ..base },
    ];
    let mut fingerprints = std::collections::BTreeSet::new();
    for settings in changed {
        fingerprints
            .insert(Remote::open(settings).await.unwrap().fingerprint(Role::Query).to_owned());
    }
    assert_eq!(fingerprints.len(), 5);
}

#[tokio::test]
async fn settings_that_cannot_be_are_refused_by_name() {
    let good = RemoteSettings::new("http://localhost/v1".to_owned(), "m".to_owned());
    let key = Some(Secret::new("a\nb".to_owned()));
    for (settings, name) in [
        (RemoteSettings { url: "localhost".to_owned(), ..good.clone() }, "endpoint"),
        (RemoteSettings { model: String::new(), ..good.clone() }, "model"),
        (RemoteSettings { dimensions: Some(0), ..good.clone() }, "dimensions"),
        (RemoteSettings { batch_texts: 0, ..good.clone() }, "batch_texts"),
        (RemoteSettings { concurrency: 0, ..good.clone() }, "concurrency"),
        (RemoteSettings { timeout: Duration::ZERO, ..good.clone() }, "timeout_s"),
        (RemoteSettings { api_key: key, ..good }, "api_key_env"),
    ] {
        let error = Remote::open(settings).await.err().expect("refused");
        let error = error.to_string();
        assert!(error.starts_with(&format!("`retrieval.dense.{name}` ")), "{error}");
    }
}
