//! A baseline file gives the same verdicts as its run, and nothing else is taken for one.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::compare::tests::{evaluation, run};
use crate::gate::{Gate, GateBound, GatePlan, check};
use crate::tests::failed;
use ragtriage_core::config::GateMode;
use ragtriage_core::hint::Hint;
use ragtriage_core::rightness::RightRule;
use ragtriage_core::types::ByteRange;

const NAMES: [&str; 7] =
    ["AnswerF1", "AnswerEM", "EM@5", "MedianRank", "corpus", "correct_unsupported", "reader"];

fn quantity(name: &str) -> Quantity {
    name.parse().expect("a name")
}

fn measures() -> Vec<Measure> {
    NAMES.iter().filter_map(|name| quantity(name).measure()).collect()
}

fn judged(run: &SavedRun) -> JudgedRun {
    JudgedRun::new(run, &measures(), 5, evaluation(&[]).judge)
}

fn text(run: &SavedRun) -> String {
    file::write(&judged(run), &run.manifest)
}

fn read(text: &str) -> Result<JudgedRun, crate::Error> {
    file::parse(Path::new("b.json"), text)
}

/// A question: its answer, its document, the first byte of its evidence, whether it failed, and whether its text or its
/// gold answer was changed.
type Drawn = (usize, usize, usize, bool, bool);

fn drawn_run(name: &str, drawn: &[Drawn]) -> SavedRun {
    let answers = ["18 May", "about 18 May", "it was the 18 May", "1815"];
    let answers: Vec<&str> = drawn.iter().map(|drawn| answers[drawn.0]).collect();
    let mut run = run(name, &answers);
    for (trace, (_, doc, start, fails, changed)) in run.traces.iter_mut().zip(drawn) {
        let member = &mut trace.question.evidence[0][0];
        member.doc = format!("d{doc}").into();
        member.ranges = vec![ByteRange::from((*start, *start + 4))];
        trace.error = fails.then(failed);
        if *changed {
            trace.question.text.push('!');
        }
    }
    run
}

fn question() -> impl Strategy<Value = Drawn> {
    let rarely = prop::bool::weighted(0.05);
    (0..4_usize, 0..4_usize, 0..12_usize, rarely, prop::bool::weighted(0.03))
}

fn gates() -> impl Strategy<Value = Vec<Gate>> {
    let bounds = prop::sample::select(vec![
        GateBound::Min,
        GateBound::Max,
        GateBound::MaxDrop,
        GateBound::MaxRise,
    ]);
    let gate = (prop::sample::select(NAMES.to_vec()), bounds, 0.0..1.0_f64);
    let gates = prop::collection::vec(gate, 1..6);
    gates.prop_map(|drawn| {
        let gates = drawn.into_iter();
        let gates =
            gates.filter_map(|(name, bound, limit)| Gate::new(quantity(name), bound, limit).ok());
        gates.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_file_gives_the_same_report_as_the_run(
        before in prop::collection::vec(question(), 1..14),
        after in prop::collection::vec(question(), 1..14),
        gates in gates(),
        by_mean in any::<bool>(),
        intersect in prop::bool::weighted(0.8),
        min_effect in prop::sample::select(vec![0.0, 0.1, 0.5]),
    ) {
        let (before, after) = (drawn_run("before", &before), drawn_run("after", &after));
        let plan = GatePlan {
            gates,
            evaluation: evaluation(&[]),
            mode: if by_mean { GateMode::Mean } else { GateMode::Interval },
            strict: false,
            intersect,
            min_effect,
        };
        let of_run = check(&after, Some(&judged(&before)), &plan);
        let of_file = check(&after, Some(&read(&text(&before)).expect("a baseline")), &plan);
        prop_assert_eq!(of_run, of_file);
    }

    #[test]
    fn every_score_reads_back_to_the_bit(
        bits in prop::collection::vec(prop::option::of(any::<u64>()), 1..20),
    ) {
        let value = |bits: u64| Some(f64::from_bits(bits)).filter(|value| !value.is_nan());
        let scores: Vec<Option<f64>> = bits.into_iter().map(|bits| bits.and_then(value)).collect();
        let mut judged = judged(&run("r", &vec!["1815"; scores.len()]));
        let measure = measures()[0];
        judged.columns = BTreeMap::from([(measure, scores.clone())]);
        let back = read(&file::write(&judged, &run("r", &["1815"]).manifest)).expect("a baseline");
        let bits = |column: Vec<Option<f64>>| -> Vec<Option<u64>> {
            column.into_iter().map(|value| value.map(f64::to_bits)).collect()
        };
        if scores.iter().any(Option::is_some) {
            let column = back.column(measure.into()).expect("the column");
            prop_assert_eq!(bits(column), bits(scores));
        }
    }

    #[test]
    fn a_changed_byte_is_an_error(at in 0..10_000_usize, byte in b'0'..b'z') {
        let mut bytes = text(&run("r", &["18 May", "1815"])).into_bytes();
        let at = at % (bytes.len() - 1);
        prop_assume!(bytes[at] != byte);
        bytes[at] = byte;
        let changed = String::from_utf8(bytes).expect("ASCII");
        prop_assert!(read(&changed).is_err(), "{}", changed);
    }
}

#[test]
fn the_file_holds_no_text() {
    let mut run = run("r", &["an answer 4711"]);
    run.traces[0].question.text = "a question 4711".to_owned();
    run.traces[0].question.answers = vec!["gold 4711".to_owned()];
    run.traces[0].question.evidence[0][0].doc = "document 4711".into();
    assert!(!text(&run).contains("4711"));
}

#[test]
fn other_files_are_refused_with_a_hint() {
    let good = text(&run("r", &["18 May", "1815"]));
    for (given, message) in [
        ("", "`b.json` is not a baseline file: EOF while parsing"),
        ("[]", "`b.json` is not a baseline file: `kind` is not"),
        ("{\"schema\":2}", "`b.json` is not a baseline file: `kind` is not"),
        (&good[..good.len() / 2], "baseline `b.json` is damaged: it is cut off"),
        (
            &good.replacen("\"schema\":2", "\"schema\":9", 1),
            "baseline `b.json` has schema 9, expected 2",
        ),
        (
            &good.replacen("\"schema\":2", "\"schema\":true", 1),
            "`b.json` is not a baseline file: `schema` is not a number",
        ),
        (
            &good.replacen("\"run\":\"r\"", "\"run\":\"s\"", 1),
            "baseline `b.json` is damaged: its digest does not match",
        ),
    ] {
        let error = read(given).expect_err("no baseline");
        assert!(error.to_string().starts_with(message), "{error}");
        assert!(error.hint().is_some());
    }
    let gone = file::read(Path::new("gone.json")).expect_err("no file");
    assert!(gone.to_string().starts_with("cannot read `gone.json`: "), "{gone}");
}

#[test]
fn a_baseline_without_the_scores_or_by_another_rule_is_an_error() {
    let run = run("r", &["18 May", "1815"]);
    let gate = |name| Gate::new(quantity(name), GateBound::MaxDrop, 0.1).expect("a gate");
    let mut plan = GatePlan {
        gates: vec![gate("nDCG@10")],
        evaluation: evaluation(&[]),
        mode: GateMode::Interval,
        strict: false,
        intersect: false,
        min_effect: 0.0,
    };
    let error = check(&run, Some(&judged(&run)), &plan).expect_err("no scores");
    assert_eq!(error.to_string(), "baseline `r` has no scores by `nDCG@10`");
    plan.gates = vec![gate("AnswerF1")];
    plan.evaluation.judge.rule = RightRule::Contains;
    let error = check(&run, Some(&judged(&run)), &plan).expect_err("another rule");
    let start = "baseline `r` was scored with another `evaluation.right`";
    assert!(error.to_string().starts_with(start), "{error}");
}
