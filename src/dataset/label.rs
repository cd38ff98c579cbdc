//! `ragtriage dataset label`: real questions first, then what several retrievers find for them, judged by a person.

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;

use super::anchor::{UNRESOLVED, refuse_other};
use super::judged_run::JudgedRun;
use super::source::{self, SourceArgs};
use super::terminal::Terminal;
use crate::announce::announce;
use crate::bars::ProgressBars;
use crate::environment::{assembled, environment};
use crate::failure::Failure;
use crate::output;
use crate::runtime::block_on;
use crate::shell::shell;
use ragtriage_core::config::{DatasetSettings, ExternalSettings, GeneratorName, RerankSettings};
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::types::{Dataset, Pools, Question, RetrieverName};
use ragtriage_data::dataset::label::{self, LabelCounts, Prompt, Stopped};
use ragtriage_data::dataset::{Appended, anchor};
use ragtriage_pipeline::pool::pool;
use ragtriage_pipeline::settings::Resolved;
use ragtriage_pipeline::settings::assemble::recipients::recipients;
use ragtriage_report::labelling::AnnotatorScreen;

#[derive(Debug, Args)]
pub struct LabelArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Questions to label, one per line or JSON lines with `text` [default: the unresolved.jsonl of `dataset anchor` or `import`,
    /// else those of questions.jsonl that have no evidence].
    ///
    /// JSON lines may have any field of questions.jsonl, or be the queries of BEIR. The candidate places of unresolved.jsonl are
    /// shown first.
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Label this question of questions.jsonl again; its labels hold until they are judged.
    #[arg(long, value_name = "ID", conflicts_with = "queries")]
    reopen: Option<String>,
    /// Judge the passages of this run that may change its verdict most, about 20; the verdict is shown after each question.
    ///
    /// Folder of the run, or its name in ragtriage-runs/. Its questions must be those of questions.jsonl.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["queries", "reopen"])]
    run: Option<PathBuf>,
    /// Passages to pool from each retriever.
    #[arg(long, value_name = "N", default_value = "10")]
    depth: NonZeroUsize,
    /// Refuse connections to other machines.
    #[arg(long)]
    offline: bool,
}

pub fn label(args: LabelArgs) -> Result<(), Failure> {
    block_on(async move {
        let mut resolved = retrieval_alone(source::resolve(&args.source)?);
        let spec = resolved.dataset();
        let labelled = source::questions_file(&spec)?;
        let unresolved = labelled.with_file_name(UNRESOLVED);
        let is_new = args.reopen.is_none() && args.run.is_none();
        let open = Some(&unresolved).filter(|file| is_new && file.exists());
        let queries = args.queries.as_ref().or(open).unwrap_or(&labelled).clone();
        refuse_document(&spec, &queries)?;
        let (mut dataset, mut candidates) = ragtriage_data::dataset::asked(&spec, &queries)?;
        let mut file = Appended::open(&labelled)?;
        let mut run = args.run.as_deref().map(JudgedRun::load).transpose()?;
        match &args.reopen {
            Some(id) => only(&mut dataset, id, &labelled)?,
            None if let Some(run) = &mut run => {
                // Its passages are known: nothing is retrieved, and the cheapest index will do.
                resolved.settings.retrieval.retrievers = vec![RetrieverName::Bm25];
                resolved.settings.retrieval.fusion.weights.clear();
                candidates = run.propose(&mut dataset)?;
            }
            None if queries == labelled => dataset.questions.retain(Question::lacks_evidence),
            None => leave_out(&mut dataset, &file)?,
        }
        if dataset.questions.is_empty() {
            output::talk("no question is left to label");
            // Of a run, those without evidence stay in the bounds of the verdict.
            if run.is_none() {
                return Ok(anchor::write_unresolved(&unresolved, &[], &file)?);
            }
        }
        let questions = dataset.questions.clone();
        dataset.questions.retain(|_| run.is_none());
        let mut pools = pooled(&resolved, dataset, args.depth.get(), args.offline).await?;
        if let Some(run) = &mut run {
            pools.of.resize_with(questions.len(), Vec::new);
            run.show(None, &pools.corpus);
        }
        label::candidates_first(&mut pools, &questions, &candidates);
        let screen = AnnotatorScreen::new(output::talk_width(), output::talk_color());
        let mut terminal =
            Terminal::new(std::io::stdin().lock(), screen, !std::io::stdin().is_terminal());
        let ask = &mut |prompt: Prompt<'_>| terminal.ask(prompt);
        let written = &mut |question: &Question| {
            if let Some(run) = &mut run {
                run.show(Some(question), &pools.corpus);
            }
        };
        let tally = label::label(&questions, &pools, ask, &mut file, written)?;
        conclude(&tally, &file, &resolved.file.unwrap_or_default());
        // What was labelled is not open any more.
        Ok(anchor::write_unresolved(&unresolved, &[], &file)?)
    })
}

/// The settings without what comes behind retrieval: nothing of it is asked.
fn retrieval_alone(mut resolved: Resolved) -> Resolved {
    let settings = &mut resolved.settings;
    settings.generation.generator = GeneratorName::None;
    settings.retrieval.rewrite = false;
    settings.rerank = RerankSettings::default();
    settings.external = ExternalSettings::default();
    resolved
}

/// Refuses a questions file among the documents: its questions would be retrieved for themselves.
fn refuse_document(spec: &DatasetSettings, queries: &Path) -> Result<(), Failure> {
    if !ragtriage_data::dataset::has_document(spec, queries)? {
        return Ok(());
    }
    let hint = "move it out of the documents' folder, or give it an ending that no document has: `asked.queries`";
    Err(Failure::new(format!("`{}` is one of the documents", queries.display()), hint))
}

/// Leaves out the questions that are labelled already, and reports how many.
fn leave_out(dataset: &mut Dataset, file: &Appended) -> Result<(), Failure> {
    for note in &dataset.notes {
        output::talk(&format!("{}: {}", note.label(), thousands(note.count)));
    }
    let n_all = dataset.questions.len();
    dataset.questions.iter().try_for_each(|question| refuse_other(file, question))?;
    dataset.questions.retain(|question| !file.holds(question));
    source::tell_known(file.path(), n_all - dataset.questions.len(), n_all);
    Ok(())
}

/// Leaves the question `id` alone, which is labelled again.
fn only(dataset: &mut Dataset, id: &str, file: &Path) -> Result<(), Failure> {
    dataset.questions.retain(|question| question.id.as_str() == id);
    if dataset.questions.is_empty() {
        let hint = "`--reopen` takes the `id` of a question in this file";
        return Err(Failure::new(format!("no question `{id}` in `{}`", file.display()), hint));
    }
    Ok(())
}

async fn pooled(
    resolved: &Resolved,
    dataset: Dataset,
    depth: usize,
    offline: bool,
) -> Result<Pools, Failure> {
    announce(recipients(&resolved.settings));
    let environment = environment(resolved, offline, false);
    let bars = ProgressBars::new();
    let plan = assembled(resolved, &environment, &bars).await?.plan;
    Ok(pool(dataset.documents, dataset.questions, &plan, depth, &bars).await?)
}

fn conclude(tally: &LabelCounts, file: &Appended, config: &Path) {
    let LabelCounts { n_written, n_answered, n_unanswerable, n_unjudged, stopped } = tally;
    let n_open = n_written - n_answered - n_unanswerable;
    output::talk(&format!(
        "{} written to {}: {} with evidence, {} unanswerable, {} without evidence",
        plural(*n_written, "question", "questions"),
        file.path().display(),
        thousands(*n_answered),
        thousands(*n_unanswerable),
        thousands(n_open),
    ));
    if n_open > 0 {
        let config = shell(config);
        output::talk(&format!("pool more passages: `ragtriage dataset label {config} --depth 50`"));
    }
    if *n_unjudged > 0 {
        let questions = plural(*n_unjudged, "question", "questions");
        output::talk(&format!("{questions} without a judged passage: asked again next time"));
    }
    if let Some(Stopped { n_left, n_dropped }) = stopped {
        let dropped = match n_dropped {
            0 => String::new(),
            n => format!(
                " (nothing in {} answers its question; they are asked again)",
                plural(*n, "judged passage", "judged passages")
            ),
        };
        let questions = plural(*n_left, "question", "questions");
        output::talk(&format!("{questions} left{dropped}: run the same command to continue"));
    }
}
