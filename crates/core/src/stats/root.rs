//! Root finding for rising functions by bisection: slow but reliable, and fast enough for quantiles.

/// Halvings: 2^-60 of any bracket used here is about the spacing of `f64` around the root.
const HALVINGS: usize = 60;

/// Returns the point in `low..high` below which `rising` is negative and from which on it is not; a border where it
/// does not cross.
pub(super) fn root(mut low: f64, mut high: f64, rising: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = low + (high - low) / 2.0;
        if rising(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crossing_is_found_to_the_last_digit() {
        assert_eq!(root(0.0, 1e3, |x| x * x * x - 27.0), 3.0);
    }

    #[test]
    fn without_a_crossing_it_is_the_border() {
        assert_eq!(root(2.0, 5.0, |_| -1.0), 5.0);
        assert_eq!(root(2.0, 5.0, |_| 1.0), 2.0);
    }
}
