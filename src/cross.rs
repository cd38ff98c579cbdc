//! `ragtriage compare --cross`: each run's passages through the other's generator.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::bars::ProgressBars;
use crate::environment::environment;
use crate::failure::Failure;
use crate::output;
use ragtriage_eval::compare::ComparePlan;
use ragtriage_eval::compare::cross::{Call, Cross, Crossed, CrossedRun, Crossing};
use ragtriage_eval::compare::pairs::Pairs;
use ragtriage_pipeline::cross::{self, Reader};
use ragtriage_pipeline::settings::{Resolved, Settings, assemble};
use ragtriage_runs::SavedRun;

#[derive(Debug, Args)]
pub struct CrossArgs {
    /// Split the difference from the baseline into retrieval and generator effects.
    ///
    /// Asks each run's generator with the other run's passages, which makes calls.
    #[arg(long)]
    cross: bool,
    /// Prompts to repeat for each generator, to measure its variation.
    #[arg(long, value_name = "N", default_value_t = 100, requires = "cross")]
    noise_sample: usize,
    /// Do not read or write the cache of responses.
    #[arg(long, requires = "cross")]
    no_cache: bool,
    /// Refuse connections to other machines.
    #[arg(long, requires = "cross")]
    offline: bool,
    /// Concurrent calls [default: the run's `generation.concurrency`].
    #[arg(long, value_name = "N", requires = "cross")]
    concurrency: Option<usize>,
}

impl CrossArgs {
    /// Returns true if `--cross` is given.
    pub fn wanted(&self) -> bool {
        self.cross
    }
}

/// A run with the settings of its record.
pub type Loaded = (SavedRun, Settings);

/// Crosses two runs.
pub async fn cross(
    baseline: &Loaded,
    others: &[Loaded],
    args: &CrossArgs,
    plan: &ComparePlan,
) -> Result<Cross, Failure> {
    let [run] = others else {
        let hint = "name a baseline and one run: `ragtriage compare A B --cross`";
        return Err(Failure::new("--cross needs a baseline and exactly one run", hint));
    };
    let pairs = Pairs::new(&baseline.0, &run.0, plan.evaluation.cluster, plan.intersect)?;
    let loaded = [baseline, run];
    let a = wire(baseline, args, false).await?;
    let b = wire(run, args, false).await?;
    let titles = loaded.map(|(_, settings)| settings.chunking.title_prefix);
    let sides = [
        CrossedRun { run: &baseline.0, prompts: Arc::clone(&a.prompts), titles: titles[0] },
        CrossedRun { run: &run.0, prompts: Arc::clone(&b.prompts), titles: titles[1] },
    ];
    let crossing = Crossing::new(sides, &pairs, args.noise_sample, plan.evaluation.seed)?;
    let (readers, again) = ([a, b], crossing.again());
    for at in [0, 1] {
        announce(at, &loaded[at].1, &readers[at], &crossing.calls()[at], again[at].len()).await;
    }
    let bars = ProgressBars::new();
    let mut crossed = Crossed::default();
    for (at, again) in again.into_iter().enumerate() {
        crossed.calls[at] = cross::ask(&readers[at], crossing.calls()[at].clone(), &bars).await?;
        if !again.is_empty() {
            crossed.again[at] =
                cross::ask(&wire(loaded[at], args, true).await?, again, &bars).await?;
        }
    }
    Ok(crossing.numbers(&crossed, &plan.evaluation)?)
}

/// Assembles the run's generator. `uncached`: its cached responses are not used.
async fn wire(
    (run, settings): &Loaded,
    args: &CrossArgs,
    uncached: bool,
) -> Result<Arc<Reader>, Failure> {
    let manifest = &run.manifest;
    let name = &manifest.name;
    if let Some(source) = &manifest.external {
        return Err(Failure::new(
            format!(
                "the answers of `{name}` come from the {} `{}`: there is no generator to ask",
                source.kind, source.from
            ),
            "--cross needs runs that `ragtriage run` made with a generator",
        ));
    }
    if manifest.shortened.iter().any(|key| key == "generation.base_url") {
        return Err(Failure::new(
            format!(
                "run `{name}` records `generation.base_url` without its user info and query, which may hold keys"
            ),
            "run it again with its keys in `generation.api_key_env` or `generation.headers_env`",
        ));
    }
    let mut settings = settings.clone();
    settings.generation.repeat = 1; // repeats are not cached
    if let Some(concurrency) = args.concurrency {
        settings.generation.concurrency = concurrency;
    }
    let resolved = Resolved::recorded(settings, PathBuf::from(&manifest.config), &[])?;
    let environment = environment(&resolved, args.offline, args.no_cache || uncached)?;
    let reader = assemble::reader(&resolved, &environment).await?.ok_or_else(|| {
        Failure::new(
            format!("run `{name}` has no generator"),
            "--cross splits a difference of answers: run it with one (`generation.generator`)",
        )
    })?;
    Ok(Arc::new(reader))
}

/// Announces the number of calls to an endpoint.
async fn announce(at: usize, settings: &Settings, reader: &Reader, calls: &[Call], n_again: usize) {
    let generation = &settings.generation;
    if !generation.calls_endpoint() || calls.len() + n_again == 0 {
        return;
    }
    let mut n_kept = 0;
    for call in calls {
        n_kept += usize::from(reader.generator.is_cached(&call.prompt).await);
    }
    let (whose, other) = if at == 0 { ("A", "B") } else { ("B", "A") };
    output::talk(&format!(
        "{} calls to {}: {} prompts with {other}'s passages to {whose}'s generator ({n_kept} more are in the cache), {n_again} of its own \
         prompts once more",
        calls.len() - n_kept + n_again,
        generation.base_url,
        calls.len() - n_kept,
    ));
}
