//! A BERT checkpoint's tensors, read from safetensors and packed for the matrix products.
//!
//! Names are those of transformers' `BertModel`, with or without the `bert.` prefix. Half-precision tensors are
//! widened to `f32`. The pooler is not read: sentence vectors come from the hidden states.

use std::path::Path;

use safetensors::{Dtype, SafeTensors};

use super::BertError;
use super::Precision;
use super::config::BertConfig;
use super::matmul::Packed;

/// A linear layer: packed weights and bias.
pub(super) struct Linear {
    pub(super) weights: Packed,
    pub(super) bias: Vec<f32>,
}

/// A layer norm's parameters.
pub(super) struct Norm {
    pub(super) gain: Vec<f32>,
    pub(super) shift: Vec<f32>,
}

/// One transformer layer.
pub(super) struct Layer {
    /// Queries (scaled by `1 / sqrt(head width)`), keys and values in one product.
    pub(super) qkv: Linear,
    pub(super) attention_out: Linear,
    pub(super) attention_norm: Norm,
    pub(super) widen: Linear,
    pub(super) narrow: Linear,
    pub(super) norm: Norm,
}

/// All parameters of the encoder.
pub struct Weights {
    /// Word embeddings, a row a vocabulary entry.
    pub(super) words: Vec<f32>,
    /// Position embeddings, each with the embedding of a token type added, for types 0 and 1 (0 again where there is one).
    pub(super) positions: [Vec<f32>; 2],
    pub(super) norm: Norm,
    pub(super) layers: Vec<Layer>,
    /// Of what is packed here, and to be of what is multiplied with it.
    pub(super) precision: Precision,
}

impl Weights {
    /// Reads them from the bytes of the safetensors file at `path` (named in errors only) and packs them for products of
    /// this precision.
    pub fn read(bytes: &[u8], path: &Path, config: &BertConfig, precision: Precision) -> Result<Self, BertError> {
        let tensors = SafeTensors::deserialize(bytes)
            .map_err(|error| BertError::Malformed { path: path.to_owned(), what: error.to_string() })?;
        let prefix = if tensors.tensor("bert.embeddings.LayerNorm.weight").is_ok() { "bert." } else { "" };
        let file = Checkpoint { tensors, path, prefix, precision };
        let hidden = config.hidden_size;
        let positions =
            file.tensor("embeddings.position_embeddings.weight", &[config.max_position_embeddings, hidden])?;
        let types = file.tensor("embeddings.token_type_embeddings.weight", &[config.type_vocab_size, hidden])?;
        let with_type = |kind: usize| {
            let mut rows = positions.clone();
            let kind = &types[kind.min(config.type_vocab_size - 1) * hidden..][..hidden];
            rows.chunks_exact_mut(hidden).for_each(|row| row.iter_mut().zip(kind).for_each(|(x, t)| *x += t));
            rows
        };
        Ok(Self {
            words: file.tensor("embeddings.word_embeddings.weight", &[config.vocab_size, hidden])?,
            positions: [with_type(0), with_type(1)],
            norm: file.norm("embeddings.LayerNorm", hidden)?,
            layers: (0..config.num_hidden_layers).map(|i| file.layer(i, config)).collect::<Result<_, _>>()?,
            precision,
        })
    }
}

/// The open file.
struct Checkpoint<'a> {
    tensors: SafeTensors<'a>,
    path: &'a Path,
    prefix: &'static str,
    precision: Precision,
}

impl Checkpoint<'_> {
    fn layer(&self, index: usize, config: &BertConfig) -> Result<Layer, BertError> {
        let (hidden, inner) = (config.hidden_size, config.intermediate_size);
        let name = |part: &str| format!("encoder.layer.{index}.{part}");
        let scale = (config.head_width() as f32).sqrt().recip();
        let (mut matrix, mut bias) = (Vec::new(), Vec::new());
        for part in ["query", "key", "value"] {
            let scale = if part == "query" { scale } else { 1.0 };
            let name = name(&format!("attention.self.{part}"));
            let weights = self.tensor(&format!("{name}.weight"), &[hidden, hidden])?;
            matrix.extend(weights.iter().map(|x| x * scale));
            bias.extend(self.tensor(&format!("{name}.bias"), &[hidden])?.iter().map(|x| x * scale));
        }
        Ok(Layer {
            qkv: Linear { weights: Packed::transposed(matrix.chunks_exact(hidden), hidden, self.precision), bias },
            attention_out: self.linear(&name("attention.output.dense"), hidden, hidden)?,
            attention_norm: self.norm(&name("attention.output.LayerNorm"), hidden)?,
            widen: self.linear(&name("intermediate.dense"), hidden, inner)?,
            narrow: self.linear(&name("output.dense"), inner, hidden)?,
            norm: self.norm(&name("output.LayerNorm"), hidden)?,
        })
    }

    fn linear(&self, name: &str, from: usize, to: usize) -> Result<Linear, BertError> {
        let matrix = self.tensor(&format!("{name}.weight"), &[to, from])?;
        let bias = self.tensor(&format!("{name}.bias"), &[to])?;
        Ok(Linear { weights: Packed::transposed(matrix.chunks_exact(from), from, self.precision), bias })
    }

    fn norm(&self, name: &str, width: usize) -> Result<Norm, BertError> {
        let gain = self.tensor(&format!("{name}.weight"), &[width])?;
        Ok(Norm { gain, shift: self.tensor(&format!("{name}.bias"), &[width])? })
    }

    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, BertError> {
        let malformed = |what: String| BertError::Malformed { path: self.path.to_owned(), what };
        let full = format!("{}{name}", self.prefix);
        let view = self.tensors.tensor(&full).map_err(|_| malformed(format!("no tensor `{full}`")))?;
        if view.shape() != shape {
            return Err(malformed(format!("tensor `{full}` has shape {:?}, expected {shape:?}", view.shape())));
        }
        let data = view.data();
        match view.dtype() {
            Dtype::F32 => Ok(data.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()),
            Dtype::BF16 => Ok(data.as_chunks::<2>().0.iter().map(|b| from_bfloat(u16::from_le_bytes(*b))).collect()),
            Dtype::F16 => Ok(data.as_chunks::<2>().0.iter().map(|b| from_half(u16::from_le_bytes(*b))).collect()),
            other => Err(malformed(format!("tensor `{full}` holds {other:?}, expected F32, F16 or BF16"))),
        }
    }
}

fn from_bfloat(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// IEEE 754 binary16, by shifting its fields into place and rescaling: exact for every finite value.
fn from_half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let rest = u32::from(bits & 0x7fff) << 13;
    if bits & 0x7c00 == 0x7c00 {
        return f32::from_bits(sign | 0x7f80_0000 | rest);
    }
    // Exponent biases 127 and 15 differ by 112.
    let magnitude = f32::from_bits(rest) * 2.0_f32.powi(112);
    f32::from_bits(sign | magnitude.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_numbers_are_widened_exactly() {
        // Sign, five exponent bits, ten mantissa bits: 1, -2, largest 65504, smallest normal 2^-14, smallest 2^-24.
        let cases =
            [(0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x0400, 6.103_515_6e-5), (0x0001, 5.960_464_5e-8)];
        for (bits, expected) in cases {
            assert_eq!(from_half(bits).to_bits(), f32::to_bits(expected));
        }
        assert_eq!(from_half(0xfc00).to_bits(), f32::NEG_INFINITY.to_bits());
        assert_eq!(from_bfloat(0xbfc0).to_bits(), f32::to_bits(-1.5));
    }
}
