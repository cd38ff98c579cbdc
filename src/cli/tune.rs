//! `ragxray tune`: many settings on the same questions, the best confirmed, and what it is worth.

use std::path::{Path, PathBuf};

use clap::Args;
use tokio::sync::watch;

use super::bars::Bars;
use super::environment::{environment, git_commit};
use super::run::{sample, stem_of};
use super::{Failure, block_on, dry_run, output};
use crate::dataset;
use crate::measure::{Cutoff, Measure};
use crate::pipeline::progress::Progress;
use crate::pipeline::stock::Share;
use crate::report::chart::svg;
use crate::report::tuning::view::TuningView;
use crate::report::tuning::{Found, Generated, csv, markdown, terminal};
use crate::settings::assemble::dataset_label;
use crate::settings::file::Search;
use crate::settings::{Resolved, assemble};
use crate::sweep::SweepError;
use crate::sweep::answers::{Answers, Bill, Generate, bill_of_all};
use crate::sweep::best::{Packing, best};
use crate::sweep::folder::SweepFolder;
use crate::sweep::record::Record;
use crate::sweep::setting::{DEFAULT, Setting};
use crate::sweep::trial::Trial;
use crate::sweep::tune::{Outcome, Request, Watch, tune as sweep};
use crate::text::causes::with_causes;
use crate::text::numbers::{plural, thousands};

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
    generate: Generate,
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

/// What an earlier sweep under the same name may have left, and this one may not write.
const MAY_BE_STALE: [&str; 5] =
    ["best.toml", "by-k.svg", "by-size-equal-k.svg", "by-size-equal-tokens.svg", "front.svg"];

/// Runs the command.
pub fn tune(args: TuneArgs) -> Result<(), Failure> {
    block_on(async move {
        let mut sets = args.sets.clone();
        sets.extend(args.limit.map(|limit| format!("dataset.limit={limit}")));
        let config = args.config.as_deref().unwrap_or(Path::new(DEFAULT_CONFIG));
        let base = Resolved::new(Some(config), &sets)?;
        let environment = environment(&base, args.offline, false)?;
        let mut dataset = dataset::load(&assemble::load_spec(&base))?;
        sample(&mut dataset, &base.settings)?;
        let digest = dataset.digest.clone();
        let n_documents = dataset.documents.len();
        let folder = SweepFolder::open(&args.out, &args.name.clone().unwrap_or_else(|| stem_of(config)), config)?;
        let (told, (stop, stopped)) = (Told(Bars::new()), watch::channel(false));
        let request = Request {
            base: &base,
            generate: args.generate,
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
            return output::data(&if args.json { output::json(&bill, "the bill")? } else { text });
        }
        let outcome = tokio::select! {
            outcome = Box::pin(sweep(&request, dataset)) => outcome?,
            () = interrupted(&stop) => return Err(Failure::new("interrupted twice", Some(GO_ON.to_owned()))),
        };
        let record =
            Record::new(&outcome, &base.settings.tune, config, (dataset_label(&base.settings), &digest), folder.path());
        let json = output::json(&record, "tune.json")?;
        let report = report(&outcome, &base, (n_documents, &digest), &folder, &json)?;
        output::data(if args.json { &json } else { &report })?;
        output::talk(&format!("sweep folder: {}", folder.path().display()));
        if let Some([default, best]) = pair(&outcome) {
            let measure = outcome.plan.measure;
            output::talk(&format!("question by question: ragxray compare {default} {best} --primary {measure}"));
        }
        conclude(&outcome)
    })
}

/// The runs of the default and of another setting that is the best, where there are both.
fn pair(outcome: &Outcome) -> Option<[std::path::Display<'_>; 2]> {
    let best = outcome.settings.iter().position(|setting| Some(&setting.name) == outcome.ranking.winner.as_ref())?;
    let [default, best] = [0, best].map(|at| outcome.runs[at].as_deref().map(Path::display));
    Some([default?, best?]).filter(|_| outcome.ranking.winner.as_deref() != Some(DEFAULT))
}

/// A sweep that was interrupted did not do its job; what it did is kept.
fn conclude(outcome: &Outcome) -> Result<(), Failure> {
    if !outcome.interrupted {
        let all = |failed: bool, what: &str| {
            let hint = "the report names each one's error".to_owned();
            if failed { Err(Failure::new(format!("every setting failed{what}"), Some(hint))) } else { Ok(()) }
        };
        all(outcome.runs.iter().all(Option::is_none), "")?;
        let answers = &outcome.answers;
        return all(!answers.is_empty() && answers.iter().all(|answers| answers.error.is_some()), " to be answered");
    }
    let n = plural(outcome.n_left + outcome.settings.len(), "setting", "settings");
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

/// Writes the report's files, and returns it for the terminal.
fn report(
    outcome: &Outcome,
    base: &Resolved,
    data: (usize, &str),
    folder: &SweepFolder,
    json: &str,
) -> Result<String, Failure> {
    let generated: Vec<Generated> = outcome.answers.iter().map(generated).collect();
    let found = Found {
        plan: &outcome.plan,
        varied: &outcome.varied,
        default: DEFAULT,
        ranking: &outcome.ranking,
        confirmation: outcome.confirmation.as_ref(),
        verdict: &outcome.verdict,
        generated: &generated,
    };
    let view = TuningView::new(&found, head(outcome, base, data));
    folder.remove(&MAY_BE_STALE)?;
    folder.write("tune.json", json.as_bytes())?;
    folder.write("table.csv", csv::render(&found).as_bytes())?;
    folder.write("report.md", markdown::render(&view).as_bytes())?;
    for drawing in &view.drawings {
        folder.write(&format!("{}.svg", drawing.name), svg::render(&drawing.chart).as_bytes())?;
    }
    let winner = outcome.settings.iter().find(|setting| Some(&setting.name) == outcome.ranking.winner.as_ref());
    if let Some(winner) = winner.filter(|_| !outcome.interrupted) {
        let generator = base.settings.generation.generator;
        let comment = format!("Best of a sweep by {}.\n{}", outcome.plan.measure, outcome.verdict.text);
        let packing = packing(outcome, &winner.name, winner.resolved.settings.retrieval.k);
        let comment = match packing {
            None => comment,
            Some(Packing { k, context_tokens }) => format!(
                "{comment}\nIt is ranked by {context_tokens} tokens of context, so they are packed here: `retrieval.k` is {k} to fill them."
            ),
        };
        let text = best(&winner.answered_by(generator).resolved, packing, folder.path(), &comment);
        folder.write("best.toml", text.as_bytes())?;
    }
    Ok(terminal::render(&view, output::color()))
}

/// What fills the budget that settings are ranked by: as many of the winner's passages as it takes on average. `None` where they are
/// not ranked by a budget.
fn packing(outcome: &Outcome, winner: &str, k: usize) -> Option<Packing> {
    let Some(Cutoff::Tokens(budget)) = outcome.plan.measure.cutoff() else { return None };
    let row = outcome.ranking.rows.iter().find(|row| row.name == winner)?;
    let a_passage = row.context_tokens / k as f64;
    (a_passage >= 1.0).then(|| Packing { k: (budget as f64 / a_passage).ceil() as usize, context_tokens: budget })
}

fn generated(answers: &Answers) -> Generated {
    Generated {
        name: answers.name.clone(),
        n: answers.f1.map_or(0, |(_, n)| n),
        answer_f1: answers.f1.map(|(mean, _)| mean),
        answer_em: answers.em.map(|(mean, _)| mean),
        cost_usd: answers.error.is_none().then_some(answers.cost_usd),
    }
}

/// What only the command knows of the sweep.
fn head(outcome: &Outcome, base: &Resolved, (n_documents, digest): (usize, &str)) -> Vec<(String, String)> {
    let settings = &base.settings;
    let data = format!(
        "{}: {}, digest {}",
        dataset_label(settings),
        plural(n_documents, "document", "documents"),
        &digest[..digest.len().min(12)]
    );
    let questions = match outcome.n_held_out {
        Some(n) => format!("{} choose, {} are held out to confirm", thousands(outcome.n_choosing), thousands(n)),
        None => format!("{}, none held out", thousands(outcome.n_choosing)),
    };
    let n = outcome.settings.len() + outcome.n_left;
    let search = match settings.tune.search {
        Search::Grid => format!("{}: every combination, and the default", plural(n, "setting", "settings")),
        Search::Random => {
            let seed = settings.tune.seed;
            format!("{}: drawn with seed {seed}, and the default", plural(n, "setting", "settings"))
        }
    };
    let left = (outcome.n_left > 0).then(|| {
        ("Interrupted".to_owned(), format!("{} were not tried; what follows is of the others alone", outcome.n_left))
    });
    let failed = outcome.ranking.rows.iter().filter(|row| row.error.is_some()).count();
    let failed = (failed > 0).then(|| ("Failed".to_owned(), plural(failed, "setting", "settings")));
    let made = Some(shared(outcome)).filter(|_| !outcome.work.stages().is_empty());
    let lines = [("Data", Some(data)), ("Questions", Some(questions)), ("Search", Some(search)), ("Made", made)];
    let lines = lines.into_iter().filter_map(|(label, text)| Some((label.to_owned(), text?)));
    let unanswered = outcome.answers.iter().filter_map(|answers| {
        answers.error.as_ref().map(|error| ("No answers".to_owned(), format!("{}: {error}", answers.name)))
    });
    lines.chain(left).chain(failed).chain(unanswered).collect()
}

/// How much of each stage had to be made.
fn shared(outcome: &Outcome) -> String {
    let stage =
        |(what, Share { wanted, made }): (&str, Share)| format!("{} of {} {what}", thousands(made), thousands(wanted));
    let stages: Vec<String> = outcome.work.stages().into_iter().map(stage).collect();
    format!("{}; the others were there", stages.join(", "))
}

/// Tells of a sweep on stderr, over the bars of what is under way.
struct Told(Bars);

impl Progress for Told {
    fn start(&self, what: &str, total: u64) {
        self.0.start(what, total);
    }

    fn advance(&self, units: u64) {
        self.0.advance(units);
    }

    fn finish(&self) {
        self.0.finish();
    }
}

impl Watch for Told {
    fn begins(&self, settings: &[Setting], n_questions: usize, n_documents: usize) {
        let settings = settings.iter().map(|setting| &setting.resolved.settings);
        dry_run::announce_all(settings, n_questions, n_documents);
    }

    fn trouble(&self, error: &SweepError) {
        output::talk(&format!("looks at held-out questions could not be recorded: {}", with_causes(error)));
    }

    fn tried(
        &self,
        (place, of): (usize, usize),
        (setting, is_held_out): (&Setting, bool),
        measure: Measure,
        result: &Result<Trial, String>,
    ) {
        let came = match result {
            Err(error) => format!("failed: {error}"),
            Ok(trial) => {
                let column = trial.marks.scores.column(measure).unwrap_or_default();
                let values: Vec<f64> = column.into_iter().flatten().collect();
                let mean = values.iter().sum::<f64>() / values.len().max(1) as f64 + 0.0;
                let work = trial.work.stages();
                let made = |(what, Share { wanted, made }): &(&str, Share)| {
                    (*what != "settings run").then(|| format!("{what} {made}/{wanted}"))
                };
                let made: Vec<String> = work.iter().filter_map(made).collect();
                let made =
                    if made.is_empty() { "kept from before".to_owned() } else { format!("made {}", made.join(", ")) };
                format!("{measure} {mean:.3}, {:.1} s, {made}", trial.seconds)
            }
        };
        let part = if is_held_out { "held out: " } else { "" };
        output::talk(&format!("{part}[{place}/{of}] {} {}: {came}", setting.name, values(setting)));
    }

    fn bill(&self, bill: &Bill) {
        output::talk(&in_words(bill));
    }
}

/// `size=64 strategy=recursive retrievers=bm25,dense`.
fn values(setting: &Setting) -> String {
    let name = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let plain = |value: &str| value.replace(['"', '[', ']'], "");
    let values: Vec<String> =
        setting.values.iter().map(|(key, value)| format!("{}={}", name(key), plain(value))).collect();
    values.join(" ")
}

fn in_words(bill: &Bill) -> String {
    let Bill { settings, chunkings, failed, calls, prompt_tokens, most_completion_tokens, most_usd } = bill;
    let failed = if *failed > 0 { format!(" ({failed} of them fail)") } else { String::new() };
    format!(
        "answers of {} ({}){failed} to the questions that choose: at most {} calls of the generator, {} tokens of prompts, {} of answers, \
         {most_usd:.4} USD",
        plural(*settings, "setting", "settings"),
        plural(*chunkings, "chunking", "chunkings"),
        thousands(*calls as usize),
        thousands(*prompt_tokens as usize),
        thousands(*most_completion_tokens as usize),
    )
}
