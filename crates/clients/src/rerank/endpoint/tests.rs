//! The reranker over loopback: each format's protocol, batches, retries, rejected responses.

use ragtriage_core::hint::Hint;
use std::time::Duration;

use wiremock::matchers::{body_json, header, method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::*;
use crate::http::{self, Backoff, RERANKER, Secret};
use crate::rerank::contract;

const KEY: &str = "sk-very-secret";

fn texts(request: &Request) -> Vec<String> {
    let body: Value = serde_json::from_slice(&request.body).expect("JSON");
    let texts = body.get("documents").or_else(|| body.get("texts")).expect("passages");
    serde_json::from_value(texts.clone()).expect("texts")
}

/// Scores by length, best first, as servers do.
fn rank(request: &Request) -> ResponseTemplate {
    let body: Value = serde_json::from_slice(&request.body).expect("JSON");
    let query = body["query"].as_str().expect("a query").len() as f64;
    let score = |text: &String| query / 8.0 - text.len() as f64;
    let mut scored: Vec<(usize, f64)> = texts(request).iter().map(score).enumerate().collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    let answer = if body.get("texts").is_some() {
        scored
            .iter()
            .map(|(index, score)| json!({ "index": index, "score": score }))
            .collect::<Value>()
    } else {
        let of =
            |(index, score): &(usize, f64)| json!({ "index": index, "relevance_score": score });
        json!({ "id": "x", "results": scored.iter().map(of).collect::<Value>() })
    };
    ResponseTemplate::new(200).set_body_json(answer)
}

async fn server(respond: impl Respond + 'static) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST")).and(path("/v2/rerank")).respond_with(respond).mount(&server).await;
    server
}

/// A reranker without waits.
fn open(url: String, form: RerankApi) -> RemoteReranker {
    let endpoint = http::Endpoint::new(&RERANKER, url, Duration::from_secs(50), 4);
    let api_key = Some(Secret::new(KEY.to_owned()));
    let backoff = Backoff { first_wait: Duration::ZERO, ..endpoint.backoff };
    RemoteReranker::new(&http::Endpoint { api_key, backoff, ..endpoint }, form, "m".to_owned())
        .unwrap()
}

fn at(server: &MockServer, form: RerankApi) -> RemoteReranker {
    open(format!("{}/v2", server.uri()), form)
}

async fn try_score(reranker: RemoteReranker, passages: &[&str]) -> Result<Vec<f32>, Error> {
    let passages: Vec<TitledText<'_>> =
        passages.iter().map(|text| TitledText::untitled(text)).collect();
    reranker.scores("12345678", &passages).await
}

/// Returns the number of passages of each call, in order of arrival.
async fn calls(server: &MockServer) -> Vec<usize> {
    server
        .received_requests()
        .await
        .expect("recorded")
        .iter()
        .map(|request| texts(request).len())
        .collect()
}

#[tokio::test]
async fn every_form_keeps_the_contract() {
    let server = server(rank).await;
    for form in RerankApi::ALL {
        contract::check(&at(&server, form)).await;
    }
}

#[tokio::test]
async fn each_form_is_what_its_servers_take() {
    for (form, body) in [
        (
            RerankApi::Cohere,
            json!({ "model": "m", "query": "12345678", "documents": ["a", "bbb"], "top_n": 2 }),
        ),
        (
            RerankApi::Tei,
            json!({ "query": "12345678", "texts": ["a", "bbb"], "raw_scores": true, "truncate": true }),
        ),
    ] {
        let server = MockServer::start().await;
        Mock::given(method("POST"))
            .and(path("/v2/rerank"))
            .and(header("authorization", "Bearer sk-very-secret"))
            .and(body_json(body))
            .respond_with(rank)
            .expect(1)
            .mount(&server)
            .await;
        // 8 / 8 minus the lengths 1 and 3.
        assert_eq!(
            try_score(at(&server, form), &["a", "bbb"]).await.unwrap(),
            [0.0, -2.0],
            "{}",
            form.name()
        );
    }
}

#[tokio::test]
async fn passages_go_in_batches_and_come_back_in_order() {
    let server = server(rank).await;
    let passages: Vec<String> = (1..=70).map(|n| "x".repeat(n)).collect();
    let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
    let scores = try_score(at(&server, RerankApi::Tei), &passages).await.unwrap();
    assert_eq!(scores, (0_u8..70).map(|n| -f32::from(n)).collect::<Vec<_>>());
    let mut sizes = calls(&server).await;
    sizes.sort_unstable();
    assert_eq!(sizes, [6, 32, 32]);
}

#[tokio::test]
async fn keys_stand_in_no_error_and_no_fingerprint() {
    let server = server(ResponseTemplate::new(403).set_body_string(format!("bad key {KEY}"))).await;
    let error = try_score(at(&server, RerankApi::Cohere), &["a"]).await.unwrap_err();
    assert!(!format!("{error}{error:?}").contains(KEY), "{error:?}");
    assert!(error.hint().unwrap().contains("`rerank.api_key_env`"));
    let url = format!("https://user:{KEY}@h/v2?key={KEY}");
    let endpoint = open(url, RerankApi::Cohere);
    let fingerprint = endpoint.fingerprint();
    assert!(
        fingerprint.starts_with("endpoint v1 cohere https://h/v2/rerank query "),
        "{fingerprint}"
    );
    assert!(fingerprint.ends_with(" \"m\"") && !fingerprint.contains(KEY), "{fingerprint}");
}

#[test]
fn a_model_is_named_except_in_the_form_that_does_not_send_it() {
    let endpoint = http::Endpoint::new(&RERANKER, "http://h".to_owned(), Duration::from_secs(1), 1);
    let error =
        RemoteReranker::new(&endpoint, RerankApi::Cohere, String::new()).err().expect("refused");
    assert_eq!(error.to_string(), "`rerank.model` is empty");
    assert!(RemoteReranker::new(&endpoint, RerankApi::Tei, String::new()).is_ok());
}
