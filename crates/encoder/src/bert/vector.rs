//! The element-wise functions of a transformer on whole vector registers: exponential, GELU, layer norm, softmax.
//!
//! Written over `pulp::Simd`, so that one source serves every vector width. Sums run in a fixed order that depends only
//! on the length of a row.

#![allow(
    clippy::inline_always,
    reason = "only what is inlined into a dispatched function is compiled for its vectors"
)]

use pulp::{Arch, Simd, WithSimd};

/// Lanes of a row's sum: those of the widest vector.
const SUM_LANES: usize = 16;

/// Returns the number of `f32` in a vector.
pub(super) fn lanes(arch: Arch) -> usize {
    struct Lanes;
    impl WithSimd for Lanes {
        type Output = usize;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _simd: S) -> usize {
            S::F32_LANES
        }
    }
    arch.dispatch(Lanes)
}

/// Computes `e^x` for `x <= 0`, to a relative 3e-7; `x` below -87 counts as -87, so that the result stays a normal
/// number. Range reduction to `|r| <= ln 2 / 2`, then the polynomial of the Cephes library's `expf`.
#[inline(always)]
pub(super) fn exp<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    // 1.5 * 2^23: adding it rounds to an integer, which is then in the low mantissa bits.
    const ROUND: f32 = 12_582_912.0;
    let x = simd.max_f32s(x, simd.splat_f32s(-87.0));
    let shifted =
        simd.mul_add_f32s(x, simd.splat_f32s(std::f32::consts::LOG2_E), simd.splat_f32s(ROUND));
    let n = simd.sub_f32s(shifted, simd.splat_f32s(ROUND));
    // ln 2 in two parts, the first with few enough bits for n times it to be exact.
    let r = simd.mul_add_f32s(n, simd.splat_f32s(-0.693_359_4), x);
    let r = simd.mul_add_f32s(n, simd.splat_f32s(2.121_944_4e-4), r);
    let mut p = simd.splat_f32s(1.987_569_1e-4);
    for c in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        p = simd.mul_add_f32s(p, r, simd.splat_f32s(c));
    }
    let p = simd.mul_add_f32s(simd.mul_f32s(r, r), p, simd.add_f32s(r, simd.splat_f32s(1.0)));
    let exponent =
        simd.wrapping_dyn_shl_u32s(simd.transmute_u32s_f32s(shifted), simd.splat_u32s(23));
    simd.transmute_f32s_u32s(simd.add_u32s(simd.transmute_u32s_f32s(p), exponent))
}

/// Computes `x / 2 * (1 + erf(x / sqrt 2))`, BERT's "gelu".
#[inline(always)]
pub(super) fn gelu<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let e = erf(simd, simd.mul_f32s(x, simd.splat_f32s(std::f32::consts::FRAC_1_SQRT_2)));
    let half = simd.mul_f32s(x, simd.splat_f32s(0.5));
    simd.mul_add_f32s(half, e, half)
}

/// Computes the error function to about 3e-7: an odd rational function on [-4, 4], 1 beyond to the last bit. The
/// coefficients are those of Eigen and XLA for `f32`.
#[inline(always)]
fn erf<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    const TOP: [f32; 7] = [
        -2.726_142_3e-10,
        2.770_681_4e-8,
        -2.101_024e-6,
        -5.692_506_4e-5,
        -7.349_906_3e-4,
        -2.954_6e-3,
        -1.609_603_3e-2,
    ];
    const BOTTOM: [f32; 5] =
        [-1.456_607_2e-5, -2.133_740_5e-4, -1.682_827e-3, -7.373_329_2e-3, -1.426_473_9e-2];
    let x = simd.min_f32s(simd.max_f32s(x, simd.splat_f32s(-4.0)), simd.splat_f32s(4.0));
    let square = simd.mul_f32s(x, x);
    let mut top = simd.splat_f32s(TOP[0]);
    for c in &TOP[1..] {
        top = simd.mul_add_f32s(top, square, simd.splat_f32s(*c));
    }
    let mut bottom = simd.splat_f32s(BOTTOM[0]);
    for c in &BOTTOM[1..] {
        bottom = simd.mul_add_f32s(bottom, square, simd.splat_f32s(*c));
    }
    simd.div_f32s(simd.mul_f32s(x, top), bottom)
}

/// Computes `out[i] = layer_norm(out[i] + residual[i])` over rows of `width`; run by `pulp::Arch::dispatch`.
///
/// Mean and biased variance per row in two passes, as `torch.nn.LayerNorm` defines them.
pub(super) struct AddNorm<'a> {
    pub(super) out: &'a mut [f32],
    /// Empty for none.
    pub(super) residual: &'a [f32],
    pub(super) gain: &'a [f32],
    pub(super) shift: &'a [f32],
    pub(super) epsilon: f32,
}

impl WithSimd for AddNorm<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = self.gain.len();
        for (i, row) in self.out.chunks_exact_mut(width).enumerate() {
            if !self.residual.is_empty() {
                let residual = &self.residual[i * width..][..width];
                row.iter_mut().zip(residual).for_each(|(x, r)| *x += r);
            }
            let mean = sum(simd, row, |x| x) / width as f32;
            let variance = sum(simd, row, |x| (x - mean) * (x - mean)) / width as f32;
            let scale = (variance + self.epsilon).sqrt().recip();
            for ((x, gain), shift) in row.iter_mut().zip(self.gain).zip(self.shift) {
                *x = (*x - mean) * scale * gain + shift;
            }
        }
    }
}

/// Replaces scores by `exp(score - largest)` and returns their sum, added in [`SUM_LANES`] lanes and then by halves
/// whatever the width of a vector. The length of `row` is a multiple of the vector width; its padding is minus infinity (or very small) and becomes 0.
#[inline(always)]
pub(super) fn exponentials<S: Simd>(simd: S, row: &mut [f32]) -> f32 {
    let (row, rest) = S::as_mut_simd_f32s(row);
    debug_assert!(rest.is_empty());
    let mut largest = simd.splat_f32s(f32::MIN);
    for x in row.iter() {
        largest = simd.max_f32s(largest, *x);
    }
    let largest = simd.splat_f32s(simd.reduce_max_f32s(largest));
    let mut totals = [simd.splat_f32s(0.0); SUM_LANES];
    for vectors in row.chunks_mut(SUM_LANES / S::F32_LANES) {
        for (x, total) in vectors.iter_mut().zip(&mut totals) {
            *x = exp(simd, simd.sub_f32s(*x, largest));
            *total = simd.add_f32s(*total, *x);
        }
    }
    let mut n_vectors = SUM_LANES / S::F32_LANES;
    while n_vectors > 1 {
        n_vectors /= 2;
        for i in 0..n_vectors {
            totals[i] = simd.add_f32s(totals[i], totals[i + n_vectors]);
        }
    }
    simd.reduce_sum_f32s(totals[0])
}

/// Multiplies a row.
#[inline(always)]
pub(super) fn scale<S: Simd>(simd: S, row: &mut [f32], factor: f32) {
    let factor = simd.splat_f32s(factor);
    let (row, tail) = S::as_mut_simd_f32s(row);
    for x in row {
        *x = simd.mul_f32s(*x, factor);
    }
    if !tail.is_empty() {
        let scaled = simd.mul_f32s(simd.partial_load_f32s(tail), factor);
        simd.partial_store_f32s(tail, scaled);
    }
}

/// Returns the sum of `map(x)` in sixteen interleaved lanes, which the compiler turns into vector additions.
#[inline(always)]
fn sum<S: Simd>(_simd: S, row: &[f32], map: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0_f32; 16];
    let (whole, tail) = row.as_chunks::<16>();
    for values in whole {
        for (lane, x) in lanes.iter_mut().zip(values) {
            *lane += map(*x);
        }
    }
    for (lane, x) in lanes.iter_mut().zip(tail) {
        *lane += map(*x);
    }
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Map<'a>(&'a mut [f32], bool);
    impl WithSimd for Map<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            for x in S::as_mut_simd_f32s(self.0).0 {
                *x = if self.1 { gelu(simd, *x) } else { exp(simd, *x) };
            }
        }
    }

    #[test]
    fn gelu_is_the_exact_one() {
        // 0.5 * x * (1 + math.erf(x / 2 ** 0.5)) in Python.
        let cases = [
            (-6.0, -5.919_526e-9),
            (-3.0, -0.004_049_694),
            (-1.0, -0.158_655_25),
            (-0.1, -0.046_017_216),
            (0.0, 0.0),
            (0.01, 0.005_039_894),
            (0.5, 0.345_731_23),
            (1.0, 0.841_344_8),
            (2.0, 1.954_499_7),
            (5.0, 4.999_998_6),
        ];
        let mut values: Vec<f32> = cases.iter().map(|c| c.0).chain([0.0; 6]).collect();
        Arch::new().dispatch(Map(&mut values, true));
        for ((x, expected), got) in cases.iter().zip(&values) {
            assert!((got - expected).abs() < 1e-6, "gelu({x}) = {got}, not {expected}");
        }
    }

    #[test]
    fn the_exponential_is_within_a_few_units_in_the_last_place() {
        let inputs: Vec<f32> = (0..1600).map(|i| -0.05 * i as f32).collect();
        let mut values = inputs.clone();
        Arch::new().dispatch(Map(&mut values, false));
        for (x, got) in inputs.iter().zip(&values) {
            let expected = f64::from(*x).exp();
            assert!(
                (f64::from(*got) / expected - 1.0).abs() < 3e-7,
                "exp({x}) = {got}, not {expected}"
            );
        }
    }

    #[test]
    fn layer_norm_of_one_two_three_is_plus_minus_root_three_halves() {
        // Mean 2, variance 2/3, (1 - 2) / sqrt(2/3) = -1.224745; then gain 2 and shift 1.
        let mut out = [1.0, 1.0, 1.0];
        let op = AddNorm {
            out: &mut out,
            residual: &[0.0, 1.0, 2.0],
            gain: &[2.0; 3],
            shift: &[1.0; 3],
            epsilon: 0.0,
        };
        Arch::new().dispatch(op);
        for (got, expected) in out.iter().zip([-1.449_49, 1.0, 3.449_49]) {
            assert!((got - expected).abs() < 1e-5);
        }
    }
}
