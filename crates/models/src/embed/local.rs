//! The in-process encoder: a BERT checkpoint folder, loaded lazily, one vector per text.
//!
//! Encoding is CPU work: it runs on rayon's threads behind `spawn_blocking`, never on those of the async
//! runtime.

use std::sync::Arc;

use async_trait::async_trait;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::json;

use super::work::{in_windows, normalize, off_runtime};
use super::{EmbedError, Encoder, Length, OnProgress, Role, VectorShape};
use ragtriage_core::config::Pooling;
use ragtriage_core::config::{Precision, Titles};
use ragtriage_core::types::{Similarity, TitledText};
use ragtriage_encoder::bert::{EncoderInput, Ids, Instructions, Kernel, VERSION, Wanted};
use ragtriage_encoder::checkpoint::Checkpoint;
use ragtriage_encoder::checkpoint::{CheckpointError, Model, Recipe};

/// Part of the fingerprint: raised whenever a change here or in `bert/` changes a vector.
const ENCODER_VERSION: u32 = 2;

/// Overrides of the checkpoint's recipe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalOptions {
    /// Overrides the folder's pooling.
    pub pooling: Option<Pooling>,
    /// Overrides the folder's normalisation.
    pub normalize: Option<bool>,
    /// Overrides the folder's maximum; at least 3 and at most the model's positions.
    pub max_tokens: Option<usize>,
    /// Overrides the folder's similarity; the default is cosine, dot product for `DPR`.
    pub similarity: Option<Similarity>,
    /// Overrides [`Titles::Paired`] for `DPR` and [`Titles::Joined`] for all others.
    pub titles: Option<Titles>,
    /// The precision of the matrix products.
    pub precision: Precision,
    /// The instructions that the products may use: fewer than all for benches.
    pub instructions: Instructions,
    /// Prefix of every query, overriding the folder's prompt.
    pub query_prefix: Option<String>,
    /// Prefix of every passage, overriding the folder's prompt.
    pub passage_prefix: Option<String>,
}

/// A BERT checkpoint as an [`Encoder`].
pub struct Local {
    inner: Arc<PooledModel>,
    query_fingerprint: String,
    passage_fingerprint: String,
}

struct PooledModel {
    model: Model,
    recipe: Recipe,
    titles: Titles,
}

impl Local {
    /// Opens a checkpoint whose files were found and verified by [`Checkpoint::open`].
    ///
    /// Reads only `config.json` and the sentence-transformers files. Errors: an unsupported configuration, by
    /// name; a maximum length beyond the model's positions.
    pub fn open(checkpoint: Checkpoint, options: LocalOptions) -> Result<Self, EmbedError> {
        let LocalOptions {
            pooling,
            normalize,
            max_tokens,
            similarity,
            titles,
            precision,
            instructions,
            query_prefix,
            passage_prefix,
        } = options;
        let config = checkpoint.config()?;
        let said = checkpoint.recipe(&config)?;
        let recipe = Recipe {
            pooling: pooling.unwrap_or(said.pooling),
            normalize: normalize.unwrap_or(said.normalize),
            max_tokens: max_tokens.unwrap_or(said.max_tokens),
            similarity: similarity.unwrap_or(said.similarity),
            query_prefix: query_prefix.unwrap_or(said.query_prefix),
            passage_prefix: passage_prefix.unwrap_or(said.passage_prefix),
        };
        let titles = titles.unwrap_or(if config.is_dpr() {
            Titles::Paired
        } else {
            Titles::Joined
        });
        let kernel = Kernel::new(precision, instructions);
        let (digests, kernel_name) = (checkpoint.digests(), kernel.name());
        let model = Model::new(checkpoint, config, recipe.max_tokens, kernel)?;
        // Similarity is not part of it: it changes no vector.
        let Recipe {
            pooling,
            normalize,
            max_tokens,
            similarity: _,
            query_prefix,
            passage_prefix,
        } = &recipe;
        let shared = format!(
            "local v{ENCODER_VERSION}.{VERSION} {digests} pooling {} normalize {normalize} max_tokens {max_tokens} {kernel_name}",
            json!(pooling)
        );
        let query_fingerprint = format!("{shared} prefix {}", json!(query_prefix));
        let (titles_written, prefix) = (json!(titles), json!(passage_prefix));
        let passage_fingerprint = format!("{shared} titles {titles_written} prefix {prefix}");
        let inner = Arc::new(PooledModel {
            model,
            recipe,
            titles,
        });
        Ok(Self {
            inner,
            query_fingerprint,
            passage_fingerprint,
        })
    }

    /// Returns the recipe with the overrides applied.
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

    fn shape(&self) -> VectorShape {
        let (dimension, similarity) = (
            self.inner.model.config().hidden_size(),
            self.inner.recipe.similarity,
        );
        VectorShape {
            dimension,
            many: false,
            similarity,
        }
    }

    fn read_bytes(&self, text: TitledText<'_>, role: Role) -> Result<Option<usize>, EmbedError> {
        let input = self.inner.input(text, role);
        let read = self.inner.model.word_pieces()?.read_bytes(&input)?;
        let before = match &input {
            EncoderInput::One(whole) => whole.len() - text.text.len(),
            EncoderInput::Two(_, _) => 0,
        };
        Ok(Some(read.saturating_sub(before)))
    }

    async fn lengths(
        &self,
        texts: &[TitledText<'_>],
        role: Role,
    ) -> Result<Option<Vec<Length>>, EmbedError> {
        let inputs = self.inner.inputs(texts, role);
        let inner = Arc::clone(&self.inner);
        let work = off_runtime(&|_| (), move |_| {
            let word_pieces = inner.model.word_pieces()?;
            let lengths = inputs.par_iter().map(|input| {
                let (n_tokens, n_read) = word_pieces.length(input)?;
                Ok(Length { n_tokens, n_read })
            });
            lengths.collect::<Result<_, EmbedError>>()
        });
        Ok(Some(work.await?))
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
        let inputs = self.inner.inputs(texts, role);
        let inner = Arc::clone(&self.inner);
        off_runtime(on_progress, move |on_done| {
            let (word_pieces, bert) = (inner.model.word_pieces()?, inner.model.bert()?);
            let hidden = inner.model.config().hidden_size();
            let wanted = if inner.recipe.pooling == Pooling::Cls {
                Wanted::First
            } else {
                Wanted::Every
            };
            in_windows(
                bert,
                wanted,
                &inputs,
                |input| {
                    let mut ids = word_pieces.ids(input).map_err(CheckpointError::from)?;
                    // Only a pair has tokens of type 1, and only a title forms a pair here.
                    ids.second = ids.ids.len();
                    Ok(ids)
                },
                Ids::sequence,
                |_, states| pool(states, hidden, &inner.recipe),
                on_done,
            )
        })
        .await
    }
}

impl PooledModel {
    fn inputs(&self, texts: &[TitledText<'_>], role: Role) -> Vec<EncoderInput<'static>> {
        texts.iter().map(|text| self.input(*text, role)).collect()
    }

    /// Returns the model's input for a text.
    fn input(&self, text: TitledText<'_>, role: Role) -> EncoderInput<'static> {
        let prefix = match role {
            Role::Query => &self.recipe.query_prefix,
            Role::Passage => &self.recipe.passage_prefix,
        };
        match self.titles {
            Titles::Paired if !text.title.is_empty() => {
                let title = format!("{prefix}{}", text.title);
                EncoderInput::Two(title.into(), text.text.to_owned().into())
            }
            Titles::Paired | Titles::Joined => {
                EncoderInput::One(format!("{prefix}{}", text.joined()).into())
            }
        }
    }
}

/// Pools a sequence's token vectors, or the first alone, to one vector.
fn pool(states: &[f32], hidden: usize, recipe: &Recipe) -> Vec<f32> {
    let mut tokens = states.chunks_exact(hidden);
    let mut vector = match recipe.pooling {
        Pooling::Cls => tokens
            .next()
            .map_or_else(|| vec![0.0; hidden], <[f32]>::to_vec),
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
        normalize(&mut vector);
    }
    vector
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde::Deserialize;

    use super::*;
    use ragtriage_encoder::bert::BertError;

    #[derive(Deserialize)]
    struct Expected {
        text: String,
        tokens: usize,
        vector: Vec<f32>,
    }

    fn open(folder: &Path, options: LocalOptions) -> Result<Local, EmbedError> {
        Local::open(Checkpoint::open(folder, None)?, options)
    }

    fn untitled<'a>(texts: &[&'a str]) -> Vec<TitledText<'a>> {
        texts
            .iter()
            .map(|text| TitledText::untitled(text))
            .collect()
    }

    fn tiny_folder() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tiny-bert")
    }

    fn tiny() -> Local {
        open(&tiny_folder(), LocalOptions::default()).unwrap()
    }

    fn expected() -> Vec<Expected> {
        serde_json::from_slice(&std::fs::read(tiny_folder().join("expected.json")).unwrap())
            .unwrap()
    }

    fn bits(vectors: &[Vec<f32>]) -> Vec<Vec<u32>> {
        vectors
            .iter()
            .map(|v| v.iter().map(|x| x.to_bits()).collect())
            .collect()
    }

    #[tokio::test]
    async fn vectors_are_those_of_transformers() {
        let encoder = tiny();
        let cases = expected();
        let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
        let n_done = AtomicUsize::new(0);
        let on_progress = |n| _ = n_done.fetch_add(n, Ordering::Relaxed);
        let vectors = encoder
            .encode(&untitled(&texts), Role::Passage, &on_progress)
            .await
            .unwrap();
        assert_eq!(n_done.into_inner(), texts.len());
        for (case, vector) in cases.iter().zip(&vectors) {
            assert_eq!(
                encoder
                    .inner
                    .model
                    .word_pieces()
                    .unwrap()
                    .ids(&EncoderInput::One((&case.text).into()))
                    .unwrap()
                    .ids
                    .len(),
                case.tokens
            );
            assert_eq!(vector.len(), encoder.shape().dimension);
            for (got, expected) in vector.iter().zip(&case.vector) {
                assert!(
                    (got - expected).abs() < 1e-5,
                    "{:?}: {got} is not {expected}",
                    case.text
                );
            }
        }
    }

    #[tokio::test]
    async fn a_text_has_the_same_bits_alone_and_in_company() {
        let encoder = tiny();
        let cases = expected();
        // About 2,000 tokens: several batches, with other boundaries than for single texts.
        let texts: Vec<&str> = cases
            .iter()
            .map(|case| case.text.as_str())
            .cycle()
            .take(4 * cases.len())
            .collect();
        let together = encoder
            .encode(&untitled(&texts), Role::Query, &|_| ())
            .await
            .unwrap();
        for (text, vector) in texts.iter().zip(&together).take(cases.len()) {
            let alone = encoder
                .encode(&untitled(&[text]), Role::Query, &|_| ())
                .await
                .unwrap();
            assert_eq!(bits(&alone), bits(std::slice::from_ref(vector)), "{text:?}");
        }
    }

    #[tokio::test]
    async fn prefixes_stand_before_the_text_of_their_role_only() {
        let prefixed = LocalOptions {
            query_prefix: Some("what is ".to_owned()),
            ..LocalOptions::default()
        };
        let encoder = open(&tiny_folder(), prefixed).unwrap();
        let plain = tiny();
        let with = encoder
            .encode(&untitled(&["tea"]), Role::Query, &|_| ())
            .await
            .unwrap();
        assert_eq!(
            bits(&with),
            bits(
                &plain
                    .encode(&untitled(&["what is tea"]), Role::Query, &|_| ())
                    .await
                    .unwrap()
            )
        );
        let passage = encoder
            .encode(&untitled(&["tea"]), Role::Passage, &|_| ())
            .await
            .unwrap();
        assert_eq!(
            bits(&passage),
            bits(
                &plain
                    .encode(&untitled(&["tea"]), Role::Passage, &|_| ())
                    .await
                    .unwrap()
            )
        );
        assert_ne!(
            encoder.fingerprint(Role::Query),
            plain.fingerprint(Role::Query)
        );
        assert_eq!(
            encoder.fingerprint(Role::Passage),
            plain.fingerprint(Role::Passage)
        );
    }

    #[tokio::test]
    async fn the_offset_read_up_to_is_where_the_last_word_piece_ends() {
        let encoder = open(
            &tiny_folder(),
            LocalOptions {
                max_tokens: Some(5),
                ..LocalOptions::default()
            },
        )
        .unwrap();
        // [CLS] and [SEP] leave three word pieces: "tea", "é" (two bytes, read as "e"), "cup".
        let text = "tea é cup of tea";
        assert_eq!(
            encoder
                .read_bytes(TitledText::untitled(text), Role::Passage)
                .unwrap(),
            Some("tea é cup".len())
        );
        assert_eq!(
            encoder
                .read_bytes(TitledText::untitled("tea cup"), Role::Passage)
                .unwrap(),
            Some(7)
        );
        assert_eq!(
            encoder
                .read_bytes(TitledText::untitled(""), Role::Passage)
                .unwrap(),
            Some(0)
        );
    }

    #[tokio::test]
    async fn cls_pooling_takes_each_sequences_first_vector() {
        let cls = LocalOptions {
            pooling: Some(Pooling::Cls),
            ..LocalOptions::default()
        };
        let encoder = open(&tiny_folder(), cls).unwrap();
        let both = encoder
            .encode(&untitled(&["the old king", "tea"]), Role::Passage, &|_| ())
            .await
            .unwrap();
        let alone = encoder
            .encode(&untitled(&["tea"]), Role::Passage, &|_| ())
            .await
            .unwrap();
        assert_eq!(bits(&both[1..]), bits(&alone));
        let mean = tiny()
            .encode(&untitled(&["tea"]), Role::Passage, &|_| ())
            .await
            .unwrap();
        assert_ne!(bits(&alone), bits(&mean));
    }

    #[derive(Deserialize)]
    struct Texts {
        texts: Vec<Expected>,
    }

    #[derive(Deserialize)]
    struct Families {
        roberta: Texts,
        distilbert: Texts,
    }

    #[tokio::test]
    async fn other_families_are_those_of_transformers() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tiny-models");
        let expected: Families =
            serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
        for (name, cases) in [
            ("roberta", expected.roberta.texts),
            ("distilbert", expected.distilbert.texts),
        ] {
            let encoder = open(&folder.join(name), LocalOptions::default()).unwrap();
            let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
            let vectors = encoder
                .encode(&untitled(&texts), Role::Passage, &|_| ())
                .await
                .unwrap();
            let lengths = encoder
                .lengths(&untitled(&texts), Role::Passage)
                .await
                .unwrap()
                .unwrap();
            for ((case, vector), length) in cases.iter().zip(&vectors).zip(lengths) {
                // The two special tokens are not part of a length.
                assert_eq!(length.n_read + 2, case.tokens, "{name}: {:?}", case.text);
                for (got, expected) in vector.iter().zip(&case.vector) {
                    assert!(
                        (got - expected).abs() < 1e-5,
                        "{name}: {:?}: {got} is not {expected}",
                        case.text
                    );
                }
            }
        }
    }

    #[tokio::test]
    async fn the_folders_prompts_and_similarity_hold_unless_set() {
        let folder = copy_of_tiny();
        let said = r#"{"prompts": {"query": "what is ", "passage": "it is "}, "similarity_fn_name": "dot"}"#;
        std::fs::write(
            folder.path().join("config_sentence_transformers.json"),
            said,
        )
        .unwrap();
        let encoder = open(folder.path(), LocalOptions::default()).unwrap();
        assert_eq!(
            (
                encoder.recipe().query_prefix.as_str(),
                encoder.shape().similarity
            ),
            ("what is ", Similarity::Dot)
        );
        assert_eq!(encoder.recipe().passage_prefix, "it is ");
        let options = LocalOptions {
            similarity: Some(Similarity::Cosine),
            query_prefix: Some(String::new()),
            ..LocalOptions::default()
        };
        let encoder = open(folder.path(), options).unwrap();
        assert_eq!(
            (
                encoder.recipe().query_prefix.as_str(),
                encoder.shape().similarity
            ),
            ("", Similarity::Cosine)
        );
    }

    #[tokio::test]
    async fn no_texts_give_no_vectors() {
        assert!(
            tiny()
                .encode(&[], Role::Query, &|_| ())
                .await
                .unwrap()
                .is_empty()
        );
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
        let config = std::fs::read_to_string(&path)
            .unwrap()
            .replace("\"absolute\"", "\"relative_key\"");
        std::fs::write(&path, config).unwrap();
        let error = open(folder.path(), LocalOptions::default())
            .err()
            .unwrap()
            .to_string();
        let expected = format!(
            "`{}` has `position_embedding_type` = `relative_key`, which is not supported (supported: absolute)",
            path.display()
        );
        assert_eq!(error, expected);
    }

    #[tokio::test]
    async fn weights_changed_after_opening_are_refused() {
        let folder = copy_of_tiny();
        let encoder = open(folder.path(), LocalOptions::default()).unwrap();
        let path = folder.path().join("model.safetensors");
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let error = encoder
            .encode(&untitled(&["tea"]), Role::Query, &|_| ())
            .await
            .unwrap_err();
        assert!(
            matches!(
                error,
                EmbedError::Checkpoint(CheckpointError::HashMismatch { .. })
            ),
            "{error}"
        );
    }

    #[tokio::test]
    async fn a_length_the_model_does_not_have_is_refused() {
        let short = LocalOptions {
            max_tokens: Some(2),
            ..LocalOptions::default()
        };
        let error = open(&tiny_folder(), short).err().unwrap();
        assert!(
            matches!(
                error,
                EmbedError::Checkpoint(CheckpointError::Bert(BertError::TooShort {
                    max_tokens: 2,
                    fewest: 3
                }))
            ),
            "{error}"
        );
        let long = LocalOptions {
            max_tokens: Some(65),
            ..LocalOptions::default()
        };
        let error = open(&tiny_folder(), long).err().unwrap().to_string();
        assert_eq!(error, "`max_tokens` = 65 exceeds the model's 64 positions");
    }
}
