//! Flags of a question: observations next to its failure class.

use super::delivery::Delivery;
use super::elsewhere::Elsewhere;
use super::judge::Judgments;
use super::suspect;
use crate::rightness::Correctness;
use crate::types::{ArmName, ChunkId, Flag, TraceStep};

/// Returns the flags of a question.
pub(super) fn flags(delivery: &Delivery<'_>, judgments: &Judgments) -> Vec<Flag> {
    let trace = delivery.trace;
    let [retrieved, oracle] =
        [ArmName::Retrieved, ArmName::Oracle].map(|arm| judgments.correctness(arm));
    let tests = [
        (
            Flag::EncoderTruncated,
            trace.gold.groups.iter().flatten().any(|member| member.encoder_truncated),
        ),
        (Flag::AnnMiss, ann_missed(delivery)),
        (Flag::AnswerElsewhere, answer_elsewhere(delivery)),
        (
            Flag::LabelSuspect,
            oracle == Some(Correctness::Wrong)
                && (suspect::is_near_gold(trace)
                    || (retrieved == Some(Correctness::Wrong)
                        && suspect::gold_passages_agree(trace, delivery.passages))),
        ),
        (Flag::ServerTruncated, delivery.read_share.is_some()),
    ];
    tests.into_iter().filter(|(_, is)| *is).map(|(flag, _)| flag).collect()
}

/// Returns true if exact search would have completed the support among the candidates that approximate search missed.
fn ann_missed(delivery: &Delivery<'_>) -> bool {
    let holds = |candidates: Vec<&ChunkId>| delivery.test.of(candidates).holds;
    let completed_by = |step: &TraceStep| {
        let others = delivery.trace.retrievers();
        let others = others.filter(|other| other.step != step.step);
        let others = others.flat_map(|other| other.hits.iter().map(|hit| &hit.id));
        step.exact_search
            .as_ref()
            .is_some_and(|exact| holds(exact.hits.iter().chain(others).collect()))
    };
    delivery.trace.retrievers().any(completed_by) && !holds(delivery.candidates.to_vec())
}

/// Returns true if a packed passage without gold evidence has an answer string and a content term of the question.
fn answer_elsewhere(delivery: &Delivery<'_>) -> bool {
    let question = &delivery.trace.question;
    if !question.has_spans() || question.evidence.is_empty() {
        return false;
    }
    let gold: Vec<&ChunkId> =
        delivery.trace.gold.groups.iter().flatten().flat_map(|member| &member.chunks).collect();
    let mut others = delivery
        .packed
        .iter()
        .filter(|id| !gold.iter().any(|chunk| delivery.holds(id, chunk)))
        .filter_map(|id| delivery.passages.view(id));
    let elsewhere = Elsewhere::new(&question.text, &question.answers);
    others.any(|view| elsewhere.is_in(view.text))
}
