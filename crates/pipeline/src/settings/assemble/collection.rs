//! Assembles the retriever `collection`: opens the collection and reads it.

use std::sync::Arc;

use super::retrieval::Wiring;
use crate::Error;
use crate::error::SEE_SCHEMA;
use crate::plan::CollectionPlan;
use ragtriage_core::config::CollectionSettings;
use ragtriage_core::text::address;
use ragtriage_core::text::numbers::plural;
use ragtriage_data::run::ModelRecord;
use ragtriage_vectors::{Server, open_existing};

impl Wiring<'_> {
    /// Opens the collection, reads its passages, and records its content in the run's manifest, so that a resumed run notices
    /// another one.
    pub(super) async fn collection(&mut self) -> Result<CollectionPlan, Error> {
        let settings: &CollectionSettings = &self.settings().retrieval.collection;
        let CollectionSettings { url, name, .. } = settings;
        let server = self.collection_server()?;
        let encoder =
            if settings.mode.is_dense() { Some(self.dense().await?.encoder) } else { None };
        let shape = encoder.as_ref().map(|encoder| encoder.shape());
        if shape.is_some_and(|shape| shape.many) {
            let message =
                "`retrieval.dense.model` gives several vectors per text, the collection has one";
            return Err(Error::setting(message).with_hint(SEE_SCHEMA));
        }
        let dimension = shape.map(|shape| shape.dimension);
        let collection = open_existing(&server, settings, dimension).await?;
        let content = Arc::new(collection.read().await?);
        let points = plural(content.passages.len(), "point", "points");
        let plan = CollectionPlan::new(collection, content, settings.clone(), encoder);
        self.models.push(ModelRecord {
            role: "collection".to_owned(),
            name: format!("{name} at {} ({points})", address::shown_url(url)),
            sha256: [(name.clone(), plan.digest.clone())].into(),
        });
        Ok(plan)
    }

    /// Returns the server of the collection.
    pub(super) fn collection_server(&self) -> Result<Server, Error> {
        let collection = &self.settings().retrieval.collection;
        let collection =
            ("retrieval.collection", &*collection.url, collection.api_key_env.as_ref());
        self.environment.server(collection, self.settings().http.timeout_s)
    }
}
