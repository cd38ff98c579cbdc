//! A scripted judge over a folder: what is asked, written and asked again.

use std::os::unix::fs::PermissionsExt;
use std::sync::Mutex;

use async_trait::async_trait;

use super::*;
use crate::progress::NoProgress;
use ragtriage_clients::llm::{Completion, Generator};
use ragtriage_core::config::Price;
use ragtriage_core::language::Language;
use ragtriage_core::metric::answer::Scorer;
use ragtriage_core::prompt::Prompt;
use ragtriage_core::text::tokens::{self, Tokenizer};
use ragtriage_core::types::{
    Attempt, Condition, ConditionAnswers, Finish, Gold, Origin, QuestionKind, Stance, Support,
    SupportRule,
};

/// Says "same" and records the first words of the answers; fails for those with `fail`, for good at `spent`.
#[derive(Default)]
struct ScriptedJudge {
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl Generator for ScriptedJudge {
    fn name(&self) -> &'static str {
        "scripted"
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Completion, ModelError> {
        let (_, given) = prompt.user.split_once("Given answer: \"").expect("an answer");
        let answer = given.split([' ', '"']).next().unwrap_or_default();
        self.asked.lock().expect("no holder panics").push(answer.to_owned());
        if answer.contains("fail") || answer == "spent" {
            let mut error = ModelError::contract("scripted", &format!("nothing about {answer}"));
            error.is_spent = answer == "spent";
            return Err(error);
        }
        Ok(Completion {
            text: "SAME".to_owned(),
            finish: Finish::Stop,
            origin: Origin::Called,
            prompt_tokens: None,
            completion_tokens: None,
            seconds: 0.0,
        })
    }
}

fn trace(index: usize, answer: &str) -> Trace {
    let unknown = Support { holds: false, rule: SupportRule::Nothing };
    let gold = Gold { documents: unknown, chunks: unknown, groups: Vec::new() };
    let question = Question {
        answers: vec!["1992".to_owned()],
        ..Question::new(format!("q{index}").as_str().into(), "What?".to_owned())
    };
    let attempt = Attempt::new(answer);
    let mut trace = Trace::new(index, question, gold);
    trace
        .conditions
        .push(ConditionAnswers { condition: Condition::Retrieved, attempts: vec![attempt] });
    trace
}

fn traces(answers: &[&str]) -> Vec<Trace> {
    let numbered = answers.iter().enumerate();
    numbered.map(|(at, answer)| trace(at, answer)).collect()
}

/// An answer that the rule leaves open: it does not read answers of this length.
fn unsure(start: &str) -> String {
    format!("{start} {}", "word ".repeat(5_000))
}

/// Asks, one question at a time; returns the outcome and the first words of the answers asked about.
async fn judged(folder: &RunFolder, traces: &[Trace]) -> (JudgingOutcome, Vec<String>) {
    let scripted = Arc::new(ScriptedJudge::default());
    let counter = tokens::counter(Tokenizer::Words, None).expect("built in");
    let judge = AnswerJudge::new(Arc::clone(&scripted) as _, counter, Price::default());
    let plan = JudgePlan { judge: Arc::new(judge), concurrency: 1 };
    let rule = Judge { scorer: Scorer::Squad2, language: Language::english() };
    let outcome = judge_answers(folder, traces, rule, &plan, &NoProgress).await;
    let asked = scripted.asked.lock().expect("no holder panics").clone();
    (outcome.expect("written"), asked)
}

#[tokio::test]
async fn unsure_answers_of_every_condition_are_asked_and_only_what_is_missing_again() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::existing(parent.path());
    let [a, b, fails] = ["a", "b", "fails"].map(unsure);
    let mut run = traces(&[&a, "1992", &fails, "(none)", &a, &a]);
    // The same text is asked once, another one and that of a repeat are asked too.
    let of_oracle = [&a, &b].map(|answer| trace(0, answer).conditions[0].attempts[0].clone());
    run[0]
        .conditions
        .push(ConditionAnswers { condition: Condition::Oracle, attempts: of_oracle.to_vec() });
    run[3].conditions[0].attempts[0].stance = Stance::Declined;
    run[4].question.kind = QuestionKind::Unanswerable;
    run[5].question.required = vec![vec!["fact".to_owned()]];
    let (outcome, asked) = judged(&folder, &run).await;
    assert_eq!(asked, ["a", "b", "fails", "1992"]);
    assert_eq!((outcome.n_failed, outcome.n_left), (1, 0));
    assert_eq!(outcome.last.as_deref(), Some("`scripted` returned nothing about fails"));
    let path = folder.file(judged::FILE);
    let mode = std::fs::metadata(&path).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let replies = judged::read(&folder).expect("whole");
    assert_eq!(
        replies.iter().map(|reply| reply.is_sample).collect::<Vec<_>>(),
        [false, false, true]
    );
    // The last line was torn by a kill; the answer of `q2` has changed.
    let text = std::fs::read_to_string(&path).expect("read");
    std::fs::write(&path, &text[..text.len() - 2]).expect("written");
    run[2] = trace(2, &unsure("c"));
    let (outcome, asked) = judged(&folder, &run).await;
    assert_eq!((outcome, asked), (JudgingOutcome::default(), vec!["c".into(), "1992".into()]));
    let (_, asked) = judged(&folder, &run).await;
    assert_eq!(asked, [""; 0]);
}

#[tokio::test]
async fn the_sample_is_of_50_decided_answers_and_the_same_each_time() {
    for (n_correct, n_wrong, expected) in
        [(100, 100, (25, 25)), (100, 10, (40, 10)), (3, 100, (3, 47)), (4, 5, (4, 5))]
    {
        let answers = [vec!["1992"; n_correct], vec!["1993"; n_wrong]].concat();
        let mut replies = Vec::new();
        for _ in 0..2 {
            let parent = tempfile::tempdir().expect("a folder");
            let folder = RunFolder::existing(parent.path());
            let (_, asked) = judged(&folder, &traces(&answers)).await;
            let n_of = |answer| asked.iter().filter(|asked| *asked == answer).count();
            assert_eq!((n_of("1992"), n_of("1993")), expected);
            let asked = judged::read(&folder).expect("whole").into_iter();
            replies.push(asked.map(|reply| (reply.question, reply.answer)).collect::<Vec<_>>());
        }
        assert_eq!(replies[0], replies[1]);
    }
}

#[tokio::test]
async fn a_reached_limit_and_twenty_failures_in_a_row_end_the_asking() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::existing(parent.path());
    let answers = ["a", "spent", "b", "c"].map(unsure);
    let (outcome, _) = judged(&folder, &traces(&answers.each_ref().map(|it| &**it))).await;
    assert_eq!((outcome.n_failed, outcome.n_left), (1, 2));
    let (outcome, asked) = judged(&folder, &traces(&[&*unsure("fail"); 25])).await;
    assert_eq!((outcome.n_failed, outcome.n_left, asked.len()), (20, 5, 20));
}
