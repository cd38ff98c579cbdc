//! Vectors of an existing collection, and the check that questions fit them.

use std::collections::BTreeMap;

use qdrant_client::qdrant::{
    CollectionInfo, CollectionParams, Distance, HnswConfigDiff, Modifier, SparseVectorParams,
    VectorParams, vectors_config,
};
use ragtriage_core::config::{CollectionMode, CollectionSettings, Hnsw};

use crate::existing::{ExistingError, ExistingIndex};

/// Facts about a collection that fits.
pub(super) struct Layout {
    /// True if the score of a search is a distance.
    pub(super) scores_are_distances: bool,
    /// The index that dense search may follow.
    pub(super) index: Option<ExistingIndex>,
}

/// Checks that the collection has the vectors that `settings` name. `dimension`: that of the questions' dense vectors.
pub(super) fn check(
    info: &CollectionInfo,
    settings: &CollectionSettings,
    dimension: Option<usize>,
) -> Result<Layout, ExistingError> {
    let config = info.config.as_ref();
    let params = config.and_then(|config| config.params.as_ref());
    let (dense, sparse) = (dense(params), sparse(params));
    let missing = |kind, wanted: &str| ExistingError::NoVector {
        collection: settings.name.clone(),
        kind,
        wanted: named(wanted),
        has: described(&dense, &sparse),
    };
    let mode = settings.mode;
    if mode.is_sparse() && !sparse.contains_key(&settings.sparse_using) {
        return Err(missing("sparse", &settings.sparse_using));
    }
    if !mode.is_dense() {
        return Ok(Layout { scores_are_distances: false, index: None });
    }
    let using = &settings.using;
    let vector = dense.get(using);
    let usable = vector.filter(|vector| {
        vector.multivector_config.is_none() && vector.distance() != Distance::UnknownDistance
    });
    let vector = usable.ok_or_else(|| missing("dense", using))?;
    if let Some(dimension) = dimension.filter(|dimension| *dimension as u64 != vector.size) {
        return Err(ExistingError::Dimension {
            collection: settings.name.clone(),
            using: named(using),
            dimension,
            has: described(&dense, &sparse),
        });
    }
    let is_distance = matches!(vector.distance(), Distance::Euclid | Distance::Manhattan);
    Ok(Layout {
        scores_are_distances: is_distance && mode == CollectionMode::Dense,
        index: index(info, vector, settings.ef),
    })
}

/// Returns the index of a dense vector; `None` if no segment has one. Qdrant searches with `ef_construct` neighbours unless a
/// search says otherwise.
fn index(info: &CollectionInfo, vector: &VectorParams, ef: Option<usize>) -> Option<ExistingIndex> {
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
    Some(ExistingIndex {
        hnsw: Hnsw {
            m: value(|hnsw| hnsw.m, defaults.m),
            ef_construct,
            ef: ef.unwrap_or(ef_construct),
            from_points: 0,
        },
        segments: usize::try_from(info.segments_count).unwrap_or(usize::MAX),
    })
}

/// Returns the dense vectors by name; an unnamed one has an empty name.
fn dense(params: Option<&CollectionParams>) -> BTreeMap<String, VectorParams> {
    let vectors = params.and_then(|params| params.vectors_config.as_ref()?.config.clone());
    match vectors {
        Some(vectors_config::Config::Params(params)) => [(String::new(), params)].into(),
        Some(vectors_config::Config::ParamsMap(named)) => named.map.into_iter().collect(),
        None => BTreeMap::new(),
    }
}

fn sparse(params: Option<&CollectionParams>) -> BTreeMap<String, SparseVectorParams> {
    let vectors = params.and_then(|params| params.sparse_vectors_config.clone());
    vectors.map_or_else(BTreeMap::new, |vectors| vectors.map.into_iter().collect())
}

fn named(name: &str) -> String {
    if name.is_empty() { "without a name".to_owned() } else { format!("`{name}`") }
}

/// Lists the vectors: `` `text` (384 dimensions, cosine), sparse `terms` (idf)``.
fn described(
    dense: &BTreeMap<String, VectorParams>,
    sparse: &BTreeMap<String, SparseVectorParams>,
) -> String {
    let dense = dense.iter().map(|(name, params)| {
        let name = if name.is_empty() {
            "one vector without a name".to_owned()
        } else {
            format!("`{name}`")
        };
        let many = if params.multivector_config.is_some() { ", several per point" } else { "" };
        let distance = params.distance().as_str_name().to_ascii_lowercase();
        format!("{name} ({} dimensions, {distance}{many})", params.size)
    });
    let sparse = sparse.iter().map(|(name, params)| {
        let has_idf = params.modifier == Some(Modifier::Idf.into());
        let idf = if has_idf { "idf" } else { "no idf" };
        format!("sparse `{name}` ({idf})")
    });
    let all: Vec<String> = dense.chain(sparse).collect();
    if all.is_empty() {
        return "no vectors".to_owned();
    }
    all.join(", ")
}
