//! The standard normal distribution: distribution function and quantiles.
//!
//! Abramowitz and Stegun 1964, 26.2.11 (series of positive terms, near the middle) and 26.2.14 (continued fraction,
//! tails); equal to scipy's `norm` to 1e-13 relative.

use std::f64::consts::PI;

use super::root::root;

/// Start of the continued fraction: beyond it the series' 0.5 - ... would lose digits of the small tail.
const TAIL: f64 = 2.0;
/// Bound of all quantiles: beyond it the tail underflows `f64`.
const FARTHEST: f64 = 40.0;

/// Returns the density at `x`.
#[must_use]
pub fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// Returns the probability of a value of at most `x`.
#[must_use]
pub fn cdf(x: f64) -> f64 {
    if x > 0.0 { 1.0 - tail(x) } else { tail(-x) }
}

/// Returns the value that is not exceeded with probability `p`; for `p` of 0 and 1 it is -40 or 40, the last value
/// whose tail does not underflow.
#[must_use]
pub fn quantile(p: f64) -> f64 {
    // Tails are precise in the lower half.
    if p > 0.5 { -quantile(1.0 - p) } else { root(-FARTHEST, 0.0, |x| cdf(x) - p) }
}

/// Returns the probability of a value above `x` >= 0.
fn tail(x: f64) -> f64 {
    if x > TAIL {
        // 100 levels are needed at `TAIL`, where it converges slowest; far out a few suffice.
        let levels = (20.0 + 320.0 / (x * x)) as u32;
        let fraction = (1..=levels).rev().fold(x, |below, level| x + f64::from(level) / below);
        return density(x) / fraction;
    }
    // x + x^3/3 + x^5/(3 * 5) + ...
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term > sum * f64::EPSILON / 4.0 {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 - density(x) * sum
}

#[cfg(test)]
mod tests {
    use super::super::expected::{assert_close, expected};
    use super::*;

    #[test]
    fn probabilities_and_quantiles_are_scipys() {
        for (x, p) in expected::<Vec<(f64, f64)>>("normal") {
            assert_close(cdf(x), p, 1e-13);
        }
        for (p, x) in expected::<Vec<(f64, f64)>>("normal_quantile") {
            assert_close(quantile(p), x, 1e-13);
        }
    }

    #[test]
    fn the_middle_is_zero_and_certainty_has_the_farthest_quantile() {
        assert!(quantile(0.5).abs() < 1e-15);
        assert_eq!((quantile(0.0), quantile(1.0)), (-FARTHEST, FARTHEST));
    }
}
