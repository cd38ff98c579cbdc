//! The encoder that runs in this process: a BERT checkpoint folder, read lazily.
//!
//! Opening hashes the files and checks the config; the tokenizer is read on first use and the weights on the first
//! encode, so that a run whose vectors are all cached never holds them. Encoding is CPU work: it runs on rayon's
//! threads behind `spawn_blocking`, never on the async runtime's.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use tokio::sync::mpsc;

use super::bert::Bert;
use super::config::{BertConfig, Pooling, Recipe};
use super::pin::sha256_hex;
use super::source::Checkpoint;
use super::weights::Weights;
use super::word_pieces::{FEWEST_TOKENS, WordPieces};
use super::{EmbedError, Encoder, OnProgress, Role};

/// Part of the fingerprint: raised whenever a change here changes a vector.
const ENCODER_VERSION: u32 = 1;
/// Tokens a batch aims at: its activations fit a second-level cache of 2 MB or little more, and weights are read
/// from memory once a batch.
const BATCH_TOKENS: usize = 512;
/// Texts tokenised and sorted by length together; bounds the memory that ids take.
const WINDOW_TEXTS: usize = 8192;

/// What a caller may set over what the checkpoint says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalOptions {
    /// Instead of the folder's pooling.
    pub pooling: Option<Pooling>,
    /// Instead of the folder's normalisation.
    pub normalize: Option<bool>,
    /// Instead of the folder's maximum; at least 3 and at most the model's positions.
    pub max_tokens: Option<usize>,
    /// Put before every query.
    pub query_prefix: String,
    /// Put before every passage.
    pub passage_prefix: String,
}

/// A BERT checkpoint as an [`Encoder`].
pub struct Local {
    inner: Arc<Inner>,
}

struct Inner {
    checkpoint: Checkpoint,
    config: BertConfig,
    recipe: Recipe,
    query_prefix: String,
    passage_prefix: String,
    fingerprint: String,
    word_pieces: OnceLock<WordPieces>,
    bert: OnceLock<Bert>,
}

impl Local {
    /// Opens a checkpoint whose files were found and verified by [`super::source::locate`].
    ///
    /// Reads `config.json` and the sentence-transformers files only. Errors: a config that this crate does not
    /// compute, by name; a maximum length the model does not have.
    pub fn open(checkpoint: Checkpoint, options: LocalOptions) -> Result<Self, EmbedError> {
        let LocalOptions { pooling, normalize, max_tokens, query_prefix, passage_prefix } = options;
        let config = BertConfig::read(&checkpoint.file("config.json"))?;
        let positions = config.max_position_embeddings;
        let mut recipe = match checkpoint.recipe.clone() {
            Some(recipe) => recipe,
            None => Recipe::read(&checkpoint.folder, positions)?,
        };
        recipe.pooling = pooling.unwrap_or(recipe.pooling);
        recipe.normalize = normalize.unwrap_or(recipe.normalize);
        recipe.max_tokens = max_tokens.unwrap_or(recipe.max_tokens);
        if recipe.max_tokens > positions {
            return Err(EmbedError::TooLong { max_tokens: recipe.max_tokens, positions });
        }
        if recipe.max_tokens < FEWEST_TOKENS {
            return Err(EmbedError::TooShort { max_tokens: recipe.max_tokens, fewest: FEWEST_TOKENS });
        }
        let fingerprint = format!(
            "local v{ENCODER_VERSION} {} {recipe:?} query {query_prefix:?} passage {passage_prefix:?}",
            checkpoint.digests()
        );
        let (word_pieces, bert) = (OnceLock::new(), OnceLock::new());
        let inner = Inner { checkpoint, config, recipe, query_prefix, passage_prefix, fingerprint, word_pieces, bert };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// How texts become vectors, after options.
    pub fn recipe(&self) -> &Recipe {
        &self.inner.recipe
    }

    /// The checkpoint's files.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.inner.checkpoint
    }
}

#[async_trait]
impl Encoder for Local {
    fn fingerprint(&self) -> &str {
        &self.inner.fingerprint
    }

    fn dimension(&self) -> usize {
        self.inner.config.hidden_size
    }

    fn read_bytes(&self, text: &str, role: Role) -> Result<Option<usize>, EmbedError> {
        let prefix = self.inner.prefix(role);
        let read = self.inner.word_pieces()?.read_bytes(&format!("{prefix}{text}"))?;
        Ok(Some(read.saturating_sub(prefix.len())))
    }

    async fn encode(
        &self,
        texts: &[&str],
        role: Role,
        on_progress: OnProgress<'_>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let prefix = self.inner.prefix(role);
        let texts: Vec<String> = texts.iter().map(|text| format!("{prefix}{text}")).collect();
        let inner = Arc::clone(&self.inner);
        let (done, mut news) = mpsc::unbounded_channel();
        let work = tokio::task::spawn_blocking(move || inner.encode(&texts, &done));
        while let Some(n_texts) = news.recv().await {
            on_progress(n_texts);
        }
        work.await.map_err(EmbedError::Worker)?
    }
}

impl Inner {
    fn prefix(&self, role: Role) -> &str {
        match role {
            Role::Query => &self.query_prefix,
            Role::Passage => &self.passage_prefix,
        }
    }

    fn word_pieces(&self) -> Result<&WordPieces, EmbedError> {
        load_once(&self.word_pieces, || {
            let path = self.checkpoint.file("tokenizer.json");
            WordPieces::open(&path, self.recipe.max_tokens, self.config.vocab_size)
        })
    }

    fn bert(&self) -> Result<&Bert, EmbedError> {
        load_once(&self.bert, || {
            let path = self.checkpoint.file("model.safetensors");
            let bytes = std::fs::read(&path).map_err(|source| EmbedError::Read { path: path.clone(), source })?;
            self.checkpoint.check_weights(&path, &sha256_hex(&bytes))?;
            Ok(Bert::new(self.config.clone(), Weights::read(&bytes, &path, &self.config)?))
        })
    }

    /// Encodes in windows; stops early, with what is irrelevant by then, when nobody listens to `done` any more.
    fn encode(&self, texts: &[String], done: &mpsc::UnboundedSender<usize>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let (word_pieces, bert) = (self.word_pieces()?, self.bert()?);
        let mut vectors = vec![Vec::new(); texts.len()];
        for (texts, vectors) in texts.chunks(WINDOW_TEXTS).zip(vectors.chunks_mut(WINDOW_TEXTS)) {
            let ids: Vec<Vec<u32>> = texts.par_iter().map(|text| word_pieces.ids(text)).collect::<Result<_, _>>()?;
            let encoded: Vec<(usize, Vec<f32>)> = batches(&ids)
                .par_iter()
                .with_max_len(1)
                .flat_map_iter(|batch| {
                    let sequences: Vec<&[u32]> = batch.iter().map(|i| ids[*i].as_slice()).collect();
                    let vectors = if done.is_closed() { Vec::new() } else { bert.encode(&sequences, &self.recipe) };
                    // A closed channel is seen by the next batch.
                    let _ = done.send(batch.len());
                    batch.iter().copied().zip(vectors)
                })
                .collect();
            for (i, vector) in encoded {
                vectors[i] = vector;
            }
        }
        Ok(vectors)
    }
}

/// Sequences in batches of about [`BATCH_TOKENS`] tokens, the longest first, so that no thread is left with a long
/// batch at the end.
fn batches(ids: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(ids[*i].len()));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut n_tokens = usize::MAX;
    for i in order {
        if n_tokens.saturating_add(ids[i].len()) > BATCH_TOKENS {
            batches.push(Vec::new());
            n_tokens = 0;
        }
        n_tokens += ids[i].len();
        batches.last_mut().expect("a batch was opened for the first sequence").push(i);
    }
    batches
}

/// Loads into `cell` unless another thread has; a failed load is tried again by the next caller.
fn load_once<T>(cell: &OnceLock<T>, load: impl FnOnce() -> Result<T, EmbedError>) -> Result<&T, EmbedError> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = load()?;
    Ok(cell.get_or_init(|| value))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde::Deserialize;

    use super::*;
    use crate::embed::source::{ModelRef, Source, locate};

    #[derive(Deserialize)]
    struct Expected {
        text: String,
        tokens: usize,
        vector: Vec<f32>,
    }

    async fn open(folder: &Path, options: LocalOptions) -> Result<Local, EmbedError> {
        let source = Source { cache_dir: "unused".into(), hub: String::new(), offline: true };
        Local::open(locate(&ModelRef::Folder(folder.to_owned()), &source, &|_| ()).await?, options)
    }

    fn tiny_folder() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tiny-bert")
    }

    async fn tiny() -> Local {
        open(&tiny_folder(), LocalOptions::default()).await.unwrap()
    }

    fn expected() -> Vec<Expected> {
        serde_json::from_slice(&std::fs::read(tiny_folder().join("expected.json")).unwrap()).unwrap()
    }

    fn bits(vectors: &[Vec<f32>]) -> Vec<Vec<u32>> {
        vectors.iter().map(|v| v.iter().map(|x| x.to_bits()).collect()).collect()
    }

    #[tokio::test]
    async fn vectors_are_those_of_transformers() {
        let encoder = tiny().await;
        let cases = expected();
        let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
        let n_done = AtomicUsize::new(0);
        let on_progress = |n| _ = n_done.fetch_add(n, Ordering::Relaxed);
        let vectors = encoder.encode(&texts, Role::Passage, &on_progress).await.unwrap();
        assert_eq!(n_done.into_inner(), texts.len());
        for (case, vector) in cases.iter().zip(&vectors) {
            assert_eq!(encoder.inner.word_pieces().unwrap().ids(&case.text).unwrap().len(), case.tokens);
            assert_eq!(vector.len(), encoder.dimension());
            for (got, expected) in vector.iter().zip(&case.vector) {
                assert!((got - expected).abs() < 1e-5, "{:?}: {got} is not {expected}", case.text);
            }
        }
    }

    #[tokio::test]
    async fn a_text_has_the_same_bits_alone_and_in_company() {
        let encoder = tiny().await;
        let cases = expected();
        // Some 2,000 tokens: several batches, cut elsewhere than the single texts' ones.
        let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).cycle().take(4 * cases.len()).collect();
        let together = encoder.encode(&texts, Role::Query, &|_| ()).await.unwrap();
        for (text, vector) in texts.iter().zip(&together).take(cases.len()) {
            let alone = encoder.encode(&[text], Role::Query, &|_| ()).await.unwrap();
            assert_eq!(bits(&alone), bits(std::slice::from_ref(vector)), "{text:?}");
        }
    }

    #[tokio::test]
    async fn prefixes_stand_before_the_text_of_their_role_only() {
        let prefixed = LocalOptions { query_prefix: "what is ".to_owned(), ..LocalOptions::default() };
        let encoder = open(&tiny_folder(), prefixed).await.unwrap();
        let plain = tiny().await;
        let with = encoder.encode(&["tea"], Role::Query, &|_| ()).await.unwrap();
        assert_eq!(bits(&with), bits(&plain.encode(&["what is tea"], Role::Query, &|_| ()).await.unwrap()));
        let passage = encoder.encode(&["tea"], Role::Passage, &|_| ()).await.unwrap();
        assert_eq!(bits(&passage), bits(&plain.encode(&["tea"], Role::Passage, &|_| ()).await.unwrap()));
        assert_ne!(encoder.fingerprint(), plain.fingerprint());
    }

    #[tokio::test]
    async fn the_offset_read_up_to_is_where_the_last_word_piece_ends() {
        let encoder =
            open(&tiny_folder(), LocalOptions { max_tokens: Some(5), ..LocalOptions::default() }).await.unwrap();
        // [CLS] and [SEP] leave three word pieces: "tea", "é" (two bytes, read as "e"), "cup".
        let text = "tea é cup of tea";
        assert_eq!(encoder.read_bytes(text, Role::Passage).unwrap(), Some("tea é cup".len()));
        assert_eq!(encoder.read_bytes("tea cup", Role::Passage).unwrap(), Some(7));
        assert_eq!(encoder.read_bytes("", Role::Passage).unwrap(), Some(0));
    }

    #[tokio::test]
    async fn cls_pooling_takes_each_sequences_first_vector() {
        let cls = LocalOptions { pooling: Some(Pooling::Cls), ..LocalOptions::default() };
        let encoder = open(&tiny_folder(), cls).await.unwrap();
        let both = encoder.encode(&["the old king", "tea"], Role::Passage, &|_| ()).await.unwrap();
        let alone = encoder.encode(&["tea"], Role::Passage, &|_| ()).await.unwrap();
        assert_eq!(bits(&both[1..]), bits(&alone));
        let mean = tiny().await.encode(&["tea"], Role::Passage, &|_| ()).await.unwrap();
        assert_ne!(bits(&alone), bits(&mean));
    }

    #[tokio::test]
    async fn no_texts_give_no_vectors() {
        assert!(tiny().await.encode(&[], Role::Query, &|_| ()).await.unwrap().is_empty());
    }

    fn copy_of_tiny() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in ["config.json", "tokenizer.json", "model.safetensors"] {
            std::fs::copy(tiny_folder().join(file), folder.path().join(file)).unwrap();
        }
        folder
    }

    #[tokio::test]
    async fn what_is_not_computed_is_refused_by_name() {
        let folder = copy_of_tiny();
        let path = folder.path().join("config.json");
        let config = std::fs::read_to_string(&path).unwrap().replace("\"absolute\"", "\"relative_key\"");
        std::fs::write(&path, config).unwrap();
        let error = open(folder.path(), LocalOptions::default()).await.err().unwrap().to_string();
        let expected = format!(
            "`{}` has `position_embedding_type` = `relative_key`, which is not supported (supported: absolute)",
            path.display()
        );
        assert_eq!(error, expected);
    }

    #[tokio::test]
    async fn weights_changed_after_opening_are_refused() {
        let folder = copy_of_tiny();
        let encoder = open(folder.path(), LocalOptions::default()).await.unwrap();
        let path = folder.path().join("model.safetensors");
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let error = encoder.encode(&["tea"], Role::Query, &|_| ()).await.unwrap_err();
        assert!(matches!(error, EmbedError::HashMismatch { .. }), "{error}");
    }

    #[tokio::test]
    async fn a_length_the_model_does_not_have_is_refused() {
        let short = LocalOptions { max_tokens: Some(2), ..LocalOptions::default() };
        let error = open(&tiny_folder(), short).await.err().unwrap();
        assert!(matches!(error, EmbedError::TooShort { max_tokens: 2, fewest: 3 }), "{error}");
        let long = LocalOptions { max_tokens: Some(65), ..LocalOptions::default() };
        let error = open(&tiny_folder(), long).await.err().unwrap().to_string();
        assert_eq!(error, "`max_tokens` 65 is more than the 64 positions the model has");
    }
}
