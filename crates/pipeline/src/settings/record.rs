//! Contents of a run's manifest about its settings, data and components, at its start and its end.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::Resolved;
use super::assemble::{Assembled, RecordConditions};
use crate::ask::RunFacts;
use ragtriage_clients::embed::CachedEncoder;
use ragtriage_core::chunk;
use ragtriage_core::text::{address, analyse, tokens};
use ragtriage_core::types::Note;
use ragtriage_data::run::{Manifest, ModelRecord, SCHEMA};

/// Returns the manifest of a run that starts on `n_documents` and `n_questions` of the data with this `digest`, without its name and
/// models. `notes`: the deviations that the loader accepted and counted.
#[must_use]
pub fn begun(
    resolved: &Resolved,
    (digest, notes): (&str, &[Note]),
    (n_documents, n_questions): (usize, usize),
    git_commit: Option<String>,
) -> Manifest {
    let (settings, shortened) = resolved.settings.with_addresses(address::shown_url);
    Manifest {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        versions: versions(),
        git_commit,
        started: now(),
        config: resolved.file.as_deref().unwrap_or(Path::new("")).display().to_string(),
        settings,
        dataset: resolved.settings.dataset.label(),
        dataset_digest: digest.to_owned(),
        shortened,
        notes: notes.to_vec(),
        n_documents,
        n_questions,
        seed: resolved.settings.evaluation.seed,
        ..Manifest::default()
    }
}

/// Adds the models and the prompt template to the manifest.
pub fn parts(manifest: &mut Manifest, assembled: &Assembled) {
    manifest.models.clone_from(&assembled.models);
    let template = &assembled.plan.prompt.template;
    manifest.versions.insert("prompt template".to_owned(), template.sha256());
    manifest.template = Some(template.to_string());
    let tokenizer = &assembled.plan.chunk_counter_id;
    if !tokenizer.is_empty() {
        manifest.versions.insert("chunk tokenizer".to_owned(), tokenizer.clone());
    }
}

/// Adds the generator that answers the conditions of an imported record, and its prompt template, to the manifest.
pub fn conditions(manifest: &mut Manifest, conditions: &RecordConditions) {
    let models = conditions.models.iter().cloned();
    manifest.models.extend(
        models.map(|model| ModelRecord { role: ModelRecord::CONDITIONS.to_owned(), ..model }),
    );
    let template = &conditions.plan.prompt.template;
    manifest.versions.insert("prompt template".to_owned(), template.sha256());
    manifest.template = Some(template.to_string());
}

/// Versions of the components that affect a run's results.
fn versions() -> BTreeMap<String, String> {
    let versions = [
        ("analyser", analyse::VERSION.to_string()),
        ("chunker", chunk::VERSION.to_string()),
        ("qdrant-edge", ragtriage_vectors::QDRANT_EDGE.to_owned()),
        ("token counters", tokens::VERSION.to_string()),
    ];
    versions.into_iter().map(|(part, version)| (part.to_owned(), version)).collect()
}

/// Returns the current time, UTC, RFC 3339.
#[must_use]
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Adds the facts of a finished run, and the hit counts of its caches, to the manifest.
pub fn finish(manifest: &mut Manifest, facts: RunFacts, caches: &[Arc<CachedEncoder>]) {
    for Note { count, what } in &facts.notes {
        Note::add(&mut manifest.notes, what, *count);
    }
    manifest.finished = Some(now());
    manifest.n_chunks = facts.n_chunks;
    manifest.chunk_tokens = facts.chunk_tokens;
    manifest.seconds.extend(facts.seconds);
    manifest.truncation = facts.truncation;
    manifest.approximate = facts.approximate;
    let filtered = format!("of {} chunks are excluded by `retrieval.filter`", facts.n_chunks);
    // A resumed run has it already.
    if manifest.notes.iter().all(|note| note.what != filtered) {
        Note::add(&mut manifest.notes, &filtered, facts.n_filtered);
    }
    manifest.vectors_cached = caches.iter().map(|cache| cache.n_hits() as usize).sum();
    manifest.vectors_computed = caches.iter().map(|cache| cache.n_misses() as usize).sum();
}
