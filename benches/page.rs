//! The HTML report of a large run: how long it takes to write, and how large it is.
//!
//! `cargo bench --bench page -- FOLDER [--binary PROGRAM]`: the run is made in FOLDER where it is not there yet, over the fetched
//! set `HotpotQA` (7,405 questions, `ragtriage dataset fetch hotpotqa`), by BM25 with ten hits each, without a generator, on a machine
//! that does nothing else. Printed, each the median of five: seconds of `report RUN`, and how many of them are for loading and
//! evaluating the run, as `report --format json` does; megabytes of the page.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs};

const TURNS: usize = 5;

fn main() {
    let mut arguments = env::args().skip(1).filter(|argument| argument != "--bench");
    let (mut folder, mut binary) = (None, PathBuf::from(env!("CARGO_BIN_EXE_ragtriage")));
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--binary" => binary = arguments.next().expect("a program").into(),
            _ => folder = Some(PathBuf::from(argument)),
        }
    }
    let folder = folder.expect("a folder for the run: it takes 150 MB");
    let binary = binary.canonicalize().expect("the program is there");
    let seconds = |arguments: &[&str]| {
        let clock = Instant::now();
        let mut command = Command::new(&binary);
        let status = command.args(arguments).current_dir(&folder).stdout(Stdio::null()).status();
        assert!(status.expect("it starts").success(), "{arguments:?} failed");
        clock.elapsed().as_secs_f64()
    };
    if !folder.join("runs/large/summary.json").is_file() {
        fs::write(folder.join("bench.toml"), settings()).expect("written");
        seconds(&["run", "bench.toml", "--out", "runs", "--name", "large", "--no-cache"]);
    }
    let median = |arguments: &[&str]| {
        let mut values: Vec<f64> = (0..TURNS).map(|_| seconds(arguments)).collect();
        values.sort_by(f64::total_cmp);
        values[TURNS / 2]
    };
    let report = median(&["report", "runs/large"]);
    let loading = median(&["report", "runs/large", "--format", "json"]);
    println!("`report`: {report:.2} s, of which loading and evaluating {loading:.2} s");
    let bytes = fs::metadata(folder.join("runs/large/report.html")).expect("written").len();
    println!("report.html: {:.2} MB ({bytes} bytes)", bytes as f64 / 1e6);
}

fn settings() -> String {
    let set = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/fetched/hotpotqa");
    format!(
        "[dataset]\nformat = \"hotpotqa\"\npath = '{}'\n\n[chunking]\nstrategy = \"document\"\n\n\
         [retrieval]\nretrievers = [\"bm25\"]\ncandidates = 10\n\n[generation]\ngenerator = \"none\"\n",
        set.display()
    )
}
