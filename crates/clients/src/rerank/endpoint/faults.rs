//! Faulty rerank servers: every fault is one error that names the address and a setting, and leaves nothing in the cache.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::RemoteReranker;
use crate::http::faulty::{FaultyServer, Sent, answer};
use crate::http::{self, Backoff, RERANKER, Secret};
use crate::rerank::{CachedReranker, Reranker};
use ragtriage_core::config::RerankApi;
use ragtriage_core::hint::Hint;
use ragtriage_core::notices::Notices;
use ragtriage_core::types::TitledText;

const PASSAGES: [&str; 2] = ["a", "b"];

/// The correct answer to a call in the form `cohere`: each passage's first byte, the last passage first.
fn correct(request: &Value) -> Value {
    let passages = request["documents"].as_array().expect("passages");
    let score = |(i, text): (usize, &Value)| {
        let byte = text.as_str().expect("a text").as_bytes()[0];
        json!({ "index": i, "relevance_score": byte })
    };
    passages.iter().enumerate().map(score).rev().collect()
}

fn sent(results: &Value) -> Sent {
    answer(&json!({ "results": results }).to_string())
}

/// Two tries without waits.
fn open(server: &FaultyServer) -> RemoteReranker {
    let endpoint = http::Endpoint {
        api_key: Some(Secret::new("sk-very-secret".to_owned())),
        backoff: Backoff { first_wait: Duration::ZERO, ..Backoff::new(2, Duration::from_secs(50)) },
        ..http::Endpoint::new(&RERANKER, server.url.clone(), Duration::from_millis(500), 4)
    };
    RemoteReranker::new(&endpoint, RerankApi::Cohere, "m".to_owned()).unwrap()
}

/// Scores [`PASSAGES`] with a fresh cache: first by the fault, then by a correct server. Returns the error and its hint.
async fn error_of(
    server: &FaultyServer,
    fault: impl Fn(&Value) -> Sent + Send + Sync + 'static,
) -> [String; 2] {
    server.now(fault);
    let folder = tempfile::tempdir().unwrap();
    let endpoint = Arc::new(open(server));
    let cached =
        CachedReranker::open(endpoint, &folder.path().join("scores.sqlite"), &Notices::default())
            .unwrap();
    let passages = PASSAGES.map(TitledText::untitled);
    let error = cached.scores("q", &passages).await.expect_err("a fault");
    server.now(|request| sent(&correct(request)));
    // a is byte 97.
    assert_eq!(cached.scores("q", &passages).await.unwrap(), [97.0, 98.0]);
    assert_eq!(cached.scores.n_hits(), 0, "{error}");
    let hint = error.hint().expect("a hint");
    [error.to_string(), hint]
}

#[tokio::test]
async fn a_wrong_answer_is_one_error_and_nothing_is_cached() {
    let result = |index: i32, score: Value| json!({ "index": index, "relevance_score": score });
    let good = result(0, json!(97));
    let cannot = "` cannot be read: ";
    let server = FaultyServer::start(|_| answer(""));
    for (results, expected) in [
        (json!([]), "` returned 0 results for 2 texts"),
        (json!([good]), "` returned 1 result for 2 texts"),
        (json!([good, good]), "` returned two results with index 0"),
        (json!([good, result(2, json!(98))]), "` returned a result with index 2 for 2 texts"),
        (
            json!([good, result(1, json!(98)), result(2, json!(99))]),
            "` returned a result with index 2 for 2 texts",
        ),
        (json!([good, result(-1, json!(98))]), "invalid value: integer `-1`"),
        (json!([good, result(1, json!(1e39))]), "` returned the score inf"),
        (json!([good, result(1, Value::Null)]), "invalid type: null"),
        (json!([good, result(1, json!("98"))]), "invalid type: string \"98\""),
        (json!([good, { "index": 1 }]), "missing field `score`"),
        (json!([good, { "relevance_score": 98 }]), "missing field `index`"),
        (Value::Null, "invalid type: null"),
    ] {
        let shown = results.to_string();
        let [error, hint] = error_of(&server, move |_| sent(&results)).await;
        let url = format!("`{}/rerank", server.url);
        let whole = if expected.starts_with('`') {
            format!("{url}{expected}")
        } else {
            format!("{url}{cannot}{expected}")
        };
        assert!(error.contains(&whole), "{shown}: {error}");
        assert!(
            hint.contains("`rerank.form`") && hint.contains("`rerank.endpoint`"),
            "{shown}: {hint}"
        );
    }
    // The form of text-embeddings-inference, and numbers that are not JSON.
    for body in [
        r#"[{"index": 0, "score": 97}, {"index": 1, "score": 98}]"#,
        r#"{"results": [{"index": 0, "score": NaN}, {"index": 1, "score": 98}]}"#,
    ] {
        let [error, hint] = error_of(&server, |_| answer(body)).await;
        assert!(error.contains("/rerank` cannot be read: "), "{error}");
        assert!(hint.contains("`rerank.form`"), "{hint}");
    }
}
