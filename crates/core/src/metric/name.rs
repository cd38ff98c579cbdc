//! Names of metrics: a family and, where it has one, a cutoff. Printed, parsed and used as a key in the same form.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::family::{Family, Takes};
use crate::error::Error;

/// Depth to which a metric reads a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cutoff {
    /// The first k hits; k >= 1.
    Top(usize),
    /// The first n tokens of the passages, whatever their size; n >= 1.
    Tokens(usize),
    /// The packed prompt.
    Prompt,
}

impl fmt::Display for Cutoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top(k) => write!(f, "@{k}"),
            Self::Tokens(n) => write!(f, "@{n}t"),
            Self::Prompt => f.write_str("@prompt"),
        }
    }
}

/// A metric: a family with a cutoff it takes. Serialised as its name.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Metric {
    family: Family,
    cutoff: Option<Cutoff>,
}

impl Metric {
    /// Returns the metric, or `None` when the family does not take that cutoff (or it is 0).
    #[must_use]
    pub fn new(family: Family, cutoff: Option<Cutoff>) -> Option<Self> {
        let fits = match (family.takes(), cutoff) {
            (_, Some(Cutoff::Top(0) | Cutoff::Tokens(0))) => false,
            (Takes::KOrPrompt | Takes::Any, Some(_))
            | (Takes::K | Takes::KOrNone, Some(Cutoff::Top(_)))
            | (Takes::Any | Takes::KOrNone | Takes::Nothing, None) => true,
            _ => false,
        };
        fits.then_some(Self { family, cutoff })
    }

    /// Returns the family, without the cutoff.
    #[must_use]
    pub fn family(self) -> Family {
        self.family
    }

    /// Returns the cutoff; `None` for the whole ranking, or for answers.
    #[must_use]
    pub fn cutoff(self) -> Option<Cutoff> {
        self.cutoff
    }

    /// Returns the metrics that every run reports: `EM`, evidence recall and precision at every k of `ks` and at the
    /// prompt; document recall, success and full recall at every k; the ranking metrics at every k and over the whole
    /// ranking; all answer metrics but those of citations.
    #[must_use]
    pub fn standard(ks: &[usize]) -> Vec<Self> {
        let mut metrics = Vec::new();
        for &family in Family::ALL {
            let (at_ks, last) = match family {
                Family::Em | Family::EvidenceRecall | Family::Precision => {
                    (ks, Some(Some(Cutoff::Prompt)))
                }
                Family::Recall | Family::Success | Family::FullRecall => (ks, None),
                Family::ReciprocalRank | Family::Ndcg | Family::AveragePrecision => {
                    (ks, Some(None))
                }
                Family::CitationPrecision | Family::CitationRecall | Family::UncitedValues => {
                    continue;
                }
                _ if family.scores_answers() => (&[][..], Some(None)),
                _ => continue,
            };
            let cutoffs = at_ks.iter().map(|&k| Some(Cutoff::Top(k))).chain(last);
            metrics.extend(cutoffs.filter_map(|cutoff| Self::new(family, cutoff)));
        }
        metrics
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.family.name();
        match self.cutoff {
            None => f.pad(name),
            Some(cutoff) => f.pad(&format!("{name}{cutoff}")),
        }
    }
}

impl FromStr for Metric {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        parse(text, |family, name| family.name() == name).ok_or_else(|| {
            let hint = "metrics read like `EM@5`, `EM@1000t`, `EM@prompt`, `nDCG@10`, `RR`, `AnswerF1`; \
                        the documentation's page Metrics has them all";
            Error::new(format!("unknown metric `{text}`{}", did_you_mean(text)), hint)
        })
    }
}

fn parse(text: &str, is: impl Fn(Family, &str) -> bool) -> Option<Metric> {
    let (name, cutoff) = match text.split_once('@') {
        None => (text, None),
        Some((name, "prompt")) => (name, Some(Cutoff::Prompt)),
        Some((name, cutoff)) => match cutoff.strip_suffix('t') {
            None => (name, Some(Cutoff::Top(counted(cutoff)?))),
            Some(n) => (name, Some(Cutoff::Tokens(counted(n)?))),
        },
    };
    let mut named = Family::ALL.iter().filter(|family| is(**family, name));
    named.find_map(|&family| Metric::new(family, cutoff))
}

/// Parses a number as it is printed: digits only, without a leading zero.
fn counted(digits: &str) -> Option<usize> {
    let is_printed = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| is_printed)
}

/// Names of costs in results files and traces, with their metrics.
const COSTS: [(&str, &str); 3] = [("cost", "usd"), ("cost_usd", "usd"), ("latency", "seconds")];

/// Returns true if `text` is `name` in another case, or with at most one in four letters mistyped.
pub(super) fn is_near(name: &str, text: &str) -> bool {
    let [name, text] = [name, text].map(str::to_ascii_lowercase);
    strsim::osa_distance(&name, &text) <= name.len() / 4
}

/// Returns a clause with the metric that `text` nearly names, or names as a field, if there is one.
pub(super) fn did_you_mean(text: &str) -> String {
    let meant = parse(text, |family, name| family.name().eq_ignore_ascii_case(name));
    let meant = meant.or_else(|| parse(text, |family, name| is_near(family.name(), name)));
    let cost = COSTS.iter().find(|(field, _)| text == *field);
    let meant = meant.or_else(|| parse(cost?.1, |family, name| family.name() == name));
    meant.map(|metric| format!("; did you mean `{metric}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_prints_as_it_parses() {
        let cutoffs = [
            None,
            Some(Cutoff::Prompt),
            Some(Cutoff::Top(1)),
            Some(Cutoff::Top(10)),
            Some(Cutoff::Tokens(1)),
            Some(Cutoff::Tokens(1000)),
        ];
        for &family in Family::ALL {
            let metrics: Vec<Metric> =
                cutoffs.into_iter().filter_map(|cutoff| Metric::new(family, cutoff)).collect();
            assert!(!metrics.is_empty(), "{} takes no cutoff", family.name());
            for metric in metrics {
                assert_eq!(metric.to_string().parse().ok(), Some(metric));
                assert_eq!(serde_json::to_value(metric).expect("a string"), metric.to_string());
            }
        }
    }

    #[test]
    fn the_names_of_the_issue_are_metrics() {
        let names = "nDCG@10 EM@5 EM@prompt Recall@5 Success@5 FullRecall@5 EvidenceRecall@5 P@5 Rprec \
                     SetF1@5 RR RR@10 AP AP@100 Fallout@5 Accuracy@5 Judged@10 MedianRank SpanPrecision@5 SpanRecall@5 IoU@5 \
                     PrecisionOmega AnswerEM AnswerF1 AnswerPrecision AnswerRecall AnswerContains FactRecall ForbiddenFacts \
                     P@prompt AnswerEM(HasAns) AnswerF1(NoAns) EvidenceRecall@1000t EM@1000t SetF1@1t";
        for name in names.split_whitespace() {
            assert_eq!(name.parse::<Metric>().expect(name).to_string(), name);
        }
    }

    #[test]
    fn a_name_with_a_cutoff_it_does_not_take_is_refused() {
        let names = "EM EM@0 EM@05 RR@prompt AnswerF1@5 RR@ RR@-1 @5 Judged P@1e3 P@+1 EM@0t EM@01t EM@t EM@1e3t EM@1000T \
                     EM@1000tt RR@1000t Judged@1000t AnswerF1@1000t @1000t EM@99999999999999999999t";
        for name in names.split(' ').chain([""]) {
            assert!(name.parse::<Metric>().is_err(), "{name}");
        }
    }

    #[test]
    fn a_name_in_another_case_or_with_a_wrong_letter_is_corrected() {
        for (given, meant) in [
            ("ndcg@5", "; did you mean `nDCG@5`?"),
            ("cost_usd", "; did you mean `usd`?"),
            ("latency", "; did you mean `seconds`?"),
            ("nDGC@10", "; did you mean `nDCG@10`?"),
            ("EvidencRecall@5", "; did you mean `EvidenceRecall@5`?"),
            ("BLEU", ""),
        ] {
            let error = given.parse::<Metric>().expect_err(given).to_string();
            assert_eq!(error, format!("unknown metric `{given}`{meant}"));
        }
    }

    #[test]
    fn a_run_reports_each_standard_measure_once() {
        let names: Vec<String> =
            Metric::standard(&[1, 5]).iter().map(ToString::to_string).collect();
        assert_eq!(names[..3], ["EM@1", "EM@5", "EM@prompt"]);
        let once: std::collections::BTreeSet<&String> = names.iter().collect();
        assert_eq!(once.len(), names.len());
        assert!(names.contains(&"RR".to_owned()) && !names.contains(&"Fallout@5".to_owned()));
        // Token budgets have no default.
        assert!(
            Metric::standard(&[1, 5])
                .iter()
                .all(|one| !matches!(one.cutoff(), Some(Cutoff::Tokens(_))))
        );
    }
}
