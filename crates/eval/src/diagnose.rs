//! Outcomes of a run's questions, their answer scores, and the 2 x 2 table.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ragtriage_core::attribute::classify::{self, Outcome};
use ragtriage_core::attribute::judge::Judgments;
use ragtriage_core::attribute::known::TopK;
use ragtriage_core::correctness::{Correctness, Judge};
use ragtriage_core::metric::answer;
use ragtriage_core::types::{Condition, QuestionKind, Trace};
use ragtriage_data::run::SavedRun;

/// Returns what is known of the hits that packing takes, `k` by the settings, and of the endpoint's tokens.
#[must_use]
pub fn top_k(run: &SavedRun, k: usize) -> TopK {
    let manifest = &run.manifest;
    let top = if manifest.is_external() {
        TopK::recorded(&run.traces, &run.passages)
    } else {
        TopK::from(k)
    };
    let mut models = manifest.models.iter().filter(|model| model.role == "generator").peekable();
    let is_ours = models.peek().is_some() && models.all(|model| counts_cl100k(&model.name));
    if is_ours { top.with_our_tokenizer() } else { top.with_billing_of(&run.traces) }
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

/// One cell of the 2 x 2 table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Questions in it.
    pub n: usize,
    /// Their mean `AnswerF1`; 0 without questions.
    pub mean_f1: f64,
}

/// `EM@k` hit or miss by answer correct or wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TwoByTwo {
    /// The k of `EM@k`; for an external RAG the number of passages of its longest prompt, with `EM@prompt` as the
    /// metric.
    pub k: usize,
    /// Questions in all six cells: those that have `EM@k` and an answer.
    pub n: usize,
    /// Found and correct.
    pub hit_correct: Cell,
    /// Found and wrong: the reader's loss.
    pub hit_wrong: Cell,
    /// Found, and the rule is unsure.
    pub hit_unsure: Cell,
    /// Not found and correct: memory or chance.
    pub miss_correct: Cell,
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
    let mut cells = [[Cell::default(); 3]; 2];
    for ((em, answer), f1) in em.iter().zip(answers).zip(f1) {
        if let (Some(em), Some(answer), Some(f1)) = (em, answer, f1) {
            let cell = &mut cells[usize::from(*em > 0.0)][*answer as usize];
            cell.n += 1;
            cell.mean_f1 += f1;
        }
    }
    for cell in cells.iter_mut().flatten().filter(|cell| cell.n > 0) {
        cell.mean_f1 /= cell.n as f64;
    }
    let n = cells.iter().flatten().map(|cell| cell.n).sum();
    let of = |is_hit: bool, answer: Correctness| cells[usize::from(is_hit)][answer as usize];
    TwoByTwo {
        k,
        n,
        hit_correct: of(true, Correctness::Correct),
        hit_wrong: of(true, Correctness::Wrong),
        hit_unsure: of(true, Correctness::Unsure),
        miss_correct: of(false, Correctness::Correct),
        miss_wrong: of(false, Correctness::Wrong),
        miss_unsure: of(false, Correctness::Unsure),
    }
}

/// Returns the answer score of a condition in units of correct answers: 1 when correct, 0.5 when the rule is unsure, else 0. `None`
/// if the condition has no answer, there are no gold answers, or the question is unanswerable.
#[must_use]
pub fn correct(trace: &Trace, outcome: &Outcome, condition: Condition) -> Option<f64> {
    if trace.question.kind == QuestionKind::Unanswerable {
        return None;
    }
    outcome.judgments.correctness(condition).map(answer::correct)
}
