//! Four questions with the arithmetic written out. A prompt holds two passages and 250 tokens; a passage has 100 tokens, `long#0`
//! has 200.

use serde_json::{Value, json};

use super::advice::advice;
use super::*;
use crate::diagnose;
use crate::tests::{manifest, rule};
use ragtriage_core::types::{ChunkId, Interval, Passage, Step, Trace, TraceStep};
use ragtriage_data::run::judged::Decided;

const RIGHT: &str = "18 May";
const WRONG: &str = "1815";

/// The first rank of the gold passage, the answer score without it and with it.
fn trace(
    index: usize,
    ranked: &[&str],
    n_packed: usize,
    [retrieved, oracle, in_noise]: [&str; 3],
) -> Trace {
    let holds = json!({"holds": true, "rule": "ranges"});
    let gold = format!("d{index}#0");
    let hits: Vec<Value> = ranked
        .iter()
        .map(|id| json!({"id": if *id == "GOLD" { &gold } else { *id }, "score": 1.0}))
        .collect();
    let condition = |name: &str, answer: &str, passages: Value| {
        json!({"condition": name, "attempts": [{
            "passages": passages, "raw": answer, "extracted": answer, "stance": "answered", "finish": "stop",
            "tokens": {"prompt": 1, "completion": 1}, "cost_usd": 0.0, "seconds": 0.0,
        }]})
    };
    let doc = format!("d{index}");
    serde_json::from_value(json!({
        "index": index,
        "question": {"id": format!("q{index}"), "text": "When?", "kind": "span", "answers": [RIGHT],
                     "evidence": [[{"doc": doc, "ranges": [[0, 10]]}]]},
        "gold": {"documents": holds, "chunks": holds,
                 "groups": [[{"doc": doc, "present": true, "needed": [[0, 10]], "chunks": [gold]}]]},
        "stages": [
            {"stage": "bm25", "hits": hits, "seconds": 0.0},
            {"stage": "packed", "hits": hits[..n_packed], "seconds": 0.0},
        ],
        "conditions": [
            condition("retrieved", retrieved, json!([])),
            condition("oracle", oracle, json!([gold])),
            condition("gold_with_distractors", in_noise, json!(["a#0", gold])),
        ],
    }))
    .expect("a trace")
}

fn run(traces: Vec<Trace>) -> SavedRun {
    let mut manifest = manifest();
    manifest.settings.retrieval.k = 2;
    manifest.settings.generation.context_tokens = 250;
    let ids = traces.iter().flat_map(Trace::passages);
    let passages = ids.map(|id| {
        let passage = Passage {
            id: id.clone(),
            doc: id.doc().into(),
            title: String::new(),
            range: (0, 10).into(),
            text: "0123456789".to_owned(),
            tokens: Some(if id.doc() == "long" { 200 } else { 100 }),
        };
        (id.clone(), passage)
    });
    SavedRun { manifest, passages: passages.collect(), traces, decided: Decided::default() }
}

/// Gold in the prompt; third, so lost at ranking; second behind a long passage, so lost at packing; not a candidate.
fn four() -> SavedRun {
    run(vec![
        trace(0, &["GOLD", "a#0", "b#0"], 2, [RIGHT; 3]),
        trace(1, &["a#0", "b#0", "GOLD"], 2, [WRONG, RIGHT, RIGHT]),
        trace(2, &["long#0", "GOLD", "b#0"], 1, [WRONG, RIGHT, WRONG]),
        trace(3, &["a#0", "b#0", "c#0"], 2, [RIGHT; 3]),
    ])
}

fn found(run: &SavedRun) -> Vec<Alternative> {
    let outcomes = diagnose::outcomes(run, 2, rule());
    WhatIf::new(run, &outcomes, 2.into(), &[0, 1, 2, 3]).alternatives
}

fn of(run: &SavedRun, change: Change) -> Alternative {
    let found = found(run);
    let known: Vec<Change> = found.iter().map(|one| one.change).collect();
    let one = found.into_iter().find(|one| one.change == change);
    one.unwrap_or_else(|| panic!("not among {known:?}"))
}

fn k(k: usize, context_tokens: Option<usize>) -> Change {
    Change::K { k, context_tokens }
}

#[test]
fn only_alternatives_that_change_a_prompt_are_given_each_once() {
    let changes: Vec<Change> = found(&four()).iter().map(|one| one.change).collect();
    // Three passages never fit 250 tokens: k = 3 changes nothing. Budgets above 500 hold what 500 holds, and 250 is today's.
    assert_eq!(changes, [k(1, None), k(3, Some(400)), Change::Budget { context_tokens: 500 }]);
}

#[test]
fn a_ranking_is_packed_again_and_delivers_the_questions_whose_gold_fits() {
    let run = four();
    // Today 200, 200, 200 and 200 tokens, evidence of the first only.
    let one = of(&run, k(1, None));
    assert_eq!((one.n, one.before, one.after, one.won, one.lost), (4, 1, 1, 0, 0));
    // 100, 100, 200 and 100.
    assert_eq!((one.tokens_before, one.tokens_after), (Some(200.0), Some(125.0)));
    // 300, 300, 400 and 300: the longest needs 400.
    let three = of(&run, k(3, Some(400)));
    assert_eq!((three.after, three.won, three.lost, three.tokens_after), (3, 2, 0, Some(325.0)));
    let keys: Vec<(&str, Option<&str>)> = three
        .settings
        .iter()
        .map(|setting| (setting.key.as_str(), setting.value.as_deref()))
        .collect();
    assert_eq!(keys, [("retrieval.k", Some("3")), ("generation.context_tokens", Some("400"))]);
    // Two questions differ: no difference is rejected, p is at least 2 / 2^4. One of four has its evidence now.
    assert_eq!(three.net_ci95, Some(Interval { low: -0.25, high: 0.75 }));
    // 200, 200, 300 and 200 tokens: the third question's gold fits.
    let budget = of(&run, Change::Budget { context_tokens: 500 });
    assert_eq!((budget.after, budget.won, budget.tokens_after), (2, 1, Some(225.0)));
}

#[test]
fn the_promise_is_the_delivery_of_the_questions_won() {
    // The second question gains 1; the third is wrong with its gold among other passages too.
    let expected_gain = of(&four(), k(3, Some(400))).expected_gain.expect("an oracle");
    assert_eq!((expected_gain.n, expected_gain.gain), (4, 0.25));
}

#[test]
fn a_question_that_loses_its_evidence_scores_as_those_without_it_do() {
    let mut run = four();
    // Fusion brought the first question's gold to the top; bm25 alone leaves it third, and packs the second's first.
    for trace in &mut run.traces {
        let mut fused = trace.steps[0].clone();
        fused.step = Step::Fused;
        trace.steps.insert(1, fused);
    }
    run.traces[0].steps[0].hits.rotate_left(1);
    run.traces[1].steps[0].hits.rotate_right(1);
    let alone = of(&run, Change::Ranking { step: Step::Bm25 });
    assert_eq!((alone.after, alone.won, alone.lost), (1, 1, 1));
    // Without evidence today score 0, 0 and 1: a third. The first question falls from 1 to 1/3, the second gains 1.
    let expected_gain = alone.expected_gain.expect("an oracle");
    assert!((expected_gain.gain - (1.0 - 2.0 / 3.0) / 4.0).abs() < 1e-12, "{expected_gain:?}");
}

#[test]
fn nothing_is_computed_where_a_passage_has_no_count() {
    let mut run = four();
    run.passages.get_mut(&ChunkId::from("c#0")).expect("there").tokens = None;
    let changes: Vec<Change> = found(&run).iter().map(|one| one.change).collect();
    assert_eq!(changes, []);
}

#[test]
fn another_pipelines_prompts_have_no_budget() {
    let mut run = four();
    run.manifest.external =
        serde_json::from_value(json!({"kind": "results", "from": "a.jsonl"})).expect("a source");
    for trace in &mut run.traces {
        trace.steps[0].step = Step::External;
    }
    // Also if the only recorded stage is a minimum score.
    let mut alone = run.clone();
    for trace in &mut alone.traces {
        trace.steps[0].step = Step::MinScore;
    }
    assert!(found(&alone).iter().all(|one| matches!(one.change, Change::K { .. })));
    let three = of(&run, k(3, None));
    // All three contexts of each question.
    assert_eq!((three.after, three.tokens_after, three.settings.len()), (3, Some(325.0), 0));
    // A reranker of the other pipeline that ranks the first passage last.
    for trace in &mut run.traces {
        let mut reranked = TraceStep { step: Step::Reranked, ..trace.steps[0].clone() };
        reranked.hits.rotate_left(1);
        trace.steps.insert(1, reranked);
    }
    let alone = of(&run, Change::Ranking { step: Step::External });
    assert_eq!((alone.settings.len(), alone.after), (0, alone.before + alone.won - alone.lost));
}

/// An alternative that wins 30 of 100 questions for certain.
fn sure(change: Change, gain: f64, tokens_after: f64) -> Alternative {
    let ci95 = Some(Interval { low: 0.01, high: 0.9 });
    let expected_gain = ExpectedGain { n: 100, gain, ci95 };
    Alternative {
        change,
        settings: Vec::new(),
        n: 100,
        before: 50,
        after: 80,
        won: 30,
        lost: 0,
        net_ci95: ci95,
        tokens_before: Some(500.0),
        tokens_after: Some(tokens_after),
        expected_gain: Some(expected_gain),
    }
}

#[test]
fn advice_prefers_short_prompts() {
    let found = [
        sure(k(5, None), 0.10, 500.0),
        sure(k(10, None), 0.17, 1000.0),
        sure(k(20, None), 0.20, 2000.0),
        sure(k(50, None), 0.30, 2500.0),
    ];
    // .17 is at least .8 of .20, .10 is not; 2,500 tokens are more than three times 500.
    let advice = advice(&found);
    assert_eq!(advice.len(), 1);
    assert!(advice[0].sentence.starts_with("10 passages"), "{}", advice[0].sentence);
}

#[test]
fn an_expected_gain_is_certain_exactly_where_the_paired_test_of_the_change_is() {
    // `n` of 20 questions have their gold third, the others first: k = 3 wins `n` and loses none. The exact p is 2 / 2^n: .125 for 4,
    // .0625 for 5, .03125 for 6.
    for (n, is_certain) in [(4, false), (5, false), (6, true)] {
        let lost = |i| trace(i, &["a#0", "b#0", "GOLD"], 2, [WRONG, RIGHT, RIGHT]);
        let held = |i| trace(i, &["GOLD", "a#0", "b#0"], 2, [RIGHT; 3]);
        let run = run((0..20).map(|i| if i < n { lost(i) } else { held(i) }).collect());
        let outcomes = diagnose::outcomes(&run, 2, rule());
        let clusters: Vec<usize> = (0..20).collect();
        let found = WhatIf::new(&run, &outcomes, 2.into(), &clusters).alternatives;
        let three = found.iter().find(|one| one.change == k(3, Some(300))).expect("k = 3");
        assert_eq!((three.won, three.lost), (n, 0));
        for ci95 in [three.net_ci95, three.expected_gain.expect("an oracle").ci95] {
            assert_eq!(ci95.is_some_and(|ci95| ci95.low > 0.0), is_certain, "{n}: {ci95:?}");
        }
    }
}

#[test]
fn what_may_be_chance_is_no_advice() {
    let mut one = sure(k(10, None), 0.1, 1000.0);
    one.net_ci95 = Some(Interval { low: -0.01, high: 0.2 });
    assert_eq!(advice(&[one]), []);
}

#[test]
fn advice_names_the_change_its_cost_and_its_gain() {
    let advice = advice(&[sure(k(10, None), 0.1, 1000.0)]);
    assert_eq!(
        advice[0].sentence,
        "10 passages in the prompt: complete evidence for 80 of 100 questions instead of 50, 10 [1, 90] more correct answers (computed, not run), \
         1,000 tokens of passages instead of 500."
    );
}

#[test]
fn no_interval_holds_more_lost_answers_than_there_are() {
    // 1 of 8 answers is correct: at most 1 is lost and 7 are gained.
    let mut differences = [0.0; 8];
    differences[0] = -0.125;
    let found = interval(&differences, &(0..8).collect::<Vec<_>>(), 0.125).expect("clusters");
    assert!(found.low >= -0.125 && found.high <= 0.875, "{found:?}");
}
