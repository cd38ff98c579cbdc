//! Assembles retrieval: retrievers with their encoders, the vector store, the reranker.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::environment::Environment;
use super::recipients::uses_vector_store;
use crate::Error;
use crate::plan::{RerankPlan, RetrievalPlan, RetrieverPlan, SparsePlan, VectorPlan};
use crate::settings::cache_folder::ScratchFolder;
use crate::settings::{Resolved, Settings, cache_folder};
use ragtriage_bm25::{Bm25Parameters, Weighting};
use ragtriage_clients::embed::{
    CachedEncoder, Encoder, LateInteraction, Local, Remote, TwoEncoders,
};
use ragtriage_clients::fetch::OnDownload;
use ragtriage_clients::fetch::model::{self as source, ModelSource};
use ragtriage_clients::http::{ENCODER, Endpoint, RERANKER};
use ragtriage_clients::rerank::{self, CrossEncoder, Reranker};
use ragtriage_core::config::{AnalyzerSettings, Format, VectorStoreKind};
use ragtriage_core::text::address;
use ragtriage_core::text::analyse::Analyzer;
use ragtriage_core::types::RetrieverName;
use ragtriage_data::run::ModelRecord;
use ragtriage_encoder::bert::Instructions;
use ragtriage_encoder::checkpoint::Checkpoint;
use ragtriage_encoder::checkpoint::CheckpointError;
use ragtriage_vectors::{Server, VectorPlace};

/// Inputs of assembling, and the records it leaves for the run's manifest.
pub(super) struct Wiring<'a> {
    pub(super) resolved: &'a Resolved,
    pub(super) environment: &'a Environment,
    pub(super) on_download: OnDownload<'a>,
    /// Models with their hashes.
    pub(super) models: Vec<ModelRecord>,
    /// Vector caches, for their counts.
    pub(super) caches: Vec<Arc<CachedEncoder>>,
}

impl<'a> Wiring<'a> {
    pub(super) fn new(
        resolved: &'a Resolved,
        environment: &'a Environment,
        on_download: OnDownload<'a>,
    ) -> Self {
        Self { resolved, environment, on_download, models: Vec::new(), caches: Vec::new() }
    }

    pub(super) fn settings(&self) -> &'a Settings {
        &self.resolved.settings
    }

    /// Assembles the whole of retrieval.
    ///
    /// # Errors
    /// A setting out of range, an unavailable model, an invalid address, an unset key.
    pub(super) async fn retrieval(&mut self) -> Result<RetrievalPlan, Error> {
        let retrieval = &self.settings().retrieval;
        let AnalyzerSettings { words, lowercase, stopwords, stemmer } = retrieval.analyzer;
        let language = self.settings().dataset.language();
        let analyzer = Arc::new(Analyzer::new(words, lowercase, stopwords, stemmer, language));
        let store = self.store()?;
        let mut retrievers = Vec::with_capacity(retrieval.retrievers.len());
        for name in &retrieval.retrievers {
            retrievers.push(match name {
                RetrieverName::Tfidf | RetrieverName::Bm25 => RetrieverPlan::Sparse(SparsePlan {
                    name: *name,
                    analyzer: Arc::clone(&analyzer),
                    weighting: match name {
                        RetrieverName::Tfidf => Weighting::Tfidf,
                        _ => Weighting::Bm25(Bm25Parameters::new(&retrieval.bm25)),
                    },
                    folder: self.environment.cached(cache_folder::INDEXES),
                }),
                RetrieverName::Dense => RetrieverPlan::Vectors(self.dense().await?),
                RetrieverName::LateInteraction => {
                    RetrieverPlan::Vectors(self.late_interaction().await?)
                }
                RetrieverName::Collection => {
                    RetrieverPlan::Collection(Box::new(self.collection().await?))
                }
            });
        }
        Ok(RetrievalPlan {
            retrievers,
            fusion: retrieval.fusion.clone(),
            rerank: self.rerank().await?,
            store,
            filter: retrieval.filter.clone(),
            min_score: retrieval.min_score,
            candidates: retrieval.candidates,
            skips_own_document: self.settings().dataset.format == Format::Beir,
            k: retrieval.k,
            notices: self.environment.notices.clone(),
        })
    }

    /// Assembles the dense encoder.
    pub(super) async fn dense(&mut self) -> Result<VectorPlan, Error> {
        let dense = &self.settings().retrieval.dense;
        let encoder: Arc<dyn Encoder> = if let Some(endpoint) = self.encoder_endpoint()? {
            self.record("dense", &dense.model, None);
            Arc::new(Remote::open(&endpoint, dense).await?)
        } else {
            let checkpoint = self.locate(&dense.model).await?;
            self.record("dense", &dense.model, Some(&checkpoint));
            let passage = Local::open(checkpoint, dense, Instructions::All)?;
            match &dense.query_model {
                None => Arc::new(passage),
                Some(model) => {
                    let checkpoint = self.locate(model).await?;
                    self.record("dense, questions", model, Some(&checkpoint));
                    let query = Local::open(checkpoint, dense, Instructions::All)?;
                    Arc::new(TwoEncoders::new(
                        (model, Arc::new(query)),
                        (&dense.model, Arc::new(passage)),
                    )?)
                }
            }
        };
        Ok(VectorPlan { name: RetrieverName::Dense, encoder: self.cached(encoder)? })
    }

    /// Returns the endpoint of the encoder; `None` for a local model.
    pub(super) fn encoder_endpoint(&self) -> Result<Option<Endpoint>, Error> {
        let dense = &self.settings().retrieval.dense;
        let Some(url) = &dense.endpoint else {
            return Ok(None);
        };
        let (key, headers) = (dense.api_key_env.as_ref(), BTreeMap::new());
        self.environment.endpoint(&ENCODER, url, key, &headers, self.resolved).map(Some)
    }

    async fn late_interaction(&mut self) -> Result<VectorPlan, Error> {
        let late = &self.settings().retrieval.late_interaction;
        if late.model.is_empty() {
            let message = "`retrieval.late_interaction.model` is not set";
            let hint = "name the folder of a ColBERT checkpoint (config.json, tokenizer.json, model.safetensors)";
            return Err(Error::setting(message).with_hint(hint));
        }
        let checkpoint = self.locate(&late.model).await?;
        self.record("late_interaction", &late.model, Some(&checkpoint));
        let encoder = Arc::new(LateInteraction::open(checkpoint)?);
        Ok(VectorPlan { name: RetrieverName::LateInteraction, encoder: self.cached(encoder)? })
    }

    async fn rerank(&mut self) -> Result<Option<RerankPlan>, Error> {
        let rerank = &self.settings().rerank;
        let reranker: Arc<dyn Reranker> = match (self.reranker_endpoint()?, &rerank.model) {
            (None, None) => return Ok(None),
            (Some(endpoint), model) => {
                let model = model.clone().unwrap_or_default();
                self.record("rerank", if model.is_empty() { &endpoint.url } else { &model }, None);
                Arc::new(rerank::RemoteReranker::new(&endpoint, rerank.form, model)?)
            }
            (None, Some(model)) => {
                let checkpoint = self.locate(model).await?;
                self.record("rerank", model, Some(&checkpoint));
                Arc::new(CrossEncoder::open(checkpoint, rerank.max_tokens)?)
            }
        };
        let reranker: Arc<dyn Reranker> = match &self.environment.scratch {
            Some(_) => reranker,
            None => Arc::new(rerank::CachedReranker::open(
                reranker,
                &self.environment.cache_dir.join(cache_folder::SCORES),
                &self.environment.notices,
            )?),
        };
        Ok(Some(RerankPlan {
            reranker,
            depth: rerank.depth.unwrap_or(self.settings().retrieval.candidates),
        }))
    }

    /// Returns the endpoint of the reranker; `None` for a local model.
    pub(super) fn reranker_endpoint(&self) -> Result<Option<Endpoint>, Error> {
        let rerank = &self.settings().rerank;
        let Some(url) = &rerank.endpoint else {
            return Ok(None);
        };
        let (key, headers) = (rerank.api_key_env.as_ref(), BTreeMap::new());
        self.environment.endpoint(&RERANKER, url, key, &headers, self.resolved).map(Some)
    }

    /// Returns the Qdrant server of the vector store.
    pub(super) fn server(&self) -> Result<Server, Error> {
        let Settings { vector_store, http, .. } = self.settings();
        let store = ("vector_store", &*vector_store.url, vector_store.api_key_env.as_ref());
        self.environment.server(store, http.timeout_s)
    }

    fn store(&self) -> Result<VectorPlace, Error> {
        Ok(match self.settings().vector_store.kind {
            VectorStoreKind::Embedded => {
                let Environment { cache_dir, scratch, .. } = self.environment;
                let base = scratch.as_ref().map_or(&**cache_dir, ScratchFolder::path);
                VectorPlace::Embedded(base.join(cache_folder::COLLECTIONS))
            }
            VectorStoreKind::Server => {
                let server = self.server()?;
                if self.environment.scratch.is_some() && uses_vector_store(self.settings()) {
                    let error = "a run without caches needs the embedded vector store: collections on a Qdrant server stay there";
                    let hint = "set `vector_store.kind = \"embedded\"`, or leave `--no-cache` out";
                    return Err(Error::setting(error).with_hint(hint));
                }
                VectorPlace::Server(server)
            }
        })
    }

    /// Locates the checkpoint of the model `name`.
    pub(super) async fn locate(&self, name: &str) -> Result<Checkpoint, CheckpointError> {
        let base = self.resolved.base();
        source::locate(name, &base, &self.model_source(), self.on_download).await
    }

    /// As [`Self::locate`], without downloading.
    pub(super) async fn located_here(&self, name: &str) -> Result<Checkpoint, CheckpointError> {
        let source = ModelSource { offline: true, ..self.model_source() };
        source::locate(name, &self.resolved.base(), &source, self.on_download).await
    }

    /// Returns the locations of models.
    fn model_source(&self) -> ModelSource {
        let Environment { cache_dir, hub, offline, .. } = self.environment;
        ModelSource { cache_dir: cache_dir.clone(), hub: hub.clone(), offline: *offline }
    }

    /// Adds a model to the run's manifest; a remote one has no hashes.
    pub(super) fn record(&mut self, role: &str, name: &str, checkpoint: Option<&Checkpoint>) {
        let sha256: BTreeMap<String, String> = checkpoint
            .map(|checkpoint| checkpoint.files.iter().cloned().collect())
            .unwrap_or_default();
        self.models.push(ModelRecord {
            role: role.to_owned(),
            name: address::shown_url(name),
            sha256,
        });
    }

    fn cached(&mut self, encoder: Arc<dyn Encoder>) -> Result<Arc<dyn Encoder>, Error> {
        if self.environment.scratch.is_some() {
            return Ok(encoder);
        }
        let cached = Arc::new(CachedEncoder::open(
            encoder,
            &self.environment.cache_dir.join(cache_folder::VECTORS),
            &self.environment.notices,
        )?);
        self.caches.push(Arc::clone(&cached));
        Ok(cached)
    }
}
