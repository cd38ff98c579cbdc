//! Vector retrieval over stores with fixed results.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::plan::RetrievalPlan;
use crate::progress::NoProgress;
use crate::retrieve::retrieve;
use ragtriage_clients::Error as ModelError;
use ragtriage_clients::embed::{Encoder, OnProgress};
use ragtriage_core::attribute::gold::locate_shown;
use ragtriage_core::fuse::Fusion;
use ragtriage_core::types::{
    Chunk, ChunkId, Document, Filter, Length, Question, Ranking, Similarity, Trace, TraceStep,
    VectorShape,
};
use ragtriage_vectors::{Error as VectorError, Neighbour, VectorPlace};

/// Encodes a text as its length, and counts the texts. A text of one byte has no vector.
#[derive(Default)]
struct Lengths(AtomicUsize);

#[async_trait]
impl Encoder for Lengths {
    fn fingerprint(&self, _: Role) -> &'static str {
        "lengths"
    }

    fn shape(&self) -> VectorShape {
        VectorShape { dimension: 1, many: false, similarity: Similarity::Dot }
    }

    fn read_bytes(&self, _: TitledText<'_>, _: Role) -> Result<Option<usize>, ModelError> {
        Ok(None)
    }

    async fn lengths(
        &self,
        _: &[TitledText<'_>],
        _: Role,
    ) -> Result<Option<Vec<Length>>, ModelError> {
        Ok(None)
    }

    async fn encode(
        &self,
        texts: &[TitledText<'_>],
        _: Role,
        _: OnProgress<'_>,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        self.0.fetch_add(texts.len(), Ordering::Relaxed);
        let lengths = texts.iter().map(|text| text.text.len());
        Ok(lengths.filter(|length| *length > 1).map(|length| vec![length as f32]).collect())
    }
}

/// A store that returns its only point with the question's only number as the score.
struct Echo;

#[async_trait]
impl VectorStore for Echo {
    async fn missing(&self) -> Result<Vec<u32>, VectorError> {
        Ok(Vec::new())
    }

    async fn upsert(&self, _: &[Point]) -> Result<(), VectorError> {
        Ok(())
    }

    async fn search(&self, search: VectorSearch<'_>) -> Result<Vec<Neighbour>, VectorError> {
        Ok(vec![Neighbour { number: 0, score: search.vector[0] }])
    }
}

/// Two documents, of which an approximate search misses the better one.
struct HalfGraph(Arc<Corpus>);

#[async_trait]
impl Retriever for HalfGraph {
    fn name(&self) -> RetrieverName {
        RetrieverName::Collection
    }

    async fn retrieve(&self, _: &str, _: usize) -> Result<Retrieved, Error> {
        Ok(Retrieved { ranking: ranking(&self.0, [(1, 1.0)])?, parts: Parts::new() })
    }

    async fn retrieve_exactly(&self, _: &str, _: usize) -> Result<Option<Ranking>, Error> {
        Ok(Some(ranking(&self.0, [(0, 2.0), (1, 1.0)])?))
    }
}

fn retriever(encoder: &Arc<Lengths>) -> VectorRetriever {
    let document = Document {
        id: "d".into(),
        title: String::new(),
        text: "text".to_owned(),
        metadata: [].into(),
    };
    let chunk = Chunk::new(0, (0, 4).into(), 1);
    VectorRetriever {
        corpus: Arc::new(Corpus::new(vec![document], vec![chunk])),
        store: Arc::new(Echo),
        allowed: None,
        questions: QuestionVectors::new(
            RetrieverName::Dense,
            Arc::clone(encoder) as Arc<dyn Encoder>,
        ),
    }
}

async fn score(retriever: &VectorRetriever, question: &str) -> f64 {
    let found = retriever.retrieve(question, 1).await.expect("found");
    found.ranking.hits()[0].score
}

#[tokio::test]
async fn a_question_that_was_not_prepared_is_encoded_when_it_is_asked() {
    let encoder = Arc::new(Lengths::default());
    let mut retriever = retriever(&encoder);
    retriever
        .prepare(&["why", "where"], &NoProgress, &mut RunFacts::default())
        .await
        .expect("prepared");
    assert_eq!(encoder.0.load(Ordering::Relaxed), 2);
    assert_eq!(score(&retriever, "where").await, 5.0);
    assert_eq!(encoder.0.load(Ordering::Relaxed), 2);
    assert_eq!(score(&retriever, "when").await, 4.0);
    assert_eq!(encoder.0.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn a_question_without_a_vector_is_an_error_and_no_empty_ranking() {
    let mut retriever = retriever(&Arc::default());
    let error = retriever.retrieve("?", 1).await.expect_err("no vector");
    assert_eq!(error.to_string(), "`lengths` returned 0 vectors for 1 questions");
    let prepared = retriever.prepare(&["why", "?"], &NoProgress, &mut RunFacts::default()).await;
    assert_eq!(
        prepared.expect_err("one vector").to_string(),
        "`lengths` returned 1 vectors for 2 questions"
    );
}

/// Returns the step of a question that `a` answers, over the documents `a` and `b`.
async fn step(is_compared: bool, skips_own_document: bool) -> TraceStep {
    let ids = ["a", "b"];
    let document = |id: &str| Document {
        id: id.into(),
        title: String::new(),
        text: "text".to_owned(),
        metadata: [].into(),
    };
    let chunk = |document| Chunk::new(document, (0, 4).into(), 1);
    let corpus = Corpus::new(ids.map(document).to_vec(), vec![chunk(0), chunk(1)]);
    let corpus = Arc::new(corpus);
    let plan = RetrievalPlan {
        notices: ragtriage_core::notices::Notices::default(),
        retrievers: Vec::new(),
        fusion: Fusion::default(),
        rerank: None,
        store: VectorPlace::Embedded(PathBuf::new()),
        filter: Filter::default(),
        min_score: None,
        candidates: 2,
        skips_own_document,
        k: 1,
    };
    let question = Question::new("b".into(), "why".to_owned());
    let gold = locate_shown(&question, &corpus, &[], |_| false);
    let trace = Trace::new(0, question, gold);
    let retrievers: [Arc<dyn Retriever>; 1] = [Arc::new(HalfGraph(Arc::clone(&corpus)))];
    let asked = (&trace, is_compared);
    let steps = retrieve(&retrievers, asked, &plan, (&corpus, false)).await;
    steps.expect("retrieved").remove(0)
}

fn ids<'a>(ids: impl IntoIterator<Item = &'a ChunkId>) -> Vec<&'a str> {
    ids.into_iter().map(ChunkId::as_str).collect()
}

#[tokio::test]
async fn exact_search_runs_next_to_approximate_search_of_the_sample() {
    let found = step(true, false).await;
    assert_eq!(ids(found.hits.iter().map(|hit| &hit.id)), ["b#0"]);
    let exact = found.exact_search.expect("compared");
    assert_eq!(ids(&exact), ["a#0", "b#0"]);
    let outside = step(false, false).await;
    assert_eq!(outside.exact_search, None);
    // The document that has the question's id is in neither ranking.
    let others = step(true, true).await;
    let exact = others.exact_search.expect("compared");
    assert_eq!((others.hits.len(), ids(&exact)), (0, vec!["a#0"]));
}
