//! Progress messages of a sweep, on stderr.

use crate::bars::ProgressBars;
use crate::{announce, output};
use ragtriage_core::measure::Measure;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_pipeline::Error;
use ragtriage_pipeline::sweep::trial::{TrialError, TrialResult};
use ragtriage_pipeline::sweep::trials::Trial;
use ragtriage_pipeline::sweep::tune::{SweepCost, Watch};
use ragtriage_report::tuning::pairs;

/// Tells of a sweep on stderr, over the bars of what is under way.
impl Watch for ProgressBars {
    fn begins(&self, trials: &[Trial]) {
        announce::announce(trials.iter().flat_map(|it| announce::sent(&it.resolved.settings)));
    }

    fn trouble(&self, error: &Error) {
        output::talk(&format!("held-out evaluations could not be recorded: {error}"));
    }

    fn tried(
        &self,
        (place, of): (usize, usize),
        (trial, is_held_out): (&Trial, bool),
        measure: Measure,
        result: &Result<TrialResult, TrialError>,
    ) {
        let came = match result {
            Err(error) => format!("failed: {}", error.message),
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
            pairs(&trial.values)
        ));
    }

    fn cost(&self, cost: &SweepCost) {
        output::talk(&in_words(cost));
    }
}

pub(super) fn in_words(cost: &SweepCost) -> String {
    let SweepCost { trials, failed, calls, prompt_tokens, most_completion_tokens, most_usd } = cost;
    let failed = if *failed > 0 { format!(" ({failed} of them failed)") } else { String::new() };
    format!(
        "answers of {}{failed}: at most {} generator calls, {} prompt tokens, {} answer tokens, {most_usd:.4} USD",
        plural(*trials, "trial", "trials"),
        thousands(*calls as usize),
        thousands(*prompt_tokens as usize),
        thousands(*most_completion_tokens as usize),
    )
}
