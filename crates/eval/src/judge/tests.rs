//! Runs with a judge and an audit. Each question's gold answer is `18 May`.

use super::*;
use crate::compare::tests::{evaluation, run};
use crate::summary::{EvaluationPlan, evaluate};
use ragtriage_core::types::{ConditionAnswers, FailureClass, Origin, TokenUse};
use ragtriage_data::run::judged::JudgeCall;

fn plan() -> EvaluationPlan {
    evaluation(&["AnswerCorrect"])
}

/// The rule does not read answers of this length.
fn unsure() -> String {
    "word ".repeat(5_000)
}

/// Adds the reply of a judge on the answer of question `at`.
fn add(run: &mut SavedRun, at: usize, verdict: JudgeVerdict, is_sample: bool) {
    let trace = &run.traces[at];
    let question = trace.question.id.clone();
    let answer = trace.conditions[0].attempts[0].extracted.clone();
    if let Some(is_same) = verdict.is_same() {
        run.decided.answers.judge.insert((question.clone(), answer.clone()), is_same);
    }
    let call = JudgeCall {
        verdict,
        raw: verdict.name().to_owned(),
        origin: Origin::Called,
        tokens: TokenUse::default(),
        cost_usd: 0.001,
        seconds: 0.1,
    };
    let judge = "m 0123".to_owned();
    run.decided.replies.push(JudgeReply { question, answer, judge, is_sample, call });
}

#[test]
fn a_judge_settles_unsure_answers_of_every_condition_and_its_error_is_known() {
    let unsure = unsure();
    let mut run = run("r", &["18 May", "18 May", "19 May", &unsure, &unsure, &unsure]);
    // The oracle's answer to question 2 is text that the judge knows of question 3 only.
    let oracle =
        ConditionAnswers { condition: Condition::Oracle, ..run.traces[3].conditions[0].clone() };
    run.traces[2].conditions.push(oracle.clone());
    run.traces[3].conditions.push(oracle);
    let plan = plan();
    let alone = evaluate(&run, &plan);
    assert_eq!((alone.summary.decided, &alone.summary.judge), (None, &None));
    for (at, verdict, is_sample) in [
        (0, JudgeVerdict::Same, true),
        (1, JudgeVerdict::Different, true),
        (2, JudgeVerdict::Same, true),
        (3, JudgeVerdict::Same, false),
        (4, JudgeVerdict::Different, false),
        (5, JudgeVerdict::Unreadable, false),
    ] {
        add(&mut run, at, verdict, is_sample);
    }
    let found = evaluate(&run, &plan);
    let correct =
        |at: usize, condition| found.outcomes[at].judgments.correctness(condition).expect("judged");
    assert_eq!(
        [0, 1, 2, 3, 4, 5].map(|at| correct(at, Condition::Retrieved).name()),
        ["correct", "correct", "wrong", "correct", "wrong", "unsure"]
    );
    assert_eq!(correct(3, Condition::Oracle), Correctness::Correct);
    assert_eq!(correct(2, Condition::Oracle), Correctness::Unsure);
    assert_eq!(found.outcomes[5].class, FailureClass::Unsure);
    assert_eq!(found.summary.metrics["AnswerCorrect"].mean, 3.5 / 6.0);
    let decided = DecidedAnswers { rule: 3, judge: 2, person: 0, unsure: 1, open: 1 };
    assert_eq!(found.summary.decided, Some(decided));
    let judge = found.summary.judge.expect("a judge");
    assert_eq!((judge.n_replies, judge.n_unreadable), (6, 1));
    assert_eq!((judge.correct_called_different.n, judge.correct_called_different.count), (2, 1));
    assert_eq!((judge.wrong_called_same.n, judge.wrong_called_same.count), (1, 1));
    assert!((judge.cost_usd - 0.006).abs() < 1e-12);
    // Scores without classes, as of gates and trials.
    let scored = crate::score::score(&run, &plan.metrics, plan.judge);
    assert_eq!(scored.rows, found.scores.rows);
}

#[test]
fn a_person_overrides_rule_and_judge() {
    let unsure = unsure();
    let mut run = run("r", &["18 May", &unsure]);
    add(&mut run, 1, JudgeVerdict::Same, false);
    for trace in &run.traces {
        let key = (trace.question.id.clone(), trace.conditions[0].attempts[0].extracted.clone());
        run.decided.answers.person.insert(key, false);
    }
    let found = evaluate(&run, &plan());
    assert_eq!(found.summary.metrics["AnswerCorrect"].mean, 0.0);
    assert_eq!(found.summary.decided, Some(DecidedAnswers { person: 2, ..Default::default() }));
    let judge = found.summary.judge.expect("a judge");
    assert_eq!((judge.open_unlike_person.n, judge.open_unlike_person.count), (1, 1));
    assert_eq!(judge.correct_called_different.n, 0, "the other answer was not sampled");
    // An audit compares the person with the rule alone.
    let rule = crate::audit::decisions(&run, &found.outcomes);
    assert_eq!(rule, [Some(Correctness::Correct), Some(Correctness::Unsure)]);
}
