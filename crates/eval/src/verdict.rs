//! The loss budget and the verdict: the stage with the largest loss, and the certainty of that.
//!
//! Per question, with r the answer score on the retrieved prompt, o on the oracle's and g on the retrieved one with the gold
//! evidence inserted: `1 - r = (1 - o) + (o - g) + (g - r)`. The first term is the reader's (or the label's), the second
//! `distraction`, the third the delivery loss of the stage that lost the support. If support reached the prompt, g is r: there
//! was no delivery loss. If the arm `gold_in_noise` was not run, a delivery loss includes the cost of distraction: it is o - r. A
//! prompt truncated by the server counts as `packing`, o - r. A question whose gold evidence is missing from the corpus has no
//! oracle: its whole `1 - r` is the corpus's. Terms may be negative and are shown unchanged; they add up to the loss. Without a
//! generator the terms are the shares of questions whose support each stage lost.

use serde::{Deserialize, Serialize};

use super::diagnose;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::measure::answer::Scorer;
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::stats::rounding::adding_up;
use ragtriage_core::types::{ArmName, FailureClass, Flag, Interval, Stage, SupportRule, Trace};

/// The source that a loss is attributed to, in report order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Not in the corpus.
    Corpus,
    /// Split by a chunk boundary.
    Chunking,
    /// Not among the candidates.
    Retrieval,
    /// Not in the top k.
    Ranking,
    /// Not in the prompt.
    Packing,
    /// In the prompt, lost among the other passages.
    Distraction,
    /// Lost with the gold passages alone: the reader, or the label.
    Reader,
}

impl Source {
    /// Every source, in report order.
    pub const ALL: [Self; 7] = [
        Self::Corpus,
        Self::Chunking,
        Self::Retrieval,
        Self::Ranking,
        Self::Packing,
        Self::Distraction,
        Self::Reader,
    ];

    /// Returns its name in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Corpus => "corpus",
            Self::Chunking => "chunking",
            Self::Retrieval => "retrieval",
            Self::Ranking => "ranking",
            Self::Packing => "packing",
            Self::Distraction => "distraction",
            Self::Reader => "reader",
        }
    }

    /// Returns its name in a sentence.
    fn spoken(self) -> &'static str {
        match self {
            Self::Corpus => "the corpus",
            Self::Reader => "the reader",
            other => other.name(),
        }
    }

    fn of_lost(stage: Stage) -> Option<Self> {
        match stage {
            Stage::Corpus => Some(Self::Corpus),
            Stage::Chunking => Some(Self::Chunking),
            Stage::Retrieval => Some(Self::Retrieval),
            Stage::Ranking => Some(Self::Ranking),
            Stage::Packing => Some(Self::Packing),
            Stage::Generation => None,
        }
    }
}

/// Decimals of a loss term in reports.
pub const LOSS_DIGITS: u32 = 3;
/// The quantity that a budget without an oracle arm counts.
pub const SUPPORT: &str = "support";

/// The score whose loss a budget counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BudgetOf {
    /// Right answers: 1, 0.5 where the rule is unsure, 0.
    Right,
    /// `AnswerF1` by this scorer; for questions with key facts right answers.
    F1(Scorer),
    /// Support, for a run without an oracle arm.
    Support,
}

impl BudgetOf {
    fn name(self) -> &'static str {
        match self {
            Self::Right => "right answers",
            Self::F1(_) => "AnswerF1",
            Self::Support => SUPPORT,
        }
    }

    fn score(self, trace: &Trace, outcome: &Outcome, arm: ArmName) -> Option<f64> {
        match self {
            Self::Right => diagnose::right(trace, outcome, arm),
            Self::F1(scorer) => diagnose::f1(trace, outcome, arm, scorer),
            Self::Support => None,
        }
    }
}

/// One term of the budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The source it is attributed to.
    pub source: Source,
    /// Mean loss per question.
    pub mean: f64,
    /// Its 95 % interval.
    pub ci95: Option<Interval>,
}

/// The budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LossBudget {
    /// The quantity lost: `right answers` or `AnswerF1` with a generator, `support` without.
    pub of: String,
    /// Questions counted.
    pub n: usize,
    /// The total loss, the sum of the terms.
    pub loss: f64,
    /// The terms.
    pub terms: Vec<Term>,
}

/// The verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LossVerdict {
    /// The largest term's source; `None` if nothing was lost.
    pub bottleneck: Option<Source>,
    /// True if the paired interval of largest minus second contains zero.
    pub undecided: bool,
    /// Share of resamples in which the largest term is the largest.
    pub stability: f64,
    /// Largest minus second, with its paired interval.
    pub margin: Option<(f64, Interval)>,
    /// The sentence.
    pub text: String,
}

/// Builds budget and verdict. `cluster_of` and `outcomes` are parallel to `traces`.
#[must_use]
pub fn judge_losses(
    traces: &[Trace],
    outcomes: &[Outcome],
    of: BudgetOf,
    bootstrap: &Bootstrap,
) -> (LossBudget, LossVerdict) {
    let rows: Vec<Option<[f64; 7]>> = traces
        .iter()
        .zip(outcomes)
        .map(|(trace, outcome)| match of {
            BudgetOf::Support => support_terms(outcome),
            BudgetOf::Right | BudgetOf::F1(_) => answer_terms(trace, outcome, of),
        })
        .collect();
    let columns: Vec<Vec<Option<f64>>> = (0..Source::ALL.len())
        .map(|c| rows.iter().map(|row| row.map(|row| row[c])).collect())
        .collect();
    let n = rows.iter().flatten().count();
    // An empty sum is -0.0 in Rust; 0.0 is added so that no report shows it.
    let means: Vec<f64> = columns
        .iter()
        .map(|column| column.iter().flatten().sum::<f64>() / n.max(1) as f64 + 0.0)
        .collect();
    let resampled = bootstrap.means(&columns);
    let terms =
        Source::ALL
            .iter()
            .zip(&means)
            .zip(&resampled)
            .map(|((&source, &mean), resampled)| Term {
                source,
                mean,
                ci95: bootstrap.interval(resampled.clone()),
            });
    let budget = LossBudget {
        of: of.name().to_owned(),
        n,
        loss: means.iter().sum::<f64>() + 0.0,
        terms: terms.collect(),
    };
    let verdict = verdict(&budget, &resampled, bootstrap);
    (budget, verdict)
}

/// Returns the loss of one question to each of [`Source::ALL`]; `None` if it has no gold answers, no answer, or no
/// oracle answer.
pub(super) fn answer_terms(trace: &Trace, outcome: &Outcome, of: BudgetOf) -> Option<[f64; 7]> {
    let retrieved = of.score(trace, outcome, ArmName::Retrieved)?;
    outcome.reached?;
    // Without labels the oracle is missing; a failed question lacks an arm.
    if matches!(
        trace.gold.documents.rule,
        SupportRule::AnswerString | SupportRule::Judged
    ) || outcome.class == FailureClass::Failed
    {
        return None;
    }
    let mut terms = [0.0; 7];
    if outcome.lost == Some(Stage::Corpus) {
        terms[Source::Corpus as usize] += 1.0 - retrieved;
        return Some(terms);
    }
    let oracle = of.score(trace, outcome, ArmName::Oracle)?;
    terms[Source::Reader as usize] += 1.0 - oracle;
    let (source, best) = match (
        outcome.lost.and_then(Source::of_lost),
        of.score(trace, outcome, ArmName::GoldInNoise),
    ) {
        (Some(stage), Some(in_noise)) => {
            terms[Source::Distraction as usize] += oracle - in_noise;
            (stage, in_noise)
        }
        (Some(stage), None) => (stage, oracle),
        (None, _) if is_server_cut(outcome) => (Source::Packing, oracle),
        (None, _) => (Source::Distraction, oracle),
    };
    terms[source as usize] += best - retrieved;
    Some(terms)
}

/// Returns the stage that lost the support on its way to the generator; `None` if it arrived, or without
/// gold labels.
pub(super) fn lost_at(outcome: &Outcome) -> Option<Source> {
    outcome
        .lost
        .and_then(Source::of_lost)
        .or(is_server_cut(outcome).then_some(Source::Packing))
}

fn is_server_cut(outcome: &Outcome) -> bool {
    outcome.flags.contains(&Flag::ServerTruncated)
}

fn support_terms(outcome: &Outcome) -> Option<[f64; 7]> {
    outcome.reached?;
    let mut terms = [0.0; 7];
    if let Some(source) = outcome.lost.and_then(Source::of_lost) {
        terms[source as usize] = 1.0;
    }
    Some(terms)
}

impl LossVerdict {
    fn none(text: &str) -> Self {
        Self {
            bottleneck: None,
            undecided: true,
            stability: 0.0,
            margin: None,
            text: text.to_owned(),
        }
    }
}

fn verdict(budget: &LossBudget, resampled: &[Vec<f64>], bootstrap: &Bootstrap) -> LossVerdict {
    let mut order: Vec<usize> = (0..budget.terms.len()).collect();
    order.sort_by(|a, b| budget.terms[*b].mean.total_cmp(&budget.terms[*a].mean));
    let (first, second) = (order[0], order[1]);
    if budget.n == 0 {
        return LossVerdict::none(
            "No question can be attributed: none has evidence or an answer to go by (document labels give the retrieval measures \
             only), or every call failed.",
        );
    }
    if budget.terms[first].mean <= 0.0 {
        return LossVerdict::none(if budget.of == SUPPORT {
            "No stage lost support. What the reader loses is not known without answers from the gold passages alone."
        } else {
            "Nothing was lost."
        });
    }
    let n_resamples = resampled[first].len();
    let stability = (0..n_resamples)
        .filter(|r: &usize| {
            (0..resampled.len()).all(|c| c == first || resampled[c][*r] < resampled[first][*r])
        })
        .count() as f64
        / n_resamples.max(1) as f64;
    let differences: Vec<f64> = resampled[first]
        .iter()
        .zip(&resampled[second])
        .map(|(a, b)| a - b)
        .collect();
    let margin = budget.terms[first].mean - budget.terms[second].mean;
    let margin = bootstrap
        .interval(differences)
        .map(|interval| (margin, interval));
    let undecided = margin.is_none_or(|(_, interval)| interval.holds_zero());
    let text = sentence(budget, (first, second), margin, undecided, stability);
    LossVerdict {
        bottleneck: Some(budget.terms[first].source),
        undecided,
        stability,
        margin,
        text,
    }
}

fn sentence(
    budget: &LossBudget,
    (first, second): (usize, usize),
    margin: Option<(f64, Interval)>,
    undecided: bool,
    stability: f64,
) -> String {
    let (largest, next) = (&budget.terms[first], &budget.terms[second]);
    let interval = largest.ci95.map_or(String::new(), |ci| format!(" {ci:.3}"));
    let margin = match margin {
        _ if next.mean == 0.0 && budget.of == SUPPORT => {
            "no other stage loses any (what the reader loses needs the oracle arm)".to_owned()
        }
        _ if next.mean == 0.0 => "no other stage loses any".to_owned(),
        None => "one cluster of questions, so no interval".to_owned(),
        Some((margin, ci)) => format!("{margin:.3} {ci:.3} ahead of {}", next.source.spoken()),
    };
    let head = if undecided {
        "Undecided; the largest loss is"
    } else {
        "The bottleneck is"
    };
    // Rounded as in the table of terms.
    let shown = adding_up(
        &budget
            .terms
            .iter()
            .map(|term| term.mean)
            .collect::<Vec<f64>>(),
        LOSS_DIGITS,
    );
    format!(
        "{head} {}: it loses {:.3}{interval} {} per question ({:.3} in all), {margin}; largest in {:.0} % of resamples.",
        largest.source.spoken(),
        shown[first],
        budget.of,
        budget.loss,
        100.0 * stability
    )
}

/// Returns the rule of thumb shown with the verdict: EM@5 >= 0.80, retrieval is likely not the bottleneck; <= 0.60, improve the
/// retriever first. If it and `bottleneck` point to different stages, it explains what each measures. `None` without EM@5.
#[must_use]
pub fn rule_of_thumb(em_at_5: Option<f64>, bottleneck: Option<Source>) -> Option<String> {
    let em = em_at_5?;
    let is_at_odds = bottleneck.is_some_and(|source| match source {
        Source::Reader | Source::Distraction => em <= 0.60,
        _ => em >= 0.80,
    });
    let says = if em >= 0.80 {
        ">= 0.80: retrieval is likely not the bottleneck"
    } else if em <= 0.60 {
        "<= 0.60: work on the retriever first"
    } else {
        "between 0.60 and 0.80: it does not say"
    };
    let why = if is_at_odds {
        "; it looks at retrieval alone, the verdict at the answers that this reader would win back"
    } else {
        ""
    };
    Some(format!("EM@5 is {em:.3}, {says}{why}"))
}
