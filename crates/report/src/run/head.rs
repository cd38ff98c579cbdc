//! The head of a run's report: data, configuration and provenance.

use std::collections::BTreeMap;

use super::approximate;
use crate::document::Fact;
use crate::external;
use ragtriage_core::chunk::Strategy;
use ragtriage_core::config::{
    Bm25Settings, CollectionMode, CollectionSettings, DenseSettings, GenerationSettings,
    GeneratorName, Precision, RetrievalSettings, Settings, VectorStoreKind,
};
use ragtriage_core::fuse::{Fusion, FusionMethod};
use ragtriage_core::types::{QuestionKind, RetrieverName};
use ragtriage_data::run::{Manifest, SavedRun};
use ragtriage_eval::summary::Summary;

/// Returns corpus and questions.
pub(super) fn data(run: &SavedRun, summary: &Summary) -> [Fact; 2] {
    let manifest = &run.manifest;
    [
        Fact::new("Corpus", describe_corpus(manifest)),
        Fact::new("Questions", describe_questions(run, summary)),
    ]
}

/// Returns tags (if any), configuration and provenance in reading order.
pub(super) fn head(run: &SavedRun) -> Vec<Fact> {
    let manifest = &run.manifest;
    let settings = &manifest.settings;
    let evaluation = &settings.evaluation;
    let pipeline = match manifest.external.as_ref().filter(|source| !source.is_own) {
        Some(source) => external::pipeline(source, run).to_vec(),
        None => vec![
            Fact::new("Chunking", describe_chunking(settings)),
            Fact::new("Retrieval", describe_retrieval(manifest)),
            Fact::new("Generation", describe_generation(&settings.generation)),
        ],
    };
    let mut head: Vec<Fact> = tags(run).into_iter().chain(pipeline).collect();
    head.extend([
        Fact::new(
            "Scoring",
            format!(
                "right answers by rule `{}`; AnswerEM and AnswerF1 by scorer {}",
                evaluation.right, evaluation.scorer
            ),
        ),
        Fact::new("Version", describe_version(manifest)),
    ]);
    for model in &manifest.models {
        let hash = model
            .sha256
            .get("model.safetensors")
            .map_or(String::new(), |hash| format!(" (sha256 {}…)", hash.get(..12).unwrap_or(hash)));
        head.push(Fact::new(format!("Model, {}", model.role), format!("{}{hash}", model.name)));
    }
    head
}

fn describe_corpus(manifest: &Manifest) -> String {
    let digest = &manifest.dataset_digest;
    let chunks = if manifest.external.is_some() {
        "chunked elsewhere".to_owned()
    } else {
        let mean = manifest.chunk_tokens as f64 / manifest.n_chunks.max(1) as f64;
        format!("{} chunks of {mean:.0} tokens on average", manifest.n_chunks)
    };
    format!(
        "{}: {} documents, {chunks}, digest {}",
        manifest.dataset,
        manifest.n_documents,
        digest.get(..12).unwrap_or(digest),
    )
}

fn describe_chunking(settings: &Settings) -> String {
    let Settings { chunking, retrieval, .. } = settings;
    let prefix = if chunking.title_prefix { ", title before each chunk" } else { "" };
    if retrieval.retrievers.contains(&RetrieverName::Collection) {
        return format!("points of collection `{}`{prefix}", retrieval.collection.name);
    }
    if let (Strategy::File, Some(file)) = (chunking.strategy, &chunking.file) {
        return format!("chunks of {}{prefix}", file.display());
    }
    format!(
        "{} {}/{} {}{prefix}",
        chunking.strategy,
        chunking.size,
        chunking.overlap,
        chunking.tokenizer.name(),
    )
}

fn describe_version(manifest: &Manifest) -> String {
    let commit = manifest.git_commit.as_deref();
    let commit = commit.map_or(String::new(), |commit| format!(", commit {}", short(commit)));
    format!("ragtriage {}{commit}, {}", manifest.version, manifest.started)
}

/// Shortens a commit hash; a suffix such as `-dirty` becomes "with changes".
fn short(commit: &str) -> String {
    let (hash, dirty) =
        commit.split_once('-').map_or((commit, ""), |(hash, _)| (hash, " with changes"));
    format!("{}{dirty}", hash.get(..12).unwrap_or(hash))
}

fn describe_generation(generation: &GenerationSettings) -> String {
    let context_tokens = generation.context_tokens;
    match generation.generator {
        GeneratorName::Openai => format!(
            "{} at {}, prompt `{}`, {context_tokens} context tokens",
            generation.model, generation.base_url, generation.prompt
        ),
        GeneratorName::Recorded => format!(
            "recorded responses, prompt `{}`, {context_tokens} context tokens",
            generation.prompt
        ),
        GeneratorName::None => "none: retrieval alone".to_owned(),
    }
}

/// Describes the retrievers and the steps after them, in order.
fn describe_retrieval(manifest: &Manifest) -> String {
    let Settings { retrieval, rerank, .. } = &manifest.settings;
    let names: Vec<String> =
        retrieval.retrievers.iter().map(|name| describe_retriever(*name, manifest)).collect();
    let mut steps = vec![names.join(" + ")];
    if names.len() > 1 {
        steps.push(describe_fusion(&retrieval.fusion));
    }
    if let Some(model) = manifest.models.iter().find(|model| model.role == "rerank") {
        let place = rerank.endpoint.as_deref();
        steps.push(format!(
            "; up to {} reranked by {}{}",
            rerank.depth.unwrap_or(retrieval.candidates),
            model.name,
            place.map_or(String::new(), |url| format!(" at {url}"))
        ));
    }
    if let Some(least) = retrieval.min_score {
        steps.push(format!("; those below {least} dropped"));
    }
    if !retrieval.filter.is_empty() {
        let filter = serde_json::to_string(&retrieval.filter).unwrap_or_default();
        steps.push(format!("; only documents with {filter}"));
    }
    steps.push(format!("; {} candidates, k = {}", retrieval.candidates, retrieval.k));
    steps.concat()
}

fn describe_fusion(fusion: &Fusion) -> String {
    let method = match fusion.method {
        FusionMethod::Rrf => format!(", rrf k = {}", fusion.k),
        FusionMethod::Weighted => ", weighted after min_max".to_owned(),
    };
    if fusion.weights.is_empty() {
        return method;
    }
    let each: Vec<String> =
        fusion.weights.iter().map(|(name, weight)| format!("{} {weight}", name.name())).collect();
    format!("{method} (weights: {})", each.join(", "))
}

fn describe_retriever(name: RetrieverName, manifest: &Manifest) -> String {
    let Settings { retrieval, vector_store, .. } = &manifest.settings;
    let DenseSettings { model, query_model, endpoint, precision, .. } = &retrieval.dense;
    let (encoder, precision) = match name {
        RetrieverName::Tfidf => return name.name().to_owned(),
        RetrieverName::Bm25 => return describe_bm25(&retrieval.bm25),
        RetrieverName::Collection => return describe_collection(retrieval, manifest),
        RetrieverName::LateInteraction => {
            (retrieval.late_interaction.model.clone(), retrieval.late_interaction.precision)
        }
        RetrieverName::Dense => {
            let query_model = query_model.as_ref();
            let query_model = query_model.map(|name| format!(", questions by {name}"));
            let endpoint = endpoint.as_ref().map(|url| format!(", at {url}"));
            let further = [query_model, endpoint].into_iter().flatten();
            (model.clone() + &further.collect::<String>(), *precision)
        }
    };
    let precision = match precision {
        Precision::Float32 => "",
        Precision::Bfloat16 => ", bfloat16",
    };
    let store = match vector_store.kind {
        VectorStoreKind::Embedded => "embedded",
        VectorStoreKind::Server => "server",
    };
    let search = match manifest.vector_search.as_str() {
        "" => String::new(),
        search => format!(", {search}"),
    };
    let name = name.name();
    let mut indexes = manifest.approximate.iter();
    let build = indexes
        .find(|index| index.retriever == name)
        .map_or(String::new(), |index| format!(": {}", approximate::describe(index)));
    format!("{name} ({encoder}{precision}, Qdrant {store}{search}{build})")
}

/// Describes an existing collection: its mode and vectors, the model of the questions, and its search.
fn describe_collection(retrieval: &RetrievalSettings, manifest: &Manifest) -> String {
    let CollectionSettings { name, mode, using, sparse_using, sparse_model, fusion, .. } =
        &retrieval.collection;
    let model = &retrieval.dense.model;
    let vectors = match mode {
        CollectionMode::Dense => format!("dense {using}, questions by {model}"),
        CollectionMode::Sparse => format!("sparse {sparse_using}, questions by {sparse_model}"),
        CollectionMode::Hybrid => format!(
            "dense {using} and sparse {sparse_using} by {fusion}, questions by {model} and {sparse_model}"
        ),
    };
    let index = manifest
        .approximate
        .iter()
        .find(|index| index.retriever == RetrieverName::Collection.name());
    let build =
        index.map_or(String::new(), |index| format!(", HNSW: {}", approximate::describe(index)));
    format!("collection `{name}` ({vectors}{build})")
}

fn describe_bm25(bm25: &Bm25Settings) -> String {
    let Bm25Settings { variant, k1, b, .. } = bm25;
    format!("bm25 ({variant}, k1 {k1}, b {b})")
}

fn describe_questions(run: &SavedRun, summary: &Summary) -> String {
    let kinds = QuestionKind::ALL.iter().filter_map(|kind| {
        let n = run.traces.iter().filter(|trace| trace.question.kind == *kind).count();
        (n > 0).then(|| format!("{n} {kind}"))
    });
    format!(
        "{}: {} ({} clusters that share gold evidence)",
        summary.n_questions,
        kinds.collect::<Vec<_>>().join(", "),
        summary.n_clusters
    )
}

/// Counts the six most frequent tags; `None` if no question has one.
fn tags(run: &SavedRun) -> Option<Fact> {
    let mut tags: BTreeMap<&str, usize> = BTreeMap::new();
    for tag in run.traces.iter().flat_map(|trace| &trace.question.tags) {
        *tags.entry(tag).or_default() += 1;
    }
    let mut tags: Vec<(&str, usize)> = tags.into_iter().collect();
    tags.sort_by_key(|(tag, n)| (std::cmp::Reverse(*n), *tag));
    let tags = tags.iter().take(6).map(|(tag, n)| format!("{n} {tag}"));
    let tags = tags.collect::<Vec<_>>().join(", ");
    (!tags.is_empty()).then(|| Fact::new("Tags", tags))
}
