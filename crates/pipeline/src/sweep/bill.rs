//! Upper bound on the cost of a sweep's answers.

use std::collections::BTreeSet;

use super::request::{Bill, SweepRequest};
use super::trials::Trial;
use crate::estimate::EstimateSink;
use crate::execute::{RunSource, execute};
use crate::settings::assemble::recipients::without_services;
use crate::settings::assemble::{self, most_completion_tokens};
use crate::stock::Stock;
use ragtriage_core::types::Estimate;

impl SweepRequest<'_> {
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
