//! Sentences about labels that are wider than a chunk.

use super::delivery::Delivery;
use super::ranks;
use super::wide::Reading;
use crate::text::numbers::{plural, thousands};
use crate::types::{ByteRange, ChunkId, GoldMember, QuestionKind, Stage};

/// Explains a loss of which the readings of a wide label differ: by the strict one it occurred at `strict`, by the lenient
/// one at `lenient`, or not at all.
pub(super) fn open(delivery: &Delivery<'_>, strict: Stage, lenient: Option<Stage>) -> String {
    let (held_at, place) = match lenient {
        None => (Stage::Packing, "in the prompt"),
        Some(Stage::Packing | Stage::Generation) => (Stage::Ranking, "in the top k"),
        Some(_) => (Stage::Retrieval, "among the candidates"),
    };
    let Some((at, label)) = first_wide(delivery, (strict, held_at)) else {
        return "the label is wider than a chunk, and a part of it was delivered".to_owned();
    };
    let (pieces, here) = (delivery.test.pieces(at, label), delivery.at(held_at));
    let n_held = pieces.iter().filter(|id| here.contains(id)).count();
    let (verb, suffice) =
        if n_held == 1 { ("was", "it suffices") } else { ("were", "they suffice") };
    let marked = match mark(delivery, at) {
        Some(mark) => format!(", with {mark},"),
        None => String::new(),
    };
    let end = match lenient {
        None => format!("whether {suffice} is open"),
        Some(stage) => format!("lost at {stage} if {suffice}, at {strict} if not"),
    };
    format!(
        "{}; {} of them{marked} {verb} {place}: {end}",
        spans(delivery, label, &pieces),
        thousands(n_held)
    )
}

/// Explains the loss of a wide label by both readings.
pub(super) fn lost(delivery: &Delivery<'_>, at: (usize, usize), label: ByteRange) -> String {
    let pieces = delivery.test.pieces(at, label);
    let answers = &gold(delivery, at).answer_ranges;
    let suffices = |id: &ChunkId| {
        let view = pieces.contains(&id).then(|| delivery.passages.view(id)).flatten();
        view.is_some_and(|view| {
            answers.is_empty() || answers.iter().any(|answer| view.range.overlaps(*answer))
        })
    };
    let with = mark(delivery, at).map_or(String::new(), |mark| format!(" with {mark}"));
    let rest = match ranks::best_placed(delivery, suffices) {
        Some(best) => {
            format!("the first{with}, {}, {}", ranks::name(best), ranks::came(delivery, best))
        }
        None => format!("none{with} {}", ranks::was_among(delivery)),
    };
    format!("{}; {rest}", spans(delivery, label, &pieces))
}

/// Returns the first wide range that the chunks of `strict` do not hold completely and those of `held_at` in a part that
/// may suffice. Of alternatives, the first that may: the nearest one may be narrow and not delivered.
fn first_wide(
    delivery: &Delivery<'_>,
    (strict, held_at): (Stage, Stage),
) -> Option<((usize, usize), ByteRange)> {
    let (test, here) = (&delivery.test, delivery.at(held_at));
    let missing = test.missing_groups(delivery.at(strict)).into_iter();
    let mut members = missing.flat_map(|group| {
        let n_members = delivery.trace.gold.groups[group].len();
        (0..n_members).map(move |member| (group, member))
    });
    members.find_map(|at| {
        let missing = test.missing_ranges(at, delivery.at(strict));
        let mut wide = missing.into_iter().filter(|range| gold(delivery, at).wide.contains(range));
        let range = wide.next()?;
        test.covers_by(at, here, Reading::Lenient).then_some((at, range))
    })
}

fn gold<'a>(delivery: &Delivery<'a>, (group, member): (usize, usize)) -> &'a GoldMember {
    &delivery.trace.gold.groups[group][member]
}

/// Names the text by which a part of a label is known to matter.
fn mark(delivery: &Delivery<'_>, at: (usize, usize)) -> Option<&'static str> {
    let mark = match delivery.trace.question.kind {
        QuestionKind::Span => "the gold answer",
        _ => "a required fact",
    };
    (!gold(delivery, at).answer_ranges.is_empty()).then_some(mark)
}

/// Formats as `the label of 2,340 bytes spans 4 chunks`; of another system only the chunks that were shown are known.
fn spans(delivery: &Delivery<'_>, label: ByteRange, pieces: &[&ChunkId]) -> String {
    let bytes = thousands(label.len());
    if delivery.recorded {
        let shown = plural(pieces.len(), "recorded passage", "recorded passages");
        format!("the label of {bytes} bytes is in part in {shown}")
    } else {
        let chunks = plural(pieces.len(), "chunk", "chunks");
        format!("the label of {bytes} bytes spans {chunks}")
    }
}
