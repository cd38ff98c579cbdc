//! The loss budget: the loss of each question, attributed to its sources.
//!
//! Per question, with r the answer score on the retrieved prompt, o on the oracle's and g on the retrieved one with the gold
//! evidence inserted: `1 - r = (1 - o) + (o - g) + (g - r)`. The first term is the generator's (or the label's), the second
//! `ignored_context`, the third the loss of the stage that lost the evidence. If complete evidence was in the prompt, g is r: there
//! was no loss before it. If the condition `gold_with_distractors` was not run, that loss includes the cost of distraction: it is o - r. A
//! prompt truncated by the server counts as `not_packed`, o - r. A question whose gold evidence is missing from the corpus has no
//! oracle: its whole `1 - r` is the corpus's. Terms may be negative and are shown unchanged; they add up to the loss. Without an
//! oracle the terms are estimates, or the shares of questions whose evidence each stage lost.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Side, Source};
use crate::diagnose;
use crate::metric_summary::mean;
use ragtriage_core::attribute::classify::{Evidence, Outcome};
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::stats::interval::of_mean;
use ragtriage_core::stats::rounding::adding_up;
use ragtriage_core::types::{Condition, FailureClass, Interval, Stage, Trace};

/// The quantity that a budget counts where the oracle measures it.
pub(super) const CORRECT_ANSWERS: &str = "correct answers";
/// The quantity that a budget without an oracle condition counts.
pub const COMPLETE_EVIDENCE: &str = "complete evidence";
/// The quantity that it counts where what complete evidence would bring is estimated.
pub const ESTIMATED: &str = "correct answers, estimated";

/// Losses of one question, parallel to [`Source::ALL`].
pub(crate) type Terms = [f64; Source::ALL.len()];

/// The quantity whose loss a budget counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetOf {
    /// Correct answers: 1, 0.5 where the rule is unsure, 0.
    Correct,
    /// Complete evidence in the prompt, for a run without an oracle condition.
    Evidence,
}

/// Assumption about the oracle's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OracleAssumption {
    /// It is the best that the generator can do.
    Plain,
    /// It is at least as good as the others: where it is worse, its passages lacked something.
    BestAnswer,
}

/// One term of the budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Term {
    /// The source it is attributed to.
    pub source: Source,
    /// Mean loss per question.
    pub mean: f64,
    /// Its 95 % interval.
    pub ci95: Option<Interval>,
}

/// The budget.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LossBudget {
    /// The quantity lost: `correct answers` with an oracle; without, `correct answers, estimated`, or `complete evidence`.
    pub of: String,
    /// Questions counted.
    pub n: usize,
    /// The total loss, the sum of the terms.
    pub loss: f64,
    /// The terms.
    pub terms: Vec<Term>,
}

/// Correct answers of the questions that a verdict rests on, and those that each failure class costs, rounded so that they add up to
/// the number of questions.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerCounts {
    /// Correct answers now.
    pub correct: f64,
    /// In pipeline order.
    pub lost: Vec<(FailureClass, f64)>,
    /// The answers that retrieval loses, and those that the generator does.
    pub sides: [f64; 2],
}

impl AnswerCounts {
    /// Counts the answers of `n` questions by the mean loss to each source. The correct ones are rounded first, which a run has whether its
    /// losses are measured or not, then the sides, so that the larger one is never shown as the smaller.
    pub(super) fn new(means: &[f64], n: usize) -> Self {
        let n = n as f64;
        let of_class = |class| {
            let sources = Source::ALL.iter().zip(means).filter(move |(s, _)| s.class() == class);
            sources.map(|(_, mean)| mean).sum::<f64>() * n
        };
        let (generator, retrieval): (Vec<FailureClass>, Vec<FailureClass>) =
            Source::classes().into_iter().partition(|class| *class == FailureClass::WrongAnswer);
        let before: Vec<f64> = retrieval.iter().map(|class| of_class(*class)).collect();
        let [lost, by_generator] = [before.iter().sum(), of_class(FailureClass::WrongAnswer)];
        // Of unsure answers half a one is none.
        let correct = (n - lost - by_generator - 1e-6).round().max(0.0);
        let sides = adding_up(&[lost, by_generator], n - correct);
        let mut answers = adding_up(&before, sides[0]);
        answers.push(sides[1]);
        let lost = retrieval.into_iter().chain(generator).zip(answers).collect();
        Self { correct, lost, sides: [sides[0], sides[1]] }
    }
}

/// Terms of every question under one assumption; `None` where they cannot be known.
pub(super) fn rows(
    traces: &[Trace],
    outcomes: &[Outcome],
    of: BudgetOf,
    assumption: OracleAssumption,
) -> Vec<Option<Terms>> {
    let questions = traces.par_iter().zip(outcomes);
    questions
        .map(|(trace, outcome)| match of {
            BudgetOf::Evidence => evidence_terms(outcome),
            BudgetOf::Correct => terms_under(trace, outcome, assumption),
        })
        .collect()
}

impl LossBudget {
    /// Builds the budget of `losses`. Its intervals hold those of the `bounds` of an estimate.
    pub(super) fn new(of: &str, losses: &Losses, bounds: &[Losses], bootstrap: &Bootstrap) -> Self {
        let means = losses.means();
        let terms = Source::ALL.into_iter().zip(&means).map(|(source, mean)| {
            let at = source as usize;
            let interval = |losses: &Losses| {
                let resampled = losses.resampled[at].clone();
                losses.interval_of_mean(&losses.columns[at], resampled, bootstrap)
            };
            let of_bounds = bounds.iter().map(interval);
            let around = |all: Option<Interval>, one: Option<Interval>| {
                all.zip(one).map(|(all, one)| of_losses(*mean, all.hull(one)))
            };
            let ci95 = of_bounds.fold(interval(losses), around);
            Term { source, mean: *mean, ci95 }
        });
        Self {
            of: of.to_owned(),
            n: losses.n,
            loss: means.iter().sum::<f64>() + 0.0,
            terms: terms
                .filter(|term| term.source != Source::NotInPrompt || term.mean != 0.0)
                .collect(),
        }
    }
}

/// Limits the interval of an estimated mean loss to what is possible: complete evidence makes no correct answer wrong.
pub(super) fn of_losses(mean: f64, ci: Interval) -> Interval {
    Interval { low: ci.low.max(mean.min(0.0)), high: ci.high.min(1.0) }
}

/// Returns a column for each source.
fn columns(rows: &[Option<Terms>]) -> Vec<Vec<Option<f64>>> {
    (0..Source::ALL.len())
        .map(|at| rows.iter().map(|row| row.map(|row| row[at])).collect())
        .collect()
}

/// Returns the means of the defined values.
fn means(columns: &[Vec<Option<f64>>]) -> Vec<f64> {
    let defined = |column: &Vec<Option<f64>>| column.iter().flatten().copied().collect::<Vec<_>>();
    columns.iter().map(|column| mean(&defined(column))).collect()
}

/// Returns the loss of one question to each source; `None` if it has no gold answers, no usable answer, or no oracle answer.
pub(crate) fn answer_terms(trace: &Trace, outcome: &Outcome) -> Option<Terms> {
    terms_under(trace, outcome, OracleAssumption::Plain)
}

fn terms_under(trace: &Trace, outcome: &Outcome, assumption: OracleAssumption) -> Option<Terms> {
    let score = |condition| diagnose::correct(trace, outcome, condition);
    let retrieved = score(Condition::Retrieved)?;
    let in_noise = score(Condition::GoldWithDistractors);
    // Whether the part of a wide label that was delivered suffices is known only where the rest was added.
    if !outcome.evidence.is_testable()
        || outcome.evidence.is_partial() && in_noise.is_none()
        || outcome.class.has_no_result()
        || trace.attempt(Condition::GoldWithDistractors).is_some_and(|attempt| !attempt.is_usable())
    {
        return None;
    }
    let mut terms = [0.0; Source::ALL.len()];
    if outcome.evidence.lost() == Some(Stage::Corpus) {
        terms[Source::NotInCorpus as usize] += 1.0 - retrieved;
        return Some(terms);
    }
    let oracle = score(Condition::Oracle)?;
    let oracle = match assumption {
        OracleAssumption::Plain => oracle,
        OracleAssumption::BestAnswer => oracle.max(retrieved).max(in_noise.unwrap_or(oracle)),
    };
    terms[Source::Misread as usize] += 1.0 - oracle;
    let (source, best) = match (lost(outcome), in_noise) {
        (Some(stage), Some(in_noise)) => {
            terms[Source::IgnoredContext as usize] += oracle - in_noise;
            (stage, in_noise)
        }
        (Some(stage), None) => (stage, oracle),
        (None, _) if outcome.evidence == Evidence::Truncated => (Source::NotPacked, oracle),
        (None, _) => (Source::IgnoredContext, oracle),
    };
    terms[source as usize] += best - retrieved;
    Some(terms)
}

/// Returns the source that lost the evidence on its way to the prompt.
fn lost(outcome: &Outcome) -> Option<Source> {
    outcome.evidence.class().and_then(Source::of_class)
}

/// Returns the source that lost the evidence on its way to the generator, the server's limit included; `None` if it arrived, or without
/// gold labels.
pub(crate) fn lost_at(outcome: &Outcome) -> Option<Source> {
    let unread = (outcome.evidence == Evidence::Truncated).then_some(Source::NotPacked);
    lost(outcome).or(unread)
}

fn evidence_terms(outcome: &Outcome) -> Option<Terms> {
    let mut terms = [0.0; Source::ALL.len()];
    if let Some(source) = lost(outcome) {
        terms[source as usize] = 1.0;
    }
    (outcome.evidence.is_testable() && !outcome.evidence.is_partial()).then_some(terms)
}

/// The sum of a question's terms may differ from 1 less its score by so much.
const ROUNDING: f64 = 1e-9;

/// Losses of the questions that a verdict rests on, by source, with resampled means.
pub(super) struct Losses {
    pub columns: Vec<Vec<Option<f64>>>,
    pub resampled: Vec<Vec<f64>>,
    pub n: usize,
    /// Clusters of these questions.
    pub n_clusters: usize,
}

impl Losses {
    pub fn new(rows: &[Option<Terms>], bootstrap: &Bootstrap) -> Self {
        let columns = columns(rows);
        Self {
            resampled: bootstrap.means(&columns),
            n: rows.iter().flatten().count(),
            n_clusters: bootstrap.n_clusters_with_value(&columns[0]),
            columns,
        }
    }

    /// Returns the mean loss of each source.
    pub fn means(&self) -> Vec<f64> {
        means(&self.columns)
    }

    /// Returns the 95% interval of the mean of a column, which is that of a metric with its values.
    pub fn interval_of_mean(
        &self,
        column: &[Option<f64>],
        resampled: Vec<f64>,
        bootstrap: &Bootstrap,
    ) -> Option<Interval> {
        let values: Vec<f64> = column.iter().flatten().copied().collect();
        let resampled = bootstrap.interval_of_mean(column, resampled);
        of_mean(&values, (0.0, 1.0), self.n_clusters, resampled)
    }

    /// Returns the mean loss of a side.
    pub fn of_side(&self, side: Side) -> f64 {
        let means = Source::ALL.iter().zip(self.means());
        let on_side = means.filter(|(source, _)| source.side() == side);
        on_side.map(|(_, mean)| mean).sum::<f64>() + 0.0
    }

    /// Returns the loss of each question on a side.
    pub fn each(&self, side: Side) -> Vec<Option<f64>> {
        let on_side: Vec<&Vec<Option<f64>>> = Source::ALL
            .iter()
            .zip(&self.columns)
            .filter(|(source, _)| source.side() == side)
            .map(|(_, column)| column)
            .collect();
        (0..self.columns[0].len())
            .map(|question| on_side.iter().map(|column| column[question]).sum())
            .collect()
    }

    /// Returns true if no question lost anything: the losses of each add up to 1 less its score.
    pub fn is_nothing(&self) -> bool {
        let sides = [Side::Retrieval, Side::Generator].map(|side| self.each(side));
        let mut each = sides[0].iter().flatten().zip(sides[1].iter().flatten());
        each.all(|(retrieval, generator)| retrieval + generator < ROUNDING)
    }

    /// Returns the 95% interval of something computed from the resampled losses, resample by resample.
    pub fn interval(&self, resampled: Vec<f64>, bootstrap: &Bootstrap) -> Option<Interval> {
        bootstrap.interval(resampled, self.n_clusters)
    }

    /// Returns the resampled losses of a side.
    pub fn resampled_side(&self, side: Side) -> Vec<f64> {
        let n_resamples = self.resampled[0].len();
        let mut sums = vec![0.0; n_resamples];
        for (source, losses) in Source::ALL.iter().zip(&self.resampled) {
            if source.side() == side {
                for (sum, loss) in sums.iter_mut().zip(losses) {
                    *sum += loss;
                }
            }
        }
        sums
    }
}
