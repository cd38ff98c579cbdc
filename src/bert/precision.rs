//! How exact the numbers of the matrix products are.
//!
//! Only what is multiplied is rounded: sums run in `f32`, and so does everything else, norms, softmax and GELU.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How exact the numbers of the matrix products are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 24 significant bits, as the checkpoint's own.
    #[default]
    Float32,
    /// 8 significant bits in weights and activations, multiplied exactly and summed in `f32`: faster by far on processors
    /// with matrix tiles (Intel's AMX), no faster than `float32` on others.
    Bfloat16,
}

/// The nearest number of 8 significant bits, ties to even. Not for NaN, which no finite weights and texts give.
#[inline]
pub(super) fn rounded_to_bfloat(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(bits.wrapping_add(0x7fff + (bits >> 16 & 1)) & 0xffff_0000)
}
