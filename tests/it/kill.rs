//! `kill -9` at any moment of a run.
//!
//! What may be asked twice, with the cache off: what was in flight when the program was killed, at most `http.concurrency` calls
//! (which may not grow here). The replies that it had are kept, also those of questions that were not through all their conditions.

use std::collections::HashMap;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use ragtriage_core::stats::random::Random;
use serde_json::Value;
use wiremock::Request;

use crate::endpoint::{Endpoint, knows, says, sets, user_message};
use crate::planted::reader::Reader;
use crate::planted::seen;
use crate::planted::server::Server;
use crate::planted::setting::{BLOCK_WORDS, Setting, Shape};
use crate::project::Project;
use crate::run_files::{check, timeless};

/// Calls at once.
const CONCURRENCY: usize = 8;
const LATENCY: Duration = Duration::from_millis(2);
/// Longer than any run here takes: what waits so long hangs.
const FOREVER: Duration = Duration::from_mins(5);

/// 200 questions, every tenth of which lost its gold to ranking, so that all conditions are asked.
struct Bench {
    project: Project,
    server: Server,
    args: Vec<String>,
}

impl Bench {
    fn new() -> Self {
        let mut setting = Setting::new(9, &[(Shape::Plain, 160), (Shape::TwoHop, 40)]);
        let lost: Vec<String> = setting.ids(|_| true).into_iter().step_by(10).collect();
        setting.distract(&lost, 8, 2 * BLOCK_WORDS);
        let reader = Reader::new(&setting);
        let server = Server::slow(LATENCY, move |asked| reader.read(asked));
        let base_url = format!("generation.base_url={}", server.base_url());
        let concurrency = format!("http.concurrency={CONCURRENCY}");
        let mut args: Vec<String> =
            ["run", "c.toml", "--out", "runs", "--no-cache"].map(str::to_owned).to_vec();
        args.extend([base_url, concurrency].into_iter().flat_map(|set| ["--set".to_owned(), set]));
        Self { project: setting.project(), server, args }
    }

    /// Begins the run, or goes on with it where there is something to go on with.
    fn start(&self, name: &str) -> Child {
        let go_on = self.project.path(&format!("runs/{name}")).exists();
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("ragtriage"));
        command.args(&self.args).args([if go_on { "--resume" } else { "--name" }, name]);
        command.env_clear().envs(self.project.environment()).current_dir(self.project.path("."));
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts")
    }

    fn finish(&self, name: &str) -> Value {
        let output = self.start(name).wait_with_output().expect("ended");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        check(&self.project, name);
        without_calls(self.project.summary(name))
    }

    /// Kills the run at `moment`, or finds it done already.
    fn kill(&self, name: &str, moment: &Moment) {
        let n_before = self.server.arrived().len();
        let mut child = self.start(name);
        match moment {
            Moment::Call(n) => {
                let began = Instant::now();
                while !self.server.wait_for(n_before + n, Duration::from_millis(20)) {
                    assert!(began.elapsed() < FOREVER, "{name} hangs");
                    if child.try_wait().expect("a child").is_some() {
                        break;
                    }
                }
            }
            Moment::After(wait) => std::thread::sleep(*wait),
        }
        let _ = child.kill(); // SIGKILL; it may have ended
        child.wait().expect("ended");
    }
}

/// A summary without what it took to make: on resume that counts what was asked again, or was at hand.
fn without_calls(summary: Value) -> Value {
    let mut summary = timeless(summary);
    for key in ["tokens", "cost_usd"] {
        summary.as_object_mut().expect("an object").remove(key);
    }
    summary
}

/// When a run is killed.
#[derive(Debug)]
enum Moment {
    /// When so many calls have arrived.
    Call(usize),
    /// So long after its start, wherever it is then.
    After(Duration),
}

#[test]
fn a_run_killed_at_fifty_moments_ends_like_an_undisturbed_one_each_time() {
    let bench = Bench::new();
    let clock = Instant::now();
    let undisturbed = bench.finish("whole");
    let took = clock.elapsed();
    let prompts = bench.server.arrived();
    let mut random = Random::new(50);
    let (mut n_broken, mut n_repeated_in_all) = (0, 0);
    for at in 0..50 {
        // By calls while questions are asked; by time for what comes before and behind: loading, indexing, summary, report.
        let mut moment = || match at % 5 {
            0..3 => Moment::Call(1 + random.below(prompts.len())),
            _ => Moment::After(took.mul_f64(random.below(1000) as f64 / 1000.0)),
        };
        let (name, n_before) = (format!("killed{at}"), bench.server.arrived().len());
        let moments = if at % 10 == 0 { vec![moment(), moment()] } else { vec![moment()] };
        for moment in &moments {
            bench.kill(&name, moment);
        }
        n_broken += usize::from(!bench.project.path(&format!("runs/{name}/report.html")).exists());
        assert_eq!(bench.finish(&name), undisturbed, "{name} killed at {moments:?}");

        let asked = bench.server.arrived().split_off(n_before);
        let n_repeated = asked.len() - prompts.len();
        n_repeated_in_all += n_repeated;
        assert_same_prompts(&prompts, &asked);
        assert!(
            n_repeated <= CONCURRENCY * moments.len(),
            "{n_repeated} calls again after {moments:?}"
        );
        std::fs::remove_dir_all(bench.project.path(&format!("runs/{name}"))).expect("there");
    }
    seen(&format!("{n_broken} of 50 were broken off, {n_repeated_in_all} calls made again"));
    assert!(n_broken >= 40, "only {n_broken} of 50 runs were broken off by their kill");
}

/// Whatever an undisturbed run asks was asked, and nothing else.
fn assert_same_prompts(undisturbed: &[String], asked: &[String]) {
    let mut left: HashMap<&str, usize> = asked.iter().map(|prompt| (prompt.as_str(), 0)).collect();
    for prompt in undisturbed {
        assert!(left.contains_key(prompt.as_str()), "never asked: {prompt}");
        left.insert(prompt, 1);
    }
    let foreign = left.iter().find(|(_, n)| **n == 0);
    assert!(foreign.is_none(), "asked by no undisturbed run: {foreign:?}");
}

const THIRD: &str = r#"{"id": "q3", "text": "Does beta wait?", "answers": ["no"], "evidence": [[{"doc": "b", "quotes": ["Beta never waits."]}]]}"#;

#[test]
fn a_killed_run_loses_only_the_questions_in_flight() {
    let (third_is_asked, asked) = mpsc::channel();
    let hangs = Arc::new(AtomicBool::new(true));
    let now = Arc::clone(&hangs);
    let endpoint = Endpoint::start(None, move |request: &Request| {
        if !user_message(request).contains("Does beta wait?") {
            return knows(request);
        }
        if now.load(Ordering::SeqCst) {
            let _ = third_is_asked.send(());
            return says("Answer: no").set_delay(Duration::from_hours(1));
        }
        says("Answer: no")
    });
    let project = Project::new();
    project.append("data/questions.jsonl", THIRD);
    let mut args = sets(&endpoint.base_url());
    // One call at a time, two questions in flight: the third starts when another is written. Which of the two is asked first
    // is open, and the third may be asked before the other.
    let one_at_a_time = ["http.concurrency=1", "evaluation.conditions=[\"retrieved\"]"];
    args.extend(one_at_a_time.iter().flat_map(|set| ["--set", set]).map(str::to_owned));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let start = [&["run", "c.toml", "--out", "runs"], &args[..]].concat();

    let program = assert_cmd::cargo::cargo_bin!("ragtriage");
    let mut command = std::process::Command::new(program);
    command
        .args(&start)
        .args(["--name", "killed"])
        .env_clear()
        .envs(project.environment())
        .current_dir(project.path("."));
    let mut child = command
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("starts");
    asked.recv_timeout(Duration::from_mins(1)).expect("the third question is asked");
    child.kill().expect("killed"); // SIGKILL
    child.wait().expect("ended");

    let kept = project.traces("killed");
    assert!(!kept.is_empty() && kept.len() < 3, "{} of 3 were written", kept.len());
    hangs.store(false, Ordering::SeqCst);
    let resumed = project.call(&[&start[..], &["--resume", "killed"]].concat());
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    check(&project, "killed");
    // A call starts only when the response to the one before is on disk, so only the third's is lost.
    let asked: Vec<String> = endpoint.requests().iter().map(user_message).collect();
    let n_calls = |text: &str| asked.iter().filter(|prompt| prompt.contains(text)).count();
    let texts = ["How long does alpha wait?", "Who never waits?", "Does beta wait?"];
    assert_eq!(texts.map(n_calls), [1, 1, 2]);

    let whole = project.call(&[&start[..], &["--name", "whole"]].concat());
    assert_eq!(whole.code, 0, "{}", whole.stderr);
    assert_eq!(without_calls(project.summary("killed")), without_calls(project.summary("whole")));
}
