//! Loss budget and verdict: what each stage loses, and whether retrieval is the bottleneck.
//!
//! `budget` attributes the loss of every question to its sources, `decide` compares retrieval with the
//! generator's, `estimate` replaces a missing oracle, `cautions` lists what limits the verdict, and `text` writes its sentences.

mod budget;
mod cautions;
mod decide;
mod estimate;
#[cfg(test)]
mod tests;
mod text;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ragtriage_core::types::{FailureClass, Fault, Interval};

pub use budget::{AnswerCounts, BudgetOf, COMPLETE_EVIDENCE, ESTIMATED, LossBudget};
pub use decide::{VerdictFacts, judge};

pub(super) use budget::{answer_terms, lost_at};

/// Answer to the question whether retrieval is the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Yes: retrieval loses more answers than the generator.
    Retrieval,
    /// No: the generator loses more.
    Generator,
    /// The interval of their difference contains zero, or every answer is correct.
    Undecided,
    /// No generator to compare with: the verdict is about retrieval alone.
    RetrievalOnly,
    /// The data do not allow a verdict.
    Withheld,
}

/// Loss of one side of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SideLoss {
    /// Questions lost there, by failure class.
    pub questions: usize,
    /// Correct answers that fixing the side alone would recover; without an oracle an estimate; without answers, prompts that lack
    /// evidence.
    pub answers: f64,
    /// The 95% interval of `answers`.
    pub ci95: Option<Interval>,
}

/// The verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LossVerdict {
    /// The answer.
    pub conclusion: Conclusion,
    /// The source that loses most on the side that the conclusion names, or overall; `None` if nothing was lost.
    pub bottleneck: Option<Source>,
    /// The source that loses second most there, if any.
    pub runner_up: Option<Source>,
    /// True if the conclusion is open, no source leads, another reading of the data names another, or the interval of largest minus
    /// second source on that side contains zero.
    pub undecided: bool,
    /// Its loss minus that of the next source, per question, with its interval.
    pub margin: Option<(f64, Interval)>,
    /// Questions that the verdict rests on.
    pub n: usize,
    /// Retrieval: everything before the prompt.
    pub retrieval: SideLoss,
    /// The generator.
    pub generator: SideLoss,
    /// Answers that retrieval loses minus those that the generator loses, with the interval.
    pub difference: Option<(f64, Interval)>,
    /// True if the sides are measured by answers from the gold passages alone, false if they are estimated or count questions.
    pub counts_answers: bool,
    /// The correct answers that each class costs; `None` where they are neither measured nor estimated.
    #[serde(skip)]
    pub counts: Option<AnswerCounts>,
    /// The losses by source.
    #[serde(skip)]
    pub budget: LossBudget,
    /// Limits of the verdict, a sentence each.
    pub cautions: Vec<String>,
    /// The question with its answer, a sentence.
    pub answer: String,
    /// The reasons of the answer.
    #[serde(skip)]
    pub reasons: String,
    /// The verdict in words: the answer, then the reasons.
    pub text: String,
}

ragtriage_core::closed_set! {
    /// The source that a loss is attributed to, in report order.
    Source {
        /// Not in the corpus.
        NotInCorpus = "not_in_corpus",
        /// Split by a chunk boundary.
        Split = "split",
        /// Not among the candidates.
        NotRetrieved = "not_retrieved",
        /// Not in the top k.
        RankedLow = "ranked_low",
        /// Not in the prompt.
        NotPacked = "not_packed",
        /// Not in the prompt; a record does not show which of the three stages before lost it.
        NotInPrompt = "not_in_prompt",
        /// In the prompt, lost among the other passages: the fault of the same name.
        IgnoredContext = "ignored_context",
        /// Lost with the gold passages alone: the generator, or the label.
        Misread = "misread",
    }
}

/// A side of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Everything before the prompt.
    Retrieval,
    /// The generator.
    Generator,
}

impl Source {
    /// Returns the failure class of the questions that it loses: that of the same name, else `wrong_answer`.
    #[must_use]
    pub fn class(self) -> FailureClass {
        FailureClass::named(self.name()).unwrap_or(FailureClass::WrongAnswer)
    }

    /// Returns the fault of the same name.
    #[must_use]
    pub fn fault(self) -> Option<Fault> {
        Fault::named(self.name())
    }

    /// Returns the failure classes that cost correct answers, in pipeline order.
    #[must_use]
    pub fn classes() -> Vec<FailureClass> {
        let mut classes = Self::ALL.map(Self::class).to_vec();
        classes.dedup();
        classes
    }

    /// Returns the side that the source belongs to.
    #[must_use]
    pub fn side(self) -> Side {
        let is_answer = self.class() == FailureClass::WrongAnswer;
        if is_answer { Side::Generator } else { Side::Retrieval }
    }

    /// Returns the source of a loss before the prompt; `None` for other classes.
    fn of_class(class: FailureClass) -> Option<Self> {
        let mut sources = Self::ALL.into_iter().filter(|source| source.side() == Side::Retrieval);
        sources.find(|source| source.class() == class)
    }
}
