//! `ragtriage score`: files from other tools, a TREC run against qrels or predictions against gold answers.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args};

use crate::failure::Failure;
use crate::output;
use ragtriage_core::language::Language;
use ragtriage_core::metric::answer::Scorer;
use ragtriage_core::metric::{Family, Metric};
use ragtriage_data::run::external::input::Input;
use ragtriage_data::run::external::predictions::{Golds, Predictions};
use ragtriage_data::run::external::qrels::Qrels;
use ragtriage_data::run::external::trec_run::TrecRun;
use ragtriage_eval::files::{self, FilePlan};
use ragtriage_report::scores::{self, ScoredFile, ScoredFiles};

/// Default metrics of a run.
const OF_RUNS: &str = "nDCG@10 AP RR Rprec P@5 P@10 Recall@10 Recall@100 Success@5 Judged@10";
/// Default metrics of predictions.
const OF_ANSWERS: &str = "AnswerEM AnswerF1 AnswerPrecision AnswerRecall";
/// Added where the gold file marks unanswerable questions.
const OF_UNANSWERABLE: &str = "AnswerEM(HasAns) AnswerF1(HasAns) AnswerEM(NoAns) AnswerF1(NoAns)";

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(group = ArgGroup::new("scored").required(true).args(["run", "predictions"]))]
pub struct ScoreArgs {
    /// TREC runs, plain or gzip; `-` for standard input.
    #[arg(long, value_name = "FILE", requires = "qrels", num_args = 1..)]
    run: Vec<PathBuf>,
    /// Relevance judgments of the queries, as TREC qrels.
    #[arg(long, value_name = "FILE", requires = "run")]
    qrels: Option<PathBuf>,
    /// Predictions in the JSON of HotpotQA or SQuAD.
    #[arg(long, value_name = "FILE", requires = "gold", conflicts_with = "run", num_args = 1..)]
    predictions: Vec<PathBuf>,
    /// Gold answers in the JSON of HotpotQA or SQuAD.
    #[arg(long, value_name = "FILE", requires = "predictions")]
    gold: Option<PathBuf>,
    /// Metrics, such as `nDCG@10,AP`; may be repeated.
    #[arg(short, long = "metric", value_name = "NAME", value_delimiter = ',', num_args = 1..)]
    metrics: Vec<String>,
    /// Also print the values of each query or question.
    #[arg(long)]
    per_query: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Minimum relevant grade.
    #[arg(long, value_name = "GRADE", default_value_t = 1, value_parser = clap::value_parser!(i32).range(1..))]
    level: i32,
    /// Score only the queries or questions that both files have.
    ///
    /// By default one without a ranking (as with `trec_eval -c`) or prediction scores 0.
    #[arg(long)]
    intersect: bool,
    /// Size of the corpus, for Fallout and Accuracy.
    #[arg(long, value_name = "N")]
    documents: Option<usize>,
    /// Scorer of answers [default: that of the gold file].
    #[arg(long, value_parser = scorers(), conflicts_with = "run")]
    scorer: Option<Scorer>,
    /// ISO 639-1 code of the answers' language, for the scorer `mlqa`.
    #[arg(long, value_name = "CODE", default_value = "en", requires = "scorer")]
    language: String,
    /// Bootstrap resamples of the intervals; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    resamples: u32,
}

fn scorers() -> impl TypedValueParser<Value = Scorer> {
    let values = Scorer::ALL.map(|scorer| PossibleValue::new(scorer.name()).help(scorer.script()));
    PossibleValuesParser::new(values).map(|name| Scorer::named(&name).expect("a possible value"))
}

/// Runs the command.
pub fn score(args: &ScoreArgs) -> Result<(), Failure> {
    match (&args.qrels, &args.gold) {
        (Some(qrels), _) => score_runs(args, qrels),
        (None, Some(gold)) => score_predictions(args, gold),
        (None, None) => Err(Failure::bare("neither `--qrels` nor `--gold` is given")),
    }
}

fn score_runs(args: &ScoreArgs, qrels: &Path) -> Result<(), Failure> {
    let plan = plan(args, OF_RUNS, Scorer::default())?;
    let judgments = Input::read(qrels)?;
    let judged = Qrels::parse(&judgments)?;
    let mut files = Vec::new();
    for path in &args.run {
        let input = Input::read(path)?;
        let run = TrecRun::parse(&input)?;
        let mut queries = run.queries();
        if queries.len() > 0 && !queries.any(|query| judged.judged(query).is_some()) {
            return Err(nothing_shared(&input, &judgments, "query"));
        }
        let scores = files::score_run(&run, &judged, &plan)?;
        files.push(ScoredFile {
            name: input.name().to_owned(),
            tag: Some(run.tag().to_owned()),
            scores,
        });
    }
    print(args, &ScoredFiles { plan, files })
}

fn score_predictions(args: &ScoreArgs, gold: &Path) -> Result<(), Failure> {
    let gold = Input::read(gold)?;
    let golds = Golds::parse(&gold)?;
    let scorer = args.scorer.unwrap_or(golds.scorer);
    if scorer != Scorer::Squad2 {
        golds.all_answerable(&gold)?;
    }
    let default = match golds.scorer {
        Scorer::Squad2 => [OF_ANSWERS, OF_UNANSWERABLE].join(" "),
        Scorer::Squad | Scorer::Hotpotqa | Scorer::Mlqa => OF_ANSWERS.to_owned(),
    };
    let plan = plan(args, &default, scorer)?;
    let mut files = Vec::new();
    for path in &args.predictions {
        let input = Input::read(path)?;
        let predictions = Predictions::parse(&input)?;
        if !golds.questions.iter().any(|gold| predictions.answers.contains_key(gold.id.as_ref())) {
            return Err(nothing_shared(&input, &gold, "question"));
        }
        let scores = files::score_predictions(&predictions, &golds, &plan);
        files.push(ScoredFile { name: input.name().to_owned(), tag: None, scores });
    }
    print(args, &ScoredFiles { plan, files })
}

fn plan(args: &ScoreArgs, default: &str, scorer: Scorer) -> Result<FilePlan, Failure> {
    let asked = args.metrics.iter().map(String::as_str);
    let names: Vec<&str> =
        if args.metrics.is_empty() { default.split(' ').collect() } else { asked.collect() };
    let mut metrics = Vec::with_capacity(names.len());
    for name in names {
        let metric = metric(name, args)?;
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    Ok(FilePlan {
        metrics,
        only_shared: args.intersect,
        level: args.level,
        n_documents: args.documents,
        scorer,
        language: Language::of(&args.language),
        resamples: args.resamples as usize,
        seed: 0,
    })
}

fn metric(name: &str, args: &ScoreArgs) -> Result<Metric, Failure> {
    let metric: Metric = name.trim().parse()?;
    let of_answers = !args.predictions.is_empty();
    if !files::is_measured_in_files(metric, of_answers) {
        let (files, others) = if of_answers {
            ("predictions and gold answers", OF_ANSWERS)
        } else {
            ("a run and qrels", OF_RUNS)
        };
        let hint = format!("supported metrics include {others}");
        return Err(Failure::new(format!("`{metric}` cannot be computed from {files}"), hint));
    }
    if matches!(metric.family(), Family::Fallout | Family::Accuracy) && args.documents.is_none() {
        let hint = "give it with `--documents N`";
        return Err(Failure::new(format!("`{metric}` needs the size of the corpus"), hint));
    }
    Ok(metric)
}

fn nothing_shared(file: &Input, other: &Input, what: &str) -> Failure {
    let message = format!("`{}` and `{}` have no {what} in common", file.name(), other.name());
    Failure::new(message, "check that the files belong together and use the same ids")
}

fn print(args: &ScoreArgs, scored: &ScoredFiles<'_>) -> Result<(), Failure> {
    for file in &scored.files {
        for (warning, n) in &file.scores.warnings {
            output::talk(&format!(
                "warning: `{}`: {}",
                file.name,
                scores::warning(*warning, *n, &scored.plan)
            ));
        }
    }
    if args.json {
        output::data(&output::json(&scores::json(scored, args.per_query), "the scores")?)
    } else {
        output::report(&scores::report(scored, args.per_query))
    }
}
