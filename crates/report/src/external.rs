//! What a report says of a run whose rankings and answers were recorded elsewhere: not what our settings would have done.

use crate::document::Fact;
use ragtriage_core::types::{ArmName, Step};
use ragtriage_runs::{ExternalSource, SavedRun};

/// Puts what is known of the other pipeline in the place of our settings.
pub fn describe(head: &mut Vec<Fact>, source: &ExternalSource, run: &SavedRun) {
    head.retain(|fact| fact.label != "Chunking");
    for Fact { label, text } in head {
        match label.as_str() {
            "Corpus" => *text = corpus(run),
            "Retrieval" => *text = retrieval(source, run),
            "Generation" => *text = generation(source, run),
            _ => {}
        }
    }
}

fn corpus(run: &SavedRun) -> String {
    let manifest = &run.manifest;
    let digest = manifest
        .dataset_digest
        .get(..12)
        .unwrap_or(&manifest.dataset_digest);
    let n_documents = manifest.n_documents;
    format!(
        "{}: {n_documents} documents, chunked elsewhere, digest {digest}",
        manifest.dataset
    )
}

fn retrieval(source: &ExternalSource, run: &SavedRun) -> String {
    let lengths: Vec<usize> = run
        .traces
        .iter()
        .filter_map(|trace| trace.step(Step::External))
        .map(|s| s.hits.len())
        .collect();
    let mean = lengths.iter().sum::<usize>() as f64 / lengths.len().max(1) as f64;
    let what = if is_trec(source) {
        "documents"
    } else {
        "contexts"
    };
    let hash = source
        .sha256
        .get(..12)
        .map_or(String::new(), |hash| format!(" (sha256 {hash}…)"));
    format!(
        "{} `{}`{hash}: {mean:.1} {what} a question on average",
        source.kind, source.from
    )
}

fn generation(source: &ExternalSource, run: &SavedRun) -> String {
    if run
        .traces
        .iter()
        .any(|trace| trace.attempt(ArmName::Retrieved).is_some())
    {
        format!("{} `{}`", source.kind, source.from)
    } else {
        "none recorded: retrieval alone".to_owned()
    }
}

/// What a reader of the classes has to know.
#[must_use]
pub fn notice(source: &ExternalSource) -> String {
    if is_trec(source) {
        return "rankings come from a TREC run, documents as wholes; it has no prompt, so the first k count as packed: what \
                lies below is lost by ranking, what is not there by retrieval"
            .to_owned();
    }
    "what stands in the prompt was recorded elsewhere: everything between question and prompt is one step here, so support \
     that did not arrive is lost by retrieval, whichever part lost it; chunks that were never shown are not known"
        .to_owned()
}

fn is_trec(source: &ExternalSource) -> bool {
    source.kind == ExternalSource::TREC_RUN
}
