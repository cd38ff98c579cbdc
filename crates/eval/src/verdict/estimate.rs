//! The estimate of what complete evidence would bring, for answers without the condition `oracle`.
//!
//! Of the questions with complete evidence in the prompt, a share p is answered correctly. A question that lacks its evidence is taken
//! to be answered correctly with it as often: of its loss 1 - r, with r the score of its answer, p - r is the loss of the stage that
//! lost the evidence, and 1 - p the generator's. Evidence does not make a stage's answers worse: its p is at least the share that is correct
//! without. An unsure answer counts half, at the bounds as wrong or correct. The oracle of the same run replaces p by the answer itself. Two things may make p
//! wrong, and the verdict holds only where it holds at both ends: chance (Wilson's interval), and questions whose evidence
//! is harder to find may be harder to answer as well ([`HARDER`]).

use super::Source;
use super::budget::{self, Terms};
use crate::metric_summary::mean;
use ragtriage_core::attribute::classify::{Evidence, Outcome};
use ragtriage_core::correctness::Correctness;
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::stats::wilson;
use ragtriage_core::types::{Condition, FailureClass, Interval};

/// Factor by which the odds of a correct answer may be lower where the evidence did not reach the prompt. Of 600 simulated imports
/// whose harder questions were also harder to find, a factor of 1 gave one "Yes" in 28 that the oracle's answers contradicted, 1.5
/// one in 123, 2 none in 83.
const HARDER: f64 = 2.0;

/// Share of correct answers with complete evidence.
pub(super) struct Estimate {
    /// Correct answers among `n`.
    pub correct: usize,
    /// Answers to questions with complete evidence in the prompt that are known to be correct or wrong.
    pub n: usize,
    interval: Interval,
}

/// Point of the estimate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Its lower bound.
    Low,
    /// The share itself; 0.5 without any answer.
    Middle,
    /// Its upper bound.
    High,
}

impl Estimate {
    pub fn new(outcomes: &[Outcome], bootstrap: &Bootstrap) -> Self {
        let scores: Vec<Option<f64>> = outcomes.iter().map(with_evidence).collect();
        let (n, sum) = (scores.iter().flatten().count(), scores.iter().flatten().sum::<f64>());
        // Questions of one cluster are not independent: their number is that of the clusters.
        let n_clusters = bootstrap.n_clusters_with_value(&scores);
        let interval = if n == 0 {
            Interval { low: 0.0, high: 1.0 }
        } else {
            wilson::of_share(sum / n as f64, n_clusters as f64)
        };
        Self { correct: sum as usize, n, interval }
    }

    fn share(&self, at: At) -> f64 {
        let Interval { low, high } = self.interval;
        match at {
            At::Low => low / (low + HARDER * (1.0 - low)),
            At::Middle if self.n == 0 => 0.5,
            At::Middle => self.correct as f64 / self.n as f64,
            At::High => high,
        }
    }

    /// Returns the loss of each question: first by the share itself, then at its bounds.
    pub fn tables(&self, outcomes: &[Outcome]) -> [Vec<Option<Terms>>; 3] {
        // Where a wrong answer whose prompt is not shown is left out, so is a correct one.
        let is_open =
            |one: &Outcome| one.evidence.is_unseen() && one.class == FailureClass::Unclear;
        let is_left_out = outcomes.iter().any(is_open);
        let is_counted = |one: &Outcome| !(is_left_out && one.evidence.is_unseen());
        let table = |at| {
            let answers = outcomes.iter().map(|one| answered(one, at).filter(|_| is_counted(one)));
            let answers: Vec<_> = answers.collect();
            let without = Source::ALL.map(|source| {
                let of_source = answers.iter().flatten().filter(|one| one.0 == Some(source));
                mean(&of_source.map(|one| one.1).collect::<Vec<_>>())
            });
            answers.iter().map(|one| one.map(|one| self.terms(one, at, &without))).collect()
        };
        [At::Middle, At::Low, At::High].map(table)
    }

    /// Returns the loss of one question to each source; `without`: the shares correct where a source lost the evidence. What the
    /// documents lack is lost there whole. What a generator loses is not split: all of it is `misread`.
    fn terms(&self, (lost, correct): (Option<Source>, f64), at: At, without: &Terms) -> Terms {
        let mut terms = [0.0; Source::ALL.len()];
        let with_evidence = match lost {
            None => correct,
            Some(Source::NotInCorpus) => 1.0,
            Some(source) => self.share(at).max(without[source as usize]),
        };
        if let Some(source) = lost {
            terms[source as usize] = with_evidence - correct;
        }
        terms[Source::Misread as usize] += 1.0 - with_evidence;
        terms
    }
}

/// Returns the source that lost the evidence, if any, and the score of the answer; `None` where the class does not tell.
fn answered(outcome: &Outcome, at: At) -> Option<(Option<Source>, f64)> {
    let lost = budget::lost_at(outcome);
    match outcome.class {
        FailureClass::Correct => Some((None, 1.0)),
        FailureClass::WrongAnswer => Some((None, 0.0)),
        FailureClass::CorrectWithoutEvidence => {
            Some((Some(Source::of_class(outcome.evidence.class()?)?), 1.0))
        }
        FailureClass::Unsure
            if outcome.evidence.is_testable() && !outcome.evidence.is_partial() =>
        {
            // The lower bound is that of what retrieval loses.
            let is_retrieval = lost.is_some();
            let score = match at {
                At::Middle => 0.5,
                At::Low => f64::from(is_retrieval),
                At::High => f64::from(!is_retrieval),
            };
            Some((lost, score))
        }
        class => Some((Some(Source::of_class(class)?), 0.0)),
    }
}

/// Returns the score of an answer that is known to be correct or wrong, where all evidence was in the prompt by either reading of its
/// label.
fn with_evidence(outcome: &Outcome) -> Option<f64> {
    if outcome.evidence != Evidence::Complete {
        return None;
    }
    match outcome.judgments.correctness(Condition::Retrieved)? {
        Correctness::Correct => Some(1.0),
        Correctness::Wrong => Some(0.0),
        Correctness::Unsure => None,
    }
}
