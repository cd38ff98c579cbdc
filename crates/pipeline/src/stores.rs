//! Collections that are open, each once: the embedded engine locks what it has open, and opening it again would fill a copy.

use std::collections::HashMap;
use std::sync::Arc;

use super::PipelineError;
use super::plan::StorePlan;
use ragtriage_vectors::{CollectionSpec, VectorStore, open_or_create};

/// Open collections by all that was asked of them.
#[derive(Default)]
pub(super) struct OpenStores(HashMap<String, Arc<dyn VectorStore>>);

impl OpenStores {
    /// The collection, opened or made, empty.
    ///
    /// # Errors
    /// Whatever the vector store says.
    pub(super) async fn open(
        &mut self,
        plan: &StorePlan,
        spec: &CollectionSpec,
    ) -> Result<Arc<dyn VectorStore>, PipelineError> {
        let asked = format!("{spec:?} {:?}", plan.place);
        if let Some(store) = self.0.get(&asked) {
            return Ok(Arc::clone(store));
        }
        let store = open_or_create(&plan.place, spec).await?;
        self.0.insert(asked, Arc::clone(&store));
        Ok(store)
    }
}
