//! The `ragtriage` program. One file per command; only `output.rs` and `bars.rs` write to stdout and stderr.

mod announce;
mod ask;
mod bars;
mod check;
mod command_line;
mod compare;
mod config;
mod dataset;
mod demo;
mod doctor;
mod dry_run;
mod environment;
mod failure;
mod import;
mod init;
mod interrupt;
mod judge;
mod limits;
mod map;
mod model;
mod next;
mod output;
mod overrides;
mod report;
mod resume;
mod run;
mod run_folder;
mod runtime;
mod sample;
mod schema;
mod score;
mod shell;
mod starter;
mod tune;

use std::process::ExitCode;
use std::sync::Arc;

use signal_hook::{consts::SIGXFSZ, flag};

fn main() -> ExitCode {
    // A file that exceeds `ulimit -f` is then an error of writing; the signal would end the process.
    let _handler = flag::register(SIGXFSZ, Arc::default());
    command_line::run()
}
