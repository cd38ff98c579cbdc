//! Whole reports, as they are printed.

use ragtriage_core::types::Interval;
use ragtriage_eval::compare::cross::{Cross, Effect, Noise, NoiseSource};
use ragtriage_eval::compare::{self, ComparePlan, ComparedRun, Comparison};
use ragtriage_eval::summary;

use crate::comparison::{self, ComparisonView};
use crate::document::Report;
use crate::render::{markdown, terminal};
use crate::run::RunReport;
use crate::specimen;

fn run() -> Report {
    let run = specimen::sample("sample", 0);
    RunReport::new(&run, &summary::evaluate(&run, &specimen::plan())).report()
}

fn compared() -> Comparison {
    let baseline = specimen::sample("baseline", 0);
    let mut run = specimen::sample("changed", 1);
    run.manifest.settings.retrieval.bm25.k1 = 0.9;
    let plan = ComparePlan {
        evaluation: specimen::plan(),
        measures: Vec::new(),
        primary: None,
        intersect: false,
    };
    let mut comparison = compare::compare(&baseline, &[ComparedRun { run: &run, k: 1 }], &plan)
        .expect("the same questions");
    comparison.pairs[0].cross = Some(cross());
    comparison
}

fn effect(mean: f64) -> Effect {
    Effect {
        mean,
        ci95: Some(Interval { low: mean - 0.1, high: mean + 0.1 }),
        p: Some(0.04),
        noise_error: Some(0.01),
        n_changed: 4,
    }
}

fn cross() -> Cross {
    Cross {
        n: 14,
        failed: 1,
        asked: specimen::usage(),
        recorded: 3,
        same_generator: false,
        same_passages: 2,
        cells: [[0.5, 0.625], [0.75, 0.875]],
        difference: effect(0.375),
        retrieval: effect(0.25),
        generator: effect(0.125),
        interaction: effect(0.0),
        noise: vec![
            Some(Noise {
                source: NoiseSource::Recorded,
                n: 14,
                flipped: 2,
                ci95: Some(Interval { low: 0.04, high: 0.4 }),
                mean_change: 0.1,
                variance: 0.01,
            }),
            None,
        ],
        verdict: "retrieval brought more than the generator".to_owned(),
    }
}

fn comparison() -> Report {
    let shown = comparison::ComparisonDetail { flips: 1, every_cutoff: false };
    ComparisonView::new(&compared(), shown).report()
}

#[test]
fn a_run_in_a_terminal() {
    insta::assert_snapshot!(terminal::render(&run(), terminal::Screen::new(false)));
}

#[test]
fn a_run_in_markdown() {
    insta::assert_snapshot!(markdown::render(&run()));
}

#[test]
fn a_comparison_in_a_terminal() {
    insta::assert_snapshot!(terminal::render(&comparison(), terminal::Screen::new(false)));
}

#[test]
fn a_comparison_in_markdown() {
    insta::assert_snapshot!(markdown::render(&comparison()));
}
