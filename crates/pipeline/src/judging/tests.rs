//! A scripted judge over a folder: what is asked, written and asked again.

use std::os::unix::fs::PermissionsExt;
use std::sync::Mutex;

use async_trait::async_trait;

use super::*;
use crate::progress::NoProgress;
use ragtriage_core::rightness::JudgeVerdict;
use ragtriage_core::types::{
    Arm, ArmName, Attempt, Finish, Gold, Origin, QuestionKind, Stance, Support, SupportRule,
    TokenUse,
};
use ragtriage_runs::judged::JudgeCall;

/// Says "same" and records its calls; fails for answers that contain `fail`, for good at `spent`.
#[derive(Default)]
struct ScriptedJudge {
    asked: Mutex<Vec<(String, JudgeOrder)>>,
}

#[async_trait]
impl AnswerJudge for ScriptedJudge {
    fn identity(&self) -> &'static str {
        "scripted 0"
    }

    async fn compare(
        &self,
        _: &Question,
        answer: &str,
        order: JudgeOrder,
    ) -> Result<JudgeCall, JudgeFailure> {
        let mut asked = self.asked.lock().expect("no holder panics");
        asked.push((answer.to_owned(), order));
        if answer.contains("fail") || answer == "spent" {
            return Err(JudgeFailure {
                is_final: answer == "spent",
                message: format!("no reply about {answer}"),
            });
        }
        Ok(JudgeCall {
            verdict: JudgeVerdict::Same,
            raw: "SAME".to_owned(),
            origin: Origin::Called,
            tokens: TokenUse::default(),
            cost_usd: 0.0,
            seconds: 0.0,
        })
    }
}

fn trace(index: usize, answer: &str) -> Trace {
    let unknown = Support { holds: false, rule: SupportRule::Nothing };
    let gold = Gold { documents: unknown, chunks: unknown, groups: Vec::new() };
    let question = Question {
        answers: vec!["gold".to_owned()],
        ..Question::new(format!("q{index}").as_str().into(), "What?".to_owned())
    };
    let attempt = Attempt {
        passages: Vec::new(),
        raw: answer.to_owned(),
        extracted: answer.to_owned(),
        stance: Stance::Answered,
        finish: Finish::Stop,
        origin: Origin::Called,
        tokens: TokenUse::default(),
        cost_usd: 0.0,
        seconds: 0.0,
        error: None,
    };
    let mut trace = Trace::new(index, question, gold);
    trace.arms.push(Arm { arm: ArmName::Retrieved, attempts: vec![attempt] });
    trace
}

fn traces(answers: &[&str]) -> Vec<Trace> {
    let numbered = answers.iter().enumerate();
    numbered.map(|(at, answer)| trace(at, answer)).collect()
}

/// Asks, one question at a time; returns the outcome and the calls.
async fn judged(
    folder: &RunFolder,
    traces: &[Trace],
    orders: &[JudgeOrder],
) -> (JudgingOutcome, Vec<(String, JudgeOrder)>) {
    let judge = Arc::new(ScriptedJudge::default());
    let plan = JudgePlan {
        judge: Arc::clone(&judge) as _,
        orders: orders.to_vec(),
        repeats: 1,
        concurrency: 1,
    };
    let outcome = judge_answers(folder, traces, &plan, &NoProgress).await;
    let asked = judge.asked.lock().expect("no holder panics").clone();
    (outcome.expect("written"), asked)
}

const BOTH: [JudgeOrder; 2] = JudgeOrder::ALL;

#[tokio::test]
async fn only_what_is_missing_is_asked_again() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::existing(parent.path());
    let mut run = traces(&["a", "b", "fails", "(none)", "c"]);
    run[3].arms[0].attempts[0].stance = Stance::Abstained;
    run[4].question.kind = QuestionKind::Unanswerable;
    let (outcome, asked) = judged(&folder, &run, &[JudgeOrder::GoldFirst]).await;
    let first = |answer: &str| (answer.to_owned(), JudgeOrder::GoldFirst);
    let second = |answer: &str| (answer.to_owned(), JudgeOrder::AnswerFirst);
    assert_eq!(asked, [first("a"), first("b"), first("fails")]);
    assert_eq!((outcome.n_failed, outcome.n_left), (1, 0));
    assert_eq!(outcome.last.as_deref(), Some("no reply about fails"));
    let path = folder.file(judged::FILE);
    let mode = std::fs::metadata(&path).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The last line was torn by a kill; the answer of `q0` has changed.
    let text = std::fs::read_to_string(&path).expect("read");
    std::fs::write(&path, &text[..text.len() - 2]).expect("written");
    run[0] = trace(0, "a2");
    run[2] = trace(2, "d");
    let (outcome, asked) = judged(&folder, &run, &BOTH).await;
    let expected = [first("a2"), second("a2"), first("b"), second("b"), first("d"), second("d")];
    assert_eq!(asked, expected);
    assert_eq!(outcome, JudgingOutcome::default());
    let (_, asked) = judged(&folder, &run, &BOTH).await;
    assert_eq!(asked, []);
    // `a` once; `a2`, `b` and `d` twice.
    assert_eq!(judged::read(&folder).expect("whole").len(), 7);
}

#[tokio::test]
async fn a_reached_limit_and_twenty_failures_in_a_row_end_the_asking() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::existing(parent.path());
    let (outcome, _) = judged(&folder, &traces(&["a", "spent", "b", "c"]), &BOTH).await;
    assert_eq!((outcome.n_failed, outcome.n_left), (1, 2));
    let (outcome, asked) = judged(&folder, &traces(&["fail"; 25]), &BOTH).await;
    assert_eq!((outcome.n_failed, outcome.n_left, asked.len()), (20, 5, 20));
}
