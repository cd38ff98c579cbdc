//! Checks of the server's answers: a ranking that the store cannot vouch for becomes an error.

use std::collections::HashSet;

use qdrant_client::qdrant::{PointId, ScoredPoint};

use super::calls::Calls;
use super::wire;
use crate::{IndexError, Neighbour};

/// Converts the results of a search in a collection of `n_points` points.
///
/// # Errors
/// More results than `limit`; an unknown, missing or duplicate id; a score that is not finite; results that are not
/// ordered by score.
pub(super) fn neighbours(
    calls: &Calls,
    found: &[ScoredPoint],
    limit: usize,
    n_points: usize,
) -> Result<Vec<Neighbour>, IndexError> {
    if found.len() > limit {
        let n = found.len();
        return Err(calls.invalid(format!("{n} search results for a limit of {limit}")));
    }
    let mut seen = HashSet::new();
    let mut neighbours: Vec<Neighbour> = Vec::with_capacity(found.len());
    for point in found {
        let number = known(calls, point.id.as_ref(), n_points)?;
        let score = point.score;
        if !seen.insert(number) {
            return Err(calls.invalid(format!("point {number} is twice in a search result")));
        }
        if !score.is_finite() {
            return Err(calls.invalid(format!("point {number} has score {score}")));
        }
        if neighbours.last().is_some_and(|last| last.score < score) {
            return Err(calls.invalid("search results are not ordered by score".to_owned()));
        }
        neighbours.push(Neighbour { number, score });
    }
    Ok(neighbours)
}

/// Returns the number of a point that this program stored.
fn known(calls: &Calls, id: Option<&PointId>, n_points: usize) -> Result<u32, IndexError> {
    let id = id.ok_or_else(|| calls.lacks("a point's id"))?;
    wire::number(id)
        .filter(|number| (*number as usize) < n_points)
        .ok_or_else(|| calls.unknown(id))
}
