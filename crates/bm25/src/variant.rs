//! The six BM25 variants in use, and their parameters.
//!
//! Names and formulas of the first five as in bm25s, after Kamphuis, de Vries, Boytsov and Lin, "Which BM25 Do You
//! Mean?" (ECIR 2020); `okapi` as in `rank_bm25`. With N documents, df those that contain the term, tf its count in the
//! document, and L = 1 - b + b * length / mean length, a term adds idf * tfc:
//!
//! | variant | idf | tfc |
//! |---|---|---|
//! | `lucene` | ln(1 + (N - df + 0.5) / (df + 0.5)) | tf / (tf + k1 L) |
//! | `robertson` | ln(max(1, (N - df + 0.5) / (df + 0.5))) | tf / (tf + k1 L) |
//! | `atire` | ln(N / df) | (k1 + 1) tf / (tf + k1 L) |
//! | `bm25l` | ln((N + 1) / (df + 0.5)) | (k1 + 1) (tf / L + delta) / (k1 + tf / L + delta) |
//! | `bm25plus` | ln((N + 1) / df) | (k1 + 1) tf / (tf + k1 L) + delta |
//! | `okapi` | ln((N - df + 0.5) / (df + 0.5)), a negative one replaced by 0.25 times the mean of all | (k1 + 1) tf / (tf + k1 L) |
//!
//! In `bm25l` and `bm25plus` a term also adds a score to documents without it: the formula at tf = 0.

use ragtriage_core::config::{Bm25Settings, Bm25Variant as Variant};

/// A variant with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bm25Parameters {
    variant: Variant,
    k1: f64,
    b: f64,
    /// Of `bm25l` and `bm25plus`; the other variants ignore it.
    delta: f64,
}

impl Bm25Parameters {
    /// Takes settings that are within their ranges.
    #[must_use]
    pub fn new(settings: &Bm25Settings) -> Self {
        let Bm25Settings { variant, k1, b, delta } = *settings;
        Self { variant, k1, b, delta: delta.unwrap_or(variant.default_delta()) }
    }

    /// Returns a key of the variant and its parameters, for cache keys.
    pub(super) fn key(&self) -> String {
        let Self { variant, k1, b, delta } = self;
        format!("{} k1={k1} b={b} delta={delta}", variant.name())
    }

    /// Returns the idf of every term from its document frequency, each at least 1.
    pub(super) fn idf(&self, frequencies: &[u32], n_documents: usize) -> Vec<f64> {
        let n = n_documents as f64;
        let odds = |df: f64| (n - df + 0.5) / (df + 0.5);
        let each =
            |idf: &dyn Fn(f64) -> f64| frequencies.iter().map(|&df| idf(f64::from(df))).collect();
        match self.variant {
            Variant::Lucene => each(&|df| odds(df).ln_1p()),
            Variant::Robertson => each(&|df| odds(df).max(1.0).ln()),
            Variant::Atire => each(&|df| (n / df).ln()),
            Variant::Bm25l => each(&|df| ((n + 1.0) / (df + 0.5)).ln()),
            Variant::Bm25plus => each(&|df| ((n + 1.0) / df).ln()),
            Variant::Okapi => floored(each(&|df| odds(df).ln())),
        }
    }

    /// Returns the component that depends on the document: `tf` occurrences, and its length over the mean length.
    pub(super) fn tfc(&self, tf: f64, relative_length: f64) -> f64 {
        let Self { variant, k1, b, delta } = *self;
        let length = 1.0 - b + b * relative_length;
        match variant {
            Variant::Lucene | Variant::Robertson => tf / (tf + k1 * length),
            Variant::Atire | Variant::Okapi => (k1 + 1.0) * tf / (tf + k1 * length),
            Variant::Bm25plus => (k1 + 1.0) * tf / (tf + k1 * length) + delta,
            Variant::Bm25l => self.bm25l(tf / length),
        }
    }

    /// Returns the component at tf = 0: the score that a document gets from a term that it lacks.
    pub(super) fn absent_tfc(&self) -> Option<f64> {
        match self.variant {
            Variant::Bm25l => Some(self.bm25l(0.0)),
            Variant::Bm25plus => Some(self.delta),
            Variant::Lucene | Variant::Robertson | Variant::Atire | Variant::Okapi => None,
        }
    }

    fn bm25l(&self, count: f64) -> f64 {
        let shifted = count + self.delta;
        // With k1 and delta 0 an absent term would be 0 / 0; it adds nothing.
        if shifted == 0.0 { 0.0 } else { (self.k1 + 1.0) * shifted / (self.k1 + shifted) }
    }
}

/// `rank_bm25`'s `epsilon`: the share of the mean idf that a term in more than half of the documents gets.
const EPSILON: f64 = 0.25;

/// Replaces negative values by [`EPSILON`] times the mean of all, negative ones included. In a tiny corpus that mean,
/// and so the result, can itself be negative, as in `rank_bm25`.
fn floored(mut idf: Vec<f64>) -> Vec<f64> {
    let floor = EPSILON * idf.iter().sum::<f64>() / idf.len().max(1) as f64;
    for value in &mut idf {
        if *value < 0.0 {
            *value = floor;
        }
    }
    idf
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_reads_as_it_prints_and_as_settings_write_it() {
        for variant in Variant::ALL {
            assert_eq!(Variant::named(&variant.to_string()), Some(variant));
            assert_eq!(serde_json::to_value(variant).expect("serialises"), variant.name());
        }
        assert_eq!(Variant::named("bm25+"), None);
    }

    #[test]
    fn no_parameter_in_range_gives_a_share_that_is_not_a_number() {
        for variant in Variant::ALL {
            for (k1, b, delta) in
                [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.2, 1.0, 0.0), (1.2, 0.75, 2.0)]
            {
                let parameters = Bm25Parameters { variant, k1, b, delta };
                assert!(parameters.tfc(1.0, 0.01).is_finite(), "{variant} {k1} {b} {delta}");
                assert!(
                    parameters.absent_tfc().is_none_or(f64::is_finite),
                    "{variant} {k1} {b} {delta}"
                );
                assert!(
                    parameters.idf(&[1, 2, 4], 4).iter().all(|idf| idf.is_finite()),
                    "{variant}"
                );
            }
        }
    }
}
