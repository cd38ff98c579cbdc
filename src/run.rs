//! `ragtriage run`: runs the pipeline and reports on it.

use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use crate::announce::announce;
use crate::bars::ProgressBars;
use crate::environment::{assembled, environment, git_commit};
use crate::failure::Failure;
use crate::overrides::OverrideArgs;
use crate::run_folder::{configuration, runs};
use crate::runtime::block_on;
use crate::sample::{load, sample};
use crate::shell::shell;
use crate::{dry_run, interrupt, judge, output, report, resume};
use ragtriage_core::text::address;
use ragtriage_core::types::Dataset;
use ragtriage_data::run::replies::{self, Replies};
use ragtriage_data::run::{ExternalSource, Manifest, RunFolder, spent};
use ragtriage_pipeline::Kind;
use ragtriage_pipeline::execute::{RunSource, execute};
use ragtriage_pipeline::record::RunSink;
use ragtriage_pipeline::recorded::RecordedPlan;
use ragtriage_pipeline::run::stocked;
use ragtriage_pipeline::settings::assemble::recipients::recipients;
use ragtriage_pipeline::settings::assemble::{self, Assembled};
use ragtriage_pipeline::settings::{Resolved, record};

#[derive(Debug, Default, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct RunArgs {
    /// Configuration file [default: ragtriage.toml, here or above].
    pub(super) config: Option<PathBuf>,
    #[command(flatten)]
    pub(super) overrides: OverrideArgs,
    /// Use a seeded sample of N questions over the whole corpus.
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    /// Name of the run [default: file name, time and four hex digits].
    #[arg(long)]
    pub(super) name: Option<String>,
    /// Folder to write runs to.
    #[arg(long, value_name = "DIR", default_value_os_t = runs())]
    pub(super) out: PathBuf,
    /// Resume a run, asking only missing or failed questions.
    ///
    /// Uses the recorded configuration; overrides must match it.
    #[arg(long, value_name = "NAME", conflicts_with = "name")]
    pub(super) resume: Option<String>,
    /// Estimate calls, cost and data sent, without calling a service.
    ///
    /// Retrieval runs on this machine.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Do not read or write the caches of vectors and responses.
    #[arg(long)]
    pub(super) no_cache: bool,
    /// Refuse connections to other machines.
    #[arg(long)]
    pub(super) offline: bool,
    /// Print the full report instead of one screen.
    #[arg(long, conflicts_with = "json")]
    pub(super) full: bool,
    /// Print JSON: summary.json, or the estimate of --dry-run.
    #[arg(long)]
    pub(super) json: bool,
}

impl RunArgs {
    /// Returns the flag that names the folder of runs, after a space; empty for the default.
    pub fn out_flag(&self) -> String {
        if self.out == runs() { String::new() } else { format!(" --out {}", shell(&self.out)) }
    }
}

/// The source of the answers.
enum Work {
    Ours(Box<Assembled>),
    Service(RecordedPlan),
}

/// Runs the command.
pub fn run(args: RunArgs) -> Result<(), Failure> {
    block_on(async move {
        let earlier = match &args.resume {
            Some(name) => resume::earlier(&args.out, name)?,
            None => None,
        };
        let has_earlier = earlier.is_some();
        let mut resolved = resolve(&args, earlier)?;
        let config = resolved.file.clone().unwrap_or_default();
        if args.dry_run {
            let done = resume::done(&args, has_earlier)?.map(|(_, done)| done);
            return Box::pin(dry_run::of_run(&args, resolved, &done.unwrap_or_default())).await;
        }
        let clock = Instant::now();
        let mut dataset = load(&mut resolved)?;
        let loading = clock.elapsed().as_secs_f64();
        sample(&mut dataset, &resolved.settings)?;
        let environment = environment(&resolved, args.offline, args.no_cache);
        let bars = ProgressBars::new();
        let judge = assemble::judge(&resolved, &environment)?;
        let clock = Instant::now();
        let work = if resolved.settings.external.url.is_some() {
            Work::Service(assemble::service(&resolved, &environment).await?)
        } else {
            Work::Ours(Box::new(assembled(&resolved, &environment, &bars).await?))
        };
        let assembling = clock.elapsed().as_secs_f64();
        let mut manifest = begun(&resolved, &dataset, &work);
        manifest.seconds.insert("assemble".to_owned(), assembling);
        manifest.seconds.insert("load".to_owned(), loading);
        announce(recipients(&resolved.settings));

        manifest.name = match &args.resume {
            Some(name) => name.clone(),
            None => args.name.clone().unwrap_or_else(|| fresh_name(&config)),
        };
        let (old, done) = resume::done(&args, has_earlier)?.unzip();
        let mut done = done.unwrap_or_default();
        if let Some(old) = &old {
            resume::go_on(old, &mut manifest)?;
        }
        let folder = match &args.resume {
            Some(name) => RunFolder::existing(&args.out.join(name)),
            None => RunFolder::create(&args.out, &manifest.name)?,
        };
        let mut before = 0.0;
        if let Some(old) = old {
            done.replies = Replies::read(&folder)?;
            before = spent(&old.traces, &done.replies);
        }
        let mut caches = Vec::new();
        let mut stock = None;
        let source = match work {
            Work::Ours(assembled) => {
                if let Some(allowance) = &assembled.allowance {
                    allowance.already(before);
                }
                caches = assembled.vector_caches;
                RunSource::Pipeline {
                    stock: stock.insert(stocked(dataset, &done)),
                    plan: assembled.plan,
                }
            }
            Work::Service(mut plan) => {
                plan.draw(&dataset.questions);
                RunSource::External {
                    documents: dataset.documents,
                    questions: done.left(dataset.questions),
                    plan,
                }
            }
        };
        started(&folder);
        let resumed = format!("--resume {}{}", folder.name(), args.out_flag());
        interrupt::watch(folder.clone(), format!("ragtriage run {resumed}"));
        let mut sink = RunSink::new(&folder, manifest, done, caches);
        let outcome = execute(source, &mut sink, &bars).await;
        outcome.inspect_err(|error| {
            // It can be resumed once the limit is raised; another process may be at work in a resumed one.
            if error.kind != Kind::Limit && args.resume.is_none() {
                drop_if_empty(&folder);
            }
        })?;
        // What follows reads the run's folder alone.
        drop(stock);
        if let Some(judge) = judge {
            judge::ask(&folder, judge, &bars).await?;
        }
        let plan = assemble::evaluation(&resolved.settings);
        let printed = (args.full, args.json);
        report::conclude(&folder, &plan, &config, Some(&args.overrides), printed)
    })
}

/// Returns the manifest of a run that begins.
fn begun(resolved: &Resolved, dataset: &Dataset, work: &Work) -> Manifest {
    let Dataset { documents, questions, notes, digest } = dataset;
    let counts = (documents.len(), questions.len());
    let mut manifest = record::begun(resolved, (digest, notes), counts, git_commit());
    match work {
        Work::Ours(assembled) => record::parts(&mut manifest, assembled),
        Work::Service(_) => {
            let url = resolved.settings.external.url.as_deref();
            manifest.external = Some(ExternalSource {
                kind: ExternalSource::SERVICE.to_owned(),
                from: url.map(address::shown_url).unwrap_or_default(),
                sha256: String::new(),
            });
        }
    }
    manifest
}

/// Reports the folder of a run.
pub(super) fn started(folder: &RunFolder) {
    output::talk(&format!("run folder: {}", folder.path().display()));
}

/// Returns the settings of file and flags; on resume without a file, those of the manifest and flags.
fn resolve(args: &RunArgs, earlier: Option<Manifest>) -> Result<Resolved, Failure> {
    let mut sets = args.overrides.sets()?;
    sets.extend(args.limit.map(|limit| format!("dataset.limit={limit}")));
    match earlier {
        Some(earlier) if args.config.is_none() => resume::recorded(earlier, &sets),
        None if args.resume.is_some() && args.config.is_none() => Err(Failure::new(
            "the run was killed before it wrote its manifest",
            "pass the configuration file and the overrides again",
        )),
        _ => Ok(Resolved::new(Some(&configuration(args.config.as_deref())?), &sets)?),
    }
}

/// Returns the name of a configuration file without its extension, as a valid name of a folder.
pub(super) fn stem_of(config: &Path) -> String {
    let stem = config.file_stem().unwrap_or_default().to_string_lossy();
    stem.replace(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-'), "-")
}

/// `<config stem>-<UTC time>-<4 hex>`.
pub(super) fn fresh_name(config: &Path) -> String {
    let stem = stem_of(config);
    let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    // A RandomState is seeded by the operating system: enough to keep two runs of one second apart.
    let random = std::hash::RandomState::new().build_hasher().finish() & 0xffff;
    format!("{stem}-{time}-{random:04x}")
}

/// Removes the folder of a run that ended before its first question.
pub(super) fn drop_if_empty(folder: &RunFolder) {
    let mut files = ["traces.jsonl", replies::FILE].into_iter();
    if files.all(|file| std::fs::metadata(folder.file(file)).map_or(true, |it| it.len() == 0)) {
        let _ = std::fs::remove_dir_all(folder.path());
    }
}
