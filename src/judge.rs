//! The judge of a run's answers: asked once a run has its answers.

use crate::bars::ProgressBars;
use crate::failure::Failure;
use crate::output;
use ragtriage_core::text::numbers::plural;
use ragtriage_data::run::{Manifest, RunFolder, SavedRun, judged};
use ragtriage_pipeline::judging::{JudgingOutcome, judge_answers};
use ragtriage_pipeline::settings::assemble::{self, AssembledJudge};

/// Asks the judge about the answers in `folder` that the rule leaves open, and a sample of the others. A judge that fails does not fail the run.
pub(super) async fn ask(
    folder: &RunFolder,
    judge: AssembledJudge,
    bars: &ProgressBars,
) -> Result<(), Failure> {
    let AssembledJudge { plan, allowance } = judge;
    let run = SavedRun::load(folder)?;
    if let Some(allowance) = &allowance {
        allowance.already(judged::spent(&run.decided.replies));
    }
    let rule = assemble::evaluation(&run.manifest.settings).judge;
    let outcome = judge_answers(folder, &run.traces, rule, &plan, bars).await?;
    if let Some(problem) = problem(&outcome, &run.manifest) {
        output::talk(&problem);
    }
    Ok(())
}

fn problem(outcome: &JudgingOutcome, run: &Manifest) -> Option<String> {
    let last = outcome.last.as_ref()?;
    let answers = plural(outcome.n_failed + outcome.n_left, "answer", "answers");
    let hint = if run.is_imported() {
        String::new()
    } else {
        format!("; `ragtriage run --resume {}` asks again", run.name)
    };
    Some(format!("the judge has no verdict on {answers}; last error: {last}{hint}"))
}
