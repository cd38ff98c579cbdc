//! The wrapper over a reranker that counts its calls.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::rerank::contract;

/// A reranker that scores with the passage's length minus the query's, or a preset score.
struct Counting {
    n_asked: AtomicUsize,
    fingerprint: &'static str,
    instead: Option<Vec<f32>>,
}

#[async_trait]
impl Reranker for Counting {
    fn fingerprint(&self) -> &str {
        self.fingerprint
    }

    async fn scores(&self, query: &str, passages: &[TitledText<'_>]) -> Result<Vec<f32>, Error> {
        self.n_asked.fetch_add(passages.len(), Ordering::Relaxed);
        let score = |passage: &TitledText<'_>| passage.joined().len() as f32 - query.len() as f32;
        Ok(self.instead.clone().unwrap_or_else(|| passages.iter().map(score).collect()))
    }
}

fn counting(fingerprint: &'static str) -> Arc<Counting> {
    Arc::new(Counting { n_asked: AtomicUsize::new(0), fingerprint, instead: None })
}

fn untitled<'a>(texts: &[&'a str]) -> Vec<TitledText<'a>> {
    texts.iter().map(|text| TitledText::untitled(text)).collect()
}

#[tokio::test]
async fn it_keeps_the_contract_from_memory_too() {
    let folder = tempfile::tempdir().unwrap();
    let inner = counting("a");
    let cached = CachedReranker::open(
        inner.clone(),
        &folder.path().join("scores.sqlite"),
        &Notices::default(),
    )
    .unwrap();
    contract::check(&cached).await;
    let n_asked = inner.n_asked.load(Ordering::Relaxed);
    contract::check(&cached).await;
    assert_eq!(inner.n_asked.load(Ordering::Relaxed), n_asked, "nothing is asked twice");
}

#[tokio::test]
async fn another_question_title_or_reranker_is_another_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scores.sqlite");
    let (a, b) = (counting("a"), counting("b"));
    let cached = CachedReranker::open(a.clone(), &path, &Notices::default()).unwrap();
    cached.scores("q", &untitled(&["x"])).await.unwrap();
    cached.scores("p", &untitled(&["x"])).await.unwrap();
    cached.scores("q", &[TitledText { title: "t", text: "x" }]).await.unwrap();
    CachedReranker::open(b.clone(), &path, &Notices::default())
        .unwrap()
        .scores("q", &untitled(&["x"]))
        .await
        .unwrap();
    assert_eq!((a.n_asked.load(Ordering::Relaxed), b.n_asked.load(Ordering::Relaxed)), (3, 1));
}

#[tokio::test]
async fn a_reranker_that_breaks_the_contract_is_named_and_nothing_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scores.sqlite");
    for (instead, part) in
        [(vec![1.0], "1 scores for 2 passages"), (vec![1.0, f32::NAN], "the score NaN")]
    {
        let broken =
            Counting { n_asked: AtomicUsize::new(0), fingerprint: "a", instead: Some(instead) };
        let cached = CachedReranker::open(Arc::new(broken), &path, &Notices::default()).unwrap();
        let error = cached.scores("q", &untitled(&["x", "y"])).await.unwrap_err();
        assert_eq!(error.to_string(), format!("`a` returned {part}"));
    }
    let inner = counting("a");
    CachedReranker::open(inner.clone(), &path, &Notices::default())
        .unwrap()
        .scores("q", &untitled(&["x", "y"]))
        .await
        .unwrap();
    assert_eq!(inner.n_asked.load(Ordering::Relaxed), 2);
}
