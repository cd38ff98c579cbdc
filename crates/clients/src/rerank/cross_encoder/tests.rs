//! The tiny seeded cross-encoder of `tests/data/tiny-models`, with logits computed by transformers.

use ragtriage_core::hint::Hint;
use std::path::Path;

use serde::Deserialize;

use super::*;
use crate::rerank::contract;

#[derive(Deserialize)]
struct Scored {
    pair: [String; 2],
    logit: f32,
}

#[derive(Deserialize)]
struct Expected {
    cross_encoder: Vec<Scored>,
}

fn open(name: &str) -> Result<CrossEncoder, Error> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tiny-models").join(name);
    let checkpoint = Checkpoint::open(&folder, None)?;
    CrossEncoder::open(checkpoint, None)
}

#[tokio::test]
async fn it_keeps_the_contract() {
    contract::check(&open("cross-encoder").unwrap()).await;
}

#[tokio::test]
async fn scores_are_the_logits_of_transformers_and_the_title_is_read_first() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tiny-models/expected.json");
    let expected: Expected = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let reranker = open("cross-encoder").unwrap();
    for Scored { pair: [query, passage], logit } in &expected.cross_encoder {
        let score = reranker.scores(query, &[TitledText::untitled(passage)]).await.unwrap()[0];
        assert!((score - logit).abs() < 1e-5, "{query:?}, {passage:?}: {score} is not {logit}");
    }
    // The first pair's passage; BERT's tokenizer treats the line feed as a space.
    assert_eq!(expected.cross_encoder[0].pair[1], "Tea is red, in a cup.");
    let titled = TitledText { title: "Tea", text: "is red, in a cup." };
    let score = reranker.scores(&expected.cross_encoder[0].pair[0], &[titled]).await.unwrap()[0];
    assert!((score - expected.cross_encoder[0].logit).abs() < 1e-5, "{score}");
}

#[tokio::test]
async fn a_model_that_scores_no_pairs_is_refused_with_the_setting_to_change() {
    let error = open("colbert").err().unwrap();
    assert!(error.to_string().contains("one label"), "{error}");
    assert!(error.hint().unwrap().contains("`rerank.model`"));
}
