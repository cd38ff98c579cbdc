//! Selection of the kernel that multiplies: a precision on the instructions of a processor.
//!
//! On tiles only the factors are rounded: sums run in `f32`, and so does everything else, norms, softmax and GELU.

use pulp::Arch;
use ragtriage_core::config::Precision;

use super::amx::Amx;

/// Instructions that a model may use, each set with those before it; less than all for benches and tests. Only x86-64
/// has the sets between the first and the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// No vectors.
    Scalar,
    /// AVX2 with fused multiply-add.
    Avx2,
    /// AVX-512, 32-bit numbers only.
    Avx512,
    /// All that the processor has.
    #[default]
    All,
}

impl Instructions {
    fn arch(self) -> Arch {
        match self {
            Self::Scalar => Arch::Scalar,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => pulp::x86::V3::try_new().map_or(Arch::Scalar, Arch::V3),
            _ => Arch::new(),
        }
    }
}

/// A way to multiply matrices.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Vectors of everything but the products on tiles.
    pub(super) arch: Arch,
    /// Multiplies bfloat16 on matrix tiles; `None`: `f32` on vectors.
    pub(super) amx: Option<Amx>,
}

impl Kernel {
    /// Selects the fastest kernel of this machine: for `bfloat16` without matrix tiles that of `float32`.
    pub fn new(precision: Precision, instructions: Instructions) -> Self {
        // Detecting the tiles takes a system call, so it is done only where they are wanted. Without tiles bfloat16 is no faster.
        let amx = match (precision, instructions) {
            (Precision::Bfloat16, Instructions::All) => Amx::of_this_machine(),
            _ => None,
        };
        Self { arch: instructions.arch(), amx }
    }

    /// Returns the name, for fingerprints: kernels of different names differ in the last bits. All vectors give the
    /// same bits; without vectors, sums of `float32` products are not fused.
    pub fn name(self) -> &'static str {
        match (self.amx, self.arch) {
            (Some(_), _) => "bfloat16 on tiles",
            (None, Arch::Scalar) => "float32, scalar",
            (None, _) => "float32",
        }
    }
}

#[cfg(test)]
impl Kernel {
    /// Returns every kernel of this machine, narrow ones included.
    pub(super) fn every() -> impl Iterator<Item = Self> {
        use Instructions::{All, Avx2, Avx512, Scalar};
        [Precision::Float32, Precision::Bfloat16].into_iter().flat_map(|precision| {
            [Scalar, Avx2, Avx512, All].map(|only| Self::new(precision, only))
        })
    }
}
