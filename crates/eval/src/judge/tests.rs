//! Judges of known errors, with the arithmetic written out. Each question's gold answer is `18 May`.

use super::*;
use crate::audit::{self, AuditedQuestion, Corrections};
use crate::compare::tests::{evaluation, run};
use crate::tests::{judged, outcome};
use ragtriage_core::rightness::{Correctness, JudgeOrder, JudgeVerdict};
use ragtriage_core::types::{FailureClass, Interval, Origin, TokenUse};
use ragtriage_runs::SavedRun;
use ragtriage_runs::judged::{JudgeCall, JudgeReply};

/// `n_right` right answers, then `n_wrong` wrong ones.
fn answered(n_right: usize, n_wrong: usize) -> SavedRun {
    let answers: Vec<&str> =
        (0..n_right + n_wrong).map(|at| if at < n_right { "18 May" } else { "1815" }).collect();
    run("r", &answers)
}

fn is_right(run: &SavedRun, at: usize) -> bool {
    run.traces[at].arms[0].attempts[0].extracted == "18 May"
}

fn reply(run: &SavedRun, at: usize, order: JudgeOrder, repeat: usize, is_same: bool) -> JudgeReply {
    let verdict = if is_same { JudgeVerdict::Same } else { JudgeVerdict::Different };
    JudgeReply {
        question: run.traces[at].question.id.clone(),
        answer: run.traces[at].arms[0].attempts[0].extracted.clone(),
        judge: "m 0123".to_owned(),
        order,
        repeat,
        call: JudgeCall {
            verdict,
            raw: verdict.name().to_owned(),
            origin: Origin::Called,
            tokens: TokenUse::default(),
            cost_usd: 0.001,
            seconds: 0.1,
        },
    }
}

/// One reply for each question and order.
fn in_both_orders(run: &SavedRun, is_same: impl Fn(usize, JudgeOrder) -> bool) -> Vec<JudgeReply> {
    let calls = (0..run.traces.len()).flat_map(|at| JudgeOrder::ALL.map(|order| (at, order)));
    calls.map(|(at, order)| reply(run, at, order, 0, is_same(at, order))).collect()
}

fn measured(
    run: &SavedRun,
    replies: &[JudgeReply],
    corrections: Option<&Corrections>,
) -> JudgeSummary {
    let outcomes = vec![outcome(FailureClass::Correct, None); run.traces.len()];
    let outcomes = judged(&run.traces, outcomes);
    let rule = audit::decisions(run, &outcomes);
    let plan = evaluation(&["AnswerF1"]);
    judge_summary(run, &rule, replies, corrections, &plan).expect("judged")
}

fn assert_interval(found: Option<Interval>, low: f64, high: f64) {
    let found = found.expect("an interval");
    assert!((found.low - low).abs() < 5e-4 && (found.high - high).abs() < 5e-4, "{found:?}");
}

fn cells(summary: &JudgeSummary) -> Vec<(Correctness, Correctness, usize)> {
    let cells = summary.cells.iter();
    cells.map(|cell| (cell.rule, cell.judge, cell.count)).collect()
}

#[test]
fn a_position_biased_judge_is_caught() {
    let run = answered(20, 20);
    // "Same" whenever the gold answer comes first; sound in the other order.
    let replies =
        in_both_orders(&run, |at, order| order == JudgeOrder::GoldFirst || is_right(&run, at));
    let found = measured(&run, &replies, None);
    assert_eq!((found.n_answers, found.n_judged, found.n_replies), (40, 40, 80));
    // 80 calls of $0.001.
    assert!((found.cost_usd - 0.08).abs() < 1e-12);
    let flips = found.order_flips.expect("both orders");
    assert_eq!((flips.n, flips.flipped), (40, 20));
    // Wilson, z^2 = 3.8415: 1.96 / (1 + z^2 / 40) x sqrt(.25 / 40 + z^2 / 6400) = 1.7882 x .08277 = .1480.
    assert_interval(flips.ci95, 0.3520, 0.6480);
    let bias = found.position.expect("both orders");
    assert_eq!((bias.same_gold_first, bias.same_answer_first, bias.difference), (40, 20, 0.5));
    // sd of 20 ones and 20 zeros sqrt(10 / 39) = .50637, over sqrt(40) .08006; t(.975, 39) = 2.0227: .5 -+ .1619.
    assert_interval(bias.ci95, 0.3381, 0.6619);
    // 20 differ, all one way: 2 / 2^20.
    assert!((bias.p - 2.0 / 1_048_576.0).abs() < 1e-15);
    // Verdicts that disagree decide nothing.
    assert_eq!(
        cells(&found),
        [
            (Correctness::Right, Correctness::Right, 20),
            (Correctness::Wrong, Correctness::Unsure, 20)
        ]
    );
}

#[test]
fn a_sound_judge_is_not() {
    let run = answered(20, 20);
    // Two slips, one in each order.
    let replies = in_both_orders(&run, |at, order| match (at, order) {
        (0, JudgeOrder::GoldFirst) | (1, JudgeOrder::AnswerFirst) => false,
        _ => is_right(&run, at),
    });
    let found = measured(&run, &replies, None);
    let bias = found.position.expect("both orders");
    assert_eq!((bias.same_gold_first, bias.same_answer_first, bias.p), (19, 19, 1.0));
    // Differences -1, 1 and 38 of 0: sqrt(2 / 39 / 40) = .03581, times 2.0227.
    assert_interval(bias.ci95, -0.0724, 0.0724);
    assert_eq!(found.order_flips.expect("both orders").flipped, 2);
    // Of the 38 that it decides all agree with the rule.
    let kappa = found.kappa.expect("both grades occur");
    assert_eq!((kappa.value, kappa.observed), (1.0, 1.0));
    assert_eq!(
        cells(&found),
        [
            (Correctness::Right, Correctness::Right, 18),
            (Correctness::Right, Correctness::Unsure, 2),
            (Correctness::Wrong, Correctness::Wrong, 20)
        ]
    );
}

#[test]
fn repeats_are_compared_within_an_order() {
    let run = answered(3, 0);
    let repeated = |at, repeat, is_same| reply(&run, at, JudgeOrder::GoldFirst, repeat, is_same);
    let mut replies = vec![
        repeated(0, 0, true),
        repeated(0, 1, false),
        repeated(1, 0, true),
        repeated(1, 1, true),
        repeated(2, 0, true),
        repeated(2, 1, true),
    ];
    replies[4].call.verdict = JudgeVerdict::Unreadable;
    let found = measured(&run, &replies, None);
    // The third answer has one readable verdict.
    let flips = found.repeat_flips.expect("repeats");
    assert_eq!((flips.n, flips.flipped), (2, 1));
    assert_eq!((found.n_judged, found.n_unreadable), (3, 1));
    assert_eq!((found.order_flips, found.position), (None, None));
}

#[test]
fn verdicts_of_another_judge_or_on_another_answer_do_not_count() {
    let run = answered(3, 0);
    let mut replies = in_both_orders(&run, |_, _| true);
    replies[0].answer = "1815".to_owned();
    replies[2].judge = "other 0123".to_owned();
    let found = measured(&run, &replies, None);
    assert_eq!((found.n_replies, found.n_judged), (4, 3));
    assert_eq!(found.order_flips.expect("one in both orders").n, 1);
}

/// An audit of the first `n` answers, to people right up to number 36.
fn audited(n: usize) -> Corrections {
    let judged = (0..n).map(|at| AuditedQuestion {
        at,
        inclusion: n as f64 / 60.0,
        correct: None,
        is_right: Some(at < 36),
    });
    Corrections { n_lines: n, judged: judged.collect() }
}

#[test]
fn an_audit_of_fifty_answers_gives_a_corrected_figure_and_one_of_49_none() {
    let run = answered(30, 30);
    // It accepts six answers more than the rule, and people agree.
    let replies = in_both_orders(&run, |at, _| at < 36);
    let few = measured(&run, &replies, Some(&audited(49))).audit;
    assert_eq!((few.n_audited, few.right), (49, None));
    let found = measured(&run, &replies, Some(&audited(50))).audit;
    assert_eq!((found.n_audited, found.kappa.expect("both grades").value), (50, 1.0));
    // Predictions that people confirm are trusted in full: 36 of 60; the rule alone has 30.
    let right = found.right.expect("enough");
    assert!((right.lambda, right.mean) == (1.0, 0.6) && (right.predicted - 0.6).abs() < 1e-12);
    assert_eq!(measured(&run, &replies, None).audit, JudgeAudit::default());
}
