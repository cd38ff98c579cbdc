//! The winner against the default on held-out questions: one look, which is recorded before it is taken.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::folder::Look;
use super::partition::Part;
use super::setting::Setting;
use super::trial::{Bench, Trial, Work};
use super::tune::Request;
use crate::settings::record;
use crate::stock::Stock;
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::{Question, Split};
use ragtriage_eval::summary;
use ragtriage_eval::tuning::{Confirmation, TuningPlan, held_out};

impl Request<'_> {
    /// Compares `winner` with `default` on the questions of `bench`. `None` where one of them fails there, and where the look cannot
    /// be recorded: then it is not taken.
    pub(super) async fn confirmed(
        &self,
        bench: &Bench<'_>,
        stock: &mut Stock,
        [default, winner]: [&Setting; 2],
        plan: &TuningPlan,
        work: &mut Work,
    ) -> Option<Confirmation> {
        let look = look(held_out_hash(&bench.part.questions), default, winner, plan);
        let looks = self
            .folder
            .look(&[look])
            .inspect_err(|error| self.watch.trouble(error))
            .ok()?;
        let pair = [default.clone(), winner.clone()];
        let (results, more) = Box::pin(self.tried(bench, stock, &pair, plan.measure)).await;
        *work = work.plus(more);
        let columns: Vec<Vec<Option<f64>>> = results
            .iter()
            .flatten()
            .flatten()
            .filter_map(|trial: &Trial| trial.marks.scores.column(plan.measure))
            .collect();
        let [default, winner] = columns.as_slice() else {
            return None;
        };
        let clusters = summary::question_clusters(
            &bench.part.questions,
            self.base.settings.evaluation.cluster,
        );
        let found = held_out(default, winner, &clusters, plan, looks);
        (found.n > 0).then_some(Confirmation::HeldOut(found))
    }

    /// Records a look for each setting where held-out questions are among those that choose: they confirm little afterwards.
    pub(super) fn note_looks(&self, part: &Part, settings: &[Setting], plan: &TuningPlan) {
        if settings.len() < 2
            || part
                .questions
                .iter()
                .all(|question| question.split != Some(Split::Heldout))
        {
            return;
        }
        let hash = held_out_hash(&part.questions);
        let looks: Vec<Look> = settings[1..]
            .iter()
            .map(|setting| look(hash.clone(), &settings[0], setting, plan))
            .collect();
        if let Err(error) = self.folder.look(&looks) {
            self.watch.trouble(&error);
        }
    }
}

fn look(questions: String, default: &Setting, setting: &Setting, plan: &TuningPlan) -> Look {
    let (default, setting) = (default.id.clone(), setting.id.clone());
    Look {
        at: record::now(),
        questions,
        default,
        setting,
        measure: plan.measure,
    }
}

/// The hash of those of `questions` that are held out, whatever their order: their ids and texts.
fn held_out_hash(questions: &[Question]) -> String {
    let held_out = questions
        .iter()
        .filter(|question| question.split == Some(Split::Heldout));
    let asked: BTreeSet<(&str, &str)> = held_out
        .map(|question| (question.id.as_str(), question.text.as_str()))
        .collect();
    hex(&Sha256::digest(serde_json::json!(asked).to_string())[..8])
}
