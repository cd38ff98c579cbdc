//! `kill -9` in the middle of a run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use wiremock::Request;

use crate::endpoint::{Endpoint, knows, says, sets, user_message};
use crate::project::Project;
use crate::run_files::{check, timeless};

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
    // One question at a time, two of them begun: the third is begun when the first is written.
    let one_at_a_time =
        ["generation.concurrency=1", "generation.most_concurrency=1", "evaluation.arms=[\"retrieved\"]"];
    args.extend(one_at_a_time.iter().flat_map(|set| ["--set", set]).map(str::to_owned));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let start = [&["run", "c.toml", "--out", "runs"], &args[..]].concat();

    let program = assert_cmd::cargo::cargo_bin!("ragxray");
    let mut command = std::process::Command::new(program);
    command
        .args(&start)
        .args(["--name", "killed"])
        .env_clear()
        .envs(project.environment())
        .current_dir(project.path("."));
    let mut child =
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().expect("starts");
    asked.recv_timeout(Duration::from_mins(1)).expect("the third question is asked");
    child.kill().expect("killed"); // SIGKILL
    child.wait().expect("ended");

    let kept = project.traces("killed");
    assert!(!kept.is_empty() && kept.len() < 3, "{} of 3 were written", kept.len());
    hangs.store(false, Ordering::SeqCst);
    let n_before = endpoint.requests().len();
    let resumed = project.call(&[&start[..], &["--resume", "killed"]].concat());
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    check(&project, "killed");
    assert_eq!(endpoint.requests().len() - n_before, 3 - kept.len(), "only what was not written is asked");

    let whole = project.call(&[&start[..], &["--name", "whole"]].concat());
    assert_eq!(whole.code, 0, "{}", whole.stderr);
    assert_eq!(timeless(project.summary("killed")), timeless(project.summary("whole")));
}
