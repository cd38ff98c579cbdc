//! Five questions, one of each fate, with the arithmetic written out.

use std::collections::HashMap;

use super::diagnose::{self, Cell, TwoByTwo};
use super::score;
use super::verdict::{Source, judge_losses, rule_of_thumb};
use crate::attribute::classify::Outcome;
use crate::measure::Measure;
use crate::measure::answer::Flavour;
use crate::pipeline::plan::Judge;
use crate::stats::bootstrap::Bootstrap;
use crate::store::{Manifest, SCHEMA, SavedRun};
use crate::types::*;

const JUDGE: Judge = Judge { flavour: Flavour::Squad2, correct_f1: 0.6 };

fn attempt(extracted: &str) -> Attempt {
    Attempt {
        passages: vec![],
        raw: extracted.to_owned(),
        extracted: extracted.to_owned(),
        stance: Stance::Answered,
        finish: Finish::Stop,
        tokens: TokenUse::default(),
        cost_usd: 0.0,
        seconds: 0.0,
        error: None,
    }
}

/// A question with gold `18 May` in document `d`, its ranking of chunks, and the two arms' answers.
fn trace(index: usize, ranked: &[&str], retrieved: &str, oracle: Option<&str>) -> Trace {
    let support = Support { holds: false, rule: SupportRule::Ranges };
    let arm = |arm, text: &str| Arm { arm, attempts: vec![attempt(text)] };
    let hits = ranked.iter().map(|id| StageHit { id: (*id).into(), score: 0.0, parts: [].into() });
    let mut arms = vec![arm(ArmName::Retrieved, retrieved)];
    arms.extend(oracle.map(|text| arm(ArmName::Oracle, text)));
    Trace {
        index,
        question: Question {
            id: format!("q{index}").as_str().into(),
            text: "When?".to_owned(),
            kind: Kind::Span,
            answers: vec!["18 May".to_owned()],
            evidence: vec![vec![Member { doc: "d".into(), ranges: vec![] }]],
            relevant: [("d".into(), 1)].into(),
            required: vec![],
            forbidden: vec![],
            tags: vec![],
            split: None,
        },
        gold: Gold { documents: support, chunks: support, groups: vec![] },
        stages: vec![TraceStage { stage: Stage::Bm25, hits: hits.collect(), support, seconds: 0.0 }],
        arms,
        class: Class::Correct,
        fault: None,
        reason: String::new(),
        flags: vec![],
    }
}

fn outcome(class: Class, lost: Option<Class>) -> Outcome {
    let at = |station| lost.is_none_or(|lost| station < lost as usize);
    let reached = Some([at(0), at(1), at(2), at(3), at(4)]);
    Outcome { class, fault: None, lost, reason: String::new(), flags: vec![], reached }
}

/// Right; lost by retrieval; the reader's; not in the corpus; distracted (F1 of `about 18 May` is .8, the oracle's 1).
fn five() -> (Vec<Trace>, Vec<Outcome>) {
    let traces = vec![
        trace(0, &["d#0"], "18 May", Some("18 May")),
        trace(1, &["e#0"], "1815", Some("18 May")),
        trace(2, &["d#0"], "1815", Some("1815")),
        trace(3, &["e#0"], "1815", None),
        trace(4, &["e#0", "d#0"], "about 18 May", Some("18 May")),
    ];
    let outcomes = vec![
        outcome(Class::Correct, None),
        outcome(Class::Retrieval, Some(Class::Retrieval)),
        outcome(Class::Generation, None),
        outcome(Class::Corpus, Some(Class::Corpus)),
        outcome(Class::Correct, None),
    ];
    (traces, outcomes)
}

#[test]
fn the_loss_budget_adds_up_term_by_term() {
    let (traces, outcomes) = five();
    let plan = Bootstrap::new((0..5).collect(), 500, 1);
    let (budget, verdict) = judge_losses(&traces, &outcomes, JUDGE, true, &plan);
    // Scores 1, 0, 0, 0, .8: loss 1 - 1.8/5 = .64. Terms: corpus 1/5, retrieval (1-0)/5, reader (1-0)/5, distraction (1-.8)/5.
    assert!((budget.loss - 0.64).abs() < 1e-12 && budget.n == 5);
    let term = |source: Source| budget.terms.iter().find(|term| term.source == source).expect("every source").mean;
    for (source, expected) in [
        (Source::Corpus, 0.2),
        (Source::Chunking, 0.0),
        (Source::Retrieval, 0.2),
        (Source::Ranking, 0.0),
        (Source::Packing, 0.0),
        (Source::Distraction, 0.04),
        (Source::Reader, 0.2),
    ] {
        assert!((term(source) - expected).abs() < 1e-12, "{}: {}", source.name(), term(source));
    }
    assert!((budget.terms.iter().map(|term| term.mean).sum::<f64>() - budget.loss).abs() < 1e-12);
    assert!(verdict.undecided, "three terms are equal: {}", verdict.text);
}

#[test]
fn without_a_generator_the_terms_are_shares_of_lost_support() {
    let (traces, outcomes) = five();
    let plan = Bootstrap::new((0..5).collect(), 500, 1);
    let (budget, _) = judge_losses(&traces, &outcomes, JUDGE, false, &plan);
    // Two of five lost their support: one to the corpus, one to retrieval.
    assert!((budget.loss - 0.4).abs() < 1e-12);
}

#[test]
fn one_loss_alone_is_decided_and_none_is_said_to_be_none() {
    let traces: Vec<Trace> = (0..40).map(|i| trace(i, &["e#0"], "1815", Some("18 May"))).collect();
    let outcomes = vec![outcome(Class::Retrieval, Some(Class::Retrieval)); 40];
    let plan = Bootstrap::new((0..40).collect(), 500, 1);
    let (_, verdict) = judge_losses(&traces, &outcomes, JUDGE, true, &plan);
    assert_eq!((verdict.bottleneck, verdict.undecided), (Some(Source::Retrieval), false));
    assert_eq!(verdict.stability, 1.0);
    let right: Vec<Trace> = (0..3).map(|i| trace(i, &["d#0"], "18 May", Some("18 May"))).collect();
    let (_, verdict) = judge_losses(
        &right,
        &vec![outcome(Class::Correct, None); 3],
        JUDGE,
        true,
        &Bootstrap::new(vec![0, 1, 2], 50, 1),
    );
    assert_eq!(verdict.text, "Nothing was lost.");
}

#[test]
fn the_waterfall_counts_support_station_by_station() {
    let (_, outcomes) = five();
    let (steps, n) = diagnose::waterfall(&outcomes, true);
    let counts: Vec<(Station, usize)> = steps.iter().map(|step| (step.stage, step.supported)).collect();
    // One is in no document; one is lost at the candidates; of the three that reach the prompt two are right.
    assert_eq!(n, 5);
    assert_eq!(
        counts,
        [
            (Station::Documents, 4),
            (Station::Chunks, 4),
            (Station::Candidates, 3),
            (Station::TopK, 3),
            (Station::Prompt, 3),
            (Station::Answer, 2)
        ]
    );
}

#[test]
fn the_two_by_two_leaves_out_what_lacks_a_side() {
    let em = [Some(1.0), Some(1.0), Some(0.0), None, Some(0.0)];
    let right = [Some(true), Some(false), Some(false), Some(true), None];
    let f1 = [Some(1.0), Some(0.5), Some(0.1), Some(1.0), Some(1.0)];
    let table = diagnose::two_by_two(5, &em, &right, &f1);
    let cell = |n, mean_f1| Cell { n, mean_f1 };
    let expected = TwoByTwo {
        k: 5,
        n: 3,
        hit_right: cell(1, 1.0),
        hit_wrong: cell(1, 0.5),
        miss_right: cell(0, 0.0),
        miss_wrong: cell(1, 0.1),
    };
    assert_eq!(table, expected);
}

#[test]
fn scores_come_from_traces_and_saved_passages() {
    let (traces, _) = five();
    let passage = |id: &str, text: &str| Passage {
        id: id.into(),
        doc: ChunkId::from(id).doc().into(),
        title: "18 May".to_owned(),
        range: ByteRange::new(0, text.len()),
        text: text.to_owned(),
    };
    let passages: HashMap<ChunkId, Passage> =
        [passage("d#0", "on 18 May it began"), passage("e#0", "on 18 Mayfair")].map(|p| (p.id.clone(), p)).into();
    let run = SavedRun { manifest: manifest(), traces, passages };
    let names = ["EM@1", "EM@5", "Recall@1", "RR", "FullRecall@5", "AnswerF1"];
    let measures: Vec<Measure> = names.iter().map(|name| name.parse().expect("a measure")).collect();
    let scores = score::score(&run, &measures, Flavour::Squad2);
    let column = |name: &str| scores.column(name.parse().expect("a measure")).expect("a column");
    // `18 May` stands in d#0 only: the title is not searched, and `Mayfair` runs on.
    let expect = |values: [f64; 5]| values.map(Some).to_vec();
    assert_eq!(column("EM@1"), expect([1.0, 0.0, 1.0, 0.0, 0.0]));
    assert_eq!(column("EM@5"), expect([1.0, 0.0, 1.0, 0.0, 1.0]));
    assert_eq!(column("Recall@1"), expect([1.0, 0.0, 1.0, 0.0, 0.0]));
    assert_eq!(column("RR"), expect([1.0, 0.0, 1.0, 0.0, 0.5]));
    assert_eq!(column("FullRecall@5"), expect([1.0, 0.0, 1.0, 0.0, 1.0]));
    let f1 = column("AnswerF1")[4].expect("an answer");
    assert!((f1 - 0.8).abs() < 1e-12, "P 2/3, R 1: {f1}");
}

#[test]
fn the_rule_of_thumb_has_three_answers() {
    assert!(rule_of_thumb(Some(0.8)).expect("said").contains("not the bottleneck"));
    assert!(rule_of_thumb(Some(0.6)).expect("said").contains("retriever first"));
    assert!(rule_of_thumb(Some(0.7)).expect("said").contains("does not say"));
    assert_eq!(rule_of_thumb(None), None);
}

fn manifest() -> Manifest {
    Manifest {
        schema: SCHEMA,
        name: "five".to_owned(),
        version: String::new(),
        versions: [].into(),
        git_commit: None,
        started: String::new(),
        finished: None,
        config: String::new(),
        settings: serde_json::Value::Null,
        dataset: String::new(),
        dataset_digest: String::new(),
        external: None,
        notes: vec![],
        n_documents: 2,
        n_chunks: 2,
        chunk_tokens: 2,
        n_questions: 5,
        models: vec![],
        seed: 0,
        vector_search: String::new(),
        seconds: [].into(),
        prompt_tokens: 0,
        completion_tokens: 0,
        cost_usd: 0.0,
        vectors_cached: 0,
        vectors_computed: 0,
    }
}
