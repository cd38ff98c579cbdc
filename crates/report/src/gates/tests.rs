//! Hostile names in reports, and the files that CI servers read.

use super::junit;
use crate::render::terminal::Screen;
use crate::render::{markdown, terminal};
use ragtriage_core::config::GateMode;
use ragtriage_core::types::Interval;
use ragtriage_data::run::SCHEMA;
use ragtriage_eval::compare::pairs::QuestionCounts;
use ragtriage_eval::gate::{GateBound, GateReport, GateResult, GateVerdict};

/// A name that would end XML, start a command of GitHub's runner, and turn a terminal around.
const HOSTILE: &str = "]]>\"'&<run>\n::error title=x::y\r%0A\u{1b}[31m\u{202e}\u{fffe}\u{7}";

fn result(verdict: GateVerdict) -> GateResult {
    GateResult {
        gate: "EM@5 >= 0.5".to_owned(),
        metric: "EM@5".to_owned(),
        bound: GateBound::Min,
        limit: 0.5,
        value: 0.45,
        ci95: Some(Interval { low: 0.25, high: 0.65 }),
        n: 40,
        means: None,
        verdict,
        reason: format!("100 % of {HOSTILE}"),
    }
}

fn report() -> GateReport {
    GateReport {
        schema: SCHEMA,
        run: HOSTILE.to_owned(),
        baseline: None,
        questions: None,
        mode: GateMode::Interval,
        passed: false,
        gates: [GateVerdict::Pass, GateVerdict::Fail, GateVerdict::Inconclusive].map(result).into(),
    }
}

fn in_terminal(gates: &GateReport) -> String {
    terminal::render(&super::report(gates), Screen::new(false))
}

/// Counts of the suite, then each case's verdict and message.
fn read_back(xml: &str) -> ([String; 3], Vec<(String, String)>) {
    let document = roxmltree::Document::parse(xml).expect("XML");
    let suite =
        document.descendants().find(|node| node.has_tag_name("testsuite")).expect("a suite");
    let count = |name: &str| suite.attribute(name).expect("a count").to_owned();
    let cases = document.descendants().filter(|node| node.has_tag_name("testcase")).map(|case| {
        assert_eq!(case.attribute("name"), Some("EM@5 >= 0.5"));
        let inner = case.children().find(roxmltree::Node::is_element);
        inner.map_or((String::new(), String::new()), |inner| {
            (
                inner.tag_name().name().to_owned(),
                inner.attribute("message").unwrap_or_default().to_owned(),
            )
        })
    });
    (["tests", "failures", "skipped"].map(count), cases.collect())
}

#[test]
fn junit_reads_back_with_hostile_names_in_it() {
    let (counts, cases) = read_back(&junit(&report()));
    assert_eq!(counts, ["3", "1", "1"]);
    let verdicts: Vec<&str> = cases.iter().map(|(verdict, _)| verdict.as_str()).collect();
    assert_eq!(verdicts, ["", "failure", "skipped"]);
    assert_eq!(cases[1].1, "100 % of ]]>\"'&<run> ::error title=x::y %0A");
}

#[test]
fn no_line_of_a_hostile_name_is_a_command() {
    let text = in_terminal(&report());
    assert!(text.lines().all(|line| !line.trim_start().starts_with("::")), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{text}");
}

#[test]
fn whole_reports() {
    let mut report = report();
    "nightly".clone_into(&mut report.run);
    report.baseline = Some("main".to_owned());
    report.questions = Some(QuestionCounts {
        compared: 38,
        failed: 0,
        only_baseline: 1,
        only_run: 2,
        other_text: 0,
        other_gold: 0,
        n_clusters: 30,
        largest_cluster: 2,
    });
    insta::assert_snapshot!("terminal", in_terminal(&report));
    insta::assert_snapshot!("junit", junit(&report));
    insta::assert_snapshot!("markdown", markdown::render(&super::report(&report)));
    (report.mode, report.passed) = (GateMode::Mean, true);
    report.gates.truncate(1);
    insta::assert_snapshot!("terminal_passed", in_terminal(&report));
}
