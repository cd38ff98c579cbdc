//! A made-up sweep, whole reports of it, and what data may try in them.

use std::collections::BTreeMap;

use super::ranked::{delta, mean};
use super::{SweepFindings, report};
use crate::document::{Element, Fact, Report, Table};
use crate::render::{markdown, terminal};
use ragtriage_core::types::Interval;
use ragtriage_eval::tuning::{
    Confirmation, Difference, HeldOut, RankedTrial, TrialRanking, TuningPlan, TuningVerdict,
};

/// Everything that a report is made of, owned.
struct Sweep {
    plan: TuningPlan,
    ranking: TrialRanking,
    confirmation: Option<Confirmation>,
    verdict: TuningVerdict,
}

impl Sweep {
    fn found(&self) -> SweepFindings<'_> {
        SweepFindings {
            plan: &self.plan,
            default: "default",
            ranking: &self.ranking,
            confirmation: self.confirmation.as_ref(),
            verdict: &self.verdict,
        }
    }

    fn report(&self) -> Report {
        let head = [
            ("Data", "runbooks, 120 questions of the tune split"),
            ("Search", "grid, 4 of 4 settings"),
        ];
        report(&self.found(), head.map(|(label, text)| Fact::new(label, text)).to_vec())
    }

    fn terminal(&self) -> String {
        terminal::render(&self.report(), terminal::Screen::new(false))
    }
}

fn values(size: &str, retrievers: &str) -> BTreeMap<String, String> {
    [("chunking.size", size), ("retrieval.retrievers", retrievers)]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
}

fn row(name: &str, size: &str, retrievers: &str, mean: f64, tokens: f64) -> RankedTrial {
    RankedTrial {
        name: name.to_owned(),
        values: values(size, retrievers),
        error: None,
        mean,
        ci95: Some(Interval { low: mean - 0.05, high: mean + 0.05 }),
        context_tokens: tokens,
        seconds: Some(0.25),
        difference: (name != "default").then(|| Difference {
            delta: mean - 0.6,
            ci95: Some(Interval { low: mean - 0.63, high: mean - 0.57 }),
            p_holm: 0.5 - (mean - 0.6).abs() * 5.0,
            detectable: None,
        }),
        n_truncated: 0,
    }
}

const BOTH: &str = "[\"bm25\",\"dense\"]";
const BM25: &str = "[\"bm25\"]";

fn sweep() -> Sweep {
    let mut rows = vec![
        row("s02", "128", BOTH, 0.68, 612.0),
        row("default", "200", BM25, 0.6, 951.4),
        row("s03", "256", BM25, 0.59, 1204.0),
        row("s04", "512", BM25, 0.55, 540.0),
        row("s01", "32", BM25, 0.0, 0.0),
    ];
    rows[4] = RankedTrial {
        error: Some("chunking failed: `size` is smaller than `overlap`".to_owned()),
        ci95: None,
        difference: None,
        mean: 0.0,
        ..rows[4].clone()
    };
    Sweep {
        plan: TuningPlan {
            metric: "EvidenceRecall@5".parse().unwrap(),
            permutations: 100,
            seed: 1,
        },
        ranking: TrialRanking {
            metric: "EvidenceRecall@5".parse().unwrap(),
            n: 120,
            n_left_out: 1,
            n_undefined: 0,
            n_clusters: 96,
            largest_cluster: 3,
            rows,
            winner: Some("s02".to_owned()),
        },
        confirmation: Some(Confirmation::HeldOut(HeldOut {
            n: 60,
            n_clusters: 50,
            default: 0.61,
            winner: 0.65,
            delta: 0.04,
            ci95: Some(Interval { low: -0.01, high: 0.09 }),
            p: Some(0.24),
            detectable: None,
        })),
        verdict: TuningVerdict {
            claimed: None,
            harms: false,
            text: "Keep chunking.size = 200. 128, the best on the tuning questions, is not distinguishable from it."
                .to_owned(),
        },
    }
}

/// The table at `at` in the report.
fn table(sweep: &Sweep, at: usize) -> Table {
    let tables = sweep.report().elements.into_iter().filter_map(|element| match element {
        Element::Table(table) => Some(table),
        _ => None,
    });
    tables.into_iter().nth(at).expect("a table")
}

#[test]
fn a_trial_that_the_encoder_truncates_is_marked() {
    let mut sweep = sweep();
    sweep.ranking.rows[3].n_truncated = 9;
    let table = table(&sweep, 0);
    assert_eq!(table.rows[3][1], "!");
    assert_eq!(
        super::ranked::truncated(&sweep.found()),
        ["s04: gold evidence of 9 questions is beyond the encoder input limit"]
    );
}

#[test]
fn an_unconfirmed_best_is_said_to_be_one() {
    let mut sweep = sweep();
    sweep.confirmation = None;
    assert!(sweep.terminal().contains("  ! not confirmed: "));
    sweep.confirmation = Some(Confirmation::Holm);
    assert!(sweep.terminal().contains("  ! no held-out questions: "));
}

#[test]
fn lines_fit_120_columns_and_the_default_is_shown_however_low_it_stands() {
    let mut sweep = sweep();
    let default = sweep.ranking.rows.remove(1);
    let others = (10..50).map(|n| row(&format!("s{n}"), "64", BOTH, 0.6, 700.0));
    sweep.ranking.rows.splice(1..3, others.chain([default]));
    let text = sweep.terminal();
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    // s02, 40 others and the default at 42: the first 20 and the default are shown, 21 are not.
    assert!(
        text.contains("42  =  default") && text.contains("  - and 21 more: see tune.json"),
        "{text}"
    );
}

#[test]
fn a_difference_beyond_chance_is_shown_however_low_it_stands() {
    let mut sweep = sweep();
    let others: Vec<RankedTrial> =
        (10..50).map(|n| row(&format!("s{n}"), "64", BOTH, 0.58, 700.0)).collect();
    sweep.ranking.rows.splice(3..3, others);
    let beyond_chance = Difference { delta: -0.05, ci95: None, p_holm: 0.049, detectable: None };
    sweep.ranking.rows[43].difference = Some(beyond_chance);
    let text = sweep.terminal();
    // s02, default, s03, 40 others and s04 at 44: the first 20 and s04 are shown, 23 are not.
    assert!(text.contains("44     s04") && text.contains("  - and 23 more: "), "{text}");
}

#[test]
fn questions_without_a_value_are_counted_in_the_title() {
    let mut sweep = sweep();
    sweep.ranking.n_undefined = 9;
    // 120 ranked, 1 left out and 9 without a value.
    let title = "Trials by EvidenceRecall@5 (120 of 130 questions have a value, 96 clusters)";
    assert_eq!(table(&sweep, 0).title, title);
}

#[test]
fn what_rounds_to_zero_has_no_minus() {
    assert_eq!(
        [-0.0004, -0.0, 0.0004, -0.0005].map(delta),
        ["+0.000", "+0.000", "+0.000", "-0.001"]
    );
    assert_eq!([-0.0004, -0.0, 0.0004, -0.0005].map(mean), ["0.000", "0.000", "0.000", "-0.001"]);
}

#[test]
fn the_rank_is_no_guide_where_how_much_is_packed_is_varied() {
    let mut sweep = sweep();
    assert!(!sweep.terminal().contains("choose by score and packed tokens"));
    sweep.plan.metric = "EvidenceRecall@prompt".parse().unwrap();
    assert!(sweep.terminal().contains("choose by score and packed tokens"));
}

#[test]
fn what_data_says_is_text_everywhere() {
    let mut sweep = sweep();
    let hostile = "<b>\u{1b}[31m|x\u{202e}`=1`";
    for row in &mut sweep.ranking.rows {
        row.name = hostile.to_owned();
        row.values.values_mut().for_each(|value| hostile.clone_into(value));
        row.error = row.error.as_ref().map(|_| hostile.to_owned());
    }
    sweep.ranking.winner = Some(hostile.to_owned());
    let text = sweep.terminal();
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    let page = markdown::render(&sweep.report());
    assert!(!page.contains("<b>") && !page.contains(['\u{1b}', '\u{202e}']), "{page}");
}

#[test]
fn a_whole_report() {
    insta::assert_snapshot!("terminal", sweep().terminal());
    insta::assert_snapshot!("markdown", markdown::render(&sweep().report()));
    let mut plain = sweep();
    plain.confirmation = None;
    plain.ranking.n_undefined = 9;
    plain.plan.metric = "EvidenceRecall@prompt".parse().unwrap();
    insta::assert_snapshot!("terminal_not_confirmed", plain.terminal());
}
