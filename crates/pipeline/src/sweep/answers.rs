//! Generated answers of trials: selecting the trials, estimating the cost, scoring the answers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::generate::{Bill, Generate};
use super::request::SweepRequest;
use super::trial::{Bench, SweepWork, TrialError, TrialResult};
use super::trials::{DEFAULT, Trial};
use crate::estimate::EstimateSink;
use crate::execute::{RunSource, execute};
use crate::settings::assemble::recipients::without_services;
use crate::settings::assemble::{self, most_completion_tokens};
use crate::stock::Stock;
use ragtriage_core::measure::{Family, Measure};
use ragtriage_core::types::Estimate;
use ragtriage_eval::tuning::TrialRanking;

/// One trial's answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answers {
    /// The trial's name.
    pub name: String,
    /// Mean `AnswerF1`, with its n.
    pub f1: Option<(f64, usize)>,
    /// Mean `AnswerEM`, with its n.
    pub em: Option<(f64, usize)>,
    /// Cost of its calls, in US dollars.
    pub cost_usd: f64,
    /// Its run's folder, from the sweep's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<PathBuf>,
    /// The error, if generation failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Answers {
    /// Scores the answers of `trial`.
    #[must_use]
    pub fn new(trial: &Trial, result: &Result<TrialResult, TrialError>, folder: &Path) -> Self {
        let name = trial.name.clone();
        let mean = |trial: &TrialResult, family| {
            Measure::new(family, None).and_then(|measure| trial.mean(measure))
        };
        match result {
            Err(error) => Self {
                name,
                f1: None,
                em: None,
                cost_usd: 0.0,
                run: None,
                error: Some(error.message.clone()),
            },
            Ok(trial) => Self {
                name,
                f1: mean(trial, Family::AnswerF1),
                em: mean(trial, Family::AnswerEm),
                cost_usd: trial.cost_usd,
                run: Some(trial.run.strip_prefix(folder).unwrap_or(&trial.run).to_owned()),
                error: None,
            },
        }
    }

    /// Returns the answer metrics.
    #[must_use]
    pub fn measures() -> Vec<Measure> {
        [Family::AnswerF1, Family::AnswerEm]
            .into_iter()
            .filter_map(|family| Measure::new(family, None))
            .collect()
    }
}

impl SweepRequest<'_> {
    /// Returns the trials to generate answers for, with their generator; none after an interrupt.
    pub(super) fn generating(&self, trials: &[Trial], ranking: &TrialRanking) -> Vec<Trial> {
        let wanted = |trial: &&Trial| {
            let row = ranking.rows.iter().find(|row| row.name == trial.name && row.error.is_none());
            row.is_some_and(|row| match self.generate {
                Generate::None => false,
                Generate::Front => row.on_front || row.name == DEFAULT,
                Generate::All => true,
            })
        };
        let generator = self.base.settings.generation.generator;
        let wanted = trials.iter().filter(|_| !*self.stop.borrow()).filter(wanted);
        wanted.map(|trial| trial.answered_by(generator)).collect()
    }

    /// Reports the estimated cost of answering `trials`, then generates the answers. Also returns the work done.
    pub(super) async fn answered(
        &self,
        bench: &Bench<'_>,
        stock: &mut Stock,
        trials: &[Trial],
        measure: Measure,
    ) -> (Vec<Answers>, SweepWork) {
        if trials.is_empty() {
            return (Vec::new(), SweepWork::default());
        }
        self.watch.bill(&Box::pin(self.bill(stock, trials)).await);
        self.watch.begins(trials, bench.part.questions.len(), bench.part.n_documents);
        let (results, work) = Box::pin(self.tried(bench, stock, trials, measure)).await;
        let done = trials
            .iter()
            .zip(&results)
            .filter_map(|(trial, result)| Some((trial, result.as_ref()?)));
        (
            done.map(|(trial, result)| Answers::new(trial, result, self.folder.path())).collect(),
            work,
        )
    }

    /// Estimates the cost of the answers of `trials`, counted on their exact prompts as far as those can be built without
    /// calling a service; no call is made. For an interrupted sweep, the amount counted until then.
    pub(super) async fn bill(&self, stock: &mut Stock, trials: &[Trial]) -> Bill {
        let chunkings: BTreeSet<String> = trials.iter().map(Trial::chunking).collect();
        let mut bill = Bill { trials: trials.len(), chunkings: chunkings.len(), ..Bill::default() };
        for trial in trials {
            let estimate = tokio::select! {
                estimate = Box::pin(self.estimate(stock, trial)) => estimate,
                () = self.stopped() => break,
            };
            let Some(estimate) = estimate else {
                bill.failed += 1;
                continue;
            };
            bill.calls += estimate.calls;
            bill.prompt_tokens += estimate.prompt_tokens;
            bill.most_completion_tokens += estimate.most_completion_tokens;
            bill.most_usd += estimate.most_cost_usd;
        }
        bill
    }

    async fn estimate(&self, stock: &mut Stock, trial: &Trial) -> Option<Estimate> {
        let mut local = trial.resolved.clone();
        local.settings = without_services(&trial.resolved.settings);
        let assembled =
            assemble::assemble(&local, self.environment, self.on_download).await.ok()?;
        let mut sink = EstimateSink::new(most_completion_tokens(&local.settings.generation), 0);
        let source = RunSource::Pipeline { stock, plan: assembled.plan };
        execute(source, &mut sink, self.watch).await.ok()?;
        Some(sink.estimate())
    }
}
