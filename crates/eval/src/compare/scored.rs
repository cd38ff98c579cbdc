//! A run with its scores and outcomes.

use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::measure::Measure;
use ragtriage_runs::SavedRun;

use crate::diagnose;
use crate::score::{self, Scores};
use crate::summary::EvaluationPlan;

/// A run that is compared with the baseline.
#[derive(Clone, Copy, Debug)]
pub struct ComparedRun<'a> {
    /// Its files.
    pub run: &'a SavedRun,
    /// Number of hits it packed; its failure classes depend on it.
    pub k: usize,
}

/// A run's scores and outcomes, parallel to its traces.
pub(super) struct Scored {
    pub scores: Scores,
    pub outcomes: Vec<Outcome>,
}

impl Scored {
    pub(super) fn new(
        subject: ComparedRun<'_>,
        measures: &[Measure],
        plan: &EvaluationPlan,
    ) -> Self {
        let outcomes = diagnose::outcomes(subject.run, subject.k, plan.judge);
        Self {
            scores: score::score_classified(subject.run, &outcomes, measures, plan.judge),
            outcomes,
        }
    }
}
