//! One axis: its range, its ticks, and the position of a value on it.

use super::ticks::{Tick, around, number, step};

/// No value beyond this is drawn: the span of two of them is still finite.
pub(super) const MOST: f64 = 1e300;
/// Values that lie closer, as a share of their size, are one.
const SAME: f64 = 1e-9;
/// Margin of a logarithmic axis beyond its ends, as a share of its length.
const MARGIN: f64 = 0.05;
/// Marks of a logarithmic axis lie at least so far apart, as a share of its length: 200 and 256 have theirs between 32 and 2,048.
const APART: f64 = 0.03;

/// The scale of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// As far apart as they differ.
    #[default]
    Linear,
    /// As far apart as they differ in doublings, and marked where there are values: for sizes from 32 to 2,048, for k.
    Log2,
}

impl Scale {
    /// Returns true if `value` has a position on it.
    pub(super) fn holds(self, value: f64) -> bool {
        value.abs() <= MOST && (self == Self::Linear || value >= 1.0 / MOST)
    }

    fn of(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log2 => value.log2(),
        }
    }
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    scale: Scale,
    /// Both ends, on the scale.
    low: f64,
    high: f64,
    /// Ascending, inside both ends.
    pub ticks: Vec<Tick>,
}

impl Axis {
    /// The axis that shows `values`, at least one and all held by `scale`. A linear one has about `most_ticks` marks and ends
    /// at marks; a logarithmic one is marked at the values themselves, without those that are too close.
    pub fn over(values: &[f64], scale: Scale, most_ticks: usize) -> Self {
        let (low, high) = values
            .iter()
            .map(|value| scale.of(*value))
            .fold((MOST, -MOST), |(low, high), at| (low.min(at), high.max(at)));
        match scale {
            Scale::Linear => {
                let (low, high) = apart(low, high);
                let ticks = around(low, high, step(high - low, most_ticks.saturating_sub(1)));
                let ends = (
                    ticks.first().map_or(low, |tick| tick.at),
                    ticks.last().map_or(high, |tick| tick.at),
                );
                Self { scale, low: ends.0, high: ends.1, ticks }
            }
            Scale::Log2 => {
                // One value alone is in the middle of one doubling.
                let margin = if high - low < SAME { 0.5 } else { (high - low) * MARGIN };
                let mut axis =
                    Self { scale, low: low - margin, high: high + margin, ticks: Vec::new() };
                axis.ticks = axis.marked(values);
                axis
            }
        }
    }

    /// Returns the position of `value`: 0 at the low end, 1 at the high one.
    pub fn share(&self, value: f64) -> f64 {
        ((self.scale.of(value) - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    fn marked(&self, values: &[f64]) -> Vec<Tick> {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        let mut ticks: Vec<Tick> = Vec::new();
        for at in values {
            if ticks.last().is_none_or(|last| self.share(at) - self.share(last.at) >= APART) {
                ticks.push(Tick { at, label: number(at) });
            }
        }
        ticks
    }
}

/// Both ends, a tenth of their size to either side where they are one value; 0 to 1 where that is zero.
fn apart(low: f64, high: f64) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    if size < 1.0 / MOST {
        (0.0, 1.0)
    } else if high - low < size * SAME {
        (low - size / 10.0, high + size / 10.0)
    } else {
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn a_linear_axis_ends_at_marks() {
        // 0.31 to 0.72: steps of 0.1 from 0.3 to 0.8; 0.55 is the middle.
        let axis = Axis::over(&[0.72, 0.31], Scale::Linear, 6);
        assert_eq!(labels(&axis), ["0.3", "0.4", "0.5", "0.6", "0.7", "0.8"]);
        assert!((axis.share(0.55) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn doublings_are_equally_far_apart_and_marked_by_the_very_sizes() {
        let sizes = [32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0];
        let axis = Axis::over(&sizes, Scale::Log2, 6);
        assert_eq!(labels(&axis), ["32", "64", "128", "256", "512", "1,024", "2,048"]);
        // 6 doublings with 5 % more at either end are 6.6 long: 32 is at 0.3 / 6.6, 256 in the middle.
        assert!(
            (axis.share(32.0) - 0.3 / 6.6).abs() < 1e-12 && (axis.share(256.0) - 0.5).abs() < 1e-12
        );
    }

    #[test]
    fn marks_on_top_of_one_another_are_left_out() {
        // 1 to 1,024 are 10 doublings, 11 with the ends: 3 % are 0.33. 3 is 0.58 after 2, 1,024 only 0.03 after 1,000.
        assert_eq!(
            labels(&Axis::over(&[1.0, 2.0, 3.0, 1000.0, 1024.0], Scale::Log2, 6)),
            ["1", "2", "3", "1,000"]
        );
    }

    #[test]
    fn one_value_stands_inside_the_axis() {
        for value in [0.0, 0.4, -3.0, 1.0, 1e300, -1e300, 1e-200] {
            let axis = Axis::over(&[value, value], Scale::Linear, 6);
            assert!(
                (0.0..=1.0).contains(&axis.share(value)) && axis.ticks.len() > 1,
                "{value}: {axis:?}"
            );
        }
        let axis = Axis::over(&[512.0], Scale::Log2, 6);
        assert!((axis.share(512.0) - 0.5).abs() < 1e-12 && labels(&axis) == ["512"]);
    }

    #[test]
    fn huge_spans_and_values_a_bit_apart_have_axes() {
        let axis = Axis::over(&[-1e300, 1e300], Scale::Linear, 6);
        assert!((axis.share(0.0) - 0.5).abs() < 1e-12 && axis.ticks.len() > 1);
        let axis = Axis::over(&[1e15, 1e15 + 0.125], Scale::Linear, 6);
        assert!((0.4..0.6).contains(&axis.share(1e15)), "{axis:?}");
    }
}
