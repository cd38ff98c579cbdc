//! Checks of the server's answers: a ranking that the store cannot vouch for becomes an error.

use std::collections::HashSet;
use std::hash::Hash;

use qdrant_client::qdrant::{PointId, ScoredPoint};

use super::calls::Calls;
use super::wire;
use crate::{IndexError, Neighbour};

/// Expected form of a search's results.
#[derive(Clone, Copy)]
pub(super) struct Expected {
    /// Their maximum number.
    pub(super) limit: usize,
    /// True if smaller scores are nearer.
    pub(super) scores_are_distances: bool,
}

/// Converts the results of a search in a collection of `n_points` points.
///
/// # Errors
/// As [`scored`]; an unknown id.
pub(super) fn neighbours(
    calls: &Calls,
    found: &[ScoredPoint],
    limit: usize,
    n_points: usize,
) -> Result<Vec<Neighbour>, IndexError> {
    let expected = Expected { limit, scores_are_distances: false };
    let found = scored(calls, found, expected, |id| {
        wire::number(id)
            .filter(|number| (*number as usize) < n_points)
            .ok_or_else(|| calls.unknown(id))
    })?;
    let neighbour = |(number, score)| Neighbour { number, score };
    Ok(found.into_iter().map(neighbour).collect())
}

/// Converts the results of a search to keys with scores, of which larger is nearer.
///
/// # Errors
/// More results than the limit; a missing or duplicate id, or one without a key; a score that is not finite; results that
/// are not ordered by score.
pub(super) fn scored<K: Eq + Hash + Clone>(
    calls: &Calls,
    found: &[ScoredPoint],
    expected: Expected,
    key: impl Fn(&PointId) -> Result<K, IndexError>,
) -> Result<Vec<(K, f32)>, IndexError> {
    let limit = expected.limit;
    if found.len() > limit {
        let n = found.len();
        return Err(calls.invalid(format!("{n} search results for a limit of {limit}")));
    }
    let sign = if expected.scores_are_distances { -1.0 } else { 1.0 };
    let mut seen = HashSet::new();
    let mut scored: Vec<(K, f32)> = Vec::with_capacity(found.len());
    for point in found {
        let id = point.id.as_ref();
        let id = id.ok_or_else(|| calls.lacks("a point's id"))?;
        let (key, shown) = (key(id)?, wire::shown(id));
        let score = sign * point.score;
        if !seen.insert(key.clone()) {
            return Err(calls.invalid(format!("duplicate point {shown} in a search result")));
        }
        if !score.is_finite() {
            return Err(calls.invalid(format!("point {shown} has score {}", point.score)));
        }
        if scored.last().is_some_and(|(_, last)| *last < score) {
            return Err(calls.invalid("search results are not ordered by score".to_owned()));
        }
        scored.push((key, score));
    }
    Ok(scored)
}
