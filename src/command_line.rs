//! The command line: arguments to calls, results to exit codes.
//!
//! Exit 0: success. 1: a gate failed, or `dataset lint` found errors. 2: the command could not run.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;
use crate::{
    ask, cache, check, compare, config, dataset, demo, import, init, memory, model, output, report,
    run, run_args, score, tune,
};

/// Says which stage of a RAG pipeline lost the answers.
#[derive(Debug, Parser)]
#[command(name = "ragtriage", version, about, disable_help_subcommand = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run on sample data with recorded answers: offline, in seconds.
    Demo(demo::DemoArgs),
    /// Run the whole pipeline, print the report, write the run's folder.
    Run(run_args::RunArgs),
    /// Look at one's own documents; write a settings file and an empty questions file for them.
    Init(init::InitArgs),
    /// Ask one question and explain its ranking, prompt and answer.
    Ask(ask::AskArgs),
    /// Run many settings on the same questions, and say which is best and whether that is more than luck.
    Tune(tune::TuneArgs),
    /// Make a run of what another RAG recorded, or of a TREC run.
    Import(import::ImportArgs),
    /// Report a finished run again; nothing is called.
    Report(report::ReportArgs),
    /// Compare runs with a baseline, question by question.
    Compare(compare::CompareArgs),
    /// Check a run against gates; exit 1 when it does not pass.
    Check(check::CheckArgs),
    /// Score files made elsewhere: TREC runs with qrels, HotpotQA and SQuAD predictions with golds.
    Score(score::ScoreArgs),
    /// Bring data sets here, look them over, write them for other tools.
    #[command(subcommand)]
    Dataset(dataset::DatasetCommand),
    /// Fetch the embedding model ahead of a run.
    #[command(subcommand)]
    Model(model::ModelCommand),
    /// Show what is kept between runs, or take some of it out.
    #[command(subcommand)]
    Cache(cache::CacheCommand),
    /// Show every setting with its origin, or their JSON Schema.
    #[command(subcommand)]
    Config(config::ConfigCommand),
}

/// Runs the command that the program was started with.
pub fn run() -> ExitCode {
    let command_line = match CommandLine::try_parse() {
        Ok(command_line) => command_line,
        Err(error) => {
            // Help and version go to stdout; a wrong call goes to stderr, with exit code 2.
            let wrong = error.use_stderr();
            let _ = error.print();
            return ExitCode::from(if wrong { 2 } else { 0 });
        }
    };
    match memory::check_limit().and_then(|()| dispatch(command_line.command)) {
        Ok(code) => code,
        Err(failure) => {
            output::complain(&failure);
            ExitCode::from(2)
        }
    }
}

/// Runs a command: success, or 1 where a gate failed.
fn dispatch(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Demo(args) => demo::demo(args)?,
        Command::Run(args) => run::run(args)?,
        Command::Ask(args) => ask::ask(&args)?,
        Command::Tune(args) => tune::tune(args)?,
        Command::Init(args) => init::init(&args)?,
        Command::Import(args) => import::import(args)?,
        Command::Report(args) => report::report(&args)?,
        Command::Compare(args) => compare::compare(&args)?,
        Command::Check(args) => {
            let passed = check::check(&args)?;
            return Ok(ExitCode::from(u8::from(!passed)));
        }
        Command::Score(args) => score::score(&args)?,
        Command::Dataset(command) => return dataset::dataset(command),
        Command::Model(command) => model::model(command)?,
        Command::Cache(command) => cache::cache(command)?,
        Command::Config(command) => config::config(&command)?,
    }
    Ok(ExitCode::SUCCESS)
}
