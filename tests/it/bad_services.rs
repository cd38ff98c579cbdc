//! What lies outside the program: vector server, endpoint, model files, the place to write to. Refused with the URL or
//! path and what to do; whatever was finished is kept.

use std::fs;
use std::net::TcpListener;
use std::process::Command;

use crate::project::{Project, RUN, outcome, tiny_bert};
use crate::run_files;

/// A port of this machine where nobody listens: one that was free a moment ago.
fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("an address").port()
}

/// [`RUN`] and settings.
fn args<'a>(sets: &[&'a str]) -> Vec<&'a str> {
    RUN.into_iter().chain(sets.iter().flat_map(|set| ["--set", set])).collect()
}

#[test]
fn a_qdrant_server_that_does_not_answer_is_named_with_what_starts_one() {
    let url = format!("http://127.0.0.1:{}", closed_port());
    let place = format!("vector_store.url={url}");
    let bert = tiny_bert();
    let project = Project::new();
    let outcome = project.refused(&args(&[&bert[0], &bert[1], "vector_store.kind=server", &place]));
    let error = format!("error: no Qdrant server answers at `{url}`");
    assert!(outcome.stderr.starts_with(&error), "{}", outcome.stderr);
    let hint = "\nhint: start one with `docker run -p 6334:6334 qdrant/qdrant:v1.18.0`, or set `vector_store.kind = \"embedded\"`\n";
    assert!(outcome.stderr.ends_with(hint), "{}", outcome.stderr);
    assert!(!project.path("runs/r").exists(), "no run was begun");
}

#[test]
fn offline_refuses_services_on_other_machines() {
    let project = Project::new();
    let bert = tiny_bert();
    for sets in [
        &[
            "generation.generator=openai",
            "generation.model=m",
            "generation.base_url=http://example.com/v1",
        ][..],
        &[
            &bert[0],
            &bert[1],
            "vector_store.kind=server",
            "vector_store.url=http://example.com:6334",
        ],
    ] {
        let outcome = project.refused(&[&args(sets)[..], &["--offline"]].concat());
        let lines: Vec<&str> = outcome.stderr.lines().collect();
        assert!(lines[0].contains("`http://example.com"), "{}", outcome.stderr);
        assert!(lines.len() == 2 && lines[1].starts_with("hint: "), "{}", outcome.stderr);
    }
}

#[test]
fn a_model_that_no_place_has_is_answered_with_every_place_tried() {
    // The project's environment points the hub to a closed port.
    let project = Project::new();
    let outcome = project.call(&args(&["retrieval.retrievers=[\"dense\"]"]));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(!project.path("runs").exists(), "no run was begun");
    for place in ["the model cache", "`http://127.0.0.1:9/sentence-transformers/"] {
        assert!(outcome.stderr.contains(place), "{place}: {}", outcome.stderr);
    }
    assert!(outcome.stderr.contains("\nhint: put `config.json`, "), "{}", outcome.stderr);
}

#[test]
fn a_folder_for_runs_that_is_a_file_is_refused() {
    let project = Project::new();
    project.write("taken", "mine");
    for out in ["taken", "taken/deeper"] {
        let outcome = project.refused(&["run", "c.toml", "--out", out, "--name", "r"]);
        let lines: Vec<&str> = outcome.stderr.lines().collect();
        assert!(
            lines[0].starts_with(&format!("error: cannot create `{out}`: ")),
            "{}",
            outcome.stderr
        );
        assert!(lines.len() == 2 && lines[1].contains("--out"), "{}", outcome.stderr);
    }
    assert_eq!(project.read("taken"), "mine");
}

#[test]
fn standard_output_that_is_full_is_an_error_and_the_run_is_kept() {
    let project = Project::new();
    let output = shell(&project, &format!("exec \"$0\" {} > /dev/full", RUN.join(" ")));
    assert_eq!(output.code, 2, "{}", output.stderr);
    let lines: Vec<&str> = output.since_start().lines().collect();
    assert_eq!(
        lines[0],
        "error: cannot write to standard output: No space left on device (os error 28)"
    );
    assert!(lines[1].starts_with("hint: ") && lines[1].contains("runs/r"), "{}", output.stderr);
    run_files::check(&project, "r");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let project = Project::new();
    let output =
        shell(&project, &format!("\"$0\" {} | true; exit ${{PIPESTATUS[0]}}", RUN.join(" ")));
    assert_eq!((output.code, output.stderr.as_str()), (0, "run folder: runs/r\n"));
}

#[test]
fn a_disk_that_fills_up_ends_the_run_and_resume_completes_it() {
    let project = Project::runbooks();
    let arguments = ["run", "--out", "runs"];
    let whole = project.call(&[&arguments[..], &["--name", "whole"]].concat());
    assert_eq!(whole.code, 0, "{}", whole.stderr);

    // No file may grow beyond 1,000 KiB; the passages take about 450, the traces of all 300 questions about 2,700.
    let script = "ulimit -f 1000; exec \"$0\" run --out runs --name full";
    let output = shell(&project, script);
    assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{}", output.stderr);
    let lines: Vec<&str> = output.since_start().lines().collect();
    assert_eq!(
        lines[0],
        "error: cannot write `runs/full/traces.jsonl`: File too large (os error 27)"
    );
    assert!(
        lines.len() == 2 && lines[1].starts_with("hint: ") && lines[1].contains("--resume"),
        "{}",
        output.stderr
    );
    let n_kept =
        project.read("runs/full/traces.jsonl").lines().filter(|line| line.ends_with('}')).count();
    assert!((1..300).contains(&n_kept), "{n_kept} whole traces are kept");

    let resumed = project.call(&[&arguments[..], &["--resume", "full"]].concat());
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert_eq!(
        run_files::timeless(project.summary("full")),
        run_files::timeless(project.summary("whole"))
    );
}

#[test]
fn a_summary_that_finds_no_space_leaves_the_old_one_whole() {
    let project = Project::new();
    project.good("r", &[]);
    let before = project.read("runs/r/summary.json");
    // What is written goes to another name first; there it meets a full device.
    std::os::unix::fs::symlink("/dev/full", project.path("runs/r/summary.json.partial"))
        .expect("linked");
    let outcome = project.run(&["--resume", "r"]);
    assert_eq!(outcome.code, 2, "{}", outcome.stderr);
    assert_eq!(
        outcome.since_start(),
        "error: cannot write `runs/r/summary.json`: No space left on device (os error 28)\n\
         hint: free some disk space, and repeat the command; an interrupted run continues with `--resume`\n"
    );
    assert_eq!(project.read("runs/r/summary.json"), before);
    assert!(
        fs::symlink_metadata(project.path("runs/r/summary.json.partial")).is_err(),
        "the half-written file is gone"
    );
}

#[test]
fn a_file_that_finds_no_space_is_absent() {
    let project = Project::new();
    project.good("r", &[]);
    for (file, args) in [
        ("j.xml", &["check", "runs/r", "--min", "EM@5=0.1", "--junit", "j.xml"][..]),
        ("runs/r/report-no-text.html", &["report", "runs/r", "--no-text"]),
        ("ragtriage.toml", &["init", "docs"]),
    ] {
        // What is written goes to another name first; there it meets a full device.
        project.write("docs/a.md", "Alpha waits six minutes.");
        std::os::unix::fs::symlink("/dev/full", project.path(&format!("{file}.partial")))
            .expect("linked");
        let outcome = project.call(args);
        let error =
            format!("error: cannot write `{file}`: No space left on device (os error 28)\n");
        assert_eq!(outcome.code, 2, "{file}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(&error), "{file}: {}", outcome.stderr);
        assert!(!project.path(file).exists() && !project.path(&format!("{file}.partial")).exists());
        let again = project.call(args);
        assert!(project.path(file).exists(), "{file}: {}", again.stderr);
    }
}

#[test]
fn a_cache_that_cannot_be_made_is_named() {
    let project = Project::new();
    project.write("cache", "a file");
    let bert = tiny_bert();
    let outcome = project.refused(&args(&[&bert[0], &bert[1]]));
    assert!(outcome.stderr.contains("[FOLDER]/cache"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("\nhint: "), "{}", outcome.stderr);
}

/// A line of bash in the project's folder and environment; `$0` is the program.
fn shell(project: &Project, script: &str) -> crate::project::Outcome {
    let program = assert_cmd::cargo::cargo_bin!("ragtriage");
    let mut command = Command::new("bash");
    command
        .arg("-c")
        .arg(script)
        .arg(program)
        .env_clear()
        .envs(project.environment())
        .current_dir(project.path("."));
    outcome(&command.output().expect("bash"))
}
