//! An existing collection on a server. Of Qdrant's calls only four are made, all of which read: the collection's description,
//! scroll, count and query.

mod filter;
mod payload;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use async_trait::async_trait;
use qdrant_client::qdrant::vectors_output::VectorsOptions;
use qdrant_client::qdrant::{
    CollectionInfo, DenseVector, Distance, Document, Fusion, HnswConfigDiff, PointId,
    PrefetchQuery, Query, QueryPoints, ScrollPoints, SearchParams, SparseVectorParams, VectorInput,
    VectorOutput, VectorParams, VectorsOutput, vector_input, vectors_config,
};
use ragtriage_core::config::{CollectionMode, CollectionSettings};
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::Hnsw;
use sha2::{Digest, Sha256};

use super::calls::Calls;
use super::wire;
use crate::existing::{CollectionContent, ExistingCollection, ExistingSearch};
use crate::{Error, SearchMode, Server, error};

/// Points in one answer: a few MB of texts.
const PAGE: u32 = 1_000;

/// A collection of another program.
pub(crate) struct ServerCollection {
    calls: Calls,
    settings: CollectionSettings,
    /// True if the score of a search is a distance.
    scores_are_distances: bool,
    index: Option<Hnsw>,
    /// Number of points, filtered or not, when they were read.
    n_points: OnceLock<usize>,
}

impl ServerCollection {
    /// Opens the collection that `settings` name. `dimension`: that of the questions' dense vectors.
    ///
    /// # Errors
    /// A URL without scheme or port, no answer, a wrong key, no such collection, vectors that do not fit.
    pub(crate) async fn open(
        server: &Server,
        settings: &CollectionSettings,
        dimension: Option<usize>,
    ) -> Result<Self, Error> {
        let calls = Calls::new(server, settings.name.clone())?;
        let Some(info) = calls.described().await? else {
            return Err(error::permanent(format!(
                "the Qdrant server at `{}` has no collection `{}`",
                server.url, settings.name
            ))
            .with_hint("correct `retrieval.collection.name`"));
        };
        let (scores_are_distances, index) = Vectors::of(&info).fit(&info, settings, dimension)?;
        Ok(Self {
            calls,
            settings: settings.clone(),
            scores_are_distances,
            index,
            n_points: OnceLock::new(),
        })
    }

    /// Checks after a search that no point was added or removed since all were read.
    async fn check_unchanged(&self) -> Result<(), Error> {
        let Some(&expected) = self.n_points.get() else {
            return Ok(());
        };
        if self.calls.counted(false).await? == expected {
            return Ok(());
        }
        let found = self.calls.counted(true).await?;
        if found == expected {
            return Ok(());
        }
        Err(error::changed(
            &self.settings.name,
            &format!("it has {found} points, it had {expected}"),
        ))
    }
}

#[async_trait]
impl ExistingCollection for ServerCollection {
    async fn read(&self) -> Result<CollectionContent, Error> {
        let n_points = self.calls.counted(true).await?;
        let mut seen = HashSet::new();
        let mut passages = Vec::new();
        let mut vectors = Sha256::new();
        let mut offset = None;
        loop {
            let (points, next) = self.calls.scrolled(page(&self.settings, offset)).await?;
            for point in &points {
                let id = point.id.as_ref().ok_or_else(|| self.calls.lacks("a point's id"))?;
                let shown = wire::shown(id);
                if !seen.insert(shown.clone()) {
                    return Err(self.calls.invalid(&format!("point {shown} is listed twice")));
                }
                if let Some(held) = &point.vectors {
                    hash_vectors(held, &mut vectors);
                }
                passages.push(payload::passage(&shown, &point.payload, &self.settings)?);
            }
            if next.is_none() {
                break;
            }
            if points.is_empty() {
                return Err(self.calls.invalid("a page has no points"));
            }
            offset = next;
        }
        let is_filtered = !self.settings.filter.is_empty();
        let n_read = passages.len();
        if n_read == 0 {
            let passing = if is_filtered { " that pass `retrieval.collection.filter`" } else { "" };
            let name = &self.settings.name;
            return Err(error::permanent(format!("collection `{name}` has no points{passing}"))
                .with_hint("check `retrieval.collection.name` and `filter`"));
        }
        if !is_filtered && n_read != n_points {
            return Err(error::changed(
                &self.settings.name,
                &format!("{n_read} of {n_points} points were read"),
            ));
        }
        let _ = self.n_points.set(n_points);
        Ok(CollectionContent { passages, vectors_sha256: hex(&vectors.finalize()) })
    }

    async fn search(&self, search: ExistingSearch<'_>) -> Result<Vec<(String, f32)>, Error> {
        if search.limit == 0 {
            return Ok(Vec::new());
        }
        let request = query(&self.settings, &search);
        let key = |id: &PointId| Ok(wire::shown(id));
        let found = self.calls.searched(request, self.scores_are_distances, key).await?;
        self.check_unchanged().await?;
        Ok(found)
    }

    fn index(&self) -> Option<Hnsw> {
        self.index
    }
}

/// Vectors of a collection by name; an unnamed one has an empty name.
struct Vectors {
    dense: BTreeMap<String, VectorParams>,
    sparse: BTreeMap<String, SparseVectorParams>,
}

impl Vectors {
    fn of(info: &CollectionInfo) -> Self {
        let params = info.config.as_ref().and_then(|config| config.params.clone());
        let params = params.unwrap_or_default();
        let dense = match params.vectors_config.and_then(|vectors| vectors.config) {
            Some(vectors_config::Config::Params(params)) => [(String::new(), params)].into(),
            Some(vectors_config::Config::ParamsMap(named)) => named.map.into_iter().collect(),
            None => BTreeMap::new(),
        };
        let sparse = params.sparse_vectors_config.map(|vectors| vectors.map).unwrap_or_default();
        Self { dense, sparse: sparse.into_iter().collect() }
    }

    /// Checks that the collection has the vectors that `settings` name. `dimension`: that of the questions' dense vectors.
    /// Returns true if scores are distances, and the index that dense search may follow.
    fn fit(
        &self,
        info: &CollectionInfo,
        settings: &CollectionSettings,
        dimension: Option<usize>,
    ) -> Result<(bool, Option<Hnsw>), Error> {
        let CollectionSettings { name, mode, using, sparse_using, .. } = settings;
        if mode.is_sparse() && !self.sparse.contains_key(sparse_using) {
            return Err(self.missing(name, "sparse", sparse_using, "sparse_using"));
        }
        if !mode.is_dense() {
            return Ok((false, None));
        }
        let usable = self.dense.get(using).filter(|vector| {
            vector.multivector_config.is_none() && vector.distance() != Distance::UnknownDistance
        });
        let vector = usable.ok_or_else(|| self.missing(name, "dense", using, "using"))?;
        if let Some(dimension) = dimension.filter(|dimension| *dimension as u64 != vector.size) {
            return Err(error::permanent(format!(
                "questions have {dimension} dimensions, but vector {} of collection `{name}` does not; it has {}",
                named(using),
                self.described()
            ))
            .with_hint(
                "set `retrieval.dense.model` to the model that made the vectors, or `retrieval.collection.using` to another vector",
            ));
        }
        let is_distance = matches!(vector.distance(), Distance::Euclid | Distance::Manhattan);
        Ok((is_distance && *mode == CollectionMode::Dense, index(info, vector)))
    }

    fn missing(&self, collection: &str, kind: &str, wanted: &str, setting: &str) -> Error {
        error::permanent(format!(
            "collection `{collection}` has no {kind} vector {}; it has {}",
            named(wanted),
            self.described()
        ))
        .with_hint(format!("name one of these in `retrieval.collection.{setting}`"))
    }

    /// Lists the vectors: `` `text` (384 dimensions, cosine), sparse `terms` ``.
    fn described(&self) -> String {
        let dense = self.dense.iter().map(|(name, params)| {
            let many = if params.multivector_config.is_some() { ", several per point" } else { "" };
            let distance = params.distance().as_str_name().to_ascii_lowercase();
            format!("{} ({} dimensions, {distance}{many})", named(name), params.size)
        });
        let sparse = self.sparse.keys().map(|name| format!("sparse `{name}`"));
        let all: Vec<String> = dense.chain(sparse).collect();
        if all.is_empty() { "no vectors".to_owned() } else { all.join(", ") }
    }
}

fn named(name: &str) -> String {
    if name.is_empty() { "without a name".to_owned() } else { format!("`{name}`") }
}

/// Returns the graph of a dense vector; `None` if no segment has one. Qdrant searches with `ef_construct` neighbours.
fn index(info: &CollectionInfo, vector: &VectorParams) -> Option<Hnsw> {
    let config = info.config.as_ref()?;
    let is_quantized = vector.quantization_config.is_some() || config.quantization_config.is_some();
    if !is_quantized && info.indexed_vectors_count.unwrap_or(0) == 0 {
        return None;
    }
    let (own, shared) = (vector.hnsw_config, config.hnsw_config);
    let value = |of: fn(HnswConfigDiff) -> Option<u64>, default: usize| {
        let value = own.and_then(of).or_else(|| shared.and_then(of));
        value.map_or(default, |value| usize::try_from(value).unwrap_or(usize::MAX))
    };
    let defaults = Hnsw::default();
    let ef_construct = value(|hnsw| hnsw.ef_construct, defaults.ef_construct);
    Some(Hnsw { m: value(|hnsw| hnsw.m, defaults.m), ef_construct, ef: ef_construct })
}

/// Requests a page of the points that pass the filter; the first page with vectors.
fn page(settings: &CollectionSettings, offset: Option<PointId>) -> ScrollPoints {
    ScrollPoints {
        collection_name: settings.name.clone(),
        filter: filter::translated(&settings.filter),
        with_vectors: Some(offset.is_none().into()),
        offset,
        limit: Some(PAGE),
        with_payload: Some(true.into()),
        ..ScrollPoints::default()
    }
}

/// Requests the best points for a question.
fn query(settings: &CollectionSettings, search: &ExistingSearch<'_>) -> QueryPoints {
    let params = Some(SearchParams {
        exact: Some(search.mode == SearchMode::Exact),
        ..SearchParams::default()
    });
    let filter = filter::translated(&settings.filter);
    // Compares with the question's dense vector.
    let data = search.vector.unwrap_or_default().to_vec();
    let dense = (
        vector_input::Variant::Dense(DenseVector { data }),
        Some(settings.using.clone()).filter(|name| !name.is_empty()),
    );
    // Compares with the sparse vector that the server makes of the question.
    let document = Document {
        text: search.text.to_owned(),
        model: settings.sparse_model.clone(),
        options: HashMap::new(),
    };
    let sparse = (vector_input::Variant::Document(document), Some(settings.sparse_using.clone()));
    let nearest = |variant| Some(Query::new_nearest(VectorInput { variant: Some(variant) }));
    let base = QueryPoints {
        collection_name: settings.name.clone(),
        limit: Some(search.limit as u64),
        with_payload: Some(false.into()),
        with_vectors: Some(false.into()),
        ..QueryPoints::default()
    };
    let (variant, using) = match settings.mode {
        CollectionMode::Dense => dense,
        CollectionMode::Sparse => sparse,
        CollectionMode::Hybrid => {
            let prefetch = |(variant, using)| PrefetchQuery {
                query: nearest(variant),
                using,
                filter: filter.clone(),
                params: params.clone(),
                limit: Some(search.candidates as u64),
                ..PrefetchQuery::default()
            };
            return QueryPoints {
                prefetch: [dense, sparse].map(prefetch).to_vec(),
                query: Some(Query::new_fusion(Fusion::Rrf)),
                ..base
            };
        }
    };
    QueryPoints { query: nearest(variant), using, filter, params, ..base }
}

/// Adds a point's vectors to a digest, in the order of their names.
fn hash_vectors(vectors: &VectorsOutput, sha256: &mut Sha256) {
    let named: BTreeMap<&str, &VectorOutput> = match &vectors.vectors_options {
        Some(VectorsOptions::Vector(vector)) => [("", vector)].into(),
        Some(VectorsOptions::Vectors(named)) => {
            let named = named.vectors.iter();
            named.map(|(name, vector)| (name.as_str(), vector)).collect()
        }
        None => BTreeMap::new(),
    };
    for (name, vector) in named {
        // `Debug` prints every bit of a number.
        sha256.update(format!("{name:?}: {:?}, ", vector.clone().into_vector()));
    }
}
