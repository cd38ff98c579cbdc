//! Late interaction: one vector per token, compared by `MaxSim` (ColBERT: Khattab and Zaharia 2020; v2: Santhanam et al. 2022).
//!
//! Follows colbert-ai. A query is `[CLS] marker tokens [SEP]`, padded to a fixed length with `[MASK]`s that attend to the query
//! and are not attended to; all its token vectors are retained. A passage is `[CLS] marker tokens [SEP]`; the vectors of
//! punctuation are dropped after the forward pass. Each vector is projected, if the checkpoint has a projection, and scaled to
//! unit length. A text's vectors are concatenated ([`VectorShape::many`]).

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;

use super::work::{in_windows, measured, normalize, off_runtime};
use super::{Encoder, Length, OnProgress, Role, VectorShape};
use crate::Error;
use ragtriage_core::config::Precision;
use ragtriage_core::types::{Similarity, TitledText};
use ragtriage_encoder::bert::{
    Dense, EncoderInput, Instructions, Kernel, Sequence, VERSION, Wanted, WordPieces,
};
use ragtriage_encoder::checkpoint::Checkpoint;
use ragtriage_encoder::checkpoint::{Model, TokenRecipe};

/// Part of the fingerprint: raised whenever a change here or in `bert/` changes a vector.
const ENCODER_VERSION: u32 = 1;

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
    pub fn open(checkpoint: Checkpoint) -> Result<Self, Error> {
        let config = checkpoint.config()?;
        let recipe = TokenRecipe::read(&checkpoint, &config)?;
        let positions = config.positions();
        for (role, n_tokens) in [("query", recipe.query_tokens), ("passage", recipe.passage_tokens)]
        {
            // [CLS], the marker, a word piece, [SEP].
            let fewest = 4;
            if !(fewest..=positions).contains(&n_tokens) {
                return Err(Error::new(format!(
                    "a limit of {n_tokens} tokens for a {role} is outside {fewest} to {positions}"
                )));
            }
        }
        let kernel = Kernel::new(Precision::Float32, Instructions::All);
        let width = recipe.width(&config);
        let recipe_key = format!("{recipe:?}");
        let fingerprint = format!(
            "late interaction v{ENCODER_VERSION}.{VERSION} {} {} {}",
            checkpoint.digests(),
            recipe_key,
            kernel.name()
        );
        let told = recipe.clone();
        let model = Model::new(checkpoint, config, positions, kernel, move |tensors, config| {
            told.projection(tensors, config)
        })?;
        let inner = TokenModel { model, recipe, width };
        for role in [Role::Query, Role::Passage] {
            inner.frame(role)?;
        }
        Ok(Self { inner: Arc::new(inner), fingerprint })
    }
}

#[async_trait]
impl Encoder for LateInteraction {
    fn fingerprint(&self, _: Role) -> &str {
        &self.fingerprint
    }

    fn shape(&self) -> VectorShape {
        VectorShape { dimension: self.inner.width, many: true, similarity: Similarity::Cosine }
    }

    fn read_bytes(&self, text: TitledText<'_>, role: Role) -> Result<Option<usize>, Error> {
        let room = self.inner.frame(role)?.room();
        let read = self.inner.model.word_pieces()?.end_of(&text.joined(), room)?;
        Ok(Some(read.saturating_sub(text.prefix_bytes())))
    }

    async fn lengths(
        &self,
        texts: &[TitledText<'_>],
        role: Role,
    ) -> Result<Option<Vec<Length>>, Error> {
        let texts: Vec<String> = texts.iter().map(|text| text.joined().into_owned()).collect();
        let inner = Arc::clone(&self.inner);
        measured(texts, move |text| {
            let n_tokens = inner.model.word_pieces()?.bare_ids(text)?.len();
            Ok((n_tokens, n_tokens.min(inner.frame(role)?.room())))
        })
        .await
    }

    async fn encode(
        &self,
        texts: &[TitledText<'_>],
        role: Role,
        on_progress: OnProgress<'_>,
    ) -> Result<Vec<Vec<f32>>, Error> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let texts: Vec<String> = texts.iter().map(|text| text.joined().into_owned()).collect();
        let inner = Arc::clone(&self.inner);
        off_runtime(on_progress, move |on_done| {
            let (word_pieces, bert) = (inner.model.word_pieces()?, inner.model.bert()?);
            let (projection, frame) = (inner.model.head()?.as_ref(), inner.frame(role)?);
            let hidden = inner.model.config().hidden_size;
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
    fn frame(&self, role: Role) -> Result<TokenFrame, Error> {
        let word_pieces = self.model.word_pieces()?;
        let (marker, n_tokens) = match role {
            Role::Query => (&self.recipe.query_marker, self.recipe.query_tokens),
            Role::Passage => (&self.recipe.passage_marker, self.recipe.passage_tokens),
        };
        // An empty text is [CLS] [SEP], under the tokenizer's names.
        let empty = word_pieces.ids(&EncoderInput::One("".into()))?.ids;
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
            Role::Query => {
                frame.mask = Some(self.id("[MASK]").or_else(|_| self.id("<mask>"))?);
            }
            Role::Passage => {
                for word in &self.recipe.skipped {
                    frame.skipped.extend(word_pieces.bare_ids(word)?.first());
                }
            }
        }
        Ok(frame)
    }

    fn id(&self, name: &str) -> Result<u32, Error> {
        let id = self.model.word_pieces()?.id(name);
        id.ok_or_else(|| {
            let folder = self.model.checkpoint().folder.display();
            let needs = "which a late-interaction model needs";
            Error::new(format!("`{folder}` has no word piece `{name}`, {needs}"))
                .hinting("name a ColBERT checkpoint, made by colbert-ai")
        })
    }
}

impl TokenFrame {
    /// Returns the number of word pieces that fit in addition to the frame.
    fn room(&self) -> usize {
        self.n_tokens.saturating_sub(self.before.len() + self.after.len())
    }

    fn ids(
        &self,
        text: &str,
        word_pieces: &WordPieces,
        masks_seen: bool,
    ) -> Result<TokenIds, Error> {
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
        Sequence { ids: &self.ids, second: self.ids.len(), n_seen: self.n_seen }
    }
}

#[cfg(test)]
mod tests;
