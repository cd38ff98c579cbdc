//! Rounding to bfloat16.

/// Returns the upper half of the nearest number of 8 significant bits, ties to even. Not for NaN, which does not occur
/// with finite weights.
#[inline]
pub(super) fn bfloat(x: f32) -> u16 {
    let bits = x.to_bits();
    (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

/// Returns that number as `f32`.
#[inline]
pub(super) fn rounded_to_bfloat(x: f32) -> f32 {
    f32::from_bits(u32::from(bfloat(x)) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_goes_to_the_nearest_and_ties_go_to_even() {
        // A unit in the last place of 1 is 2^-7 = 2 / 256: 1 + 1/256 lies halfway between 1 (even) and 1 + 2/256 (odd).
        let cases = [
            (1.0, 1.0),
            (1.0 + 1.0 / 256.0, 1.0),
            (1.0 + 1.001 / 256.0, 1.0 + 2.0 / 256.0),
            (1.0 + 3.0 / 256.0, 1.0 + 4.0 / 256.0),
            (-1.0 - 1.0 / 256.0, -1.0),
            (0.1, 0.100_097_656),
            (0.0, 0.0),
            (f32::INFINITY, f32::INFINITY),
        ];
        for (x, expected) in cases {
            assert_eq!(rounded_to_bfloat(x), expected, "{x}");
        }
    }
}
