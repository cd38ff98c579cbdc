//! A wrapper that stores any encoder's vectors, and the lengths of texts, in a cache file.
//!
//! A text's key is the sha256 of the encoder's fingerprint, the role, the title and the text, so that stale hits are
//! impossible; a vector's value is its numbers as little-endian `f32`, a length's its two as `u32`. Each batch is written
//! before the next one is requested: a kill loses at most [`WRITTEN_TOGETHER`] vectors. `cache/` opens, locks and shares
//! the file.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;

use super::{EmbedError, Encoder, Length, OnProgress, Role, VectorShape};
use crate::cache::{CacheTable, ContentKey, Database, key};
use ragtriage_core::notices::Notices;
use ragtriage_core::types::TitledText;

/// Texts encoded and written together: a few seconds of work for `all-MiniLM-L6-v2` on two cores.
const WRITTEN_TOGETHER: usize = 256;
/// Texts measured and written together: about one second of tokenising.
const MEASURED_TOGETHER: usize = 8192;

/// The table of cached vectors.
pub const VECTORS: CacheTable = CacheTable { name: "vectors", value: "vector", label: "vectors" };
/// The table of cached text lengths.
pub const LENGTHS: CacheTable =
    CacheTable { name: "text_lengths", value: "length", label: "text lengths" };

/// An [`Encoder`] that asks another only for texts not in the cache.
pub struct CachedEncoder {
    inner: Arc<dyn Encoder>,
    database: Database,
    n_hits: AtomicU64,
    n_misses: AtomicU64,
}

impl CachedEncoder {
    /// Opens or creates the database at `path`, and its folder.
    pub fn open(
        inner: Arc<dyn Encoder>,
        path: &Path,
        notices: &Notices,
    ) -> Result<Self, EmbedError> {
        let database = Database::open(path, &[VECTORS, LENGTHS], notices)?;
        Ok(Self { inner, database, n_hits: AtomicU64::new(0), n_misses: AtomicU64::new(0) })
    }

    /// Returns the number of texts answered from the cache so far.
    pub fn n_hits(&self) -> u64 {
        self.n_hits.load(Ordering::Relaxed)
    }

    /// Returns the number of texts passed to the encoder so far.
    pub fn n_misses(&self) -> u64 {
        self.n_misses.load(Ordering::Relaxed)
    }

    fn keys(&self, texts: &[TitledText<'_>], role: Role) -> Vec<ContentKey> {
        texts.iter().map(|text| text_key(self.inner.fingerprint(role), role, *text)).collect()
    }

    /// Encodes one batch of texts and stores the vectors.
    async fn fill(
        &self,
        texts: &[TitledText<'_>],
        keys: &[ContentKey],
        role: Role,
        on_progress: OnProgress<'_>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vectors = self.inner.encode(texts, role, on_progress).await?;
        let shape = self.inner.shape();
        let fits =
            |vector: &Vec<f32>| shape.fits(vector.len()) && vector.iter().all(|x| x.is_finite());
        if vectors.len() != texts.len() || !vectors.iter().all(fits) {
            let (n, dimension) = (vectors.len(), shape.dimension);
            let what = format!(
                "{n} vectors for {} texts, or not all of dimension {dimension} and finite",
                texts.len()
            );
            return Err(EmbedError::Contract {
                encoder: self.inner.fingerprint(role).to_owned(),
                what,
            });
        }
        let rows = keys.iter().copied().zip(vectors.iter().map(|v| to_bytes(v))).collect();
        self.database.write(VECTORS, rows).await?;
        self.n_misses.fetch_add(texts.len() as u64, Ordering::Relaxed);
        Ok(vectors)
    }
}

#[async_trait]
impl Encoder for CachedEncoder {
    fn fingerprint(&self, role: Role) -> &str {
        self.inner.fingerprint(role)
    }

    fn shape(&self) -> VectorShape {
        self.inner.shape()
    }

    fn read_bytes(&self, text: TitledText<'_>, role: Role) -> Result<Option<usize>, EmbedError> {
        self.inner.read_bytes(text, role)
    }

    async fn lengths(
        &self,
        texts: &[TitledText<'_>],
        role: Role,
    ) -> Result<Option<Vec<Length>>, EmbedError> {
        let keys = self.keys(texts, role);
        let mut lengths = self.database.read(LENGTHS, keys.clone(), length_from_bytes).await?;
        let (missing, places) = missing(&keys, &lengths);
        for batch in missing.chunks(MEASURED_TOGETHER) {
            let batch_texts: Vec<TitledText<'_>> = batch.iter().map(|i| texts[*i]).collect();
            let Some(measured) = self.inner.lengths(&batch_texts, role).await? else {
                return Ok(None);
            };
            let rows: Vec<(ContentKey, Length)> =
                batch.iter().map(|i| keys[*i]).zip(measured).collect();
            for (key, length) in &rows {
                for i in &places[key] {
                    lengths[*i] = Some(*length);
                }
            }
            let rows =
                rows.into_iter().map(|(key, length)| (key, length_to_bytes(length))).collect();
            self.database.write(LENGTHS, rows).await?;
        }
        if texts.is_empty() {
            // The encoder decides if lengths are known.
            return self.inner.lengths(texts, role).await;
        }
        Ok(Some(
            lengths
                .into_iter()
                .map(|length| length.expect("every text was found or measured"))
                .collect(),
        ))
    }

    async fn encode(
        &self,
        texts: &[TitledText<'_>],
        role: Role,
        on_progress: OnProgress<'_>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let shape = self.shape();
        if shape.many && role == Role::Passage {
            // Not cached: a passage's vectors take hundreds of kilobytes, and its collection resumes an interrupted indexing.
            self.n_misses.fetch_add(texts.len() as u64, Ordering::Relaxed);
            return self.inner.encode(texts, role, on_progress).await;
        }
        let keys = self.keys(texts, role);
        let mut vectors = self
            .database
            .read(VECTORS, keys.clone(), move |bytes| from_bytes(bytes, shape))
            .await?;
        let n_hits = vectors.iter().filter(|vector| vector.is_some()).count();
        self.n_hits.fetch_add(n_hits as u64, Ordering::Relaxed);
        if n_hits > 0 {
            on_progress(n_hits);
        }
        let (missing, places) = missing(&keys, &vectors);
        for batch in missing.chunks(WRITTEN_TOGETHER) {
            let batch_texts: Vec<TitledText<'_>> = batch.iter().map(|i| texts[*i]).collect();
            let batch_keys: Vec<ContentKey> = batch.iter().map(|i| keys[*i]).collect();
            let encoded = self.fill(&batch_texts, &batch_keys, role, on_progress).await?;
            let mut n_repeated = 0;
            for (key, vector) in batch_keys.iter().zip(encoded) {
                n_repeated += places[key].len() - 1;
                for i in &places[key] {
                    vectors[*i] = Some(vector.clone());
                }
            }
            if n_repeated > 0 {
                on_progress(n_repeated);
            }
        }
        Ok(vectors
            .into_iter()
            .map(|vector| vector.expect("every text was found or encoded"))
            .collect())
    }
}

/// Returns the first index of each missing key, and all its indexes: one answer serves them all.
fn missing<T>(
    keys: &[ContentKey],
    found: &[Option<T>],
) -> (Vec<usize>, HashMap<ContentKey, Vec<usize>>) {
    let mut places: HashMap<ContentKey, Vec<usize>> = HashMap::new();
    let mut missing = Vec::new();
    for i in (0..keys.len()).filter(|i| found[*i].is_none()) {
        let known = places.entry(keys[i]).or_default();
        if known.is_empty() {
            missing.push(i);
        }
        known.push(i);
    }
    (missing, places)
}

fn text_key(fingerprint: &str, role: Role, text: TitledText<'_>) -> ContentKey {
    let role = match role {
        Role::Query => "query",
        Role::Passage => "passage",
    };
    key(&[fingerprint, role, text.title, text.text])
}

fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn from_bytes(bytes: &[u8], shape: VectorShape) -> Option<Vec<f32>> {
    let (numbers, rest) = bytes.as_chunks::<4>();
    (rest.is_empty() && shape.fits(numbers.len()))
        .then(|| numbers.iter().map(|b| f32::from_le_bytes(*b)).collect())
}

fn length_to_bytes(length: Length) -> Vec<u8> {
    [length.n_tokens, length.n_read].iter().flat_map(|n| (*n as u32).to_le_bytes()).collect()
}

fn length_from_bytes(bytes: &[u8]) -> Option<Length> {
    let (numbers, rest) = bytes.as_chunks::<4>();
    let [n_tokens, n_read] = numbers else {
        return None;
    };
    let [n_tokens, n_read] = [n_tokens, n_read].map(|b| u32::from_le_bytes(*b) as usize);
    rest.is_empty().then_some(Length { n_tokens, n_read })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use ragtriage_core::text::hex::hex;
    use ragtriage_core::types::Similarity;

    /// Counts its calls; a text's vector is its length and its first byte.
    struct Counting {
        n_asked: AtomicUsize,
        fingerprint: &'static str,
    }

    #[async_trait]
    impl Encoder for Counting {
        fn fingerprint(&self, _: Role) -> &str {
            self.fingerprint
        }

        fn shape(&self) -> VectorShape {
            VectorShape { dimension: 2, many: false, similarity: Similarity::Cosine }
        }

        fn read_bytes(&self, _: TitledText<'_>, _: Role) -> Result<Option<usize>, EmbedError> {
            Ok(None)
        }

        async fn lengths(
            &self,
            texts: &[TitledText<'_>],
            _: Role,
        ) -> Result<Option<Vec<Length>>, EmbedError> {
            self.n_asked.fetch_add(texts.len(), Ordering::Relaxed);
            let length = |text: &TitledText<'_>| Length {
                n_tokens: text.text.len(),
                n_read: text.text.len().min(2),
            };
            Ok((self.fingerprint != "remote").then(|| texts.iter().map(length).collect()))
        }

        async fn encode(
            &self,
            texts: &[TitledText<'_>],
            _: Role,
            on_progress: OnProgress<'_>,
        ) -> Result<Vec<Vec<f32>>, EmbedError> {
            self.n_asked.fetch_add(texts.len(), Ordering::Relaxed);
            on_progress(texts.len());
            let vector = |text: &str| {
                vec![text.len() as f32, f32::from(*text.as_bytes().first().unwrap_or(&0))]
            };
            Ok(texts.iter().map(|text| vector(text.text)).collect())
        }
    }

    fn untitled<'a>(texts: &[&'a str]) -> Vec<TitledText<'a>> {
        texts.iter().map(|text| TitledText::untitled(text)).collect()
    }

    fn counting(fingerprint: &'static str) -> Arc<Counting> {
        Arc::new(Counting { n_asked: AtomicUsize::new(0), fingerprint })
    }

    #[tokio::test]
    async fn a_text_is_encoded_once_for_all_its_places_and_later_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/vectors.sqlite");
        let inner = counting("a");
        let first = CachedEncoder::open(inner.clone(), &path, &Notices::default()).unwrap();
        let n_done = AtomicUsize::new(0);
        let on_progress = |n| _ = n_done.fetch_add(n, Ordering::Relaxed);
        let vectors =
            first.encode(&untitled(&["x", "yy", "x"]), Role::Query, &on_progress).await.unwrap();
        // x is byte 120, y 121.
        assert_eq!(vectors, [[1.0, 120.0], [2.0, 121.0], [1.0, 120.0]]);
        assert_eq!((n_done.into_inner(), first.n_hits(), first.n_misses()), (3, 0, 2));

        // Another process's connection to the file, while the first is open.
        let second = CachedEncoder::open(inner.clone(), &path, &Notices::default()).unwrap();
        let again = second.encode(&untitled(&["zzz", "yy"]), Role::Query, &|_| ()).await.unwrap();
        assert_eq!(again, [[3.0, 122.0], [2.0, 121.0]]);
        assert_eq!((second.n_hits(), second.n_misses()), (1, 1));
        assert_eq!(inner.n_asked.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn a_text_is_measured_once_for_all_its_places_and_later_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors.sqlite");
        let inner = counting("a");
        let texts = untitled(&["x", "yyy", "x"]);
        let expected =
            [(1, 1), (3, 2), (1, 1)].map(|(n_tokens, n_read)| Length { n_tokens, n_read });
        for _ in 0..2 {
            let cached = CachedEncoder::open(inner.clone(), &path, &Notices::default()).unwrap();
            assert_eq!(cached.lengths(&texts, Role::Passage).await.unwrap().unwrap(), expected);
            assert_eq!(inner.n_asked.load(Ordering::Relaxed), 2);
        }
        let remote = CachedEncoder::open(counting("remote"), &path, &Notices::default()).unwrap();
        assert_eq!(remote.lengths(&texts, Role::Passage).await.unwrap(), None);
    }

    #[tokio::test]
    async fn another_role_or_encoder_is_another_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors.sqlite");
        let (a, b) = (counting("a"), counting("b"));
        CachedEncoder::open(a.clone(), &path, &Notices::default())
            .unwrap()
            .encode(&untitled(&["x"]), Role::Query, &|_| ())
            .await
            .unwrap();
        CachedEncoder::open(a.clone(), &path, &Notices::default())
            .unwrap()
            .encode(&untitled(&["x"]), Role::Passage, &|_| ())
            .await
            .unwrap();
        CachedEncoder::open(b.clone(), &path, &Notices::default())
            .unwrap()
            .encode(&untitled(&["x"]), Role::Query, &|_| ())
            .await
            .unwrap();
        assert_eq!((a.n_asked.load(Ordering::Relaxed), b.n_asked.load(Ordering::Relaxed)), (2, 1));
    }

    #[tokio::test]
    async fn a_value_of_the_wrong_length_is_encoded_again_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors.sqlite");
        let cached = CachedEncoder::open(counting("a"), &path, &Notices::default()).unwrap();
        cached.encode(&untitled(&["x"]), Role::Query, &|_| ()).await.unwrap();
        let changed = rusqlite::Connection::open(&path)
            .unwrap()
            .execute("UPDATE vectors SET vector = x'0102030405'", []);
        assert_eq!(changed.unwrap(), 1);
        assert_eq!(
            cached.encode(&untitled(&["x"]), Role::Query, &|_| ()).await.unwrap(),
            [[1.0, 120.0]]
        );
        assert_eq!(
            cached.encode(&untitled(&["x"]), Role::Query, &|_| ()).await.unwrap(),
            [[1.0, 120.0]]
        );
        assert_eq!((cached.n_hits(), cached.n_misses()), (1, 2));
    }

    #[test]
    fn the_key_is_pinned() {
        // sha256 over each part preceded by its length as eight little-endian bytes, by Python's hashlib.
        let expected = "0e8745c7f4f880ac6112675aca1ba420fa49145d96cc2cec43099a664803c680";
        assert_eq!(
            hex(&text_key("a", Role::Query, TitledText { title: "title", text: "text" })),
            expected
        );
    }
}
