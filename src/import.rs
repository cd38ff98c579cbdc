//! `ragtriage import`: what another RAG recorded, its traces, or a TREC run, joined with a data set, becomes a run.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use sha2::{Digest, Sha256};

use crate::announce::announce;
use crate::bars::ProgressBars;
use crate::dataset::anchor::add;
use crate::environment::{environment, git_commit};
use crate::failure::Failure;
use crate::map::MapArgs;
use crate::output;
use crate::overrides::OverrideArgs;
use crate::report;
use crate::run;
use crate::run_folder::{CONFIG, configuration, runs};
use crate::runtime::block_on;
use crate::sample::{load_with, sample};
use crate::shell::shell;
use crate::starter::starter;
use crate::{dry_run, judge};
use ragtriage_clients::fetch::Download;
use ragtriage_core::config::GeneratorName;
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::{Dataset, DocumentNames, Note, Question};
use ragtriage_data::Fields;
use ragtriage_data::dataset::anchor::{AnswerField, pairs};
use ragtriage_data::dataset::survey;
use ragtriage_data::run::external::input::Input;
use ragtriage_data::run::external::join::{self, Joined};
use ragtriage_data::run::external::recorded::{self, Recorded};
use ragtriage_data::run::external::spans;
use ragtriage_data::run::{ExternalSource, ModelRecord, RunFolder, SHARED};
use ragtriage_pipeline::ask::{Done, FAILURES_IN_A_ROW};
use ragtriage_pipeline::conditions::ConditionPlan;
use ragtriage_pipeline::execute::{RunSource, execute};
use ragtriage_pipeline::progress::Progress;
use ragtriage_pipeline::record::RunSink;
use ragtriage_pipeline::recorded::RecordedPlan;
use ragtriage_pipeline::settings::assemble::RecordConditions;
use ragtriage_pipeline::settings::assemble::recipients::import_recipients;
use ragtriage_pipeline::settings::{Resolved, Settings, assemble, record};

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ImportArgs {
    /// Results file (JSON, JSON Lines, CSV, TSV), traces or TREC run; `-` for standard input.
    ///
    /// A row of a results file is `{id or question, contexts or stages, answer?, prompt?, conditions?}`; the names of common tools are
    /// known, and `--map` names others. Traces are exports of OpenTelemetry, LangSmith or Langfuse. Files may be compressed with gzip.
    file: PathBuf,
    /// Configuration file with the data set [default: ragtriage.toml, here or above].
    config: Option<PathBuf>,
    /// Folder of the documents, where there is no configuration: the file is also the test set.
    ///
    /// Its reference answers and contexts are located in the documents. The set and a configuration are written to a folder next to
    /// the run, named after the documents; a later import adds to it.
    #[arg(long, value_name = "DIR", conflicts_with = "config")]
    documents: Option<PathBuf>,
    #[command(flatten)]
    map: MapArgs,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// Skip unmatched questions and lines, and report their number.
    #[arg(long)]
    partial: bool,
    /// Ask the configured generator for missing conditions.
    #[arg(long)]
    conditions: bool,
    /// Estimate the calls, tokens and cost of --conditions.
    #[arg(long, requires = "conditions")]
    dry_run: bool,
    /// Refuse connections to other machines.
    #[arg(long)]
    offline: bool,
    /// Name of the run [default: file name, time and four hex digits].
    #[arg(long)]
    name: Option<String>,
    /// Folder to write runs to.
    #[arg(long, value_name = "DIR", default_value_os_t = runs())]
    out: PathBuf,
    /// Print the full report instead of one screen.
    #[arg(long, conflicts_with = "json")]
    full: bool,
    /// Print summary.json instead of the report.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn import(args: ImportArgs) -> Result<(), Failure> {
    block_on(async move {
        let fields = args.map.fields()?;
        let input = Input::read(&args.file)?;
        let kind = kind_of(input.text());
        // Refused before anything is written.
        let is_results = kind == ExternalSource::RESULTS;
        let results = is_results.then(|| recorded::read(&input, &fields)).transpose()?;
        let (config, unlabelled) = match &args.documents {
            Some(documents) => test_set(documents, &input, &args, &fields)?,
            None => (configuration(args.config.as_deref())?, Vec::new()),
        };
        let mut resolved = Resolved::new(Some(&config), &args.overrides.sets()?)?;
        let bars = ProgressBars::new();
        let judge = if resolved.settings.judge.is_on() && !args.dry_run {
            let environment = environment(&resolved, args.offline, false);
            assemble::judge(&resolved, &environment)?
        } else {
            None
        };
        let clock = Instant::now();
        let mut dataset = load_with(&mut resolved, unlabelled)?;
        let (lines, sha256) = rayon::join(
            || lines(&input, results, kind, &dataset, &resolved.settings),
            || hex(&Sha256::digest(input.text())),
        );
        let ((lines, notes), from) = (lines?, input.name().to_owned());
        // The text may be far larger than what is read from it.
        drop(input);
        let mut joined = Joined::new(lines, &dataset.questions, args.partial)?;
        joined.notes.splice(0..0, notes);
        sample(&mut dataset, &resolved.settings)?;
        dataset.questions = joined.answered(&from, dataset.questions, args.partial)?;
        joined.complete_retrievers(kind == ExternalSource::TRACES);
        if !joined.has_answers() {
            resolved.settings.generation.generator = GeneratorName::None;
        }
        let conditions = if args.conditions {
            Some(conditions(&resolved, &bars, args.offline).await?)
        } else {
            None
        };

        let Dataset { documents, questions, notes, digest } = &dataset;
        let counts = (documents.len(), questions.len());
        let mut manifest = record::begun(&resolved, (digest, notes), counts, git_commit());
        manifest.external = Some(ExternalSource { kind: kind.to_owned(), from, sha256 });
        manifest.notes.extend(joined.notes.iter().cloned());
        manifest.seconds.insert("load".to_owned(), clock.elapsed().as_secs_f64());
        let concurrency = 2 * rayon::current_num_threads();
        manifest.models.extend(joined.models().map(generator_model));
        let mut plan = assemble::recorded(&resolved.settings, Arc::new(joined), concurrency)?;
        let asks_conditions = conditions.is_some();
        if let Some(conditions) = conditions {
            record::conditions(&mut manifest, &conditions);
            plan = asking(plan, conditions.plan, &dataset.questions);
            if args.dry_run {
                return Box::pin(dry_run::of_conditions(&resolved, dataset, plan, args.json)).await;
            }
        }
        announce(import_recipients(&resolved.settings, asks_conditions));

        manifest.name = args.name.clone().unwrap_or_else(|| run::fresh_name(&args.file));
        let folder = RunFolder::create(&args.out, &manifest.name)?;
        let source = RunSource::External {
            documents: dataset.documents,
            questions: dataset.questions.into_iter().enumerate().collect(),
            plan,
        };
        let mut sink = RunSink::new(&folder, manifest, Done::default(), Vec::new());
        let outcome = execute(source, &mut sink, &bars).await;
        // Half an import is worth nothing: the file is still there, and replies are cached.
        outcome.inspect_err(|_| drop(std::fs::remove_dir_all(folder.path())))?;
        run::started(&folder);
        if let Some(judge) = judge {
            judge::ask(&folder, judge, &bars).await?;
        }
        let plan = assemble::evaluation(sink.settings());
        report::conclude(&folder, &plan, &config, None, (args.full, args.json))
    })
}

/// The generator of the settings, for the conditions that a record lacks.
async fn conditions(
    resolved: &Resolved,
    bars: &ProgressBars,
    offline: bool,
) -> Result<RecordConditions, Failure> {
    let environment = environment(resolved, offline, false);
    let on_download = |download: Download<'_>| bars.download(download);
    let conditions = assemble::record_conditions(resolved, &environment, &on_download).await;
    bars.finish();
    Ok(conditions?)
}

/// The plan of an import that also asks these conditions. An endpoint that fails throughout ends it.
fn asking(
    plan: RecordedPlan,
    mut conditions: ConditionPlan,
    questions: &[Question],
) -> RecordedPlan {
    conditions.draw(questions);
    RecordedPlan {
        concurrency: plan.concurrency.max(conditions.calls.at_once),
        most_failures: Some(FAILURES_IN_A_ROW),
        conditions: Some(Box::new(conditions)),
        ..plan
    }
}

/// Adds the questions of a results file to the test set of the documents, which has a configuration, in a folder next to the runs.
/// Returns the configuration and the questions without labels.
fn test_set(
    documents: &Path,
    input: &Input,
    args: &ImportArgs,
    fields: &Fields,
) -> Result<(PathBuf, Vec<Question>), Failure> {
    let (pairs, _) = pairs(input, fields, AnswerField::Generated)?;
    let absolute = documents.canonicalize().ok().filter(|path| path.is_dir()).ok_or_else(|| {
        let message = format!("`{}` is no folder", documents.display());
        Failure::new(message, "`--documents` takes the folder of the documents")
    })?;
    let name = absolute.file_stem().map_or("documents".into(), |stem| stem.to_string_lossy());
    let folder = args.out.join(format!("{name}-set"));
    let config = folder.join(CONFIG);
    if !config.exists() {
        let text = starter(&survey(documents)?, &absolute, Some("questions.jsonl"));
        std::fs::create_dir_all(&folder).map_err(|error| output::cannot_write(&folder, &error))?;
        output::file(&config, SHARED, text.as_bytes())?;
    }
    let spec = Resolved::new(Some(&config), &[])?.dataset();
    if spec.path.canonicalize().ok().as_ref() != Some(&absolute) {
        let (set, other) = (folder.display(), spec.path.display());
        return Err(Failure::new(
            format!("`{set}` is the test set of the documents in `{other}`"),
            "choose another `--out`, or remove that folder",
        ));
    }
    let (_, unlabelled) = add(&spec, &pairs)?;
    if !unlabelled.is_empty() {
        let command = format!("ragtriage dataset label {}", shell(&config));
        output::talk(&format!("label them, then repeat this import: {command}"));
    }
    Ok((config, unlabelled))
}

/// Recognises by the content what a file is: a kind of [`ExternalSource`].
fn kind_of(text: &str) -> &'static str {
    if looks_like_trec(text) {
        ExternalSource::TREC_RUN
    } else if spans::is_export(text) {
        ExternalSource::TRACES
    } else {
        ExternalSource::RESULTS
    }
}

/// The file's lines, of all questions of the data set, with notes; `results`: those of a results file. A sample is drawn afterwards, from those.
fn lines(
    input: &Input,
    results: Option<Vec<Recorded>>,
    kind: &str,
    dataset: &Dataset,
    settings: &Settings,
) -> Result<(Vec<Recorded>, Vec<Note>), Failure> {
    let documents = DocumentNames::new(dataset.documents.iter().map(|document| &document.id));
    let is_document = |id: &str| documents.find(id).is_some();
    let questions = dataset.questions.iter();
    Ok(match kind {
        ExternalSource::TREC_RUN => {
            let ids: HashSet<&str> = questions.map(|question| question.id.as_str()).collect();
            let k = settings.retrieval.k;
            let lines = join::from_trec(input, k, &|id| ids.contains(id), &is_document)?;
            (lines, Vec::new())
        }
        ExternalSource::TRACES => {
            let texts: HashSet<&str> = questions.map(|question| question.text.trim()).collect();
            spans::read(input, &|text| texts.contains(text), &is_document)?
        }
        _ => (results.unwrap_or_default(), Vec::new()),
    })
}

fn generator_model(name: String) -> ModelRecord {
    ModelRecord { role: "generator".to_owned(), name, sha256: BTreeMap::new() }
}

/// Returns true if the first line that is not a comment is of a TREC run: query, `Q0`, document, rank, score, tag.
fn looks_like_trec(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let columns: Vec<&str> =
        lines.next().map_or(Vec::new(), |line| line.split_ascii_whitespace().take(7).collect());
    matches!(columns[..], [first, second, _, _, score, _, ..]
        if !first.starts_with(['{', '['])
            && (second.eq_ignore_ascii_case("Q0") || score.parse::<f64>().is_ok()))
}
