//! Verdict of a ranking and its confirmation: first the setting to use, then the evidence; `lead.rs` writes the sentences.
//!
//! A winner is the best of many, so that its lead is partly luck. A claim therefore rests on held-out questions, or, if
//! there are none, on p that are Holm-adjusted over all trials.

use super::TuningPlan;
use super::aligned::AlignedSweep;
use super::label::Labels;
use super::lead::{Wording, held_out_numbers, least_p, passes, questions};
use super::means::is_better;
use super::outcome::{Confirmation, HeldOut, RankedTrial, TrialRanking, TuningVerdict};
use super::sweep::{SweepScores, TrialTruncation};
use crate::compare::LEVEL;
use ragtriage_core::stats::detectable::needed;
use ragtriage_core::text::numbers::{percent, plural};

/// Judges `ranking`, computed from `sweep` by `plan`. On held-out questions its winner is claimed to be better than the
/// default if their p, corrected for evaluations, is under 5% and it is better there too: nothing else is tested there. By
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
        return unclaimed(nothing_ranked(ranking));
    };
    let labels = Labels::new(sweep);
    let Some(default) = default_row(ranking, sweep) else {
        return unclaimed(no_default(ranking, &labels.setting(best), best, sweep));
    };
    let wording =
        Wording { ranking, labels, default, direction: plan.measure.family().direction() };
    let mut verdict = if wording.scored_higher(best) {
        let n_tests = match confirmation {
            Some(Confirmation::HeldOut(found)) => found.evaluations,
            _ => wording.n_compared(),
        };
        let level = LEVEL / n_tests.max(1) as f64;
        let n_needed = questions_needed(best, level, sweep, plan);
        judged(&wording, best, confirmation, n_needed)
    } else {
        unclaimed(none_higher(&wording, best))
    };
    verdict.text.extend(wording.views());
    if let Some(sentence) = truncated(&wording) {
        verdict.text = format!("{sentence} {}", verdict.text);
    }
    verdict
}

/// Names the trials of which the encoder did not read all: they do not compare their chunks.
fn truncated(wording: &Wording<'_>) -> Option<String> {
    let rows = wording.ranking.rows.iter();
    let cut: Vec<(&RankedTrial, TrialTruncation)> =
        rows.filter_map(|row| Some((row, row.truncation?))).collect();
    let (worst, most) = cut.iter().max_by(|(_, a), (_, b)| a.share.total_cmp(&b.share))?;
    let share = percent(most.share);
    let name = if worst.name == wording.default.name {
        wording.labels.default()
    } else {
        wording.labels.setting(worst)
    };
    let up_to = if cut.len() == 1 { "" } else { "up to " };
    let evidence = match cut.iter().map(|(_, cut)| cut.n_questions).max() {
        None | Some(0) => String::new(),
        Some(n) => format!(" and gold evidence of {up_to}{}", questions(n)),
    };
    Some(if cut.len() == 1 {
        format!(
            "The encoder input limit drops {share} of the tokens of {name}{evidence}, so its score is not that of its chunks."
        )
    } else {
        format!(
            "The encoder input limit drops up to {share} of the tokens of {} of {} (most of {name}){evidence}, so their scores \
             are not those of their chunks.",
            cut.len(),
            plural(wording.ranking.rows.len(), "trial", "trials")
        )
    })
}

fn judged(
    wording: &Wording<'_>,
    best: &RankedTrial,
    confirmation: Option<&Confirmation>,
    n_needed: Option<usize>,
) -> TuningVerdict {
    match confirmation {
        Some(Confirmation::HeldOut(found)) => {
            let shown = found.p.is_some_and(|p| p < LEVEL);
            match (shown, is_better(found.delta, wording.direction)) {
                (true, true) => claimed(best, wording.held_out_text(best, found)),
                (true, false) => {
                    TuningVerdict { harms: true, ..unclaimed(shown_worse(wording, best, found)) }
                }
                (false, _) => not_confirmed(wording, best, found, n_needed),
            }
        }
        Some(Confirmation::Holm) => {
            let mut rows = wording.ranking.rows.iter();
            match rows.find(|row| passes(row) && wording.scored_higher(row)) {
                Some(shown) => claimed(shown, wording.adjusted_text(shown)),
                None => not_shown(wording, best, n_needed),
            }
        }
        None if passes(best) => {
            let clause = format!(
                "{} scored {} on the tuning questions, which is not confirmed",
                wording.labels.brief(best),
                wording.numbers(best)
            );
            unclaimed(wording.kept(Some((best, clause)), None))
        }
        None => not_shown(wording, best, n_needed),
    }
}

fn claimed(row: &RankedTrial, text: String) -> TuningVerdict {
    TuningVerdict { claimed: Some(row.name.clone()), ..unclaimed(text) }
}

fn unclaimed(text: String) -> TuningVerdict {
    TuningVerdict { claimed: None, harms: false, text, n_needed: None }
}

fn held_out_clause(
    wording: &Wording<'_>,
    best: &RankedTrial,
    found: &HeldOut,
    result: &str,
) -> String {
    format!(
        "{}, the best on the tuning questions, is {result} on {} ({} {})",
        wording.labels.brief(best),
        held_out_questions(found),
        wording.ranking.measure,
        held_out_numbers(found)
    )
}

fn shown_worse(wording: &Wording<'_>, best: &RankedTrial, found: &HeldOut) -> String {
    let clause = held_out_clause(wording, best, found, "worse");
    wording.kept(Some((best, clause)), None)
}

/// Reports that held-out questions did not distinguish the best trial from the default.
fn not_confirmed(
    wording: &Wording<'_>,
    best: &RankedTrial,
    found: &HeldOut,
    n_needed: Option<usize>,
) -> TuningVerdict {
    let clause = held_out_clause(wording, best, found, "not distinguishable from it");
    let size = Size::new(found.n, found.n_clusters, found.evaluations, n_needed);
    let text = wording.kept(Some((best, clause)), size.clause());
    TuningVerdict { n_needed, ..unclaimed(format!("{text}{}", size.sentences(best))) }
}

/// Reports that the choosing questions did not distinguish the best trial from the default.
fn not_shown(wording: &Wording<'_>, best: &RankedTrial, n_needed: Option<usize>) -> TuningVerdict {
    let TrialRanking { n, n_clusters, .. } = *wording.ranking;
    let size = Size::new(n, n_clusters, wording.n_compared(), n_needed);
    let text = wording.kept(None, size.clause());
    let (name, numbers) = (wording.labels.brief(best), wording.numbers(best));
    let measure = wording.ranking.measure;
    let sentences = size.sentences(best);
    TuningVerdict {
        n_needed,
        ..unclaimed(format!("{text} The best, {name}, scored {measure} {numbers}.{sentences}"))
    }
}

/// The questions that a comparison had, and those it would need.
struct Size {
    n: usize,
    n_clusters: usize,
    least_p: f64,
    n_needed: Option<usize>,
}

impl Size {
    /// `n_tests`: the factor that the smallest p was multiplied by.
    fn new(n: usize, n_clusters: usize, n_tests: usize, n_needed: Option<usize>) -> Self {
        let least_p = (least_p(n_clusters) * n_tests as f64).min(1.0);
        // If clusters are too few, a smaller number of questions than present would be misleading.
        let n_needed = n_needed.filter(|needed| least_p < LEVEL || *needed > n);
        Self { n, n_clusters, least_p, n_needed }
    }

    fn clause(&self) -> Option<String> {
        let needed = self.n_needed.filter(|needed| *needed > self.n)?;
        Some(format!("about {} would be needed", questions(needed)))
    }

    fn sentences(&self, best: &RankedTrial) -> String {
        let mut text = String::new();
        if self.least_p >= LEVEL {
            let clusters = plural(self.n_clusters, "cluster", "clusters");
            text = format!(
                " With {clusters} of questions that share evidence, p cannot fall below {:.3}: add questions on other evidence.",
                self.least_p
            );
        }
        if let Some((needed, seen)) = self.n_needed.zip(best.difference) {
            let (delta, questions) = (seen.delta, questions(needed));
            let sentence = if needed <= self.n {
                format!(
                    " Detecting {delta:+.3}, the difference on the tuning questions, takes {questions} (80% power): the true difference is likely smaller."
                )
            } else {
                format!(
                    " Detecting {delta:+.3}, the difference on the tuning questions, takes {questions} (80% power)."
                )
            };
            text += &sentence;
        }
        text
    }
}

fn held_out_questions(found: &HeldOut) -> String {
    plural(found.n, "held-out question", "held-out questions")
}

/// Returns the default's row; `None` if it failed.
fn default_row<'a>(ranking: &'a TrialRanking, sweep: &SweepScores) -> Option<&'a RankedTrial> {
    let default = sweep.trials.first()?;
    ranking.rows.iter().find(|row| row.name == default.name && row.error.is_none())
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
        ranking.measure, best.mean
    )
}

fn none_higher(wording: &Wording<'_>, best: &RankedTrial) -> String {
    let (measure, n) = (wording.ranking.measure, questions(wording.ranking.n));
    let mean = wording.default.mean;
    let text = wording.kept(None, None);
    let has_failed = wording.ranking.rows.iter().any(|row| row.error.is_some());
    let ran = if has_failed { " that ran" } else { "" };
    let head =
        format!("{text} No trial{ran} scored higher than the default, {measure} {mean:.3} on {n}");
    if best.name == wording.default.name {
        return format!("{head}.");
    }
    let (fewer, more) = (best.context_tokens, wording.default.context_tokens);
    format!(
        "{head}; {} scored the same and packs fewer tokens, {fewer:.0} against {more:.0}.",
        wording.labels.brief(best)
    )
}

fn questions_needed(
    best: &RankedTrial,
    level: f64,
    sweep: &SweepScores,
    plan: &TuningPlan,
) -> Option<usize> {
    let aligned = AlignedSweep::new(sweep, plan.measure);
    let best = aligned.trials.iter().find(|trial| trial.scored.name == best.name)?;
    needed(&best.minus(aligned.default()?), &aligned.cluster_of, level)
}
