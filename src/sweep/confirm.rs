//! The winner against the default on held-out questions: one look, which is recorded before it is taken.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::SweepError;
use super::folder::Look;
use super::partition::Part;
use super::setting::Setting;
use super::trial::{Bench, Trial, Work};
use super::tune::Request;
use crate::eval::summary;
use crate::eval::tuning::{Confirmation, TuningPlan, held_out};
use crate::pipeline::stock::Stock;
use crate::settings::record;
use crate::text::hex::hex;
use crate::types::{Question, Split};

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
    ) -> Result<Option<Confirmation>, SweepError> {
        let look = look(held_out_hash(&bench.part.questions), default, winner, plan);
        let looks = self.folder.look(&[look])?;
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
        let found = held_out(default, winner, &clusters, plan, looks);
        Ok((found.n > 0).then_some(Confirmation::HeldOut(found)))
    }

    /// Records a look for each setting where held-out questions are among those that choose: they confirm nothing afterwards.
    ///
    /// # Errors
    /// Looks that cannot be recorded.
    pub(super) fn note_looks(&self, part: &Part, settings: &[Setting], plan: &TuningPlan) -> Result<(), SweepError> {
        if part.questions.iter().all(|question| question.split != Some(Split::Heldout)) {
            return Ok(());
        }
        let hash = held_out_hash(&part.questions);
        let looks: Vec<Look> =
            settings[1..].iter().map(|setting| look(hash.clone(), &settings[0], setting, plan)).collect();
        if looks.is_empty() { Ok(()) } else { self.folder.look(&looks).map(drop) }
    }
}

fn look(questions: String, default: &Setting, setting: &Setting, plan: &TuningPlan) -> Look {
    let (default, setting) = (default.id.clone(), setting.id.clone());
    Look { at: record::now(), questions, default, setting, measure: plan.measure }
}

/// The hash of those of `questions` that are held out, whatever their order: their ids and texts.
fn held_out_hash(questions: &[Question]) -> String {
    let held_out = questions.iter().filter(|question| question.split == Some(Split::Heldout));
    let asked: BTreeSet<(&str, &str)> =
        held_out.map(|question| (question.id.as_str(), question.text.as_str())).collect();
    hex(&Sha256::digest(serde_json::json!(asked).to_string())[..8])
}
