//! The encoder that runs in this process: a BERT checkpoint folder, read lazily.
//!
//! Encoding is CPU work: it runs on rayon's threads behind `spawn_blocking`, never on the async runtime's.

use std::sync::Arc;

use async_trait::async_trait;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use tokio::sync::mpsc;

use super::{EmbedError, Encoder, Length, OnProgress, Role, Shape};
use crate::bert::{Ids, Input, Precision, Sequence, Wanted, batch};
use crate::checkpoint::source::Checkpoint;
use crate::checkpoint::{CheckpointError, Model, Pooling, Recipe};
use crate::types::{Similarity, TitledText};

/// Part of the fingerprint: raised whenever a change here or in `bert/` changes a vector.
const ENCODER_VERSION: u32 = 2;
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
    /// Of the matrix products.
    pub precision: Precision,
    /// Put before every query.
    pub query_prefix: String,
    /// Put before every passage.
    pub passage_prefix: String,
}

/// A BERT checkpoint as an [`Encoder`].
pub struct Local {
    inner: Arc<Inner>,
    query_fingerprint: String,
    passage_fingerprint: String,
}

struct Inner {
    model: Model,
    recipe: Recipe,
    query_prefix: String,
    passage_prefix: String,
}

impl Local {
    /// Opens a checkpoint whose files were found and verified by [`crate::checkpoint::source::locate`].
    ///
    /// Reads `config.json` and the sentence-transformers files only. Errors: a config that this crate does not
    /// compute, by name; a maximum length the model does not have.
    pub fn open(checkpoint: Checkpoint, options: LocalOptions) -> Result<Self, EmbedError> {
        let LocalOptions { pooling, normalize, max_tokens, precision, query_prefix, passage_prefix } = options;
        let config = checkpoint.config()?;
        let mut recipe = checkpoint.recipe(config.positions())?;
        recipe.pooling = pooling.unwrap_or(recipe.pooling);
        recipe.normalize = normalize.unwrap_or(recipe.normalize);
        recipe.max_tokens = max_tokens.unwrap_or(recipe.max_tokens);
        let digests = checkpoint.digests();
        let fingerprint =
            |prefix: &str| format!("local v{ENCODER_VERSION} {digests} {recipe:?} {precision:?} prefix {prefix:?}");
        let (query_fingerprint, passage_fingerprint) = (fingerprint(&query_prefix), fingerprint(&passage_prefix));
        let model = Model::new(checkpoint, config, recipe.max_tokens, precision)?;
        let inner = Arc::new(Inner { model, recipe, query_prefix, passage_prefix });
        Ok(Self { inner, query_fingerprint, passage_fingerprint })
    }

    /// How texts become vectors, after options.
    pub fn recipe(&self) -> &Recipe {
        &self.inner.recipe
    }
}

#[async_trait]
impl Encoder for Local {
    fn fingerprint(&self, role: Role) -> &str {
        match role {
            Role::Query => &self.query_fingerprint,
            Role::Passage => &self.passage_fingerprint,
        }
    }

    fn shape(&self) -> Shape {
        Shape { dimension: self.inner.model.config().hidden_size(), many: false, similarity: Similarity::Cosine }
    }

    fn read_bytes(&self, text: TitledText<'_>, role: Role) -> Result<Option<usize>, EmbedError> {
        let read = self.inner.model.word_pieces()?.read_bytes(&Input::One(self.inner.input(text, role).into()))?;
        Ok(Some(read.saturating_sub(self.inner.prefix(role).len() + text.prefix_bytes())))
    }

    async fn lengths(&self, texts: &[TitledText<'_>], role: Role) -> Result<Option<Vec<Length>>, EmbedError> {
        let texts: Vec<String> = texts.iter().map(|text| self.inner.input(*text, role)).collect();
        let inner = Arc::clone(&self.inner);
        let work = tokio::task::spawn_blocking(move || {
            let word_pieces = inner.model.word_pieces()?;
            let length = |text: &String| {
                let (n_tokens, n_read) = word_pieces.length(&Input::One(text.into()))?;
                Ok(Length { n_tokens, n_read })
            };
            texts.par_iter().map(length).collect::<Result<_, EmbedError>>().map(Some)
        });
        work.await.map_err(EmbedError::Worker)?
    }

    async fn encode(
        &self,
        texts: &[TitledText<'_>],
        role: Role,
        on_progress: OnProgress<'_>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let texts: Vec<String> = texts.iter().map(|text| self.inner.input(*text, role)).collect();
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

    /// What the model is given for a text.
    fn input(&self, text: TitledText<'_>, role: Role) -> String {
        format!("{}{}", self.prefix(role), text.joined())
    }

    /// Encodes in windows; stops early, with what is irrelevant by then, when nobody listens to `done` any more.
    fn encode(&self, texts: &[String], done: &mpsc::UnboundedSender<usize>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let (word_pieces, bert) = (self.model.word_pieces()?, self.model.bert()?);
        let hidden = self.model.config().hidden_size();
        let wanted = if self.recipe.pooling == Pooling::Cls { Wanted::First } else { Wanted::Every };
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in texts.chunks(WINDOW_TEXTS) {
            let ids: Vec<Ids> = texts
                .par_iter()
                .map(|text| word_pieces.ids(&Input::One(text.into())).map_err(CheckpointError::from))
                .collect::<Result<_, _>>()?;
            let sequences: Vec<Sequence<'_>> = ids.iter().map(Ids::sequence).collect();
            let head = |states: &[f32]| pool(states, hidden, &self.recipe);
            match batch::run(bert, &sequences, wanted, head, |n| done.send(n).is_ok()) {
                Some(encoded) => vectors.extend(encoded),
                None => break,
            }
        }
        Ok(vectors)
    }
}

/// One vector from a sequence's token vectors, or from the first alone. A zero vector stays zero when normalised.
fn pool(states: &[f32], hidden: usize, recipe: &Recipe) -> Vec<f32> {
    let mut tokens = states.chunks_exact(hidden);
    let mut vector = match recipe.pooling {
        Pooling::Cls => tokens.next().map_or_else(|| vec![0.0; hidden], <[f32]>::to_vec),
        Pooling::Mean => {
            let n = tokens.len() as f32;
            let mut sum = vec![0.0_f32; hidden];
            for token in tokens {
                sum.iter_mut().zip(token).for_each(|(s, x)| *s += x);
            }
            for s in &mut sum {
                *s /= n;
            }
            sum
        }
    };
    if recipe.normalize {
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-12);
        for x in &mut vector {
            *x /= norm;
        }
    }
    vector
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde::Deserialize;

    use super::*;
    use crate::bert::BertError;
    use crate::checkpoint::source::{ModelRef, Source, locate};

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

    fn untitled<'a>(texts: &[&'a str]) -> Vec<TitledText<'a>> {
        texts.iter().map(|text| TitledText::untitled(text)).collect()
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
        let vectors = encoder.encode(&untitled(&texts), Role::Passage, &on_progress).await.unwrap();
        assert_eq!(n_done.into_inner(), texts.len());
        for (case, vector) in cases.iter().zip(&vectors) {
            assert_eq!(
                encoder.inner.model.word_pieces().unwrap().ids(&Input::One((&case.text).into())).unwrap().ids.len(),
                case.tokens
            );
            assert_eq!(vector.len(), encoder.shape().dimension);
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
        let together = encoder.encode(&untitled(&texts), Role::Query, &|_| ()).await.unwrap();
        for (text, vector) in texts.iter().zip(&together).take(cases.len()) {
            let alone = encoder.encode(&untitled(&[text]), Role::Query, &|_| ()).await.unwrap();
            assert_eq!(bits(&alone), bits(std::slice::from_ref(vector)), "{text:?}");
        }
    }

    #[tokio::test]
    async fn prefixes_stand_before_the_text_of_their_role_only() {
        let prefixed = LocalOptions { query_prefix: "what is ".to_owned(), ..LocalOptions::default() };
        let encoder = open(&tiny_folder(), prefixed).await.unwrap();
        let plain = tiny().await;
        let with = encoder.encode(&untitled(&["tea"]), Role::Query, &|_| ()).await.unwrap();
        assert_eq!(bits(&with), bits(&plain.encode(&untitled(&["what is tea"]), Role::Query, &|_| ()).await.unwrap()));
        let passage = encoder.encode(&untitled(&["tea"]), Role::Passage, &|_| ()).await.unwrap();
        assert_eq!(bits(&passage), bits(&plain.encode(&untitled(&["tea"]), Role::Passage, &|_| ()).await.unwrap()));
        assert_ne!(encoder.fingerprint(Role::Query), plain.fingerprint(Role::Query));
    }

    #[tokio::test]
    async fn the_offset_read_up_to_is_where_the_last_word_piece_ends() {
        let encoder =
            open(&tiny_folder(), LocalOptions { max_tokens: Some(5), ..LocalOptions::default() }).await.unwrap();
        // [CLS] and [SEP] leave three word pieces: "tea", "é" (two bytes, read as "e"), "cup".
        let text = "tea é cup of tea";
        assert_eq!(encoder.read_bytes(TitledText::untitled(text), Role::Passage).unwrap(), Some("tea é cup".len()));
        assert_eq!(encoder.read_bytes(TitledText::untitled("tea cup"), Role::Passage).unwrap(), Some(7));
        assert_eq!(encoder.read_bytes(TitledText::untitled(""), Role::Passage).unwrap(), Some(0));
    }

    #[tokio::test]
    async fn cls_pooling_takes_each_sequences_first_vector() {
        let cls = LocalOptions { pooling: Some(Pooling::Cls), ..LocalOptions::default() };
        let encoder = open(&tiny_folder(), cls).await.unwrap();
        let both = encoder.encode(&untitled(&["the old king", "tea"]), Role::Passage, &|_| ()).await.unwrap();
        let alone = encoder.encode(&untitled(&["tea"]), Role::Passage, &|_| ()).await.unwrap();
        assert_eq!(bits(&both[1..]), bits(&alone));
        let mean = tiny().await.encode(&untitled(&["tea"]), Role::Passage, &|_| ()).await.unwrap();
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
        let error = encoder.encode(&untitled(&["tea"]), Role::Query, &|_| ()).await.unwrap_err();
        assert!(matches!(error, EmbedError::Checkpoint(CheckpointError::HashMismatch { .. })), "{error}");
    }

    #[tokio::test]
    async fn a_length_the_model_does_not_have_is_refused() {
        let short = LocalOptions { max_tokens: Some(2), ..LocalOptions::default() };
        let error = open(&tiny_folder(), short).await.err().unwrap();
        assert!(
            matches!(
                error,
                EmbedError::Checkpoint(CheckpointError::Bert(BertError::TooShort { max_tokens: 2, fewest: 3 }))
            ),
            "{error}"
        );
        let long = LocalOptions { max_tokens: Some(65), ..LocalOptions::default() };
        let error = open(&tiny_folder(), long).await.err().unwrap().to_string();
        assert_eq!(error, "`max_tokens` 65 is more than the 64 positions the model has");
    }
}
