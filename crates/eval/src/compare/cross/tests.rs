//! Three questions through two generators, with the arithmetic written out. Gold is `18 May`; `about 18 May` has F1 .8.

use std::sync::Arc;

use super::*;
use crate::compare::CompareError;
use crate::compare::pairs::Pairs;
use crate::compare::tests::{evaluation, run};
use ragtriage_core::prompt::Template;
use ragtriage_core::text::tokens::{self, Tokenizer};
use ragtriage_core::types::{Arm, ArmName, Attempt, ByteRange, ChunkId, Passage};
use ragtriage_runs::SavedRun;

const RIGHT: &str = "18 May";
const NEAR: &str = "about 18 May";
const WRONG: &str = "1815";

fn reader(name: &'static str) -> Arc<PromptMaker> {
    Arc::new(PromptMaker {
        generator: name.to_owned(),
        fingerprint: None,
        template: Template::parse(Template::built_in("short-answer").expect("built in"))
            .expect("a template"),
        counter: tokens::counter(Tokenizer::Words, None).expect("built in"),
    })
}

/// A run that packed one passage for each question, with this text, and gave these answers.
fn run_over(passage: &str, name: &str, answers: &[&str]) -> SavedRun {
    let mut run = run(name, answers);
    let id = ChunkId::from(format!("{passage}#0").as_str());
    let range = ByteRange::new(0, passage.len());
    let (doc, title, text) = (passage.into(), String::new(), passage.to_owned());
    run.passages
        .insert(id.clone(), Passage { id: id.clone(), doc, title, range, text, tokens: None });
    let reader = reader(name_of(name));
    let passages = shown(&run, [&id], true);
    for trace in &mut run.traces {
        let attempt = &mut trace.arms[0].attempts[0];
        attempt.passages = vec![id.clone()];
        attempt.tokens.prompt = reader.tokens(&reader.prompt(&trace.question, passages.clone()));
    }
    run
}

fn name_of(name: &str) -> &'static str {
    if name == "a" { "one" } else { "two" }
}

fn crossing<'a>(
    runs: [&'a SavedRun; 2],
    readers: [&'static str; 2],
    noise_sample: usize,
) -> Crossing<'a> {
    try_crossing(runs, readers.map(reader), noise_sample).expect("crossable")
}

fn try_crossing(
    runs: [&SavedRun; 2],
    readers: [Arc<PromptMaker>; 2],
    noise_sample: usize,
) -> Result<Crossing<'_>, CompareError> {
    let pairs = Pairs::new(runs[0], runs[1], true, false).expect("the same questions");
    let [a, b] = readers;
    let sides = [
        CrossedRun { run: runs[0], prompts: a, titles: true },
        CrossedRun { run: runs[1], prompts: b, titles: true },
    ];
    Crossing::new(sides, &pairs, noise_sample, 1)
}

fn replies(texts: &[&str]) -> CallReplies {
    let attempts = run("x", texts).traces.into_iter().map(|mut trace| trace.arms[0].attempts.pop());
    CallReplies { attempts: attempts.collect(), failure: None }
}

fn numbers(crossing: &Crossing<'_>, crossed: &Crossed) -> Result<Cross, CompareError> {
    crossing.numbers(crossed, &evaluation(&["AnswerF1"]))
}

fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
}

#[test]
fn effects_are_shapley_values_and_add_up() {
    let (a, b) =
        (run_over("x", "a", &[RIGHT, WRONG, WRONG]), run_over("y", "b", &[RIGHT, RIGHT, WRONG]));
    let crossing = crossing([&a, &b], ["one", "two"], 3);
    assert_eq!(crossing.calls().each_ref().map(Vec::len), [3, 3]);
    assert!(
        crossing.calls()[0].iter().all(|call| call.prompt.passages[0].text == "y"),
        "B's passages to A's generator"
    );
    let crossed = Crossed {
        calls: [replies(&[RIGHT, RIGHT, WRONG]), replies(&[RIGHT, WRONG, RIGHT])],
        again: [replies(&[WRONG, WRONG, WRONG]), replies(&[RIGHT, RIGHT, WRONG])],
    };
    let cross = numbers(&crossing, &crossed).expect("judged");
    // Passages A, generator A: 1 0 0, mean 1/3; B, A: 1 1 0; A, B: 1 0 1; B, B: 1 1 0, each 2/3.
    let third = 1.0 / 3.0;
    for (found, expected) in
        cross.cells.iter().flatten().zip([third, 2.0 * third, 2.0 * third, 2.0 * third])
    {
        assert_close(*found, expected);
    }
    // ((2/3 - 1/3) + (2/3 - 2/3)) / 2 = 1/6, for the generator too; together 1/3; interaction 2/3 - 4/3 + 1/3 = -1/3.
    assert_close(cross.retrieval.mean, 1.0 / 6.0);
    assert_close(cross.generator.mean, 1.0 / 6.0);
    assert_close(cross.difference.mean, third);
    assert_close(cross.interaction.mean, -third);
    // By question retrieval changes 0, 1, (0 - 1) / 2 = -.5 and the generator 0, 0, (1 + 0) / 2 = .5.
    assert_eq!(
        (cross.retrieval.n_changed, cross.generator.n_changed, cross.n, cross.failed),
        (2, 1, 3, 0)
    );
    // A's generator asked again: 1 became 0, the others stayed. Variances .5, 0, 0: mean 1/6. B's: none.
    let [Some(noise), Some(none)] = cross.noise[..] else { panic!("both were asked again") };
    assert_eq!((noise.n, noise.flipped, noise.source), (3, 1, NoiseSource::AskedAgain));
    assert_close(noise.mean_change, third);
    assert_close(noise.variance, 0.5 * third);
    assert_close(none.variance, 0.0);
    // The difference has one reply of A's generator a question: 3 x 1/6 = 1/2, root over 3. Retrieval has two halves of it.
    assert_close(cross.difference.noise_error.expect("known"), 0.5_f64.sqrt() / 3.0);
    assert_close(cross.retrieval.noise_error.expect("known"), 0.25_f64.sqrt() / 3.0);
}

#[test]
fn what_stands_in_the_records_is_not_asked() {
    let (a, b) = (run_over("x", "a", &[RIGHT, WRONG]), run_over("x", "b", &[WRONG, WRONG]));
    // Equal passages: each generator has already answered them, and the whole difference is the generator's.
    let same_passages = crossing([&a, &b], ["one", "two"], 0);
    assert_eq!(same_passages.calls().each_ref().map(Vec::len), [0, 0]);
    let cross = numbers(&same_passages, &Crossed::default()).expect("judged");
    assert_eq!((cross.recorded, cross.same_passages, cross.retrieval.n_changed), (4, 2, 0));
    assert_close(cross.generator.mean, -0.5);
    assert_eq!(cross.noise, [None, None]);
    // Equal generators: the answer to the other passages is recorded.
    let b = run_over("y", "b", &[WRONG, WRONG]);
    let same_generator = crossing([&a, &b], ["one", "one"], 0);
    assert_eq!(same_generator.calls().each_ref().map(Vec::len), [0, 0]);
    let cross = numbers(&same_generator, &Crossed::default()).expect("judged");
    assert_eq!((cross.same_generator, cross.generator.n_changed), (true, 0));
    assert_close(cross.retrieval.mean, -0.5);
}

#[test]
fn another_arm_of_the_same_prompt_is_an_answer_too() {
    let (mut a, b) = (run_over("x", "a", &[WRONG]), run_over("y", "b", &[RIGHT]));
    let (id, passage) = b.passages.iter().next().expect("one");
    a.passages.insert(id.clone(), passage.clone());
    let attempt = Attempt { passages: vec![id.clone()], ..b.traces[0].arms[0].attempts[0].clone() };
    a.traces[0].arms.push(Arm { arm: ArmName::Oracle, attempts: vec![attempt] });
    assert_eq!(crossing([&a, &b], ["one", "two"], 0).calls().each_ref().map(Vec::len), [0, 1]);
}

#[test]
fn recorded_repeats_are_the_noise() {
    let (mut a, b) = (run_over("x", "a", &[RIGHT, WRONG]), run_over("y", "b", &[RIGHT, RIGHT]));
    for (trace, again) in a.traces.iter_mut().zip([NEAR, RIGHT]) {
        let again = replies(&[again]).attempts.remove(0).expect("one");
        trace.arms[0].attempts.push(again);
    }
    let crossing = crossing([&a, &b], ["one", "one"], 100);
    assert!(crossing.again().iter().all(Vec::is_empty));
    let cross = numbers(&crossing, &Crossed::default()).expect("judged");
    let [Some(noise)] = cross.noise[..] else { panic!("one generator, asked twice") };
    // F1 1 and .8 are both right at .6; 0 and 1 flip. Changes 0 and 1; variances 0 and .5.
    assert_eq!((noise.source, noise.n, noise.flipped), (NoiseSource::Recorded, 2, 1));
    assert_close(noise.mean_change, 0.5);
    assert_close(noise.variance, 0.25);
}

#[test]
fn failed_calls_are_left_out_until_they_are_many() {
    let answers = vec![RIGHT; 30];
    let (a, b) = (run_over("x", "a", &answers), run_over("y", "b", &answers));
    let crossing = crossing([&a, &b], ["one", "two"], 0);
    let mut crossed =
        Crossed { calls: [replies(&answers), replies(&answers)], ..Crossed::default() };
    crossed.calls[0].attempts[3] = None;
    let cross = numbers(&crossing, &crossed).expect("1 of 60");
    assert_eq!((cross.n, cross.failed), (29, 1));
    // 3 of 60 are 5 %, 4 are more.
    crossed.calls[1].attempts[4] = None;
    crossed.calls[1].attempts[5] = None;
    assert_eq!(numbers(&crossing, &crossed).expect("3 of 60").n, 27);
    crossed.calls[1].attempts[6] = None;
    crossed.calls[1].failure = Some("no answer".to_owned());
    let last = "no answer".to_owned();
    assert_eq!(
        numbers(&crossing, &crossed),
        Err(CompareError::CallsFailed { n_failed: 4, n_calls: 60, last })
    );
}

#[test]
fn a_template_that_changed_since_is_refused() {
    let (a, b) = (run_over("x", "a", &[RIGHT]), run_over("y", "b", &[RIGHT]));
    let template = Template::parse("[user]\n{passages}\n\n{question}").expect("a template");
    let changed = Arc::new(PromptMaker {
        generator: "one".to_owned(),
        fingerprint: None,
        template,
        counter: tokens::counter(Tokenizer::Words, None).expect("built in"),
    });
    let refused = try_crossing([&a, &b], [changed, reader("two")], 0).err();
    assert!(
        matches!(refused, Some(CompareError::OtherPrompts { run, .. }) if run == "a"),
        "A's prompts are not as they were"
    );
}

#[test]
fn the_verdict_tells_a_change_from_noise_and_luck() {
    let effect = |mean: f64, p: f64, noise_error: f64| Effect {
        mean,
        ci95: None,
        p: Some(p),
        noise_error: Some(noise_error),
        n_changed: 9,
    };
    let cross = |retrieval: Effect, generator: Effect| {
        let (a, b) = (run_over("x", "a", &[RIGHT]), run_over("x", "b", &[RIGHT]));
        let any =
            numbers(&crossing([&a, &b], ["one", "two"], 0), &Crossed::default()).expect("judged");
        let difference = effect(retrieval.mean + generator.mean, 0.5, 0.01);
        verdict::sentence(&Cross { difference, retrieval, generator, ..any })
    };
    // 1.96 x .005 = .010.
    assert_eq!(
        cross(effect(0.031, 0.004, 0.005), effect(0.002, 0.6, 0.005)),
        "Retrieval got better by +0.031, p = 0.004; the generator's change of +0.002, p = 0.600 is within its own repeat noise \
         (+-0.010)."
    );
    assert_eq!(
        cross(effect(0.004, 0.3, 0.001), effect(-0.08, 0.0002, 0.001)),
        "Retrieval's change of +0.004, p = 0.300 is not significant; the generator got worse by -0.080, p < 0.001."
    );
    assert_eq!(
        cross(effect(0.004, 0.3, 0.005), effect(0.003, 0.4, 0.005)),
        "Retrieval's change of +0.004, p = 0.300 is within repeat noise (+-0.010); the generator's change of +0.003, p = 0.400 is \
         within its own repeat noise (+-0.010). Repeat noise alone explains the difference of +0.007: repeated \
         calls give up to +-0.020 in 95% of cases."
    );
}
