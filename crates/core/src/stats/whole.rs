//! Columns of few different multiples of a half or a quarter, as 16-bit integers: right answers, found documents, parts of a loss.
//!
//! Their sums are exact as integers and as floating-point numbers, so that both are the same number, whatever the order of addition.

/// Largest magnitude of a value in steps: the sum of 2^32 of them is below 2^53, and every sum on the way to it is exact.
const LARGEST: f64 = (1_u64 << 20) as f64;
/// Steps in 1 that are tried.
const STEPS: [f64; 4] = [1.0, 2.0, 4.0, 8.0];

/// A column in steps above its least value.
pub(super) struct Whole {
    /// The value of each cluster.
    pub steps: Vec<u16>,
    /// The least value, in steps.
    least: f64,
    /// Steps in 1.
    per_one: f64,
}

impl Whole {
    /// `None` for a column with other values, and where a sum of as many values as it has may not fit 16 bits.
    pub fn new(column: &[f64]) -> Option<Self> {
        let least = column.iter().copied().min_by(f64::total_cmp)?;
        let most = column.iter().copied().max_by(f64::total_cmp)?;
        let per_one = STEPS
            .into_iter()
            .find(|per_one| column.iter().all(|value| (value * per_one).fract() == 0.0))?;
        let [least, most] = [least, most].map(|value| value * per_one);
        let fits = (most - least) * column.len() as f64 <= f64::from(u16::MAX)
            && least.abs().max(most.abs()) <= LARGEST;
        let steps = column.iter().map(|value| (value * per_one - least) as u16);
        fits.then(|| Self { steps: steps.collect(), least, per_one })
    }

    /// Returns the sum of `n` values whose steps add up to `steps`.
    pub fn total(&self, steps: u16, n: usize) -> f64 {
        (f64::from(steps) + n as f64 * self.least) / self.per_one
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_counted_from_the_least() {
        // -1, .5, 1 are 0, 3, 4 halves above -1; the three sum to .5: 7 halves, less 3 times 2.
        let whole = Whole::new(&[-1.0, 0.5, 1.0]).expect("halves");
        assert_eq!(whole.steps, [0, 3, 4]);
        assert_eq!(whole.total(7, 3), 0.5);
    }

    #[test]
    fn thirds_infinities_and_sums_beyond_16_bits_are_left_alone() {
        assert!(Whole::new(&[0.0, 1.0 / 3.0]).is_none());
        assert!(Whole::new(&[0.0, f64::INFINITY]).is_none());
        // 2 * 32,767 is below 2^16, 3 * 32,767 is not.
        assert!(Whole::new(&[0.0, 32_767.0]).is_some());
        assert!(Whole::new(&[0.0, 0.0, 32_767.0]).is_none());
        assert!(Whole::new(&[]).is_none());
    }
}
