//! The winner against the default on held-out questions: one look, which is recorded before it is taken.

use sha2::{Digest, Sha256};

use super::SweepError;
use super::folder::Look;
use super::setting::Setting;
use super::trial::{Bench, Trial, Work};
use super::tune::Request;
use crate::eval::summary;
use crate::eval::tuning::{HeldOut, TuningPlan, held_out};
use crate::pipeline::stock::Stock;
use crate::settings::record;
use crate::text::hex::hex;

impl Request<'_> {
    /// Compares `winner` with `default` on the questions of `bench`; `None` where one of them fails there.
    ///
    /// # Errors
    /// A look that cannot be recorded is not taken.
    pub(super) async fn confirmed(
        &self,
        bench: &Bench<'_>,
        stock: &mut Stock,
        [default, winner]: [&Setting; 2],
        plan: &TuningPlan,
        work: &mut Work,
    ) -> Result<Option<HeldOut>, SweepError> {
        let looks = self.folder.look(&Look {
            at: record::now(),
            questions: bench.questions_hash(),
            default: default.id.clone(),
            setting: winner.id.clone(),
        })?;
        let pair = [default.clone(), winner.clone()];
        let (results, more) = self.tried(bench, stock, &pair, plan.measure).await;
        *work = work.plus(more);
        let columns: Vec<Vec<Option<f64>>> = results
            .iter()
            .flatten()
            .flatten()
            .filter_map(|trial: &Trial| trial.marks.scores.column(plan.measure))
            .collect();
        let [default, winner] = columns.as_slice() else { return Ok(None) };
        let clusters = summary::question_clusters(&bench.part.questions, self.base.settings.evaluation.cluster);
        Ok(Some(held_out(default, winner, &clusters, plan, looks)))
    }
}

impl Bench<'_> {
    /// The hash of the questions' ids and of the data set.
    fn questions_hash(&self) -> String {
        let ids: Vec<&str> = self.part.questions.iter().map(|question| question.id.as_str()).collect();
        hex(&Sha256::digest(serde_json::json!([self.part.digest, ids]).to_string())[..8])
    }
}
