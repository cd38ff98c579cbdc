use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use ragtriage_core::types::{Chunk, ChunkId, Document, Similarity};
use ragtriage_models::embed::OnProgress;
use ragtriage_vectors::{IndexError, Neighbour};

/// Encodes a text as its length, and counts the texts. A text of one byte has no vector.
#[derive(Default)]
struct Lengths(AtomicUsize);

#[async_trait]
impl Encoder for Lengths {
    fn fingerprint(&self, _: Role) -> &'static str {
        "lengths"
    }

    fn shape(&self) -> VectorShape {
        VectorShape {
            dimension: 1,
            many: false,
            similarity: Similarity::Dot,
        }
    }

    fn read_bytes(&self, _: TitledText<'_>, _: Role) -> Result<Option<usize>, EmbedError> {
        Ok(None)
    }

    async fn lengths(
        &self,
        _: &[TitledText<'_>],
        _: Role,
    ) -> Result<Option<Vec<Length>>, EmbedError> {
        Ok(None)
    }

    async fn encode(
        &self,
        texts: &[TitledText<'_>],
        _: Role,
        _: OnProgress<'_>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.0.fetch_add(texts.len(), Ordering::Relaxed);
        let lengths = texts.iter().map(|text| text.text.len());
        Ok(lengths
            .filter(|length| *length > 1)
            .map(|length| vec![length as f32])
            .collect())
    }
}

/// A store that returns its only point with the question's only number as the score.
struct Echo;

#[async_trait]
impl VectorStore for Echo {
    async fn count(&self) -> Result<usize, IndexError> {
        Ok(1)
    }

    async fn missing(&self) -> Result<Vec<u32>, IndexError> {
        Ok(Vec::new())
    }

    async fn upsert(&self, _: &[Point]) -> Result<(), IndexError> {
        Ok(())
    }

    async fn search(&self, search: VectorSearch<'_>) -> Result<Vec<Neighbour>, IndexError> {
        let Vector::Dense(numbers) = search.vector else {
            return Ok(Vec::new());
        };
        Ok(vec![Neighbour {
            number: 0,
            score: numbers[0],
        }])
    }

    async fn graph_in_use(&self) -> Result<bool, IndexError> {
        Ok(false)
    }

    async fn segments(&self) -> Result<usize, IndexError> {
        Ok(1)
    }
}

struct NoProgress;

impl Progress for NoProgress {
    fn start(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn finish(&self) {}
}

fn retriever(encoder: &Arc<Lengths>) -> VectorRetriever {
    let document = Document {
        id: "d".into(),
        title: String::new(),
        text: "text".to_owned(),
        metadata: [].into(),
    };
    let chunk = Chunk {
        id: ChunkId::new(&"d".into(), 0),
        doc_id: "d".into(),
        ordinal: 0,
        range: (0, 4).into(),
        n_tokens: 1,
    };
    VectorRetriever {
        name: RetrieverName::Dense,
        corpus: Arc::new(Corpus::new(vec![document], vec![chunk])),
        store: Arc::new(Echo),
        mode: SearchMode::Exact,
        filter: Filter::default(),
        encoder: Arc::clone(encoder) as Arc<dyn Encoder>,
        prepared: HashMap::new(),
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
        .prepare(&["why", "where"], &NoProgress)
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
    assert_eq!(
        error.to_string(),
        "encoder `lengths` gave 0 vectors for 1 questions"
    );
    let prepared = retriever.prepare(&["why", "?"], &NoProgress).await;
    assert_eq!(
        prepared.expect_err("one vector").to_string(),
        "encoder `lengths` gave 1 vectors for 2 questions"
    );
}
