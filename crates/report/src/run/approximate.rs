//! Warnings of what approximate search lost compared with exact search.

use crate::document::Notice;
use ragtriage_core::text::numbers::{percent, plural};
use ragtriage_eval::approximate::ApproximateSearch;
use ragtriage_eval::summary::Summary;

/// Warns of what each approximate search lost, or that this is unknown.
pub(super) fn losses(summary: &Summary) -> Vec<Notice> {
    summary.approximate_search.iter().filter_map(loss).collect()
}

fn loss(search: &ApproximateSearch) -> Option<Notice> {
    let ApproximateSearch { retriever, n, n_searched, .. } = search;
    if *n == 0 {
        let text = format!(
            "the loss of HNSW in `{retriever}` is unknown: exact search ran for 0 of {}",
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
    let text =
        format!("HNSW found {found} of what exact search finds in `{retriever}` (n = {n}{sample})");
    Some(Notice::warning(text).with_hint("a graph with a larger `m` and `ef_construct` loses less"))
}

#[cfg(test)]
mod tests;
