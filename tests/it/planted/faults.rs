//! One fault at a time: a clean setting is degraded in one known way, and the diagnosis names it.

use super::reader::Conduct;
use super::setting::{BLOCK_WORDS, Question, Setting, Shape};
use super::trial::Trial;
use crate::run_files::{class, metric};

const SHAPES: [(Shape, usize); 7] = [
    (Shape::Plain, 36),
    (Shape::TwoHop, 20),
    (Shape::Aliases, 16),
    (Shape::Long, 16),
    (Shape::TwoPlaces, 12),
    (Shape::YesNo, 12),
    (Shape::Unanswerable, 8),
];

fn clean() -> Trial {
    Trial::new(Setting::new(5, &SHAPES))
}

/// Every third of the questions for which `wanted` holds.
fn third(trial: &Trial, wanted: impl Fn(&Question) -> bool) -> Vec<String> {
    trial.setting.ids(wanted).into_iter().step_by(3).collect()
}

fn answerable(question: &Question) -> bool {
    question.shape != Shape::Unanswerable
}

fn one_hop(question: &Question) -> bool {
    answerable(question) && question.shape != Shape::TwoHop
}

#[test]
fn nothing_done_everything_is_correct() {
    let summary = clean().run("clean");
    assert_eq!(class(&summary, "correct"), 112);
    assert_eq!(summary["losses"]["budget"]["loss"], 0.0);
}

#[test]
fn deleted_documents_are_the_corpus() {
    let mut trial = clean();
    let touched = third(&trial, answerable);
    trial.setting.delete(&touched);
    trial.expects(&touched, "not_in_corpus");
    trial.run("deleted");
}

#[test]
fn boundaries_through_the_gold_are_chunking() {
    let mut trial = clean();
    trial.sets.push("chunking.size=30");
    let touched = trial.setting.ids(|question| question.shape == Shape::Long);
    trial.expects(&touched, "split");
    trial.run("parted");
}

#[test]
fn gold_below_the_candidates_is_retrieval() {
    let mut trial = clean();
    let touched = third(&trial, answerable);
    trial.setting.distract(&touched, 35, 2 * BLOCK_WORDS);
    trial.expects(&touched, "not_retrieved");
    trial.run("below-candidates");
}

#[test]
fn gold_between_candidates_and_k_is_ranking() {
    let mut trial = clean();
    let touched = third(&trial, answerable);
    trial.setting.distract(&touched, 8, 2 * BLOCK_WORDS);
    trial.expects(&touched, "ranked_low");
    trial.run("below-k");
}

/// The touched questions' gold comes fifth, behind four notes of 60 words.
fn gold_comes_fifth() -> (Trial, Vec<String>) {
    let mut trial = clean();
    let touched = third(&trial, one_hop);
    trial.setting.distract(&touched, 4, 2 * BLOCK_WORDS);
    (trial, touched)
}

#[test]
fn gold_that_comes_fifth_is_read() {
    gold_comes_fifth().0.run("fifth");
}

#[test]
fn gold_beyond_the_budget_is_packing() {
    let (mut trial, touched) = gold_comes_fifth();
    // Two passages of 60 words fit, four do not: a passage has 85 to 115 tokens.
    trial.sets.push("generation.context_tokens=300");
    trial.expects(&touched, "not_packed");
    trial.run("budget");
}

#[test]
fn a_server_that_reads_the_end_of_a_prompt_is_packing() {
    conduct(Conduct::ReadsTheEnd, "not_packed +prompt_truncated");
}

/// A third of the questions treated so is diagnosed as `label`.
fn conduct(conduct: Conduct, label: &str) -> serde_json::Value {
    let mut trial = clean();
    let touched = third(&trial, answerable);
    trial.reader.treats(&touched, conduct);
    trial.expects(&touched, label);
    trial.run(&format!("{conduct:?}").to_lowercase())
}

#[test]
fn a_generator_that_ignores_the_context_is_the_reader() {
    let summary = conduct(Conduct::IgnoresContext, "wrong_answer/misread");
    assert_eq!(
        summary["flags"]["label_suspect"], 0,
        "a mistake repeated in all conditions says nothing about the labels"
    );
}

#[test]
fn a_wrong_label_is_suspect_where_all_conditions_give_what_the_gold_passages_say() {
    let mut trial = clean();
    let touched = third(&trial, |question| question.shape == Shape::Plain);
    trial.reader.treats(&touched, Conduct::KnowsByHeart);
    let questions = trial.setting.questions.iter_mut();
    for question in questions.filter(|question| touched.contains(&question.id)) {
        question.answers = vec![question.wrong.clone()];
    }
    trial.expects(&touched, "wrong_answer/misread");
    let summary = trial.run("mislabelled");
    assert_eq!(summary["flags"]["label_suspect"], touched.len());
}

#[test]
fn a_generator_that_errs_among_other_passages_is_context_use() {
    conduct(Conduct::ErrsAmongOthers, "wrong_answer/ignored_context");
}

#[test]
fn a_generator_that_abstains_refuses_or_says_nothing_is_named_so() {
    conduct(Conduct::Declines, "wrong_answer/declined");
    conduct(Conduct::Refuses, "failed");
    conduct(Conduct::NeverAnswers, "wrong_answer/misread");
}

#[test]
fn an_answer_from_memory_is_right_without_support() {
    let mut trial = clean();
    let touched = third(&trial, answerable);
    trial.setting.delete(&touched);
    trial.reader.treats(&touched, Conduct::KnowsByHeart);
    trial.expects(&touched, "correct_without_evidence");
    trial.run("by-heart");
}

#[test]
fn an_answer_to_the_unanswerable_is_a_hallucination() {
    let mut trial = clean();
    let touched = third(&trial, |question| !answerable(question));
    trial.reader.treats(&touched, Conduct::IgnoresContext);
    trial.expects(&touched, "hallucinated");
    trial.run("hallucinated");
}

#[test]
fn a_call_that_fails_is_failed_and_never_wrong() {
    let mut trial = clean();
    // Fewer than the failures in a row that end a run.
    let touched: Vec<String> = third(&trial, answerable).into_iter().take(8).collect();
    trial.reader.treats(&touched, Conduct::Fails);
    trial.expects(&touched, "failed");
    let summary = trial.run("failed");
    assert_eq!(class(&summary, "failed"), 8);
    // The 8 unanswerable ones count there too, correct when they are not answered.
    assert_eq!(metric(&summary, "AnswerF1"), (1.0, 120 - 8), "no mean counts a failure");
    assert_eq!(summary["losses"]["budget"]["n"], 112 - 8);
    assert_eq!(summary["losses"]["budget"]["loss"], 0.0);
}
