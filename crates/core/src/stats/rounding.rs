//! Rounded figures that still add up.

/// Rounds `values` to `digits` decimals so that the rounded ones add up to their rounded sum: each is rounded down,
/// then those with the largest remainders are incremented (largest remainder method, Hamilton 1792). None is off by a
/// whole last digit.
#[must_use]
pub fn adding_up(values: &[f64], digits: u32) -> Vec<f64> {
    let unit = 10_f64.powi(digits as i32);
    let scaled: Vec<f64> = values.iter().map(|value| value * unit).collect();
    let whole = scaled.iter().sum::<f64>().round();
    let mut floors: Vec<f64> = scaled.iter().map(|value| value.floor()).collect();
    let short = (whole - floors.iter().sum::<f64>()).max(0.0) as usize;
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| (scaled[*b] - floors[*b]).total_cmp(&(scaled[*a] - floors[*a])));
    for at in order.into_iter().take(short) {
        floors[at] += 1.0;
    }
    // -0.0 would be shown as such.
    floors.into_iter().map(|value| value / unit + 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_terms_add_up_to_the_rounded_sum() {
        // 3 x .3335 = 1.0005, rounded 1.001 (or 1.000 by the double's last bit); each alone would round to .334: 1.002.
        let thirds = adding_up(&[0.3334, 0.3334, 0.3334], 3);
        assert_eq!(thirds, [0.334, 0.333, 0.333]);
        // In thousandths -.4 and .7: alone 0 and 1, together .3 is 0. Rounded down -1 and 0; .7 has the larger remainder.
        assert_eq!(adding_up(&[-0.0004, 0.0007], 3), [-0.001, 0.001]);
        assert_eq!(adding_up(&[0.25, -0.125, 0.0], 3), [0.25, -0.125, 0.0]);
        assert_eq!(adding_up(&[], 3), Vec::<f64>::new());
    }
}
