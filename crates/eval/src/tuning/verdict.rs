//! What follows from a ranking and its confirmation, in a sentence or two; the sentences of a claim and of its lack are
//! `lead.rs`'s.
//!
//! A winner is the best of many, so that its lead is partly luck. A claim therefore rests on questions that chose nothing,
//! or, where all questions chose, on max-T over all settings; the cross-fitted gain then says how large it is.

use super::TuningPlan;
use super::aligned::Aligned;
use super::board::Board;
use super::lead::{Lead, questions};
use super::means::is_better;
use super::outcome::{Confirmation, Ranking, Row, TuningVerdict};
use crate::compare::LEVEL;
use ragtriage_core::stats::detectable::needed;

/// Judges `ranking`, which is `board`'s by `plan`. On held-out questions its winner is claimed to be better than the default
/// where their p, looks allowed for, is under 5 % and it is the better one there too: nothing else is tested there.
/// Cross-fitted, the first in order that is better than the default with p by max-T under 5 % is claimed: max-T bounds the
/// chance of any false claim over all settings, so that it need not be the winner. Without a confirmation nothing is claimed.
#[must_use]
pub fn judge(
    ranking: &Ranking,
    confirmation: Option<&Confirmation>,
    board: &Board,
    plan: &TuningPlan,
) -> TuningVerdict {
    let unclaimed = |text: String| TuningVerdict {
        claimed: None,
        text,
        n_needed: None,
    };
    let Some(best) = ranking.rows.first().filter(|_| ranking.winner.is_some()) else {
        return unclaimed(nothing_ranked(ranking));
    };
    let Some(default) = default_row(ranking, board) else {
        return unclaimed(no_default(ranking, best, board));
    };
    let direction = plan.measure.family().facts().direction;
    let Some(lead) = Lead::new(best, default, ranking, direction) else {
        return unclaimed(none_higher(ranking, best, default));
    };
    let n_needed = || questions_needed(best, LEVEL / n_tries(ranking, confirmation), board, plan);
    match confirmation {
        Some(Confirmation::HeldOut(found)) => {
            let shown = found.p.is_some_and(|p| p < LEVEL);
            match (shown, is_better(found.delta, direction)) {
                (true, true) => lead.claimed(lead.held_out_text("is better than", found)),
                (true, false) => unclaimed(
                    lead.held_out_text("was best where it was chosen and is worse than", found),
                ),
                (false, _) => lead.not_confirmed(found, n_needed()),
            }
        }
        Some(Confirmation::CrossFit(found)) => {
            let mut leads = ranking
                .rows
                .iter()
                .filter_map(|row| Lead::new(row, default, ranking, direction));
            match leads.find(Lead::passes) {
                Some(shown) => shown.claimed(shown.cross_fit_text(found)),
                None => lead.not_shown(n_needed()),
            }
        }
        None if lead.passes() => unclaimed(lead.unconfirmed_text()),
        None => lead.not_shown(n_needed()),
    }
}

/// The default's row; `None` where it failed.
fn default_row<'a>(ranking: &'a Ranking, board: &Board) -> Option<&'a Row> {
    let default = board.settings.first()?;
    ranking
        .rows
        .iter()
        .find(|row| row.name == default.name && row.error.is_none())
}

fn nothing_ranked(ranking: &Ranking) -> String {
    if ranking.rows.iter().all(|row| row.error.is_some()) {
        return "No setting was scored, so there is nothing to compare.".to_owned();
    }
    format!(
        "No question has a value of {} in every setting that ran, so there is nothing to compare.",
        ranking.measure
    )
}

fn no_default(ranking: &Ranking, best: &Row, board: &Board) -> String {
    let why = board
        .settings
        .first()
        .and_then(|default| default.result.as_ref().err());
    let why = why.map_or(String::new(), |why| format!(" ({why})"));
    format!(
        "The default was not scored{why}, so no setting can be compared with it: {}, {} {:.3}, is the best of the others.",
        best.name, ranking.measure, best.mean
    )
}

fn none_higher(ranking: &Ranking, best: &Row, default: &Row) -> String {
    let (measure, n) = (ranking.measure, questions(ranking.n));
    let head = format!(
        "No setting scored higher than the default, {measure} {:.3} on {n}",
        default.mean
    );
    if best.name == default.name {
        return format!("{head}.");
    }
    let (fewer, more) = (best.context_tokens, default.context_tokens);
    format!(
        "{head}; {} scored the same and packs fewer tokens, {fewer:.0} against {more:.0}.",
        best.name
    )
}

/// How many comparisons p allows for: the looks at held-out questions, or all settings. Of max-T, which allows for less where settings
/// are alike, it is the most.
fn n_tries(ranking: &Ranking, confirmation: Option<&Confirmation>) -> f64 {
    let n = match confirmation {
        Some(Confirmation::HeldOut(found)) => found.looks,
        _ => ranking
            .rows
            .iter()
            .filter(|row| row.difference.is_some())
            .count(),
    };
    n.max(1) as f64
}

fn questions_needed(best: &Row, level: f64, board: &Board, plan: &TuningPlan) -> Option<usize> {
    let aligned = Aligned::new(board, plan.measure);
    let best = aligned
        .settings
        .iter()
        .find(|setting| setting.tried.name == best.name)?;
    needed(&best.minus(aligned.default()?), &aligned.cluster_of, level)
}
