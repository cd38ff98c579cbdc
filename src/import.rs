//! `ragtriage import`: what another RAG recorded, its traces, or a TREC run, joined with a data set, becomes a run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use sha2::{Digest, Sha256};

use crate::bars::ProgressBars;
use crate::environment::{environment, git_commit};
use crate::failure::Failure;
use crate::judge;
use crate::report::Printed;
use crate::run;
use crate::run_args::DEFAULT_CONFIG;
use crate::run_folder::DEFAULT_OUT;
use crate::runtime::block_on;
use crate::sample::sample;
use ragtriage_core::config::GeneratorName;
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::Dataset;
use ragtriage_pipeline::ask::Done;
use ragtriage_pipeline::execute::{RunSource, execute};
use ragtriage_pipeline::record::RunSink;
use ragtriage_pipeline::settings::{Resolved, Settings, assemble, record};
use ragtriage_runs::external::input::Input;
use ragtriage_runs::external::join::{self, Joined};
use ragtriage_runs::external::recorded as lines;
use ragtriage_runs::external::spans;
use ragtriage_runs::{ExternalSource, RunFolder};

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ImportArgs {
    /// JSON lines `{id or question, contexts, answer?, prompt?, arms?}`, traces (OpenTelemetry, LangSmith, Langfuse), or a
    /// TREC run; `.gz` too, `-` for standard input.
    file: PathBuf,
    /// The settings file: data set and evaluation. Default: config/runbooks.toml.
    #[arg(long)]
    config: Option<PathBuf>,
    /// Set any setting, value in TOML: `--set dataset.limit=100`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// The file is a TREC run. Default: by its content.
    #[arg(long)]
    trec: bool,
    /// Leave out questions without a line and lines without a question, and say how many.
    #[arg(long)]
    partial: bool,
    /// The run's name. Default: the file's, the time, four hex digits.
    #[arg(long)]
    name: Option<String>,
    /// The folder that runs go to.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_OUT)]
    out: PathBuf,
    /// Print the full report instead of the first screen.
    #[arg(long, conflicts_with = "json")]
    full: bool,
    /// Print summary.json instead of the report.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn import(args: ImportArgs) -> Result<(), Failure> {
    block_on(async move {
        let config = args.config.as_deref().unwrap_or(Path::new(DEFAULT_CONFIG));
        let mut resolved = Resolved::new(Some(config), &args.sets)?;
        let bars = ProgressBars::new();
        let judge = if resolved.settings.judge.is_on() {
            let environment = environment(&resolved, false, false)?;
            assemble::judge(&resolved, &environment, &|download| bars.download(download)).await?
        } else {
            None
        };
        let clock = Instant::now();
        let mut dataset = ragtriage_datasets::load(&resolved.dataset())?;
        let input = Input::read(&args.file)?;
        let form = Form::of(input.text(), args.trec);
        let source = ExternalSource {
            kind: form.name().to_owned(),
            from: input.name().to_owned(),
            sha256: hex(&Sha256::digest(input.text())),
        };
        let mut joined = join(&input, form, &dataset, &resolved.settings, args.partial)?;
        // The text may be far larger than what is read from it.
        drop(input);
        sample(&mut dataset, &resolved.settings)?;
        dataset.questions = joined.answered(&source.from, dataset.questions, args.partial)?;
        describe(&mut resolved.settings, &joined, form);

        let mut manifest = record::begun(&resolved, (&dataset).into(), git_commit());
        manifest.external = Some(source);
        manifest
            .notes
            .extend(joined.notes.iter().map(record::counted));
        manifest
            .seconds
            .insert("load".to_owned(), clock.elapsed().as_secs_f64());
        let concurrency = 2 * rayon::current_num_threads();
        let plan = assemble::recorded(&resolved.settings, Arc::new(joined), concurrency)?;

        manifest.name = args
            .name
            .clone()
            .unwrap_or_else(|| run::fresh_name(&args.file));
        let folder = RunFolder::create(&args.out, &manifest.name)?;
        let source = RunSource::External {
            documents: dataset.documents,
            questions: dataset.questions.into_iter().enumerate().collect(),
            plan,
        };
        let mut sink = RunSink::new(&folder, manifest, Done::default(), Vec::new());
        // Half an import is worth nothing: the file is still there.
        execute(source, &mut sink, &bars)
            .await
            .inspect_err(|_| drop(std::fs::remove_dir_all(folder.path())))?;
        if let Some(judge) = judge {
            judge::ask(&folder, judge, &bars).await?;
        }
        let printed = Printed::new(args.full, args.json);
        run::conclude(&folder, &resolved.settings, config, None, printed)
    })
}

/// What the file holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Record,
    Traces,
    TrecRun,
}

impl Form {
    /// Returns the name of the form in a manifest.
    fn name(self) -> &'static str {
        match self {
            Self::Record => ExternalSource::RECORD,
            Self::Traces => ExternalSource::TRACES,
            Self::TrecRun => ExternalSource::TREC_RUN,
        }
    }

    /// Recognises the form by the content; `trec`: it is given.
    fn of(text: &str, trec: bool) -> Self {
        if trec || looks_like_trec(text) {
            Self::TrecRun
        } else if spans::is_export(text) {
            Self::Traces
        } else {
            Self::Record
        }
    }
}

/// The file's lines beside all questions of the data set: a sample is drawn afterwards, from those.
fn join(
    input: &Input,
    form: Form,
    dataset: &Dataset,
    settings: &Settings,
    partial: bool,
) -> Result<Joined, Failure> {
    let documents: HashSet<&str> = dataset
        .documents
        .iter()
        .map(|document| document.id.as_str())
        .collect();
    let is_document = |id: &str| documents.contains(id);
    let (lines, notes) = match form {
        Form::Record => (lines::read(input)?, Vec::new()),
        Form::Traces => {
            let questions = dataset.questions.iter();
            let texts: HashSet<&str> = questions.map(|question| question.text.trim()).collect();
            spans::read(input, &|text| texts.contains(text), &is_document)?
        }
        Form::TrecRun => {
            let questions = dataset.questions.iter();
            let ids: HashSet<&str> = questions.map(|question| question.id.as_str()).collect();
            let is_question = |id: &str| ids.contains(id);
            let k = settings.retrieval.k;
            (
                join::from_trec(input, k, &is_question, &is_document)?,
                Vec::new(),
            )
        }
    };
    let mut joined = Joined::new(lines, &dataset.questions, partial)?;
    joined.notes.splice(0..0, notes);
    Ok(joined)
}

/// What the settings would say of the pipeline, as far as the record shows it: `k` is what its longest prompt held, and
/// without answers there was no generator.
fn describe(settings: &mut Settings, joined: &Joined, form: Form) {
    if form != Form::TrecRun {
        settings.retrieval.k = joined.most_packed().unwrap_or(1).max(1);
        settings.retrieval.candidates = settings.retrieval.candidates.max(settings.retrieval.k);
    }
    if !joined.has_answers() {
        settings.generation.generator = GeneratorName::None;
    }
}

/// Whether the first line that is no comment is one of columns and no JSON.
fn looks_like_trec(text: &str) -> bool {
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.next().is_some_and(|line| {
        !line.starts_with(['{', '[']) && line.split_ascii_whitespace().count() >= 6
    })
}
