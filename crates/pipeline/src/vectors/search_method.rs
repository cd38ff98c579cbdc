//! The search method of a collection: exact, or by which approximation.

use ragtriage_core::config::QuantizationKind;
use ragtriage_core::types::RetrieverName;
use ragtriage_runs::ApproximateIndex;
use ragtriage_vectors::{SearchMode, VectorStore};

use crate::PipelineError;
use crate::index::VectorSearchFacts;
use crate::plan::StorePlan;

/// Describes the search method. A graph that the engine did not build is not used: all vectors are then scanned, and the manifest says
/// so.
pub(super) async fn search_method(
    plan: &StorePlan,
    store: &dyn VectorStore,
    (name, n_vectors): (RetrieverName, usize),
) -> Result<(SearchMode, VectorSearchFacts), PipelineError> {
    let exact = |how| {
        let approximate = None;
        (SearchMode::Exact, VectorSearchFacts { how, approximate })
    };
    if plan.mode == SearchMode::Exact {
        return Ok(exact("exact".to_owned()));
    }
    let graph = store.graph_in_use().await?.then_some(plan.hnsw);
    let quantization =
        (plan.quantization.kind == QuantizationKind::Scalar).then_some(plan.quantization);
    let how = match (graph, quantization) {
        (Some(_), None) => "HNSW".to_owned(),
        (Some(_), Some(_)) => "HNSW over int8".to_owned(),
        (None, Some(_)) => {
            format!("HNSW not used: int8 copies of {n_vectors} vectors are scanned")
        }
        (None, None) => {
            return Ok(exact(format!(
                "HNSW not used: {n_vectors} vectors are scanned"
            )));
        }
    };
    let approximate = Some(ApproximateIndex {
        retriever: name.name().to_owned(),
        hnsw: graph,
        quantization,
        segments: store.segments().await?,
        reproducible: graph.is_none(),
    });
    Ok((plan.mode, VectorSearchFacts { how, approximate }))
}
