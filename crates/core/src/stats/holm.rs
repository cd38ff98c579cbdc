//! Holm's step-down correction for a declared family of tests (Holm 1979).

/// Returns the p-values adjusted as one family, in the order given: the i-th smallest (from 0) of m is multiplied by
/// m - i, never falls below the adjusted value before it, and is capped at 1. Valid for any dependence of the tests.
/// statsmodels: `multipletests(method="holm")`. Empty for none.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut least = 0.0_f64;
    for (i, &at) in order.iter().enumerate() {
        least = least.max(p_values[at] * (p_values.len() - i) as f64).min(1.0);
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::super::expected::{assert_close, expected};
    use super::*;

    #[test]
    fn adjusted_values_are_statsmodels() {
        for (raw, wanted) in expected::<Vec<(Vec<f64>, Vec<f64>)>>("holm") {
            for (found, wanted) in holm(&raw).into_iter().zip(wanted) {
                assert_close(found, wanted, 1e-14);
            }
        }
    }

    #[test]
    fn the_steps_are_worked_by_hand() {
        // Sorted .01 .03 .04: 3 * .01 = .03, 2 * .03 = .06, then 1 * .04 is raised to .06.
        assert_eq!(holm(&[0.04, 0.01, 0.03]), [0.06, 0.03, 0.06]);
        assert_eq!(holm(&[0.7, 0.6]), [1.0, 1.0]);
        assert_eq!(holm(&[]), [0.0; 0]);
    }
}
