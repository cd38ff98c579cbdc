//! `McNemar`'s test of two answers to the same yes/no questions, exact (`McNemar` 1947, in its binomial form).

/// Returns the two-sided p-value of `b` questions that only the first run got right and `c` that only the second did:
/// min(1, 2 P(X <= min(b, c))) for X ~ Binomial(b + c, 1/2). statsmodels: `mcnemar(table, exact=True)`. 1 where nothing
/// differs.
///
/// Questions count as independent; with clusters of questions use the randomisation test.
#[must_use]
pub fn mcnemar(b: usize, c: usize) -> f64 {
    let (k, n) = (b.min(c), b + c);
    // The largest term, C(n, k) / 2^n, halved along the way so that it neither overflows nor underflows.
    let (mut term, mut halvings) = (1.0, n);
    for i in 1..=k {
        term *= (n - k + i) as f64 / i as f64;
        while term > 1.0 && halvings > 0 {
            term /= 2.0;
            halvings -= 1;
        }
    }
    term *= 0.5_f64.powi(i32::try_from(halvings).unwrap_or(i32::MAX));
    let mut sum = 0.0;
    for i in (0..=k).rev() {
        sum += term;
        term *= i as f64 / (n - i + 1) as f64;
    }
    (2.0 * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::expected::{assert_close, expected};
    use super::*;

    #[test]
    fn p_values_are_statsmodels() {
        for (b, c, p) in expected::<Vec<(usize, usize, f64)>>("mcnemar") {
            assert_close(mcnemar(b, c), p, 1e-11);
        }
    }

    #[test]
    fn small_counts_are_worked_by_hand() {
        // 2 * (1 + 5) / 32; 2 * 1 / 8; the middle counted twice is above 1.
        assert_eq!(mcnemar(1, 4), 12.0 / 32.0);
        assert_eq!(mcnemar(0, 3), 0.25);
        assert_eq!(mcnemar(2, 2), 1.0);
        assert_eq!(mcnemar(0, 0), 1.0);
    }

    #[test]
    fn thousands_neither_overflow_nor_vanish() {
        assert_eq!(mcnemar(0, 5000), 0.0);
        assert!(mcnemar(1000, 1100) > 0.0 && mcnemar(50_000, 50_000) == 1.0);
    }
}
