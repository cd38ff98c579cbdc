//! A collection with planted faults.

use std::path::PathBuf;

use async_trait::async_trait;
use serde_json::Value;

use super::*;
use crate::plan::{CollectionPlan, PlannedCondition, PromptPlan, RetrievalPlan};
use ragtriage_core::chunk::{ChunkSpec, Strategy};
use ragtriage_core::config::CollectionSettings;
use ragtriage_core::fuse::Fusion;
use ragtriage_core::notices::Notices;
use ragtriage_core::prompt::Template;
use ragtriage_core::text::tokens::{self, Tokenizer};
use ragtriage_core::types::{ByteRange, Document, Filter, Hnsw, Member, Question};
use ragtriage_vectors::{
    CollectionContent, Error as VectorError, ExistingCollection, ExistingSearch, StoredPassage,
    VectorPlace,
};

struct Silent;

#[async_trait]
impl ExistingCollection for Silent {
    async fn read(&self) -> Result<CollectionContent, VectorError> {
        unreachable!("it was read")
    }

    async fn search(&self, _: ExistingSearch<'_>) -> Result<Vec<(String, f32)>, VectorError> {
        unreachable!("no question is asked")
    }

    fn index(&self) -> Option<Hnsw> {
        None
    }
}

fn document(id: &str, text: &str) -> Document {
    let metadata = [("team".to_owned(), Value::from(id))].into();
    Document { id: id.into(), title: String::new(), text: text.to_owned(), metadata }
}

/// Asks for bytes of a document.
fn question(doc: &str, start: usize, end: usize) -> Question {
    let member = Member { doc: doc.into(), ranges: vec![ByteRange::new(start, end)] };
    Question { evidence: vec![vec![member]], ..Question::new(doc.into(), "why?".to_owned()) }
}

/// Checks a collection of `points`: their texts and documents.
fn checked(points: &[(&str, &str)], filter: &str) -> IndexCheck {
    let passages = points.iter().enumerate().map(|(number, (text, document))| StoredPassage {
        point: number.to_string(),
        text: Some((*text).to_owned()),
        document: Some((*document).to_owned()),
        offsets: None,
    });
    let content = CollectionContent { passages: passages.collect(), vectors_sha256: String::new() };
    let collection = CollectionPlan::new(
        Arc::new(Silent),
        Arc::new(content),
        CollectionSettings::default(),
        None,
    );
    let counter = tokens::counter(Tokenizer::Words, None).expect("built in");
    let template = Template::built_in("short-answer").expect("built in");
    let plan = Plan {
        chunking: ChunkSpec::new(Strategy::Fixed, 2, 0, Tokenizer::Words).expect("valid"),
        chunk_counter: Arc::clone(&counter),
        chunk_counter_id: String::new(),
        chunk_cache: None,
        title_prefix: false,
        retrieval: RetrievalPlan {
            retrievers: vec![RetrieverPlan::Collection(Box::new(collection))],
            fusion: Fusion::default(),
            rerank: None,
            store: VectorPlace::Embedded(PathBuf::new()),
            filter: serde_json::from_str::<Filter>(filter).expect("a filter"),
            min_score: None,
            candidates: 2,
            skips_own_document: false,
            k: 1,
            notices: Notices::default(),
        },
        prompt: PromptPlan {
            template: Template::parse(template).expect("valid"),
            counter,
            context_tokens: 100,
        },
        rewrites: false,
        concurrency: 1,
        calls: None,
        conditions: PlannedCondition { names: Vec::new(), seed: 0 },
    };
    let dataset = Dataset {
        documents: vec![
            document("fresh", "alpha waits six minutes"),
            document("old", "beta waits ten minutes"),
            document("lost", "gamma never waits"),
        ],
        questions: vec![
            question("fresh", 12, 23),
            question("old", 11, 22),
            question("lost", 0, 5),
            question("gone", 0, 5),
        ],
        ..Dataset::default()
    };
    check_index(dataset, &plan).expect("checked")
}

const POINTS: [(&str, &str); 4] = [
    ("alpha waits", "fresh"),
    ("six minutes", "fresh"),
    ("six minutes", "fresh"),
    ("beta waits two minutes", "old"),
];

fn ids(ids: &[QuestionId]) -> Vec<&str> {
    ids.iter().map(QuestionId::as_str).collect()
}

#[test]
fn planted_faults_of_a_collection_are_named() {
    let check = checked(&POINTS, "{}");
    assert_eq!((check.n_documents, check.n_chunks, check.n_questions), (3, 4, 4));
    assert_eq!(check.missing, ["old".into(), "lost".into()]);
    assert_eq!(check.stale, BTreeSet::from(["old".to_owned()]));
    assert_eq!((check.n_doubled, check.n_truncated), (1, 0));
    assert_eq!(ids(&check.not_in_corpus), ["gone"]);
    assert_eq!(ids(&check.not_chunked), ["old", "lost"]);
    assert_eq!(ids(&check.filtered), [""; 0]);
}

#[test]
fn evidence_that_the_filter_excludes_is_named() {
    let points = [POINTS[1], ("gamma never waits", "lost")];
    let check = checked(&points, r#"{"team": "fresh"}"#);
    assert_eq!(ids(&check.filtered), ["lost"]);
    assert_eq!(ids(&check.not_chunked), ["old"]);
}
