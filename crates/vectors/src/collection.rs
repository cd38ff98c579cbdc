//! Definition of a vector collection, independent of the engine: its content, its layout, and the name derived from
//! both.
//!
//! Every store checks vectors with these functions before it writes or searches, so that a bad one gets the same error from
//! the embedded engine and from a server, and is never partly written.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{Error, Point, SearchMode, VectorSearch};
use ragtriage_core::config::{Hnsw, OutOfRange, Placement, Quantization, QuantizationKind};
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::Similarity;

/// Incremented whenever stored points change in meaning; older collections are then ignored and new ones created.
const FORMAT: u32 = 2;

/// Maximum size, in KiB of vectors, that a filtered search scans instead of following the graph: Qdrant's default.
const FULL_SCAN_KB: usize = 10_000;

/// Qdrant's limit for dense vectors (`lib/api`, `validate(range(min = 1, max = 65536))`).
const MAX_DIMENSION: usize = 65_536;

/// Qdrant's limit for the components of a multivector (`MAX_MULTIVECTOR_FLATTENED_LEN`).
const MAX_COMPONENTS: usize = 1 << 20;

/// Kind of a collection's vectors, and their similarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorSpec {
    /// Components of a row, 1 to 65,536.
    pub dimension: usize,
    /// Similarity of two rows.
    pub similarity: Similarity,
    /// True if a vector has several rows (one per token), compared by `MaxSim`: for each row of the question the similarity of
    /// the nearest row of the chunk, summed over the question's rows (Khattab and Zaharia 2020).
    pub many: bool,
}

impl VectorSpec {
    fn describe(self) -> String {
        let Self { dimension, similarity, many } = self;
        if many {
            format!("rows of {dimension} dimensions, {similarity}, MaxSim")
        } else {
            format!("{dimension} dimensions, {similarity}")
        }
    }
}

/// Parameters of a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionSpec {
    /// Hash of everything that decides its points, in lower-case hex: chunks, texts, metadata, encoder.
    pub content: String,
    /// Name of the one vector that each point has: `dense`, `late_interaction`.
    pub vector_name: String,
    /// Kind of that vector.
    pub vector: VectorSpec,
    /// Number of points when complete; they are numbered from 0.
    pub expected_points: usize,
    /// Graph settings; `None` never builds a graph, whatever the size.
    pub hnsw: Option<Hnsw>,
    /// Quantization; off unless its kind says otherwise.
    pub quantization: Quantization,
    /// Placement on a server.
    pub placement: Placement,
}

/// Search parameters, independent of the engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SearchParameters {
    pub(super) exact: bool,
    pub(super) ef: Option<usize>,
    /// Rescoring and oversampling, if a compressed copy is read.
    pub(super) quantization: Option<(bool, f64)>,
}

impl CollectionSpec {
    /// Creates a collection that is scanned, unquantized, with the server's default placement.
    #[must_use]
    pub fn new(
        content: String,
        vector_name: &str,
        vector: VectorSpec,
        expected_points: usize,
    ) -> Self {
        Self {
            content,
            vector_name: vector_name.to_owned(),
            vector,
            expected_points,
            hnsw: None,
            quantization: Quantization::default(),
            placement: Placement::default(),
        }
    }

    /// Returns its name: the content's hash, then that of its layout. A setting that affects points or graph gives
    /// another collection; `ef`, rescoring and oversampling belong to a search and change nothing.
    #[must_use]
    pub fn name(&self) -> String {
        let hash = Sha256::digest(self.layout());
        format!("{}-{}", self.content, hex(&hash[..8]))
    }

    /// Describes everything apart from the content that points and graph depend on. It is hashed into the name, stored
    /// with the points, and shown when a collection of another layout has the name.
    pub(super) fn layout(&self) -> String {
        let mut parts = vec![
            format!("format {FORMAT}"),
            format!("{} points", self.expected_points),
            format!("vector `{}` of {}", self.vector_name, self.vector.describe()),
        ];
        if let Some(Hnsw { m, ef_construct, .. }) = self.graph() {
            parts.push(format!("HNSW with m {m} and ef_construct {ef_construct}"));
        }
        if let Some(Quantization { kind, quantile, always_ram, .. }) = self.quantized() {
            let place = if always_ram { "in memory" } else { "wherever the vectors are" };
            parts.push(match kind {
                QuantizationKind::Binary => format!("binary, {place}"),
                _ => format!("int8 with quantile {quantile}, {place}"),
            });
        }
        let Placement { shards, replicas, write_consistency } = self.placement;
        let placed =
            [("shards", shards), ("replicas", replicas), ("write consistency", write_consistency)];
        parts.extend(
            placed.iter().filter_map(|(name, value)| value.map(|value| format!("{name} {value}"))),
        );
        parts.join(", ")
    }

    /// Returns the graph's settings, if one has to be built.
    pub(super) fn graph(&self) -> Option<Hnsw> {
        self.hnsw.filter(|hnsw| self.expected_points >= hnsw.from_points.max(1))
    }

    /// Returns the quantization, if any.
    pub(super) fn quantized(&self) -> Option<Quantization> {
        let on = self.quantization.kind != QuantizationKind::None;
        on.then_some(self.quantization)
    }

    /// Returns the size, in KiB of vectors, below which the engine scans although it has a graph. Qdrant considers each
    /// segment alone, and for a filter the points that pass it. A collection has a graph because we requested one, so a
    /// small one gets a small threshold: a sixteenth of its size, since there are at most eight segments per shard.
    pub(super) fn full_scan_kb(&self, least: usize) -> usize {
        let shards = self.placement.shards.map_or(1, |shards| shards as usize);
        let kb =
            self.expected_points.saturating_mul(self.vector.dimension * size_of::<f32>()) / 1024;
        (kb / 16 / shards).clamp(least, FULL_SCAN_KB)
    }

    pub(super) fn parameters(&self, mode: SearchMode) -> SearchParameters {
        match mode {
            SearchMode::Exact => SearchParameters { exact: true, ef: None, quantization: None },
            SearchMode::Approximate => SearchParameters {
                exact: false,
                ef: self.graph().map(|hnsw| hnsw.ef),
                quantization: self.quantized().map(|copies| (copies.rescore, copies.oversampling)),
            },
        }
    }

    /// Rejects collections that no engine could create, or whose name could leave the cache's folder.
    pub(super) fn check(&self) -> Result<(), Error> {
        let Self { content, vector_name, vector, expected_points, .. } = self;
        let is_hash = (1..=128).contains(&content.len())
            && content.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let is_name = !vector_name.is_empty()
            && vector_name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_' | b'0'..=b'9'));
        let rules = [
            (
                is_hash,
                "collection's content",
                content.clone(),
                "must be a hash in lower-case hex, 1 to 128 digits",
            ),
            (is_name, "vector name", vector_name.clone(), "must be made of a-z, 0-9 and _"),
            (
                u32::try_from(*expected_points).is_ok(),
                "number of points",
                expected_points.to_string(),
                "must be below 4,294,967,296",
            ),
            (
                (1..=MAX_DIMENSION).contains(&vector.dimension),
                "dimension",
                vector.dimension.to_string(),
                "must be 1 to 65,536",
            ),
        ];
        if let Some((_, name, value, problem)) = rules.into_iter().find(|(holds, ..)| !holds) {
            return Err(OutOfRange { name: name.into(), value, problem: problem.into() }.into());
        }
        self.hnsw.map_or(Ok(()), Hnsw::check)?;
        self.quantization.check()?;
        Ok(self.placement.check()?)
    }

    /// Rejects points that do not belong in the collection, before any is written.
    pub(super) fn check_points(&self, points: &[Point]) -> Result<(), Error> {
        points.iter().try_for_each(|point| {
            let Point { number, chunk_id, vector, .. } = point;
            if *number as usize >= self.expected_points {
                return Err(Error::permanent(format!(
                    "chunk `{chunk_id}` has number {number}, but collection `{}` was made for {} points",
                    self.name(),
                    self.expected_points
                )));
            }
            self.check_vector(vector, chunk_id)
        })
    }

    /// Rejects a question's vector that does not belong in the collection.
    pub(super) fn check_search(&self, search: &VectorSearch<'_>) -> Result<(), Error> {
        self.check_vector(search.vector, "the question")
    }

    /// `of` names the vector's owner.
    fn check_vector(&self, vector: &[f32], of: &str) -> Result<(), Error> {
        let VectorSpec { dimension, similarity, many } = self.vector;
        let refuse = |problem: &str| Err(Error::vector(of, problem));
        if !many && vector.len() != dimension {
            return refuse(&format!(
                "has {} dimensions, but collection `{}` has {dimension}",
                vector.len(),
                self.name()
            ));
        }
        if vector.is_empty() {
            return refuse("has no row");
        }
        if !vector.len().is_multiple_of(dimension) {
            return refuse("is not a whole number of rows");
        }
        if vector.len() > MAX_COMPONENTS {
            return refuse("has more than 1,048,576 components, Qdrant's limit");
        }
        if !vector.iter().all(|value| value.is_finite()) {
            return refuse("has a component that is not finite");
        }
        if !vector.chunks(dimension).all(|row| similarity.can_compare(row)) {
            return refuse("is too long or too short for scores of 32-bit floats");
        }
        Ok(())
    }
}

/// Returns the data stored with a point's vector.
pub(super) fn payload(point: &Point) -> Map<String, Value> {
    let Point { number: _, vector: _, chunk_id, doc_id, range: (start, end), metadata } = point;
    let metadata: Map<String, Value> = metadata
        .iter()
        .map(|(field, value)| (super::filter::payload_key(field), value.clone()))
        .collect();
    let fields = json!({ "chunk_id": chunk_id, "doc_id": doc_id, "start": start, "end": end, "metadata": metadata });
    let Value::Object(fields) = fields else { unreachable!("it was written as an object") };
    fields
}

/// Splits points into batches of at most `most_bytes` of vectors and `most_points` points, at least one point each.
pub(super) fn batches(points: &[Point], most_bytes: usize, most_points: usize) -> Vec<&[Point]> {
    let mut batches = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (i, point) in points.iter().enumerate() {
        let more = size_of_val(point.vector.as_slice());
        if i > start && (bytes + more > most_bytes || i - start == most_points) {
            batches.push(&points[start..i]);
            (start, bytes) = (i, 0);
        }
        bytes += more;
    }
    if start < points.len() {
        batches.push(&points[start..]);
    }
    batches
}

/// Returns the numbers of `0..expected_points` that are not in `found`, which may be in any order.
pub(super) fn absent(expected_points: usize, found: &[u32]) -> Vec<u32> {
    let mut is_there = vec![false; expected_points];
    for &number in found {
        if let Some(there) = is_there.get_mut(number as usize) {
            *there = true;
        }
    }
    (0..).zip(is_there).filter(|(_, there)| !there).map(|(number, _)| number).collect()
}

#[cfg(test)]
mod tests;
