//! Outcomes of a run's questions, and their aggregates: waterfall, 2 x 2 table, loss terms.

use std::collections::BTreeMap;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use super::answer_scores;
use ragtriage_core::attribute::classify::{self, Outcome};
use ragtriage_core::attribute::judge::Judgments;
use ragtriage_core::attribute::known::TopK;
use ragtriage_core::rightness::{Correctness, Judge};
use ragtriage_core::types::{ArmName, FailureClass, Flag, QuestionKind, Stage, Trace};
use ragtriage_runs::SavedRun;

/// Returns what is known of the hits that packing takes, `k` by the settings, and of the endpoint's tokens.
#[must_use]
pub fn top_k(run: &SavedRun, k: usize) -> TopK {
    if run.manifest.is_foreign() {
        return TopK::recorded(&run.traces, &run.passages);
    }
    let top = TopK::from(k);
    let is_ours = counts_cl100k(&run.manifest.settings.generation.model);
    if is_ours { top } else { top.with_billing_of(&run.traces) }
}

/// Returns true for `OpenAI`'s models whose tokenizer is `cl100k_base`, by which prompts are counted.
fn counts_cl100k(model: &str) -> bool {
    let is = |family: &str| model.starts_with(family);
    is("gpt-3.5") || (is("gpt-4") && !is("gpt-4o") && !is("gpt-4."))
}

/// Classifies every question of `run`: the only function that decides failure classes.
#[must_use]
pub fn outcomes(run: &SavedRun, k: usize, judge: Judge) -> Vec<Outcome> {
    let top = top_k(run, k);
    let judgments = |trace| Judgments::new(trace, judge, &run.decided.answers);
    run.traces
        .par_iter()
        .map(|trace| classify::classify(trace, top, judgments(trace), &run.passages))
        .collect()
}

/// Returns the outcomes if an answer string in a packed non-gold passage (`answer_elsewhere`) counted as support.
#[must_use]
pub fn with_elsewhere(traces: &[Trace], outcomes: &[Outcome]) -> Vec<Outcome> {
    traces
        .iter()
        .zip(outcomes)
        .map(|(trace, outcome): (&Trace, &Outcome)| {
            if outcome.lost.is_none()
                || !outcome.flags.contains(&Flag::AnswerElsewhere)
                || outcome.class.has_no_result()
            {
                return outcome.clone();
            }
            let supported = Outcome {
                lost: None,
                between: None,
                reached: Some([true; 5]),
                lenient: Some([true; 5]),
                ..outcome.clone()
            };
            Outcome { class: supported.class_with(trace, &outcome.judgments), ..supported }
        })
        .collect()
}

/// One stage of the waterfall.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WaterfallStep {
    /// The stage, in files under the name of its result.
    #[serde(serialize_with = "result_name")]
    #[schemars(with = "String")]
    pub stage: Stage,
    /// Questions still supported there; for `answer`: supported and right.
    pub supported: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn result_name<S: Serializer>(stage: &Stage, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(stage.result())
}

/// Computes the waterfall, by the strict reading of wide labels, over the answerable questions with gold labels that did not fail, and returns their
/// number. The last step exists only if the run has answers. A stage of which the record of an external RAG does not show
/// whether it holds the support of some question has no step.
///
/// A step counts questions whose support is complete; it is not an upper bound on accuracy, since the model may
/// answer others from memory.
#[must_use]
pub fn waterfall(outcomes: &[Outcome], answered: bool) -> (Vec<WaterfallStep>, usize) {
    let all: Vec<(&Outcome, [bool; 5])> = counted(outcomes).collect();
    let steps = Stage::ALL
        .iter()
        .enumerate()
        .filter(|(_, stage)| **stage != Stage::Generation || answered)
        .filter(|(_, stage)| !all.iter().any(|(outcome, _)| is_unknown(outcome, **stage)));
    let steps = steps.map(|(at, &stage)| WaterfallStep {
        stage,
        supported: all
            .iter()
            .filter(|(outcome, reached)| match stage {
                // Some are right by the lenient reading of a wide label; the waterfall is strict.
                Stage::Generation => outcome.class == FailureClass::Correct && reached[4],
                _ => reached[at],
            })
            .count(),
    });
    (steps.collect(), all.len())
}

/// Returns true if it is not known whether the result of `stage` holds the support.
fn is_unknown(outcome: &Outcome, stage: Stage) -> bool {
    outcome.between.is_some_and(|[first, last]| first <= stage && stage < last)
}

/// Returns the outcomes counted in the waterfall, with the last stage their support reached.
fn counted(outcomes: &[Outcome]) -> impl Iterator<Item = (&Outcome, [bool; 5])> {
    let answerable = outcomes
        .iter()
        .filter(|outcome| !outcome.class.has_no_result() && !outcome.class.is_of_unanswerable());
    answerable.filter_map(|outcome| outcome.reached.map(|reached| (outcome, reached)))
}

/// Returns, for each of [`Stage::ALL`], the questions of the waterfall first lost there: by failure class, regardless of the
/// answer; at `answer` those that reached it without a right answer, by fault.
#[must_use]
pub fn lost_by_stage(outcomes: &[Outcome]) -> Vec<BTreeMap<&'static str, usize>> {
    let mut lost = vec![BTreeMap::new(); Stage::ALL.len()];
    for (outcome, _) in counted(outcomes) {
        let (stage, name) = match (outcome.lost_at(), outcome.fault) {
            (Some(stage), _) => (stage, outcome.lost_name().unwrap_or(stage.name())),
            (None, _) if outcome.class == FailureClass::Correct => continue,
            (None, Some(fault)) => (Stage::Generation, fault.name()),
            (None, None) => (Stage::Generation, outcome.class.name()),
        };
        *lost[stage as usize].entry(name).or_default() += 1;
    }
    lost
}

/// One cell of the 2 x 2 table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Questions in it.
    pub n: usize,
    /// Their mean `AnswerF1`; 0 without questions.
    pub mean_f1: f64,
}

/// `EM@k` hit or miss by answer right or wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TwoByTwo {
    /// The k of `EM@k`; for an external RAG the number of passages of its longest prompt, with `EM@prompt` as the
    /// measure.
    pub k: usize,
    /// Questions in all six cells: those that have `EM@k` and an answer.
    pub n: usize,
    /// Found and right.
    pub hit_right: Cell,
    /// Found and wrong: the reader's loss.
    pub hit_wrong: Cell,
    /// Found, and the rule is unsure.
    pub hit_unsure: Cell,
    /// Not found and right: memory or chance.
    pub miss_right: Cell,
    /// Not found and wrong.
    pub miss_wrong: Cell,
    /// Not found, and the rule is unsure.
    pub miss_unsure: Cell,
}

/// Computes the 2 x 2 table from parallel lists: `EM@k`, correctness, `AnswerF1`. Questions lacking one
/// are omitted.
#[must_use]
pub fn two_by_two(
    k: usize,
    em: &[Option<f64>],
    answers: &[Option<Correctness>],
    f1: &[Option<f64>],
) -> TwoByTwo {
    let mut table = TwoByTwo { k, ..TwoByTwo::default() };
    for ((em, answer), f1) in em.iter().zip(answers).zip(f1) {
        let (Some(em), Some(answer), Some(f1)) = (em, answer, f1) else {
            continue;
        };
        let cell = match (*em > 0.0, *answer) {
            (true, Correctness::Right) => &mut table.hit_right,
            (true, Correctness::Wrong) => &mut table.hit_wrong,
            (true, Correctness::Unsure) => &mut table.hit_unsure,
            (false, Correctness::Right) => &mut table.miss_right,
            (false, Correctness::Wrong) => &mut table.miss_wrong,
            (false, Correctness::Unsure) => &mut table.miss_unsure,
        };
        cell.n += 1;
        cell.mean_f1 += f1;
        table.n += 1;
    }
    for cell in [
        &mut table.hit_right,
        &mut table.hit_wrong,
        &mut table.hit_unsure,
        &mut table.miss_right,
        &mut table.miss_wrong,
        &mut table.miss_unsure,
    ] {
        cell.mean_f1 = if cell.n == 0 { 0.0 } else { cell.mean_f1 / cell.n as f64 };
    }
    table
}

/// Returns the `AnswerF1` of an arm's answer; for questions with key facts 1 when right, else 0. `None` if the arm has no
/// answer, there are no gold answers, or the question is unanswerable.
#[must_use]
pub fn f1(trace: &Trace, outcome: &Outcome, arm: ArmName, judge: Judge) -> Option<f64> {
    let question = &trace.question;
    if question.kind == QuestionKind::Unanswerable {
        return None;
    }
    if question.required.is_empty() && question.forbidden.is_empty() {
        return answer_scores::answer_scores(trace, arm, judge).map(|scores| scores.f1);
    }
    outcome.judgments.correctness(arm).map(Correctness::score)
}

/// Returns the answer score of an arm in units of right answers: 1 when right, 0.5 when the rule is unsure, else 0. `None`
/// if the arm has no answer, there are no gold answers, or the question is unanswerable.
#[must_use]
pub fn right(trace: &Trace, outcome: &Outcome, arm: ArmName) -> Option<f64> {
    if trace.question.kind == QuestionKind::Unanswerable {
        return None;
    }
    outcome.judgments.correctness(arm).map(Correctness::score)
}
