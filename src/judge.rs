//! The judge of a run's answers: asked once a run has its answers, measured for its reports.

use crate::bars::ProgressBars;
use crate::failure::Failure;
use crate::output;
use ragtriage_core::rightness::Correctness;
use ragtriage_core::text::numbers::plural;
use ragtriage_eval::audit::Corrections;
use ragtriage_eval::judge::{JudgeSummary, judge_summary};
use ragtriage_eval::summary::EvaluationPlan;
use ragtriage_pipeline::judging::{JudgingOutcome, judge_answers};
use ragtriage_pipeline::settings::assemble::AssembledJudge;
use ragtriage_runs::{Manifest, RunFolder, SavedRun, judged};

/// Asks the judge for the answers in `folder` that it has not judged yet. A judge that fails does not fail the run.
pub(super) async fn ask(
    folder: &RunFolder,
    judge: AssembledJudge,
    bars: &ProgressBars,
) -> Result<(), Failure> {
    let AssembledJudge { plan, replies, allowance } = judge;
    if let Some(allowance) = &allowance {
        let spent = judged::spent(&judged::read(folder)?);
        allowance.already(spent.usd, spent.tokens);
    }
    let run = SavedRun::load(folder)?;
    let outcome = judge_answers(folder, &run.traces, &plan, bars).await?;
    if let Some(failure) = replies.as_ref().and_then(|replies| replies.failure()) {
        output::talk(&format!(
            "some responses of the judge could not be cached and will be paid for again: {failure}"
        ));
    }
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

/// Measures the verdicts in the run's folder; `None` if it has none.
pub(super) fn stored(
    folder: &RunFolder,
    run: &SavedRun,
    rule: &[Option<Correctness>],
    corrections: Option<&Corrections>,
    plan: &EvaluationPlan,
) -> Result<Option<JudgeSummary>, Failure> {
    let replies = judged::read(folder)?;
    Ok(judge_summary(run, rule, &replies, corrections, plan))
}
