//! The search method of a collection: exact, or by which approximation.

use ragtriage_core::types::RetrieverName;
use ragtriage_data::run::ApproximateIndex;
use ragtriage_vectors::SearchMode;

use super::graph;
use crate::index::VectorSearchFacts;
use crate::plan::StorePlan;

/// Describes the search method. Without graph and compressed copies all vectors are scanned, and the manifest says so.
pub(super) fn search_method(
    plan: &StorePlan,
    name: RetrieverName,
    n_vectors: usize,
) -> (SearchMode, VectorSearchFacts) {
    let exact = |how| (SearchMode::Exact, VectorSearchFacts { how, approximate: None });
    if plan.mode == SearchMode::Exact {
        return exact("exact".to_owned());
    }
    let (graph, components) = (graph(plan, n_vectors), plan.quantization.kind.components());
    let how = match (graph, components) {
        (Some(_), None) => "HNSW".to_owned(),
        (Some(_), Some(components)) => format!("HNSW over {components}"),
        (None, Some(components)) => {
            format!("HNSW not used: {components} copies of {n_vectors} vectors are scanned")
        }
        (None, None) => return exact(format!("HNSW not used: {n_vectors} vectors are scanned")),
    };
    let approximate = Some(ApproximateIndex {
        retriever: name.name().to_owned(),
        hnsw: graph,
        quantization: components.map(|_| plan.quantization),
        reproducible: graph.is_none(),
    });
    (plan.mode, VectorSearchFacts { how, approximate })
}
