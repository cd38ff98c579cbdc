//! Assembles retrieval: retrievers with their encoders, the vector store, the reranker.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::environment::{Client, Environment};
use super::recipients::uses_vector_store;
use crate::Error;
use crate::plan::{RerankPlan, RetrievalPlan, RetrieverPlan, SparsePlan, StorePlan, VectorPlan};
use crate::settings::cache_folder::ScratchFolder;
use crate::settings::{Resolved, Settings, cache_folder};
use ragtriage_bm25::{Bm25Parameters, Weighting};
use ragtriage_clients::embed::{
    CachedEncoder, Encoder, LateInteraction, Local, LocalOptions, Remote, RemoteSettings,
    TwoEncoders,
};
use ragtriage_clients::fetch::model::{self as source, ModelRef, ModelSource};
use ragtriage_clients::http::OnDownload;
use ragtriage_clients::rerank::{self, CrossEncoder, Endpoint, RerankSettings, Reranker};
use ragtriage_core::config::{self, AnalyzerSettings, Placement, VectorStoreKind};
use ragtriage_core::text::address;
use ragtriage_core::text::analyse::Analyzer;
use ragtriage_core::types::{RetrieverName, Similarity};
use ragtriage_data::run::ModelRecord;
use ragtriage_encoder::bert::Instructions;
use ragtriage_encoder::checkpoint::Checkpoint;
use ragtriage_encoder::checkpoint::CheckpointError;
use ragtriage_vectors::{SearchMode, Server, VectorPlace};

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
                RetrieverName::Tfidf => RetrieverPlan::Sparse(SparsePlan {
                    name: RetrieverName::Tfidf,
                    analyzer: Arc::clone(&analyzer),
                    weighting: Weighting::Tfidf,
                    folder: self.index_folder(),
                }),
                RetrieverName::Bm25 => RetrieverPlan::Sparse(self.bm25(&analyzer)?),
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
            exact_sample: self.settings().vector_store.exact_sample,
            filter: retrieval.filter.clone(),
            min_score: retrieval.min_score,
            candidates: retrieval.candidates,
            k: retrieval.k,
            skip_same_id: self.settings().dataset.skip_same_id,
            notices: self.environment.notices.clone(),
        })
    }

    /// Returns the folder of cached index files; `None` if caching is off.
    fn index_folder(&self) -> Option<PathBuf> {
        self.environment.cached(cache_folder::INDEXES)
    }

    fn bm25(&self, analyzer: &Arc<Analyzer>) -> Result<SparsePlan, Error> {
        let bm25 = &self.settings().retrieval.bm25;
        let parameters = Bm25Parameters::new(bm25.variant, bm25.k1, bm25.b, bm25.delta)?;
        Ok(SparsePlan {
            name: RetrieverName::Bm25,
            analyzer: Arc::clone(analyzer),
            weighting: Weighting::Bm25(parameters),
            folder: self.index_folder(),
        })
    }

    /// Assembles the dense encoder.
    pub(super) async fn dense(&mut self) -> Result<VectorPlan, Error> {
        let dense = &self.settings().retrieval.dense;
        let encoder: Arc<dyn Encoder> = if let Some(endpoint) = dense.service() {
            let settings = self.remote_encoder(&endpoint)?;
            self.record("dense", &dense.model, None);
            Arc::new(Remote::open(settings).await?)
        } else {
            let options = LocalOptions {
                pooling: dense.pooling,
                max_tokens: dense.max_tokens,
                query_prefix: dense.query_prefix.clone(),
                passage_prefix: dense.passage_prefix.clone(),
                similarity: dense.similarity,
                titles: dense.titles,
                precision: dense.precision,
                instructions: Instructions::All,
            };
            let checkpoint = self.locate(&dense.model).await?;
            self.record("dense", &dense.model, Some(&checkpoint));
            let passage = Local::open(checkpoint, options.clone())?;
            match &dense.query_model {
                None => Arc::new(passage),
                Some(model) => {
                    let checkpoint = self.locate(model).await?;
                    self.record("dense, questions", model, Some(&checkpoint));
                    let query = Local::open(checkpoint, options)?;
                    Arc::new(TwoEncoders::new(
                        (model, Arc::new(query)),
                        (&dense.model, Arc::new(passage)),
                    )?)
                }
            }
        };
        Ok(VectorPlan { name: RetrieverName::Dense, encoder: self.cached(encoder)? })
    }

    /// Returns the settings of the encoder at `endpoint`.
    pub(super) fn remote_encoder(
        &self,
        endpoint: &config::Endpoint<'_>,
    ) -> Result<RemoteSettings, Error> {
        let dense = &self.settings().retrieval.dense;
        let Client { url, api_key, timeout, concurrency, ca_file, backoff, .. } =
            self.environment.client(endpoint, &self.resolved.base())?;
        Ok(RemoteSettings {
            api_key,
            dimensions: dense.dimensions,
            query_prefix: dense.query_prefix.clone().unwrap_or_default(),
            passage_prefix: dense.passage_prefix.clone().unwrap_or_default(),
            similarity: dense.similarity.unwrap_or(Similarity::Cosine),
            timeout,
            concurrency,
            ca_file,
            backoff,
            ..RemoteSettings::new(url, dense.model.clone())
        })
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
        let encoder = Arc::new(LateInteraction::open(checkpoint, late.precision)?);
        Ok(VectorPlan { name: RetrieverName::LateInteraction, encoder: self.cached(encoder)? })
    }

    async fn rerank(&mut self) -> Result<Option<RerankPlan>, Error> {
        let rerank = &self.settings().rerank;
        let reranker: Arc<dyn Reranker> = match (rerank.service(), &rerank.model) {
            (None, None) => return Ok(None),
            (Some(endpoint), model) => {
                let settings = self.remote_reranker(&endpoint)?;
                let name = model.as_ref().filter(|model| !model.is_empty());
                self.record("rerank", name.map_or(endpoint.url, String::as_str), None);
                Arc::new(Endpoint::new(settings)?)
            }
            (None, Some(model)) => {
                let checkpoint = self.locate(model).await?;
                self.record("rerank", model, Some(&checkpoint));
                Arc::new(CrossEncoder::open(checkpoint, rerank.max_tokens, rerank.precision)?)
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

    /// Returns the settings of the reranker at `endpoint`.
    pub(super) fn remote_reranker(
        &self,
        endpoint: &config::Endpoint<'_>,
    ) -> Result<RerankSettings, Error> {
        let rerank = &self.settings().rerank;
        let Client { url, api_key, timeout, concurrency, ca_file, backoff, .. } =
            self.environment.client(endpoint, &self.resolved.base())?;
        let model = rerank.model.clone().unwrap_or_default();
        Ok(RerankSettings {
            api_key,
            timeout,
            concurrency,
            ca_file,
            backoff,
            ..RerankSettings::new(url, rerank.form, model)
        })
    }

    /// Returns the Qdrant server of the vector store.
    pub(super) fn server(&self) -> Result<Server, Error> {
        let store = &self.settings().vector_store;
        self.environment.server(&store.service(), store.indexing_timeout_s)
    }

    fn store(&self) -> Result<StorePlan, Error> {
        let store = &self.settings().vector_store;
        let place = match store.kind {
            VectorStoreKind::Embedded => {
                let Environment { cache_dir, scratch, .. } = self.environment;
                let base = scratch.as_ref().map_or(&**cache_dir, ScratchFolder::path);
                VectorPlace::Embedded(base.join(cache_folder::COLLECTIONS))
            }
            VectorStoreKind::Server => {
                let server = self.server()?;
                if self.environment.scratch.is_some() && uses_vector_store(self.settings()) {
                    let error = "a run without caches needs the embedded store: runs with the same content share a collection on a Qdrant server";
                    let hint = "use the embedded store: `vector_store.kind = \"embedded\"`, or leave `--no-cache` out";
                    return Err(Error::setting(error).with_hint(hint));
                }
                VectorPlace::Server(server)
            }
        };
        Ok(StorePlan {
            place,
            mode: if store.exact { SearchMode::Exact } else { SearchMode::Approximate },
            hnsw: store.hnsw,
            quantization: store.quantization,
            placement: Placement {
                shards: store.shards,
                replicas: store.replicas,
                write_consistency: store.write_consistency,
            },
        })
    }

    /// Locates the checkpoint of the model `name`.
    pub(super) async fn locate(&self, name: &str) -> Result<Checkpoint, CheckpointError> {
        let model = ModelRef::parse(name, &self.resolved.base());
        source::locate(&model, &self.model_source(), self.on_download).await
    }

    /// As [`Self::locate`], without downloading.
    pub(super) async fn located_here(&self, name: &str) -> Result<Checkpoint, CheckpointError> {
        let source = ModelSource { offline: true, ..self.model_source() };
        let model = ModelRef::parse(name, &self.resolved.base());
        source::locate(&model, &source, self.on_download).await
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
