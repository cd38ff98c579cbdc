//! Five questions, one for each outcome, with the arithmetic written out.

use super::conditions;
use super::diagnose::{self, Cell, TwoByTwo};
use super::losses::LossTable;
use super::score;
use super::verdict::{self, BudgetOf, LossVerdict, Source, VerdictFacts, answer_terms};
use ragtriage_core::attribute::classify::{Evidence, Outcome};
use ragtriage_core::attribute::judge::{Judgments, Settled};
use ragtriage_core::config::Settings;
use ragtriage_core::correctness::{Correctness, Judge};
use ragtriage_core::language::Language;
use ragtriage_core::metric::Metric;
use ragtriage_core::metric::answer::Scorer;
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::types::*;
use ragtriage_data::run::judged::Decided;
use ragtriage_data::run::{ExternalSource, Manifest, SCHEMA, SavedRun};

pub(super) fn rule() -> Judge {
    Judge { scorer: Scorer::Squad2, language: Language::english() }
}

/// Verdict of a run, with a generator where it counts correct answers.
fn judge_losses(
    traces: &[Trace],
    outcomes: &[Outcome],
    of: BudgetOf,
    bootstrap: &Bootstrap,
) -> LossVerdict {
    let facts = VerdictFacts {
        traces,
        outcomes,
        of,
        is_answered: of == BudgetOf::Correct,
        unlocated: (0, 0),
    };
    verdict::judge(&facts, bootstrap)
}

fn loss_table(traces: &[Trace], outcomes: &[Outcome]) -> LossTable {
    let bootstrap = Bootstrap::new((0..traces.len()).collect(), 50, 1);
    let verdict = judge_losses(traces, outcomes, BudgetOf::Correct, &bootstrap);
    let (traces, passages) = (traces.to_vec(), PassageMap::default());
    let run = SavedRun { manifest: manifest(), traces, passages, decided: Decided::default() };
    LossTable::new(&run, outcomes, &verdict, true)
}

fn attempt(extracted: &str) -> Attempt {
    Attempt::new(extracted)
}

/// A question with gold answer `18 May` in document `d`, its ranking of chunks, and the two conditions'
/// answers.
pub(super) fn trace(index: usize, ranked: &[&str], retrieved: &str, oracle: Option<&str>) -> Trace {
    let support = Support { holds: false, rule: SupportRule::Ranges };
    let condition =
        |condition, text: &str| ConditionAnswers { condition, attempts: vec![attempt(text)] };
    let hits = ranked.iter().map(|id| StepHit { id: (*id).into(), score: 0.0, parts: [].into() });
    let mut conditions = vec![condition(Condition::Retrieved, retrieved)];
    conditions.extend(oracle.map(|text| condition(Condition::Oracle, text)));
    Trace {
        index,
        question: Question {
            kind: QuestionKind::Span,
            answers: vec!["18 May".to_owned()],
            evidence: vec![vec![Member { doc: "d".into(), ranges: vec![] }]],
            relevant: [("d".into(), 1)].into(),
            ..Question::new(format!("q{index}").as_str().into(), "When?".to_owned())
        },
        gold: Gold { documents: support, chunks: support, groups: vec![] },
        rewrite: None,
        steps: vec![TraceStep::new(Step::Bm25, hits.collect(), 0.0)],
        other_searches: None,
        conditions,
        probe: None,
        error: None,
    }
}

/// A call that a server answered with status 500.
pub(super) fn failed() -> TraceError {
    TraceError {
        part: FailedPart::Generator,
        kind: ErrorKind::Transient,
        message: "500".to_owned(),
    }
}

pub(super) fn outcome(class: FailureClass, lost: Option<Stage>) -> Outcome {
    Outcome {
        class,
        fault: None,
        cause: None,
        evidence: lost.map_or(Evidence::Complete, |at| Evidence::Lost { at, cause: at }),
        reason: String::new(),
        judgments: Judgments::default(),
        unsupported: vec![],
        flags: vec![],
        by_step: vec![],
    }
}

/// Returns the outcomes with the judgments of their traces' answers.
pub(super) fn judged(traces: &[Trace], outcomes: Vec<Outcome>) -> Vec<Outcome> {
    let judged = traces.iter().zip(outcomes);
    judged
        .map(|(trace, outcome)| Outcome {
            judgments: Judgments::new(trace, rule(), &Settled::default()),
            ..outcome
        })
        .collect()
}

/// Correct; lost by retrieval; the reader's; not in the corpus; distracted (F1 of `about 18 May` is .8, the oracle's 1).
fn five() -> (Vec<Trace>, Vec<Outcome>) {
    let traces = vec![
        trace(0, &["d#0"], "18 May", Some("18 May")),
        trace(1, &["e#0"], "1815", Some("18 May")),
        trace(2, &["d#0"], "1815", Some("1815")),
        trace(3, &["e#0"], "1815", None),
        trace(4, &["e#0", "d#0"], "about 18 May", Some("18 May")),
    ];
    let outcomes = vec![
        outcome(FailureClass::Correct, None),
        outcome(FailureClass::NotRetrieved, Some(Stage::Retrieval)),
        outcome(FailureClass::WrongAnswer, None),
        outcome(FailureClass::NotInCorpus, Some(Stage::Corpus)),
        outcome(FailureClass::Correct, None),
    ];
    let outcomes = judged(&traces, outcomes);
    (traces, outcomes)
}

#[test]
fn the_loss_budget_adds_up_term_by_term() {
    let (traces, outcomes) = five();
    let plan = Bootstrap::new((0..5).collect(), 500, 1);
    let verdict = judge_losses(&traces, &outcomes, BudgetOf::Correct, &plan);
    let budget = &verdict.budget;
    // Scores 1, 0, 0, 0, 1: loss 1 - 2/5 = .6. Terms: corpus 1/5, retrieval (1-0)/5, reader (1-0)/5.
    assert!((budget.loss - 0.6).abs() < 1e-12 && budget.n == 5);
    let term = |source: Source| {
        budget.terms.iter().find(|term| term.source == source).expect("every source").mean
    };
    for (source, expected) in [
        (Source::NotInCorpus, 0.2),
        (Source::Split, 0.0),
        (Source::NotRetrieved, 0.2),
        (Source::RankedLow, 0.0),
        (Source::NotPacked, 0.0),
        (Source::IgnoredContext, 0.0),
        (Source::Misread, 0.2),
    ] {
        assert!((term(source) - expected).abs() < 1e-12, "{}: {}", source.name(), term(source));
    }
    assert!((budget.terms.iter().map(|term| term.mean).sum::<f64>() - budget.loss).abs() < 1e-12);
    assert!(verdict.undecided, "three terms are equal: {}", verdict.text);
}

#[test]
fn gold_with_distractors_separates_ignored_context_from_missing_evidence() {
    let terms = |trace: Trace, outcome: Outcome| {
        let outcome = judged(std::slice::from_ref(&trace), vec![outcome]).remove(0);
        answer_terms(&trace, &outcome).expect("answered")
    };
    // r = 0, o = 1. With g = 1 retrieval lost the answer, with g = 0 the passages around the gold ones do.
    let expected = [
        ("18 May", [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("1815", [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
    ];
    for (in_noise, expected) in expected {
        let mut lost = trace(0, &["e#0"], "1815", Some("18 May"));
        lost.conditions.push(ConditionAnswers {
            condition: Condition::GoldWithDistractors,
            attempts: vec![attempt(in_noise)],
        });
        let outcome = outcome(FailureClass::NotRetrieved, Some(Stage::Retrieval));
        assert_eq!(terms(lost, outcome), expected, "{in_noise}");
    }
    // A prompt truncated by the server: its support was there, and packing lost all that the oracle
    // had.
    let cut = trace(1, &["d#0"], "1815", Some("18 May"));
    let by_server =
        Outcome { evidence: Evidence::Truncated, ..outcome(FailureClass::NotPacked, None) };
    assert_eq!(terms(cut, by_server), [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn only_a_call_costs_tokens() {
    let mut one = trace(0, &["d#0"], "18 May", Some("18 May"));
    let used = |origin, prompt_billed, error: Option<TraceError>| Attempt {
        origin,
        tokens: TokenUse { prompt: 10, prompt_billed, completion: 2 },
        cost_usd: 0.5,
        error,
        ..attempt("18 May")
    };
    one.conditions[0].attempts =
        vec![used(Origin::Called, Some(12), None), used(Origin::Called, None, Some(failed()))];
    one.conditions[1].attempts =
        vec![used(Origin::Cached, Some(12), None), used(Origin::SamePrompt, None, None)];
    let totals = conditions::tokens(&[one]);
    // The server did not take the prompt of the call that failed.
    let retrieved = &totals["retrieved"];
    assert_eq!((retrieved.calls, retrieved.failed, retrieved.cost_usd), (2, 1, 1.0));
    assert_eq!((retrieved.prompt, retrieved.completion), (12, 2));
    let oracle = &totals["oracle"];
    assert_eq!((oracle.calls, oracle.cached, oracle.same_prompt, oracle.prompt), (0, 1, 1, 0));
}

#[test]
fn without_a_generator_the_terms_are_shares_of_lost_support() {
    let (traces, outcomes) = five();
    let plan = Bootstrap::new((0..5).collect(), 500, 1);
    let budget = judge_losses(&traces, &outcomes, BudgetOf::Evidence, &plan).budget;
    // Two of five lost their support: one to the corpus, one to retrieval.
    assert!((budget.loss - 0.4).abs() < 1e-12);
}

#[test]
fn the_table_of_losses_counts_each_question_once() {
    let (mut traces, mut outcomes) = five();
    outcomes.push(outcome(FailureClass::Failed, Some(Stage::Ranking)));
    traces.push(trace(5, &["e#0"], "", None));
    let table = loss_table(&traces, &outcomes);
    // One is in no document; one is lost among the candidates; of the three that reach the prompt two are correct. The failed one is
    // not counted. Costs: corpus 1 - 0; retrieval 1 - 0; the generator 1 - 0 for the third question.
    let rows =
        table.stages.iter().map(|row| (row.class.name(), row.complete, row.questions, row.answers));
    let row = |name, complete, lost: usize| (name, Some(complete), Some(lost), Some(lost as f64));
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [
            row("not_in_corpus", 4, 1),
            row("split", 4, 0),
            row("not_retrieved", 3, 1),
            row("ranked_low", 3, 0),
            row("not_packed", 3, 0),
            row("wrong_answer", 2, 1),
        ]
    );
    // 2 + 1 + 1 + 1 are 5.
    assert_eq!((table.n, table.n_testable, table.correct), (5, 5, Some(2.0)));
}

#[test]
fn where_results_do_not_show_which_stage_lost_evidence_none_of_them_claims_to_lose_nothing() {
    let (traces, mut outcomes) = five();
    let (first, last) = (Stage::Retrieval, Stage::Ranking);
    outcomes[1] = Outcome {
        evidence: Evidence::Between { first, last },
        ..outcome(FailureClass::NotInPrompt, None)
    };
    let table = loss_table(&traces, &outcomes);
    assert_eq!(table.row(FailureClass::RankedLow), None);
    let not_in_prompt = table.row(FailureClass::NotInPrompt).expect("a row");
    assert_eq!((not_in_prompt.complete, not_in_prompt.questions), (Some(3), Some(1)));
}

#[test]
fn a_stage_that_may_have_lost_a_part_claims_nothing_and_what_the_server_cut_off_is_not_complete() {
    let (traces, mut outcomes) = five();
    // All of the wide label is lost before the prompt, by retrieval or ranking; the third prompt was truncated by the server.
    let (at, cause, first) = (Stage::Packing, Stage::Packing, Stage::Retrieval);
    outcomes[1].evidence = Evidence::Partial { at, cause, part: None, first };
    outcomes[2].evidence = Evidence::Truncated;
    let table = loss_table(&traces, &outcomes);
    let complete = |class| table.row(class).and_then(|row| row.complete);
    assert_eq!(complete(FailureClass::NotRetrieved), None);
    assert_eq!(complete(FailureClass::RankedLow), None);
    // Of the four that are in a document two are whole for the generator.
    assert_eq!(complete(FailureClass::NotPacked), Some(2));
}

#[test]
fn questions_without_an_answer_are_not_counted_as_answerable() {
    let (mut traces, outcomes) = five();
    traces[0].question.kind = QuestionKind::Unanswerable;
    assert_eq!(loss_table(&traces, &outcomes).n, 4);
}

#[test]
fn the_two_by_two_leaves_out_what_lacks_a_side() {
    let em = [Some(1.0), Some(1.0), Some(0.0), None, Some(0.0)];
    let correct = [
        Some(Correctness::Correct),
        Some(Correctness::Wrong),
        Some(Correctness::Wrong),
        Some(Correctness::Correct),
        None,
    ];
    let f1 = [Some(1.0), Some(0.5), Some(0.1), Some(1.0), Some(1.0)];
    let table = diagnose::two_by_two(5, &em, &correct, &f1);
    let cell = |n, mean_f1| Cell { n, mean_f1 };
    let expected = TwoByTwo {
        k: 5,
        n: 3,
        hit_correct: cell(1, 1.0),
        hit_wrong: cell(1, 0.5),
        miss_correct: cell(0, 0.0),
        miss_wrong: cell(1, 0.1),
        hit_unsure: cell(0, 0.0),
        miss_unsure: cell(0, 0.0),
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
        tokens: None,
    };
    let passages: PassageMap =
        [passage("d#0", "on 18 May it began"), passage("e#0", "on 18 Mayfair")]
            .map(|p| (p.id.clone(), p))
            .into();
    let run = SavedRun { manifest: manifest(), traces, passages, decided: Decided::default() };
    let names = ["EM@1", "EM@5", "Recall@1", "RR", "FullRecall@5", "AnswerF1"];
    let metrics: Vec<Metric> = names.iter().map(|name| name.parse().expect("a metric")).collect();
    let scores = score::score(&run, &metrics, rule());
    let column = |name: &str| scores.column(name.parse().expect("a metric")).expect("a column");
    // `18 May` occurs in d#0 only: the title is not searched, and `Mayfair` runs on.
    let expect = |values: [f64; 5]| values.map(Some).to_vec();
    assert_eq!(column("EM@1"), expect([1.0, 0.0, 1.0, 0.0, 0.0]));
    assert_eq!(column("EM@5"), expect([1.0, 0.0, 1.0, 0.0, 1.0]));
    assert_eq!(column("Recall@1"), expect([1.0, 0.0, 1.0, 0.0, 0.0]));
    assert_eq!(column("RR"), expect([1.0, 0.0, 1.0, 0.0, 0.5]));
    assert_eq!(column("FullRecall@5"), expect([1.0, 0.0, 1.0, 0.0, 1.0]));
    let f1 = column("AnswerF1")[4].expect("an answer");
    assert!((f1 - 0.8).abs() < 1e-12, "P 2/3, R 1: {f1}");
}

/// Two groups: bytes 80-120 of `d`; bytes 0-20 of `e`, or bytes 150-160 of `d`. Chunks `d#0` 0-100, `d#1` 60-160, `e#0` 0-50.
pub(super) fn ranged() -> SavedRun {
    let member = |doc: &str, start, end| Member {
        doc: doc.into(),
        ranges: vec![ByteRange::new(start, end)],
    };
    let gold = |member: &Member, chunks: &[&str]| GoldMember {
        doc: member.doc.clone(),
        present: true,
        needed: member.ranges.clone(),
        chunks: chunks.iter().map(|&id| id.into()).collect(),
        has_answer: false,
        encoder_truncated: false,
        wide: Vec::new(),
        answer_ranges: Vec::new(),
    };
    let (first, either, or) = (member("d", 80, 120), member("e", 0, 20), member("d", 150, 160));
    let mut trace = trace(0, &["d#0", "d#1", "e#0"], "18 May it was", None);
    trace.gold.groups = vec![
        vec![gold(&first, &["d#0", "d#1"])],
        vec![gold(&either, &["e#0"]), gold(&or, &["d#1"])],
    ];
    trace.question.evidence = vec![vec![first], vec![either, or]];
    let packed = vec![StepHit { id: "d#0".into(), score: 1.0, parts: [].into() }];
    trace.steps.push(TraceStep::new(Step::Packed, packed, 0.0));
    let passage = |id: &str, start, end, text: &str| Passage {
        id: id.into(),
        doc: ChunkId::from(id).doc().into(),
        title: String::new(),
        range: ByteRange::new(start, end),
        text: text.to_owned(),
        tokens: None,
    };
    let passages = [
        passage("d#0", 0, 100, "On 18 May"),
        passage("d#1", 60, 160, "on the 18. may"),
        passage("e#0", 0, 50, "nothing"),
    ];
    SavedRun {
        manifest: manifest(),
        traces: vec![trace],
        passages: passages.map(|p| (p.id.clone(), p)).into(),
        decided: Decided::default(),
    }
}

#[test]
fn of_a_pipeline_elsewhere_bytes_are_measured_where_all_passages_stand_in_their_documents() {
    let mut run = ranged();
    let source = ExternalSource {
        kind: ExternalSource::RESULTS.to_owned(),
        from: String::new(),
        sha256: String::new(),
    };
    run.manifest.external = Some(source);
    let values = |run: &SavedRun| -> Vec<Option<f64>> {
        let names =
            ["SpanPrecision@1", "SpanPrecision@2", "IoU@2", "SpanRecall@2", "PrecisionOmega"];
        let metrics: Vec<Metric> =
            names.iter().map(|name| name.parse().expect("a metric")).collect();
        score::score(run, &metrics, rule()).rows[0].clone()
    };
    // `d#0` is 100 bytes, the text of `d#1` differs from its range.
    run.passages.get_mut(&ChunkId::from("d#0")).expect("there").text = "x".repeat(100);
    assert_eq!(values(&run), [Some(20.0 / 100.0), None, None, Some(1.0), None]);
    // As in its document: 50 of 200 shown bytes, all of the evidence.
    run.passages.get_mut(&ChunkId::from("d#1")).expect("there").text = "x".repeat(100);
    assert_eq!(values(&run), [Some(0.2), Some(0.25), Some(50.0 / 200.0), Some(1.0), None]);
    // In no document at all.
    run.passages.get_mut(&ChunkId::from("d#1")).expect("there").range = ByteRange::new(0, 0);
    assert_eq!(values(&run)[1..3], [None, None]);
}

#[test]
fn metrics_on_bytes_take_the_best_covered_member_of_each_group() {
    let run = ranged();
    for (name, expected) in [
        // d#0 alone: 20 of 40 bytes of group 1, nothing of group 2, which its first member represents: 20 of 40 + 20
        // bytes.
        ("EvidenceRecall@1", f64::midpoint(0.5, 0.0)),
        ("SpanRecall@1", 20.0 / 60.0),
        ("SpanPrecision@1", 20.0 / 100.0),
        ("IoU@1", 20.0 / (100.0 + 40.0)),
        // With d#1 both: 40 + 10 bytes, all of the best members, of 200 shown.
        ("EvidenceRecall@2", 1.0),
        ("SpanRecall@2", 1.0),
        ("SpanPrecision@2", 50.0 / 200.0),
        // All three: of group 2 the first member is covered as well as the second and comes first: 40 + 20 bytes of 250.
        ("SpanPrecision@3", 60.0 / 250.0),
        ("EvidenceRecall@prompt", 0.25),
        // Chunks that hold first members: d#0, d#1 (0-160) and e#0 (0-50), all evidence within: 60 of 210.
        ("PrecisionOmega", 60.0 / 210.0),
        ("EM@prompt", 1.0),
        ("FullRecall@2", 1.0),
        ("FullRecall@prompt", 1.0),
        // Only d is judged, 1 of 2 documents found; d is 1 of 1 relevant and e the 1 of 1 that is not.
        ("Judged@5", 0.5),
        ("Fallout@5", 1.0),
        ("Accuracy@5", 0.5),
        ("MedianRank", 1.0),
        ("AnswerContains", 1.0),
        ("AnswerEM(HasAns)", 0.0),
    ] {
        let scores = score::score(&run, &[name.parse().expect("a metric")], rule());
        let value = scores.rows[0][0].unwrap_or_else(|| panic!("{name} is undefined"));
        assert!((value - expected).abs() < 1e-12, "{name} is {value}, not {expected}");
    }
    let undefined = ["AnswerEM(NoAns)", "FactRecall", "ForbiddenFacts"]
        .map(|name| name.parse().expect("a metric"));
    assert_eq!(score::score(&run, &undefined, rule()).rows[0], [None, None, None]);
}

#[test]
fn a_truncated_reply_has_no_answer_score_and_its_retrieval_has_one() {
    for kind in [QuestionKind::Span, QuestionKind::Unanswerable] {
        let mut run = ranged();
        run.traces[0].question.kind = kind;
        run.traces[0].conditions[0].attempts[0] =
            Attempt { stance: Stance::Truncated, ..Attempt::new("") };
        let names = ["AnswerF1", "AnswerEM", "AnswerCorrect", "RR"];
        let metrics = names.map(|name| name.parse().expect("a metric"));
        assert_eq!(score::score(&run, &metrics, rule()).rows[0], [None, None, None, Some(1.0)]);
    }
}

#[test]
fn without_a_recorded_ranking_retrieval_is_undefined() {
    let mut run = ranged();
    let names = ["RR", "nDCG@10", "EM@5", "FullRecall@5", "EvidenceRecall@prompt", "SpanRecall@2"];
    let metrics = names.map(|name| name.parse().expect("a metric"));
    // A retriever that found nothing scores 0.
    run.traces[0].steps.truncate(1);
    run.traces[0].steps[0].hits.clear();
    let found = score::score(&run, &metrics, rule()).rows[0].clone();
    assert_eq!(found, [Some(0.0), Some(0.0), Some(0.0), Some(0.0), None, Some(0.0)]);
    run.traces[0].steps.clear();
    assert_eq!(score::score(&run, &metrics, rule()).rows[0], [None; 6]);
}

#[test]
fn a_document_as_a_whole_has_no_bytes_to_metric() {
    let (traces, _) = five();
    let run = SavedRun {
        manifest: manifest(),
        traces,
        passages: PassageMap::new(),
        decided: Decided::default(),
    };
    let metrics = ["SpanRecall@5", "PrecisionOmega"].map(|name| name.parse().expect("a metric"));
    assert!(score::score(&run, &metrics, rule()).rows.iter().flatten().all(Option::is_none));
}

pub(super) fn manifest() -> Manifest {
    Manifest {
        schema: SCHEMA,
        name: "five".to_owned(),
        version: String::new(),
        versions: [].into(),
        git_commit: None,
        started: String::new(),
        finished: None,
        config: String::new(),
        settings: Settings::default(),
        dataset: String::new(),
        dataset_digest: String::new(),
        shortened: vec![],
        external: None,
        template: None,
        notes: vec![],
        n_documents: 2,
        n_chunks: 2,
        chunk_tokens: 2,
        n_questions: 5,
        models: vec![],
        seed: 0,
        truncation: Vec::new(),
        approximate: Vec::new(),
        seconds: [].into(),
        vectors_cached: 0,
        vectors_computed: 0,
    }
}

#[test]
fn a_condition_without_a_right_answer_has_the_interval_of_such_a_mean() {
    let run = super::compare::tests::run("r", &["1815"; 20]);
    let plan = super::compare::tests::evaluation(&["AnswerCorrect"]);
    let summary = super::summary::evaluate(&run, &plan).summary;
    let super::summary::MetricSummary { n, mean, ci95 } = summary.conditions["retrieved"];
    let found = ci95.expect("clusters");
    // 0 of 20: up to 1 - .025^(1/20) = .16843.
    assert!(found.low == 0.0 && (found.high - 0.168_43).abs() < 1e-5, "{found:.5}");
    assert_eq!((n, mean, ci95), (20, 0.0, summary.metrics["AnswerCorrect"].ci95));
}

#[test]
fn few_or_equal_amounts_without_a_largest_value_have_no_interval() {
    let seconds: Metric = "seconds".parse().expect("a metric");
    let interval = |values: &[f64]| {
        let column = values.iter().copied().map(Some).collect::<Vec<_>>();
        let bootstrap = Bootstrap::new((0..values.len()).collect(), 100, 1);
        crate::summary::summarised(&[seconds], &[column], &bootstrap)[0].ci95
    };
    assert_eq!((interval(&[1.0, 3.0]), interval(&[2.0; 9])), (None, None));
    assert!(interval(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).is_some());
}
