//! The main job: the shipped runbooks, by BM25 (their dense half needs weights and is run by `.ci/run`).

use serde_json::Value;

use crate::project::{Project, outcome};
use crate::run_files::{check, timeless};

#[test]
fn without_arguments_the_configuration_runs_and_a_folder_is_written_next_to_it() {
    let project = Project::runbooks();
    let outcome = project.call(&["run"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    // `<config stem>-<UTC time>-<4 hex>`.
    let folder =
        outcome.stderr.strip_prefix("run folder: ragtriage-runs/").expect("said").trim_end();
    let parts: Vec<&str> = folder.split('-').collect();
    let is_time =
        |text: &str| text.len() == 16 && text.as_bytes()[8] == b'T' && text.ends_with('Z');
    let is_hex = |text: &str| text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(
        matches!(parts[..], ["ragtriage", time, hex] if is_time(time) && is_hex(hex)),
        "{folder}"
    );
    assert!(project.path("ragtriage-runs").join(folder).join("summary.json").is_file());
    // A second run is another one.
    let again = project.call(&["run"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_ne!(again.stderr, outcome.stderr);
}

#[test]
fn in_a_folder_below_the_nearest_configuration_and_its_runs_are_found() {
    let project = Project::new();
    std::fs::rename(project.path("c.toml"), project.path("ragtriage.toml")).expect("renamed");
    project.write("a/b/file", "");
    let call = |args: &[&str]| {
        outcome(&project.command(args).current_dir(project.path("a/b")).output().expect("starts"))
    };
    let run = call(&["run", "--name", "r"]);
    let said = "configuration: ../../ragtriage.toml\nrun folder: ../../ragtriage-runs/r\n";
    assert_eq!((run.code, run.stderr.as_str()), (0, said));
    for args in [&["report", "r"][..], &["check", "r", "--min", "EM@5=0"], &["compare", "r", "r"]] {
        assert_eq!(call(args).code, 0, "{args:?}");
    }
    // Settings of the found file count, and those of a named one instead.
    let shown = call(&["config", "show"]).stdout;
    assert!(shown.contains("path = \"data\""), "{shown}");
    project.write("a/b/other.toml", "[retrieval]\nk = 3\n");
    let shown = call(&["config", "show", "other.toml"]);
    assert!(shown.stdout.contains("k = 3\n") && shown.stderr.is_empty(), "{}", shown.stderr);
}

#[test]
fn the_runs_folder_holds_what_the_design_names() {
    let project = Project::runbooks();
    let outcome = project.call(&["run", "--out", "runs", "--name", "r"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, "run folder: runs/r\n"));
    check(&project, "r");
    let run = project.json("runs/r/run.json");
    // 100 documents, 300 questions: datasets/runbooks/README.md.
    assert_eq!(
        (&run["n_documents"], &run["n_questions"], &run["schema"]),
        (&100.into(), &300.into(), &3.into())
    );
    assert_eq!((&run["name"], &run["version"]), (&"r".into(), &env!("CARGO_PKG_VERSION").into()));
    assert!(run["finished"].as_str() >= run["started"].as_str(), "{run}");
    assert_eq!(run["settings"]["retrieval"]["bm25"]["k1"], 1.2);
    let summary = project.summary("r");
    // 190 + 30 span questions have EM; 275 of 300 have golds, 25 are unanswerable.
    assert_eq!(
        (&summary["metrics"]["EM@5"]["n"], &summary["losses"]["n_testable"]),
        (&220.into(), &275.into())
    );
    assert_eq!(summary["losses"]["stages"][0]["complete"], 275);
    let unanswerable =
        summary["classes"]["declined"].as_u64().zip(summary["classes"]["hallucinated"].as_u64());
    assert_eq!(unanswerable.map(|(a, b)| a + b), Some(25));
}

#[test]
fn a_demo_leaves_another_folder_alone() {
    let project = Project::of(&[("other/notes.txt", "mine")]);
    let refused = project.call(&["demo", "other"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("File exists"), "{}", refused.stderr);
    assert_eq!(project.read("other/notes.txt"), "mine");
}

#[test]
fn the_demo_prints_its_report() {
    let project = Project::of(&[]);
    let demo = project.call(&["demo"]);
    let full =
        project.call(&["report", "ragtriage-demo/ragtriage-runs/demo", "--format", "terminal"]);
    assert_eq!((demo.code, full.code), (0, 0), "{}{}", demo.stderr, full.stderr);
    let (report, _) = full.stdout.split_once("\nTime and cost\n").expect("the last section");
    let lines = report.lines().filter(|line| !line.starts_with("  Version "));
    let report = lines.collect::<Vec<_>>().join("\n");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("report", format!("{}\n\n{report}", demo.stdout)));
}

#[test]
fn the_report_says_what_it_must() {
    let project = Project::runbooks();
    let outcome = project.call(&["run", "--full", "--out", "runs", "--name", "r"]);
    let words = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for needed in [
        "100 documents",
        "300: 220 span, 30 yes_no, 25 free, 25 unanswerable",
        "Retrieval by answer (EM@5, n = 220, questions with span answers)",
        "mean over n questions and its 95% CI; EM and EvidenceRecall over passages, the others over documents; @prompt: packed passages",
        "Answers n mean 95% CI",
        "300 questions, 100 documents, bm25, k = 5, model Claude",
        "Is retrieval the bottleneck? Yes.",
        "Effects of other settings (n = 275;",
        "Lost questions (5 of ",
        "Time and cost",
    ] {
        assert!(words.contains(needed), "`{needed}` is missing in\n{}", outcome.stdout);
    }
    let longest = outcome.stdout.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(140), "a line of {longest:?} columns");
    assert!(
        !outcome.stdout.contains("NaN") && !outcome.stdout.contains('\u{1b}'),
        "{}",
        outcome.stdout
    );
}

#[test]
fn a_run_repeated_gives_the_same_numbers() {
    let project = Project::runbooks();
    for name in ["one", "two"] {
        assert_eq!(project.call(&["run", "--out", "runs", "--name", name]).code, 0);
    }
    assert_eq!(timeless(project.summary("one")), timeless(project.summary("two")));
    for file in ["retrieval.trec", "qrels.trec"] {
        let of = |name: &str| {
            project.read(&format!("runs/{name}/{file}")).replace(&format!(" {name}\n"), "\n")
        };
        assert_eq!(of("one"), of("two"), "{file}");
    }
}

#[test]
fn a_report_of_a_saved_run_is_the_one_the_run_printed() {
    let project = Project::runbooks();
    let run = project.call(&["run", "--full", "--out", "runs", "--name", "r"]);
    let before = project.files("runs");
    let report = project.call(&["report", "runs/r", "--format", "terminal"]);
    assert_eq!((report.code, report.stderr.as_str()), (0, ""));
    assert_eq!(report.stdout, run.stdout);
    assert_eq!(
        project.call(&["report", "runs/r", "--format", "json"]).stdout,
        project.read("runs/r/summary.json")
    );
    assert_eq!(project.call(&["report", "runs/r"]).stdout, "runs/r/report.html\n");
    assert!(project.call(&["report", "runs/r", "--format", "md"]).stdout.starts_with("# "));
    assert!(project.files("runs") == before, "a report writes no more than the same page again");
}

#[test]
fn the_trec_files_agree_with_the_traces() {
    let project = Project::runbooks();
    assert_eq!(project.call(&["run", "--out", "runs", "--name", "r"]).code, 0);
    let mut expected = Vec::new();
    for trace in project.traces("r") {
        let question = trace["question"]["id"].as_str().expect("an id").to_owned();
        // Documents, each at its first chunk.
        let mut documents: Vec<(String, f64)> = Vec::new();
        for hit in trace["stages"][0]["hits"].as_array().expect("hits") {
            let id = hit["id"].as_str().expect("an id");
            let document = id.rsplit_once('#').expect("a chunk").0;
            if documents.iter().all(|(known, _)| known != document) {
                documents.push((document.to_owned(), hit["score"].as_f64().expect("a score")));
            }
        }
        let ranked = documents.into_iter().enumerate();
        expected.extend(ranked.map(|(at, (id, score))| (question.clone(), id, at + 1, score)));
    }
    let ranking = project.read("runs/r/retrieval.trec");
    let mut lines = ranking.lines();
    for (question, id, rank, score) in expected {
        let line: Vec<&str> = lines.next().expect("a line a hit").split(' ').collect();
        assert_eq!((line[..4].join(" "), line[5]), (format!("{question} Q0 {id} {rank}"), "r"));
        assert_eq!(line[4].parse(), Ok(score));
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn a_limit_draws_a_seeded_sample_and_leaves_the_corpus_whole() {
    let project = Project::runbooks();
    let asked = |name: &str, args: &[&str]| -> Vec<String> {
        let outcome = project.call(&[&["run", "--out", "runs", "--name", name], args].concat());
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        assert_eq!(project.json(&format!("runs/{name}/run.json"))["n_documents"], 100);
        let id = |trace: &Value| trace["question"]["id"].as_str().expect("an id").to_owned();
        project.traces(name).iter().map(id).collect()
    };
    let five = asked("five", &["--limit", "5"]);
    assert_eq!((five.len(), &asked("again", &["--limit", "5"])), (5, &five));
    let nine = asked("nine", &["--limit", "9"]);
    assert!(
        nine.len() == 9 && five.iter().all(|id| nine.contains(id)),
        "a larger sample holds the smaller"
    );
    assert_ne!(asked("seed", &["--limit", "5", "--set", "dataset.seed=1"]), five);
    assert_eq!(asked("more", &["--limit", "999"]).len(), 300);
}

#[test]
fn a_split_is_asked_alone() {
    let project = Project::runbooks();
    assert_eq!(
        project
            .call(&[
                "run",
                "--out",
                "runs",
                "--name",
                "r",
                "--set",
                "dataset.split=tune",
                "--set",
                "generation.generator=none"
            ])
            .code,
        0
    );
    // 150 of 300 questions are `tune`: datasets/runbooks/README.md.
    assert_eq!(project.summary("r")["n_questions"], 150);
    assert!(project.traces("r").iter().all(|trace| trace["question"]["split"] == "tune"));
}

#[test]
fn without_a_generator_the_run_is_about_evidence_alone() {
    let project = Project::runbooks();
    let outcome = project.call(&[
        "run",
        "--out",
        "runs",
        "--name",
        "r",
        "--set",
        "generation.generator=none",
    ]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    check(&project, "r");
    let summary = project.summary("r");
    let stages = summary["losses"]["stages"].as_array().expect("stages");
    let names: Vec<&str> = stages.iter().filter_map(|row| row["class"].as_str()).collect();
    assert_eq!(names, ["not_in_corpus", "split", "not_retrieved", "ranked_low", "not_packed"]);
    assert_eq!(
        (&summary["classes"]["delivered"], &summary["losses"]["budget"]["of"]),
        (&stages[4]["complete"], &"complete evidence".into())
    );
    // What is lost is the share whose evidence did not reach the prompt.
    let supported = stages[4]["complete"].as_f64().expect("a count");
    let loss = summary["losses"]["budget"]["loss"].as_f64().expect("a number");
    assert!((loss - (1.0 - supported / 275.0)).abs() < 1e-12, "{loss}");
}
