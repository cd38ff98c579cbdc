//! Answers for some settings of a sweep: which, what they would cost, and how good they are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::SweepError;
use super::prepared::Prepared;
use super::setting::{DEFAULT, Setting};
use super::trial::{Bench, Trial, Work};
use super::tune::Request;
use crate::estimate::estimate_from;
use crate::settings::assemble::recipients::without_services;
use crate::settings::assemble::{self, terms};
use crate::stock::Stock;
use ragtriage_core::measure::{Family, Measure};
use ragtriage_core::types::Dataset;
use ragtriage_core::types::Estimate;
use ragtriage_eval::tuning::Ranking;

/// For which settings answers are generated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generate {
    /// None: retrieval alone.
    #[default]
    None,
    /// Those on the Pareto front, and the default.
    Front,
    /// All.
    All,
}

/// What generating would ask and cost at most. A prompt that several settings make counts for each, though it is asked once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bill {
    /// Settings.
    pub settings: usize,
    /// Different chunkings among them.
    pub chunkings: usize,
    /// Settings whose prompts could not be made.
    pub failed: usize,
    /// Calls that no kept reply answers.
    pub calls: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Most tokens of their answers.
    pub most_completion_tokens: u64,
    /// US dollars at most.
    pub most_usd: f64,
}

/// One setting's answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answers {
    /// The setting's name.
    pub name: String,
    /// Mean `AnswerF1`, with its n.
    pub f1: Option<(f64, usize)>,
    /// Mean `AnswerEM`, with its n.
    pub em: Option<(f64, usize)>,
    /// What its calls cost, in US dollars.
    pub cost_usd: f64,
    /// Its run's folder, from the sweep's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<PathBuf>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Answers {
    /// What `setting` answered.
    #[must_use]
    pub fn new(setting: &Setting, result: &Result<Trial, String>, folder: &Path) -> Self {
        let name = setting.name.clone();
        let mean = |trial: &Trial, family| {
            Measure::new(family, None).and_then(|measure| trial.mean(measure))
        };
        match result {
            Err(error) => Self {
                name,
                f1: None,
                em: None,
                cost_usd: 0.0,
                run: None,
                error: Some(error.clone()),
            },
            Ok(trial) => Self {
                name,
                f1: mean(trial, Family::AnswerF1),
                em: mean(trial, Family::AnswerEm),
                cost_usd: trial.cost_usd,
                run: Some(
                    trial
                        .run
                        .strip_prefix(folder)
                        .unwrap_or(&trial.run)
                        .to_owned(),
                ),
                error: None,
            },
        }
    }

    /// What is measured of answers.
    #[must_use]
    pub fn measures() -> Vec<Measure> {
        [Family::AnswerF1, Family::AnswerEm]
            .into_iter()
            .filter_map(|family| Measure::new(family, None))
            .collect()
    }
}

impl Request<'_> {
    /// The settings that answers are asked for, with their generator; none of an interrupted sweep.
    pub(super) fn generating(&self, settings: &[Setting], ranking: &Ranking) -> Vec<Setting> {
        let wanted = |setting: &&Setting| {
            let row = ranking
                .rows
                .iter()
                .find(|row| row.name == setting.name && row.error.is_none());
            row.is_some_and(|row| match self.generate {
                Generate::None => false,
                Generate::Front => row.on_front || row.name == DEFAULT,
                Generate::All => true,
            })
        };
        let generator = self.base.settings.generation.generator;
        let wanted = settings
            .iter()
            .filter(|_| !*self.stop.borrow())
            .filter(wanted);
        wanted
            .map(|setting| setting.answered_by(generator))
            .collect()
    }

    /// Says what answers of `settings` would cost, then has them generated; what that wanted and made stands beside them.
    pub(super) async fn answered(
        &self,
        bench: &Bench<'_>,
        stock: &mut Stock,
        settings: &[Setting],
        measure: Measure,
    ) -> (Vec<Answers>, Work) {
        if settings.is_empty() {
            return (Vec::new(), Work::default());
        }
        self.watch.bill(&Box::pin(self.bill(stock, settings)).await);
        self.watch
            .begins(settings, bench.part.questions.len(), bench.part.n_documents);
        let (results, work) = Box::pin(self.tried(bench, stock, settings, measure)).await;
        let done = settings
            .iter()
            .zip(&results)
            .filter_map(|(setting, result)| Some((setting, result.as_ref()?)));
        (
            done.map(|(setting, result)| Answers::new(setting, result, self.folder.path()))
                .collect(),
            work,
        )
    }

    /// What answers of `settings` would cost, counted on their very prompts, as far as they can be made without asking a service;
    /// nothing is asked. Of an interrupted sweep what was counted until then.
    pub(super) async fn bill(&self, stock: &mut Stock, settings: &[Setting]) -> Bill {
        let chunkings: BTreeSet<String> = settings.iter().map(Setting::chunking).collect();
        let mut bill = Bill {
            settings: settings.len(),
            chunkings: chunkings.len(),
            ..Bill::default()
        };
        for setting in settings {
            let estimate = tokio::select! {
                estimate = Box::pin(self.estimate(stock, setting)) => estimate,
                () = self.stopped() => break,
            };
            // Why it fails is said where it is tried.
            let Some(estimate) = estimate else {
                bill.failed += 1;
                continue;
            };
            bill.calls += estimate.calls;
            bill.prompt_tokens += estimate.prompt_tokens;
            bill.most_completion_tokens += estimate.completion_tokens.most;
            bill.most_usd += estimate.cost_usd.most;
        }
        bill
    }

    async fn estimate(&self, stock: &mut Stock, setting: &Setting) -> Option<Estimate> {
        let mut local = setting.resolved.clone();
        local.settings = without_services(&setting.resolved.settings);
        let assembled = assemble::assemble(&local, self.environment, self.on_download)
            .await
            .ok()?;
        let terms = terms(&local.settings.generation);
        estimate_from(stock, assembled.plan, terms, self.watch)
            .await
            .ok()
    }
}

/// What a sweep over `dataset` that generates answers for all its settings would cost; no service is called, nothing is scored.
///
/// # Errors
/// As [`super::tune::tune`].
pub async fn bill_of_all(request: &Request<'_>, dataset: Dataset) -> Result<Bill, SweepError> {
    let Prepared {
        list,
        documents,
        choosing,
        ..
    } = Prepared::new(request, dataset)?;
    let mut stock = Stock::for_many(documents, choosing.questions.clone());
    let generator = request.base.settings.generation.generator;
    let settings: Vec<Setting> = list
        .settings
        .iter()
        .map(|setting| setting.answered_by(generator))
        .collect();
    Ok(Box::pin(request.bill(&mut stock, &settings)).await)
}
