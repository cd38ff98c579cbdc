//! Held-out evaluation of the winner against the default, recorded before it runs.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::folder::HeldOutEvaluation;
use super::partition::QuestionPart;
use super::request::SweepRequest;
use super::trial::{Bench, SweepWork, TrialError};
use super::trials::Trial;
use crate::settings::record;
use crate::stock::Stock;
use ragtriage_core::text::causes::with_causes;
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::{Question, Split};
use ragtriage_eval::clusters;
use ragtriage_eval::tuning::{Confirmation, TuningPlan, held_out};

impl SweepRequest<'_> {
    /// Compares `winner` with `default` on the questions of `bench`. `None` if no question was compared or the sweep was stopped.
    ///
    /// # Errors
    /// The failure of one of the two, or of recording the evaluation, which is then not run.
    pub(super) async fn confirmed(
        &self,
        bench: &Bench<'_>,
        stock: &mut Stock,
        [default, winner]: [&Trial; 2],
        plan: &TuningPlan,
        work: &mut SweepWork,
    ) -> Result<Option<Confirmation>, String> {
        let evaluation = evaluation(held_out_hash(&bench.part.questions), default, winner, plan);
        let evaluations = self
            .folder
            .record_evaluations(&[evaluation])
            .inspect_err(|error| self.watch.trouble(error))
            .map_err(|error| with_causes(&error))?;
        let pair = [default.clone(), winner.clone()];
        let (results, more) = Box::pin(self.tried(bench, stock, &pair, plan.measure)).await;
        *work = work.plus(more);
        let done: Result<Vec<_>, TrialError> = results.into_iter().flatten().collect();
        let done = done.map_err(|error| error.message)?;
        let columns: Vec<Vec<Option<f64>>> =
            done.iter().filter_map(|trial| trial.measured.scores.column(plan.measure)).collect();
        let [default, winner] = columns.as_slice() else {
            return Ok(None);
        };
        let clusters = clusters::question_clusters(
            &bench.part.questions,
            self.base.settings.evaluation.cluster,
        );
        let found = held_out(default, winner, &clusters, plan, evaluations);
        Ok((found.n > 0).then_some(Confirmation::HeldOut(found)))
    }

    /// Records an evaluation for each trial if held-out questions are among the tuning questions, since they can then confirm
    /// little.
    pub(super) fn note_evaluations(
        &self,
        part: &QuestionPart,
        trials: &[Trial],
        plan: &TuningPlan,
    ) {
        if trials.len() < 2
            || part.questions.iter().all(|question| question.split != Some(Split::Heldout))
        {
            return;
        }
        let hash = held_out_hash(&part.questions);
        let evaluations: Vec<HeldOutEvaluation> = trials[1..]
            .iter()
            .map(|trial| evaluation(hash.clone(), &trials[0], trial, plan))
            .collect();
        if let Err(error) = self.folder.record_evaluations(&evaluations) {
            self.watch.trouble(&error);
        }
    }
}

fn evaluation(
    questions: String,
    default: &Trial,
    trial: &Trial,
    plan: &TuningPlan,
) -> HeldOutEvaluation {
    let (default, trial) = (default.id.clone(), trial.id.clone());
    HeldOutEvaluation { at: record::now(), questions, default, trial, measure: plan.measure }
}

/// Returns the hash of the held-out `questions` in any order: their ids and texts.
fn held_out_hash(questions: &[Question]) -> String {
    let held_out = questions.iter().filter(|question| question.split == Some(Split::Heldout));
    let asked: BTreeSet<(&str, &str)> =
        held_out.map(|question| (question.id.as_str(), question.text.as_str())).collect();
    hex(&Sha256::digest(serde_json::json!(asked).to_string())[..8])
}
