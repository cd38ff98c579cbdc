//! The generator at full speed: whole runs against an endpoint on loopback that takes 50 ms, 64 calls at once; the memory that
//! they take; and the time to load and diagnose what they wrote.
//!
//! `cargo bench --bench generate -- [QUESTIONS] [BINARY]`: 5,000 questions and the program just built by default. It wants a
//! machine that does nothing else: endpoint and program share its cores. Printed:
//! - calls a second of the whole step `questions`, from the first retrieval to the last trace on disk, beside the ideal of
//!   64 / 0.05 s. All conditions (prompts that a condition before had are not sent), then the pipeline's own prompt alone, where every
//!   call needs a retrieval;
//! - peak memory with a tenth of the questions and with all of them, over the same corpus;
//! - of a run of 7,405 questions, HotpotQA's number: seconds to load it, to attribute every question, for all of
//!   `summary.json`, and for the process `ragtriage report --format json`.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod data;
mod process;
mod server;

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use ragtriage_data::run::{RunFolder, SavedRun};
use ragtriage_eval::{diagnose, summary};
use ragtriage_pipeline::settings::assemble;

use process::{Watched, watch};
use server::Server;

const LATENCY: Duration = Duration::from_millis(50);
const CONCURRENCY: usize = 64;
const DOCUMENTS: usize = 2_000;
const DIAGNOSED: usize = 7_405;
const TURNS: usize = 3;

fn main() {
    let arguments: Vec<String> =
        env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let n_questions =
        arguments.first().map_or(5_000, |text| text.parse().expect("a number of questions"));
    let binary = arguments.get(1).map_or(env!("CARGO_BIN_EXE_ragtriage"), String::as_str);
    let folder = tempfile::tempdir().expect("a folder");
    data::write(folder.path(), DOCUMENTS, n_questions.max(DIAGNOSED));
    let server = Server::start(LATENCY);
    let bench = Bench { binary: binary.into(), folder: folder.path().to_owned(), server };
    bench.write_settings();

    let few = bench.run("few", n_questions / 10, &[]);
    let all = bench.run("all", n_questions, &[]);
    println!(
        "peak memory: {:.0} MB, of {} questions {:.0} MB",
        all.peak_mb,
        n_questions / 10,
        few.peak_mb
    );
    bench.run("retrieved", n_questions, &["--set", "evaluation.conditions=[\"retrieved\"]"]);
    bench.run("diagnosed", DIAGNOSED, &[]);
    bench.diagnose("diagnosed");
}

struct Bench {
    binary: PathBuf,
    folder: PathBuf,
    server: Server,
}

impl Bench {
    fn write_settings(&self) {
        let settings = format!(
            "[dataset]\nformat = \"jsonl\"\npath = \".\"\n\
             [retrieval]\nretrievers = [\"bm25\"]\n\
             [generation]\ngenerator = \"openai\"\nbase_url = \"http://{}/v1\"\nmodel = \"bench\"\n\
             [http]\nconcurrency = {CONCURRENCY}\n",
            self.server.address
        );
        fs::write(self.folder.join("bench.toml"), settings).expect("written");
    }

    /// Runs `n_questions` and prints how fast the calls came.
    fn run(&self, name: &str, n_questions: usize, further: &[&str]) -> Watched {
        let mut command = Command::new(&self.binary);
        command.arg("run").arg(self.folder.join("bench.toml")).args(["--no-cache", "--name", name]);
        command
            .args(["--set", &format!("dataset.limit={n_questions}")])
            .args(further)
            .arg("--out")
            .arg(self.runs());
        self.server.take_counted();
        let watched = watch(&mut command);
        let counted = self.server.take_counted();
        let seconds = self.question_seconds(name);
        let (a_second, ideal) =
            (counted.n_calls as f64 / seconds, CONCURRENCY as f64 / LATENCY.as_secs_f64());
        println!(
            "{name}: {n_questions} questions, {} calls in {seconds:.2} s: {a_second:.0}/s, {:.1} % of {ideal:.0}/s; at most {} at \
             once; whole run {:.2} s, {:.2} s of processor",
            counted.n_calls,
            100.0 * a_second / ideal,
            counted.most_at_once,
            watched.seconds,
            watched.cpu_seconds,
        );
        watched
    }

    fn runs(&self) -> PathBuf {
        self.folder.join("runs")
    }

    fn question_seconds(&self, name: &str) -> f64 {
        let json = fs::read(self.runs().join(name).join("summary.json")).expect("the run is whole");
        let summary: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
        summary["seconds"]["questions"].as_f64().expect("a step of every run")
    }

    /// Prints how long it takes to load and to diagnose a run.
    fn diagnose(&self, name: &str) {
        let folder = RunFolder::existing(&self.runs().join(name));
        let (loading, run) = best_of(|| SavedRun::load(&folder).expect("it was just written"));
        let plan = assemble::evaluation(&run.manifest.settings);
        let (attributing, _) = best_of(|| diagnose::outcomes(&run, plan.k, plan.judge));
        let (evaluating, _) = best_of(|| summary::evaluate(&run, &plan));
        let report = || {
            watch(
                Command::new(&self.binary)
                    .arg("report")
                    .arg(folder.path())
                    .args(["--format", "json"]),
            )
        };
        let (_, reported) = best_of(report);
        println!(
            "{} traces: loaded in {loading:.2} s, attributed in {attributing:.2} s, evaluated in {evaluating:.2} s; the report \
             {:.2} s, {:.2} s of processor, {:.0} MB",
            run.traces.len(),
            reported.seconds,
            reported.cpu_seconds,
            reported.peak_mb
        );
    }
}

/// The shortest of a few turns: other work on the machine only adds.
fn best_of<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut turn = || {
        let clock = Instant::now();
        let done = work();
        (clock.elapsed().as_secs_f64(), done)
    };
    let first = turn();
    (1..TURNS).map(|_| turn()).fold(first, |best, next| if next.0 < best.0 { next } else { best })
}
