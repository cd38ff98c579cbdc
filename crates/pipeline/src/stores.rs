//! Open collections, each opened once: the embedded engine locks an open collection, and a second opening would copy it.

use std::sync::Arc;

use super::plan::RetrievalPlan;
use crate::Error;
use ragtriage_vectors::{CollectionSpec, VectorPlace, VectorStore, open_or_create};

/// The collections that are open.
#[derive(Default)]
pub(crate) struct OpenStores(Vec<OpenStore>);

struct OpenStore {
    place: VectorPlace,
    spec: CollectionSpec,
    store: Arc<dyn VectorStore>,
}

impl OpenStores {
    /// Opens the collection, or creates it, empty; says so if it was damaged.
    ///
    /// # Errors
    /// Errors of the vector store.
    pub(crate) async fn open(
        &mut self,
        retrieval: &RetrievalPlan,
        spec: CollectionSpec,
    ) -> Result<Arc<dyn VectorStore>, Error> {
        let plan = &retrieval.store;
        let open = self.0.iter();
        let known = open.filter(|open| open.place == plan.place).find(|open| open.spec == spec);
        if let Some(known) = known {
            return Ok(Arc::clone(&known.store));
        }
        let store = open_or_create(&plan.place, &spec).await?;
        if let Some(notice) = store.notice() {
            retrieval.notices.say(notice);
        }
        self.0.push(OpenStore { place: plan.place.clone(), spec, store: Arc::clone(&store) });
        Ok(store)
    }
}
