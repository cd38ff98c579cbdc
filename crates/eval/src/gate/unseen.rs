//! Gates on passages that the generator does not see.

use ragtriage_core::measure::{Cutoff, Measure};
use ragtriage_runs::SavedRun;

/// Warns that a measure looks at more passages than any prompt of the run holds, and names the measure of what the prompt
/// holds. `None` where it does not, and for a run without prompts.
pub(super) fn warning(measure: Measure, run: &SavedRun) -> Option<String> {
    let Some(Cutoff::Top(k)) = measure.cutoff() else {
        return None;
    };
    let packed = run.traces.iter().map(|trace| trace.packed().count());
    let most = packed.max().filter(|most| *most > 0)?;
    let seen = Measure::new(measure.family(), Some(Cutoff::Prompt))?;
    (most < k).then(|| {
        format!(
            "{measure} scores {k} passages, but the generator receives at most {most}: gate on {seen}, which scores those"
        )
    })
}
