//! A checkpoint's transformer, read from its tensors and packed for the matrix products.
//!
//! Names are those of transformers' models of the family, with or without the prefix that a surrounding model adds.
//! Heads (classifiers, projections) are read by their users; see [`super::Dense`] and [`super::Classifier`].

use std::sync::LazyLock;

use serde::Deserialize;

use super::config::{Architecture, BertConfig};
use super::kernel::Kernel;
use super::linear::Dense;
use super::tensors::Tensors;
use crate::Error;

/// A layer norm's parameters.
pub(super) struct Norm {
    pub(super) gain: Vec<f32>,
    pub(super) shift: Vec<f32>,
}

/// One transformer layer.
pub(super) struct Layer {
    /// Queries (scaled by `1 / sqrt(head width)`), keys and values in one product.
    pub(super) qkv: Dense,
    pub(super) attention_out: Dense,
    pub(super) attention_norm: Norm,
    pub(super) widen: Dense,
    pub(super) narrow: Dense,
    pub(super) norm: Norm,
}

/// All parameters of the encoder.
pub struct Weights {
    /// Word embeddings, one row per vocabulary entry.
    pub(super) words: Vec<f32>,
    /// Position embeddings from the first token's on, each with the embedding of a token type added, for types 0 and 1
    /// (type 0 again if there is only one, nothing if there are none).
    pub(super) positions: [Vec<f32>; 2],
    pub(super) norm: Norm,
    pub(super) layers: Vec<Layer>,
    /// The kernel that the weights are packed for.
    pub(super) kernel: Kernel,
}

/// Names of a layer's parts.
#[derive(Deserialize)]
struct Names {
    layer: &'static str,
    query_key_value: [&'static str; 3],
    attention_out: &'static str,
    attention_norm: &'static str,
    widen: &'static str,
    narrow: &'static str,
    norm: &'static str,
}

/// Those of BERT and of `DistilBERT`.
static NAMES: LazyLock<[Names; 2]> =
    LazyLock::new(|| serde_json::from_str(include_str!("names.json")).expect("a list of names"));

impl Architecture {
    fn names(self) -> &'static Names {
        match self {
            Self::Bert | Self::Dpr | Self::Roberta => &NAMES[0],
            Self::DistilBert => &NAMES[1],
        }
    }

    /// Returns the prefixes that may precede every name of the transformer, in the order tried.
    fn prefixes(self) -> &'static [&'static str] {
        match self {
            Self::Bert => &["", "bert."],
            Self::Dpr => {
                &["question_encoder.bert_model.", "ctx_encoder.bert_model.", "bert_model."]
            }
            Self::Roberta => &["", "roberta."],
            Self::DistilBert => &["", "distilbert."],
        }
    }
}

impl Weights {
    /// Reads the parameters from a file's tensors and packs them for a kernel.
    pub fn read(tensors: &Tensors<'_>, config: &BertConfig, kernel: Kernel) -> Result<Self, Error> {
        let prefixes = config.family.prefixes();
        let word_table = "embeddings.word_embeddings.weight";
        let prefix = prefixes.iter().find(|prefix| tensors.has(&format!("{prefix}{word_table}")));
        let file = OpenWeights {
            tensors,
            prefix: prefix.unwrap_or(&prefixes[0]),
            names: config.family.names(),
            kernel,
        };
        let width = config.hidden_size;
        let words = file.tensor(word_table, &[config.vocab_size, width])?;
        let positions = file.tensor(
            "embeddings.position_embeddings.weight",
            &[config.max_position_embeddings, width],
        )?;
        let positions = &positions[config.first_position() * width..];
        let types = match config.n_token_types() {
            0 => vec![0.0; width],
            n => file.tensor("embeddings.token_type_embeddings.weight", &[n, width])?,
        };
        let with_type = |kind: usize| -> Vec<f32> {
            let kind = &types[kind.min(types.len() / width - 1) * width..][..width];
            positions
                .chunks_exact(width)
                .flat_map(|row| row.iter().zip(kind).map(|(x, t)| x + t))
                .collect()
        };
        Ok(Self {
            words,
            positions: [with_type(0), with_type(1)],
            norm: file.norm("embeddings.LayerNorm", width)?,
            layers: (0..config.num_hidden_layers)
                .map(|i| file.layer(i, config))
                .collect::<Result<_, _>>()?,
            kernel,
        })
    }
}

/// The open file.
struct OpenWeights<'a> {
    tensors: &'a Tensors<'a>,
    prefix: &'static str,
    names: &'static Names,
    kernel: Kernel,
}

impl OpenWeights<'_> {
    fn layer(&self, index: usize, config: &BertConfig) -> Result<Layer, Error> {
        let (hidden, inner, names) = (config.hidden_size, config.intermediate_size, self.names);
        let name = |part: &str| format!("{}.{index}.{part}", names.layer);
        let scale = (config.head_width() as f32).sqrt().recip();
        let (mut matrix, mut bias) = (Vec::new(), Vec::new());
        for (part, scale) in names.query_key_value.iter().zip([scale, 1.0, 1.0]) {
            let name = name(part);
            let weights = self.tensor(&format!("{name}.weight"), &[hidden, hidden])?;
            matrix.extend(weights.iter().map(|x| x * scale));
            bias.extend(self.tensor(&format!("{name}.bias"), &[hidden])?.iter().map(|x| x * scale));
        }
        Ok(Layer {
            qkv: Dense::new(&matrix, bias, hidden, self.kernel),
            attention_out: self.linear(&name(names.attention_out), hidden, hidden)?,
            attention_norm: self.norm(&name(names.attention_norm), hidden)?,
            widen: self.linear(&name(names.widen), hidden, inner)?,
            narrow: self.linear(&name(names.narrow), inner, hidden)?,
            norm: self.norm(&name(names.norm), hidden)?,
        })
    }

    fn linear(&self, name: &str, from: usize, to: usize) -> Result<Dense, Error> {
        Dense::read(self.tensors, &format!("{}{name}", self.prefix), from, to, self.kernel)
    }

    /// Checkpoints converted from TensorFlow call gain and shift gamma and beta.
    fn norm(&self, name: &str, width: usize) -> Result<Norm, Error> {
        let old = self.tensors.has(&format!("{}{name}.gamma", self.prefix));
        let (gain, shift) = if old { ("gamma", "beta") } else { ("weight", "bias") };
        let gain = self.tensor(&format!("{name}.{gain}"), &[width])?;
        Ok(Norm { gain, shift: self.tensor(&format!("{name}.{shift}"), &[width])? })
    }

    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        self.tensors.values(&format!("{}{name}", self.prefix), shape)
    }
}
