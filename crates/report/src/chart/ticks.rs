//! The ticks of an axis and their labels: steps of 1, 2 or 5 times a power of ten.

use ragtriage_core::text::numbers::thousands;

/// From here on numbers are written with an exponent.
const LARGE: f64 = 1e7;
/// Below this too.
const SMALL: f64 = 1e-5;

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// Its value.
    pub at: f64,
    /// Its text.
    pub label: String,
}

/// The smallest of 1, 2, 5 times a power of ten that covers `span` in at most `most` steps; `span` is above 0.
pub(super) fn step(span: f64, most: usize) -> f64 {
    let least = span / most as f64;
    let power = 10_f64.powi(least.log10().floor() as i32);
    // A hair below 1: 0.6 / 6 is to need steps of 0.1, whatever the last bit says.
    [1.0, 2.0, 5.0]
        .map(|n| n * power)
        .into_iter()
        .find(|step| *step >= least * (1.0 - 1e-9))
        .unwrap_or(10.0 * power)
}

/// The multiples of `step` from the last at or under `low` to the first at or over `high`.
pub(super) fn around(low: f64, high: f64, step: f64) -> Vec<Tick> {
    let first = (low / step + 1e-9).floor() as i64;
    let last = (high / step - 1e-9).ceil() as i64;
    let most = step * first.abs().max(last.abs()) as f64;
    (first..=last)
        .map(|n| n as f64 * step)
        .map(|at| Tick { at, label: written(at, step, most) })
        .collect()
}

/// `at` with the digits that `step` needs, where `most` is the largest on the axis.
fn written(at: f64, step: f64, most: f64) -> String {
    if at == 0.0 {
        return "0".to_owned();
    }
    if most >= LARGE || step < SMALL {
        let digits = usize::try_from(magnitude(at.abs()) - magnitude(step)).unwrap_or(0);
        return format!("{at:.digits$e}");
    }
    match usize::try_from(-magnitude(step)) {
        Ok(decimals) if decimals > 0 => format!("{at:.decimals$}"),
        _ => format!("{}{}", if at < 0.0 { "-" } else { "" }, thousands(at.abs().round() as usize)),
    }
}

fn magnitude(value: f64) -> i32 {
    (value.log10() + 1e-9).floor() as i32
}

/// Formats a single number: whole ones with thousands separators, others with at most three decimals.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    if size >= LARGE || (size < 5e-4 && size > 0.0) {
        return format!("{value:.2e}");
    }
    let text = format!("{size:.3}");
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let decimals = decimals.trim_end_matches('0');
    let whole = thousands(whole.parse().unwrap_or(0));
    let sign = if value < 0.0 { "-" } else { "" };
    if decimals.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{decimals}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, most: usize) -> Vec<String> {
        around(low, high, step(high - low, most)).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn steps_are_one_two_or_five_times_a_power_of_ten() {
        // span / most: 0.1, 0.1000..1 by its last bit, 0.15, 0.3, 0.6, 7, 100, 1e300.
        for (span, most, expected) in [
            (0.5, 5, 0.1),
            (0.6, 6, 0.1),
            (0.9, 6, 0.2),
            (1.5, 5, 0.5),
            (3.0, 5, 1.0),
            (35.0, 5, 10.0),
            (500.0, 5, 100.0),
            (5e300, 5, 1e300),
        ] {
            let found = step(span, most);
            assert!((found / expected - 1.0).abs() < 1e-12, "{span} in {most}: {found}");
        }
    }

    #[test]
    fn ticks_frame_the_values_and_have_the_digits_of_their_step() {
        // 0.31 to 0.72 in at most 5: 0.082 -> 0.1, from 0.3 to 0.8.
        assert_eq!(labels(0.31, 0.72, 5), ["0.3", "0.4", "0.5", "0.6", "0.7", "0.8"]);
        assert_eq!(labels(-0.02, 0.03, 5), ["-0.02", "-0.01", "0", "0.01", "0.02", "0.03"]);
        assert_eq!(labels(0.0, 4100.0, 5), ["0", "1,000", "2,000", "3,000", "4,000", "5,000"]);
        assert_eq!(labels(-1500.0, 0.0, 3), ["-1,500", "-1,000", "-500", "0"]);
    }

    #[test]
    fn very_large_and_very_small_numbers_have_an_exponent() {
        // 4e8 / 5 = 8e7 -> 1e8: one digit after the first for 1.0e9, none under it.
        assert_eq!(labels(7e8, 1.1e9, 5), ["7e8", "8e8", "9e8", "1.0e9", "1.1e9"]);
        assert_eq!(labels(0.0, 3e-8, 3), ["0", "1e-8", "2e-8", "3e-8"]);
    }

    #[test]
    fn a_number_on_its_own_has_what_it_needs() {
        let all = [
            (0.0, "0"),
            (32.0, "32"),
            (2048.0, "2,048"),
            (0.6125, "0.613"),
            (-1.5, "-1.5"),
            (3e9, "3.00e9"),
        ];
        assert!(
            all.into_iter().all(|(value, text)| number(value) == text),
            "{:?}",
            all.map(|(value, _)| number(value))
        );
    }
}
