//! Medians: of ranks, where a document never found has rank infinity and a mean would be meaningless. The 95th percentile: of
//! times, whose mean hides the slow ones.

/// Returns the middle value, or the mean of the two middle ones; infinite where one of them is. `None` for no values.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2)?;
    Some(between(sorted[(sorted.len() - 1) / 2], *upper))
}

/// Returns the 95th percentile: the smallest value that at least 95% do not exceed (`inverted_cdf` of `NumPy`; definition 1 of
/// Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996). `None` for no values.
#[must_use]
pub fn p95(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get((95 * values.len()).div_ceil(100).checked_sub(1)?).copied()
}

/// Returns the mean of two values; of two equal infinities too.
fn between(lower: f64, upper: f64) -> f64 {
    if lower == upper { lower } else { lower + (upper - lower) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: f64 = f64::INFINITY;

    #[test]
    fn the_median_is_the_middle_or_between_the_middles() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, NEVER]), Some(3.0));
        assert_eq!(median(&[1.0, NEVER]), Some(NEVER));
        assert_eq!(median(&[NEVER, NEVER]), Some(NEVER));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn at_least_95_percent_are_no_more_than_the_95th_percentile() {
        // numpy.quantile(range(1, n + 1), 0.95, method="inverted_cdf")
        for (n, expected) in [(1, 1.0), (19, 19.0), (20, 19.0), (21, 20.0), (100, 95.0)] {
            let values: Vec<f64> = (1..=n).rev().map(f64::from).collect();
            assert_eq!(p95(&values), Some(expected), "{n}");
        }
        assert_eq!(p95(&[]), None);
    }
}
