//! `ragtriage check`: gates on a run, their exit status, and what CI servers are told.

use crate::compare::two_runs;
use crate::project::{Outcome, Project, copy_folder};

fn check(project: &Project, args: &[&str]) -> Outcome {
    project.call(&[&["check"], args].concat())
}

/// `k1` has `AnswerF1` 1, 1, 0: mean .667; the means of three draws go from 0 to 1.
#[test]
fn each_gate_is_a_line_and_a_failed_one_is_exit_1() {
    let project = two_runs(&[]);
    let gates = [
        "--min",
        "Recall@5=0.2",
        "--min",
        "P@5=80%",
        "--min",
        "AnswerF1=0.5",
        "--max-drop",
        "RR=0.02",
        "--baseline",
        "runs/k5",
    ];
    let outcome = check(&project, &[&["runs/k1"][..], &gates].concat());
    // Three equal values leave room for a share of 1 - .025^(1/3) = .708 that is otherwise: 1 - .708, .2 -+ .708 of the way.
    // Three questions reject no drop.
    assert_eq!((outcome.code, outcome.stderr.as_str()), (1, ""));
    insta::assert_snapshot!(outcome.stdout, @r"
    ragtriage: gates of k1 against k5
      The run does not pass. 1 passed, 1 failed, 2 inconclusive (not counted as failed; with `--gate strict` they
      are).

    Gates
      verdict       gate                              value           95% CI  n
      pass          Recall@5 >= 0.2                   1.000   [0.292, 1.000]  3
      fail          P@5 >= 0.8                        0.200   [0.058, 0.766]  3
      inconclusive  AnswerF1 >= 0.5                   0.667   [0.000, 1.000]  3
      inconclusive  RR drop <= 0.02  0.000 (0.833 -> 0.833)  [-1.000, 1.000]  3
      - P@5 >= 0.8: P@5 is 0.200, and all of its interval [0.058, 0.766] is below 0.8
      - AnswerF1 >= 0.5: inconclusive: the limit 0.5 lies inside the 95% CI [0.000, 1.000], so 3 questions do not
        decide; it takes about 48 if the value stays 0.667
      - RR drop <= 0.02: inconclusive: the limit 0.02 lies inside the 95% CI [-1.000, 1.000], so 3 questions do
        not decide; it takes about 7,500 if the value stays 0.000
      next  see the questions that the run loses
        ragtriage compare runs/k5 runs/k1
    ");
}

#[test]
fn a_drop_names_the_questions_that_it_leaves_out() {
    let project = two_runs(&[]);
    let edit = |run: &str, edited: &dyn Fn(usize, &mut serde_json::Value)| {
        let lines = project.traces(run).into_iter().enumerate().map(|(at, mut trace)| {
            trace.as_object_mut().expect("a trace").remove("crc32");
            edited(at, &mut trace);
            format!("{trace}\n")
        });
        let text: String = lines.collect();
        project.write(&format!("runs/{run}/traces.jsonl"), text);
    };
    let fail = |trace: &mut serde_json::Value| {
        (trace["steps"], trace["conditions"]) = (serde_json::json!([]), serde_json::json!([]));
        trace["error"] =
            serde_json::json!({"part": "generator", "kind": "permanent", "message": "gone"});
    };
    edit("k5", &|at, trace| match at {
        0 => fail(trace),
        1 => trace["question"]["text"] = "Another one?".into(),
        _ => {}
    });
    let drop = ["runs/k1", "--max-drop", "RR=1", "--baseline", "runs/k5", "--intersect"];
    let Outcome { stdout: shown, stderr, .. } = check(&project, &drop);
    let left_out = "drops are over 1 question that both answer; left out: 1 failed in one of the runs, 1 with another text";
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains(left_out), "{shown}{stderr}");

    let failed = check(&project, &[&drop[..], &["--min", "P@5=1"]].concat()).stdout;
    assert!(failed.ends_with("  ragtriage compare runs/k5 runs/k1 --intersect\n"), "{failed}");
    edit("k1", &|_, trace| fail(trace));
    let drop = ["runs/k1", "--max-drop", "AnswerF1=1", "--baseline", "runs/k5", "--intersect"];
    let outcome = check(&project, &drop);
    let shown = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    for part in [
        "gates of k1 against k5",
        "nothing to judge `AnswerF1 drop <= 1` by",
        "ragtriage report runs/k1",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
}

#[test]
fn a_class_that_only_imports_have_is_no_gate_of_a_run() {
    let project = two_runs(&[]);
    let (message, hint) = (
        "error: `k1` has no `not_in_prompt`: it knows the stage of each loss",
        "hint: gate `EvidenceRecall@prompt`, or the class of a stage, such as `not_retrieved`",
    );
    project.refuses(&["check", "runs/k1", "--max", "not_in_prompt=0.5"], &[message, hint]);
}

#[test]
fn passed_and_undecided() {
    let project = two_runs(&[]);
    let code = |args: &[&str]| check(&project, &[&["runs/k1"], args].concat()).code;
    assert_eq!(code(&["--min", "Recall@5=1"]), 0);
    assert_eq!(code(&["--min", "AnswerF1=0.5"]), 0);
    assert_eq!(code(&["--min", "AnswerF1=0.7", "--gate", "mean"]), 1);
    let drop = ["--max-drop", "AnswerF1=0.3", "--baseline", "runs/k5"];
    assert_eq!(code(&drop), 0);
    // It fell by a third.
    assert_eq!(code(&[&drop[..], &["--gate", "mean"]].concat()), 1);
    // A run did not drop from itself.
    let own = ["runs/k5", "--max-drop", "AnswerF1=0", "--baseline", "runs/../runs/k5"];
    let outcome = check(&project, &own);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("`runs/k5` is its own baseline"), "{}", outcome.stderr);
}

#[test]
fn gates_come_from_settings_and_flags_take_their_place() {
    let project = two_runs(&["--set", "gates.min.AnswerEM=0.9", "--set", "gates.mode=mean"]);
    // The settings that the run was made with.
    let recorded = check(&project, &["runs/k1"]);
    assert_eq!(recorded.code, 1);
    assert!(recorded.stdout.contains("  fail     AnswerEM >= 0.9  0.667"), "{}", recorded.stdout);
    assert_eq!(check(&project, &["runs/k1", "--min", "AnswerEM=0.6"]).code, 0);
    // Those of a file; its paths start from its folder.
    project.write(
        "ci/gates.toml",
        "[gates]\nmax_drop = { \"AnswerEM\" = 0.1 }\nbaseline = \"../runs/k5\"\nmode = \"mean\"\n",
    );
    let outcome = check(&project, &["runs/k1", "ci/gates.toml", "--json"]);
    assert_eq!(outcome.code, 1);
    let report: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!((&report["baseline"], &report["passed"]), (&"k5".into(), &false.into()));
    assert_eq!(report["gates"].as_array().expect("a list").len(), 1);
    assert_eq!(
        (&report["gates"][0]["bound"], &report["gates"][0]["verdict"]),
        (&"max_drop".into(), &"fail".into())
    );
    copy_folder(&project.path("runs/k5"), &project.path("runs/again"));
    assert_eq!(check(&project, &["runs/again", "ci/gates.toml"]).code, 0);
    // Those of the nearest configuration, if it has gates.
    project.write("ragtriage.toml", "[retrieval]\nk = 5\n");
    assert_eq!(check(&project, &["runs/k1"]).code, 1);
    project.write("ragtriage.toml", "[gates]\nmin = { \"AnswerEM\" = 0.1 }\nmode = \"mean\"\n");
    assert_eq!(check(&project, &["runs/k1"]).code, 0);
    // A folder of that name is no reason to check nothing.
    std::fs::remove_file(project.path("ragtriage.toml")).expect("removed");
    std::fs::create_dir(project.path("ragtriage.toml")).expect("made");
    assert_eq!(check(&project, &["runs/k1"]).code, 2);
    std::fs::remove_dir(project.path("ragtriage.toml")).expect("removed");
    // Gates judge a run and change nothing in it.
    let resumed =
        project.run(&["--resume", "k1", "--set", "retrieval.k=1", "--set", "gates.min.RR=0.1"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
}

#[test]
fn a_junit_file_is_written() {
    let project = two_runs(&[]);
    let args = [
        "check",
        "runs/k1",
        "--min",
        "AnswerF1=0.5",
        "--min",
        "P@5=0.8",
        "--min",
        "RR=0.1",
        "--junit",
        "out.xml",
    ];
    assert_eq!(project.call(&args).code, 1);
    let xml = project.read("out.xml");
    let document = roxmltree::Document::parse(&xml).expect("XML");
    let suite = document.root_element().first_element_child().expect("a suite");
    let counts = ["tests", "failures", "errors", "skipped"]
        .map(|name| suite.attribute(name).unwrap_or_default());
    assert_eq!(counts, ["3", "1", "0", "1"]);
    let cases = document.descendants().filter(|node| node.has_tag_name("testcase"));
    let told: Vec<(&str, &str)> = cases
        .map(|case| {
            let inner = case.first_element_child().map_or("", |inner| inner.tag_name().name());
            (case.attribute("name").unwrap_or_default(), inner)
        })
        .collect();
    assert_eq!(
        told,
        [("AnswerF1 >= 0.5", "skipped"), ("P@5 >= 0.8", "failure"), ("RR >= 0.1", "")]
    );
    let missing = ["check", "runs/k1", "--min", "RR=0.1", "--junit", "gone/out.xml"];
    // The verdict is printed all the same.
    let outcome = project.call(&missing);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stdout.contains("The run passes."), "{}", outcome.stdout);
    let error =
        "error: cannot write `gone/out.xml`: No such file or directory (os error 2)\nhint: ";
    assert!(outcome.stderr.starts_with(error), "{}", outcome.stderr);
    // A check that cannot be made leaves no earlier verdict, whatever it lacks.
    let junit = ["--junit", "out.xml"];
    for (args, junit) in [
        (&["runs/gone", "--min", "RR=0.1"][..], &junit[..]),
        (&["runs/k1", "--no-such-flag"], &junit[..]),
        (&["runs/k1", "--min"], &["--junit=out.xml"]),
        (&["--limit", "3"], &junit[..]),
    ] {
        project.write("out.xml", &xml);
        assert_eq!(check(&project, &[args, junit].concat()).code, 2, "{args:?}");
        assert!(!project.path("out.xml").exists(), "{args:?}");
    }
    // A file that no check wrote stays.
    project.write("notes.xml", "<notes/>");
    project.refused(&["check", "runs/k1", "--junit", "notes.xml", "--min"]);
    assert_eq!(project.read("notes.xml"), "<notes/>");
}
