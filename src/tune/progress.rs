//! Progress messages of a sweep, on stderr.

use crate::bars::ProgressBars;
use crate::{announce, output};
use ragtriage_core::measure::Measure;
use ragtriage_pipeline::Error;
use ragtriage_pipeline::progress::Progress;
use ragtriage_pipeline::sweep::trial::TrialResult;
use ragtriage_pipeline::sweep::trials::Trial;
use ragtriage_pipeline::sweep::tune::Watch;
use ragtriage_report::tuning::all_pairs;

/// Tells of a sweep on stderr, over the bars of what is under way.
pub(super) struct SweepProgress(pub(super) ProgressBars);

impl Progress for SweepProgress {
    fn start(&self, what: &str, total: u64) {
        self.0.start(what, total);
    }

    fn advance(&self, units: u64) {
        self.0.advance(units);
    }

    fn finish(&self) {
        self.0.finish();
    }
}

impl Watch for SweepProgress {
    fn begins(&self, trials: &[Trial], n_questions: usize, n_documents: usize) {
        let settings = trials.iter().map(|trial| &trial.resolved.settings);
        announce::announce_all(settings, n_questions, n_documents);
    }

    fn tried(
        &self,
        (place, of): (usize, usize),
        (trial, is_held_out): (&Trial, bool),
        measure: Measure,
        result: &Result<TrialResult, Error>,
    ) {
        let came = match result {
            Err(error) => format!("failed: {error}"),
            Ok(done) => {
                let mean = done.mean(measure).map_or(0.0, |(mean, _)| mean);
                let reused = if done.is_reused { ", finished before" } else { "" };
                format!("{measure} {mean:.3}, {:.1} s{reused}", done.seconds)
            }
        };
        let part = if is_held_out { "held out: " } else { "" };
        output::talk(&format!(
            "{part}[{place}/{of}] {} {}: {came}",
            trial.name,
            all_pairs(&trial.values)
        ));
    }
}
