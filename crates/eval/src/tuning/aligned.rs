//! The completed trials, on the questions that all of them have a value for: the basis of all tuning statistics.

use super::means::{mean, minus};
use super::sweep::{ScoredTrial, SweepScores, TrialScores};
use ragtriage_core::measure::{Direction, Measure};
use ragtriage_core::stats::cluster::clusters;

/// The questions and trials shared by all statistics of a sweep.
pub(super) struct AlignedSweep<'a> {
    pub measure: Measure,
    /// Indexes among the sweep's questions, ascending.
    pub questions: Vec<usize>,
    /// Questions that only some of the trials have a value for.
    pub n_left_out: usize,
    /// Questions that none of the trials has a value for.
    pub n_undefined: usize,
    /// The questions' clusters, numbered from 0 without gaps.
    pub cluster_of: Vec<usize>,
    /// In the sweep's order, without failed trials.
    pub trials: Vec<AlignedTrial<'a>>,
}

/// A completed trial; the lists are parallel to [`AlignedSweep::questions`].
pub(super) struct AlignedTrial<'a> {
    /// Its index in the sweep: 0 is the default.
    pub at: usize,
    pub scored: &'a ScoredTrial,
    pub values: Vec<f64>,
    pub context_tokens: Vec<f64>,
    measured: &'a TrialScores,
}

impl<'a> AlignedSweep<'a> {
    pub fn new(sweep: &'a SweepScores, measure: Measure) -> Self {
        let ran: Vec<(usize, &ScoredTrial, &TrialScores)> = sweep
            .trials
            .iter()
            .enumerate()
            .filter_map(|(at, scored)| Some((at, scored, scored.result.as_ref().ok()?)))
            .collect();
        let columns: Vec<Vec<Option<f64>>> = ran
            .iter()
            .map(|(_, _, measured)| {
                measured.scores.column(measure).unwrap_or_else(|| vec![None; sweep.questions.len()])
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
        Self { measure, questions, n_left_out, n_undefined, cluster_of, trials }
    }

    pub fn direction(&self) -> Direction {
        self.measure.family().direction()
    }

    /// `None` if it failed or was not tried: the first completed trial is then a different one and does not
    /// represent the default.
    pub fn default(&self) -> Option<&AlignedTrial<'a>> {
        self.trials.first().filter(|column| column.at == 0)
    }

    /// Returns another measure's mean over those of the same questions that have it; `None` if none has.
    pub fn mean_of(&self, trial: &AlignedTrial<'_>, measure: Measure) -> Option<f64> {
        let scores = &trial.measured.scores;
        let column = scores.measures.iter().position(|other| *other == measure)?;
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
