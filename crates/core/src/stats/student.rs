//! Student's t distribution: tails, quantiles, and the power of a t test.
//!
//! Tails by the regularised incomplete beta function, `P(|T| >= t) = I_x(df/2, 1/2)` with `x = df / (df + t^2)` (Abramowitz
//! and Stegun 1964, 26.7.1), by its power series near t = 0 and the continued fraction of `DiDonato` and Morris (1992,
//! eq. 9) elsewhere; correct to 1e-12 relative for one to a million degrees of freedom.

#![allow(clippy::many_single_char_names, reason = "the letters of the formulas' sources")]

use std::f64::consts::PI;

use super::normal;
use super::root::root;

/// More levels than the fraction ever needs where it is used; it stops by itself.
const MOST_LEVELS: u32 = 10_000;
/// Start of the range where the series of the gamma quotient is exact to the last digit.
const SERIES_FROM: f64 = 20.0;

/// Returns P(|T| >= |t|) with `df` > 0 degrees of freedom. 1 for t = 0, 0 for an infinite t.
#[must_use]
pub fn two_sided(t: f64, df: f64) -> f64 {
    let t2 = t * t;
    if t2 == 0.0 {
        return 1.0;
    }
    if t2.is_infinite() {
        return 0.0;
    }
    // I_x(a, b); x and y = 1 - x are each computed without cancellation.
    let (a, b) = (df / 2.0, 0.5);
    let (x, y) = (df / (df + t2), t2 / (df + t2));
    // x^a y^b / B(a, b)
    let front = (-a * (t2 / df).ln_1p()).exp() * y.sqrt() * gamma_quotient(a) / PI.sqrt();
    // The series where the tail is large, the fraction where digits of 1 - ... would be lost.
    if x > (a + 1.0) / (a + b + 2.0) {
        1.0 - front / b * series(a, b, y)
    } else {
        front / fraction(a, b, x, y)
    }
}

/// Returns the value that T with `df` > 0 degrees of freedom does not exceed with probability `p` in 0..1, exclusive.
#[must_use]
pub fn quantile(p: f64, df: f64) -> f64 {
    if p < 0.5 {
        return -quantile(1.0 - p, df);
    }
    let outside = 2.0 * (1.0 - p);
    let mut high = 2.0;
    while two_sided(high, df) > outside && high < f64::MAX / 2.0 {
        high *= 2.0;
    }
    root(0.0, high, |t| outside - two_sided(t, df))
}

/// Returns the power of the two-sided t test at level `alpha` when the true mean lies `shift` standard errors from
/// zero: P(|T'| > t_(1 - alpha/2, df)) for the noncentral T' = (Z + shift) / U, where U^2 is chi-squared over `df`. The
/// mean of P(|Z + shift| > t u) over U by the trapezoidal rule in ln u, where the density of U falls off on both sides
/// faster than any power, so that the rule is exact to rounding (Trefethen and Weideman 2014).
#[must_use]
pub fn power(shift: f64, df: f64, alpha: f64) -> f64 {
    let critical = quantile(1.0 - alpha / 2.0, df);
    // ln of the density of ln U, up to a constant: df (x - e^(2x) / 2), largest at 0 with curvature 2 df.
    let spread = (2.0 * df).sqrt().recip();
    // A quarter of the spread is plenty for the density; with few degrees of freedom the test's own probability
    // changes faster than that.
    let step = (spread / 4.0).min(0.05);
    let (first, last) = (-(9.0 * spread + 40.0 / df) / step, 9.0 * spread / step);
    let (mut weights, mut sum) = (0.0, 0.0);
    for i in first.floor() as i64..=last.ceil() as i64 {
        let x = i as f64 * step;
        let weight = (df * (x - 0.5 * (2.0 * x).exp_m1())).exp();
        let bound = critical * x.exp();
        weights += weight;
        sum += weight * (normal::cdf(shift - bound) + normal::cdf(-shift - bound));
    }
    sum / weights
}

/// Gamma(a + 1/2) / Gamma(a) for a > 0: from a + 1, a + 2, ... down to a, so that the series (Abramowitz and Stegun
/// 6.1.47, here of the logarithm) needs few terms and no large logarithms cancel.
fn gamma_quotient(a: f64) -> f64 {
    let (mut at, mut factor) = (a, 1.0);
    while at < SERIES_FROM {
        factor *= at / (at + 0.5);
        at += 1.0;
    }
    let r = at.recip();
    let r2 = r * r;
    let ln = -r
        * (1.0 / 8.0
            - r2 * (1.0 / 192.0
                - r2 * (1.0 / 640.0 - r2 * (17.0 / 14_336.0 - r2 * 31.0 / 18_432.0))));
    factor * at.sqrt() * ln.exp()
}

/// 1 + y (a + b) / (b + 1) + y^2 (a + b) (a + b + 1) / ((b + 1) (b + 2)) + ...: all terms positive.
fn series(a: f64, b: f64, y: f64) -> f64 {
    let (mut n, mut term, mut sum) = (0.0, 1.0, 1.0);
    while term > sum * f64::EPSILON / 4.0 {
        term *= y * (a + b + n) / (b + 1.0 + n);
        n += 1.0;
        sum += term;
    }
    sum
}

/// `DiDonato` and Morris' continued fraction, by Lentz's method. Unlike the better known 26.5.8 of Abramowitz and Stegun
/// it never subtracts x from 1, which for thousands of degrees of freedom would cost half of the digits.
fn fraction(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let denominator = |n: f64| {
        n + n * (b - n) * x / (a + 2.0 * n - 1.0)
            + (a + n) * (a * y - b * x + 1.0 + n * (2.0 - x)) / (a + 2.0 * n + 1.0)
    };
    // For n = 0 the second term is 0, also where a = 1 makes it 0 / 0.
    let mut value = a * (a * y - b * x + 1.0) / (a + 1.0);
    let (mut c, mut d) = (value, 0.0);
    for n in 1..MOST_LEVELS {
        let n = f64::from(n);
        let numerator =
            (a + n - 1.0) * (a + b + n - 1.0) * n * (b - n) * (x / (a + 2.0 * n - 1.0)).powi(2);
        d = (denominator(n) + numerator * d).recip();
        c = denominator(n) + numerator / c;
        value *= c * d;
        if (c * d - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::super::expected::{assert_close, expected};
    use super::*;

    #[test]
    fn tails_are_scipys() {
        for (t, df, p) in expected::<Vec<(f64, f64, f64)>>("student") {
            assert_close(two_sided(t, df), p, 1e-12);
            assert_eq!(two_sided(-t, df), two_sided(t, df));
        }
    }

    #[test]
    fn quantiles_are_scipys() {
        for (p, df, t) in expected::<Vec<(f64, f64, f64)>>("student_quantile") {
            assert_close(quantile(p, df), t, 1e-12);
        }
    }

    #[test]
    fn power_is_statsmodels() {
        for (shift, df, wanted) in expected::<Vec<(f64, f64, f64)>>("power") {
            assert_close(power(shift, df, 0.05), wanted, 1e-9);
        }
    }

    #[test]
    fn the_ends_are_numbers() {
        assert_eq!((two_sided(0.0, 3.0), two_sided(f64::INFINITY, 3.0)), (1.0, 0.0));
        // With one degree of freedom (Cauchy) the half beyond |t| = 1 is 1/2; with none shifted, power is alpha.
        assert_close(two_sided(1.0, 1.0), 0.5, 1e-14);
        assert_close(power(0.0, 7.0, 0.05), 0.05, 1e-12);
    }
}
