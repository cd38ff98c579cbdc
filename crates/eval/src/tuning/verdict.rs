//! Verdict of a ranking and its confirmation, in a sentence or two; `lead.rs` writes the sentences of a claim and of its
//! absence.
//!
//! A winner is the best of many, so that its lead is partly luck. A claim therefore rests on held-out questions, or, if
//! all questions were used for choosing, on max-T over all trials; the cross-fitted gain then estimates its size.

use super::TuningPlan;
use super::aligned::AlignedSweep;
use super::lead::{Lead, questions};
use super::means::is_better;
use super::outcome::{Confirmation, RankedTrial, TrialRanking, TuningVerdict};
use super::sweep::SweepScores;
use crate::compare::LEVEL;
use ragtriage_core::stats::detectable::needed;

/// Judges `ranking`, computed from `sweep` by `plan`. On held-out questions its winner is claimed to be better than the
/// default if their p, corrected for evaluations, is under 5% and it is better there too: nothing else is tested there. With
/// cross-fitting, the first ranked trial that is better than the default with p by max-T under 5% is claimed: max-T bounds
/// the probability of any false claim over all trials, so that it need not be the winner. Without a confirmation nothing is
/// claimed.
#[must_use]
pub fn judge(
    ranking: &TrialRanking,
    confirmation: Option<&Confirmation>,
    sweep: &SweepScores,
    plan: &TuningPlan,
) -> TuningVerdict {
    let Some(best) = ranking.rows.first().filter(|_| ranking.winner.is_some()) else {
        return unclaimed(nothing_ranked(ranking));
    };
    let Some(default) = default_row(ranking, sweep) else {
        return unclaimed(no_default(ranking, best, sweep));
    };
    let direction = plan.measure.family().facts().direction;
    let Some(lead) = Lead::new(best, default, ranking, direction) else {
        return unclaimed(none_higher(ranking, best, default));
    };
    let n_needed = questions_needed(best, LEVEL / n_tries(ranking, confirmation), sweep, plan);
    match confirmation {
        Some(Confirmation::HeldOut(found)) => {
            let shown = found.p.is_some_and(|p| p < LEVEL);
            match (shown, is_better(found.delta, direction)) {
                (true, true) => lead.claimed(lead.held_out_text("is better than", found)),
                (true, false) => unclaimed(
                    lead.held_out_text("was best where it was chosen and is worse than", found),
                ),
                (false, _) => lead.not_confirmed(found, n_needed),
            }
        }
        Some(Confirmation::CrossFit(found)) => {
            let mut leads = ranking
                .rows
                .iter()
                .filter_map(|row| Lead::new(row, default, ranking, direction));
            match leads.find(Lead::passes) {
                Some(shown) => shown.claimed(shown.cross_fit_text(found)),
                None => lead.not_shown(n_needed),
            }
        }
        None if lead.passes() => unclaimed(lead.unconfirmed_text()),
        None => lead.not_shown(n_needed),
    }
}

fn unclaimed(text: String) -> TuningVerdict {
    TuningVerdict {
        claimed: None,
        text,
        n_needed: None,
    }
}

/// Returns the default's row; `None` if it failed.
fn default_row<'a>(ranking: &'a TrialRanking, sweep: &SweepScores) -> Option<&'a RankedTrial> {
    let default = sweep.trials.first()?;
    ranking
        .rows
        .iter()
        .find(|row| row.name == default.name && row.error.is_none())
}

fn nothing_ranked(ranking: &TrialRanking) -> String {
    if ranking.rows.iter().all(|row| row.error.is_some()) {
        return "No trial was scored, so there is nothing to compare.".to_owned();
    }
    format!(
        "No question has a value of {} in every trial that ran, so there is nothing to compare.",
        ranking.measure
    )
}

fn no_default(ranking: &TrialRanking, best: &RankedTrial, sweep: &SweepScores) -> String {
    let why = sweep
        .trials
        .first()
        .and_then(|default| default.result.as_ref().err());
    let why = why.map_or(String::new(), |why| format!(" ({why})"));
    format!(
        "The default was not scored{why}, so no trial can be compared with it: {}, {} {:.3}, is the best of the others.",
        best.name, ranking.measure, best.mean
    )
}

fn none_higher(ranking: &TrialRanking, best: &RankedTrial, default: &RankedTrial) -> String {
    let (measure, n) = (ranking.measure, questions(ranking.n));
    let head = format!(
        "No trial scored higher than the default, {measure} {:.3} on {n}",
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

/// Returns the number of comparisons that p allows for: the evaluations at held-out questions, or all trials. It is an upper bound for
/// max-T, which allows for less if trials are alike.
fn n_tries(ranking: &TrialRanking, confirmation: Option<&Confirmation>) -> f64 {
    let n = match confirmation {
        Some(Confirmation::HeldOut(found)) => found.evaluations,
        _ => ranking
            .rows
            .iter()
            .filter(|row| row.difference.is_some())
            .count(),
    };
    n.max(1) as f64
}

fn questions_needed(
    best: &RankedTrial,
    level: f64,
    sweep: &SweepScores,
    plan: &TuningPlan,
) -> Option<usize> {
    let aligned = AlignedSweep::new(sweep, plan.measure);
    let best = aligned
        .trials
        .iter()
        .find(|trial| trial.scored.name == best.name)?;
    needed(&best.minus(aligned.default()?), &aligned.cluster_of, level)
}
