//! `ragtriage tune`: many settings on the same questions, the best confirmed, and what it is worth.

mod files;
mod told;

use std::path::{Path, PathBuf};

use clap::Args;
use tokio::sync::watch;

use self::files::report;
use self::told::{Told, in_words};
use crate::bars::Bars;
use crate::environment::{environment, git_commit};
use crate::failure::Failure;
use crate::output;
use crate::run::{sample, stem_of};
use crate::runtime::block_on;
use ragtriage_core::text::numbers::plural;
use ragtriage_pipeline::settings::assemble::dataset_label;
use ragtriage_pipeline::settings::{Resolved, assemble};
use ragtriage_pipeline::sweep::answers::{Generate, bill_of_all};
use ragtriage_pipeline::sweep::folder::SweepFolder;
use ragtriage_pipeline::sweep::record::Record;
use ragtriage_pipeline::sweep::setting::DEFAULT;
use ragtriage_pipeline::sweep::tune::{Outcome, Request, tune as sweep};

/// Where `tune` looks without an argument.
const DEFAULT_CONFIG: &str = "config/tune.toml";

#[derive(Debug, Args)]
pub struct TuneArgs {
    /// The settings file, with a `[sweep]`. Default: config/tune.toml.
    config: Option<PathBuf>,
    /// Set any setting, value in TOML: `--set tune.tokens=500`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Use only N questions, a seeded sample; the corpus stays whole.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// The sweep's name; what was run under it is not run again. Default: the settings file's.
    #[arg(long)]
    name: Option<String>,
    /// The folder that sweeps go to.
    #[arg(long, value_name = "DIR", default_value = "evals/tunes")]
    out: PathBuf,
    /// For which settings answers are generated, after their retrieval was scored.
    #[arg(long, value_enum, default_value_t)]
    generate: GenerateFor,
    /// Only say what answers of all settings would ask and cost. Retrieval is run, no service is called.
    #[arg(long)]
    dry_run: bool,
    /// Refuse every connection that is not to this machine.
    #[arg(long)]
    offline: bool,
    /// Print tune.json instead of the report.
    #[arg(long)]
    json: bool,
}

/// What to do about an interrupted sweep.
const GO_ON: &str = "the same command goes on from there: what was run is kept";

/// The value of `--generate`.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum GenerateFor {
    /// None: retrieval alone.
    #[default]
    None,
    /// Those on the Pareto front, and the default.
    Front,
    /// All.
    All,
}

impl From<GenerateFor> for Generate {
    fn from(generate: GenerateFor) -> Self {
        match generate {
            GenerateFor::None => Self::None,
            GenerateFor::Front => Self::Front,
            GenerateFor::All => Self::All,
        }
    }
}

/// Runs the command.
pub fn tune(args: TuneArgs) -> Result<(), Failure> {
    block_on(async move {
        let mut sets = args.sets.clone();
        sets.extend(args.limit.map(|limit| format!("dataset.limit={limit}")));
        let config = args.config.as_deref().unwrap_or(Path::new(DEFAULT_CONFIG));
        let base = Resolved::new(Some(config), &sets)?;
        let environment = environment(&base, args.offline, false)?;
        let mut dataset = ragtriage_datasets::load(&assemble::load_spec(&base))?;
        sample(&mut dataset, &base.settings)?;
        let digest = dataset.digest.clone();
        let n_documents = dataset.documents.len();
        let folder = SweepFolder::open(
            &args.out,
            &args.name.clone().unwrap_or_else(|| stem_of(config)),
            config,
        )?;
        let (told, (stop, stopped)) = (Told(Bars::new()), watch::channel(false));
        let request = Request {
            base: &base,
            generate: args.generate.into(),
            folder: &folder,
            environment: &environment,
            git_commit: git_commit(),
            watch: &told,
            on_download: &|download| told.0.download(download),
            stop: stopped,
        };
        if args.dry_run {
            let bill = Box::pin(bill_of_all(&request, dataset)).await?;
            let text = format!("{}\n", in_words(&bill));
            return output::data(&if args.json {
                output::json(&bill, "the bill")?
            } else {
                text
            });
        }
        let outcome = tokio::select! {
            outcome = Box::pin(sweep(&request, dataset)) => outcome?,
            () = interrupted(&stop) => return Err(Failure::new("interrupted twice", Some(GO_ON.to_owned()))),
        };
        let record = Record::new(
            &outcome,
            &base.settings.tune,
            config,
            (dataset_label(&base.settings), &digest),
            folder.path(),
        );
        let json = output::json(&record, "tune.json")?;
        let report = report(&outcome, &base, (n_documents, &digest), &folder, &json)?;
        output::data(if args.json { &json } else { &report })?;
        output::talk(&format!("sweep folder: {}", folder.path().display()));
        if let Some([default, best]) = pair(&outcome) {
            let measure = outcome.plan.measure;
            output::talk(&format!(
                "question by question: ragtriage compare {default} {best} --primary {measure}"
            ));
        }
        conclude(&outcome)
    })
}

/// The runs of the default and of another setting that is the best, where there are both.
fn pair(outcome: &Outcome) -> Option<[std::path::Display<'_>; 2]> {
    let (best, _) = outcome.winner().filter(|(_, best)| best.name != DEFAULT)?;
    let [default, best] = [0, best].map(|at| outcome.runs[at].as_deref().map(Path::display));
    Some([default?, best?])
}

/// A sweep that was interrupted did not do its job; what it did is kept.
fn conclude(outcome: &Outcome) -> Result<(), Failure> {
    if !outcome.interrupted {
        let all = |failed: bool, what: &str| {
            let hint = "the report names each one's error".to_owned();
            if failed {
                Err(Failure::new(
                    format!("every setting failed{what}"),
                    Some(hint),
                ))
            } else {
                Ok(())
            }
        };
        all(outcome.runs.iter().all(Option::is_none), "")?;
        let answers = &outcome.answers;
        return all(
            !answers.is_empty() && answers.iter().all(|answers| answers.error.is_some()),
            " to be answered",
        );
    }
    let n = plural(
        outcome.n_left + outcome.settings.len(),
        "setting",
        "settings",
    );
    let message = match outcome.n_left {
        0 => format!("interrupted after all of {n}, before the end"),
        left => format!("interrupted with {left} of {n} left"),
    };
    Err(Failure::new(message, Some(GO_ON.to_owned())))
}

/// At the first interrupt the sweep comes to its end; at the second this returns.
async fn interrupted(stop: &watch::Sender<bool>) {
    for time in [1, 2] {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        if time == 1 {
            output::talk("interrupted: what is known so far follows; once more ends it at once");
            stop.send_replace(true);
        }
    }
}
