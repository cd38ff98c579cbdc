//! Warnings of what approximate search lost compared with exact search.

use crate::document::Notice;
use ragtriage_core::text::numbers::{percent, plural};
use ragtriage_core::types::Step;
use ragtriage_data::run::{ApproximateIndex, Manifest};
use ragtriage_eval::approximate::ApproximateSearch;
use ragtriage_eval::summary::Summary;

/// Warns of what each approximate search lost, or that this is unknown.
pub(super) fn losses(manifest: &Manifest, summary: &Summary) -> Vec<Notice> {
    let searches = summary.approximate_search.iter();
    searches.filter_map(|search| loss(search, index_of(manifest, search))).collect()
}

/// Warns of graphs that another build would not repeat.
pub(super) fn not_reproducible(manifest: &Manifest, summary: &Summary) -> Vec<Notice> {
    let searches = summary.approximate_search.iter();
    let builds = searches
        .filter(|search| index_of(manifest, search).is_some_and(|index| !index.reproducible));
    builds
        .map(|search| {
            let ApproximateSearch { retriever, n, n_different, .. } = search;
            let text = format!(
                "the HNSW graph of `{retriever}` is not reproducible: another build changes rankings ({n_different} of {n} differ \
                 from exact search here)"
            );
            Notice::warning(text).with_hint(match retriever {
                Step::Collection => "to compare runs, search the same collection",
                _ => {
                    "to compare runs, search the same cached collection, or set `vector_store.exact = true`"
                }
            })
        })
        .collect()
}

fn index_of<'a>(
    manifest: &'a Manifest,
    search: &ApproximateSearch,
) -> Option<&'a ApproximateIndex> {
    let mut indexes = manifest.approximate.iter();
    indexes.find(|index| index.retriever == search.retriever.name())
}

fn loss(search: &ApproximateSearch, index: Option<&ApproximateIndex>) -> Option<Notice> {
    let ApproximateSearch { retriever, n, n_searched, .. } = search;
    let copies = index.and_then(|index| index.quantization?.kind.components());
    let engine = copies.map_or("HNSW".to_owned(), |kind| format!("search in {kind} copies"));
    if *n == 0 {
        let text = format!(
            "the loss of {engine} in `{retriever}` is unknown: exact search ran for 0 of {}",
            plural(*n_searched, "question", "questions")
        );
        return Some(Notice::warning(text));
    }
    if search.recall >= 1.0 {
        return None;
    }
    let found = percent(search.recall);
    let sample = if search.n == *n_searched {
        String::new()
    } else {
        format!("; exact search ran for {} of {n_searched} questions", search.n)
    };
    let text = format!(
        "{engine} found {found} of what exact search finds in `{retriever}` (n = {n}{sample})"
    );
    Some(Notice::warning(text).with_hint(match search.retriever {
        Step::Collection => "a graph with a larger `m` and `ef_construct` loses less",
        _ if copies.is_some() => {
            "raise `vector_store.quantization.oversampling`, or set `vector_store.exact = true`"
        }
        _ => "raise `vector_store.hnsw.ef`, or set `vector_store.exact = true`",
    }))
}

#[cfg(test)]
mod tests;
