//! The median with its interval.
//!
//! The interval is that of order statistics (David and Nagaraja 2003, section 7.1): from the j-th smallest to the j-th
//! largest value, j the largest for which P(Binomial(n, 1/2) < j) <= 0.025. It assumes nothing of the distribution but
//! independent values, needs no resampling, and covers at least 95 %. Values may be infinite.

use crate::types::Interval;

/// The middle value, or the mean of the two middle ones. `None` for no values.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let (low, high) = (*sorted.get(sorted.len().saturating_sub(1) / 2)?, *sorted.get(sorted.len() / 2)?);
    Some(if low == high { low } else { f64::midpoint(low, high) })
}

/// The median's 95 % interval; `None` for fewer than six values, which no two order statistics cover so surely.
#[must_use]
pub fn median_interval(values: &[f64]) -> Option<Interval> {
    let sorted = sorted(values);
    let j = rank_of_bound(sorted.len());
    (j > 0).then(|| Interval { low: sorted[j - 1], high: sorted[sorted.len() - j] })
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The largest j with P(Binomial(n, 1/2) < j) <= 0.025; 0 when there is none. Terms are summed as exp(ln C(n, i) - n ln 2),
/// so that no n is too large.
fn rank_of_bound(n: usize) -> usize {
    let mut ln_term = -(n as f64) * std::f64::consts::LN_2;
    let mut below = 0.0;
    for j in 0..=n / 2 {
        below += ln_term.exp();
        if below > 0.025 {
            return j;
        }
        ln_term += ((n - j) as f64).ln() - ((j + 1) as f64).ln();
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_and_infinite_where_the_middle_is() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[1.0, f64::INFINITY, f64::INFINITY]), Some(f64::INFINITY));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn its_interval_is_from_the_tables_of_the_sign_test() {
        // P(Bin(6, 1/2) < 1) = 1/64 = .0156 <= .025 < P(< 2) = 7/64: j = 1. For 5 already P(< 1) = 1/32 = .031.
        // Bin(10): P(< 2) = 11/1024 = .0107, P(< 3) = 56/1024 = .0547: j = 2.
        // Bin(20): P(< 6) = 21700/2^20 = .0207, P(< 7) = 60460/2^20 = .0577: j = 6.
        assert_eq!([5, 6, 10, 20].map(rank_of_bound), [0, 1, 2, 6]);
        let values: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert_eq!(median_interval(&values), Some(Interval { low: 6.0, high: 15.0 }));
        assert_eq!(median_interval(&values[..5]), None);
    }

    #[test]
    fn a_large_n_comes_near_the_normal_interval() {
        // n/2 - 1.96 sqrt(n)/2 = 50,000 - 309.9 for n = 100,000.
        assert!(rank_of_bound(100_000).abs_diff(49_690) <= 1, "{}", rank_of_bound(100_000));
    }
}
