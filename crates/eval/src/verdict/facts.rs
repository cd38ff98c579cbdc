//! Parts of a verdict: its inputs, the losses compared, and its result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::budget::{self, BudgetOf, Terms};
use super::source::{Side, Source};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::attribute::known::TopK;
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::types::{Interval, Trace};

/// Answer to the question whether retrieval is the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Yes: the retriever's side loses more answers than the generator's.
    Retriever,
    /// No: the generator's side loses more.
    Generator,
    /// The interval of their difference contains zero.
    Undecided,
    /// No generator to compare with: the verdict is about retrieval alone.
    RetrievalOnly,
    /// Every answer is right.
    NothingLost,
    /// The data do not allow a verdict.
    Withheld,
}

/// Loss of one side of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SideLoss {
    /// Questions lost there, by failure class.
    pub questions: usize,
    /// Right answers that fixing the side alone would recover; without an oracle an estimate.
    pub answers: f64,
    /// The 95% interval of `answers`.
    pub ci95: Option<Interval>,
}

/// The verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LossVerdict {
    /// The answer.
    pub conclusion: Conclusion,
    /// The source that loses most on the side that the conclusion names, or overall; `None` if nothing was lost or
    /// the source is unknown.
    pub bottleneck: Option<Source>,
    /// True if the conclusion is open, or the interval of largest minus second source on that side contains zero.
    pub undecided: bool,
    /// Share of resamples in which `bottleneck` loses most on its side.
    pub stability: f64,
    /// Its loss minus the second's, per question, with its interval.
    pub margin: Option<(f64, Interval)>,
    /// Questions that the verdict rests on.
    pub n: usize,
    /// The retriever's side.
    pub retriever: SideLoss,
    /// The generator's side.
    pub generator: SideLoss,
    /// Answers that the retriever's side loses minus those that the generator's side loses, with the interval.
    pub difference: Option<(f64, Interval)>,
    /// True if the sides are measured by answers from the gold passages alone, false if they are estimated or count questions.
    pub counts_answers: bool,
    /// Limits of the verdict, a sentence each.
    pub cautions: Vec<String>,
    /// The verdict in words.
    pub text: String,
}

/// Kind of generator, as far as the verdict is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// No answers.
    No,
    /// By a generator.
    ByGenerator,
}

/// Inputs of the verdict.
pub struct VerdictFacts<'a> {
    /// The traces.
    pub traces: &'a [Trace],
    /// Parallel to the traces.
    pub outcomes: &'a [Outcome],
    /// The score of the budget.
    pub of: BudgetOf,
    /// The generator.
    pub answered: Answered,
    /// Number of packed hits.
    pub k: usize,
    /// The record's knowledge of the hits that packing takes.
    pub top: TopK,
    /// Packed passages of an external RAG that are in no document, with the number of packed passages.
    pub unlocated: (usize, usize),
    /// Answers that `auto` and containment judge differently, with the number of answers that both decide.
    pub rule_disagreement: (usize, usize),
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
        let columns = budget::columns(rows);
        Self {
            resampled: bootstrap.means(&columns),
            n: rows.iter().flatten().count(),
            n_clusters: bootstrap.n_clusters_with_value(&columns[0]),
            columns,
        }
    }

    /// Returns the mean loss of each source.
    pub fn means(&self) -> Vec<f64> {
        budget::means(&self.columns)
    }

    /// Returns the mean loss of a side.
    pub fn of_side(&self, side: Side) -> f64 {
        let means = Source::ALL.iter().zip(self.means());
        let on_side = means.filter(|(source, _)| source.side() == side);
        on_side.map(|(_, mean)| mean).sum::<f64>() + 0.0
    }

    /// Returns the loss of each question on a side.
    pub fn each(&self, side: Side) -> Vec<f64> {
        let on_side: Vec<&Vec<Option<f64>>> = Source::ALL
            .iter()
            .zip(&self.columns)
            .filter(|(source, _)| source.side() == side)
            .map(|(_, column)| column)
            .collect();
        (0..self.columns[0].len())
            .filter_map(|question| on_side.iter().map(|column| column[question]).sum())
            .collect()
    }

    /// Returns true if no question lost anything: the losses of each add up to 1 less its score.
    pub fn is_nothing(&self) -> bool {
        let sides = [Side::Retriever, Side::Generator].map(|side| self.each(side));
        let mut each = sides[0].iter().zip(&sides[1]);
        each.all(|(retriever, generator)| retriever + generator < ROUNDING)
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
