//! Warnings of what approximate search lost compared with exact search.

use crate::document::Notice;
use ragtriage_core::measure::{Cutoff, Direction, Family, Measure};
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::Step;
use ragtriage_data::run::{ApproximateIndex, Manifest};
use ragtriage_eval::approximate::ApproximateSearch;
use ragtriage_eval::summary::Summary;

/// Families of which a warning names the first that lost something: of evidence, then of judged documents.
const MAIN: [Family; 4] = [Family::EvidenceRecall, Family::Em, Family::Ndcg, Family::Recall];

/// Differences below are rounding errors of the mean.
const ROUNDING: f64 = 1e-9;

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
            Notice::warning(text).with_hint(format!(
                "to compare runs, search the same cached collection, or set `{}.exact = true`",
                section(search)
            ))
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

/// Returns the table of settings of the search.
fn section(search: &ApproximateSearch) -> &'static str {
    match search.retriever {
        Step::Collection => "retrieval.collection",
        _ => "vector_store",
    }
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
        return Some(Notice::warning(text).with_hint("raise `vector_store.exact_sample`"));
    }
    let (measure, lost, n) = largest(search)?;
    let lost = if lost < 0.0005 { "less than 0.001".to_owned() } else { format!("{lost:.3}") };
    let sample = if search.n == *n_searched {
        String::new()
    } else {
        format!("; exact search ran for {} of {n_searched} questions", search.n)
    };
    let text = format!(
        "{engine} lost {measure} {lost} in `{retriever}` compared with exact search (n = {n}{sample})"
    );
    let remedy = match search.retriever {
        _ if copies.is_some() => {
            "set `vector_store.quantization.rescore = true` and raise its `oversampling`"
        }
        Step::Collection => "raise `retrieval.collection.ef`",
        _ => "raise `vector_store.hnsw.ef`",
    };
    let exact = section(search);
    Some(Notice::warning(text).with_hint(format!("{remedy}, or set `{exact}.exact = true`")))
}

/// Returns the measure that a warning names, with its loss and its questions: of the first family that lost something at some k the
/// largest loss, else the largest of all; `None` if none lost anything.
fn largest(search: &ApproximateSearch) -> Option<(Measure, f64, usize)> {
    let lost = search.measures.iter().filter_map(|(name, found)| {
        let measure: Measure = name.parse().ok()?;
        let lost = match measure.family().direction() {
            Direction::Higher => -found.difference,
            Direction::Lower => found.difference,
        };
        (lost > ROUNDING).then_some((measure, lost, found.n))
    });
    let place = |(measure, ..): &(Measure, f64, usize)| {
        let is_at_k = matches!(measure.cutoff(), Some(Cutoff::Top(_)));
        let place = MAIN.iter().position(|family| is_at_k && *family == measure.family());
        place.unwrap_or(MAIN.len())
    };
    lost.min_by(|a, b| place(a).cmp(&place(b)).then(b.1.total_cmp(&a.1)).then(a.0.cmp(&b.0)))
}

#[cfg(test)]
mod tests;
