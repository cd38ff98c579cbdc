//! Weight of a term in a document: a BM25 variant, or TF-IDF.

use super::variant::Bm25Parameters;
use ragtriage_core::config::Bm25Settings;

/// Weighting scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weighting {
    /// The sum over the question's terms of idf times saturated, length-normalised count.
    Bm25(Bm25Parameters),
    /// The cosine of question and document (Salton and Buckley 1988): tf = count / length, idf = ln(N / df), for both
    /// sides; terms of the question that are in no document are left out of its norm, too. A term that is in every
    /// document has weight 0 and finds nothing.
    Tfidf,
}

impl Weighting {
    /// Returns a key of the weighting and its parameters, for cache keys.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Bm25(parameters) => parameters.key(),
            Self::Tfidf => "tfidf".to_owned(),
        }
    }
}

impl Default for Weighting {
    fn default() -> Self {
        Self::Bm25(Bm25Parameters::new(&Bm25Settings::default()))
    }
}

/// Returns ln(N / df); 0 for a term in every document.
pub(super) fn inverse_frequency(frequency: usize, n_documents: usize) -> f64 {
    (n_documents as f64 / frequency as f64).ln()
}

/// A weighting with the corpus statistics that it needs.
pub(super) enum Weigher {
    Bm25 {
        parameters: Bm25Parameters,
        idf: Vec<f64>,
        /// Per term, the score that it adds to documents without it; empty for the variants where that is 0.
        absent: Vec<f64>,
        /// Each document's length over the mean length.
        relative_lengths: Vec<f64>,
    },
    Tfidf {
        idf: Vec<f64>,
        /// Each document's norm times its length: the length cancels out.
        norms: Vec<f64>,
    },
}

impl Weigher {
    /// Computes the statistics. `frequencies`: number of documents of each term. `lengths`: number of terms of each
    /// document. `postings` calls with term, document and count of every posting, always in the same order, so that
    /// sums are bit-identical.
    pub(super) fn new(
        weighting: &Weighting,
        frequencies: &[u32],
        lengths: &[u32],
        postings: impl FnOnce(&mut dyn FnMut(usize, usize, u32)),
    ) -> Self {
        let n_documents = lengths.len();
        match weighting {
            Weighting::Bm25(parameters) => {
                let idf = parameters.idf(frequencies, n_documents);
                let absent =
                    parameters.absent_tfc().map(|tfc| idf.iter().map(|idf| idf * tfc).collect());
                let sum: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
                // 0 only where no posting uses it.
                let mean = sum as f64 / n_documents.max(1) as f64;
                let relative_lengths =
                    lengths.iter().map(|&length| f64::from(length) / mean).collect();
                Self::Bm25 {
                    parameters: *parameters,
                    idf,
                    absent: absent.unwrap_or_default(),
                    relative_lengths,
                }
            }
            Weighting::Tfidf => {
                let idf: Vec<f64> = frequencies
                    .iter()
                    .map(|&df| inverse_frequency(df as usize, n_documents))
                    .collect();
                let mut norms = vec![0.0; n_documents];
                postings(&mut |term, document, count| {
                    norms[document] += (f64::from(count) * idf[term]).powi(2);
                });
                Self::Tfidf { idf, norms: norms.into_iter().map(f64::sqrt).collect() }
            }
        }
    }

    /// Returns the score that `count` occurrences of the term add to the document, beyond [`Self::absent`].
    pub(super) fn share(&self, term: usize, document: usize, count: u32) -> f32 {
        let count = f64::from(count);
        let share = match self {
            Self::Bm25 { parameters, idf, relative_lengths, .. } => {
                idf[term] * parameters.tfc(count, relative_lengths[document]) - self.absent(term)
            }
            // A norm of 0 means that all weights are 0.
            Self::Tfidf { norms, .. } if norms[document] == 0.0 => 0.0,
            Self::Tfidf { idf, norms } => count * idf[term] / norms[document],
        };
        // Adding 0.0 makes a -0.0 positive: that bit pattern means "unmatched" in a search.
        share as f32 + 0.0
    }

    /// Returns the score that the term adds to documents without it.
    pub(super) fn absent(&self, term: usize) -> f64 {
        match self {
            Self::Bm25 { absent, .. } => absent.get(term).copied().unwrap_or(0.0),
            Self::Tfidf { .. } => 0.0,
        }
    }
}
