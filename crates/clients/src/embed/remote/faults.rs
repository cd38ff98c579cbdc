//! Faulty embeddings servers: every fault is one error that names the address and a setting, and leaves nothing in the cache.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::Remote;
use crate::embed::{CachedEncoder, Encoder, Role};
use crate::http::faulty::{FaultyServer, Sent, answer, wire_faults};
use crate::http::{Backoff, ENCODER, Endpoint, Secret};
use ragtriage_core::config::DenseSettings;
use ragtriage_core::hint::Hint;
use ragtriage_core::notices::Notices;
use ragtriage_core::types::TitledText;

const TEXTS: [&str; 2] = ["a", "b"];

/// The correct answer to a call: for each text its first byte and 1, the last text first.
fn correct(request: &Value) -> Value {
    let texts = request["input"].as_array().expect("texts");
    let vector = |(i, text): (usize, &Value)| {
        let byte = text.as_str().expect("a text").as_bytes()[0];
        json!({ "index": i, "embedding": [byte, 1] })
    };
    texts.iter().enumerate().map(vector).rev().collect()
}

fn sent(data: &Value) -> Sent {
    answer(&json!({ "data": data }).to_string())
}

/// Two tries without waits.
async fn open(server: &FaultyServer) -> Remote {
    let url = format!("{}/v1", server.url);
    let endpoint = Endpoint {
        api_key: Some(Secret::new("sk-very-secret".to_owned())),
        backoff: Backoff { first_wait: Duration::ZERO, ..Backoff::new(2, Duration::from_secs(50)) },
        ..Endpoint::new(&ENCODER, url, Duration::from_millis(500), 1)
    };
    let model = "m".to_owned();
    let dense = DenseSettings { model, dimensions: Some(2), ..DenseSettings::default() };
    Remote::open(&endpoint, &dense).await.unwrap()
}

/// Encodes [`TEXTS`] with a fresh cache: first by the fault, then by a correct server. Returns the error and its hint.
async fn error_of(
    server: &FaultyServer,
    fault: impl Fn(&Value) -> Sent + Send + Sync + 'static,
) -> [String; 2] {
    server.now(fault);
    let folder = tempfile::tempdir().unwrap();
    let remote = Arc::new(open(server).await);
    let cached =
        CachedEncoder::open(remote, &folder.path().join("vectors.sqlite"), &Notices::default())
            .unwrap();
    let texts = TEXTS.map(TitledText::untitled);
    let error = cached.encode(&texts, Role::Passage, &|_| ()).await;
    let error = error.expect_err("a fault");
    server.now(|request| sent(&correct(request)));
    let vectors = cached.encode(&texts, Role::Passage, &|_| ()).await.unwrap();
    // a is byte 97.
    assert_eq!(vectors, [[97.0, 1.0], [98.0, 1.0]]);
    assert_eq!(cached.n_hits(), 0, "{error}");
    let hint = error.hint().expect("a hint");
    [error.to_string(), hint]
}

#[tokio::test]
async fn a_connection_at_fault_is_one_error_and_nothing_is_cached() {
    let elsewhere = FaultyServer::start(|_| answer(""));
    let server = FaultyServer::start(|_| answer(""));
    let call = json!({ "input": TEXTS });
    let body = json!({ "data": correct(&call) }).to_string();
    for fault in wire_faults(&body, &elsewhere.url) {
        let sent = fault.sent.clone();
        let found = error_of(&server, move |_| sent.clone()).await;
        fault.assert_named(found, &format!("{}/v1/embeddings", server.url), "retrieval.dense");
    }
    assert_eq!(elsewhere.n_calls(), 0, "a redirect was followed");
}

#[tokio::test]
async fn a_wrong_answer_is_one_error_and_nothing_is_cached() {
    let vector = |index: usize, embedding: Value| json!({ "index": index, "embedding": embedding });
    let good = vector(0, json!([97, 1]));
    let cannot = "` cannot be read: ";
    let server = FaultyServer::start(|_| answer(""));
    for (data, expected) in [
        (json!([]), "` returned 0 results for 2 texts"),
        (json!([good]), "` returned 1 result for 2 texts"),
        (json!([good, good]), "` returned two results with index 0"),
        (json!([good, vector(2, json!([98, 1]))]), "` returned a result with index 2 for 2 texts"),
        (
            json!([good, vector(1, json!([98, 1])), vector(2, json!([99, 1]))]),
            "` returned a result with index 2 for 2 texts",
        ),
        (json!([good, { "embedding": [98, 1] }]), "missing field `index`"),
        (json!([good, { "index": 1 }]), "missing field `embedding`"),
        (json!([good, { "index": -1, "embedding": [98, 1] }]), "invalid value: integer `-1`"),
        (json!([good, { "index": "1", "embedding": [98, 1] }]), "invalid type: string \"1\""),
        (json!([good, vector(1, json!([]))]), "` returned an empty vector"),
        (
            json!([good, vector(1, json!([98]))]),
            "` returned a vector of 1 number, expected 2 as in `retrieval.dense.dimensions`",
        ),
        (
            json!([good, vector(1, json!([98, 1, 0]))]),
            "` returned a vector of 3 numbers, expected 2 as in `retrieval.dense.dimensions`",
        ),
        (
            json!([good, vector(1, json!([0, 0.0]))]),
            "` returned a vector of zeros, whose similarity is undefined",
        ),
        (
            json!([good, vector(1, json!([98, 3e38]))]),
            "` returned a vector that is too long or too short for scores of 32-bit floats",
        ),
        (json!([good, vector(1, json!([98, 1e39]))]), "` returned a vector with the number inf"),
        (json!([good, vector(1, json!([98, null]))]), "invalid type: null, expected f32"),
        (json!([good, vector(1, json!(["98", "1"]))]), "invalid type: string \"98\""),
        (json!([good, vector(1, json!("AACAPw=="))]), "invalid type: string \"AACAPw==\""),
        (json!([good, vector(1, Value::Null)]), "invalid type: null"),
        (json!([good, null]), "invalid type: null"),
        (Value::Null, "invalid type: null"),
        (json!({}), "invalid type: map"),
    ] {
        let shown = data.to_string();
        let [error, hint] = error_of(&server, move |_| sent(&data)).await;
        let url = format!("`{}/v1/embeddings", server.url);
        let whole = if expected.starts_with('`') {
            format!("{url}{expected}")
        } else {
            format!("{url}{cannot}{expected}")
        };
        assert!(error.contains(&whole), "{shown}: {error}");
        assert!(hint.contains("`retrieval.dense.endpoint`"), "{shown}: {hint}");
    }
    for number in ["NaN", "Infinity", "1e999"] {
        let body = format!(r#"{{"data": [{{"index": 0, "embedding": [97, {number}]}}]}}"#);
        let [error, _] = error_of(&server, move |_| answer(&body)).await;
        assert!(error.contains("/v1/embeddings` cannot be read: "), "{error}");
    }
}

#[tokio::test]
async fn an_answer_in_another_order_and_with_more_fields_is_correct() {
    let server = FaultyServer::start(|request| {
        let body =
            json!({ "object": "list", "data": correct(request), "usage": null, "model": [1] });
        answer(&format!("\n {body}\n"))
    });
    let remote = open(&server).await;
    let texts = TEXTS.map(TitledText::untitled);
    let vectors = remote.encode(&texts, Role::Query, &|_| ()).await.unwrap();
    assert_eq!(vectors, [[97.0, 1.0], [98.0, 1.0]]);
}
