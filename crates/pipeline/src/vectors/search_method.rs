//! The search method of a collection: exact, or by which approximation.

use ragtriage_core::types::RetrieverName;
use ragtriage_data::run::ApproximateIndex;
use ragtriage_vectors::{SearchMode, VectorStore};

use crate::Error;
use crate::index::VectorSearchFacts;
use crate::plan::StorePlan;

/// Describes the search method. A graph that the engine did not build is not used: all vectors are then scanned, and the manifest says
/// so.
pub(super) async fn search_method(
    plan: &StorePlan,
    store: &dyn VectorStore,
    (name, n_vectors): (RetrieverName, usize),
) -> Result<(SearchMode, VectorSearchFacts), Error> {
    let exact = |how| {
        let approximate = None;
        (SearchMode::Exact, VectorSearchFacts { how, approximate })
    };
    if plan.mode == SearchMode::Exact {
        return Ok(exact("exact".to_owned()));
    }
    let graph = store.graph_in_use().await?.then_some(plan.hnsw);
    let components = plan.quantization.kind.components();
    let how = match (graph, components) {
        (Some(_), None) => "HNSW".to_owned(),
        (Some(_), Some(components)) => format!("HNSW over {components}"),
        (None, Some(components)) => {
            format!("HNSW not used: {components} copies of {n_vectors} vectors are scanned")
        }
        (None, None) => {
            return Ok(exact(format!("HNSW not used: {n_vectors} vectors are scanned")));
        }
    };
    let approximate = Some(ApproximateIndex {
        retriever: name.name().to_owned(),
        hnsw: graph,
        quantization: components.map(|_| plan.quantization),
        segments: store.segments().await?,
        reproducible: graph.is_none(),
    });
    Ok((plan.mode, VectorSearchFacts { how, approximate }))
}
