//! Collections that are open, each once: the embedded engine locks what it has open, and opening it again would fill a copy.

use std::collections::HashMap;
use std::sync::Arc;

use super::PipelineError;
use super::plan::{StorePlan, VectorPlace};
use crate::index::{CollectionSpec, EmbeddedStore, ServerStore, VectorStore};

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
        let store: Arc<dyn VectorStore> = match &plan.place {
            VectorPlace::Embedded(folder) => Arc::new(EmbeddedStore::open_or_create(folder, spec).await?),
            VectorPlace::Server(server) => Arc::new(ServerStore::open_or_create(server, spec).await?),
        };
        self.0.insert(asked, Arc::clone(&store));
        Ok(store)
    }
}
