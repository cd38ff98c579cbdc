//! The Pareto front of quality at the prompt against context tokens.

use super::means::{TIE, is_better};
use super::outcome::RankedTrial;
use ragtriage_core::measure::Direction;

/// Marks the rows on the Pareto front: no other row is at least as good on both and better in one; equal rows are
/// all on it. A row without a mean at the prompt is not.
pub(super) fn front(rows: &[RankedTrial], direction: Direction) -> Vec<bool> {
    rows.iter()
        .map(|row| {
            row.at_prompt.is_some() && !rows.iter().any(|other| beats(other, row, direction))
        })
        .collect()
}

fn beats(other: &RankedTrial, row: &RankedTrial, direction: Direction) -> bool {
    let (Some(quality), Some(at_prompt)) = (other.at_prompt, row.at_prompt) else {
        return false;
    };
    let (gained, saved) = (quality - at_prompt, row.context_tokens - other.context_tokens);
    let worse = is_better(-gained, direction) || saved < -TIE;
    !worse && (is_better(gained, direction) || saved > TIE)
}
