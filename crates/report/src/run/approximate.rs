//! Losses of approximate search compared with exact search: warnings and build parameters.

use crate::document::Notice;
use ragtriage_core::config::{Hnsw, Quantization};
use ragtriage_core::measure::{Cutoff, Direction, Family, Measure};
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::{RetrieverName, Step};
use ragtriage_eval::approximate::{ApproximateSearch, MeasureDifference};
use ragtriage_eval::summary::Summary;
use ragtriage_runs::{ApproximateIndex, Manifest};

/// Families that a warning names first: of evidence, then of judged documents.
const MAIN: [Family; 4] = [Family::EvidenceRecall, Family::Em, Family::Ndcg, Family::Recall];

/// Measures that a warning names.
const NAMED: usize = 2;

/// Differences below are rounding errors of the mean.
const ROUNDING: f64 = 1e-9;

/// A measure's difference, turned so that a loss is above 0.
#[derive(Clone, Copy)]
struct Loss {
    measure: Measure,
    points: f64,
    found: MeasureDifference,
}

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
            let section = match retriever {
                Step::Collection => "retrieval.collection",
                _ => "vector_store",
            };
            Notice::warning(text).with_hint(format!(
                "to compare runs, search the same cached collection, or set `{section}.exact = true`"
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

fn loss(search: &ApproximateSearch, index: Option<&ApproximateIndex>) -> Option<Notice> {
    let ApproximateSearch { retriever, n, n_searched, .. } = search;
    let engine = engine(index);
    if *n == 0 {
        let text = format!(
            "the loss of {engine} in `{retriever}` is unknown: exact search ran for 0 of {}",
            plural(*n_searched, "question", "questions")
        );
        return Some(Notice::warning(text).with_hint("raise `vector_store.exact_sample`"));
    }
    let named = named(search);
    let first = named.first()?;
    let sample = if n == n_searched {
        String::new()
    } else {
        format!("; exact search ran for {n} of {n_searched} questions")
    };
    let (verb, remedy) = if first.points > 0.0 {
        ("lost", format!("; {}", remedy(index)))
    } else {
        ("gained", String::new())
    };
    let amounts: Vec<String> = named.iter().map(amount).collect();
    let text = format!(
        "{engine} {verb} {} in `{retriever}` compared with exact search (n = {}{sample}){remedy}",
        amounts.join(" and "),
        first.found.n
    );
    Some(Notice::warning(text).with_hint(if is_foreign(index) {
        "a graph with a larger `m` and `ef_construct` loses less; `retrieval.collection.exact = true` loses nothing"
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
        (_, Some(Quantization { rescore: false, .. })) => {
            "set `vector_store.quantization.rescore = true`".to_owned()
        }
        (None, Some(Quantization { oversampling, .. })) => {
            format!("raise `vector_store.quantization.oversampling` ({oversampling})")
        }
        (Some(Hnsw { ef, .. }), _) if is_foreign(index) => {
            format!("raise `retrieval.collection.ef` ({ef})")
        }
        (Some(Hnsw { ef, .. }), _) => format!("raise `vector_store.hnsw.ef` ({ef})"),
        (None, None) => "set `vector_store.exact = true`".to_owned(),
    }
}

fn amount(loss: &Loss) -> String {
    let size = loss.points.abs();
    let size = if size < 0.0005 { "less than 0.001".to_owned() } else { format!("{size:.3}") };
    format!("{} {size}", loss.measure)
}

/// Returns the measures that a warning names: losses if there are any, of one n, each family at the cutoff of its largest.
fn named(search: &ApproximateSearch) -> Vec<Loss> {
    let all = differing(search);
    let is_loss = all.iter().any(|one| one.points > 0.0);
    let of_family = |family: Family| {
        let mut found = all.iter().filter(|one| {
            let is_at_k = matches!(one.measure.cutoff(), Some(Cutoff::Top(_)));
            one.measure.family() == family && is_at_k && (one.points > 0.0) == is_loss
        });
        found.next().copied()
    };
    let mut named: Vec<Loss> = MAIN.into_iter().filter_map(of_family).collect();
    if named.is_empty() {
        let same = all.iter().filter(|one| (one.points > 0.0) == is_loss);
        named = same.take(1).copied().collect();
    }
    let n = named.first().map(|first| first.found.n);
    named.retain(|one| Some(one.found.n) == n);
    named.truncate(NAMED);
    named
}

/// Returns the measures that differ from exact search, the largest difference first.
fn differing(search: &ApproximateSearch) -> Vec<Loss> {
    let parsed = search.measures.iter().filter_map(|(name, found)| {
        let measure: Measure = name.parse().ok()?;
        let points = match measure.family().direction() {
            Direction::Higher => -found.difference,
            Direction::Lower => found.difference,
        };
        let found = *found;
        Some(Loss { measure, points, found })
    });
    let mut found: Vec<Loss> = parsed.filter(|one| one.points.abs() > ROUNDING).collect();
    found.sort_by(|a, b| {
        let sizes = b.points.abs().total_cmp(&a.points.abs());
        sizes.then(a.measure.cmp(&b.measure))
    });
    found
}

/// Reports the approximate searches without any difference.
pub(super) fn caveats(summary: &Summary) -> impl Iterator<Item = String> {
    let compared = summary.approximate_search.iter();
    let equal = compared.filter(|search| search.n > 0 && differing(search).is_empty());
    equal.map(|ApproximateSearch { retriever, n, .. }| {
        format!("Approximate and exact search of `{retriever}` agree in every measure (n = {n}).")
    })
}

/// Describes the build of an index: `m 16, ef_construct 100, ef 100, 2 segments`.
pub(super) fn describe(index: &ApproximateIndex) -> String {
    let graph = index.hnsw.map(|hnsw| {
        let Hnsw { m, ef_construct, ef, from_points: _ } = hnsw;
        format!("m {m}, ef_construct {ef_construct}, ef {ef}, ")
    });
    let repeats = if index.reproducible { "" } else { ", not reproducible" };
    format!(
        "{}{}{repeats}",
        graph.unwrap_or_default(),
        plural(index.segments, "segment", "segments")
    )
}

#[cfg(test)]
mod tests;
