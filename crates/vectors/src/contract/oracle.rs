//! Expected answers of the engines, computed by brute force, and seeded data to ask about.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Neighbour, Point, VectorSearch};
use ragtriage_core::types::{Similarity, VectorShape};

pub(super) const DIMENSION: usize = 8;

/// A linear congruential generator (Knuth's MMIX).
pub(super) struct Random(pub(super) u64);

impl Random {
    /// Returns a number from 0 to 2^24.
    pub(super) fn next(&mut self) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as u32
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }

    pub(super) fn row(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| self.next() as f32 / (1 << 23) as f32 - 1.0).collect()
    }
}

/// Returns `n` points of one row whose components lie in -1 to 1.
pub(super) fn dense(n: u32, dimension: usize) -> Vec<Point> {
    let mut random = Random(20_261_121);
    (0..n).map(|number| Point { number, vector: random.row(dimension) }).collect()
}

/// Returns `n` points of one to six rows.
pub(super) fn multi(n: u32) -> Vec<Point> {
    let mut random = Random(20_261_122);
    let mut rows = || {
        let n_rows = 1 + random.below(6);
        random.row(n_rows * DIMENSION)
    };
    (0..n).map(|number| Point { number, vector: rows() }).collect()
}

/// Returns the search that the tests use most.
pub(super) fn exact(vector: &[f32], limit: usize) -> VectorSearch<'_> {
    VectorSearch { vector, limit, allowed: None }
}

fn similarity_of(similarity: Similarity, a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
    };
    match similarity {
        Similarity::Dot => dot(a, b),
        Similarity::Cosine => dot(a, b) / (dot(a, a) * dot(b, b)).sqrt(),
    }
}

/// Computes numbers and similarities by comparing with every point, best first.
pub(super) fn brute_force(points: &[Point], query: &[f32], spec: VectorShape) -> Vec<(u32, f64)> {
    let VectorShape { dimension, similarity, .. } = spec;
    // One row for dense vectors.
    let score = |vector: &[f32]| -> f64 {
        let best = |row: &[f32]| {
            let each = vector.chunks(dimension).map(|other| similarity_of(similarity, other, row));
            each.fold(f64::NEG_INFINITY, f64::max)
        };
        query.chunks(dimension).map(best).sum()
    };
    let mut all: Vec<(u32, f64)> =
        points.iter().map(|point| (point.number, score(&point.vector))).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

pub(super) fn numbers(found: &[Neighbour]) -> Vec<u32> {
    found.iter().map(|neighbour| neighbour.number).collect()
}

/// Asserts that `found` is the best of `expected` (all points, best first) as far as 32-bit scores can distinguish
/// them.
pub(super) fn assert_best(found: &[Neighbour], expected: &[(u32, f64)], limit: usize) {
    assert_eq!(found.len(), limit.min(expected.len()));
    let truth: BTreeMap<u32, f64> = expected.iter().copied().collect();
    assert_eq!(
        numbers(found).into_iter().collect::<BTreeSet<_>>().len(),
        found.len(),
        "one is found twice"
    );
    for (neighbour, (_, best)) in found.iter().zip(expected) {
        let tolerance = 1e-5 * best.abs().max(1.0);
        let near = |score: f64| (f64::from(neighbour.score) - score).abs() < tolerance;
        assert!(near(truth[&neighbour.number]) && near(*best), "{neighbour:?} is not {best}");
    }
}
