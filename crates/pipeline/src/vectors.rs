//! Retrieval by vectors in Qdrant: a vector a chunk (dense) or a vector a token (late interaction), by one code path.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use sha2::{Digest, Sha256};

use super::PipelineError;
use super::ingest::{Built, hex_name, indexed_text};
use super::plan::{StorePlan, VectorPlan};
use super::progress::Progress;
use super::retrieve::{Found, Query, Retriever, ranking};
use super::stores::OpenStores;
use ragtriage_core::config::{Quantization, QuantizationKind};
use ragtriage_core::fuse::Parts;
use ragtriage_core::types::{Corpus, Filter, Question, Ranking, Stage, TitledText};
use ragtriage_models::embed::{Role, Shape};
use ragtriage_runs::Truncation;
use ragtriage_vectors::{
    CollectionSpec, Point, Search, SearchMode, Vector, VectorSpec, VectorStore,
};

/// Chunks encoded and stored together: what a broken-off filling loses, and what is held in memory at once. A chunk of
/// many vectors has some hundred times the numbers.
const WINDOW: usize = 2048;
const WINDOW_OF_MANY: usize = 128;

/// Nearest vectors in a collection.
pub struct VectorRetriever {
    stage: Stage,
    corpus: Arc<Corpus>,
    store: Arc<dyn VectorStore>,
    mode: SearchMode,
    filter: Filter,
    /// The questions' vectors by their place in the run.
    questions: HashMap<usize, Vector>,
}

#[async_trait]
impl Retriever for VectorRetriever {
    fn stage(&self) -> Stage {
        self.stage
    }

    async fn retrieve(&self, query: Query<'_>, depth: usize) -> Result<Found, PipelineError> {
        let Some(vector) = self.questions.get(&query.index) else {
            return Ok(Found::default());
        };
        let filter = Some(&self.filter).filter(|filter| !filter.is_empty());
        let search = async |mode| {
            let search = Search {
                vector,
                limit: depth,
                mode,
                filter,
            };
            Ok::<_, PipelineError>(
                through_ties(&self.corpus, self.store.as_ref(), search)
                    .await?
                    .cut(depth),
            )
        };
        // What the graph loses can only be said beside what it should have found.
        let exact = if self.mode == SearchMode::Approximate {
            Some(search(SearchMode::Exact).await?)
        } else {
            None
        };
        Ok(Found {
            ranking: search(self.mode).await?,
            parts: Parts::new(),
            exact,
        })
    }
}

/// The best [`Search::limit`] hits and all that score as the last of them: stores cut ties as they like, a ranking by id.
pub(super) async fn through_ties(
    corpus: &Corpus,
    store: &dyn VectorStore,
    search: Search<'_>,
) -> Result<Ranking, PipelineError> {
    let mut limit = search.limit.saturating_add(1);
    loop {
        let found = store.search(Search { limit, ..search }).await?;
        let tied = found.len() == limit
            && search.limit > 0
            && found.last().map(|near| near.score)
                == found.get(search.limit - 1).map(|near| near.score);
        if !tied {
            return ranking(
                corpus,
                found
                    .into_iter()
                    .map(|near| (near.number, f64::from(near.score))),
            );
        }
        limit = limit
            .saturating_mul(4)
            .min(corpus.chunks().len().saturating_add(1))
            .max(limit + 1);
    }
}

/// Fills a collection with the chunks' vectors, as far as they are not there, and encodes the questions.
///
/// # Errors
/// Whatever encoder and vector store say.
pub(super) async fn build(
    plan: &VectorPlan,
    (store_plan, stores): (&StorePlan, &mut OpenStores),
    corpus: &Arc<Corpus>,
    questions: &[(usize, Question)],
    (filter, title_prefix): (&Filter, bool),
    progress: &dyn Progress,
) -> Result<Built, PipelineError> {
    let shape = plan.encoder.shape();
    let texts: Vec<TitledText<'_>> = (0..corpus.chunks().len())
        .map(|number| indexed_text(corpus, number, title_prefix))
        .collect();
    let content = content_hash(corpus, &texts, plan.encoder.fingerprint(Role::Passage));
    let clock = Instant::now();
    let spec = spec(
        store_plan,
        content,
        plan.stage,
        vector_spec(shape),
        texts.len(),
    );
    let store = stores.open(store_plan, &spec).await?;
    let mut seconds = Seconds::default();
    seconds.store += clock.elapsed().as_secs_f64();

    let missing = store.missing().await?;
    let is_new = !missing.is_empty();
    if !missing.is_empty() {
        progress.start(
            &format!("embedding chunks ({})", plan.stage),
            missing.len() as u64,
        );
        for window in missing.chunks(if shape.many { WINDOW_OF_MANY } else { WINDOW }) {
            let clock = Instant::now();
            let wanted: Vec<TitledText<'_>> = window
                .iter()
                .map(|number| texts[*number as usize])
                .collect();
            let vectors = plan
                .encoder
                .encode(&wanted, Role::Passage, &|n| progress.advance(n as u64))
                .await?;
            seconds.embed += clock.elapsed().as_secs_f64();
            let clock = Instant::now();
            let points = window
                .iter()
                .zip(vectors)
                .map(|(number, numbers)| point(corpus, *number, vector(shape, numbers)));
            store.upsert(&points.collect::<Vec<Point>>()).await?;
            seconds.store += clock.elapsed().as_secs_f64();
        }
        progress.finish();
    }

    let clock = Instant::now();
    let asked: Vec<TitledText<'_>> = questions
        .iter()
        .map(|(_, question)| TitledText::untitled(&question.text))
        .collect();
    let mut cut = Vec::new();
    for (what, texts, role) in [
        ("chunks", &texts, Role::Passage),
        ("questions", &asked, Role::Query),
    ] {
        cut.extend(truncation(plan, what, texts, role).await?);
    }
    seconds.embed += clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let questions = encode_questions(plan, questions, progress).await?;
    seconds.questions += clock.elapsed().as_secs_f64();
    let (mode, search) = how_searched(store_plan, store.as_ref(), texts.len()).await?;
    let retriever = VectorRetriever {
        stage: plan.stage,
        corpus: Arc::clone(corpus),
        store,
        mode,
        filter: filter.clone(),
        questions,
    };
    Ok(Built {
        retriever: Box::new(retriever),
        is_new,
        seconds: seconds.named(plan.stage),
        truncation: cut,
        vector_search: Some(search),
    })
}

impl VectorPlan {
    /// All that makes a retriever over one corpus another one, besides store, filter and titles.
    pub(super) fn identity(&self) -> String {
        let of = |role| self.encoder.fingerprint(role);
        format!("{} {} {}", self.stage, of(Role::Passage), of(Role::Query))
    }
}

/// Wall seconds of the steps.
#[derive(Default)]
struct Seconds {
    embed: f64,
    store: f64,
    questions: f64,
}

impl Seconds {
    fn named(&self, stage: Stage) -> BTreeMap<String, f64> {
        let steps = [
            ("embed", self.embed),
            ("embed questions", self.questions),
            ("qdrant", self.store),
        ];
        steps
            .into_iter()
            .filter(|(_, s)| *s > 0.0)
            .map(|(step, s)| (format!("{step} {stage}"), s))
            .collect()
    }
}

/// What is asked of a collection.
pub(super) fn spec(
    plan: &StorePlan,
    content: String,
    stage: Stage,
    vector: VectorSpec,
    expected_points: usize,
) -> CollectionSpec {
    CollectionSpec {
        content,
        vector_name: stage.name().to_owned(),
        vector,
        expected_points,
        hnsw: (plan.mode == SearchMode::Approximate).then_some(plan.hnsw),
        quantization: if plan.mode == SearchMode::Approximate {
            plan.quantization
        } else {
            Quantization::default()
        },
        placement: plan.placement,
    }
}

/// A graph that the engine did not build is not used: then every vector is compared, and the run says so.
async fn how_searched(
    plan: &StorePlan,
    store: &dyn VectorStore,
    n_vectors: usize,
) -> Result<(SearchMode, String), PipelineError> {
    let mode = plan.mode;
    if mode == SearchMode::Exact {
        return Ok((mode, "exact".to_owned()));
    }
    let compressed = plan.quantization.kind == QuantizationKind::Scalar;
    Ok(match (store.graph_in_use().await?, compressed) {
        (true, false) => (mode, "HNSW".to_owned()),
        (true, true) => (mode, "HNSW over int8".to_owned()),
        (false, true) => (
            mode,
            format!("HNSW not used: int8 copies of {n_vectors} vectors are scanned"),
        ),
        (false, false) => (
            SearchMode::Exact,
            format!("HNSW not used: {n_vectors} vectors are scanned"),
        ),
    })
}

async fn encode_questions(
    plan: &VectorPlan,
    questions: &[(usize, Question)],
    progress: &dyn Progress,
) -> Result<HashMap<usize, Vector>, PipelineError> {
    let texts: Vec<TitledText<'_>> = questions
        .iter()
        .map(|(_, question)| TitledText::untitled(&question.text))
        .collect();
    progress.start(
        &format!("embedding questions ({})", plan.stage),
        texts.len() as u64,
    );
    let vectors = plan
        .encoder
        .encode(&texts, Role::Query, &|n| progress.advance(n as u64))
        .await?;
    progress.finish();
    let shape = plan.encoder.shape();
    Ok(questions
        .iter()
        .map(|(index, _)| *index)
        .zip(vectors.into_iter().map(|numbers| vector(shape, numbers)))
        .collect())
}

/// How much of the texts the encoder never reads; `None` where it cannot know.
async fn truncation(
    plan: &VectorPlan,
    what: &str,
    texts: &[TitledText<'_>],
    role: Role,
) -> Result<Option<Truncation>, PipelineError> {
    let Some(lengths) = plan.encoder.lengths(texts, role).await? else {
        return Ok(None);
    };
    let lost = |length: &ragtriage_core::types::Length| length.n_tokens - length.n_read;
    Ok(Some(Truncation {
        retriever: plan.stage.name().to_owned(),
        what: what.to_owned(),
        n_texts: lengths.len(),
        n_cut: lengths.iter().filter(|length| lost(length) > 0).count(),
        n_tokens: lengths.iter().map(|length| length.n_tokens).sum(),
        n_lost: lengths.iter().map(lost).sum(),
    }))
}

fn vector_spec(shape: Shape) -> VectorSpec {
    let Shape {
        dimension,
        many,
        similarity,
    } = shape;
    if many {
        VectorSpec::Multi {
            dimension,
            similarity,
        }
    } else {
        VectorSpec::Dense {
            dimension,
            similarity,
        }
    }
}

fn vector(shape: Shape, numbers: Vec<f32>) -> Vector {
    if shape.many {
        Vector::Multi(numbers)
    } else {
        Vector::Dense(numbers)
    }
}

/// A chunk as the store keeps it.
pub(super) fn point(corpus: &Corpus, number: u32, vector: Vector) -> Point {
    let chunk = &corpus.chunks()[number as usize];
    Point {
        number,
        vector,
        chunk_id: chunk.id.to_string(),
        doc_id: chunk.doc_id.to_string(),
        range: (chunk.range.start, chunk.range.end),
        metadata: Arc::new(corpus.chunk_metadata(number as usize).clone()),
    }
}

/// The hash of all that is in a collection: chunk ids, ranges, the very texts, the metadata that filters read, and what the
/// vectors depend on. Another content is another name, so a stale collection cannot be opened.
pub(super) fn content_hash(corpus: &Corpus, texts: &[TitledText<'_>], vectors: &str) -> String {
    let mut hash = Sha256::new();
    let mut field = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    field(vectors.as_bytes());
    for (number, (chunk, text)) in corpus.chunks().iter().zip(texts).enumerate() {
        field(chunk.id.as_str().as_bytes());
        field(&(chunk.range.start as u64).to_le_bytes());
        field(&(chunk.range.end as u64).to_le_bytes());
        field(text.title.as_bytes());
        field(text.text.as_bytes());
        field(
            serde_json::to_string(corpus.chunk_metadata(number))
                .expect("JSON values serialise")
                .as_bytes(),
        );
    }
    hex_name(hash)
}
