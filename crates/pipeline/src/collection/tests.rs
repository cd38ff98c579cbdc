//! The retriever over a collection with fixed results.

use std::sync::Mutex;

use super::*;
use ragtriage_core::config::CollectionMode;
use ragtriage_core::types::Hnsw;
use ragtriage_core::types::{ByteRange, Chunk, Document};

/// Answers with the best of fixed results, and remembers limits and modes.
struct Fixed {
    found: Vec<(&'static str, f32)>,
    index: Option<Hnsw>,
    asked: Mutex<Vec<(usize, SearchMode)>>,
}

#[async_trait]
impl ExistingCollection for Fixed {
    async fn read(&self) -> Result<CollectionContent, VectorError> {
        Ok(CollectionContent { passages: Vec::new(), vectors_sha256: String::new() })
    }

    async fn search(&self, search: ExistingSearch<'_>) -> Result<Vec<(String, f32)>, VectorError> {
        let asked = (search.limit, search.mode);
        self.asked.lock().expect("not poisoned").push(asked);
        let best = self.found.iter().take(search.limit);
        Ok(best.map(|(id, score)| ((*id).to_owned(), *score)).collect())
    }

    fn index(&self) -> Option<Hnsw> {
        self.index
    }
}

/// Returns a retriever over one document of four chunks of one letter, the points `p0` to `p3`, and `copy` of the first.
fn retriever(
    found: &[(&'static str, f32)],
    index: Option<Hnsw>,
) -> (CollectionRetriever, Arc<Fixed>) {
    let document = Document {
        id: "d".into(),
        title: String::new(),
        text: "a b c d".to_owned(),
        metadata: [].into(),
    };
    let chunk = |ordinal: usize| Chunk::new(0, ByteRange::new(2 * ordinal, 2 * ordinal + 1), 1);
    let points = [("p0", 0), ("p1", 1), ("p2", 2), ("p3", 3), ("copy", 0)];
    let collection = Arc::new(Fixed { found: found.to_vec(), index, asked: Mutex::default() });
    let retriever = CollectionRetriever {
        corpus: Arc::new(Corpus::new(vec![document], (0..4).map(chunk).collect())),
        points: Arc::new(points.map(|(id, number)| (id.to_owned(), number)).into()),
        collection: Arc::clone(&collection) as _,
        settings: CollectionSettings {
            name: "docs".to_owned(),
            mode: CollectionMode::Sparse,
            ..CollectionSettings::default()
        },
        questions: None,
    };
    (retriever, collection)
}

async fn ids(retriever: &CollectionRetriever, depth: usize) -> Vec<String> {
    let found = retriever.retrieve("why", depth).await.expect("searched");
    found.ranking.ids().map(ToString::to_string).collect()
}

#[tokio::test]
async fn points_become_chunks_and_points_of_one_passage_one_hit() {
    let (retriever, _) = retriever(&[("copy", 0.9), ("p2", 0.5), ("p0", 0.4), ("p1", 0.1)], None);
    assert_eq!(ids(&retriever, 4).await, ["d#0", "d#2", "d#1"]);
}

#[tokio::test]
async fn ties_at_the_cutoff_are_resolved_by_the_order_of_the_ranking() {
    let (retriever, collection) =
        retriever(&[("p1", 0.5), ("p2", 0.5), ("p3", 0.5), ("p0", 0.1)], None);
    assert_eq!(ids(&retriever, 1).await, ["d#3"]);
    // Of equal scores the last id is first, as in trec_eval. Two hits tie, so six are asked for: all five points and one.
    let limits: Vec<usize> =
        collection.asked.lock().expect("not poisoned").iter().map(|asked| asked.0).collect();
    assert_eq!(limits, [2, 6]);
}

#[tokio::test]
async fn a_point_that_was_not_read_is_an_error() {
    let (retriever, _) = retriever(&[("p9", 0.9)], None);
    let error = retriever.retrieve("why", 2).await.expect_err("unknown");
    assert_eq!(
        error.to_string(),
        "collection `docs` changed while it was in use: point p9 was added since it was read"
    );
    assert_eq!(error.kind, crate::Kind::EndsRun);
}

#[tokio::test]
async fn exact_search_runs_too_where_an_index_is_followed() {
    let index = Hnsw::default();
    let (approximate, collection) = retriever(&[("p0", 0.9)], Some(index));
    let exact = approximate.retrieve_exactly("why", 2).await.expect("searched");
    assert_eq!(exact.map(|ranking| ranking.len()), Some(1));
    assert_eq!(collection.asked.lock().expect("not poisoned")[0], (3, SearchMode::Exact));
    let (exact, _) = retriever(&[("p0", 0.9)], None);
    let compared = exact.retrieve_exactly("why", 2).await.expect("not asked");
    assert!(compared.is_none());
}

#[test]
fn the_digest_changes_with_every_part_of_what_was_read() {
    let passage = StoredPassage {
        point: "1".to_owned(),
        text: Some("a".to_owned()),
        document: None,
        offsets: None,
    };
    let content = |vectors: &str, passage: &StoredPassage| CollectionContent {
        passages: vec![passage.clone()],
        vectors_sha256: vectors.to_owned(),
    };
    let changed = [
        StoredPassage { point: "2".to_owned(), ..passage.clone() },
        StoredPassage { text: None, ..passage.clone() },
        StoredPassage { document: Some(String::new()), ..passage.clone() },
        StoredPassage { offsets: Some((0, 1)), ..passage.clone() },
    ];
    let mut digests: HashSet<String> =
        changed.iter().map(|passage| digest(&content("v", passage))).collect();
    digests.insert(digest(&content("v", &passage)));
    digests.insert(digest(&content("w", &passage)));
    assert_eq!(digests.len(), 6);
}
