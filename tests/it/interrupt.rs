//! Ctrl-C in a run: what is finished is kept, and the printed command resumes it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::Duration;

use wiremock::Request;

use crate::endpoint::{Endpoint, knows, sets, user_message};
use crate::project::Project;

#[test]
fn an_interrupted_run_names_the_command_that_resumes_it() {
    let endpoint = Endpoint::start(None, |request: &Request| {
        let slow = user_message(request).contains("never waits?");
        let reply = knows(request);
        if slow { reply.set_delay(Duration::from_mins(10)) } else { reply }
    });
    let project = Project::new();
    let sets = sets(&endpoint.base_url());
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("ragtriage"))
        .current_dir(project.path("."))
        .env_clear()
        .envs(project.environment())
        .args(["run", "c.toml", "--out", "runs", "--name", "r"])
        .args(&sets)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("read");
    assert_eq!(line, "run folder: runs/r\n");
    // The first question is finished; the other's answers take ten minutes.
    let traces = project.path("runs/r/traces.jsonl");
    while std::fs::metadata(&traces).map_or(true, |file| file.len() == 0) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.expect("`kill` is installed").success());
    assert_eq!(child.wait().expect("ends").code(), Some(130));
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("read");
    assert_eq!(
        rest,
        "interrupted: finished questions are kept in runs/r\nhint: resume with `ragtriage run --resume r --out runs`\n"
    );

    drop(endpoint);
    let resumed = project.call(&["run", "--resume", "r", "--out", "runs", "--dry-run"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
}
