//! Why no retriever found the evidence: the question, its words, or the index.

use super::delivery::Delivery;
use super::support::Reading;
use crate::types::{Cause, ChunkId, Step};

/// Returns the cause of a loss in retrieval, with the clause that says how it is known. `None` where neither the record nor another
/// search tells it.
pub(super) fn cause(delivery: &Delivery<'_>) -> Option<(Cause, &'static str)> {
    let trace = delivery.trace;
    if !trace.gold.chunks.holds {
        return Some((Cause::Index, "it is not in the index"));
    }
    if is_truncated(delivery) {
        return Some((Cause::Index, "it lies beyond the input limit of the encoder"));
    }
    if found_with(delivery, trace.retrievers().flat_map(|step| step.exact_search.iter().flatten()))
    {
        return Some((Cause::Index, "exact search finds it, which approximate search lost"));
    }
    let other = trace.other_searches.as_ref()?;
    let with_standalone = match trace.rewritten() {
        None => "it is found with the standalone form of the question",
        Some(_) => {
            "it is found with the standalone form of the question, not with the rewritten query"
        }
    };
    Some(if found_with(delivery, &other.standalone) {
        (Cause::Query, with_standalone)
    } else if found_with(delivery, &other.with_title) {
        (Cause::Query, "it is found with the title of its document added to the question")
    } else if found_with(delivery, other.with_title.iter().chain(&other.evidence)) {
        (Cause::Vocabulary, "it is found only with words of its own")
    } else {
        (Cause::Index, "it is not even found with words of its own")
    })
}

/// Returns true if the candidates and `more` together support the question.
fn found_with<'a>(delivery: &Delivery<'a>, more: impl IntoIterator<Item = &'a ChunkId>) -> bool {
    let chunks: Vec<&ChunkId> = delivery.candidates.iter().copied().chain(more).collect();
    delivery.test.holds(&chunks, Reading::Lenient)
}

/// Returns true if encoders alone search, and read some missing evidence in no chunk to its end.
fn is_truncated(delivery: &Delivery<'_>) -> bool {
    let is_encoded = |step: Step| matches!(step, Step::Dense | Step::LateInteraction);
    let mut missing = delivery.test.missing_groups(&delivery.candidates).into_iter();
    let groups = &delivery.trace.gold.groups;
    delivery.trace.retrievers().all(|step| is_encoded(step.step))
        && missing.any(|group| groups[group].iter().all(|member| member.encoder_truncated))
}
