//! Sweeps of a few questions worked by hand, and claims of tuning without a true difference.

mod chance;

use std::collections::BTreeMap;

use super::*;
use crate::score::Scores;
use ragtriage_core::types::Interval;

fn metric(name: &str) -> Metric {
    name.parse().expect("a metric")
}

fn plan(name: &str) -> TuningPlan {
    TuningPlan { metric: metric(name), permutations: 1024, seed: 7 }
}

/// A completed trial: the values of `EM@5`, of which `EM@3` is half and `EM@1` a quarter; `tokens` context tokens for each
/// question.
fn trial(name: &str, values: &[Option<f64>], tokens: f64) -> ScoredTrial {
    let row = |value: &Option<f64>| vec![*value, value.map(|v| v / 2.0), value.map(|v| v / 4.0)];
    let scores = Scores {
        metrics: ["EM@5", "EM@3", "EM@1"].map(metric).to_vec(),
        rows: values.iter().map(row).collect(),
    };
    let context_tokens = values.iter().map(|value| value.map(|_| tokens)).collect();
    ScoredTrial {
        name: name.to_owned(),
        values: BTreeMap::new(),
        result: Ok(TrialScores { scores, context_tokens, n_truncated: 0 }),
    }
}

fn known(name: &str, values: &[f64], tokens: f64) -> ScoredTrial {
    trial(name, &values.iter().copied().map(Some).collect::<Vec<_>>(), tokens)
}

fn failed(name: &str) -> ScoredTrial {
    ScoredTrial { result: Err("no such model".to_owned()), ..known(name, &[], 0.0) }
}

fn sweep_of(cluster_of: &[usize], trials: Vec<ScoredTrial>) -> SweepScores {
    let questions = (0..cluster_of.len()).map(|at| format!("q{at}").into()).collect();
    SweepScores { questions, cluster_of: cluster_of.to_vec(), trials }
}

fn names(ranking: &TrialRanking) -> Vec<&str> {
    ranking.rows.iter().map(|row| row.name.as_str()).collect()
}

#[track_caller]
fn assert_interval(found: Option<Interval>, low: f64, high: f64) {
    let found = found.expect("two clusters");
    assert!((found.low - low).abs() < 1e-5 && (found.high - high).abs() < 1e-5, "{found:.6}");
}

/// Against the default's .4: a is .4, .4, .2 more, b .4, -.4, .2.
fn three() -> SweepScores {
    let trials = vec![
        known("default", &[0.4, 0.4, 0.4], 100.0),
        known("b", &[0.8, 0.0, 0.6], 300.0),
        failed("c"),
        known("a", &[0.8, 0.8, 0.6], 200.0),
    ];
    sweep_of(&[3, 7, 9], trials)
}

#[test]
fn trials_are_ordered_best_first_with_their_difference_from_the_default() {
    // The 8 sign assignments of three clusters are counted although their numbers have gaps.
    let ranking = rank(&three(), &TuningPlan { permutations: 8, ..plan("EM@5") });
    assert_eq!(names(&ranking), ["a", "b", "default", "c"]);
    assert_eq!((ranking.n, ranking.n_left_out, ranking.n_clusters), (3, 0, 3));
    assert_eq!(ranking.winner.as_deref(), Some("a"));
    let [a, b, default, c] = &ranking.rows[..] else { panic!("four rows") };
    // .8 + .8 + .6 = 2.2.
    assert!((a.mean - 2.2 / 3.0).abs() < 1e-12);
    assert_eq!((a.context_tokens, b.context_tokens, default.context_tokens), (200.0, 300.0, 100.0));
    // sd of .8 .8 .6 is .115470, over the root of 3 .066667; times t(.975, 2) = 4.302653: .286844.
    assert_interval(a.ci95, 0.446_490, 1.0);
    let difference = a.difference.expect("not the default");
    assert!((difference.delta - 1.0 / 3.0).abs() < 1e-12);
    // Three clusters reject no difference.
    assert_interval(difference.ci95, -1.0, 1.0);
    // Equal values: a share of 1 - .025^(1/3) = .707598 may be otherwise, at 0 or at 1.
    assert_interval(default.ci95, 0.4 - 0.707_598 * 0.4, 0.4 + 0.707_598 * 0.6);
    assert_eq!(default.difference, None);
    // Of the sums of 2, 2, 1 under 8 signs two are as large as 5, p 2/8; of 2, -2, 1 all are at least 1. By Holm 2 x 2/8.
    assert_eq!([a, b].map(|row| row.difference.expect("not the default").p_holm), [0.5, 1.0]);
    assert_eq!((c.error.as_deref(), c.mean, c.difference), (Some("no such model"), 0.0, None));
}

#[test]
fn of_equals_the_cheaper_is_first_then_the_default_then_the_earlier() {
    // .1 + .2 is 5.6e-17 more than .3: no better.
    let trials = vec![
        known("default", &[0.3, 0.0], 100.0),
        known("b", &[0.1, 0.2], 100.0),
        known("a", &[0.3, 0.0], 100.0),
        known("dear", &[0.1, 0.2], 101.0),
        known("cheap", &[0.3, 0.0], 99.0),
    ];
    let ranking = rank(&sweep_of(&[0, 1], trials), &plan("EM@5"));
    assert_eq!(names(&ranking), ["cheap", "default", "b", "a", "dear"]);
}

/// The trial's values as another metric's.
fn renamed(mut trial: ScoredTrial, name: &str) -> ScoredTrial {
    if let Ok(measured) = &mut trial.result {
        measured.scores.metrics[0] = metric(name);
    }
    trial
}

#[test]
fn where_less_is_better_the_lowest_wins() {
    let trials = [
        known("default", &[0.5, 0.5], 1.0),
        known("worse", &[1.0, 0.5], 1.0),
        known("a", &[0.25, 0.25], 1.0),
    ];
    let sweep = sweep_of(&[0, 1], trials.map(|trial| renamed(trial, "Fallout@5")).to_vec());
    let plan = plan("Fallout@5");
    let ranking = rank(&sweep, &plan);
    assert_eq!(names(&ranking), ["a", "default", "worse"]);
    let held_out = |winner: [f64; 8]| {
        let values = |values: [f64; 8]| values.map(Some);
        let found =
            super::held_out(&values([1.0; 8]), &values(winner), &[0, 1, 2, 3, 4, 5, 6, 7], &plan);
        judge(&ranking, Some(&Confirmation::HeldOut(found)), &sweep, &plan).claimed
    };
    // Eight clusters of one sign: p = 2 / 2^8.
    assert_eq!(held_out([0.5; 8]).as_deref(), Some("a"));
    assert_eq!(held_out([1.0; 8]), None);
}

#[test]
fn numbers_are_over_the_questions_that_every_setting_has_a_value_for() {
    let trials = vec![
        trial("default", &[Some(1.0), Some(0.0), None, None], 10.0),
        trial("a", &[Some(0.0), Some(1.0), Some(1.0), None], 10.0),
        failed("b"),
    ];
    let ranking = rank(&sweep_of(&[4, 4, 5, 6], trials), &plan("EM@5"));
    assert_eq!(
        (ranking.n, ranking.n_left_out, ranking.n_undefined, ranking.n_clusters),
        (2, 1, 1, 1)
    );
    assert_eq!(ranking.rows.iter().map(|row| row.mean).collect::<Vec<_>>(), [0.5, 0.5, 0.0]);
    assert_eq!((names(&ranking), ranking.rows[1].ci95), (vec!["default", "a", "b"], None));
}

#[test]
fn without_the_default_there_is_an_order_and_no_difference() {
    let sweep = sweep_of(
        &[0, 1],
        vec![failed("default"), known("a", &[0.0, 0.5], 1.0), known("b", &[0.5, 0.5], 1.0)],
    );
    let ranking = rank(&sweep, &plan("EM@5"));
    assert_eq!(names(&ranking), ["b", "a", "default"]);
    assert!(ranking.rows.iter().all(|row| row.difference.is_none()));
    let (none, values) = ([None; 2], [Some(0.5); 2]);
    let held_out = held_out(&none, &values, &[0, 1], &plan("EM@5"));
    assert_eq!((held_out.n, held_out.p), (0, None));
    for confirmation in [None, Some(Confirmation::HeldOut(held_out))] {
        let verdict = judge(&ranking, confirmation.as_ref(), &sweep, &plan("EM@5"));
        assert_eq!(verdict.claimed, None);
        assert_eq!(
            verdict.text,
            "The default was not scored (no such model), so no trial can be compared with it: b, EM@5 0.500, is the best of \
             the others."
        );
    }
}

#[test]
fn a_board_of_nothing_has_no_winner() {
    let text = |sweep: &SweepScores| {
        let ranking = rank(sweep, &plan("EM@5"));
        assert_eq!((ranking.winner.as_ref(), ranking.n), (None, 0));
        assert!(ranking.rows.iter().all(|row| row.difference.is_none()));
        judge(&ranking, None, sweep, &plan("EM@5")).text
    };
    let all_failed = sweep_of(&[0], vec![failed("default"), failed("a")]);
    assert_eq!(text(&all_failed), "No trial was scored, so there is nothing to compare.");
    let parted = sweep_of(
        &[0, 1],
        vec![trial("default", &[Some(1.0), None], 1.0), trial("a", &[None, Some(1.0)], 1.0)],
    );
    assert_eq!(
        text(&parted),
        "No question has a value of EM@5 in every trial that ran, so there is nothing to compare."
    );
}

#[test]
fn held_out_questions_are_compared_where_both_have_a_value() {
    let default = [Some(0.0), Some(0.0), Some(0.0), None, Some(1.0)];
    let winner = [Some(1.0); 5];
    // Differences 1, 1, 1, 0: of 8 assignments two have a sum as large. Four clusters reject no difference.
    let one = held_out(&default, &winner, &[2, 4, 6, 8, 9], &plan("EM@5"));
    assert_eq!(
        (one.n, one.n_clusters, one.default, one.winner, one.delta),
        (4, 4, 0.25, 1.0, 0.75)
    );
    assert_interval(one.ci95, -1.0, 1.0);
    assert_eq!(one.p, Some(0.25));
    let none = held_out(&[None], &[Some(1.0)], &[0], &plan("EM@5"));
    assert_eq!((none.n, none.n_clusters, none.delta, none.ci95, none.p), (0, 0, 0.0, None, None));
}

/// Ten questions, each its own cluster: the default finds nothing, `a` the first `n_found`.
fn ten(n_found: usize) -> SweepScores {
    let values: Vec<f64> = (0..10).map(|at| f64::from(u8::from(at < n_found))).collect();
    sweep_of(
        &(0..10).collect::<Vec<_>>(),
        vec![known("default", &[0.0; 10], 50.0), known("a", &values, 90.0)],
    )
}

fn verdict(sweep: &SweepScores, confirmation: Option<&Confirmation>) -> TuningVerdict {
    judge(&rank(sweep, &plan("EM@5")), confirmation, sweep, &plan("EM@5"))
}

fn by_holm(sweep: &SweepScores) -> TuningVerdict {
    verdict(sweep, Some(&Confirmation::Holm))
}

#[test]
fn without_held_out_questions_the_adjusted_p_decides() {
    // Of 2^8 assignments of the eight that differ two are as large: p .0078. The interval by tests/data/stats/inverted.py: of
    // eight of 1 and two of 0, [.5, 1].
    let sweep = ten(8);
    let found = by_holm(&sweep);
    assert_eq!(found.claimed.as_deref(), Some("a"));
    assert_eq!(
        found.text,
        "Set a instead of the default: EM@5 0.800 against 0.000, +0.800 [0.500, 1.000], p 0.008 (Holm-adjusted over 1 trial), \
         on 10 questions."
    );
    // Without confirmation it is not a claim.
    let found = verdict(&sweep, None);
    assert_eq!(found.claimed, None);
    assert_eq!(
        found.text,
        "Keep the default: a scored 0.800 against 0.000, +0.800 [0.500, 1.000], p 0.008 (Holm-adjusted over 1 trial) on the tuning \
         questions, which is not confirmed."
    );
}

#[test]
fn what_chance_explains_is_not_claimed() {
    // Two that differ: p = 2 / 4, [0, .5] by tests/data/stats/inverted.py. Their standard error is .1333, and the noncentrality of
    // a t test at 5% with 9 degrees of freedom and 80% power 3.1496.
    let found = by_holm(&ten(2));
    assert_eq!(found.claimed, None);
    assert_eq!(
        found.text,
        "No decision: a, the best, is not distinguishable from the default on 10 questions (EM@5 0.200 against 0.000, +0.200 [0.000, \
         0.500], p 0.500 (Holm-adjusted over 1 trial)). With 10 such questions, the minimum detectable effect is 0.420 (80% power)."
    );
}

#[test]
fn on_held_out_questions_their_p_and_their_direction_decide() {
    let sweep = ten(2);
    let judged = |default: f64, winner: f64, p: f64| {
        let (delta, ci95) = (winner - default, Some(Interval { low: -0.5, high: 0.75 }));
        let found = HeldOut {
            n: 40,
            n_clusters: 40,
            default,
            winner,
            delta,
            ci95,
            p: Some(p),
            detectable: Some(0.25),
        };
        verdict(&sweep, Some(&Confirmation::HeldOut(found)))
    };
    let found = judged(0.25, 0.5, 0.0004);
    assert_eq!(found.claimed.as_deref(), Some("a"));
    assert_eq!(
        found.text,
        "Set a instead of the default: EM@5 0.500 against 0.250, +0.250 [-0.500, 0.750], p < 0.001, on 40 questions that \
         were not used for tuning."
    );
    let found = judged(0.25, 0.5, 0.05);
    assert_eq!(found.claimed, None);
    assert_eq!(
        found.text,
        "No decision: a, the best on the tuning questions, is not distinguishable from the default on 40 held-out questions (EM@5 \
         0.500 against 0.250, +0.250 [-0.500, 0.750], p 0.050). With 40 such questions, the minimum \
         detectable effect is 0.250 (80% power)."
    );
    // A trial shown to be worse is not a claim, and the sentence above does not say so either.
    let found = judged(0.5, 0.25, 0.01);
    assert_eq!((found.claimed, found.harms), (None, true));
    assert!(
        found.text.starts_with(
            "Keep the default: a, the best on the tuning questions, is worse on 40 held-out questions (EM@5 0.250"
        )
    );
}

/// Ten questions, each its own cluster. The default has .5 on each; `a` 1 on seven and 0 on three; the others' differences from
/// the default are the same on all.
fn beside_a(others: &[(&str, f64)]) -> SweepScores {
    let a = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    let mut trials = vec![known("default", &[0.5; 10], 50.0), known("a", &a, 50.0)];
    trials.extend(others.iter().map(|(name, delta)| known(name, &[0.5 + delta; 10], 50.0)));
    sweep_of(&(0..10).collect::<Vec<_>>(), trials)
}

// b's p is 2 / 1024, twice that by Holm. Of a's ten signs, 4 or more apart, 1024 - 252 - 2 x 210 = 352 are as large: p .344, the
// larger of the two. The intervals at .05 / 2, [-.25, .5] and [.125, .125], by tests/data/stats/inverted.py.

#[test]
fn the_best_that_the_adjusted_p_tells_from_the_default_is_claimed() {
    let sweep = beside_a(&[("b", 0.125)]);
    let found = by_holm(&sweep);
    assert_eq!(found.claimed.as_deref(), Some("b"));
    assert_eq!(
        found.text,
        "Set b instead of the default: EM@5 0.625 against 0.500, +0.125 [0.125, 0.125], p 0.004 (Holm-adjusted over 2 trials), \
         on 10 questions."
    );
    // Without confirmation it is not a claim.
    let found = verdict(&sweep, None);
    assert_eq!(found.claimed, None);
    assert!(
        found.text.starts_with("Keep the default: a scored 0.700 against 0.500"),
        "{}",
        found.text
    );
}

#[test]
fn where_none_scored_higher_that_is_said() {
    let text = |sweep: &SweepScores| {
        let found = by_holm(sweep);
        assert_eq!(found.claimed, None);
        found.text
    };
    assert_eq!(
        text(&ten(0)),
        "Keep the default: no trial scored higher, EM@5 0.000 on 10 questions."
    );
    let mut torn = ten(0);
    torn.trials.push(failed("b"));
    assert!(text(&torn).contains(" no trial that ran scored higher, "));
}

/// As [`beside_a`]: the default has chunks of 200 tokens, `c` of 64 is .125 worse throughout, `a` of 512 is not distinguishable.
fn sizes() -> SweepScores {
    let mut sweep = beside_a(&[("c", -0.125)]);
    for (trial, size) in sweep.trials.iter_mut().zip(["200", "512", "64"]) {
        trial.values = BTreeMap::from([
            ("chunking.size".to_owned(), size.to_owned()),
            ("chunking.strategy".to_owned(), "\"recursive\"".to_owned()),
        ]);
    }
    sweep
}

#[test]
fn the_answer_says_what_to_keep_and_names_trials_by_their_settings() {
    let sweep = sizes();
    let found = by_holm(&sweep);
    let expected = "No decision: chunking.size = 512, the best, is not distinguishable from chunking.size = 200 on";
    assert!(found.text.starts_with(expected), "{}", found.text);
    // A claim says what to set, and what it replaces.
    let mut claim = ten(8);
    for (trial, size) in claim.trials.iter_mut().zip(["200", "512"]) {
        trial.values = BTreeMap::from([("chunking.size".to_owned(), size.to_owned())]);
    }
    let found = by_holm(&claim);
    assert!(
        found.text.starts_with("Set chunking.size = 512 instead of 200: EM@5 0.800 against 0.000"),
        "{}",
        found.text
    );
}
