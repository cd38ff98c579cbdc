//! Late interaction: one vector per token, compared by `MaxSim` (ColBERT: Khattab and Zaharia 2020; v2: Santhanam et al. 2022).
//!
//! Follows colbert-ai. A query is `[CLS] marker tokens [SEP]`, padded to a fixed length with `[MASK]`s that attend to the query
//! and are not attended to; all its token vectors are retained. A passage is `[CLS] marker tokens [SEP]`; the vectors of
//! punctuation are dropped after the forward pass. Each vector is projected, if the checkpoint has a projection, and scaled to
//! unit length. A text's vectors are concatenated ([`VectorShape::many`]).

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::work::{in_windows, normalize, off_runtime};
use super::{EmbedError, Encoder, Length, OnProgress, Role, VectorShape};
use ragtriage_core::config::Precision;
use ragtriage_core::types::{Similarity, TitledText};
use ragtriage_encoder::bert::{Dense, EncoderInput, Sequence, VERSION, Wanted, WordPieces, kernel};
use ragtriage_encoder::checkpoint::Checkpoint;
use ragtriage_encoder::checkpoint::{CheckpointError, Model, TokenRecipe};

/// Part of the fingerprint: raised whenever a change here or in `bert/` changes a vector.
const ENCODER_VERSION: u32 = 1;

/// Overrides of the checkpoint's recipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LateInteractionOptions {
    /// Tokens of every query, specials and masks included.
    pub query_tokens: Option<usize>,
    /// Tokens of a passage that are read, specials included.
    pub passage_tokens: Option<usize>,
    /// The precision of the matrix products.
    pub precision: Precision,
}

/// A ColBERT checkpoint as an [`Encoder`].
pub struct LateInteraction {
    inner: Arc<TokenModel>,
    fingerprint: String,
}

struct TokenModel {
    model: Model<Option<Dense>>,
    recipe: TokenRecipe,
    width: usize,
}

/// The tokens around a text.
struct TokenFrame {
    /// `[CLS]` and the role's marker.
    before: Vec<u32>,
    /// `[SEP]`.
    after: Vec<u32>,
    /// Maximum total number of tokens.
    n_tokens: usize,
    /// The token that pads shorter texts.
    mask: Option<u32>,
    /// Ids whose vectors are dropped.
    skipped: HashSet<u32>,
}

/// One text's ids.
struct TokenIds {
    ids: Vec<u32>,
    /// Number of tokens attended to.
    n_seen: usize,
}

impl LateInteraction {
    /// Opens a checkpoint whose files were found and verified by [`Checkpoint::open`].
    ///
    /// Errors: an unsupported configuration, by name; no marker in the vocabulary; lengths beyond the model's positions.
    pub fn open(
        checkpoint: Checkpoint,
        options: LateInteractionOptions,
    ) -> Result<Self, EmbedError> {
        let LateInteractionOptions {
            query_tokens,
            passage_tokens,
            precision,
        } = options;
        let config = checkpoint.config()?;
        let mut recipe = TokenRecipe::read(&checkpoint, &config)?;
        recipe.query_tokens = query_tokens.unwrap_or(recipe.query_tokens);
        recipe.passage_tokens = passage_tokens.unwrap_or(recipe.passage_tokens);
        let positions = config.positions();
        for (role, n_tokens) in [
            ("query", recipe.query_tokens),
            ("passage", recipe.passage_tokens),
        ] {
            // [CLS], the marker, a word piece, [SEP].
            let fewest = 4;
            if !(fewest..=positions).contains(&n_tokens) {
                return Err(EmbedError::Tokens {
                    role,
                    n_tokens,
                    fewest,
                    positions,
                });
            }
        }
        let (width, kernel) = (recipe.width(&config), kernel(precision));
        let fingerprint = format!(
            "late interaction v{ENCODER_VERSION}.{VERSION} {} {} {kernel}",
            checkpoint.digests(),
            recipe.fingerprint()
        );
        let told = recipe.clone();
        let model = Model::with_head(
            checkpoint,
            config,
            positions,
            precision,
            move |tensors, config| told.projection(tensors, config),
        )?;
        let inner = TokenModel {
            model,
            recipe,
            width,
        };
        for role in [Role::Query, Role::Passage] {
            inner.frame(role)?;
        }
        Ok(Self {
            inner: Arc::new(inner),
            fingerprint,
        })
    }

    /// Returns the recipe with the overrides applied.
    pub fn recipe(&self) -> &TokenRecipe {
        &self.inner.recipe
    }
}

#[async_trait]
impl Encoder for LateInteraction {
    fn fingerprint(&self, _: Role) -> &str {
        &self.fingerprint
    }

    fn shape(&self) -> VectorShape {
        VectorShape {
            dimension: self.inner.width,
            many: true,
            similarity: Similarity::Cosine,
        }
    }

    fn read_bytes(&self, text: TitledText<'_>, role: Role) -> Result<Option<usize>, EmbedError> {
        let room = self.inner.frame(role)?.room();
        let read = self
            .inner
            .model
            .word_pieces()?
            .end_of(&text.joined(), room)?;
        Ok(Some(read.saturating_sub(text.prefix_bytes())))
    }

    async fn lengths(
        &self,
        texts: &[TitledText<'_>],
        role: Role,
    ) -> Result<Option<Vec<Length>>, EmbedError> {
        let texts: Vec<String> = texts
            .iter()
            .map(|text| text.joined().into_owned())
            .collect();
        let inner = Arc::clone(&self.inner);
        let work = off_runtime(&|_| (), move |_| {
            let (word_pieces, room) = (inner.model.word_pieces()?, inner.frame(role)?.room());
            let lengths = texts.par_iter().map(|text| {
                let n_tokens = word_pieces.bare_ids(text)?.len();
                let n_read = n_tokens.min(room);
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
        let texts: Vec<String> = texts
            .iter()
            .map(|text| text.joined().into_owned())
            .collect();
        let inner = Arc::clone(&self.inner);
        off_runtime(on_progress, move |on_done| {
            let (word_pieces, bert) = (inner.model.word_pieces()?, inner.model.bert()?);
            let (projection, frame) = (inner.model.head()?.as_ref(), inner.frame(role)?);
            let hidden = inner.model.config().hidden_size();
            in_windows(
                bert,
                Wanted::Every,
                &texts,
                |text| frame.ids(text, word_pieces, inner.recipe.masks_seen),
                TokenIds::sequence,
                |ids, states| {
                    let states = ids.ids.iter().zip(states.chunks_exact(hidden));
                    let kept: Vec<f32> = states
                        .filter(|(id, _)| !frame.skipped.contains(id))
                        .flat_map(|(_, state)| state)
                        .copied()
                        .collect();
                    let mut rows = match projection {
                        Some(projection) => projection.apply(&kept),
                        None => kept,
                    };
                    rows.chunks_exact_mut(inner.width).for_each(normalize);
                    rows
                },
                on_done,
            )
        })
        .await
    }
}

impl TokenModel {
    /// Returns the frame of a text in this role.
    fn frame(&self, role: Role) -> Result<TokenFrame, EmbedError> {
        let word_pieces = self.model.word_pieces()?;
        let (marker, n_tokens) = match role {
            Role::Query => (&self.recipe.query_marker, self.recipe.query_tokens),
            Role::Passage => (&self.recipe.passage_marker, self.recipe.passage_tokens),
        };
        // An empty text is [CLS] [SEP], under the tokenizer's names.
        let empty = word_pieces
            .ids(&EncoderInput::One("".into()))
            .map_err(CheckpointError::from)?
            .ids;
        let (cls, sep) = empty.split_at(1);
        let mut before = cls.to_vec();
        if !marker.is_empty() {
            before.push(self.id(marker)?);
        }
        let mut frame = TokenFrame {
            before,
            after: sep.to_vec(),
            n_tokens,
            mask: None,
            skipped: HashSet::new(),
        };
        match role {
            Role::Query if self.recipe.masks => {
                frame.mask = Some(self.id("[MASK]").or_else(|_| self.id("<mask>"))?);
            }
            Role::Query => {}
            Role::Passage => {
                for word in &self.recipe.skipped {
                    frame.skipped.extend(word_pieces.bare_ids(word)?.first());
                }
            }
        }
        Ok(frame)
    }

    fn id(&self, name: &str) -> Result<u32, EmbedError> {
        let id = self.model.word_pieces()?.id(name);
        id.ok_or_else(|| EmbedError::NoWordPiece {
            folder: self.model.checkpoint().folder.clone(),
            word_piece: name.to_owned(),
        })
    }
}

impl TokenFrame {
    /// Returns the number of word pieces that fit in addition to the frame.
    fn room(&self) -> usize {
        self.n_tokens
            .saturating_sub(self.before.len() + self.after.len())
    }

    fn ids(
        &self,
        text: &str,
        word_pieces: &WordPieces,
        masks_seen: bool,
    ) -> Result<TokenIds, EmbedError> {
        let bare = word_pieces.bare_ids(text)?;
        let read = &bare[..bare.len().min(self.room())];
        let mut ids = [&self.before, read, &self.after].concat();
        let mut n_seen = ids.len();
        if let Some(mask) = self.mask {
            ids.resize(self.n_tokens, mask);
            n_seen = if masks_seen { ids.len() } else { n_seen };
        }
        Ok(TokenIds { ids, n_seen })
    }
}

impl TokenIds {
    fn sequence(&self) -> Sequence<'_> {
        Sequence {
            ids: &self.ids,
            second: self.ids.len(),
            n_seen: self.n_seen,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use safetensors::SafeTensors;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Encoded {
        text: String,
        rows: Vec<Vec<f32>>,
    }

    #[derive(Deserialize)]
    struct Sides {
        queries: Vec<Encoded>,
        attending: Vec<Encoded>,
        documents: Vec<Encoded>,
    }

    #[derive(Deserialize)]
    struct Expected {
        colbert: Sides,
    }

    fn tiny(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../tests/data/tiny-models")
            .join(name)
    }

    fn expected() -> Sides {
        serde_json::from_slice::<Expected>(&std::fs::read(tiny("expected.json")).unwrap())
            .unwrap()
            .colbert
    }

    fn open(folder: &Path) -> Result<LateInteraction, EmbedError> {
        let checkpoint = Checkpoint::open(folder, None)?;
        LateInteraction::open(checkpoint, LateInteractionOptions::default())
    }

    async fn check(encoder: &LateInteraction, role: Role, cases: &[Encoded]) {
        let texts: Vec<TitledText<'_>> = cases
            .iter()
            .map(|case| TitledText::untitled(&case.text))
            .collect();
        let vectors = encoder.encode(&texts, role, &|_| ()).await.unwrap();
        for (case, vector) in cases.iter().zip(vectors) {
            let rows: Vec<&[f32]> = vector.chunks_exact(encoder.shape().dimension).collect();
            assert_eq!(rows.len(), case.rows.len(), "{:?}", case.text);
            for (row, expected) in rows.iter().zip(&case.rows) {
                for (got, expected) in row.iter().zip(expected) {
                    assert!(
                        (got - expected).abs() < 1e-5,
                        "{:?}: {got} is not {expected}",
                        case.text
                    );
                }
            }
        }
    }

    #[tokio::test]
    async fn token_vectors_are_those_of_transformers() {
        let encoder = open(&tiny("colbert")).unwrap();
        assert_eq!(
            encoder.shape(),
            VectorShape {
                dimension: 8,
                many: true,
                similarity: Similarity::Cosine
            }
        );
        let expected = expected();
        check(&encoder, Role::Query, &expected.queries).await;
        check(&encoder, Role::Passage, &expected.documents).await;
    }

    #[tokio::test]
    async fn masks_are_attended_to_where_the_checkpoint_says_so() {
        let folder = copy_of_tiny();
        let path = folder.path().join("artifact.metadata");
        let said = std::fs::read_to_string(&path).unwrap();
        let changed = said.replace(
            "\"attend_to_mask_tokens\": false",
            "\"attend_to_mask_tokens\": true",
        );
        assert_ne!(said, changed);
        std::fs::write(&path, changed).unwrap();
        check(
            &open(folder.path()).unwrap(),
            Role::Query,
            &expected().attending,
        )
        .await;
    }

    fn copy_of_tiny() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in [
            "config.json",
            "tokenizer.json",
            "model.safetensors",
            "artifact.metadata",
        ] {
            std::fs::copy(tiny("colbert").join(file), folder.path().join(file)).unwrap();
        }
        folder
    }

    /// The model as `PyLate` would save it: the projection is a separate module, the markers are word pieces.
    fn pylate(dense: &str) -> tempfile::TempDir {
        let folder = copy_of_tiny();
        let at = |name: &str| folder.path().join(name);
        std::fs::remove_file(at("artifact.metadata")).unwrap();
        std::fs::create_dir(at("1_Dense")).unwrap();
        let modules = r#"[{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
                          {"idx": 1, "name": "1", "path": "1_Dense", "type": "pylate.models.Dense.Dense"}]"#;
        std::fs::write(at("modules.json"), modules).unwrap();
        let settings = r#"{"query_prefix": "[unused0]", "document_prefix": "[unused1]", "query_length": 12,
                           "document_length": 24, "attend_to_expansion_tokens": false, "similarity_fn_name": "MaxSim"}"#;
        std::fs::write(at("config_sentence_transformers.json"), settings).unwrap();
        std::fs::write(at("1_Dense/config.json"), dense).unwrap();
        let bytes = std::fs::read(at("model.safetensors")).unwrap();
        let all = SafeTensors::deserialize(&bytes).unwrap();
        let one = safetensors::serialize(
            [("linear.weight", all.tensor("linear.weight").unwrap())],
            None,
        )
        .unwrap();
        std::fs::write(at("1_Dense/model.safetensors"), one).unwrap();
        folder
    }

    const DENSE: &str = r#"{"in_features": 12, "out_features": 8, "bias": false,
                            "activation_function": "torch.nn.modules.linear.Identity", "use_residual": false}"#;

    #[tokio::test]
    async fn a_folder_of_pylates_form_is_read_alike() {
        let folder = pylate(DENSE);
        let encoder = open(folder.path()).unwrap();
        let expected = expected();
        check(&encoder, Role::Query, &expected.queries).await;
        check(&encoder, Role::Passage, &expected.documents).await;
    }

    #[tokio::test]
    async fn a_projection_that_is_not_computed_is_refused_by_name() {
        for (from, to, expected) in [
            (
                "false,",
                "true,",
                "`bias` = `true`, which is not supported (supported: false)",
            ),
            (
                ".Identity",
                ".Tanh",
                "`activation_function` = `torch.nn.modules.linear.Tanh`, which is not supported",
            ),
        ] {
            let folder = pylate(&DENSE.replacen(from, to, 1));
            let error = open(folder.path()).err().unwrap().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[tokio::test]
    async fn a_model_without_markers_is_refused_by_their_name() {
        let folder = copy_of_tiny();
        let path = folder.path().join("artifact.metadata");
        let said = std::fs::read_to_string(&path)
            .unwrap()
            .replace("[unused1]", "[D]");
        // The setting `doc_token` also contains `[D]`; it is a display name.
        std::fs::write(&path, said).unwrap();
        let error = open(folder.path()).err().unwrap().to_string();
        let expected = format!(
            "`{}` has no word piece `[D]`, which a late-interaction model needs",
            folder.path().display()
        );
        assert_eq!(error, expected);
    }

    #[tokio::test]
    async fn lengths_and_offsets_leave_the_frame_out() {
        let encoder = open(&tiny("colbert")).unwrap();
        // 24 tokens minus [CLS], the marker and [SEP] leave 21 of 30; for a query 12 minus 3 leave
        // 9.
        let text = "tea ".repeat(30);
        let titled = TitledText {
            title: "",
            text: &text,
        };
        let passage = encoder
            .lengths(&[titled], Role::Passage)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            passage,
            [Length {
                n_tokens: 30,
                n_read: 21
            }]
        );
        let query = encoder
            .lengths(&[titled], Role::Query)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            query,
            [Length {
                n_tokens: 30,
                n_read: 9
            }]
        );
        assert_eq!(
            encoder.read_bytes(titled, Role::Passage).unwrap(),
            Some("tea ".len() * 21 - 1)
        );
        // The title takes two of them, its line feed none.
        let titled = TitledText {
            title: "old king",
            text: &text,
        };
        assert_eq!(
            encoder.read_bytes(titled, Role::Passage).unwrap(),
            Some("tea ".len() * 19 - 1)
        );
    }
}
