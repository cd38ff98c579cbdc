//! The verdict: whether retrieval is the bottleneck, and which stage loses most on the side that is.

use serde::{Deserialize, Serialize};

use super::budget::{self, BudgetOf, Reading, Terms};
use super::cautions::{self, OracleCheck};
use super::source::{Side, Source};
use super::text;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::types::{FailureClass, Fault, Interval, Stage, Trace};

/// Answer to the question whether retrieval is the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SideLoss {
    /// Questions lost there, by failure class.
    pub questions: usize,
    /// Right answers that fixing the side alone would win back; without an oracle equal to `questions`.
    pub answers: f64,
    /// The 95% interval of `answers`.
    pub ci95: Option<Interval>,
}

/// The verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// By the baseline reader: the retriever's side alone is judged.
    ByBaseline,
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
    /// Answers that `auto` and containment judge differently, with the number of answers that both decide.
    pub rule_disagreement: (usize, usize),
}

/// Losses of the questions that a verdict rests on, by source, with resampled means.
pub(super) struct Losses {
    pub columns: Vec<Vec<Option<f64>>>,
    resampled: Vec<Vec<f64>>,
    pub n: usize,
}

impl Losses {
    fn new(rows: &[Option<Terms>], bootstrap: &Bootstrap) -> Self {
        let columns = budget::columns(rows);
        Self {
            resampled: bootstrap.means(&columns),
            n: rows.iter().flatten().count(),
            columns,
        }
    }

    /// Returns the mean loss of each source.
    pub fn means(&self) -> Vec<f64> {
        budget::means(&self.columns)
    }

    fn of_side(&self, side: Side, resample: Option<usize>) -> f64 {
        let means = self.means();
        let sources = Source::ALL.iter().enumerate();
        let on_side = sources.filter(|(_, source)| source.side() == side);
        let losses = on_side.map(|(at, _)| resample.map_or(means[at], |r| self.resampled[at][r]));
        losses.sum::<f64>() + 0.0
    }

    /// Returns the resampled losses of a side.
    fn resampled(&self, side: Side) -> Vec<f64> {
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

/// Source that loses most of several, with the certainty of that.
struct Leader {
    source: Source,
    margin: Option<(f64, Interval)>,
    undecided: bool,
    stability: f64,
}

/// Judges a run.
#[must_use]
pub fn judge(facts: &VerdictFacts<'_>, bootstrap: &Bootstrap) -> LossVerdict {
    let by_class = [Side::Retriever, Side::Generator].map(|side| lost_on(facts.outcomes, side));
    let rows = rows(facts, Reading::Plain);
    let losses = Losses::new(&rows, bootstrap);
    let oracle = cautions::oracle_check(facts.traces, facts.outcomes);
    let conclusion = conclude(facts, &losses, &oracle, bootstrap);
    let leader = leader(&losses, conclusion, bootstrap);
    let is_disputed = leader.as_ref().is_some_and(|plain| {
        Reading::OTHERS.into_iter().any(|reading| {
            let losses = Losses::new(&self::rows(facts, reading), bootstrap);
            let other = self::leader(&losses, conclusion, bootstrap);
            other.is_none_or(|other| other.source != plain.source)
        })
    });
    let [retriever, generator] = [Side::Retriever, Side::Generator]
        .map(|side| side_loss(&losses, side, by_class[side as usize], bootstrap));
    let mut verdict = LossVerdict {
        conclusion,
        bottleneck: leader.as_ref().map(|leader| leader.source),
        undecided: conclusion == Conclusion::Undecided
            || is_disputed
            || leader.as_ref().is_none_or(|leader| leader.undecided),
        stability: leader.as_ref().map_or(0.0, |leader| leader.stability),
        margin: leader.and_then(|leader| leader.margin),
        n: losses.n,
        retriever,
        generator,
        difference: difference(&losses, bootstrap),
        cautions: cautions::cautions(facts, &losses, bootstrap.n_clusters()),
        text: String::new(),
    };
    verdict.text = text::sentence(&verdict, facts, &losses, &oracle);
    verdict
}

/// Returns the losses by source that the verdict compares: of answers where the run has an oracle and a generator, else of
/// questions by failure class, else of support.
fn rows(facts: &VerdictFacts<'_>, reading: Reading) -> Vec<Option<Terms>> {
    match (facts.answered, facts.of) {
        (Answered::ByGenerator, BudgetOf::Support) => facts.outcomes.iter().map(by_class).collect(),
        (Answered::ByGenerator, of) => budget::rows(facts.traces, facts.outcomes, of, reading),
        (Answered::No | Answered::ByBaseline, _) => {
            budget::rows(facts.traces, facts.outcomes, BudgetOf::Support, reading)
        }
    }
}

/// Returns a loss of 1 at the stage of the failure class, 0 for a right answer; `None` where the class is neither. What a
/// generator loses without an oracle is not split: all of it counts as the reader's.
fn by_class(outcome: &Outcome) -> Option<Terms> {
    let mut terms = [0.0; Source::ALL.len()];
    match (outcome.class.stage(), outcome.class) {
        (Some(Stage::Generation), _) if outcome.fault.is_some_and(Fault::is_setup) => return None,
        (Some(Stage::Generation), _) => terms[Source::Reader as usize] = 1.0,
        (Some(stage), _) => terms[Source::of_lost(stage)? as usize] = 1.0,
        (None, FailureClass::Correct) => {}
        (None, FailureClass::CorrectUnsupported) if outcome.reached.is_some() => {}
        _ => return None,
    }
    Some(terms)
}

fn lost_on(outcomes: &[Outcome], side: Side) -> usize {
    let by_pipeline = outcomes
        .iter()
        .filter(|outcome| !outcome.fault.is_some_and(Fault::is_setup));
    let stages = by_pipeline.filter_map(|outcome| outcome.class.stage());
    let is_generators = |stage: &Stage| *stage == Stage::Generation;
    stages
        .filter(|stage| is_generators(stage) == (side == Side::Generator))
        .count()
}

fn conclude(
    facts: &VerdictFacts<'_>,
    losses: &Losses,
    oracle: &OracleCheck,
    bootstrap: &Bootstrap,
) -> Conclusion {
    if losses.n == 0 {
        return Conclusion::Withheld;
    }
    if facts.answered != Answered::ByGenerator {
        return Conclusion::RetrievalOnly;
    }
    if facts.of != BudgetOf::Support && oracle.is_invalid() {
        return Conclusion::Withheld;
    }
    if losses.means().iter().all(|mean| *mean <= 0.0) {
        return Conclusion::NothingLost;
    }
    let plain = larger_side(losses, bootstrap);
    let agrees = |reading: Reading| {
        let losses = Losses::new(&rows(facts, reading), bootstrap);
        larger_side(&losses, bootstrap) == plain
    };
    if Reading::OTHERS.into_iter().all(agrees) {
        plain
    } else {
        Conclusion::Undecided
    }
}

fn larger_side(losses: &Losses, bootstrap: &Bootstrap) -> Conclusion {
    match difference(losses, bootstrap) {
        Some((_, interval)) if interval.low > 0.0 => Conclusion::Retriever,
        Some((_, interval)) if interval.high < 0.0 => Conclusion::Generator,
        _ => Conclusion::Undecided,
    }
}

/// Returns the retriever's loss minus the generator's, in answers.
fn difference(losses: &Losses, bootstrap: &Bootstrap) -> Option<(f64, Interval)> {
    let [retriever, generator] =
        [Side::Retriever, Side::Generator].map(|side| losses.resampled(side));
    let paired = retriever.iter().zip(&generator).map(|(a, b)| a - b);
    let interval = bootstrap.interval(paired.collect())?;
    let mean = losses.of_side(Side::Retriever, None) - losses.of_side(Side::Generator, None);
    let n = losses.n as f64;
    Some((mean * n, interval.times(n)))
}

fn side_loss(losses: &Losses, side: Side, questions: usize, bootstrap: &Bootstrap) -> SideLoss {
    let n = losses.n as f64;
    let ci95 = bootstrap.interval(losses.resampled(side));
    SideLoss {
        questions,
        answers: losses.of_side(side, None) * n,
        ci95: ci95.map(|interval| interval.times(n)),
    }
}

/// Returns the source that loses most on the side that `conclusion` names, else overall; `None` if none loses anything.
fn leader(losses: &Losses, conclusion: Conclusion, bootstrap: &Bootstrap) -> Option<Leader> {
    let is_eligible = |at: &usize| match conclusion {
        Conclusion::Retriever | Conclusion::RetrievalOnly => {
            Source::ALL[*at].side() == Side::Retriever
        }
        Conclusion::Generator => Source::ALL[*at].side() == Side::Generator,
        _ => true,
    };
    let means = losses.means();
    let mut order: Vec<usize> = (0..means.len()).filter(is_eligible).collect();
    order.sort_by(|a, b| means[*b].total_cmp(&means[*a]));
    let (first, second) = (order[0], order[1]);
    if losses.n == 0 || means[first] <= 0.0 {
        return None;
    }
    let resampled = &losses.resampled;
    let n_resamples = resampled[first].len();
    let leads = |r: &usize| {
        let mut others = order.iter().filter(|at| **at != first);
        others.all(|at| resampled[*at][*r] < resampled[first][*r])
    };
    let differences = resampled[first].iter().zip(&resampled[second]);
    let margin = bootstrap
        .interval(differences.map(|(a, b)| a - b).collect())
        .map(|interval| (means[first] - means[second], interval));
    Some(Leader {
        source: Source::ALL[first],
        undecided: margin.is_none_or(|(_, interval)| interval.holds_zero()),
        stability: (0..n_resamples).filter(leads).count() as f64 / n_resamples.max(1) as f64,
        margin,
    })
}
