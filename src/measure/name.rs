//! The names of measures: a family and, where it has one, a cutoff.

use std::fmt;
use std::str::FromStr;

/// How far down a ranking a measure looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cutoff {
    /// The first k; k >= 1.
    Top(usize),
    /// What was packed into the prompt.
    Prompt,
}

/// Which cutoffs a family takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    /// `@k` or `@prompt`, one of them.
    KOrPrompt,
    /// `@k`, one.
    K,
    /// `@k` or none: the whole ranking.
    KOrNone,
    /// None.
    Nothing,
}

/// What is measured, without its cutoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// A passage contains a gold answer.
    Em,
    /// Share of the relevant documents found.
    Recall,
    /// Any relevant document found: "hit rate".
    Success,
    /// Every evidence group's document found.
    FullRecall,
    /// Share of the first k that is relevant.
    Precision,
    /// One over the rank of the first relevant document.
    ReciprocalRank,
    /// Normalised discounted cumulative gain, linear gain.
    Ndcg,
    /// Average precision.
    AveragePrecision,
    /// Normalised answer equals a gold.
    AnswerEm,
    /// Token F1 of the answer.
    AnswerF1,
    /// Token precision of the answer.
    AnswerPrecision,
    /// Token recall of the answer.
    AnswerRecall,
}

impl Family {
    /// Every family, in report order.
    pub const ALL: [Self; 12] = [
        Self::Em,
        Self::Recall,
        Self::Success,
        Self::FullRecall,
        Self::Precision,
        Self::ReciprocalRank,
        Self::Ndcg,
        Self::AveragePrecision,
        Self::AnswerEm,
        Self::AnswerF1,
        Self::AnswerPrecision,
        Self::AnswerRecall,
    ];

    /// The name before the cutoff.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Em => "EM",
            Self::Recall => "Recall",
            Self::Success => "Success",
            Self::FullRecall => "FullRecall",
            Self::Precision => "P",
            Self::ReciprocalRank => "RR",
            Self::Ndcg => "nDCG",
            Self::AveragePrecision => "AP",
            Self::AnswerEm => "AnswerEM",
            Self::AnswerF1 => "AnswerF1",
            Self::AnswerPrecision => "AnswerPrecision",
            Self::AnswerRecall => "AnswerRecall",
        }
    }

    /// Whether it scores answers rather than rankings.
    #[must_use]
    pub fn scores_answers(self) -> bool {
        self.takes() == Takes::Nothing
    }

    fn takes(self) -> Takes {
        match self {
            Self::Em | Self::Precision => Takes::KOrPrompt,
            Self::Recall | Self::Success | Self::FullRecall => Takes::K,
            Self::ReciprocalRank | Self::Ndcg | Self::AveragePrecision => Takes::KOrNone,
            Self::AnswerEm | Self::AnswerF1 | Self::AnswerPrecision | Self::AnswerRecall => Takes::Nothing,
        }
    }
}

/// A measure: a family with a cutoff it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Measure {
    family: Family,
    cutoff: Option<Cutoff>,
}

impl Measure {
    /// The measure, or `None` when the family does not take that cutoff (or k is 0).
    #[must_use]
    pub fn new(family: Family, cutoff: Option<Cutoff>) -> Option<Self> {
        let fits = match (family.takes(), cutoff) {
            (_, Some(Cutoff::Top(0))) => false,
            (Takes::KOrPrompt, Some(_))
            | (Takes::K | Takes::KOrNone, Some(Cutoff::Top(_)))
            | (Takes::KOrNone | Takes::Nothing, None) => true,
            _ => false,
        };
        fits.then_some(Self { family, cutoff })
    }

    /// What is measured.
    #[must_use]
    pub fn family(self) -> Family {
        self.family
    }

    /// How far it looks; `None` for the whole ranking, or for answers.
    #[must_use]
    pub fn cutoff(self) -> Option<Cutoff> {
        self.cutoff
    }

    /// What every run reports: each family at every k of `ks`, and at the prompt where it takes that.
    #[must_use]
    pub fn standard(ks: &[usize]) -> Vec<Self> {
        let mut measures = Vec::new();
        for family in Family::ALL {
            let cutoffs = ks.iter().map(|&k| Some(Cutoff::Top(k))).chain([Some(Cutoff::Prompt), None]);
            measures.extend(cutoffs.filter_map(|cutoff| Self::new(family, cutoff)));
        }
        measures
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.family.name();
        match self.cutoff {
            None => f.pad(name),
            Some(Cutoff::Top(k)) => f.pad(&format!("{name}@{k}")),
            Some(Cutoff::Prompt) => f.pad(&format!("{name}@prompt")),
        }
    }
}

/// A text that names no measure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no measure; they read like `EM@5`, `EM@prompt`, `nDCG@10`, `RR`, `AnswerF1`")]
pub struct UnknownMeasure(pub String);

impl FromStr for Measure {
    type Err = UnknownMeasure;

    fn from_str(text: &str) -> Result<Self, UnknownMeasure> {
        let unknown = || UnknownMeasure(text.to_owned());
        let (name, cutoff) = match text.split_once('@') {
            None => (text, None),
            Some((name, "prompt")) => (name, Some(Cutoff::Prompt)),
            Some((name, k)) if k.bytes().all(|b| b.is_ascii_digit()) && !k.starts_with('0') => {
                (name, Some(Cutoff::Top(k.parse().map_err(|_| unknown())?)))
            }
            Some(_) => return Err(unknown()),
        };
        let family = Family::ALL.into_iter().find(|family| family.name() == name).ok_or_else(unknown)?;
        Self::new(family, cutoff).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_standard_measure_prints_as_it_parses() {
        let measures = Measure::standard(&[1, 3, 5, 10]);
        for measure in &measures {
            assert_eq!(measure.to_string().parse(), Ok(*measure));
        }
        assert!(measures.iter().any(|measure| measure.to_string() == "EM@prompt"));
    }

    #[test]
    fn a_name_with_a_cutoff_it_does_not_take_is_refused() {
        for name in ["EM", "EM@0", "EM@05", "Recall@prompt", "AnswerF1@5", "RR@", "ndcg@5", "RR@-1", ""] {
            assert_eq!(name.parse::<Measure>(), Err(UnknownMeasure(name.to_owned())));
        }
    }
}
