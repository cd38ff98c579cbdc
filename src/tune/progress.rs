//! Progress messages of a sweep, on stderr.

use crate::announce::announce;
use crate::bars::ProgressBars;
use crate::output;
use ragtriage_pipeline::Error;
use ragtriage_pipeline::settings::assemble::recipients::recipients;
use ragtriage_pipeline::sweep::trial::TrialResult;
use ragtriage_pipeline::sweep::trials::Trial;
use ragtriage_pipeline::sweep::tune::Watch;
use ragtriage_report::tuning::pairs;

/// Tells of a sweep on stderr, over the bars of what is under way.
impl Watch for ProgressBars {
    fn begins(&self, trials: &[Trial]) {
        announce(trials.iter().flat_map(|it| recipients(&it.resolved.settings)));
    }

    fn tried(
        &self,
        (place, of): (usize, usize),
        (trial, is_held_out): (&Trial, bool),
        result: &Result<TrialResult, Error>,
    ) {
        let came = match result {
            Err(error) => format!("failed: {error}"),
            Ok(done) => format!("finished{}", if done.is_reused { " before" } else { "" }),
        };
        let part = if is_held_out { "held out: " } else { "" };
        output::talk(&format!(
            "{part}[{place}/{of}] {} {}: {came}",
            trial.name,
            pairs(&trial.values)
        ));
    }
}
