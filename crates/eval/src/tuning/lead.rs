//! Sentences about a trial that scored higher than the default on the questions that chose it, and about the other
//! trials. `verdict.rs` decides which claim is made.

use super::means::is_better;
use super::outcome::{CrossFit, Difference, HeldOut, RankedTrial, TrialRanking, TuningVerdict};
use crate::compare::{LEVEL, p_text};
use ragtriage_core::measure::Direction;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::Interval;

/// Maximum number of names listed; more are counted, since the table lists them.
const MOST_NAMES: usize = 3;

/// A trial that scored higher than the default.
pub(super) struct Lead<'a> {
    ranking: &'a TrialRanking,
    row: &'a RankedTrial,
    default: &'a RankedTrial,
    seen: Difference,
    direction: Direction,
}

/// An inconclusive comparison.
struct Unclear {
    n: usize,
    n_clusters: usize,
    /// The factor that p was multiplied by.
    evaluations: usize,
    /// The number of questions, formatted.
    questions: String,
    numbers: String,
}

impl<'a> Lead<'a> {
    /// Returns `None` if `row` did not score higher.
    pub fn new(
        row: &'a RankedTrial,
        default: &'a RankedTrial,
        ranking: &'a TrialRanking,
        direction: Direction,
    ) -> Option<Self> {
        let seen = row
            .difference
            .filter(|seen| is_better(seen.delta, direction))?;
        Some(Self {
            ranking,
            row,
            default,
            seen,
            direction,
        })
    }

    /// Returns true if max-T over all trials distinguishes it from the default.
    pub fn passes(&self) -> bool {
        passes(self.row)
    }

    pub fn claimed(&self, text: String) -> TuningVerdict {
        TuningVerdict {
            claimed: Some(self.row.name.clone()),
            text,
            n_needed: None,
        }
    }

    /// Reports that held-out questions did not distinguish it from the default.
    pub fn not_confirmed(&self, found: &HeldOut, n_needed: Option<usize>) -> TuningVerdict {
        let unclear = Unclear {
            n: found.n,
            n_clusters: found.n_clusters,
            evaluations: found.evaluations,
            questions: plural(found.n, "held-out question", "held-out questions"),
            numbers: held_out_numbers(found),
        };
        self.indistinguishable(&unclear, n_needed)
    }

    /// Reports that the choosing questions did not distinguish it from the default.
    pub fn not_shown(&self, n_needed: Option<usize>) -> TuningVerdict {
        let TrialRanking { n, n_clusters, .. } = *self.ranking;
        // Max-T already allows for all trials.
        let unclear = Unclear {
            n,
            n_clusters,
            evaluations: 1,
            questions: questions(n),
            numbers: self.numbers(),
        };
        self.indistinguishable(&unclear, n_needed)
    }

    fn indistinguishable(&self, unclear: &Unclear, n_needed: Option<usize>) -> TuningVerdict {
        let (measure, name) = (self.ranking.measure, &self.row.name);
        let Unclear {
            n,
            n_clusters,
            evaluations,
            questions,
            numbers,
        } = unclear;
        let head = if self.ranking.rows.iter().any(passes) {
            let others = self.others();
            format!(
                "{measure}: the best, {name}, is not distinguishable from the default at this n ({questions}): it scored \
                 {numbers}.{others}"
            )
        } else {
            format!(
                "{measure}: no trial is distinguishable from the default at this n ({questions}); the best, {name}, scored \
                 {numbers}."
            )
        };
        let least_p = (least_p(*n_clusters) * *evaluations as f64).min(1.0);
        let too_few = least_p >= LEVEL;
        let clusters = if too_few {
            let clusters = plural(*n_clusters, "cluster", "clusters");
            format!(
                " With {clusters} of questions that share documents p cannot come below {least_p:.3}: questions over more \
                 documents are needed."
            )
        } else {
            String::new()
        };
        // If clusters are too few, a smaller number of questions than present would be misleading.
        let size = n_needed.filter(|n_needed| !too_few || n_needed > n);
        let size = size.map_or(String::new(), |n_needed| {
            self.size_text(n_needed, n_needed <= *n)
        });
        TuningVerdict {
            claimed: None,
            text: format!("{head}{clusters}{size}"),
            n_needed,
        }
    }

    fn size_text(&self, n_needed: usize, had_as_many: bool) -> String {
        let (delta, questions) = (self.seen.delta, questions(n_needed));
        let but = if had_as_many {
            ": it is likely smaller"
        } else {
            ""
        };
        format!(
            " A true difference of {delta:+.3}, as seen where it was chosen, would be found 4 times in 5 with {questions}{but}."
        )
    }

    /// Lists the other trials that max-T distinguishes from the default; empty without any.
    fn others(&self) -> String {
        let others = self
            .ranking
            .rows
            .iter()
            .filter(|row| row.name != self.row.name && passes(row));
        let (better, worse): (Vec<&RankedTrial>, Vec<&RankedTrial>) =
            others.partition(|row: &&RankedTrial| {
                row.difference
                    .is_some_and(|seen| is_better(seen.delta, self.direction))
            });
        let n = better.len() + worse.len();
        if n == 0 {
            return String::new();
        }
        let differ = plural(n, "other trial differs", "other trials differ");
        let sides = [("better", better), ("worse", worse)]
            .into_iter()
            .filter(|(_, rows)| !rows.is_empty());
        let sides: Vec<String> = sides
            .map(|(side, rows)| format!("{side}: {}", names(&rows)))
            .collect();
        format!(
            " By max-T {differ} where the best was chosen: {}.",
            sides.join("; ")
        )
    }

    pub fn held_out_text(&self, verdict: &str, found: &HeldOut) -> String {
        let (measure, name) = (self.ranking.measure, &self.row.name);
        let (numbers, n) = (held_out_numbers(found), questions(found.n));
        format!("{name} {verdict} the default: {measure} {numbers}, on {n} that chose nothing.")
    }

    pub fn cross_fit_text(&self, found: &CrossFit) -> String {
        let (measure, name, n_folds) = (self.ranking.measure, &self.row.name, found.folds.len());
        let (numbers, n) = (self.numbers(), questions(self.ranking.n));
        let gain = with_interval(found.delta, found.ci95);
        let above: Vec<&RankedTrial> = self
            .ranking
            .rows
            .iter()
            .take_while(|row| row.name != self.row.name)
            .collect();
        let above_text = match above.len() {
            0 => String::new(),
            1 => format!(
                "; {} ranks higher and is not distinguishable",
                names(&above)
            ),
            _ => format!(
                "; {} rank higher and are not distinguishable",
                names(&above)
            ),
        };
        // The folds choose by the mean: if another trial has the best one, the gain is not this
        // trial's.
        let gained = if above.is_empty() {
            format!(
                "Chosen without the questions it is scored on, in {n_folds} folds, the gain is {gain}"
            )
        } else {
            format!(
                "Choosing the best without the questions it is scored on, in {n_folds} folds, brings {gain}"
            )
        };
        format!(
            "{name} is better than the default: {measure} {numbers}, on {n}{above_text}. {gained}."
        )
    }

    pub fn unconfirmed_text(&self) -> String {
        let (measure, name, numbers) = (self.ranking.measure, &self.row.name, self.numbers());
        format!(
            "{measure}: {name} scored {numbers} where it was chosen; nothing has confirmed that, so nothing is claimed."
        )
    }

    /// Formats the statistics on the choosing questions.
    fn numbers(&self) -> String {
        let Difference {
            delta,
            ci95,
            p_max_t,
        } = self.seen;
        let (mean, default, p) = (self.row.mean, self.default.mean, p_text(p_max_t));
        let n_trials = self
            .ranking
            .rows
            .iter()
            .filter(|row| row.difference.is_some())
            .count();
        let trials = plural(n_trials, "trial", "trials");
        format!(
            "{mean:.3} against {default:.3}, {}, p {p} by max-T over {trials}",
            with_interval(delta, ci95)
        )
    }
}

/// Formats `1 question`, `1,204 questions`.
pub(super) fn questions(n: usize) -> String {
    plural(n, "question", "questions")
}

fn passes(row: &RankedTrial) -> bool {
    row.difference.is_some_and(|seen| seen.p_max_t < LEVEL)
}

/// Returns the smallest p of a two-sided test by sign flips: of 2^clusters assignments the observed one and
/// its opposite.
fn least_p(n_clusters: usize) -> f64 {
    2.0 * 0.5_f64.powi(n_clusters as i32)
}

fn names(rows: &[&RankedTrial]) -> String {
    let said: Vec<&str> = rows
        .iter()
        .take(MOST_NAMES)
        .map(|row| row.name.as_str())
        .collect();
    let said = said.join(", ");
    match rows.len().saturating_sub(MOST_NAMES) {
        0 => said,
        more => format!("{said} and {more} more"),
    }
}

fn held_out_numbers(found: &HeldOut) -> String {
    let HeldOut {
        default,
        winner,
        delta,
        ci95,
        p,
        evaluations,
        ..
    } = *found;
    let p = p.map_or(String::new(), |p| format!(", p {}", p_text(p)));
    let evaluations = if evaluations > 1 {
        format!(" ({evaluations} evaluations allowed for)")
    } else {
        String::new()
    };
    format!(
        "{winner:.3} against {default:.3}, {}{p}{evaluations}",
        with_interval(delta, ci95)
    )
}

/// Formats `+0.031 [0.008, 0.054]`.
fn with_interval(delta: f64, ci95: Option<Interval>) -> String {
    ci95.map_or_else(
        || format!("{delta:+.3}"),
        |ci95| format!("{delta:+.3} {ci95:.3}"),
    )
}
