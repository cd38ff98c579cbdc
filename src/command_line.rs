//! The command line: arguments to calls, results to exit codes.
//!
//! Exit 0: success. 1: a gate or a check failed, or `dataset lint` found errors. 2: the command could not run.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;
use crate::{
    ask, check, compare, config, dataset, demo, doctor, import, init, limits, model, output,
    report, run, schema, score, tune,
};

/// Find the stage of a RAG pipeline that loses the answers.
#[derive(Debug, Parser)]
#[command(
    name = "ragtriage",
    version,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = "Start with `ragtriage demo`, or with `ragtriage init DIR` for your own documents."
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run on built-in sample data: offline, in seconds.
    Demo(demo::DemoArgs),
    /// Run the pipeline on every question and report where answers are lost.
    Run(run::RunArgs),
    /// Create a configuration and a questions file for your own documents.
    Init(init::InitArgs),
    /// Check the cache, models, vector store and endpoints of a configuration.
    Doctor(doctor::DoctorArgs),
    /// Ask one question and explain its ranking, prompt and answer.
    Ask(ask::AskArgs),
    /// Compare many configurations; confirm the best on held-out questions.
    Tune(tune::TuneArgs),
    /// Import the results of another RAG: a results file, traces or a TREC run.
    Import(import::ImportArgs),
    /// Report on a finished run; calls no service.
    Report(report::ReportArgs),
    /// Compare runs with a baseline, question by question.
    Compare(compare::CompareArgs),
    /// Check a run against gates; exit with 1 if it fails.
    Check(check::CheckArgs),
    /// Score TREC runs against qrels, or predictions against gold answers.
    Score(score::ScoreArgs),
    /// Fetch, label and check data sets.
    #[command(subcommand)]
    Dataset(dataset::DatasetCommand),
    /// Fetch models ahead of a run.
    #[command(subcommand)]
    Model(model::ModelCommand),
    /// Show the configuration.
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Print the JSON Schema of a trace, a summary or the configuration.
    Schema(schema::SchemaArgs),
}

/// Runs the command that the program was started with.
pub fn run() -> ExitCode {
    let called = check::remove_verdict(std::env::args_os()).and_then(|()| {
        let CommandLine { command } = CommandLine::parse();
        limits::check()?;
        dispatch(command)
    });
    match called {
        Ok(code) => code,
        Err(failure) => {
            output::complain(&failure);
            ExitCode::from(2)
        }
    }
}

/// Runs a command: success, or 1 where a gate or a check failed.
fn dispatch(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Demo(args) => demo::demo(args)?,
        Command::Run(args) => run::run(args)?,
        Command::Doctor(args) => return doctor::doctor(&args).map(code),
        Command::Ask(args) => ask::ask(&args)?,
        Command::Tune(args) => tune::tune(args)?,
        Command::Init(args) => init::init(&args)?,
        Command::Import(args) => import::import(args)?,
        Command::Report(args) => report::report(&args)?,
        Command::Compare(args) => compare::compare(&args)?,
        Command::Check(args) => return check::check(&args).map(code),
        Command::Score(args) => score::score(&args)?,
        Command::Dataset(command) => return dataset::dataset(command).map(code),
        Command::Model(command) => model::model(command)?,
        Command::Config(command) => config::config(&command)?,
        Command::Schema(args) => schema::schema(args.file)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn code(passed: bool) -> ExitCode {
    ExitCode::from(u8::from(!passed))
}
