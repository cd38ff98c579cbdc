//! Histogram bins: their number, their edges, and their counts.

/// Maximum number of bins; a chart cannot show more of them distinctly.
const MOST_BINS: usize = 30;

/// Returns the edges of equally wide bins from the smallest value to the largest, ascending, one more than there are
/// bins. A bin is `2 IQR / n^(1/3)` wide (Freedman and Diaconis 1981; quartiles by Hyndman and Fan's type 7), narrowed
/// until a whole number of them fits, and there are at most 30. Where half of the values are equal there are
/// `log2 n + 1` bins, rounded up (Sturges 1926). `n` is the size of the smallest group drawn in these bins, at least 1:
/// bins for all values would be too narrow for it. Values that are not finite are left out. `None` without a value, or
/// where all are equal.
#[must_use]
pub fn edges(values: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let (low, high) = (*values.first()?, *values.last()?);
    let span = high - low;
    if !(span > 0.0 && span.is_finite()) {
        return None;
    }
    let n = n.clamp(1, values.len()) as f64;
    let width = 2.0 * (quartile(&values, 0.75) - quartile(&values, 0.25)) / n.cbrt();
    let wanted = if width > 0.0 { span / width } else { n.log2() + 1.0 };
    // Slightly less, so that rounding error does not change a whole number of bins.
    let bins = ((wanted - 1e-9).ceil() as usize).clamp(1, MOST_BINS);
    Some(
        (0..=bins)
            .map(|at| if at == bins { high } else { low + span * at as f64 / bins as f64 })
            .collect(),
    )
}

/// Returns the point of ascending `values` below which `share` of them lie, interpolated linearly (type 7).
fn quartile(values: &[f64], share: f64) -> f64 {
    let at = share * (values.len() - 1) as f64;
    let (below, above) = (values[at.floor() as usize], values[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

/// Counts the `values` in each bin: its lower end belongs to it, the last one's upper end too. Values outside all bins
/// are not counted.
#[must_use]
pub fn counts(values: &[f64], edges: &[f64]) -> Vec<usize> {
    let n_bins = edges.len().saturating_sub(1);
    let mut counts = vec![0; n_bins];
    for value in values {
        let above = edges.partition_point(|edge| edge <= value);
        match above {
            0 => {}
            above if above <= n_bins => counts[above - 1] += 1,
            _ if edges.last() == Some(value) && n_bins > 0 => counts[n_bins - 1] += 1,
            _ => {}
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_as_wide_as_freedman_and_diaconis_say() {
        // 0 to 7: quartiles 1.75 and 5.25, so 2 x 3.5 / 2 = 3.5 wide: two bins.
        let values: Vec<f64> = (0..8).map(f64::from).collect();
        assert_eq!(edges(&values, 8), Some(vec![0.0, 3.5, 7.0]));
        // For a group of one of them 2 x 3.5 / 1 = 7 wide: one bin.
        assert_eq!(edges(&values, 1), Some(vec![0.0, 7.0]));
        assert_eq!(counts(&values, &[0.0, 3.5, 7.0]), [4, 4]);
    }

    #[test]
    fn a_far_value_gives_no_more_bins_than_can_be_seen() {
        let mut values: Vec<f64> = (0..100).map(f64::from).collect();
        values.push(1e9);
        assert_eq!(edges(&values, 101).map(|edges| edges.len()), Some(31));
    }

    #[test]
    fn where_half_of_the_values_are_equal_sturges_counts() {
        // log2 8 + 1 = 4 bins.
        let values = [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0];
        assert_eq!(edges(&values, 8), Some(vec![0.0, 0.5, 1.0, 1.5, 2.0]));
        assert_eq!(counts(&values, &[0.0, 0.5, 1.0, 1.5, 2.0]), [1, 0, 6, 1]);
    }

    #[test]
    fn equal_values_and_none_have_no_bins() {
        for values in [
            &[][..],
            &[3.0],
            &[3.0, 3.0],
            &[f64::NAN, 3.0],
            &[f64::INFINITY, 1.0],
            &[-1e308, 1e308],
        ] {
            assert_eq!(edges(values, 3), None, "{values:?}");
        }
    }

    #[test]
    fn what_lies_outside_is_not_counted() {
        assert_eq!(counts(&[-1.0, 0.0, 1.0, 2.0, 2.5, f64::NAN], &[0.0, 1.0, 2.0]), [1, 2]);
        assert_eq!(counts(&[1.0], &[]), Vec::<usize>::new());
    }
}
