//! Verdict of a ranking and its confirmation: the setting to use, and the evidence for it. All other trials are in the table.
//!
//! A winner is the best of many, so that its lead is partly luck. A claim therefore rests on held-out questions, or, if
//! there are none, on p that are Holm-adjusted over all trials.

use super::label::Labels;
use super::ranking::is_better;
use super::{
    Confirmation, Difference, HeldOut, RankedTrial, SweepScores, TrialRanking, TuningPlan,
    TuningVerdict,
};
use crate::compare::differences::detectable_text;
use crate::compare::{LEVEL, p_text};
use ragtriage_core::metric::Direction;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::Interval;

/// Judges `ranking`, computed from `sweep` by `plan`. On held-out questions its winner is claimed to be better than the
/// default if their p is under 5% and it is better there too: nothing else is tested there. By
/// Holm, the first ranked trial that is better than the default with an adjusted p under 5% is claimed: the adjustment
/// bounds the probability of any false claim over all trials, so that it need not be the winner. Without a confirmation
/// nothing is claimed.
#[must_use]
pub fn judge(
    ranking: &TrialRanking,
    confirmation: Option<&Confirmation>,
    sweep: &SweepScores,
    plan: &TuningPlan,
) -> TuningVerdict {
    let Some(best) = ranking.rows.first().filter(|_| ranking.winner.is_some()) else {
        return kept(nothing_ranked(ranking));
    };
    let labels = Labels::new(sweep);
    let default = sweep.trials.first().and_then(|default| {
        ranking.rows.iter().find(|row| row.name == default.name && row.error.is_none())
    });
    let Some(default) = default else {
        return kept(no_default(ranking, &labels.setting(best), best, sweep));
    };
    let direction = plan.metric.family().direction();
    let found = Found { ranking, labels, default, direction };
    match confirmation {
        _ if !found.is_higher(best) => kept(found.none_higher()),
        Some(Confirmation::HeldOut(held_out)) => found.on_held_out(best, held_out),
        Some(Confirmation::Holm) => found.by_holm(best),
        None => {
            let end = if passes(best) { ", which is not confirmed" } else { "" };
            kept(found.keep(&format!(
                "{} scored {} on the tuning questions{end}",
                found.labels.setting(best),
                found.numbers(best)
            )))
        }
    }
}

fn claimed(row: &RankedTrial, text: String) -> TuningVerdict {
    TuningVerdict { claimed: Some(row.name.clone()), ..kept(text) }
}

fn kept(text: String) -> TuningVerdict {
    TuningVerdict { claimed: None, harms: false, text }
}

/// A ranking with a default.
struct Found<'a> {
    ranking: &'a TrialRanking,
    labels: Labels<'a>,
    default: &'a RankedTrial,
    direction: Direction,
}

impl Found<'_> {
    fn is_higher(&self, row: &RankedTrial) -> bool {
        row.difference.is_some_and(|seen| is_better(seen.delta, self.direction))
    }

    fn keep(&self, why: &str) -> String {
        format!("Keep {}: {why}.", self.labels.default())
    }

    fn undecided(&self, result: &str, on: &str, numbers: &str) -> String {
        format!("No decision: {result} from {} on {on} {numbers}.", self.labels.default())
    }

    fn set(&self, row: &RankedTrial, numbers: &str) -> TuningVerdict {
        let (instead, metric) = (self.labels.instead(row), self.ranking.metric);
        claimed(row, format!("Set {instead}: {metric} {numbers}."))
    }

    fn on_held_out(&self, best: &RankedTrial, found: &HeldOut) -> TuningVerdict {
        let HeldOut { default, winner, delta, ci95, p, n, .. } = *found;
        let p_shown = p.map_or(String::new(), |p| format!(", p {}", p_text(p)));
        let by = with_interval(delta, ci95);
        let numbers = format!("{winner:.3} against {default:.3}, {by}{p_shown}");
        let is_shown = p.is_some_and(|p| p < LEVEL);
        if is_shown && is_better(delta, self.direction) {
            let on = questions(n);
            return self.set(best, &format!("{numbers}, on {on} that were not used for tuning"));
        }
        let best = format!("{}, the best on the tuning questions,", self.labels.setting(best));
        let on = plural(n, "held-out question", "held-out questions");
        let numbers = format!("({} {numbers})", self.ranking.metric);
        if is_shown {
            let text = self.keep(&format!("{best} is worse on {on} {numbers}"));
            return TuningVerdict { harms: true, ..kept(text) };
        }
        let text = self.undecided(&format!("{best} is not distinguishable"), &on, &numbers);
        kept(text + &self.least(n, found.detectable))
    }

    fn by_holm(&self, best: &RankedTrial) -> TuningVerdict {
        let mut rows = self.ranking.rows.iter();
        let on = questions(self.ranking.n);
        if let Some(row) = rows.find(|row| passes(row) && self.is_higher(row)) {
            return self.set(row, &format!("{}, on {on}", self.numbers(row)));
        }
        let numbers = format!("({} {})", self.ranking.metric, self.numbers(best));
        let best_is = format!("{}, the best, is not distinguishable", self.labels.setting(best));
        let text = self.undecided(&best_is, &on, &numbers);
        let detectable = best.difference.and_then(|seen| seen.detectable);
        kept(text + &self.least(self.ranking.n, detectable))
    }

    /// Says which difference `n` questions can show.
    fn least(&self, n: usize, detectable: Option<f64>) -> String {
        let text = |effect| {
            let these = plural(n, "question", "such questions");
            let effect = detectable_text(self.ranking.metric, effect);
            format!(" With {these}, the minimum detectable effect is {effect} (80% power).")
        };
        detectable.map_or(String::new(), text)
    }

    /// Formats a trial's statistics on the tuning questions.
    fn numbers(&self, row: &RankedTrial) -> String {
        let (mean, default) = (row.mean, self.default.mean);
        let Some(Difference { delta, ci95, p_holm, .. }) = row.difference else {
            return format!("{mean:.3}");
        };
        let (p, trials) = (p_text(p_holm), plural(self.n_compared(), "trial", "trials"));
        format!(
            "{mean:.3} against {default:.3}, {}, p {p} (Holm-adjusted over {trials})",
            with_interval(delta, ci95)
        )
    }

    /// Returns the number of trials that are compared with the default.
    fn n_compared(&self) -> usize {
        self.ranking.rows.iter().filter(|row| row.difference.is_some()).count()
    }

    fn none_higher(&self) -> String {
        let has_failed = self.ranking.rows.iter().any(|row| row.error.is_some());
        let ran = if has_failed { " that ran" } else { "" };
        self.keep(&format!(
            "no trial{ran} scored higher, {} {:.3} on {}",
            self.ranking.metric,
            self.default.mean,
            questions(self.ranking.n)
        ))
    }
}

/// Returns true if p, adjusted for all trials, distinguishes the trial from the default.
fn passes(row: &RankedTrial) -> bool {
    row.difference.is_some_and(|seen| seen.p_holm < LEVEL)
}

fn nothing_ranked(ranking: &TrialRanking) -> String {
    if ranking.rows.iter().all(|row| row.error.is_some()) {
        return "No trial was scored, so there is nothing to compare.".to_owned();
    }
    format!(
        "No question has a value of {} in every trial that ran, so there is nothing to compare.",
        ranking.metric
    )
}

fn no_default(
    ranking: &TrialRanking,
    name: &str,
    best: &RankedTrial,
    sweep: &SweepScores,
) -> String {
    let why = sweep.trials.first().and_then(|default| default.result.as_ref().err());
    let why = why.map_or(String::new(), |why| format!(" ({why})"));
    format!(
        "The default was not scored{why}, so no trial can be compared with it: {name}, {} {:.3}, is the best of the others.",
        ranking.metric, best.mean
    )
}

fn questions(n: usize) -> String {
    plural(n, "question", "questions")
}

/// Formats `+0.031 [0.008, 0.054]`.
fn with_interval(delta: f64, ci95: Option<Interval>) -> String {
    ci95.map_or_else(|| format!("{delta:+.3}"), |ci95| format!("{delta:+.3} {ci95:.3}"))
}
