//! Phrases on how far a chunk came.

use super::delivery::Delivery;
use crate::text::numbers::{place, thousands};
use crate::types::{ChunkId, Step};

/// Returns the first chunk of the final ranking, else of the candidates, that `is_wanted`.
pub(super) fn best_placed<'a>(
    delivery: &Delivery<'a>,
    is_wanted: impl Fn(&ChunkId) -> bool,
) -> Option<&'a ChunkId> {
    delivery.ranking.iter().chain(&delivery.candidates).copied().find(|id| is_wanted(id))
}

/// Describes how far a chunk came.
pub(super) fn came(delivery: &Delivery<'_>, id: &ChunkId) -> String {
    match delivery.ranking.iter().position(|hit| *hit == id).map(|at| at + 1) {
        Some(rank) if delivery.is_packed(id) => format!("came {}", place(rank)),
        Some(rank) if !delivery.knows_packed => format!("came {}", place(rank)),
        Some(rank) if !delivery.knows_ranking || (rank <= delivery.k && !delivery.knows_k) => {
            format!("came {} but is not in the prompt", place(rank))
        }
        Some(rank) if rank <= delivery.k => {
            format!("came {} but did not fit the prompt", place(rank))
        }
        _ if is_expanded(delivery, id) => {
            "is in an expanded passage that did not fit the prompt".to_owned()
        }
        Some(rank) => format!("came {}, below the top {}", place(rank), thousands(delivery.k)),
        None if delivery.is_packed(id) => "was packed".to_owned(),
        None if delivery.candidates.contains(&id) && delivery.ranking.is_empty() => {
            "was a candidate".to_owned()
        }
        None if delivery.candidates.contains(&id) => {
            let scored = delivery
                .trace
                .steps
                .iter()
                .rev()
                .find(|s| !matches!(s.step, Step::MinScore | Step::Expanded | Step::Packed));
            let was_scored = scored.is_some_and(|step| step.hits.iter().any(|hit| hit.id == *id));
            if was_scored {
                "scored below `min_score`"
            } else {
                "was a candidate, but fell out of the final ranking"
            }
            .to_owned()
        }
        None => format!("was not among {}", candidates(delivery)),
    }
}

/// Returns true if the text around a hit of the top k contains it.
fn is_expanded(delivery: &Delivery<'_>, id: &ChunkId) -> bool {
    let mut passages = delivery.expanded.iter().flatten();
    passages.any(|passage| delivery.holds(passage, id))
}

/// Completes the sentence "no chunk of it ...".
pub(super) fn was_among(delivery: &Delivery<'_>) -> String {
    format!("was among {}", candidates(delivery))
}

fn candidates(delivery: &Delivery<'_>) -> String {
    let mut distinct = delivery.candidates.clone();
    distinct.sort_unstable();
    distinct.dedup();
    match (distinct.len(), delivery.recorded) {
        (1, false) => "1 candidate".to_owned(),
        (n, false) => format!("{} candidates", thousands(n)),
        (1, true) => "1 recorded passage".to_owned(),
        (n, true) => format!("{} recorded passages", thousands(n)),
    }
}

pub(super) fn name(id: &ChunkId) -> String {
    number(id).map_or_else(|| format!("passage `{id}`"), |number| format!("chunk {number}"))
}

/// Returns a chunk's number in its document; `None` for another system's passages.
pub(super) fn number(id: &ChunkId) -> Option<&str> {
    let number = &id.as_str()[id.doc().len()..].strip_prefix('#')?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(number)
}
