//! The HTML report of a large run: how long it takes to write, how large it is, and how quick it is in Chromium.
//!
//! `cargo bench --bench page -- FOLDER [--binary PROGRAM] [--text FILE]`: the run is made in FOLDER where it is not there yet, of
//! 7,405 questions over some 73,500 paragraphs of `FILE`, `HotpotQA`'s own form (`datasets/fetched/hotpotqa` by default, which
//! `ragtriage dataset fetch hotpotqa` fills), by BM25 with ten hits each and the built-in reader. Chromium and chromedriver are needed,
//! and a machine that does nothing else. Printed, each the median of five:
//! - seconds of `report RUN`, and how many of them are for loading and evaluating the run, as `report --format trec` does;
//! - megabytes of the page;
//! - first paint, and until the table is there, from the start of the navigation;
//! - a class filter, a search, an order, and opening a question: from the event until the changed page is laid out.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[allow(dead_code, reason = "shared with the tests, which use all of it")]
#[path = "../../tests/browser/browser.rs"]
mod browser;
mod copies;
#[path = "../../tests/browser/driver.rs"]
mod driver;
mod timed;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs};

use serde_json::Value;

use timed::median;

/// `HotpotQA`'s development set.
const QUESTIONS: usize = 7_405;

const SETTINGS: &str = "[dataset]\nformat = \"hotpotqa\"\npath = \"data\"\n\n[chunking]\nstrategy = \"document\"\n\n\
    [retrieval]\nretrievers = [\"bm25\"]\ncandidates = 10\n\n[evaluation]\nscorer = \"hotpotqa\"\n";

const TURNS: usize = 5;

fn main() {
    let mut arguments = env::args().skip(1).filter(|argument| argument != "--bench");
    let (mut folder, mut text, mut binary) =
        (None, None, PathBuf::from(env!("CARGO_BIN_EXE_ragtriage")));
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--text" => text = Some(PathBuf::from(arguments.next().expect("a file"))),
            "--binary" => binary = arguments.next().expect("a program").into(),
            _ => folder = Some(PathBuf::from(argument)),
        }
    }
    let folder = folder
        .expect("a folder for the run: it takes 150 MB")
        .canonicalize()
        .expect("the folder is there");
    let binary = binary.canonicalize().expect("the program is there");
    let bench = Bench { folder, binary };
    bench.make_run(text);
    bench.write_page();
    timed::page(&bench.page());
}

/// The only file of the fetched set.
fn fetched() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/fetched/hotpotqa");
    let files =
        fs::read_dir(&folder).expect("fetched: `ragtriage dataset fetch hotpotqa`, or --text FILE");
    let mut files = files.map(|file| file.expect("readable").path());
    files
        .find(|file| file.extension().is_some_and(|extension| extension == "json"))
        .expect("a JSON file")
}

struct Bench {
    folder: PathBuf,
    binary: PathBuf,
}

impl Bench {
    fn page(&self) -> PathBuf {
        self.folder.join("runs/large/report.html")
    }

    fn make_run(&self, text: Option<PathBuf>) {
        if self.folder.join("runs/large/summary.json").is_file() {
            return;
        }
        let text = fs::read_to_string(text.unwrap_or_else(fetched)).expect("readable");
        let questions: Vec<Value> = serde_json::from_str(&text).expect("a list of questions");
        fs::create_dir_all(self.folder.join("data")).expect("made");
        let copies = serde_json::to_string(&copies::of(&questions, QUESTIONS)).expect("JSON");
        fs::write(self.folder.join("data/hotpotqa.json"), copies).expect("written");
        fs::write(self.folder.join("bench.toml"), SETTINGS).expect("written");
        self.seconds(&["run", "bench.toml", "--out", "runs", "--name", "large", "--no-cache"]);
    }

    fn write_page(&self) {
        let report = median(TURNS, || self.seconds(&["report", "runs/large"]));
        let loading = median(TURNS, || self.seconds(&["report", "runs/large", "--format", "trec"]));
        println!("`report`: {report} s, of which loading and evaluating {loading} s");
        let bytes = fs::metadata(self.page()).expect("written").len();
        println!("report.html: {:.2} MB ({bytes} bytes)", bytes as f64 / 1e6);
    }

    /// Wall time of the program, which must end well.
    fn seconds(&self, arguments: &[&str]) -> f64 {
        let clock = Instant::now();
        let mut command = Command::new(&self.binary);
        let status =
            command.args(arguments).current_dir(&self.folder).stdout(Stdio::null()).status();
        assert!(status.expect("it starts").success(), "{arguments:?} failed");
        clock.elapsed().as_secs_f64()
    }
}
