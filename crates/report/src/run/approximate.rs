//! Losses of approximate search compared with exact search: warnings and build parameters.

use crate::document::Notice;
use ragtriage_core::config::{Hnsw, Quantization};
use ragtriage_core::text::numbers::{percent, plural};
use ragtriage_core::types::{RetrieverName, Step};
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
            let ApproximateSearch {
                retriever,
                n,
                n_different,
                ..
            } = search;
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
    let engine = engine(index);
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
    let remedy = remedy(index);
    let text = format!(
        "{engine} found {found} of what exact search finds in `{retriever}` (n = {n}{sample}); {remedy}"
    );
    Some(Notice::warning(text).with_hint(if is_foreign(index) {
        "a graph with a larger `m` and `ef_construct` loses less"
    } else {
        "a graph with a larger `vector_store.hnsw.m` and `ef_construct` loses less; `vector_store.exact = true` loses nothing"
    }))
}

/// Returns the name of the approximate search.
fn engine(index: Option<&ApproximateIndex>) -> String {
    let Some(ApproximateIndex { hnsw, quantization, .. }) = index else {
        return "approximate search".to_owned();
    };
    let components = quantization.and_then(|quantization| quantization.kind.components());
    match (hnsw, components) {
        (_, None) => "HNSW".to_owned(),
        (Some(_), Some(components)) => format!("HNSW over {components}"),
        (None, Some(components)) => format!("search in {components} copies"),
    }
}

/// Returns true for an index that another program built.
fn is_foreign(index: Option<&ApproximateIndex>) -> bool {
    index.is_some_and(|index| index.retriever == RetrieverName::Collection.name())
}

/// Returns the setting that reduces the loss without another build.
fn remedy(index: Option<&ApproximateIndex>) -> String {
    let graph = index.and_then(|index| index.hnsw);
    let copies = index.and_then(|index| index.quantization);
    match (graph, copies) {
        (None, Some(Quantization { oversampling, .. })) => {
            format!("raise `vector_store.quantization.oversampling` ({oversampling})")
        }
        (Some(Hnsw { ef, .. }), _) if is_foreign(index) => {
            format!("its graph searches with `ef` {ef}")
        }
        (Some(Hnsw { ef, .. }), _) => format!("raise `vector_store.hnsw.ef` ({ef})"),
        (None, None) => "set `vector_store.exact = true`".to_owned(),
    }
}

/// Describes the build of an index: `m 16, ef_construct 100, ef 100, not reproducible`.
pub(super) fn describe(index: &ApproximateIndex) -> String {
    let graph = index.hnsw.map(|hnsw| {
        let Hnsw { m, ef_construct, ef } = hnsw;
        format!("m {m}, ef_construct {ef_construct}, ef {ef}")
    });
    let repeats = if index.reproducible { "reproducible" } else { "not reproducible" };
    graph.into_iter().chain([repeats.to_owned()]).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
