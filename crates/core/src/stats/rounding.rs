//! Rounded figures that still add up.

/// Rounds `values` to whole numbers that add up to `total`, a whole number next to their sum: each is rounded down, then those
/// with the largest remainders are incremented (largest remainder method, Hamilton 1792). None is off by one.
#[must_use]
pub fn adding_up(values: &[f64], total: f64) -> Vec<f64> {
    let mut floors: Vec<f64> = values.iter().map(|value| value.floor()).collect();
    let short = (total - floors.iter().sum::<f64>()).max(0.0) as usize;
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| (values[*b] - floors[*b]).total_cmp(&(values[*a] - floors[*a])));
    for at in order.into_iter().take(short) {
        floors[at] += 1.0;
    }
    // -0.0 would be shown as such.
    floors.into_iter().map(|value| value + 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_terms_add_up_to_the_total() {
        assert_eq!(adding_up(&[0.334, 0.333, 0.333], 1.0), [1.0, 0.0, 0.0]);
        assert_eq!(adding_up(&[6.0, 6.4, 6.6], 19.0), [6.0, 6.0, 7.0]);
        // Rounded down -1 and 0; .7 has the larger remainder.
        assert_eq!(adding_up(&[-0.4, 0.7], 0.0), [-1.0, 1.0]);
        assert_eq!(adding_up(&[2.0, -1.0, 0.0], 1.0), [2.0, -1.0, 0.0]);
        assert_eq!(adding_up(&[], 0.0), Vec::<f64>::new());
    }
}
