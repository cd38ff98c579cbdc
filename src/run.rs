//! `ragtriage run`: runs the pipeline and reports on it.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::time::Instant;

use crate::bars::ProgressBars;
use crate::environment::{environment, git_commit};
use crate::failure::Failure;
use crate::overrides::OverrideArgs;
use crate::report::Printed;
use crate::run_args::RunArgs;
use crate::runtime::block_on;
use crate::sample::{load, sample};
use crate::{announce, dry_run, interrupt, judge, output, recorded, report, resume};
use ragtriage_core::text::address;
use ragtriage_pipeline::Kind;
use ragtriage_pipeline::ask::Done;
use ragtriage_pipeline::execute::{RunSource, execute};
use ragtriage_pipeline::record::RunSink;
use ragtriage_pipeline::recorded::RecordedPlan;
use ragtriage_pipeline::run::stocked;
use ragtriage_pipeline::settings::assemble::{self, Assembled};
use ragtriage_pipeline::settings::{Resolved, Settings, record};
use ragtriage_runs::replies::{self, Replies};
use ragtriage_runs::{ExternalSource, Manifest, RunFolder, SavedRun, Spent};

/// The source of the answers.
enum Work {
    Ours(Box<Assembled>),
    Service(RecordedPlan),
}

/// Runs the command.
pub fn run(args: RunArgs) -> Result<(), Failure> {
    block_on(async move {
        let earlier = args
            .resume
            .as_deref()
            .map(|name| resume::earlier(&args.out, name))
            .transpose()?
            .flatten();
        let begins = earlier.is_none();
        let mut resolved = resolve(&args, earlier)?;
        if args.dry_run {
            let done = args
                .resume
                .as_ref()
                .filter(|_| !begins)
                .map(|name| earlier_traces(&args.out, name))
                .transpose()?;
            let done = done.map(done_by).unwrap_or_default();
            return Box::pin(dry_run::dry_run(&args, resolved, &done)).await;
        }
        let clock = Instant::now();
        let mut dataset = load(&mut resolved)?;
        let loading = clock.elapsed().as_secs_f64();
        let earlier = args.resume.as_ref().filter(|_| !begins);
        let earlier = earlier.map(|name| earlier_traces(&args.out, name)).transpose()?;
        recorded::check(&args, &resolved, &earlier.map(done_by).unwrap_or_default()).await?;
        let environment = environment(&resolved, args.offline, args.no_cache)?;
        let bars = ProgressBars::new();
        let judge = assemble::judge(&resolved, &environment)?;
        let clock = Instant::now();
        let work = if resolved.settings.external.url.is_some() {
            Work::Service(assemble::service(&resolved, &environment).await?)
        } else {
            let assembled =
                assemble::assemble(&resolved, &environment, &|download| bars.download(download))
                    .await;
            ragtriage_pipeline::progress::Progress::finish(&bars);
            Work::Ours(Box::new(assembled?))
        };
        let assembling = clock.elapsed().as_secs_f64();
        sample(&mut dataset, &resolved.settings)?;
        let mut manifest = record::begun(&resolved, (&dataset).into(), git_commit());
        match &work {
            Work::Ours(assembled) => {
                record::parts(&mut manifest, assembled);
            }
            Work::Service(_) => manifest.external = Some(service_source(&resolved.settings)),
        }
        manifest.seconds.insert("assemble".to_owned(), assembling);
        manifest.seconds.insert("load".to_owned(), loading);
        announce::announce(&resolved.settings, &dataset);

        let (folder, done, before) = open_folder(&args, begins, &mut manifest)?;
        let mut caches = Vec::new();
        let mut stock = None;
        let source = match work {
            Work::Ours(assembled) => {
                if let Some(allowance) = &assembled.allowance {
                    allowance.already(before.usd, before.tokens);
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
        conclude(&folder, &resolved.settings, args.config(), Some(&args.overrides), args.printed())
    })
}

/// Reports the folder of a run.
pub(super) fn started(folder: &RunFolder) {
    output::talk(&format!("run folder: {}", folder.path().display()));
}

/// Writes all files derived from a finished run, and prints its report.
pub(super) fn conclude(
    folder: &RunFolder,
    settings: &Settings,
    config: &Path,
    overrides: Option<&OverrideArgs>,
    printed: Printed,
) -> Result<(), Failure> {
    report::write_and_print(folder, &assemble::evaluation(settings), config, overrides, printed)
}

fn service_source(settings: &Settings) -> ExternalSource {
    let from = settings.external.url.as_deref().map(address::shown_url).unwrap_or_default();
    ExternalSource {
        kind: ExternalSource::SERVICE.to_owned(),
        is_own: false,
        from,
        sha256: String::new(),
    }
}

/// Returns the settings of file and flags; on resume without a file, those of the manifest and flags.
fn resolve(args: &RunArgs, earlier: Option<Manifest>) -> Result<Resolved, Failure> {
    let mut sets = args.overrides.sets()?;
    sets.extend(args.limit.map(|limit| format!("dataset.limit={limit}")));
    sets.extend(args.repeat.map(|repeat| format!("generation.repeat={repeat}")));
    match earlier {
        Some(earlier) if args.config.is_none() => resume::recorded(earlier, &sets),
        None if args.resume.is_some() && args.config.is_none() => Err(Failure::new(
            "the run was killed before it wrote its manifest",
            "pass the configuration file and the overrides again",
        )),
        _ => Ok(Resolved::new(Some(args.config()), &sets)?),
    }
}

/// Opens the run's folder, new or resumed, with what it has already and what that cost.
fn open_folder(
    args: &RunArgs,
    begins: bool,
    manifest: &mut Manifest,
) -> Result<(RunFolder, Done, Spent), Failure> {
    let Some(name) = &args.resume else {
        manifest.name = args.name.clone().unwrap_or_else(|| fresh_name(args.config()));
        return Ok((
            RunFolder::create(&args.out, &manifest.name)?,
            Done::default(),
            Spent::default(),
        ));
    };
    let folder = RunFolder::existing(&args.out.join(name));
    if begins {
        manifest.name.clone_from(name);
        return Ok((folder, Done::default(), Spent::default()));
    }
    let old = earlier_traces(&args.out, name)?;
    resume::go_on(name, &old, manifest)?;
    let replies = Replies::read(&folder)?;
    let spent = Spent::by(&old.traces, &replies);
    Ok((folder, Done { replies, ..done_by(old) }, spent))
}

fn earlier_traces(out: &Path, name: &str) -> Result<SavedRun, Failure> {
    Ok(SavedRun::load_incomplete(&RunFolder::existing(&out.join(name)), 0)?)
}

/// Returns the questions that need not be asked again.
fn done_by(old: SavedRun) -> Done {
    let finished = old.traces.iter().filter(|trace| !trace.failed());
    let questions = finished.map(|trace| trace.question.id.clone()).collect();
    let passages: HashSet<_> = old.passages.into_keys().collect();
    Done { questions, passages, replies: Vec::new() }
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
