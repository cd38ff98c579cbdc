//! Whole reports, as they are printed.

use ragtriage_eval::compare::{self, ComparePlan, ComparedRun, Comparison};
use ragtriage_eval::summary;

use crate::comparison;
use crate::document::Report;
use crate::render::{markdown, terminal};
use crate::run;
use crate::specimen;

fn report() -> Report {
    let run = specimen::sample("sample", 0);
    run::report(&run, &summary::evaluate(&run, &specimen::plan()))
}

fn compared() -> Comparison {
    let baseline = specimen::sample("baseline", 0);
    let mut run = specimen::sample("changed", 1);
    run.manifest.settings.retrieval.bm25.k1 = 0.9;
    let plan = ComparePlan {
        evaluation: specimen::plan(),
        metrics: Vec::new(),
        primary: None,
        intersect: false,
    };
    compare::compare(&baseline, &[ComparedRun { run: &run, k: 1 }], &plan)
        .expect("the same questions")
}

fn comparison() -> Report {
    comparison::report(&compared(), false)
}

#[test]
fn a_run_in_a_terminal() {
    insta::assert_snapshot!(terminal::render(&report(), terminal::Screen::new(false)));
}

#[test]
fn a_run_in_markdown() {
    insta::assert_snapshot!(markdown::render(&report()));
}

#[test]
fn a_comparison_in_a_terminal() {
    insta::assert_snapshot!(terminal::render(&comparison(), terminal::Screen::new(false)));
}

#[test]
fn a_comparison_in_markdown() {
    insta::assert_snapshot!(markdown::render(&comparison()));
}
