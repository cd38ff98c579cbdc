//! The sections of a run's report, in the order of every format.

use crate::document::Section;

/// Verdict, funnel, main figures, advice and warnings.
pub(crate) const VERDICT: Section = Section {
    title: "Verdict",
    reading: "Judges the pipeline by right answers that complete evidence in the prompt would bring.",
};
/// Loss budget, waterfall, failure classes, other settings.
pub(crate) const LOSSES: Section = Section {
    title: "Losses",
    reading: "The loss budget counts right answers that each stage costs. Support and failure classes count each question \
              once, at the first stage whose output lacks that question's evidence. Effects of other settings are computed, not \
              measured in a run.",
};
/// Single questions.
pub(crate) const QUESTIONS: Section = Section {
    title: "Questions",
    reading: "Each question with the stage that lost its answer and the passage that should have arrived.",
};
/// Data, settings, versions.
pub(crate) const CONFIGURATION: Section = Section {
    title: "Configuration",
    reading: "The corpus, the questions and the pipeline that these numbers describe.",
};
/// All metrics.
pub(crate) const METRICS: Section = Section {
    title: "Metrics",
    reading: "Means over n questions with 95% CIs. Retrieval metrics score rankings against the gold evidence; answer metrics score \
              answers against the gold answers.",
};
/// Slices.
pub(crate) const DIAGNOSIS: Section = Section {
    title: "Diagnosis",
    reading: "What lost questions have in common. Take these as hypotheses, and confirm them on other questions.",
};
/// Limits of the numbers.
pub(crate) const LIMITS: Section =
    Section { title: "Limits", reading: "What the numbers cover, and what they do not." };
/// Seconds and tokens.
pub(crate) const TIME: Section = Section {
    title: "Time",
    reading: "Seconds by step. Search, fusion, packing and generation are summed over concurrent questions.",
};
