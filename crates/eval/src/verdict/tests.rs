//! Verdicts on small runs, one for each conclusion, with the arithmetic written out.

use super::*;
use crate::tests::{judged, outcome, trace};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::types::{FailureClass, Stage, Step, Trace};

const RIGHT: &str = "18 May";
const WRONG: &str = "1815";

/// Questions of one kind: their number, answer, oracle's answer, class, and the stage that lost their support.
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
    VerdictFacts {
        traces,
        outcomes,
        of,
        answered: Answered::ByGenerator,
        k: 5,
        top: 5.into(),
        unlocated: (0, 0),
        rule_disagreement: (0, 0),
    }
}

fn verdict(kinds: &[Kind], of: BudgetOf, answered: Answered) -> LossVerdict {
    let (traces, outcomes) = run(kinds);
    let facts = VerdictFacts { answered, ..facts(&traces, &outcomes, of) };
    judge(&facts, &Bootstrap::new((0..traces.len()).collect(), 500, 1))
}

fn by_generator(kinds: &[Kind]) -> LossVerdict {
    verdict(kinds, BudgetOf::Right, Answered::ByGenerator)
}

const CORRECT: Kind = (50, RIGHT, Some(RIGHT), FailureClass::Correct, None);
const RANKED_LOW: Kind = (40, WRONG, Some(RIGHT), FailureClass::Ranking, Some(Stage::Ranking));
const MISREAD: Kind = (10, WRONG, Some(WRONG), FailureClass::Generation, None);

#[test]
fn retrieval_is_the_bottleneck_where_its_side_costs_more_answers() {
    let found = by_generator(&[CORRECT, RANKED_LOW, MISREAD]);
    assert_eq!(found.conclusion, Conclusion::Retriever);
    assert_eq!((found.bottleneck, found.undecided), (Some(Source::Ranking), false));
    // Ranking: 40 x (1 - 0) answers; the generator: 10 x (1 - 0).
    assert!((found.retriever.answers - 40.0).abs() < 1e-9);
    assert!((found.generator.answers - 10.0).abs() < 1e-9);
    assert_eq!((found.retriever.questions, found.generator.questions), (40, 10));
    assert!(
        found.text.starts_with(
            "Yes, retrieval is the bottleneck: with complete evidence in every prompt the generator would answer 40 ["
        ) && found.text.ends_with(
            "Of the stages before the prompt, ranking loses most, 40: the retriever finds the evidence but orders it below the top 5 (no reranker)."
        ),
        "{}",
        found.text
    );
    assert_eq!(found.cautions, Vec::<String>::new());
}

#[test]
fn an_existing_collection_whose_points_lack_the_evidence_is_not_said_to_split_it() {
    let cut: Kind = (40, WRONG, Some(RIGHT), FailureClass::Chunking, Some(Stage::Chunking));
    let (mut traces, outcomes) = run(&[CORRECT, cut, MISREAD]);
    let clusters = Bootstrap::new((0..traces.len()).collect(), 500, 1);
    let text = |traces: &[Trace]| judge(&facts(traces, &outcomes, BudgetOf::Right), &clusters).text;
    assert!(
        text(&traces).ends_with("chunking loses most, 40: a chunk boundary splits the evidence.")
    );
    traces[0].steps[0].step = Step::Collection;
    let text = text(&traces);
    assert!(
        text.ends_with("chunking loses most, 40: no point of the collection holds the evidence."),
        "{text}"
    );
}

#[test]
fn a_generator_that_fails_with_the_gold_passages_too_is_the_bottleneck_although_most_evidence_is_lost()
 {
    let unusable = (60, WRONG, Some(WRONG), FailureClass::Ranking, Some(Stage::Ranking));
    let found = by_generator(&[unusable, MISREAD]);
    assert_eq!(found.conclusion, Conclusion::Generator);
    assert_eq!(found.bottleneck, Some(Source::Reader));
    assert!(
        found.text.contains("60 questions lack their evidence in the prompt, but most of these the generator also gets wrong"),
        "{}",
        found.text
    );
}

#[test]
fn equal_sides_are_undecided() {
    let misread = (40, WRONG, Some(WRONG), FailureClass::Generation, None);
    let found = by_generator(&[CORRECT, RANKED_LOW, misread]);
    assert_eq!((found.conclusion, found.undecided), (Conclusion::Undecided, true));
    assert!(found.text.contains("may be chance"), "{}", found.text);
}

#[test]
fn without_an_oracle_failure_classes_are_compared() {
    let without = |(n, answer, _, class, lost): Kind| (n, answer, None, class, lost);
    let kinds = [CORRECT, RANKED_LOW, MISREAD].map(without);
    let found = verdict(&kinds, BudgetOf::Support, Answered::ByGenerator);
    assert_eq!(found.conclusion, Conclusion::Retriever);
    assert_eq!(found.bottleneck, Some(Source::Ranking));
    assert!(
        found.text.contains("of 100 questions are lost before the prompt, 10 ["),
        "{}",
        found.text
    );
}

#[test]
fn a_baseline_reader_is_not_judged() {
    let found = verdict(&[CORRECT, RANKED_LOW, MISREAD], BudgetOf::Right, Answered::ByBaseline);
    assert_eq!(
        (found.conclusion, found.bottleneck),
        (Conclusion::RetrievalOnly, Some(Source::Ranking))
    );
    assert!(
        found
            .text
            .starts_with("Evidence reaches the prompt for 60 of 100 questions (60.0%, 95% CI [")
            && found.text.ends_with("does not use a language model."),
        "{}",
        found.text
    );
}

#[test]
fn an_oracle_that_lacks_what_the_prompt_has_gives_no_verdict() {
    // Whole documents cut to the budget: wrong from the gold passages, right from the retrieved ones.
    let cut = (60, RIGHT, Some(WRONG), FailureClass::Correct, None);
    let fine = (40, RIGHT, Some(RIGHT), FailureClass::Correct, None);
    let found = by_generator(&[cut, fine]);
    assert_eq!(found.conclusion, Conclusion::Withheld);
    assert!(
        found
            .text
            .contains("on 60 of 100 questions the generator is wrong from the gold passages alone"),
        "{}",
        found.text
    );
    // A generator that errs at random is worse from the gold passages as often as better.
    let worse = (15, RIGHT, Some(WRONG), FailureClass::Correct, None);
    let better = (15, WRONG, Some(RIGHT), FailureClass::Generation, None);
    let found = by_generator(&[CORRECT, worse, better]);
    assert_ne!(found.conclusion, Conclusion::Withheld, "{}", found.text);
}

#[test]
fn terms_that_rest_on_a_bad_oracle_have_bounds() {
    let cut = (4, RIGHT, Some(WRONG), FailureClass::Correct, None);
    let (traces, outcomes) = run(&[(96, RIGHT, Some(RIGHT), FailureClass::Correct, None), cut]);
    let plan = Bootstrap::new((0..100).collect(), 50, 1);
    let budget = loss_budget(&traces, &outcomes, BudgetOf::Right, &plan);
    let term = |source: Source| {
        let mut terms = budget.terms.iter();
        terms.find(|term| term.source == source).expect("a term")
    };
    // As measured the reader loses 4 of 100 and distraction wins them back; with the better of both answers neither does.
    assert_eq!(term(Source::Reader).bounds, Some([0.0, 0.04]));
    assert_eq!(term(Source::Distraction).bounds, Some([-0.04, 0.0]));
    assert_eq!(term(Source::Ranking).bounds, None);
}

#[test]
fn without_labels_no_stage_is_blamed() {
    let unlabelled = |right: bool| {
        let (answer, class) = if right {
            (RIGHT, FailureClass::CorrectUnsupported)
        } else {
            (WRONG, FailureClass::Unattributed)
        };
        (answer, class)
    };
    let kinds: Vec<Kind> = [(88, true), (12, false)]
        .map(|(n, right)| {
            let (answer, class) = unlabelled(right);
            (n, answer, None, class, None)
        })
        .to_vec();
    let (traces, outcomes) = run(&kinds);
    let outcomes: Vec<Outcome> =
        outcomes.into_iter().map(|outcome| Outcome { reached: None, ..outcome }).collect();
    let facts = facts(&traces, &outcomes, BudgetOf::Support);
    let found = judge(&facts, &Bootstrap::new((0..100).collect(), 50, 1));
    assert_eq!((found.conclusion, found.bottleneck, found.n), (Conclusion::Withheld, None, 0));
    // Wilson's interval of 88 of 100: [80.2, 93.0] (statsmodels: proportion_confint(88, 100, method="wilson")).
    assert_eq!(
        found.text,
        "No stage can be blamed: no question has evidence, a relevance judgment, or a gold answer that a document contains. \
         Of 100 answers 88 are right (88.0%, 95% CI [80.2, 93.0]). Add evidence to some of the 100 questions to tell the stages apart."
    );
}

#[test]
fn a_verdict_names_its_limits() {
    let few = by_generator(&[
        (8, RIGHT, Some(RIGHT), FailureClass::Correct, None),
        (2, WRONG, Some(WRONG), FailureClass::Generation, None),
        (3, WRONG, None, FailureClass::Failed, None),
    ]);
    assert_eq!(
        few.cautions,
        [
            "It rests on 10 questions in 10 clusters: too few for a firm verdict.",
            "3 of 13 questions failed and are left out."
        ]
    );
    let (traces, outcomes) = run(&[CORRECT]);
    let facts =
        VerdictFacts { rule_disagreement: (6, 50), ..facts(&traces, &outcomes, BudgetOf::Right) };
    let found = judge(&facts, &Bootstrap::new((0..50).collect(), 50, 1));
    assert_eq!(
        found.cautions,
        [
            "The rule of rightness and plain containment of the gold answer disagree on 6 of 50 answers (12.0%): audit a sample."
        ]
    );
}

#[test]
fn five_questions_decide_nothing() {
    let lost = (5, WRONG, Some(RIGHT), FailureClass::Ranking, Some(Stage::Ranking));
    // All five sign flips the same way have p = 2 / 2^5 = .0625.
    let found = by_generator(&[lost]);
    assert_eq!(found.conclusion, Conclusion::Undecided, "{}", found.text);
    let lost = (6, WRONG, Some(RIGHT), FailureClass::Ranking, Some(Stage::Ranking));
    assert_eq!(by_generator(&[lost]).conclusion, Conclusion::Retriever);
}

#[test]
fn an_oracle_of_few_lost_questions_is_not_taken_for_all() {
    // 40 were lost before the prompt, without an oracle; the reader's 10 have one.
    let lost = (40, WRONG, None, FailureClass::Ranking, Some(Stage::Ranking));
    let found = by_generator(&[lost, MISREAD, CORRECT]);
    assert_eq!((found.conclusion, found.counts_answers), (Conclusion::Retriever, false));
    assert!((found.retriever.answers - 40.0).abs() < 1e-9);
}

#[test]
fn evidence_that_never_helps_does_not_blame_the_retriever() {
    let lost = (80, WRONG, None, FailureClass::Ranking, Some(Stage::Ranking));
    let wrong = (20, WRONG, None, FailureClass::Generation, None);
    let found = verdict(&[lost, wrong], BudgetOf::Support, Answered::ByGenerator);
    assert_eq!(found.conclusion, Conclusion::Undecided, "{}", found.text);
    let counted = "Both sides count wrong answers by whether the prompt had the complete evidence. How many of them better retrieval \
                   would recover is not known without answers from the gold passages alone (condition `oracle`).";
    assert_eq!(
        found.cautions,
        [
            "No question whose evidence is in the prompt is answered right, so more evidence may not help.",
            counted
        ]
    );
}

#[test]
fn contexts_in_no_document_give_no_verdict() {
    let (traces, outcomes) = run(&[CORRECT, RANKED_LOW, MISREAD]);
    let facts = VerdictFacts { unlocated: (60, 100), ..facts(&traces, &outcomes, BudgetOf::Right) };
    let found = judge(&facts, &Bootstrap::new((0..100).collect(), 50, 1));
    assert_eq!(found.conclusion, Conclusion::Withheld);
    assert!(
        found.text.starts_with("No verdict: 60 of 100 contexts are in no document"),
        "{}",
        found.text
    );
}

/// Questions of a record that lacks the stages to tell what lost their evidence.
fn undelivered(n: usize) -> Kind {
    let lost = Some(Stage::Packing);
    (n, WRONG, Some(RIGHT), FailureClass::Undelivered, lost)
}

fn of_record(kinds: &[Kind], between: [Stage; 2]) -> LossVerdict {
    let (traces, mut outcomes) = run(kinds);
    for outcome in &mut outcomes {
        if outcome.class == FailureClass::Undelivered {
            outcome.between = Some(between);
        }
    }
    let facts = facts(&traces, &outcomes, BudgetOf::Right);
    judge(&facts, &Bootstrap::new((0..traces.len()).collect(), 500, 1))
}

#[test]
fn evidence_lost_at_an_unknown_stage_counts_for_retrieval_and_names_what_to_record() {
    let between = [Stage::Retrieval, Stage::Packing];
    let found = of_record(&[CORRECT, undelivered(40), MISREAD], between);
    assert_eq!(found.conclusion, Conclusion::Retriever);
    assert_eq!(found.bottleneck, Some(Source::Undelivered));
    assert!((found.retriever.answers - 40.0).abs() < 1e-9);
    assert_eq!(found.retriever.questions, 40);
    assert!(
        found.text.ends_with("The record does not show which stage loses most."),
        "{}",
        found.text
    );
    // The traces of these tests have the one retriever's ranking, and no packed passages.
    let expected = "40 of 100 questions lack their evidence in the prompt, and the record does not show which stage lost it. To resolve this, record each retriever's candidates and the passages of the prompt (`packed`).";
    assert_eq!(found.cautions, [expected]);
}

#[test]
fn a_stage_leads_only_where_the_unknown_losses_cannot_change_that() {
    let ranked = |n| (n, WRONG, Some(RIGHT), FailureClass::Ranking, Some(Stage::Ranking));
    let packed = (10, WRONG, Some(RIGHT), FailureClass::Packing, Some(Stage::Packing));
    let between = [Stage::Ranking, Stage::Packing];
    // 30 against at most 10 + 10; then 15 against at most 10 + 10.
    let clear = of_record(&[CORRECT, ranked(30), packed, undelivered(10)], between);
    assert_eq!(clear.bottleneck, Some(Source::Ranking));
    let open = of_record(&[CORRECT, ranked(15), packed, undelivered(10)], between);
    assert_eq!(open.bottleneck, Some(Source::Undelivered));
}

#[test]
fn questions_that_are_not_counted_narrow_no_interval() {
    // Seven right answers: a loss up to 1 - .025^(1/7) = .40962 of 7 was perhaps not seen (Clopper and Pearson). Questions without an
    // oracle are not counted.
    let few: Kind = (7, RIGHT, Some(RIGHT), FailureClass::Correct, None);
    let lost: Kind = (2, WRONG, Some(RIGHT), FailureClass::Ranking, Some(Stage::Ranking));
    let uncounted: Kind = (60, RIGHT, None, FailureClass::Correct, None);
    for others in [&[][..], &[uncounted][..]] {
        let found = by_generator(&[&[few], others].concat());
        let interval = found.generator.ci95.expect("clusters");
        assert_eq!((found.n, interval.low), (7, 0.0));
        assert!((interval.high - 7.0 * 0.40962).abs() < 1e-4, "{interval:?}");
        // As few clusters as questions: 9, not 69.
        let found = by_generator(&[&[few, lost], others].concat());
        let caution = "It rests on 9 questions in 9 clusters: too few for a firm verdict.";
        assert!(found.cautions.iter().any(|text| text == caution), "{:?}", found.cautions);
    }
}

#[test]
fn nothing_is_lost_where_every_answer_is_right_although_some_oracles_are_wrong() {
    let misread = (4, RIGHT, Some(WRONG), FailureClass::Correct, None);
    let found = by_generator(&[CORRECT, misread]);
    assert_eq!((found.conclusion, found.bottleneck), (Conclusion::NothingLost, None));
}
