//! A wrapper that stores any encoder's vectors, and the lengths of texts, in a cache file.
//!
//! A text's key is the sha256 of the encoder's fingerprint, the role, the title and the text, so that stale hits are
//! impossible; a vector's value is its numbers as little-endian `f32`, a length's its two as `u32`. A kill loses at most
//! [`WRITTEN_TOGETHER`] vectors.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;

use super::{Encoder, Length, OnProgress, Role, VectorShape};
use crate::Error;
use crate::cache::{CacheTable, Cached, CachedValue, ContentKey, Database, key};
use ragtriage_core::notices::Notices;
use ragtriage_core::types::TitledText;

/// Texts encoded and written together: a few seconds of work for `all-MiniLM-L6-v2` on two cores.
const WRITTEN_TOGETHER: usize = 256;
/// Texts measured and written together: about one second of tokenising.
const MEASURED_TOGETHER: usize = 8192;

/// The table of cached vectors.
const VECTORS: CacheTable = CacheTable { name: "vectors", value: "vector", label: "vectors" };
/// The table of cached text lengths.
const LENGTHS: CacheTable =
    CacheTable { name: "text_lengths", value: "length", label: "text lengths" };

/// An [`Encoder`] that asks another only for texts not in the cache.
pub struct CachedEncoder {
    inner: Arc<dyn Encoder>,
    vectors: Cached<Vec<f32>>,
    lengths: Cached<Length>,
}

impl CachedEncoder {
    /// Opens or creates the database at `path`, and its folder.
    pub fn open(inner: Arc<dyn Encoder>, path: &Path, notices: &Notices) -> Result<Self, Error> {
        let database = Database::open(path, &[VECTORS, LENGTHS], notices)?;
        let lengths = Cached::new(database.clone(), LENGTHS);
        Ok(Self { inner, vectors: Cached::new(database, VECTORS), lengths })
    }

    /// Returns the number of texts answered from the cache so far.
    pub fn n_hits(&self) -> u64 {
        self.vectors.n_hits()
    }

    /// Returns the number of texts passed to the encoder so far.
    pub fn n_misses(&self) -> u64 {
        self.vectors.n_misses()
    }

    fn keys(&self, texts: &[TitledText<'_>], role: Role) -> Vec<ContentKey> {
        texts.iter().map(|text| text_key(self.inner.fingerprint(role), role, *text)).collect()
    }

    /// Encodes texts and checks the encoder's contract.
    async fn encoded(
        &self,
        texts: Vec<TitledText<'_>>,
        role: Role,
        on_progress: OnProgress<'_>,
    ) -> Result<Vec<Vec<f32>>, Error> {
        let vectors = self.inner.encode(&texts, role, on_progress).await?;
        let shape = self.inner.shape();
        let fits =
            |vector: &Vec<f32>| shape.fits(vector.len()) && vector.iter().all(|x| x.is_finite());
        if vectors.len() == texts.len() && vectors.iter().all(fits) {
            return Ok(vectors);
        }
        let (n, n_texts, dimension) = (vectors.len(), texts.len(), shape.dimension);
        let what = format!(
            "{n} vectors for {n_texts} texts, or not all of dimension {dimension} and finite"
        );
        Err(Error::contract(self.inner.fingerprint(role), &what))
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

    fn read_bytes(&self, text: TitledText<'_>, role: Role) -> Result<Option<usize>, Error> {
        self.inner.read_bytes(text, role)
    }

    async fn lengths(
        &self,
        texts: &[TitledText<'_>],
        role: Role,
    ) -> Result<Option<Vec<Length>>, Error> {
        if texts.is_empty() {
            // The encoder decides if lengths are known.
            return self.inner.lengths(texts, role).await;
        }
        let measure = |batch: Vec<usize>| async move {
            let texts: Vec<TitledText<'_>> = batch.iter().map(|i| texts[*i]).collect();
            self.inner.lengths(&texts, role).await
        };
        let keys = self.keys(texts, role);
        self.lengths.all(&keys, |_| true, MEASURED_TOGETHER, &|_| (), measure).await
    }

    async fn encode(
        &self,
        texts: &[TitledText<'_>],
        role: Role,
        on_progress: OnProgress<'_>,
    ) -> Result<Vec<Vec<f32>>, Error> {
        let shape = self.shape();
        if shape.many && role == Role::Passage {
            // Not cached: a passage's vectors take hundreds of kilobytes, and its collection resumes an interrupted indexing.
            self.vectors.count_misses(texts.len());
            return self.inner.encode(texts, role, on_progress).await;
        }
        let encode = |batch: Vec<usize>| async move {
            let texts = batch.iter().map(|i| texts[*i]).collect();
            self.encoded(texts, role, on_progress).await.map(Some)
        };
        let keys = self.keys(texts, role);
        let fits = |vector: &Vec<f32>| shape.fits(vector.len());
        let vectors = self.vectors.all(&keys, fits, WRITTEN_TOGETHER, on_progress, encode).await?;
        Ok(vectors.expect("an encoder has vectors"))
    }
}

fn text_key(fingerprint: &str, role: Role, text: TitledText<'_>) -> ContentKey {
    let role = match role {
        Role::Query => "query",
        Role::Passage => "passage",
    };
    key(&[fingerprint, role, text.title, text.text])
}

impl CachedValue for Vec<f32> {
    fn to_bytes(&self) -> Vec<u8> {
        self.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, rest) = bytes.as_chunks::<4>();
        rest.is_empty().then(|| numbers.iter().map(|b| f32::from_le_bytes(*b)).collect())
    }
}

impl CachedValue for Length {
    fn to_bytes(&self) -> Vec<u8> {
        [self.n_tokens, self.n_read].iter().flat_map(|n| (*n as u32).to_le_bytes()).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, rest) = bytes.as_chunks::<4>();
        let [n_tokens, n_read] = numbers else {
            return None;
        };
        let [n_tokens, n_read] = [n_tokens, n_read].map(|b| u32::from_le_bytes(*b) as usize);
        rest.is_empty().then_some(Self { n_tokens, n_read })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
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

        fn read_bytes(&self, _: TitledText<'_>, _: Role) -> Result<Option<usize>, Error> {
            Ok(None)
        }

        async fn lengths(
            &self,
            texts: &[TitledText<'_>],
            _: Role,
        ) -> Result<Option<Vec<Length>>, Error> {
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
        ) -> Result<Vec<Vec<f32>>, Error> {
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
}
