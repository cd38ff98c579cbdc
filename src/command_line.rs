//! The command line: arguments to calls, results to exit codes.
//!
//! Exit 0: success. 1: a gate or a check failed, or `dataset lint` found errors. 2: the command could not run.

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::failure::Failure;
use crate::{
    ask, baseline, cache, check, compare, config, dataset, demo, doctor, generated, import, init,
    limits, model, output, report, run, run_args, schema, score, tune, wrong_call,
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
    Run(run_args::RunArgs),
    /// Create a configuration and a questions file for your own documents.
    Init(init::InitArgs),
    /// Check the cache, models, vector store and endpoints of a configuration.
    Doctor(doctor::DoctorArgs),
    /// Ask one question and explain its ranking, prompt and answer.
    Ask(ask::AskArgs),
    /// Compare many configurations; confirm the best on held-out questions.
    Tune(tune::TuneArgs),
    /// Import the results of another RAG: a record, traces or a TREC run.
    Import(import::ImportArgs),
    /// Report on a finished run; calls no service.
    Report(report::ReportArgs),
    /// Compare runs with a baseline, question by question.
    Compare(compare::CompareArgs),
    /// Write a run as a small baseline file for `check`.
    Baseline(baseline::BaselineArgs),
    /// Check a run against gates; exit with 1 if it fails.
    Check(check::CheckArgs),
    /// Score TREC runs against qrels, or predictions against gold answers.
    Score(score::ScoreArgs),
    /// Fetch, label, check and convert data sets.
    #[command(subcommand)]
    Dataset(dataset::DatasetCommand),
    /// Fetch models ahead of a run.
    #[command(subcommand)]
    Model(model::ModelCommand),
    /// Show what the cache holds.
    #[command(subcommand)]
    Cache(cache::CacheCommand),
    /// Show the configuration.
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Print the JSON Schema of a record, a trace, a summary or the configuration.
    Schema(schema::SchemaArgs),
    /// Print a completion script for a shell.
    Completions(generated::CompletionsArgs),
    /// Print the man page, or write one for each command.
    Man(generated::ManArgs),
}

/// Runs the command that the program was started with.
pub fn run() -> ExitCode {
    let command_line = match CommandLine::try_parse() {
        Ok(command_line) => command_line,
        Err(error) => return wrong_call::answer(&error, CommandLine::command()),
    };
    match limits::check().and_then(|()| dispatch(command_line.command)) {
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
        Command::Doctor(args) => {
            let passed = doctor::doctor(&args)?;
            return Ok(ExitCode::from(u8::from(!passed)));
        }
        Command::Ask(args) => ask::ask(&args)?,
        Command::Tune(args) => tune::tune(args)?,
        Command::Init(args) => init::init(&args)?,
        Command::Import(args) => import::import(args)?,
        Command::Report(args) => report::report(&args)?,
        Command::Compare(args) => compare::compare(&args)?,
        Command::Baseline(args) => baseline::baseline(&args)?,
        Command::Check(args) => {
            let passed = check::check(&args)?;
            return Ok(ExitCode::from(u8::from(!passed)));
        }
        Command::Score(args) => score::score(&args)?,
        Command::Dataset(command) => return dataset::dataset(command),
        Command::Model(command) => model::model(command)?,
        Command::Cache(command) => cache::cache(command)?,
        Command::Config(command) => config::config(&command)?,
        Command::Schema(args) => schema::schema(args.file)?,
        Command::Completions(args) => generated::completions(&args, CommandLine::command())?,
        Command::Man(args) => generated::man(&args, CommandLine::command())?,
    }
    Ok(ExitCode::SUCCESS)
}
