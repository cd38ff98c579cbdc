//! Medians: of ranks, where a document never found has rank infinity and a mean would be meaningless.

/// Returns the middle value, or the mean of the two middle ones; infinite where one of them is. `None` for no values.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2)?;
    Some(between(sorted[(sorted.len() - 1) / 2], *upper))
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
}
