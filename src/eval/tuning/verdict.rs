//! What follows from a ranking and its confirmation, in a sentence or two.
//!
//! A winner is the best of many, so that its lead is partly luck. A claim therefore rests on questions that chose nothing,
//! or, where all questions chose, on max-T over all settings; the cross-fitted gain then says how large it is.

use super::TuningPlan;
use super::aligned::Aligned;
use super::board::Board;
use super::means::is_better;
use super::outcome::{Confirmation, CrossFit, Difference, HeldOut, Ranking, Row, TuningVerdict};
use crate::eval::compare::{LEVEL, p_text};
use crate::stats::detectable::needed;
use crate::text::numbers::thousands;
use crate::types::Interval;

/// Judges the winner of `ranking`, which is `board`'s by `plan`. On held-out questions it is claimed to be better than the
/// default where their p, looks allowed for, is under 5 % and it is the better one there too; cross-fitted, where its p by
/// max-T is under 5 %. Without a confirmation nothing is claimed.
#[must_use]
pub fn judge(
    ranking: &Ranking,
    confirmation: Option<&Confirmation>,
    board: &Board,
    plan: &TuningPlan,
) -> TuningVerdict {
    let unclaimed = |text: String| TuningVerdict { claimed: None, text, n_needed: None };
    let Some(best) = ranking.rows.first().filter(|_| ranking.winner.is_some()) else {
        return unclaimed(nothing_ranked(ranking));
    };
    let Some(default) = default_row(ranking, board) else {
        return unclaimed(format!(
            "The default failed, so no setting can be compared with it: {}, {} {:.3}, is the best of the others.",
            best.name, ranking.measure, best.mean
        ));
    };
    let better = |delta: f64| is_better(delta, plan.measure.family().facts().direction);
    let Some(seen) = best.difference.filter(|seen| better(seen.delta)) else {
        return unclaimed(none_higher(ranking, best, default));
    };
    let lead = Lead {
        ranking,
        best,
        default,
        seen,
        n_needed: questions_needed(best, LEVEL / n_tries(ranking, confirmation), board, plan),
    };
    match confirmation {
        Some(Confirmation::HeldOut(found)) => {
            let shown = found.p.is_some_and(|p| p < LEVEL);
            match (shown, better(found.delta)) {
                (true, true) => lead.claimed(lead.held_out_text("is better than", found)),
                (true, false) => unclaimed(lead.held_out_text("was best where it was chosen and is worse than", found)),
                (false, _) => {
                    let n = format!("{} held-out questions", found.n);
                    lead.indistinguishable(&n, &held_out_numbers(found), (found.n, found.n_clusters))
                }
            }
        }
        Some(Confirmation::CrossFit(found)) if seen.p_max_t < LEVEL => lead.claimed(lead.cross_fit_text(found)),
        None if seen.p_max_t < LEVEL => unclaimed(format!(
            "{}: {} scored {} where it was chosen; nothing has confirmed that, so nothing is claimed.",
            ranking.measure,
            best.name,
            lead.numbers()
        )),
        _ => lead.indistinguishable(&questions(ranking.n), &lead.numbers(), (ranking.n, ranking.n_clusters)),
    }
}

/// A winner that scored higher than the default.
struct Lead<'a> {
    ranking: &'a Ranking,
    best: &'a Row,
    default: &'a Row,
    seen: Difference,
    n_needed: Option<usize>,
}

impl Lead<'_> {
    fn claimed(&self, text: String) -> TuningVerdict {
        TuningVerdict { claimed: Some(self.best.name.clone()), text, n_needed: None }
    }

    /// `had`: the questions that told nothing, and their clusters.
    fn indistinguishable(&self, n: &str, numbers: &str, had: (usize, usize)) -> TuningVerdict {
        let (measure, name) = (self.ranking.measure, &self.best.name);
        let needed = self.n_needed.map_or(String::new(), |n_needed| {
            let (delta, questions) = (self.seen.delta, questions(n_needed));
            let but = match had {
                (n, clusters) if n_needed <= n => {
                    format!(": it is likely smaller, or {clusters} clusters of questions that share documents are too few")
                }
                _ => String::new(),
            };
            format!(
                " A true difference of {delta:+.3}, as seen where it was chosen, would be found 4 times in 5 with {questions}{but}."
            )
        });
        let text = format!(
            "{measure}: no setting is distinguishable from the default at this n ({n}); the best, {name}, scored \
             {numbers}.{needed}"
        );
        TuningVerdict { claimed: None, text, n_needed: self.n_needed }
    }

    fn held_out_text(&self, verdict: &str, found: &HeldOut) -> String {
        let (measure, name) = (self.ranking.measure, &self.best.name);
        let (numbers, n) = (held_out_numbers(found), questions(found.n));
        format!("{name} {verdict} the default: {measure} {numbers}, on {n} that chose nothing.")
    }

    fn cross_fit_text(&self, found: &CrossFit) -> String {
        let (measure, name, n_folds) = (self.ranking.measure, &self.best.name, found.folds.len());
        let (numbers, n) = (self.numbers(), questions(self.ranking.n));
        let gain = with_interval(found.delta, found.ci95);
        format!(
            "{name} is better than the default: {measure} {numbers}, on {n}. Chosen without the questions it is scored on, in \
             {n_folds} folds, the gain is {gain}."
        )
    }

    /// The numbers where it was chosen.
    fn numbers(&self) -> String {
        let Difference { delta, ci95, p_max_t } = self.seen;
        let (best, default, p) = (self.best.mean, self.default.mean, p_text(p_max_t));
        let n_settings = self.ranking.rows.iter().filter(|row| row.difference.is_some()).count();
        let settings = if n_settings == 1 { "1 setting".to_owned() } else { format!("{n_settings} settings") };
        format!("{best:.3} against {default:.3}, {}, p {p} by max-T over {settings}", with_interval(delta, ci95))
    }
}

fn held_out_numbers(found: &HeldOut) -> String {
    let HeldOut { default, winner, delta, ci95, p, looks, .. } = *found;
    let p = p.map_or(String::new(), |p| format!(", p {}", p_text(p)));
    let looks = if looks > 1 { format!(" ({looks} looks allowed for)") } else { String::new() };
    format!("{winner:.3} against {default:.3}, {}{p}{looks}", with_interval(delta, ci95))
}

/// The default's row; `None` where it failed.
fn default_row<'a>(ranking: &'a Ranking, board: &Board) -> Option<&'a Row> {
    let default = board.settings.first()?;
    ranking.rows.iter().find(|row| row.name == default.name && row.error.is_none())
}

fn nothing_ranked(ranking: &Ranking) -> String {
    if ranking.rows.iter().all(|row| row.error.is_some()) {
        return "Every setting failed, so there is nothing to compare.".to_owned();
    }
    format!("No question has a value of {} in every setting that ran, so there is nothing to compare.", ranking.measure)
}

fn none_higher(ranking: &Ranking, best: &Row, default: &Row) -> String {
    let (measure, n) = (ranking.measure, questions(ranking.n));
    let head = format!("No setting scored higher than the default, {measure} {:.3} on {n}", default.mean);
    if best.name == default.name {
        return format!("{head}.");
    }
    let (fewer, more) = (best.context_tokens, default.context_tokens);
    format!("{head}; {} scored the same with fewer context tokens, {fewer:.0} against {more:.0}.", best.name)
}

/// How many comparisons p allows for: the looks at held-out questions, or all settings. Of max-T, which allows for less where settings
/// are alike, it is the most.
fn n_tries(ranking: &Ranking, confirmation: Option<&Confirmation>) -> f64 {
    let n = match confirmation {
        Some(Confirmation::HeldOut(found)) => found.looks,
        _ => ranking.rows.iter().filter(|row| row.difference.is_some()).count(),
    };
    n.max(1) as f64
}

fn questions_needed(best: &Row, level: f64, board: &Board, plan: &TuningPlan) -> Option<usize> {
    let aligned = Aligned::new(board, plan.measure);
    let best = aligned.settings.iter().find(|setting| setting.tried.name == best.name)?;
    needed(&best.minus(aligned.default()?), &aligned.cluster_of, level)
}

fn questions(n: usize) -> String {
    if n == 1 { "1 question".to_owned() } else { format!("{} questions", thousands(n)) }
}

/// `+0.031 [0.008, 0.054]`.
fn with_interval(delta: f64, ci95: Option<Interval>) -> String {
    ci95.map_or_else(|| format!("{delta:+.3}"), |ci95| format!("{delta:+.3} {ci95:.3}"))
}
