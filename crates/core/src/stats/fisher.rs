//! Fisher's exact test of a two-by-two table (Fisher 1922): whether two groups have the same share.

/// Returns the two-sided p-value of the hypothesis that `a` of `n` in one group and `b` of `m` in another have the same
/// share: the sum of all hypergeometric probabilities, at the same margins, that are not larger than the observed one
/// (R's `fisher.test`, with its tolerance of 1e-7 for equal ones). 1 where a margin is 0.
#[must_use]
pub fn fisher((a, n): (usize, usize), (b, m): (usize, usize)) -> f64 {
    let hits = a + b;
    let (least, most) = (hits.saturating_sub(m), hits.min(n));
    // P(x + 1) / P(x) = (n - x)(hits - x) / ((x + 1)(m - hits + x + 1)), begun at 1 and scaled by the sum at the end. A term may
    // vanish or overflow only far from the mode: logarithms keep both.
    let mut logs = vec![0.0];
    for x in least..most {
        let ratio = ((n - x) * (hits - x)) as f64 / ((x + 1) * (m + x + 1 - hits)) as f64;
        logs.push(logs.last().copied().unwrap_or_default() + ratio.ln());
    }
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let terms: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
    let seen = terms[a - least] * (1.0 + 1e-7);
    let extreme: f64 = terms.iter().filter(|term| **term <= seen).sum();
    (extreme / terms.iter().sum::<f64>()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lady_tasting_tea_and_other_tables() {
        // Margins of 4 in 8: probabilities 1, 16, 36, 16, 1 of 70. Three right: (16 + 1 + 16 + 1) / 70.
        assert!((fisher((3, 4), (1, 4)) - 34.0 / 70.0).abs() < 1e-12);
        assert!((fisher((4, 4), (0, 4)) - 2.0 / 70.0).abs() < 1e-12);
        assert!((fisher((2, 4), (2, 4)) - 1.0).abs() < 1e-12);
        // C(10, x) C(6, 9 - x) of C(16, 9) = 11,440 for x = 3 to 9: 120, 1260, 3780, 4200, 1800 (x = 7), 270, 10. Eight seen:
        // 270 + 10 + 120, as scipy.stats.fisher_exact([[8, 2], [1, 5]]) has it.
        assert!((fisher((8, 10), (1, 6)) - 400.0 / 11_440.0).abs() < 1e-12);
    }

    #[test]
    fn empty_margins_tell_nothing_and_thousands_do_not_overflow() {
        for table in [((0, 5), (0, 7)), ((5, 5), (7, 7)), ((0, 0), (3, 7))] {
            assert_eq!(fisher(table.0, table.1), 1.0);
        }
        assert!(fisher((3000, 5000), (2000, 5000)) < 1e-80);
        assert!(fisher((2500, 5000), (2500, 5000)) > 0.999);
    }
}
