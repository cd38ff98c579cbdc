//! Named tensors of a safetensors file as `f32`, checked against the expected shapes.
//!
//! Half-precision tensors are widened. Left out: number types other than little-endian floats, and weights split over
//! several files.

use std::path::Path;

use safetensors::{Dtype, SafeTensors};

use crate::{Error, error};

/// The tensors of one file.
pub struct Tensors<'a> {
    tensors: SafeTensors<'a>,
    path: &'a Path,
}

impl<'a> Tensors<'a> {
    /// Reads the header of the safetensors file whose bytes these are; `path` is named in errors only.
    pub fn read(bytes: &'a [u8], path: &'a Path) -> Result<Self, Error> {
        let tensors =
            SafeTensors::deserialize(bytes).map_err(|error| error::malformed(path, error))?;
        Ok(Self { tensors, path })
    }

    /// Returns true if the file has a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.tensors.tensor(name).is_ok()
    }

    /// Returns a tensor's shape. Errors: missing tensor.
    pub fn shape(&self, name: &str) -> Result<Vec<usize>, Error> {
        let view =
            self.tensors.tensor(name).map_err(|_| self.malformed(format!("no tensor `{name}`")))?;
        Ok(view.shape().to_vec())
    }

    /// Returns a tensor's numbers, the last dimension innermost. Errors: missing tensor, another shape, or numbers that
    /// are not floats or not finite.
    pub fn values(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        let view =
            self.tensors.tensor(name).map_err(|_| self.malformed(format!("no tensor `{name}`")))?;
        if view.shape() != shape {
            return Err(self.malformed(format!(
                "tensor `{name}` has shape {:?}, expected {shape:?}",
                view.shape()
            )));
        }
        let data = view.data();
        let values: Vec<f32> = match view.dtype() {
            Dtype::F32 => data.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect(),
            Dtype::BF16 => data
                .as_chunks::<2>()
                .0
                .iter()
                .map(|b| from_bfloat(u16::from_le_bytes(*b)))
                .collect(),
            Dtype::F16 => {
                data.as_chunks::<2>().0.iter().map(|b| from_half(u16::from_le_bytes(*b))).collect()
            }
            other => {
                return Err(self.malformed(format!(
                    "tensor `{name}` holds {other:?}, expected F32, F16 or BF16"
                )));
            }
        };
        match values.iter().find(|value| !value.is_finite()) {
            Some(value) => Err(self.malformed(format!("tensor `{name}` holds {value}"))),
            None => Ok(values),
        }
    }

    /// Creates the error that this file is not usable, for the reason `what`.
    pub(super) fn malformed(&self, what: String) -> Error {
        error::malformed(self.path, what)
    }
}

fn from_bfloat(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Converts IEEE 754 binary16 by shifting its fields into place and rescaling: exact for every finite value.
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
    use safetensors::tensor::TensorView;

    use super::*;

    #[test]
    fn a_number_that_is_not_finite_is_refused_by_the_name_of_its_tensor() {
        let numbers = [
            (Dtype::F32, [0.0_f32.to_le_bytes(), f32::NAN.to_le_bytes()].concat(), "NaN"),
            (Dtype::F16, 0xfc00_u16.to_le_bytes().repeat(2), "-inf"),
            (Dtype::BF16, 0x7f80_u16.to_le_bytes().repeat(2), "inf"),
        ];
        for (dtype, data, shown) in numbers {
            let view = TensorView::new(dtype, vec![2], &data).expect("a tensor");
            let bytes = safetensors::serialize([("w", view)], None).expect("a file");
            let tensors = Tensors::read(&bytes, Path::new("m.safetensors")).expect("read");
            let error = tensors.values("w", &[2]).expect_err("refused").to_string();
            let expected = format!("`m.safetensors` cannot be used: tensor `w` holds {shown}");
            assert_eq!(error, expected);
        }
    }

    #[test]
    fn half_precision_numbers_are_widened_exactly() {
        // Sign, five exponent bits, ten mantissa bits: 1, -2, largest 65504, smallest normal 2^-14, smallest 2^-24.
        let cases = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0400, 6.103_515_6e-5),
            (0x0001, 5.960_464_5e-8),
        ];
        for (bits, expected) in cases {
            assert_eq!(from_half(bits).to_bits(), f32::to_bits(expected));
        }
        assert_eq!(from_half(0xfc00).to_bits(), f32::NEG_INFINITY.to_bits());
        assert_eq!(from_bfloat(0xbfc0).to_bits(), f32::to_bits(-1.5));
    }
}
