//! The reranker over loopback: each format's protocol, batches, retries, rejected responses.

use ragtriage_core::hint::Hint;
use std::sync::atomic::{AtomicUsize, Ordering};

use wiremock::matchers::{body_json, header, method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::*;
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

/// Settings without waits.
fn settings(server: &MockServer, form: RerankApi) -> RerankSettings {
    RerankSettings {
        api_key: Some(Secret::new(KEY.to_owned())),
        backoff: Backoff { first_wait: Duration::ZERO, ..Backoff::new(3, Duration::from_secs(50)) },
        ..RerankSettings::new(format!("{}/v2", server.uri()), form, "m".to_owned())
    }
}

async fn try_score(settings: RerankSettings, passages: &[&str]) -> Result<Vec<f32>, Error> {
    let passages: Vec<TitledText<'_>> =
        passages.iter().map(|text| TitledText::untitled(text)).collect();
    Endpoint::new(settings)?.scores("12345678", &passages).await
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
        contract::check(&Endpoint::new(settings(&server, form)).unwrap()).await;
        let small = RerankSettings { batch_passages: 2, ..settings(&server, form) };
        contract::check(&Endpoint::new(small).unwrap()).await;
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
            RerankApi::Jina,
            json!({
                "model": "m", "query": "12345678", "documents": ["a", "bbb"], "top_n": 2, "return_documents": false
            }),
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
            try_score(settings(&server, form), &["a", "bbb"]).await.unwrap(),
            [0.0, -2.0],
            "{}",
            form.name()
        );
    }
}

#[test]
fn a_form_is_written_in_settings_by_its_name() {
    for form in RerankApi::ALL {
        assert_eq!(serde_json::to_value(form).unwrap(), form.name());
    }
    assert_eq!(RerankApi::default(), RerankApi::Cohere);
}

#[tokio::test]
async fn passages_go_in_batches_and_come_back_in_order() {
    let server = server(rank).await;
    let passages: Vec<String> = (1..=7).map(|n| "x".repeat(n)).collect();
    let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
    let small = RerankSettings { batch_passages: 3, ..settings(&server, RerankApi::Jina) };
    assert_eq!(
        try_score(small, &passages).await.unwrap(),
        [0.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0]
    );
    let mut sizes = calls(&server).await;
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 3, 3]);
}

#[tokio::test]
async fn what_is_transient_is_tried_again_and_what_is_too_large_halved() {
    let n_calls = AtomicUsize::new(0);
    let server = server(move |request: &Request| {
        if texts(request).len() > 2 {
            let words = json!({ "error": "batch size 4 > maximum allowed batch size 2", "error_type": "Validation" });
            return ResponseTemplate::new(422).set_body_json(words);
        }
        if texts(request).iter().any(|text| text.len() > 9) {
            return ResponseTemplate::new(413);
        }
        match n_calls.fetch_add(1, Ordering::SeqCst) {
            0 => ResponseTemplate::new(429).insert_header("retry-after", "0"),
            1 => ResponseTemplate::new(500),
            _ => rank(request),
        }
    })
    .await;
    let scores =
        try_score(settings(&server, RerankApi::Tei), &["a", "bb", "ccc", "dddd"]).await.unwrap();
    assert_eq!(scores, [0.0, -1.0, -2.0, -3.0]);
    assert_eq!(calls(&server).await, [4, 2, 2, 2, 2]);
    let error = try_score(settings(&server, RerankApi::Tei), &["a", "ten  bytes"])
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("a text of 10 characters that begins with `ten bytes` is too long"),
        "{error}"
    );
}

#[tokio::test]
async fn keys_stand_in_no_error_and_no_fingerprint() {
    let server = server(ResponseTemplate::new(403).set_body_string(format!("bad key {KEY}"))).await;
    let error = try_score(settings(&server, RerankApi::Cohere), &["a"]).await.unwrap_err();
    assert!(!format!("{error}{error:?}").contains(KEY), "{error:?}");
    assert!(error.hint().unwrap().contains("`rerank.api_key_env`"));
    let url = format!("https://user:{KEY}@h/v2?key={KEY}");
    let endpoint =
        Endpoint::new(RerankSettings { url, ..settings(&server, RerankApi::Cohere) }).unwrap();
    let fingerprint = endpoint.fingerprint();
    assert!(
        fingerprint.starts_with("endpoint v1 cohere https://h/v2/rerank query "),
        "{fingerprint}"
    );
    assert!(fingerprint.ends_with(" \"m\"") && !fingerprint.contains(KEY), "{fingerprint}");
}

#[test]
fn settings_that_cannot_be_are_refused_by_name() {
    let good = RerankSettings::new("http://localhost".to_owned(), RerankApi::Jina, "m".to_owned());
    let key = Some(Secret::new("a\nb".to_owned()));
    for (settings, name) in [
        (RerankSettings { url: "localhost".to_owned(), ..good.clone() }, "endpoint"),
        (RerankSettings { model: String::new(), ..good.clone() }, "model"),
        (RerankSettings { batch_passages: 0, ..good.clone() }, "batch_passages"),
        (RerankSettings { concurrency: 0, ..good.clone() }, "concurrency"),
        (RerankSettings { timeout: Duration::ZERO, ..good.clone() }, "timeout_s"),
        (RerankSettings { api_key: key, ..good.clone() }, "api_key_env"),
    ] {
        let error = Endpoint::new(settings).err().expect("refused");
        let error = error.to_string();
        assert!(error.starts_with(&format!("`rerank.{name}` ")), "{error}");
    }
    let nameless = RerankSettings { model: String::new(), form: RerankApi::Tei, ..good };
    assert!(Endpoint::new(nameless).is_ok());
}
