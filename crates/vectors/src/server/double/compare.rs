//! Similarity of a stored vector and a question's, by comparing components.

use std::collections::HashMap;

use qdrant_client::qdrant::{Distance, SparseVector, vector, vector_input};

/// Returns the points that have a score, best first.
pub(super) fn ranked(
    points: &[(u64, &vector::Vector)],
    n_points: usize,
    query: &vector_input::Variant,
    distance: Distance,
) -> Vec<(u64, f32)> {
    let idf = Idf::of(points, n_points);
    let score = |stored: &vector::Vector| match (stored, query) {
        (vector::Vector::Dense(a), vector_input::Variant::Dense(b)) => {
            Some(similarity(&a.data, &b.data, distance))
        }
        (vector::Vector::MultiDense(a), vector_input::Variant::MultiDense(b)) => {
            let best = |row: &[f32]| {
                let each = a.vectors.iter().map(|a| similarity(&a.data, row, distance));
                each.fold(f32::NEG_INFINITY, f32::max)
            };
            Some(b.vectors.iter().map(|row| best(&row.data)).sum())
        }
        (vector::Vector::Sparse(a), vector_input::Variant::Sparse(b)) => idf.score(a, b),
        _ => None,
    };
    let mut all: Vec<(u64, f32)> =
        points.iter().filter_map(|&(id, stored)| Some((id, score(stored)?))).collect();
    let is_distance = matches!(distance, Distance::Euclid | Distance::Manhattan);
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    if is_distance {
        all.reverse();
    }
    all
}

fn similarity(a: &[f32], b: &[f32], distance: Distance) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    match distance {
        Distance::Cosine => dot(a, b) / (dot(a, a) * dot(b, b)).sqrt(),
        Distance::Euclid => a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt(),
        Distance::Manhattan => a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum(),
        _ => dot(a, b),
    }
}

/// Qdrant's idf modifier: `ln(1 + (N - n + 0.5) / (n + 0.5))`.
struct Idf {
    n_points: f32,
    n_with: HashMap<u32, f32>,
}

impl Idf {
    fn of(points: &[(u64, &vector::Vector)], n_points: usize) -> Self {
        let mut n_with = HashMap::new();
        for (_, stored) in points {
            if let vector::Vector::Sparse(stored) = stored {
                for &term in &stored.indices {
                    *n_with.entry(term).or_default() += 1.0;
                }
            }
        }
        let n_points = n_points as f32;
        Self { n_points, n_with }
    }

    /// Returns the score of vectors that share a term.
    fn score(&self, stored: &SparseVector, query: &SparseVector) -> Option<f32> {
        let weights: HashMap<_, _> = stored.indices.iter().zip(&stored.values).collect();
        let part = |(term, value): (&u32, &f32)| {
            let n = self.n_with.get(term)?;
            let idf = (1.0 + (self.n_points - n + 0.5) / (n + 0.5)).ln();
            Some(value * idf * **weights.get(term)?)
        };
        let parts: Vec<f32> = query.indices.iter().zip(&query.values).filter_map(part).collect();
        (!parts.is_empty()).then(|| parts.iter().sum())
    }
}
