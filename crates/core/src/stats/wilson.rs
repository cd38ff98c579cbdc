//! Wilson's score interval for a share (Wilson 1927; recommended for small n by Brown, Cai and `DasGupta` 2001).

use crate::types::Interval;

/// The 97.5% quantile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Returns the 95% interval of `successes` out of `n`. `None` for n = 0, where the share is undefined.
#[must_use]
pub fn wilson(successes: usize, n: usize) -> Option<Interval> {
    (n > 0).then(|| of_share(successes as f64 / n as f64, n as f64))
}

/// Returns the 95% interval of a share `p` of `n` > 0 questions; `n` may be an effective number.
#[must_use]
pub fn of_share(p: f64, n: f64) -> Interval {
    let z2 = Z * Z;
    let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    // At a share of 0 or 1 middle and half are equal but for rounding.
    Interval {
        low: if p > 0.0 { (middle - half).max(0.0) } else { 0.0 },
        high: if p < 1.0 { (middle + half).min(1.0) } else { 1.0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        // Newcombe 1998, table I, method 3 (score, without continuity correction).
        for (r, n, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let interval = wilson(r, n).expect("n > 0");
            assert!(
                (interval.low - low).abs() < 5e-5 && (interval.high - high).abs() < 5e-5,
                "{r}/{n}: {interval:?}"
            );
        }
    }

    #[test]
    fn bounds_at_the_ends_are_exact() {
        for n in 1..400 {
            assert_eq!(wilson(0, n).expect("n > 0").low, 0.0);
            assert_eq!(wilson(n, n).expect("n > 0").high, 1.0);
        }
    }

    #[test]
    fn nothing_out_of_nothing_has_no_interval() {
        assert!(wilson(0, 0).is_none());
    }
}
