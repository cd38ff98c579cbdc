//! `ragtriage reproduce`: runs what a list of published figures names and puts ours beside them.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::bars::Bars;
use crate::environment::{environment, git_commit};
use crate::failure::Failure;
use crate::output;
use crate::run::{drop_if_empty, fresh_name, sample};
use crate::runtime::block_on;
use ragtriage_eval::summary;
use ragtriage_pipeline::ask::Done;
use ragtriage_pipeline::run;
use ragtriage_pipeline::settings::reproduction::{Reproduction, System};
use ragtriage_pipeline::settings::{Resolved, assemble, record};
use ragtriage_report::reproduction::{self, Row};
use ragtriage_runs::{RunFolder, SavedRun};

#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// The list of published figures with the settings that should give them.
    #[arg(default_value = "evals/reproduce.toml")]
    list: PathBuf,
    /// Where the runs' folders are made.
    #[arg(long, default_value = "evals/runs")]
    out: PathBuf,
    /// Refuse every connection that is not to this machine.
    #[arg(long)]
    offline: bool,
}

/// Runs the command: whether every system ran and every figure with a tolerance is met. A system that fails is a row that
/// says so; the others are run all the same.
pub fn reproduce(args: &ReproduceArgs) -> Result<bool, Failure> {
    let list = Reproduction::load(&args.list)?;
    let folder = args.list.parent().unwrap_or(Path::new(""));
    let mut rows = Vec::new();
    let mut failed = false;
    for system in &list.systems {
        let ours = system
            .config
            .as_ref()
            .map(|config| means(&folder.join(config), system, args))
            .transpose();
        let (ours, failure) = match ours {
            Ok(ours) => (ours, None),
            Err(failure) => {
                output::complain(&failure);
                (None, Some(format!("it failed here: {}", failure.message)))
            }
        };
        failed |= failure.is_some();
        for (at, (measure, published)) in system.published.iter().enumerate() {
            let ours = ours.as_ref().map(|ours| ours[at]);
            let System {
                data,
                name,
                source,
                tolerance,
                why,
                ..
            } = system.clone();
            let (system, measure, published) = (name, measure.to_string(), *published);
            let why = failure.clone().unwrap_or(why);
            rows.push(Row {
                data,
                system,
                source,
                measure,
                published,
                ours,
                tolerance,
                why,
            });
        }
    }
    let command = format!("`ragtriage reproduce {}`", args.list.display());
    let made_by = format!(
        "Written by {command}, ragtriage {}.",
        env!("CARGO_PKG_VERSION")
    );
    let text = reproduction::render(&list.introduction, &made_by, &rows);
    let path = folder.join(&list.output);
    std::fs::write(&path, &text).map_err(|error| {
        Failure::new(
            format!("cannot write `{}`: {error}", path.display()),
            Some("name another `output`".to_owned()),
        )
    })?;
    output::data(&text)?;
    output::talk(&format!("written: {}", path.display()));
    Ok(!failed && rows.iter().all(|row| row.met() != Some(false)))
}

/// Runs one system; each published measure's mean with its n, in the list's order.
fn means(
    config: &Path,
    system: &System,
    args: &ReproduceArgs,
) -> Result<Vec<(f64, usize)>, Failure> {
    output::talk(&format!("{}: {}", system.data, system.name));
    let mut resolved = Resolved::new(Some(config), &system.set)?;
    resolved
        .settings
        .evaluation
        .measures
        .extend(system.published.keys().copied());
    let environment = environment(&resolved, args.offline, false)?;
    block_on(async move {
        let bars = Bars::new();
        let assembled =
            assemble::assemble(&resolved, &environment, &|download| bars.download(download))
                .await?;
        let mut dataset = ragtriage_datasets::load(&assemble::load_spec(&resolved))?;
        sample(&mut dataset, &resolved.settings)?;
        let mut manifest = record::begun(&resolved, (&dataset).into(), git_commit());
        manifest.name = fresh_name(config);
        record::parts(&mut manifest, &assembled);
        let folder = RunFolder::create(&args.out, &manifest.name)?;
        manifest.save(&folder)?;
        let facts = run::run(dataset, assembled.plan, &folder, Done::default(), &bars).await;
        record::finish(
            &mut manifest,
            facts.inspect_err(|_| drop_if_empty(&folder))?,
            &assembled.vector_caches,
        );
        manifest.save(&folder)?;
        let saved = SavedRun::load(&folder)?;
        let summary = summary::evaluate(&saved, &assemble::evaluation(&resolved.settings)).summary;
        let of = |measure: &ragtriage_core::measure::Measure| {
            let found = summary
                .measures
                .get(&measure.to_string())
                .filter(|found| found.n > 0);
            found.map(|found| (found.mean, found.n)).ok_or_else(|| {
                let message = format!(
                    "`{measure}` has no value for {}, {}",
                    system.data, system.name
                );
                Failure::new(
                    message,
                    Some("see that its data set has what the measure needs".to_owned()),
                )
            })
        };
        system.published.keys().map(of).collect()
    })
}
