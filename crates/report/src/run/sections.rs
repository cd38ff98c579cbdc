//! The sections of a run's report, in the order of every format.

use crate::document::Section;

/// Verdict, losses, advice and warnings.
pub(crate) const VERDICT: Section = Section { id: "summary", title: "Verdict", reading: "" };
/// Other settings.
pub(crate) const EFFECTS: Section = Section {
    id: "effects",
    title: "Other settings",
    reading: "Their effects are computed from the recorded rankings, not measured in a run.",
};
/// Single questions.
pub(crate) const QUESTIONS: Section = Section {
    id: "questions",
    title: "Questions",
    reading: "Where the evidence of each question went, and what was answered.",
};
/// Data, settings, versions.
pub(crate) const CONFIGURATION: Section = Section {
    id: "run",
    title: "Configuration",
    reading: "The corpus, the questions, and the settings that differ from their defaults or matter most. run.json has all settings, hashes and versions.",
};
/// All metrics.
pub(crate) const METRICS: Section = Section {
    id: "metrics",
    title: "Metrics",
    reading: "Means over n questions. Retrieval metrics score rankings against the gold evidence; answer metrics score answers against \
              the gold answers. Intervals are 95% CIs: bootstrap over clusters of questions that share gold evidence; Wilson score \
              intervals for class shares, which treat questions as independent. They do not cover another corpus, another question \
              set or the generator's own noise.",
};
/// Slices.
pub(crate) const DIAGNOSIS: Section = Section {
    id: "diagnosis",
    title: "Diagnosis",
    reading: "What lost questions have in common. Take these as hypotheses, and confirm them on other questions.",
};
/// Seconds by step.
pub(crate) const TIME: Section = Section {
    id: "effort",
    title: "Time and cost",
    reading: "Wall time of the steps in seconds, and what a question costs.",
};
