//! Verdicts on small runs, one for each conclusion, with the arithmetic written out.

use super::*;
use crate::tests::{judged, outcome, trace};
use ragtriage_core::attribute::classify::{Evidence, Outcome};
use ragtriage_core::attribute::judge::Judgments;
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::stats::random::Random;
use ragtriage_core::types::{
    Attempt, Condition, ConditionAnswers, ErrorKind, FailedPart, FailureClass, QuestionKind, Stage,
    Stance, Trace, TraceError,
};

#[test]
fn every_source_has_the_class_and_fault_of_its_name_and_a_side() {
    let (wrong, generator) = (FailureClass::WrongAnswer, Side::Generator);
    for (source, class, fault, side) in [
        (Source::NotInCorpus, FailureClass::NotInCorpus, None, Side::Retrieval),
        (Source::Split, FailureClass::Split, None, Side::Retrieval),
        (Source::NotRetrieved, FailureClass::NotRetrieved, None, Side::Retrieval),
        (Source::RankedLow, FailureClass::RankedLow, None, Side::Retrieval),
        (Source::NotPacked, FailureClass::NotPacked, None, Side::Retrieval),
        (Source::NotInPrompt, FailureClass::NotInPrompt, None, Side::Retrieval),
        (Source::IgnoredContext, wrong, Some(Fault::IgnoredContext), generator),
        (Source::Misread, wrong, Some(Fault::Misread), generator),
    ] {
        assert_eq!((source.class(), source.fault(), source.side()), (class, fault, side));
    }
}

const RIGHT: &str = "18 May";
const WRONG: &str = "1815";

/// Questions of one kind: their number, answer, oracle's answer, class, and the stage that lost their evidence.
type Kind = (usize, &'static str, Option<&'static str>, FailureClass, Option<Stage>);

fn run(kinds: &[Kind]) -> (Vec<Trace>, Vec<Outcome>) {
    let each = kinds.iter().flat_map(|kind| std::iter::repeat_n(kind, kind.0));
    let (traces, outcomes): (Vec<Trace>, Vec<Outcome>) = each
        .enumerate()
        .map(|(at, (_, answer, oracle, class, lost))| {
            (trace(at, &["d#0"], answer, *oracle), outcome(*class, *lost))
        })
        .unzip();
    let outcomes = judged(&traces, outcomes);
    (traces, outcomes)
}

/// Facts about answers of a generator that gives no cause for a caution.
fn facts<'a>(traces: &'a [Trace], outcomes: &'a [Outcome], of: BudgetOf) -> VerdictFacts<'a> {
    VerdictFacts { traces, outcomes, of, is_answered: true, unlocated: (0, 0) }
}

fn verdict(kinds: &[Kind], of: BudgetOf, is_answered: bool) -> LossVerdict {
    let (mut traces, outcomes) = run(kinds);
    if !is_answered {
        for trace in &mut traces {
            trace.conditions.clear();
        }
    }
    let facts = VerdictFacts { is_answered, ..facts(&traces, &outcomes, of) };
    judge(&facts, &Bootstrap::new((0..traces.len()).collect(), 500, 1))
}

fn by_generator(kinds: &[Kind]) -> LossVerdict {
    verdict(kinds, BudgetOf::Correct, true)
}

const CORRECT: Kind = (50, RIGHT, Some(RIGHT), FailureClass::Correct, None);
const RANKED_LOW: Kind = (40, WRONG, Some(RIGHT), FailureClass::RankedLow, Some(Stage::Ranking));
const MISREAD: Kind = (10, WRONG, Some(WRONG), FailureClass::WrongAnswer, None);

#[test]
fn half_an_answer_is_not_shown_as_a_correct_one() {
    let mut means = [0.0; Source::ALL.len()];
    // 2 correct answers and an unsure one.
    means[Source::Misread as usize] = 0.5 / 3.0;
    let counts = AnswerCounts::new(&means, 3);
    assert_eq!((counts.correct, counts.sides), (2.0, [0.0, 1.0]));
}

#[test]
fn retrieval_is_the_bottleneck_where_its_side_costs_more_answers() {
    let found = by_generator(&[CORRECT, RANKED_LOW, MISREAD]);
    assert_eq!(found.conclusion, Conclusion::Retrieval);
    assert_eq!((found.bottleneck, found.undecided), (Some(Source::RankedLow), false));
    // Ranking: 40 x (1 - 0) answers; the generator: 10 x (1 - 0).
    assert!((found.retrieval.answers - 40.0).abs() < 1e-9);
    assert!((found.generator.answers - 10.0).abs() < 1e-9);
    assert_eq!((found.retrieval.questions, found.generator.questions), (40, 10));
    // 100 questions are 50 correct ones, 40 and 10.
    let (answer, reasons) = (&*found.answer, &*found.reasons);
    assert_eq!(answer, "Is retrieval the bottleneck? Yes.");
    assert!(
        reasons.starts_with(
            "50 of 100 answerable questions are answered correctly. With complete evidence in every prompt, 90 would be; 40 ["
        ) && reasons.ends_with("] by the generator. ranked_low loses most."),
        "{reasons}"
    );
    assert_eq!(found.cautions, Vec::<String>::new());
}

#[test]
fn a_generator_that_fails_with_the_gold_passages_too_is_the_bottleneck_although_most_evidence_is_lost()
 {
    let unusable = (60, WRONG, Some(WRONG), FailureClass::RankedLow, Some(Stage::Ranking));
    let found = by_generator(&[unusable, MISREAD]);
    assert_eq!(found.conclusion, Conclusion::Generator);
    assert_eq!(found.bottleneck, Some(Source::Misread));
}

#[test]
fn equal_sides_are_undecided() {
    let misread = (40, WRONG, Some(WRONG), FailureClass::WrongAnswer, None);
    let found = by_generator(&[CORRECT, RANKED_LOW, misread]);
    assert_eq!((found.conclusion, found.undecided), (Conclusion::Undecided, true));
    let end = "ranked_low and wrong_answer lose most; which of the two loses more may be chance. The difference of the two sides, 0, may be chance.";
    assert!(found.text.ends_with(end), "{}", found.text);
}

/// The verdict without an oracle on `n` correct and `wrong` wrong answers with complete evidence, and `lost` wrong ones without.
fn estimated(correct: usize, wrong: usize, lost: usize) -> LossVerdict {
    let kinds = [
        (correct, RIGHT, None, FailureClass::Correct, None),
        (wrong, WRONG, None, FailureClass::WrongAnswer, None),
        (lost, WRONG, None, FailureClass::RankedLow, Some(Stage::Ranking)),
    ];
    verdict(&kinds, BudgetOf::Evidence, true)
}

#[test]
fn without_an_oracle_the_share_right_with_evidence_scales_what_is_lost_without() {
    // Half of the answers with evidence are correct, so of 50 without it retrieval loses 25 and the generator 25 more than its own 25.
    let found = estimated(25, 25, 50);
    assert_eq!([found.retrieval.answers, found.generator.answers], [25.0, 50.0]);
    assert_eq!([found.retrieval.questions, found.generator.questions], [50, 25]);
    // 90 of 100 are right: 90 and 10 + 10 of 200.
    let found = estimated(90, 10, 100);
    assert_eq!(
        (found.conclusion, found.bottleneck),
        (Conclusion::Retrieval, Some(Source::RankedLow))
    );
    assert!((found.retrieval.answers - 90.0).abs() < 1e-9, "{:?}", found.retrieval);
    // Wilson's bounds of 90 of 100 are .8256 and .9448 (statsmodels); half the odds of the lower are .8256 / (.8256 + 2 x .1744) = .7030.
    let ci = found.retrieval.ci95.expect("clusters");
    assert!(ci.low < 70.3 && ci.low > 50.0 && ci.high > 94.4, "{ci:?}");
    assert!(
        found.reasons.starts_with(
            "90 of 200 answerable questions are answered correctly. With complete evidence in every prompt, about 180 would be; about 90 ["
        ),
        "{}",
        found.text
    );
    let caution = "Losses are estimated: with complete evidence 90 of 100 answers are correct (90.0%), and the other questions are \
                   taken to be as easy. They would be measured if more of the questions lost before the prompt \
                   had an answer from the gold passages alone (condition `oracle`).";
    assert_eq!(found.cautions, [caution]);
    // 14 of 20 are correct: .48 to .85, with half the odds .32. At .32 the generator loses more.
    assert_eq!(estimated(14, 6, 40).conclusion, Conclusion::Undecided);
    // 1 correct answer, 2 without evidence: no interval of losses is below 0 or above 3.
    let few = estimated(1, 0, 2);
    let bounds = few.retrieval.ci95.expect("clusters");
    assert!(bounds.low >= 0.0 && bounds.high <= 3.0, "{bounds:?}");
}

#[test]
fn without_an_answer_that_had_its_evidence_nothing_is_estimated() {
    let found = estimated(0, 0, 40);
    assert_eq!(found.conclusion, Conclusion::Undecided);
    assert_eq!(
        found.text,
        "Is retrieval the bottleneck? Undecided. No answer is known to have had complete evidence, so what that would bring to the 40 \
         questions without it is unknown."
    );
}

/// An import of contexts and answers alone, and the same answers with an oracle.
fn planted(seed: u64) -> [LossVerdict; 2] {
    let mut random = Random::stream(39, seed);
    let n = 25 + random.below(225);
    let [delivered, wrong, labelled] =
        [(0.1, 0.85), (0.02, 0.7), (0.5, 0.5)].map(|(low, width)| low + width * random.unit());
    let lucky = 0.15 * random.unit();
    // In every other import questions whose evidence is harder to find are harder to answer too.
    let hardness = if seed.is_multiple_of(2) { 0.0 } else { 1.5 * random.unit() };
    let logit = |share: f64| (share / (1.0 - share)).ln();
    let mut kinds: Vec<Kind> = Vec::new();
    for _ in 0..n {
        let hard = hardness * (2.0 * random.unit() - 1.0);
        let mut holds = |share: f64| random.unit() < 1.0 / (1.0 + (-(logit(share) - hard)).exp());
        let [is_delivered, is_read] = [holds(delivered), holds(1.0 - wrong)];
        let [is_labelled, is_lucky] = [random.unit() < labelled, random.unit() < lucky];
        let answer =
            if (is_delivered && is_read) || (!is_delivered && is_lucky) { RIGHT } else { WRONG };
        let (class, lost) = match (is_labelled, is_delivered, answer == RIGHT) {
            (false, _, true) => (FailureClass::CorrectWithoutEvidence, None),
            (false, _, false) => (FailureClass::Unclear, None),
            (true, true, true) => (FailureClass::Correct, None),
            (true, true, false) => (FailureClass::WrongAnswer, None),
            (true, false, true) => (FailureClass::CorrectWithoutEvidence, Some(Stage::Packing)),
            (true, false, false) => (FailureClass::NotInPrompt, Some(Stage::Packing)),
        };
        kinds.push((1, answer, Some(if is_read { RIGHT } else { WRONG }), class, lost));
    }
    let (traces, mut outcomes) = run(&kinds);
    for outcome in &mut outcomes {
        let is_unlabelled = outcome.evidence == Evidence::Complete
            && [FailureClass::Unclear, FailureClass::CorrectWithoutEvidence]
                .contains(&outcome.class);
        if is_unlabelled {
            outcome.evidence = Evidence::Untestable;
        } else if let Evidence::Lost { at: last, .. } = outcome.evidence {
            outcome.evidence = Evidence::Between { first: Stage::Retrieval, last };
        }
    }
    let plan = Bootstrap::new((0..n).collect(), 200, 1);
    [BudgetOf::Evidence, BudgetOf::Correct].map(|of| judge(&facts(&traces, &outcomes, of), &plan))
}

#[test]
fn no_estimated_verdict_is_contradicted_by_the_oracle_of_the_same_answers() {
    let n_imports = 500;
    let (mut n_sign, mut n_decided, mut n_measured) = (0, 0, 0);
    for seed in 0..n_imports {
        let [estimated, measured] = planted(seed);
        let is_contradicted = match estimated.conclusion {
            Conclusion::Retrieval => measured.conclusion == Conclusion::Generator,
            Conclusion::Generator => measured.conclusion == Conclusion::Retrieval,
            _ => false,
        };
        assert!(!is_contradicted, "import {seed}: {}\n{}", estimated.text, measured.text);
        let sign = |verdict: &LossVerdict| verdict.retrieval.answers > verdict.generator.answers;
        n_sign += u64::from(sign(&estimated) == sign(&measured));
        let is_decided = |verdict: &LossVerdict| {
            u64::from(matches!(verdict.conclusion, Conclusion::Retrieval | Conclusion::Generator))
        };
        n_decided += is_decided(&estimated);
        n_measured += is_decided(&measured);
    }
    assert!(
        n_sign >= 450 && n_decided >= 200,
        "{n_sign} signs, {n_decided} of {n_measured} decided"
    );
}

#[test]
fn without_answers_retrieval_alone_is_judged() {
    let found = verdict(&[CORRECT, RANKED_LOW, MISREAD], BudgetOf::Correct, false);
    assert_eq!(
        (found.conclusion, found.bottleneck),
        (Conclusion::RetrievalOnly, Some(Source::RankedLow))
    );
    assert!(
        found.text.starts_with(
            "Is retrieval the bottleneck? Not known without answers. 60 of 100 prompts have complete evidence (60.0%, 95% CI ["
        ) && found.counts.is_none(),
        "{}",
        found.text
    );
}

#[test]
fn an_oracle_that_lacks_what_the_prompt_has_gives_no_verdict() {
    // Whole documents cut to the budget: wrong from the gold passages, correct from the retrieved ones.
    let cut = (60, RIGHT, Some(WRONG), FailureClass::Correct, None);
    let fine = (40, RIGHT, Some(RIGHT), FailureClass::Correct, None);
    let found = by_generator(&[cut, fine]);
    assert_eq!(found.conclusion, Conclusion::Withheld);
    assert!(
        found
            .text
            .contains("On 60 of 100 questions the generator is wrong from the gold passages alone"),
        "{}",
        found.text
    );
    // A generator that errs at random is worse from the gold passages as often as better.
    let worse = (15, RIGHT, Some(WRONG), FailureClass::Correct, None);
    let better = (15, WRONG, Some(RIGHT), FailureClass::WrongAnswer, None);
    let found = by_generator(&[CORRECT, worse, better]);
    assert_ne!(found.conclusion, Conclusion::Withheld, "{}", found.text);
}

#[test]
fn a_loss_that_was_never_seen_has_an_interval() {
    let (traces, outcomes) =
        run(&[CORRECT, (50, WRONG, Some(WRONG), FailureClass::WrongAnswer, None)]);
    let plan = Bootstrap::new((0..100).collect(), 50, 1);
    let budget = judge(&facts(&traces, &outcomes, BudgetOf::Correct), &plan).budget;
    // 0 of 100: up to 1 - .025^(1/100) = .03622 (Clopper and Pearson).
    let ranking = budget.terms.iter().find(|term| term.source == Source::RankedLow);
    let ci = ranking.and_then(|term| term.ci95).expect("clusters");
    assert!(ci.low == 0.0 && (ci.high - 0.03622).abs() < 1e-5, "{ci:?}");
}

#[test]
fn without_labels_no_stage_is_blamed() {
    let unlabelled = |correct: bool| {
        let (answer, class) = if correct {
            (RIGHT, FailureClass::CorrectWithoutEvidence)
        } else {
            (WRONG, FailureClass::Unclear)
        };
        (answer, class)
    };
    let kinds: Vec<Kind> = [(88, true), (12, false)]
        .map(|(n, correct)| {
            let (answer, class) = unlabelled(correct);
            (n, answer, None, class, None)
        })
        .to_vec();
    let (traces, outcomes) = run(&kinds);
    let outcomes: Vec<Outcome> = outcomes
        .into_iter()
        .map(|outcome| Outcome { evidence: Evidence::Untestable, ..outcome })
        .collect();
    let facts = facts(&traces, &outcomes, BudgetOf::Evidence);
    let found = judge(&facts, &Bootstrap::new((0..100).collect(), 50, 1));
    assert_eq!((found.conclusion, found.bottleneck, found.n), (Conclusion::Withheld, None, 0));
    assert_eq!(
        found.text,
        "Is retrieval the bottleneck? No verdict. No question has evidence, a relevance judgment, or a gold answer that a document \
         contains. Add evidence to some of the 100 questions to tell the stages apart."
    );
}

#[test]
fn a_verdict_names_its_limits() {
    let few = by_generator(&[
        (8, RIGHT, Some(RIGHT), FailureClass::Correct, None),
        (2, WRONG, Some(WRONG), FailureClass::WrongAnswer, None),
        (2, WRONG, None, FailureClass::Failed, None),
    ]);
    assert_eq!(
        few.cautions,
        [
            "The verdict rests on 10 questions in 10 clusters: too few for a firm one.",
            "2 of 12 answerable questions have no usable answer and are left out: 2 failed. To get one, correct what the error names, and ask the failed questions again."
        ]
    );
}

#[test]
fn unanswerable_questions_that_were_answered_are_counted() {
    let hallucinated = (1, WRONG, None, FailureClass::Hallucinated, None);
    let (mut traces, outcomes) =
        run(&[CORRECT, hallucinated, (2, WRONG, None, FailureClass::Failed, None)]);
    traces[50..].iter_mut().for_each(|it| it.question.kind = QuestionKind::Unanswerable);
    let found = judge(
        &facts(&traces, &outcomes, BudgetOf::Correct),
        &Bootstrap::new((0..traces.len()).collect(), 50, 1),
    );
    let told = "Not in the verdict: 1 of 1 unanswerable question was answered.";
    assert_eq!(found.cautions, [told]);
}

#[test]
fn unusable_replies_count_for_neither_side_and_above_a_fifth_no_verdict_is_given() {
    let judged = |n_cut: usize, n_empty: usize| {
        let failed = (n_cut + n_empty, "", Some(RIGHT), FailureClass::Failed, Some(Stage::Ranking));
        let correct = (20, RIGHT, Some(RIGHT), FailureClass::Correct, None);
        let lost = (20, WRONG, Some(RIGHT), FailureClass::RankedLow, Some(Stage::Ranking));
        let (mut traces, outcomes) = run(&[lost, correct, failed]);
        for (at, trace) in traces[40..].iter_mut().enumerate() {
            let stance = if at < n_cut { Stance::Truncated } else { Stance::Empty };
            trace.conditions[0].attempts[0].stance = stance;
        }
        let outcomes = crate::tests::judged(&traces, outcomes);
        let plan = Bootstrap::new((0..traces.len()).collect(), 500, 1);
        judge(&facts(&traces, &outcomes, BudgetOf::Correct), &plan)
    };
    // 10 of 50 are a fifth, 11 of 51 are more.
    let some = judged(6, 4);
    assert_eq!(
        (some.conclusion, some.n, some.retrieval.questions),
        (Conclusion::Retrieval, 40, 20)
    );
    assert_eq!(
        some.cautions,
        [
            "10 of 50 answerable questions have no usable answer and are left out: 6 truncated by the token limit, 4 empty. To get one, raise the limit of completion tokens, such as `generation.max_tokens`."
        ]
    );
    let many = judged(7, 4);
    assert_eq!((many.conclusion, many.cautions), (Conclusion::Withheld, vec![]));
    assert_eq!(
        many.text,
        "Is retrieval the bottleneck? No verdict. 11 of 51 answerable questions (21.6%) have no usable answer: 7 truncated by the token \
         limit, 4 empty. To get one, raise the limit of completion tokens, such as `generation.max_tokens`."
    );
}

#[test]
fn calls_that_failed_are_named_with_their_error() {
    let failed = (3, "", Some(RIGHT), FailureClass::Failed, Some(Stage::Ranking));
    let (mut traces, outcomes) = run(&[failed]);
    for (trace, kind) in
        traces.iter_mut().zip([ErrorKind::TooLong, ErrorKind::TooLong, ErrorKind::Permanent])
    {
        let message = "status 403: no access".to_owned();
        trace.conditions[0].attempts[0].error =
            Some(TraceError { part: FailedPart::Generator, kind, message });
    }
    let plan = Bootstrap::new((0..traces.len()).collect(), 500, 1);
    assert_eq!(
        judge(&facts(&traces, &outcomes, BudgetOf::Correct), &plan).reasons,
        "3 of 3 answerable questions (100.0%) have no usable answer: 2 refused as too long for the model, 1 failed. To get \
         one, shorten the prompts, or raise the context that the model is served with. The first error: status 403: no access"
    );
}

#[test]
fn five_questions_decide_nothing() {
    let lost = (5, WRONG, Some(RIGHT), FailureClass::RankedLow, Some(Stage::Ranking));
    // All five sign flips the same way have p = 2 / 2^5 = .0625.
    let found = by_generator(&[lost]);
    assert_eq!(found.conclusion, Conclusion::Undecided, "{}", found.text);
    let lost = (6, WRONG, Some(RIGHT), FailureClass::RankedLow, Some(Stage::Ranking));
    assert_eq!(by_generator(&[lost]).conclusion, Conclusion::Retrieval);
}

#[test]
fn an_oracle_of_few_lost_questions_is_not_taken_for_all() {
    // 40 were lost before the prompt, without an oracle; the reader's 10 have one.
    let lost = (40, WRONG, None, FailureClass::RankedLow, Some(Stage::Ranking));
    let found = by_generator(&[lost, MISREAD, CORRECT]);
    assert!(!found.counts_answers);
    // 50 of 60 are correct with complete evidence.
    assert!((found.retrieval.answers - 40.0 * 50.0 / 60.0).abs() < 1e-9);
}

#[test]
fn evidence_that_never_helps_blames_the_generator() {
    // 0 of 20 are correct with it, by Wilson at most .161: of 80 without it retrieval loses at most 12.9.
    let found = estimated(0, 20, 80);
    assert_eq!(found.conclusion, Conclusion::Generator, "{}", found.text);
    assert_eq!([found.retrieval.answers, found.generator.answers], [0.0, 100.0]);
}

#[test]
fn contexts_in_no_document_give_no_verdict() {
    let (traces, outcomes) = run(&[CORRECT, RANKED_LOW, MISREAD]);
    let facts =
        VerdictFacts { unlocated: (60, 100), ..facts(&traces, &outcomes, BudgetOf::Correct) };
    let found = judge(&facts, &Bootstrap::new((0..100).collect(), 50, 1));
    assert_eq!(found.conclusion, Conclusion::Withheld);
    assert!(found.reasons.starts_with("60 of 100 passages are in no document"), "{}", found.text);
}

#[test]
fn a_measured_gain_is_not_read_from_a_wide_label_again() {
    // A part of a wide label was in the prompt: 20 are wrong as retrieved and correct once the rest is added, 1 is wrong with it.
    let open: Kind = (20, WRONG, Some(RIGHT), FailureClass::Unclear, Some(Stage::Packing));
    let misread: Kind = (1, WRONG, Some(WRONG), FailureClass::WrongAnswer, None);
    let (mut traces, mut outcomes) = run(&[CORRECT, open, misread]);
    for at in 50..70 {
        let attempts = vec![Attempt::new(RIGHT)];
        traces[at]
            .conditions
            .push(ConditionAnswers { condition: Condition::GoldWithDistractors, attempts });
        let (at_stage, cause) = (Stage::Packing, Stage::Packing);
        outcomes[at].evidence =
            Evidence::Partial { at: at_stage, cause, part: None, first: at_stage };
    }
    let outcomes = judged(&traces, outcomes);
    let plan = Bootstrap::new((0..71).collect(), 500, 1);
    let found = judge(&facts(&traces, &outcomes, BudgetOf::Correct), &plan);
    assert_eq!(found.conclusion, Conclusion::Retrieval, "{}", found.text);
    assert_eq!([found.retrieval.answers, found.generator.answers].map(f64::round), [20.0, 1.0]);
}

#[test]
fn without_a_recorded_retriever_the_verdict_asks_for_it_and_not_for_evidence() {
    let unseen: Kind = (2, WRONG, None, FailureClass::Unclear, None);
    let (mut traces, mut outcomes) = run(&[unseen]);
    for (trace, outcome) in traces.iter_mut().zip(&mut outcomes) {
        trace.steps.clear();
        outcome.evidence = Evidence::Unseen { first: Stage::Retrieval };
    }
    let facts = facts(&traces, &outcomes, BudgetOf::Evidence);
    let found = judge(&facts, &Bootstrap::new(vec![0, 1], 50, 1));
    let lack = "are recorded for 2 questions with evidence.";
    let neither = format!("Neither the retrieved passages nor those of the prompt {lack}");
    assert_eq!(found.reasons, neither);
    assert!(
        found.cautions[0].contains("Record the candidates of each retriever"),
        "{:?}",
        found.cautions
    );
}

#[test]
fn where_wrong_answers_without_a_recorded_prompt_are_left_out_correct_ones_are_too() {
    let n_counted = |wrong: usize| {
        let (traces, mut outcomes) = run(&[
            (10, RIGHT, None, FailureClass::Correct, None),
            (wrong, WRONG, None, FailureClass::Unclear, None),
            (20, RIGHT, None, FailureClass::Correct, None),
            (5, WRONG, None, FailureClass::WrongAnswer, None),
        ]);
        outcomes[..10 + wrong]
            .iter_mut()
            .for_each(|it| it.evidence = Evidence::Unseen { first: Stage::Retrieval });
        let plan = Bootstrap::new((0..traces.len()).collect(), 50, 1);
        judge(&facts(&traces, &outcomes, BudgetOf::Evidence), &plan).n
    };
    assert_eq!(n_counted(10), 25);
    // Nothing is left out where all are correct.
    assert_eq!(n_counted(0), 35);
}

/// Questions of a record that lacks the stages to tell what lost their evidence.
fn not_in_prompt(n: usize) -> Kind {
    let lost = Some(Stage::Packing);
    (n, WRONG, Some(RIGHT), FailureClass::NotInPrompt, lost)
}

fn of_record(kinds: &[Kind], between: [Stage; 2]) -> LossVerdict {
    let (traces, mut outcomes) = run(kinds);
    for outcome in &mut outcomes {
        if outcome.class == FailureClass::NotInPrompt {
            let [first, last] = between;
            outcome.evidence = Evidence::Between { first, last };
        }
    }
    let facts = facts(&traces, &outcomes, BudgetOf::Correct);
    judge(&facts, &Bootstrap::new((0..traces.len()).collect(), 500, 1))
}

#[test]
fn evidence_lost_at_an_unknown_stage_counts_for_retrieval_and_names_what_to_record() {
    let between = [Stage::Retrieval, Stage::Packing];
    let found = of_record(&[CORRECT, not_in_prompt(40), MISREAD], between);
    assert_eq!(found.conclusion, Conclusion::Retrieval);
    assert_eq!(found.bottleneck, Some(Source::NotInPrompt));
    assert!((found.retrieval.answers - 40.0).abs() < 1e-9);
    assert_eq!(found.retrieval.questions, 40);
    assert!(
        found.text.ends_with("The results do not show which stage loses most."),
        "{}",
        found.text
    );
    let expected = "40 of 100 questions lack their evidence in the prompt, and the results do not show which stage lost it. Record the candidates of each retriever, more than the prompt takes, and the stage `packed` with its `k`.";
    assert_eq!(found.cautions, [expected]);
}

#[test]
fn a_stage_leads_only_where_the_unknown_losses_cannot_change_that() {
    let ranked = |n| (n, WRONG, Some(RIGHT), FailureClass::RankedLow, Some(Stage::Ranking));
    let packed = (10, WRONG, Some(RIGHT), FailureClass::NotPacked, Some(Stage::Packing));
    let between = [Stage::Ranking, Stage::Packing];
    // 30 against at most 10 + 10; then 15 against at most 10 + 10.
    let clear = of_record(&[CORRECT, ranked(30), packed, not_in_prompt(10)], between);
    assert_eq!(clear.bottleneck, Some(Source::RankedLow));
    let open = of_record(&[CORRECT, ranked(15), packed, not_in_prompt(10)], between);
    assert_eq!(open.bottleneck, Some(Source::NotInPrompt));
}

#[test]
fn questions_that_are_not_counted_narrow_no_interval() {
    // Seven correct answers: a loss up to 1 - .025^(1/7) = .40962 of 7 was perhaps not seen (Clopper and Pearson). Questions without an
    // oracle are not counted.
    let few: Kind = (7, RIGHT, Some(RIGHT), FailureClass::Correct, None);
    let lost: Kind = (2, WRONG, Some(RIGHT), FailureClass::RankedLow, Some(Stage::Ranking));
    let uncounted: Kind = (60, RIGHT, None, FailureClass::Correct, None);
    for others in [&[][..], &[uncounted][..]] {
        let found = by_generator(&[&[few], others].concat());
        let interval = found.generator.ci95.expect("clusters");
        assert_eq!((found.n, interval.low), (7, 0.0));
        assert!((interval.high - 7.0 * 0.40962).abs() < 1e-4, "{interval:?}");
        // As few clusters as questions: 9, not 69.
        let found = by_generator(&[&[few, lost], others].concat());
        let caution = "The verdict rests on 9 questions in 9 clusters: too few for a firm one.";
        assert!(found.cautions.iter().any(|text| text == caution), "{:?}", found.cautions);
    }
}

#[test]
fn nothing_is_lost_where_every_answer_is_right_although_some_oracles_are_wrong() {
    let misread = (4, RIGHT, Some(WRONG), FailureClass::Correct, None);
    let found = by_generator(&[CORRECT, misread]);
    assert_eq!((found.conclusion, found.bottleneck), (Conclusion::Undecided, None));
    let text = "Is retrieval the bottleneck? No, nothing is lost. 54 of 54 answerable questions are answered correctly.";
    assert_eq!(found.text, text);
    let one = by_generator(&[(1, RIGHT, Some(RIGHT), FailureClass::Correct, None)]);
    assert!(
        one.text.ends_with("1 of 1 answerable question is answered correctly."),
        "{}",
        one.text
    );
}

#[test]
fn no_stage_loses_less_than_nothing_where_answers_are_correct_without_evidence() {
    // p = 20 / 40; of 10 without evidence 9 are correct, so it brings none: the generator loses 20 + 1.
    let lost = Some(Stage::Ranking);
    let kinds = [
        (20, RIGHT, None, FailureClass::Correct, None),
        (20, WRONG, None, FailureClass::WrongAnswer, None),
        (9, RIGHT, None, FailureClass::CorrectWithoutEvidence, lost),
        (1, WRONG, None, FailureClass::RankedLow, lost),
    ];
    let found = verdict(&kinds, BudgetOf::Evidence, true);
    let answers = [found.retrieval.answers, found.generator.answers].map(f64::round);
    assert_eq!(answers, [0.0, 21.0]);
    let counts = found.counts.expect("an estimate");
    assert_eq!(counts.correct, 29.0);
    assert!(counts.lost.iter().all(|(_, answers)| *answers >= 0.0), "{counts:?}");
}

#[test]
fn without_an_oracle_unsure_answers_count_half_and_at_both_bounds() {
    let kinds = [
        (50, RIGHT, None, FailureClass::Correct, None),
        (10, RIGHT, None, FailureClass::Unsure, None),
    ];
    let (traces, mut outcomes) = run(&kinds);
    for outcome in &mut outcomes[50..] {
        outcome.judgments = Judgments::default();
    }
    let plan = Bootstrap::new((0..60).collect(), 500, 1);
    let found = judge(&facts(&traces, &outcomes, BudgetOf::Evidence), &plan);
    // 10 / 2; none is lost if all are correct, and 10 if all are wrong.
    assert_eq!((found.n, found.generator.answers.round()), (60, 5.0));
    let ci = found.generator.ci95.expect("clusters");
    assert!(ci.low == 0.0 && ci.high > 10.0, "{ci:?}");
    assert_eq!(found.cautions, Vec::<String>::new());
}

#[test]
fn without_gold_answers_retrieval_alone_is_judged() {
    let lost = Some(Stage::Ranking);
    let kinds = [
        (30, RIGHT, None, FailureClass::Delivered, None),
        (10, RIGHT, None, FailureClass::RankedLow, lost),
    ];
    let (traces, mut outcomes) = run(&kinds);
    for outcome in &mut outcomes {
        outcome.judgments = Judgments::default();
    }
    let plan = Bootstrap::new((0..40).collect(), 500, 1);
    let found = judge(&facts(&traces, &outcomes, BudgetOf::Evidence), &plan);
    let start = "Is retrieval the bottleneck? Not known without gold answers. 30 of 40 prompts have complete evidence (75.0%";
    assert!(found.text.starts_with(start), "{}", found.text);
    assert_eq!((found.retrieval.answers, found.bottleneck), (10.0, Some(Source::RankedLow)));
}
