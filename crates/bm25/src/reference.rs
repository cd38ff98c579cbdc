//! Scores computed by hand, and scores of other tools.

use std::fmt::Display;

use super::words::split;
use super::{Bm25Parameters, SparseIndex, Weighting};
use ragtriage_core::config::{Bm25Settings, Bm25Variant as Variant};
use ragtriage_core::types::ChunkId;

fn index(variant: Variant, texts: &[&str]) -> SparseIndex {
    weighted(
        &Weighting::Bm25(Bm25Parameters::new(&Bm25Settings { variant, ..Bm25Settings::default() })),
        texts,
    )
}

fn weighted(weighting: &Weighting, texts: &[&str]) -> SparseIndex {
    let ids: Vec<ChunkId> = (0..texts.len()).map(|n| ChunkId::from(format!("d{n}"))).collect();
    SparseIndex::build(weighting, ids.into_iter(), &split(texts))
}

/// Returns the score of every document, `None` for those that are not returned.
fn scores(index: &SparseIndex, query: &str) -> Vec<Option<f64>> {
    let query: Vec<&str> = query.split_whitespace().collect();
    let mut scores = vec![None; index.n_documents()];
    for (doc, score) in index.search(&query, index.n_documents(), None) {
        scores[doc as usize] = Some(score);
    }
    scores
}

fn assert_scores(
    variant: impl Display,
    index: &SparseIndex,
    query: &str,
    expected: &[Option<f64>],
) {
    let scores = scores(index, query);
    assert!(
        scores.iter().zip(expected).all(|(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() < 2e-6,
            (a, b) => a == b,
        }),
        "{variant}: {scores:?} is not {expected:?}"
    );
}

/// Lengths 2, 4, 6, mean 4, so L = 0.25 + 0.75 * length / 4 = 0.625, 1, 1.375 and k1 L = 0.75, 1.2, 1.65. N = 3;
/// df(a) = 2, df(d) = 1. tf(a) is 1 in d0 and 2 in d1, tf(d) is 1 in d1; d2 has neither.
const THREE: [&str; 3] = ["a b", "a a c d", "b b b b b c"];

#[test]
fn every_variant_gives_what_its_formula_gives_by_hand() {
    let expected = |variant| match variant {
        // idf(a) = ln(1 + 1.5/2.5) = 0.470004, idf(d) = ln(1 + 2.5/1.5) = 0.980829.
        // d0: 0.470004 * 1/1.75; d1: 0.470004 * 2/3.2 + 0.980829 * 1/2.2.
        Variant::Lucene => [0.268_574, 0.739_584],
        // (N - df + 0.5)/(df + 0.5) is 0.6 for a, so its idf is 0; idf(d) = ln(2.5/1.5) = 0.510826.
        // d0: matched, with 0; d1: 0.510826 * 1/2.2.
        Variant::Robertson => [0.0, 0.232_193],
        // idf(a) = ln(3/2) = 0.405465, idf(d) = ln 3 = 1.098612.
        // d0: 0.405465 * 2.2/1.75; d1: 0.405465 * 4.4/3.2 + 1.098612 * 2.2/2.2.
        Variant::Atire => [0.509_728, 1.656_127],
        // idf(a) = ln(4/2.5) = 0.470004, idf(d) = ln(4/1.5) = 0.980829; tf/L of a is 1/0.625 = 1.6 and 2, of d 1.
        // An absent d: 0.980829 * 2.2 * 0.5/1.7 = 0.634654.
        // d0: 0.470004 * 2.2 * 2.1/3.3 + 0.634654; d1: 0.470004 * 2.2 * 2.5/3.7 + 0.980829 * 2.2 * 1.5/2.7.
        Variant::Bm25l => [1.292_659, 1.897_445],
        // idf(a) = ln(4/2) = 0.693147, idf(d) = ln 4 = 1.386294. An absent d: 1.386294 * 1.
        // d0: 0.693147 * (2.2/1.75 + 1) + 1.386294; d1: 0.693147 * (4.4/3.2 + 1) + 1.386294 * (2.2/2.2 + 1).
        Variant::Bm25plus => [2.950_827, 4.418_813],
        // ln(1.5/2.5) = -0.510826 for a, b and c, +0.510826 for d; a quarter of the mean of the four is -0.063853.
        // d0: -0.063853 * 2.2/1.75; d1: -0.063853 * 4.4/3.2 + 0.510826 * 2.2/2.2.
        Variant::Okapi => [-0.080_273, 0.423_027],
    };
    for variant in Variant::ALL {
        let [d0, d1] = expected(variant);
        assert_scores(variant, &index(variant, &THREE), "a d", &[Some(d0), Some(d1), None]);
    }
}

const SIX: [&str; 6] = [
    "the cat sat on the mat",
    "a dog and a cat",
    "the dog chased the cat around the mat and the house",
    "birds sing",
    "a bird sat on the house",
    "the end",
];

#[test]
fn every_variant_gives_the_scores_of_its_reference_tool() {
    // bm25s 0.3.16: BM25(method=..., k1=1.2, b=.75, delta=.5 for bm25l and 1 for bm25+), index(the texts split at white
    // space), get_scores of the query. okapi: rank_bm25 0.2.2, BM25Okapi(k1=1.2, b=.75, epsilon=.25).get_scores. Its
    // BM25Plus also gives the row of bm25plus. They give d3, which shares no term with the query, 0, or in bm25l and
    // bm25plus 1.686515 and 3.219292, the scores of absent terms; we do not return it.
    let expected = |variant| match variant {
        Variant::Lucene => [0.833_273, 0.323_334, 1.119_985, 0.827_366, 0.539_643],
        Variant::Robertson => [0.0, 0.0, 0.186_229, 0.254_178, 0.0],
        Variant::Atire => [1.736_587, 0.711_335, 2.408_087, 1.816_646, 1.089_494],
        Variant::Bm25l => [2.774_108, 2.097_312, 3.124_414, 2.725_630, 2.407_582],
        Variant::Bm25plus => [5.512_048, 4.088_822, 6.282_973, 5.475_893, 4.722_993],
        Variant::Okapi => [0.501_320, 0.0, 0.949_196, 0.918_245, 0.507_060],
    };
    for variant in Variant::ALL {
        let [d0, d1, d2, d4, d5] = expected(variant).map(Some);
        let index = index(variant, &SIX);
        assert_scores(variant, &index, "the cat house the zebra", &[d0, d1, d2, None, d4, d5]);
    }
}

#[test]
fn a_repeated_term_has_one_share_that_counts_twice() {
    let index = index(Variant::Lucene, &THREE);
    // 0.470004 / 1.75 = 0.268574 once.
    let [("a", share)] = index.explain(&["a", "d", "a", "x"], 0)[..] else {
        panic!("one term of the query is in d0")
    };
    assert!((share - 2.0 * 0.268_574).abs() < 2e-6, "{share}");
}

#[test]
fn tfidf_is_the_cosine_by_hand() {
    // N = 3; df(a) = 2, df(b) = 2, df(c) = 2, df(d) = 1: idf(a) = idf(b) = idf(c) = ln 1.5 = 0.405465, idf(d) = ln 3 =
    // 1.098612. The query a d: 0.5 * 0.405465, 0.5 * 1.098612; its norm is 0.5 * 1.171047.
    // d0: a and b, 0.5 * 0.405465 each, norm 0.5 * 0.573414; cosine 0.405465^2 / (1.171047 * 0.573414).
    // d1: a 2 * 0.405465, c 0.405465, d 1.098612, each over 4, norm 1.424415 / 4;
    // cosine (2 * 0.405465^2 + 1.098612^2) / (1.171047 * 1.424415). d2 has neither term.
    let index = weighted(&Weighting::Tfidf, &THREE);
    assert_scores("tfidf", &index, "a d", &[Some(0.244_830), Some(0.920_684), None]);
    // A word that no document has is left out of the query's norm.
    assert_scores("tfidf", &index, "a zebra d", &[Some(0.244_830), Some(0.920_684), None]);
    // a twice: (2 * 0.405465^2) / (norm of (2 * 0.405465, 1.098612) = 1.365488 * 0.573414) in d0, in d1
    // (4 * 0.405465^2 + 1.098612^2) / (1.365488 * 1.424415).
    assert_scores("tfidf", &index, "a d a", &[Some(0.419_934), Some(0.958_630), None]);
}

#[test]
fn tfidf_finds_nothing_by_terms_that_every_document_has() {
    let index = weighted(&Weighting::Tfidf, &["a", "a b", "a c c"]);
    assert_scores("tfidf", &index, "a", &[None; 3]);
    // d0 has norm 0. b weighs ln 3 in the query as in d1, where nothing else weighs anything: cosine 1.
    assert_scores("tfidf", &index, "a b", &[None, Some(1.0), None]);
    assert!(index.explain(&["a"], 1).is_empty());
}
