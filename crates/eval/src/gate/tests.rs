//! Gates of each verdict: passed, failed, inconclusive, and errors.

use super::*;
use crate::compare::tests::{evaluation, run};
use crate::tests::failed;
use ragtriage_core::hint::Hint as _;
use ragtriage_core::types::{ConditionAnswers, QuestionKind, Stance};
use ragtriage_data::run::ExternalSource;

/// Also one that [`Gate::new`] refuses for its direction.
fn gate(name: &str, bound: GateBound, limit: f64) -> Gate {
    Gate { quantity: name.parse().expect("a metric or class"), bound, limit }
}

fn plan(gates: Vec<Gate>) -> GatePlan {
    GatePlan { gates, evaluation: evaluation(&[]), mode: GateMode::Interval, intersect: false }
}

/// Judges `run`, with the saved run as baseline.
fn check(
    run: &SavedRun,
    baseline: Option<&SavedRun>,
    plan: &GatePlan,
) -> Result<GateReport, Error> {
    super::check(run, baseline.map(|run| ComparedRun { run, k: 5 }), plan)
}

fn verdicts(report: &GateReport) -> Vec<GateVerdict> {
    report.gates.iter().map(|gate| gate.verdict).collect()
}

#[test]
fn the_interval_decides_each_way() {
    use GateVerdict::{Fail, Inconclusive, Pass};
    for (bound, low, high, verdict) in [
        (GateBound::Min, 0.5, 0.9, Pass),
        (GateBound::Min, 0.6, 0.9, Pass),
        (GateBound::Min, 0.4, 0.9, Inconclusive),
        (GateBound::Min, 0.4, 0.5, Inconclusive),
        (GateBound::Min, 0.1, 0.4, Fail),
        (GateBound::Max, 0.1, 0.5, Pass),
        (GateBound::Max, 0.4, 0.6, Inconclusive),
        (GateBound::Max, 0.5, 0.6, Inconclusive),
        (GateBound::Max, 0.6, 0.9, Fail),
        (GateBound::MaxDrop, -0.1, 0.5, Pass),
        (GateBound::MaxDrop, 0.4, 0.6, Inconclusive),
        (GateBound::MaxDrop, 0.6, 0.9, Fail),
    ] {
        let found = Judgeable {
            value: f64::midpoint(low, high),
            ci95: Some(Interval { low, high }),
            n: 9,
            means: None,
            too_few_differ: false,
        };
        let result = judge(&gate("EM@5", bound, 0.5), found, GateMode::Interval);
        assert_eq!(result.verdict, verdict, "{bound:?} [{low}, {high}]: {}", result.reason);
    }
}

#[test]
fn the_mean_alone_passes_or_fails_and_rounding_breaks_no_gate() {
    let found = |value| Judgeable {
        value,
        ci95: Some(Interval { low: 0.0, high: 1.0 }),
        n: 9,
        means: None,
        too_few_differ: false,
    };
    let verdict =
        |bound, value| judge(&gate("EM@5", bound, 0.3), found(value), GateMode::Mean).verdict;
    // .1 + .2 is a little over .3 in binary.
    for (bound, value, expected) in [
        (GateBound::Min, 0.31, GateVerdict::Pass),
        (GateBound::Min, 0.29, GateVerdict::Fail),
        (GateBound::Max, 0.1 + 0.2, GateVerdict::Pass),
        (GateBound::MaxDrop, 0.1 + 0.2, GateVerdict::Pass),
        (GateBound::MaxDrop, 0.31, GateVerdict::Fail),
    ] {
        assert_eq!(verdict(bound, value), expected, "{bound:?} {value}");
    }
}

#[test]
fn a_median_has_no_interval_and_is_judged_by_its_value() {
    let found = Judgeable { value: 5.0, ci95: None, n: 9, means: None, too_few_differ: false };
    for (limit, expected) in [(3.0, GateVerdict::Fail), (5.0, GateVerdict::Pass)] {
        let gate = gate("MedianRank", GateBound::Max, limit);
        assert_eq!(judge(&gate, found, GateMode::Interval).verdict, expected, "{limit}");
    }
    // Nor has a cost that is equal for all questions.
    let found = Judgeable { value: 0.001, ..found };
    for (limit, expected) in [(0.0005, GateVerdict::Fail), (0.002, GateVerdict::Pass)] {
        let gate = gate("usd", GateBound::Max, limit);
        assert_eq!(judge(&gate, found, GateMode::Interval).verdict, expected, "{limit}");
    }
}

#[test]
fn costs_are_limits_of_a_quantile_or_a_mean_and_unknown_ones_an_error() {
    let mut run = run("r", &["18 May"; 20]);
    for (n, trace) in run.traces.iter_mut().enumerate() {
        let call = &mut trace.conditions[0].attempts[0];
        (call.seconds, call.cost_usd) = (n as f64 + 1.0, 0.001 + 1e-5 * n as f64);
        trace.steps.iter_mut().for_each(|step| step.seconds = 0.0);
    }
    let judged = |run: &SavedRun, name: &str, limit| {
        let found = check(run, None, &plan(vec![gate(name, GateBound::Max, limit)]));
        found.map(|report| (report.gates[0].verdict, report.gates[0].reason.clone()))
    };
    // Of 1 to 20 s, 19 s is the least that 95% do not exceed.
    let (verdict, reason) = judged(&run, "seconds_p95", 18.0).expect("a value");
    assert_eq!((verdict, reason.as_str()), (GateVerdict::Fail, "seconds_p95 is 19.000, above 18"));
    assert_eq!(judged(&run, "seconds_p95", 19.0).expect("a value").0, GateVerdict::Pass);
    let (verdict, reason) = judged(&run, "usd", 0.002).expect("a value");
    assert_eq!(verdict, GateVerdict::Pass);
    assert!(
        reason.starts_with("all of [0.001") && reason.ends_with("is at or below 0.002"),
        "{reason}"
    );
    run.traces.iter_mut().for_each(|trace| trace.conditions[0].attempts[0].cost_usd = 0.0);
    let error = judged(&run, "usd", 0.002).expect_err("no price");
    assert_eq!(error.to_string(), "`r` has no value of `usd` on any question");
}

#[test]
fn a_drop_is_a_fall_of_what_should_be_high_and_a_rise_of_what_should_be_low() {
    let difference = |lower_is_better| MetricDifference {
        metric: "EM@5".parse().expect("a metric"),
        n: 9,
        baseline: 0.5,
        run: 0.4,
        delta: -0.1,
        ci95: Some(Interval { low: -0.3, high: 0.1 }),
        p: None,
        least_p: None,
        p_holm: None,
        detectable: None,
        wins: 0,
        ties: 0,
        losses: 0,
        lower_is_better,
    };
    let (fall, rise) =
        (Judgeable::change(&difference(false)), Judgeable::change(&difference(true)));
    assert_eq!((fall.value, fall.ci95), (0.1, Some(Interval { low: -0.1, high: 0.3 })));
    assert_eq!((rise.value, rise.ci95), (-0.1, Some(Interval { low: -0.3, high: 0.1 })));
}

#[test]
fn a_run_is_checked_against_its_own_means_and_its_baseline() {
    let (good, bad) = (run("good", &["18 May"; 6]), run("bad", &["1815"; 6]));
    let gates = vec![
        gate("AnswerF1", GateBound::Min, 0.8),
        gate("AnswerEM", GateBound::Max, 0.1),
        gate("AnswerF1", GateBound::MaxDrop, 0.02),
    ];
    let report = check(&bad, Some(&good), &plan(gates.clone())).expect("judged");
    // Six wrong answers hold the share of right ones under 1 - .025^(1/6) = .459.
    assert_eq!(
        verdicts(&report),
        [GateVerdict::Fail, GateVerdict::Inconclusive, GateVerdict::Fail]
    );
    assert_eq!((report.passed, report.baseline.as_deref()), (false, Some("good")));
    // All six lost a whole point.
    assert_eq!((report.gates[2].value, report.gates[2].n), (1.0, 6));
    let report = check(&good, Some(&good), &plan(gates)).expect("judged");
    // Six right ones hold it over .541; the same answers twice are no drop.
    assert_eq!(
        verdicts(&report),
        [GateVerdict::Inconclusive, GateVerdict::Fail, GateVerdict::Pass]
    );
}

#[test]
fn a_limit_at_the_end_of_the_range_is_asked_of_these_very_questions() {
    // No number of questions could show that a share is 0: none seen passes, one seen fails.
    let none = || vec![gate("AnswerEM", GateBound::Max, 0.0)];
    assert_eq!(
        verdicts(&check(&run("none", &["1815"; 3]), None, &plan(none())).expect("judged")),
        [GateVerdict::Pass]
    );
    let one = run("one", &["1815", "18 May", "1815"]);
    assert_eq!(verdicts(&check(&one, None, &plan(none())).expect("judged")), [GateVerdict::Fail]);
}

#[test]
fn what_is_undecided_passes_and_the_mean_decides() {
    let half = run("half", &["18 May", "1815", "18 May", "1815"]);
    let mut plan = plan(vec![gate("AnswerEM", GateBound::Min, 0.6)]);
    let report = check(&half, None, &plan).expect("judged");
    assert_eq!((verdicts(&report), report.passed), (vec![GateVerdict::Inconclusive], true));
    plan.mode = GateMode::Mean;
    let report = check(&half, None, &plan).expect("judged");
    assert_eq!((verdicts(&report), report.passed), (vec![GateVerdict::Fail], false));
}

#[test]
fn one_cluster_decides_nothing() {
    let mut one = run("one", &["18 May"; 3]);
    for trace in &mut one.traces {
        trace.question.evidence[0][0].doc = "d".into();
    }
    let report =
        check(&one, None, &plan(vec![gate("AnswerEM", GateBound::Min, 0.5)])).expect("judged");
    assert_eq!(
        report.gates[0].reason,
        "AnswerEM is 1.000, but there is no interval to judge by: too few clusters in 3 questions; \
         `--gate mean` judges by the value alone"
    );
    assert_eq!(report.gates[0].verdict, GateVerdict::Inconclusive);
}

#[test]
fn questions_without_an_answer_are_a_gate_of_their_own() {
    let mut torn = run("torn", &["18 May"; 4]);
    torn.traces[0].error = Some(failed());
    torn.manifest.n_questions = 6;
    let report =
        check(&torn, None, &plan(vec![gate("AnswerEM", GateBound::Min, 0.5)])).expect("judged");
    let complete = &report.gates[0];
    // Three of six were judged: one failed, two were never asked.
    assert_eq!((complete.bound, complete.value, complete.n), (GateBound::Complete, 0.5, 6));
    assert_eq!(verdicts(&report), [GateVerdict::Fail, GateVerdict::Inconclusive]);
    // One of 25 is within what an interval leaves out.
    let mut nearly = run("nearly", &["18 May"; 24]);
    nearly.manifest.n_questions = 25;
    let report =
        check(&nearly, None, &plan(vec![gate("AnswerEM", GateBound::Min, 0.5)])).expect("judged");
    assert_eq!(verdicts(&report), [GateVerdict::Inconclusive, GateVerdict::Pass]);
    let by_mean =
        GatePlan { mode: GateMode::Mean, ..plan(vec![gate("AnswerEM", GateBound::Min, 0.5)]) };
    let decided = check(&nearly, None, &by_mean).expect("judged");
    assert_eq!(verdicts(&decided), [GateVerdict::Pass; 2]);
    let strict = GatePlan { mode: GateMode::Strict, ..by_mean };
    let decided = check(&nearly, None, &strict).expect("judged");
    assert_eq!(verdicts(&decided), [GateVerdict::Fail, GateVerdict::Pass]);
    let reason = &complete.reason;
    assert!(reason.contains("`run --resume` repeats failed calls"), "{reason}");
    // Where no reply is usable, that is the reason, and no other gate an error.
    let baseline = run("baseline", &["18 May"; 4]);
    let mut empty = run("empty", &["18 May"; 4]);
    empty.traces.iter_mut().for_each(|trace| trace.error = Some(failed()));
    let drops = ["AnswerF1", "EvidenceRecall@prompt"];
    let drop = plan(drops.map(|metric| gate(metric, GateBound::MaxDrop, 0.1)).into());
    let report = check(&empty, Some(&baseline), &drop).expect("judged");
    assert_eq!(verdicts(&report), [GateVerdict::Fail]);
    // Another fault of the gate is still an error.
    let refused = check(&torn, None, &drop).expect_err("no baseline").to_string();
    assert_eq!(refused, "a gate on a change of `AnswerF1` needs a baseline");
    let kind = ExternalSource::RESULTS.to_owned();
    torn.manifest.external =
        Some(ExternalSource { kind, from: "r.jsonl".to_owned(), sha256: String::new() });
    let report =
        check(&torn, None, &plan(vec![gate("AnswerEM", GateBound::Min, 0.5)])).expect("judged");
    assert!(report.gates[0].reason.ends_with("import it again"), "{}", report.gates[0].reason);
}

#[test]
fn what_cannot_be_judged_is_an_error() {
    let only = run("only", &["18 May"; 2]);
    let checked =
        |gates, baseline| check(&only, baseline, &plan(gates)).expect_err("an error").to_string();
    let facts = checked(vec![gate("FactRecall", GateBound::Min, 0.5)], None);
    assert_eq!(facts, "`only` has no value of `FactRecall` on any question");
    let drop = || vec![gate("AnswerF1", GateBound::MaxDrop, 0.1)];
    assert_eq!(checked(drop(), None), "a gate on a change of `AnswerF1` needs a baseline");
    let other = run("other", &["18 May"; 3]);
    let refused = check(&only, Some(&other), &plan(drop())).expect_err("other questions");
    assert!(refused.to_string().contains("2 in both, 1 only in the baseline"), "{refused}");
}

#[test]
fn a_limit_outside_the_measure_is_refused() {
    for (name, bound, limit) in [
        ("EM@5", GateBound::Min, 80.0),
        ("EM@5", GateBound::Min, -0.1),
        ("EM@5", GateBound::MaxDrop, -0.02),
        ("EM@5", GateBound::Max, f64::NAN),
        ("MedianRank", GateBound::Max, 0.5),
        ("MedianRank", GateBound::Max, f64::INFINITY),
    ] {
        let quantity: Quantity = name.parse().expect("a metric");
        assert!(Gate::new(quantity, bound, limit).is_err(), "{name} {limit}");
    }
    assert_eq!(gate("MedianRank", GateBound::Max, 3.0).title(), "MedianRank <= 3");
    assert_eq!(gate("AnswerF1", GateBound::MaxDrop, 0.02).title(), "AnswerF1 drop <= 0.02");
}

#[test]
fn the_share_of_a_class_is_bounded_like_a_mean() {
    // No document of these traces has the evidence, so a wrong answer is a loss of corpus: none of 8 before, 8 of 8 after.
    let (before, after) = (run("before", &["18 May"; 8]), run("after", &["1815"; 8]));
    let gates = vec![
        gate("not_in_corpus", GateBound::Max, 0.5),
        gate("not_in_corpus", GateBound::MaxDrop, 0.03),
    ];
    let values = |run| {
        let report = check(run, Some(&before), &plan(gates.clone())).expect("judged");
        let gates = report.gates.iter();
        gates.map(|gate| (gate.value, gate.verdict)).collect::<Vec<_>>()
    };
    assert_eq!(values(&after), [(1.0, GateVerdict::Fail); 2]);
    assert_eq!(values(&before), [(0.0, GateVerdict::Pass); 2]);
    let failed: Quantity = "failed".parse().expect("a name");
    assert!(Gate::new(failed, GateBound::MaxDrop, 0.1).is_err());
    assert_eq!(gates[1].title(), "not_in_corpus rise <= 0.03");
}

#[test]
fn the_share_of_a_class_is_of_the_questions_that_can_have_it() {
    let mut run = run("mixed", &["18 May", "18 May", "1815", "18 May", "I do not know."]);
    for trace in &mut run.traces[3..] {
        trace.question.kind = QuestionKind::Unanswerable;
        trace.question.answers.clear();
    }
    let attempts = run.traces[4].conditions.iter_mut().flat_map(|one| &mut one.attempts);
    attempts.for_each(|attempt| attempt.stance = Stance::Declined);
    let gates = ["hallucinated", "declined", "not_in_corpus", "failed"];
    let gates = gates.map(|name| gate(name, GateBound::Max, 0.9)).to_vec();
    let shares = |run: &SavedRun| -> Vec<_> {
        let report = check(run, None, &plan(gates.clone())).expect("judged");
        let gates = report.gates.iter().filter(|gate| gate.bound != GateBound::Complete);
        gates.map(|gate| (gate.value, gate.n)).collect()
    };
    assert_eq!(shares(&run), [(0.5, 2), (0.5, 2), (1.0 / 3.0, 3), (0.0, 5)]);
    // A failed question has no class but that one.
    run.traces[4].error = Some(failed());
    assert_eq!(shares(&run), [(1.0, 1), (0.0, 1), (1.0 / 3.0, 3), (0.2, 5)]);
}

#[test]
fn a_run_without_questions_is_reported_as_such() {
    let gates = vec![gate("AnswerEM", GateBound::Min, 0.5)];
    let error = check(&run("none", &[]), None, &plan(gates)).expect_err("nothing to judge");
    assert_eq!(error.to_string(), "`none` has no question to judge: none was finished");
}

#[test]
fn a_run_without_answers_has_no_share_of_a_class_of_answers() {
    let mut silent = run("silent", &["18 May", "1815"]);
    for trace in &mut silent.traces {
        trace.conditions.clear();
    }
    let answered = run("answered", &["18 May", "1815"]);
    for name in ["wrong_answer", "wrong_answer/declined"] {
        let message = format!("`silent` has no value of `{name}` on any question");
        let failed = |run: &SavedRun, baseline: Option<&SavedRun>, plan: &GatePlan| {
            check(run, baseline, plan).expect_err("no value").to_string()
        };
        let level = plan(vec![gate(name, GateBound::Max, 0.05)]);
        assert_eq!(failed(&silent, None, &level), message);
        assert!(check(&answered, None, &level).is_ok());
        let change = plan(vec![gate(name, GateBound::MaxDrop, 0.05)]);
        assert_eq!(failed(&silent, Some(&answered), &change), message);
        assert_eq!(failed(&answered, Some(&silent), &change), format!("the baseline {message}"));
    }
    let stage = plan(vec![gate("not_retrieved", GateBound::Max, 0.05)]);
    assert!(check(&silent, None, &stage).is_ok());
    // Without answers a lost question has the class of its stage, also where its answer would be correct.
    let change = plan(vec![gate("not_retrieved", GateBound::MaxDrop, 0.05)]);
    assert!(check(&silent, Some(&silent), &change).is_ok());
    let error = check(&silent, Some(&answered), &change).expect_err("one has answers");
    let message = "a change of `not_retrieved` needs answers of both runs, or of neither";
    assert_eq!(error.to_string(), message);
}

#[test]
fn a_fault_that_the_condition_oracle_decides_on_needs_it() {
    let mut run = run("r", &["18 May", "1815"]);
    let misread = plan(vec![gate("wrong_answer/misread", GateBound::Max, 0.05)]);
    let error = check(&run, None, &misread).expect_err("no oracle");
    assert!(error.to_string().ends_with("it needs the condition `oracle`"), "{error}");
    for trace in &mut run.traces {
        let retrieved = trace.conditions[0].clone();
        trace.conditions.push(ConditionAnswers { condition: Condition::Oracle, ..retrieved });
    }
    let report = check(&run, None, &misread).expect("judged");
    assert_eq!(report.gates[0].n, 2);
}

#[test]
fn a_bound_that_only_a_better_run_can_miss_is_refused() {
    let refused = |name: &str, bound| {
        let quantity: Quantity = name.parse().expect("a metric or class");
        let error = Gate::new(quantity, bound, 0.5).expect_err(name);
        (error.to_string(), error.hint().expect("a hint"))
    };
    for (name, bound, right) in [
        ("EM@5", GateBound::Max, "min"),
        ("declined", GateBound::Max, "min"),
        ("not_retrieved", GateBound::Min, "max"),
        ("usd", GateBound::Min, "max"),
    ] {
        let (message, hint) = refused(name, bound);
        assert!(message.contains(&format!("`{name}` fails better runs")), "{message}");
        assert!(hint.contains(&format!("`--{right} {name}=X`")), "{hint}");
    }
}

#[test]
fn an_open_gate_says_how_many_questions_would_decide() {
    let ci = Interval { low: 0.25, high: 0.6 };
    // The half-width towards the limit falls with the root of n: .15 to .05 takes 3 x 3 times as many, .2 to .05 takes 4 x 4.
    let found = |limit| deciding(&gate("EM@5", GateBound::Min, limit), 0.45, ci, 40);
    assert_eq!([0.5, 0.4, 0.45].map(found), [Some(360), Some(640), None]);
    // The upper bound of 0 of n is 1 - .025^(1/n), at .05 for n = ln .025 / ln .95 = 71.9 (Clopper and Pearson).
    let none = Interval { low: 0.0, high: 0.168 };
    let most = gate("not_retrieved", GateBound::Max, 0.05);
    assert_eq!(deciding(&most, 0.0, none, 20), Some(72));
}
