//! The in-process encoder: a BERT checkpoint folder, loaded lazily, one vector per text.
//!
//! Encoding is CPU work: it runs on rayon's threads behind `spawn_blocking`, never on those of the async
//! runtime.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use super::work::{in_windows, measured, normalize, off_runtime};
use super::{Encoder, Length, OnProgress, Role, VectorShape};
use crate::Error;
use ragtriage_core::config::{DenseSettings, Pooling};
use ragtriage_core::types::TitledText;
use ragtriage_encoder::bert::{EncoderInput, Ids, Instructions, Kernel, VERSION, Wanted};
use ragtriage_encoder::checkpoint::Checkpoint;
use ragtriage_encoder::checkpoint::{Model, Recipe};

/// Part of the fingerprint: raised whenever a change here or in `bert/` changes a vector.
const ENCODER_VERSION: u32 = 2;

/// A BERT checkpoint as an [`Encoder`].
pub struct Local {
    inner: Arc<PooledModel>,
    query_fingerprint: String,
    passage_fingerprint: String,
}

struct PooledModel {
    model: Model,
    recipe: Recipe,
    /// Title and text are a pair, with every token of type 0, `[CLS] title [SEP] text [SEP]`, as DPR was trained; else lines.
    is_paired: bool,
}

impl Local {
    /// Opens a checkpoint whose files were found and verified by [`Checkpoint::open`].
    ///
    /// Reads only `config.json` and the sentence-transformers files, whose recipe `dense` overrides. `instructions`: those that the
    /// products may use, fewer than all for benches. Errors: an unsupported configuration, by name; a maximum length beyond the
    /// model's positions.
    pub fn open(
        checkpoint: Checkpoint,
        dense: &DenseSettings,
        instructions: Instructions,
    ) -> Result<Self, Error> {
        let config = checkpoint.config()?;
        let said = checkpoint.recipe(&config)?;
        let recipe = Recipe {
            pooling: dense.pooling.unwrap_or(said.pooling),
            normalize: said.normalize,
            max_tokens: dense.max_tokens.unwrap_or(said.max_tokens),
            similarity: dense.similarity.unwrap_or(said.similarity),
            query_prefix: dense.query_prefix.clone().unwrap_or(said.query_prefix),
            passage_prefix: dense.passage_prefix.clone().unwrap_or(said.passage_prefix),
        };
        let is_paired = config.is_dpr();
        let kernel = Kernel::new(dense.precision, instructions);
        let (digests, kernel_name) = (checkpoint.digests(), kernel.name());
        let model = Model::new(checkpoint, config, recipe.max_tokens, kernel, |_, _| Ok(()))?;
        // Similarity is not part of it: it changes no vector.
        let Recipe { pooling, normalize, max_tokens, similarity: _, query_prefix, passage_prefix } =
            &recipe;
        let shared = format!(
            "local v{ENCODER_VERSION}.{VERSION} {digests} pooling {} normalize {normalize} max_tokens {max_tokens} {kernel_name}",
            json!(pooling)
        );
        let query_fingerprint = format!("{shared} prefix {}", json!(query_prefix));
        let passage_fingerprint =
            format!("{shared} paired {is_paired} prefix {}", json!(passage_prefix));
        let inner = Arc::new(PooledModel { model, recipe, is_paired });
        Ok(Self { inner, query_fingerprint, passage_fingerprint })
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
        let (dimension, similarity) =
            (self.inner.model.config().hidden_size, self.inner.recipe.similarity);
        VectorShape { dimension, many: false, similarity }
    }

    fn read_bytes(&self, text: TitledText<'_>, role: Role) -> Result<Option<usize>, Error> {
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
    ) -> Result<Option<Vec<Length>>, Error> {
        let inputs = self.inner.inputs(texts, role);
        let inner = Arc::clone(&self.inner);
        measured(inputs, move |input| Ok(inner.model.word_pieces()?.length(input)?)).await
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
        let inputs = self.inner.inputs(texts, role);
        let inner = Arc::clone(&self.inner);
        off_runtime(on_progress, move |on_done| {
            let (word_pieces, bert) = (inner.model.word_pieces()?, inner.model.bert()?);
            let hidden = inner.model.config().hidden_size;
            let wanted =
                if inner.recipe.pooling == Pooling::Cls { Wanted::First } else { Wanted::Every };
            in_windows(
                bert,
                wanted,
                &inputs,
                |input| {
                    let mut ids = word_pieces.ids(input)?;
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
        if self.is_paired && !text.title.is_empty() {
            let title = format!("{prefix}{}", text.title);
            return EncoderInput::Two(title.into(), text.text.to_owned().into());
        }
        EncoderInput::One(format!("{prefix}{}", text.joined()).into())
    }
}

/// Pools a sequence's token vectors, or the first alone, to one vector.
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
        normalize(&mut vector);
    }
    vector
}

#[cfg(test)]
mod tests;
