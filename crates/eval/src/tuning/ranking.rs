//! Ranks a sweep, with every trial's statistics and its difference from the default, and compares the winner with the default on
//! held-out questions.

use std::cmp::Ordering;

use super::{
    Difference, HeldOut, RankedTrial, ScoredTrial, SweepScores, TrialRanking, TrialScores,
    TuningPlan,
};
use crate::clusters;
use crate::compare::differences::TIE;
use crate::metric_summary::mean;
use ragtriage_core::metric::{Direction, Family, Metric};
use ragtriage_core::stats::cluster::clusters;
use ragtriage_core::stats::detectable::detectable;
use ragtriage_core::stats::holm::holm;
use ragtriage_core::stats::randomisation::{RandomisationPlan, Randomised, randomisation};
use ragtriage_core::stats::t::mean_error;

/// Ranks the trials of `sweep` by `plan.metric`, over the questions that every completed trial has a value for.
#[must_use]
pub fn rank(sweep: &SweepScores, plan: &TuningPlan) -> TrialRanking {
    let aligned = AlignedSweep::new(sweep, plan.metric);
    let n = aligned.questions.len();
    let order = best_first(&aligned);
    let differences = differences(&aligned, plan);
    let mut rows: Vec<RankedTrial> =
        order.iter().map(|&at| row(&aligned.trials[at], differences[at], &aligned, plan)).collect();
    let winner = order.first().filter(|_| n > 0).map(|&best| &aligned.trials[best]);
    let sizes = clusters::sizes(&aligned.cluster_of);
    rows.extend(sweep.trials.iter().filter_map(failed_row));
    TrialRanking {
        metric: plan.metric,
        n,
        n_left_out: aligned.n_left_out,
        n_undefined: aligned.n_undefined,
        n_clusters: sizes.n,
        largest_cluster: sizes.largest,
        winner: winner.map(|winner| winner.scored.name.clone()),
        rows,
    }
}

/// Returns the indexes of [`AlignedSweep::trials`], best first: by the metric, then fewer context tokens, then the default, then
/// the earlier one.
fn best_first(aligned: &AlignedSweep<'_>) -> Vec<usize> {
    let trials = aligned.trials.iter();
    let (means, tokens): (Vec<f64>, Vec<f64>) =
        trials.map(|trial| (mean(&trial.values), mean(&trial.context_tokens))).unzip();
    let mut order: Vec<usize> = (0..means.len()).collect();
    order.sort_by(|&a, &b| by_mean(means[a], means[b], aligned.direction()));
    // Neighbours that differ by rounding are tied; the default, being the first, precedes trials tied
    // with it.
    for equals in order.chunk_by_mut(|&a, &b| (means[a] - means[b]).abs() <= TIE) {
        equals.sort_by(|&a, &b| tokens[a].total_cmp(&tokens[b]).then(a.cmp(&b)));
    }
    order
}

fn by_mean(a: f64, b: f64, direction: Direction) -> Ordering {
    match direction {
        Direction::Higher => b.total_cmp(&a),
        Direction::Lower => a.total_cmp(&b),
    }
}

/// Sign flips for each trial, at least: p of n flips is no less than 1 / (n + 1), and the adjustment multiplies it by the trials.
const FLIPS_A_TRIAL: usize = 20;

/// Returns each trial's difference from the default, parallel to the trials.
fn differences(aligned: &AlignedSweep<'_>, plan: &TuningPlan) -> Vec<Option<Difference>> {
    let mut found = vec![None; aligned.trials.len()];
    let Some(default) = aligned.default().filter(|_| !aligned.questions.is_empty()) else {
        return found;
    };
    // The default is the first.
    let others = &aligned.trials[1..];
    let permutations = plan.permutations.max(FLIPS_A_TRIAL * others.len());
    let plan = TuningPlan { permutations, ..plan.clone() };
    let tests = others.iter().map(|trial| {
        let differences = trial.minus(default);
        let test = tested(&differences, &aligned.cluster_of, others.len(), &plan);
        let Randomised { p, interval, .. } = test.expect("there are questions");
        let detectable = detectable(&differences, &aligned.cluster_of);
        Difference { delta: mean(&differences), ci95: interval, p_holm: p, detectable }
    });
    let tests: Vec<Difference> = tests.collect();
    let p_values: Vec<f64> = tests.iter().map(|test| test.p_holm).collect();
    for ((found, test), p_holm) in found[1..].iter_mut().zip(tests).zip(holm(&p_values)) {
        *found = Some(Difference { p_holm, ..test });
    }
    found
}

fn row(
    trial: &AlignedTrial<'_>,
    difference: Option<Difference>,
    aligned: &AlignedSweep<'_>,
    plan: &TuningPlan,
) -> RankedTrial {
    RankedTrial {
        name: trial.scored.name.clone(),
        values: trial.scored.values.clone(),
        error: None,
        mean: mean(&trial.values),
        // If all clusters agree, the interval is the exact binomial bound for equal values.
        ci95: mean_error(&trial.values, &aligned.cluster_of)
            .map(|error| error.interval_in(plan.metric.family().range())),
        context_tokens: mean(&trial.context_tokens),
        seconds: Metric::new(Family::Seconds, None).and_then(|cost| aligned.mean_of(trial, cost)),
        difference,
        n_truncated: trial.scored.result.as_ref().map_or(0, |scores| scores.n_truncated),
    }
}

/// Returns the row of a failed trial; `None` for a completed one.
fn failed_row(trial: &ScoredTrial) -> Option<RankedTrial> {
    let error = trial.result.as_ref().err()?;
    Some(RankedTrial {
        name: trial.name.clone(),
        values: trial.values.clone(),
        error: Some(error.clone()),
        mean: 0.0,
        ci95: None,
        context_tokens: 0.0,
        seconds: None,
        difference: None,
        n_truncated: 0,
    })
}

/// Compares the winner with the default on held-out questions: the values of `plan.metric` by question, where both have one.
#[must_use]
pub fn held_out(
    default: &[Option<f64>],
    winner: &[Option<f64>],
    cluster_of: &[usize],
    plan: &TuningPlan,
) -> HeldOut {
    let pairs = default.iter().zip(winner).zip(cluster_of);
    let compared: Vec<((f64, f64), usize)> = pairs
        .filter_map(|((default, winner), &cluster)| Some((((*default)?, (*winner)?), cluster)))
        .collect();
    let (pairs, cluster_of): (Vec<(f64, f64)>, Vec<usize>) = compared.into_iter().unzip();
    let (default, winner): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    let differences: Vec<f64> =
        winner.iter().zip(&default).map(|(winner, default)| minus(*winner, *default)).collect();
    let test = tested(&differences, &cluster_of, 1, plan);
    let sizes = clusters::sizes(&cluster_of);
    HeldOut {
        n: differences.len(),
        n_clusters: sizes.n,
        default: mean(&default),
        winner: mean(&winner),
        delta: mean(&differences),
        ci95: test.and_then(|test| test.interval),
        p: test.map(|test| test.p),
        detectable: detectable(&differences, &cluster_of),
    }
}

/// Returns the test of a mean of differences as one of `tests`, its interval clamped to the range of differences of the
/// metric.
pub(super) fn tested(
    differences: &[f64],
    cluster_of: &[usize],
    tests: usize,
    plan: &TuningPlan,
) -> Option<Randomised> {
    let options = RandomisationPlan { permutations: plan.permutations, seed: plan.seed, tests };
    let test = randomisation(differences, cluster_of, options)?;
    let (low, high) = plan.metric.family().range();
    let interval = test.interval.map(|interval| interval.within(high - low));
    Some(Randomised { interval, ..test })
}

/// Returns `a - b`, or 0 if they differ only by rounding: many such differences would add up to a spurious
/// one.
fn minus(a: f64, b: f64) -> f64 {
    let difference = a - b;
    if difference.abs() <= TIE { 0.0 } else { difference }
}

/// Returns true if a difference, or a mean against another, is an improvement beyond rounding.
pub(super) fn is_better(delta: f64, direction: Direction) -> bool {
    match direction {
        Direction::Higher => delta > TIE,
        Direction::Lower => delta < -TIE,
    }
}

/// The questions and trials shared by all statistics of a sweep.
pub(super) struct AlignedSweep<'a> {
    metric: Metric,
    /// Indexes among the sweep's questions, ascending.
    questions: Vec<usize>,
    /// Questions that only some of the trials have a value for.
    n_left_out: usize,
    /// Questions that none of the trials has a value for.
    n_undefined: usize,
    /// The questions' clusters, numbered from 0 without gaps.
    pub cluster_of: Vec<usize>,
    /// In the sweep's order, without failed trials.
    pub trials: Vec<AlignedTrial<'a>>,
}

/// A completed trial; the lists are parallel to [`AlignedSweep::questions`].
pub(super) struct AlignedTrial<'a> {
    /// Its index in the sweep: 0 is the default.
    at: usize,
    pub scored: &'a ScoredTrial,
    values: Vec<f64>,
    context_tokens: Vec<f64>,
    measured: &'a TrialScores,
}

impl<'a> AlignedSweep<'a> {
    pub fn new(sweep: &'a SweepScores, metric: Metric) -> Self {
        let ran: Vec<(usize, &ScoredTrial, &TrialScores)> = sweep
            .trials
            .iter()
            .enumerate()
            .filter_map(|(at, scored)| Some((at, scored, scored.result.as_ref().ok()?)))
            .collect();
        let columns: Vec<Vec<Option<f64>>> = ran
            .iter()
            .map(|(_, _, measured)| {
                measured.scores.column(metric).unwrap_or_else(|| vec![None; sweep.questions.len()])
            })
            .collect();
        let (mut questions, mut n_left_out, mut n_undefined) = (Vec::new(), 0, 0);
        for question in 0..sweep.questions.len() {
            let valued = columns.iter().filter(|column| column[question].is_some());
            match valued.count() {
                0 => n_undefined += 1,
                n if n == ran.len() => questions.push(question),
                _ => n_left_out += 1,
            }
        }
        let trials = ran.into_iter().zip(columns);
        let trials = trials
            .map(|((at, scored, measured), values)| AlignedTrial {
                at,
                scored,
                values: questions.iter().filter_map(|&question| values[question]).collect(),
                // A question with a value did not fail, so something was packed for it, possibly of 0
                // tokens.
                context_tokens: questions
                    .iter()
                    .map(|&at| measured.context_tokens[at].unwrap_or(0.0))
                    .collect(),
                measured,
            })
            .collect();
        let cluster_of = clusters(questions.iter().map(|&question| [sweep.cluster_of[question]]));
        Self { metric, questions, n_left_out, n_undefined, cluster_of, trials }
    }

    fn direction(&self) -> Direction {
        self.metric.family().direction()
    }

    /// `None` if it failed or was not tried: the first completed trial is then a different one and does not
    /// represent the default.
    pub fn default(&self) -> Option<&AlignedTrial<'a>> {
        self.trials.first().filter(|column| column.at == 0)
    }

    /// Returns another metric's mean over those of the same questions that have it; `None` if none has.
    fn mean_of(&self, trial: &AlignedTrial<'_>, metric: Metric) -> Option<f64> {
        let scores = &trial.measured.scores;
        let column = scores.metrics.iter().position(|other| *other == metric)?;
        let values: Vec<f64> =
            self.questions.iter().filter_map(|&question| scores.rows[question][column]).collect();
        (!values.is_empty()).then(|| mean(&values))
    }
}

impl AlignedTrial<'_> {
    /// Returns the differences of this trial minus another, by question.
    pub fn minus(&self, other: &Self) -> Vec<f64> {
        self.values.iter().zip(&other.values).map(|(a, b)| minus(*a, *b)).collect()
    }
}
