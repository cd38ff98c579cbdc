//! Failure modes: known ways for a stage to fail, checked in every question, whether or not that stage lost it.
//!
//! A mode explains a loss only as far as it is rarer where nothing was lost. Each is therefore defined without regard
//! to the loss (see [`Mode`] for the rules); a mode equally frequent in both groups is not a cause. A mode that is
//! undefined for a question is `None` and counts in neither share.

use std::collections::BTreeMap;

use super::classify::Outcome;
use super::delivery::Delivery;
use super::known::TopK;
use super::shingles::Shingled;
use super::{Passages, terms};
use crate::types::{ChunkId, Flag, Mode, Stage, Step, Trace};

/// Minimum number of passages in a prompt that has a later half.
const LATE_FROM: usize = 4;

/// Failure modes of one question, with the details that explain them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// Presence of each mode; modes undefined for the question are left out.
    pub modes: BTreeMap<Mode, bool>,
    /// `bridge_missed`: the first evidence group, from 0, that is missing while another is present.
    pub missing_group: Option<usize>,
    /// `near_duplicates`: true if the ranking's first k passages, skipping near duplicates of a better one, hold the
    /// support that its first k do not.
    pub distinct_support: bool,
}

impl Signs {
    /// Returns whether the question shows a mode; `None` where the mode is undefined.
    #[must_use]
    pub fn shows(&self, mode: Mode) -> Option<bool> {
        self.modes.get(&mode).copied()
    }
}

/// Tests every mode for a question that did not fail. `outcome` is that question's; `titled` is true if passages are
/// indexed with their title.
#[must_use]
pub fn signs(
    trace: &Trace,
    outcome: &Outcome,
    top: impl Into<TopK>,
    titled: bool,
    passages: &dyn Passages,
) -> Signs {
    let delivery = Delivery::new(trace, top.into(), passages);
    let position = position(&delivery, outcome);
    let missing_group = missing_group(&delivery, outcome);
    let crowded = crowded(&delivery);
    let question = &trace.question;
    let has_encoder =
        trace.retrievers().any(|s| matches!(s.step, Step::Dense | Step::LateInteraction));
    let flag = |flag: Flag, can_be: bool| can_be.then(|| outcome.flags.contains(&flag));
    let shows = |mode: Mode| match mode {
        Mode::NoSharedTerm => no_shared_term(&delivery, titled),
        Mode::BridgeMissed => (trace.gold.groups.len() > 1).then_some(missing_group.is_some()),
        Mode::NearDuplicates => crowded,
        Mode::GoldLate => position.and_then(|at| is_late(at, delivery.packed.len())),
        Mode::AnswerElsewhere => {
            flag(Flag::AnswerElsewhere, question.has_spans() && !question.evidence.is_empty())
        }
        Mode::EncoderTruncated => {
            flag(Flag::EncoderTruncated, has_encoder && outcome.reached.is_some())
        }
    };
    let modes = Mode::ALL.iter().filter_map(|mode| Some((*mode, shows(*mode)?))).collect();
    let distinct_support = crowded == Some(true)
        && matches!(outcome.lost_at(), Some(Stage::Ranking | Stage::Packing))
        && delivery.test.of(distinct(&delivery)).holds;
    Signs { modes, missing_group, distinct_support }
}

/// Returns the position in the prompt, from 1, of the passage that completed the support.
fn position(delivery: &Delivery<'_>, outcome: &Outcome) -> Option<usize> {
    let reached = outcome.reached.is_some_and(|[.., prompt]| prompt);
    reached.then(|| {
        Delivery::first(&delivery.packed, |chunks| delivery.test.of(chunks.iter().copied()).holds)
    })?
}

fn is_late(position: usize, n_packed: usize) -> Option<bool> {
    (n_packed >= LATE_FROM).then_some(2 * position > n_packed)
}

/// Returns the first group that is missing where the support was lost, if another group is present.
fn missing_group(delivery: &Delivery<'_>, outcome: &Outcome) -> Option<usize> {
    let stage =
        outcome.lost_at().filter(|stage| !matches!(stage, Stage::Corpus | Stage::Chunking))?;
    let missing = delivery.test.missing_groups(delivery.at(stage));
    missing.first().copied().filter(|_| missing.len() < delivery.trace.gold.groups.len())
}

/// Returns true if some evidence group has no passage with a content term of the question. `None` if a group's passages
/// are unknown.
fn no_shared_term(delivery: &Delivery<'_>, titled: bool) -> Option<bool> {
    let groups = &delivery.trace.gold.groups;
    let passages = |group: usize| groups[group].iter().flat_map(|member| &member.chunks);
    if groups.is_empty() || (0..groups.len()).any(|group| passages(group).next().is_none()) {
        return None;
    }
    let wanted = terms::of_question(&delivery.trace.question.text);
    let shares = |id: &ChunkId| {
        delivery.passages.view(id).is_some_and(|view| {
            terms::shares_one(view.text, &wanted)
                || (titled && terms::shares_one(view.title, &wanted))
        })
    };
    Some((0..groups.len()).any(|group| !passages(group).any(shares)))
}

/// Returns true if at least half of the top k are near duplicates of a better passage.
fn crowded(delivery: &Delivery<'_>) -> Option<bool> {
    let top_k: Vec<Shingled<'_>> =
        shingled(delivery, delivery.top_k()).map(|(_, passage)| passage).collect();
    let repeats =
        |at: &usize| top_k[..*at].iter().any(|better| top_k[*at].is_near_duplicate_of(better));
    (top_k.len() > 1).then(|| 2 * (0..top_k.len()).filter(repeats).count() >= top_k.len())
}

/// Returns the first k passages of the ranking that are not near duplicates of a better one among them.
fn distinct<'a>(delivery: &Delivery<'a>) -> Vec<&'a ChunkId> {
    let mut kept: Vec<(&ChunkId, Shingled<'_>)> = Vec::with_capacity(delivery.k);
    for (id, passage) in shingled(delivery, &delivery.ranking) {
        if kept.len() == delivery.k {
            break;
        }
        if !kept.iter().any(|(_, better)| passage.is_near_duplicate_of(better)) {
            kept.push((id, passage));
        }
    }
    kept.into_iter().map(|(id, _)| id).collect()
}

fn shingled<'d, 'a>(
    delivery: &'d Delivery<'a>,
    chunks: &'d [&'a ChunkId],
) -> impl Iterator<Item = (&'a ChunkId, Shingled<'d>)> {
    chunks.iter().filter_map(|id| Some((*id, Shingled::new(id.doc(), delivery.passages.view(id)?))))
}
