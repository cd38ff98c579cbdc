//! The report of a comparison as data ([`ComparisonView`]), and as a report for every format (`report`).

pub(crate) mod report;

use ragtriage_core::measure::Cutoff;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::FailureClass;
use ragtriage_eval::compare::answers::{Contingency, FlipGroup, JudgedBy, Turn};
use ragtriage_eval::compare::differences::MeasureDifference;
use ragtriage_eval::compare::pairs::QuestionCounts;
use ragtriage_eval::compare::provenance::RunChange;
use ragtriage_eval::compare::{Comparison, PairComparison, RunHead, p_text};

use crate::document::Fact;
use crate::few_clusters;
use crate::run::plain;

/// A comparison's content.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonView {
    /// Each run with its description, the baseline first.
    pub runs: Vec<Fact>,
    /// Each compared run with its verdicts.
    pub verdicts: Vec<Fact>,
    /// The pairs, one per compared run.
    pub pairs: Vec<PairView>,
    /// Explanations of the table of measures.
    pub legend: Vec<String>,
}

/// Limits of a comparison report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparisonDetail {
    /// Flipped questions of each group, at most.
    pub flips: usize,
    /// Every cutoff; else what was packed by the baseline, what stood in the prompt, and whole rankings.
    pub every_cutoff: bool,
}

/// A run compared with the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct PairView {
    /// The run's label.
    pub label: String,
    /// Who is compared, over how many questions.
    pub title: String,
    /// Warnings.
    pub notices: Vec<String>,
    /// Differing settings: name, the baseline's value, the run's.
    pub changes: Vec<[String; 3]>,
    /// A measure a row, those on which some question differs.
    pub measures: Vec<MeasureDifferenceRow>,
    /// Measures that are the same on every question.
    pub same: Vec<String>,
    /// Number of measures at other cutoffs, which are not shown.
    pub n_hidden: usize,
    /// Measures that no question has in both runs.
    pub undefined: Vec<String>,
    /// Good in one run by good in the other.
    pub agreement: Option<AgreementView>,
    /// Questions that flipped.
    pub flips: Vec<FlipGroupView>,
}

/// A measure's cells.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureDifferenceRow {
    /// `true` for the primary measure.
    pub primary: bool,
    /// Parallel to [`COLUMNS`].
    pub cells: [String; COLUMNS.len()],
}

/// The columns of the measures' table; A and B stand for the runs compared.
pub const COLUMNS: [&str; 9] = ["measure", "n", "A", "B", "delta", "95% CI", "p", "MDE", "W/T/L"];

/// The 2 x 2 of good and not good.
#[derive(Clone, Debug, PartialEq)]
pub struct AgreementView {
    /// The heading.
    pub title: String,
    /// The words for good and not good.
    pub states: [&'static str; 2],
    /// Rows: the baseline good and not; columns: the run good and not.
    pub counts: [[usize; 2]; 2],
    /// `McNemar`'s test.
    pub test: String,
}

/// Flipped questions of one pair of classes.
#[derive(Clone, Debug, PartialEq)]
pub struct FlipGroupView {
    /// The turn, the two classes and the number of questions.
    pub title: String,
    /// The turn: `lost`, `gained`, `moved`.
    pub turn: &'static str,
    /// The classes in the baseline and in the run.
    pub classes: (FailureClass, FailureClass),
    /// The questions shown.
    pub questions: Vec<FlipView>,
    /// Number of questions not shown.
    pub n_hidden: usize,
}

/// A flipped question.
#[derive(Clone, Debug, PartialEq)]
pub struct FlipView {
    /// Its id.
    pub id: String,
    /// Its text.
    pub question: String,
    /// Gold answer, the baseline's answer, the run's.
    pub texts: Vec<Fact>,
}

impl ComparisonView {
    /// Collects as much of a comparison as `detail` asks for.
    #[must_use]
    pub fn new(comparison: &Comparison, detail: ComparisonDetail) -> Self {
        let pairs = &comparison.pairs;
        let runs = pairs.iter().map(|pair| describe(&pair.run, ""));
        Self {
            runs: [describe(&comparison.baseline, ", the baseline")]
                .into_iter()
                .chain(runs)
                .collect(),
            verdicts: pairs
                .iter()
                .map(|pair| Fact::new(&*pair.run.label, &*pair.verdict))
                .collect(),
            pairs: pairs.iter().map(|pair| pair_view(comparison, pair, detail)).collect(),
            legend: legend(comparison),
        }
    }
}

fn describe(head: &RunHead, role: &str) -> Fact {
    let n = head.n_questions;
    Fact::new(&*head.label, format!("{}{role}: {n} questions, {}", head.name, head.started))
}

fn legend(comparison: &Comparison) -> Vec<String> {
    let mut legend = vec![
        "delta: the run minus A over the n questions that both have; p: paired randomisation test, clusters of questions that \
         share gold evidence flipped together; 95% CI: the differences that this test does not reject, so it excludes 0 exactly \
         where p < 0.05 (medians: bootstrap over the same clusters); MDE: minimum detectable effect at 80% power; W/T/L: questions on which the run is better, equal, worse"
            .to_owned(),
    ];
    if let Some(primary) = comparison.primary {
        let n = comparison.pairs.len();
        let adjusted = if n > 1 {
            format!("; its p are Holm-adjusted over the {n} compared runs")
        } else {
            String::new()
        };
        legend.push(format!(
            "* {primary} is the primary metric{adjusted}. Every other p is unadjusted and exploratory"
        ));
    }
    legend
}

fn pair_view(comparison: &Comparison, pair: &PairComparison, detail: ComparisonDetail) -> PairView {
    let (label, baseline) = (&pair.run.label, &comparison.baseline);
    let fitting = pair.measures.iter();
    let fitting = fitting.filter(|found| fits(found, comparison, detail));
    let (listed, others): (Vec<&MeasureDifference>, Vec<&MeasureDifference>) =
        fitting.partition(|found| {
            is_primary(found, comparison) || found.n > 0 && found.wins + found.losses > 0
        });
    let n_hidden = pair.measures.len() - listed.len() - others.len();
    let (same, undefined): (Vec<&MeasureDifference>, Vec<&MeasureDifference>) =
        others.into_iter().partition(|found| found.n > 0);
    let rows = listed.into_iter().map(|found| MeasureDifferenceRow {
        primary: is_primary(found, comparison),
        cells: cells(found),
    });
    PairView {
        label: label.clone(),
        title: format!(
            "{label} ({}) against {} ({}): {}, {}",
            pair.run.name,
            baseline.label,
            baseline.name,
            plural(pair.questions.compared, "question", "questions"),
            plural(pair.questions.n_clusters, "cluster", "clusters")
        ),
        notices: notices(pair),
        changes: pair.changes.iter().map(change).collect(),
        measures: rows.collect(),
        same: names(&same),
        undefined: names(&undefined),
        n_hidden,
        agreement: pair.agreement.as_ref().map(|found| agreement(found, pair.questions)),
        flips: pair.flips.iter().map(|group| flip_group(group, label, detail.flips)).collect(),
    }
}

fn is_primary(found: &MeasureDifference, comparison: &Comparison) -> bool {
    Some(found.measure) == comparison.primary.map(Into::into)
}

fn fits(found: &MeasureDifference, comparison: &Comparison, detail: ComparisonDetail) -> bool {
    match found.measure.cutoff() {
        Some(Cutoff::Top(k)) => {
            k == comparison.k || detail.every_cutoff || is_primary(found, comparison)
        }
        Some(Cutoff::Tokens(_) | Cutoff::Prompt) | None => true,
    }
}

fn names(measures: &[&MeasureDifference]) -> Vec<String> {
    measures.iter().map(|found| found.measure.to_string()).collect()
}

fn notices(pair: &PairComparison) -> Vec<String> {
    let questions = &pair.questions;
    let label = &pair.run.label;
    let mut notices = Vec::new();
    let left_out: Vec<String> = [
        (questions.only_baseline, "only in A".to_owned()),
        (questions.only_run, format!("only in {label}")),
        (questions.other_text, "with the same id and different texts".to_owned()),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, why)| format!("{n} {why}"))
    .collect();
    if !left_out.is_empty() {
        notices.push(format!(
            "compared over the questions that both ask; left out: {}",
            left_out.join(", ")
        ));
    }
    if questions.failed > 0 {
        notices.push(format!(
            "{} left out: failed in one run or both",
            questions_and(questions.failed, "was", "were")
        ));
    }
    if pair.changes.iter().any(|change| change.what.starts_with("evaluation.")) {
        notices.push("evaluation settings differ: both runs are scored with those of A".to_owned());
    }
    if questions.other_gold > 0 {
        notices.push(format!(
            "{} different gold answers in the two runs, and each run is scored with its own: labels may cause part of a difference",
            questions_and(questions.other_gold, "has", "have")
        ));
    }
    notices.extend(few_clusters::warning(
        questions.compared,
        questions.n_clusters,
        questions.largest_cluster,
    ));
    notices
}

/// `1 question was`, `2 questions were`.
fn questions_and(n: usize, one: &str, many: &str) -> String {
    let verb = if n == 1 { one } else { many };
    format!("{} {verb}", plural(n, "question", "questions"))
}

fn change(change: &RunChange) -> [String; 3] {
    [change.what.clone(), setting_text(&change.baseline), setting_text(&change.run)]
}

fn setting_text(value: &serde_json::Value) -> String {
    match plain(value) {
        text if value.is_null() || text.is_empty() => "(none)".to_owned(),
        text => text,
    }
}

fn cells(found: &MeasureDifference) -> [String; COLUMNS.len()] {
    [
        found.measure.to_string(),
        found.n.to_string(),
        format!("{:.3}", found.baseline),
        format!("{:.3}", found.run),
        format!("{:+.3}", found.delta),
        found.ci95.map_or_else(dash, |ci| format!("[{:+.3}, {:+.3}]", ci.low, ci.high)),
        found.p_holm.or(found.p).map_or_else(dash, p_text),
        found.detectable_text().unwrap_or_else(dash),
        format!("{}/{}/{}", found.wins, found.ties, found.losses),
    ]
}

fn dash() -> String {
    "-".to_owned()
}

fn agreement(found: &Contingency, questions: QuestionCounts) -> AgreementView {
    let clustered = questions.n_clusters < questions.compared;
    let caveat = if clustered {
        " (the test takes questions as independent, but some share gold evidence)"
    } else {
        ""
    };
    let (title, states) = match found.of {
        JudgedBy::Answer => ("Answers", ["right", "wrong"]),
        JudgedBy::Support => ("Support in the prompt", ["there", "not there"]),
    };
    AgreementView {
        title: format!("{title} ({} judged in both)", plural(found.n, "question", "questions")),
        states,
        counts: [[found.both, found.only_baseline], [found.only_run, found.neither]],
        test: format!("McNemar's exact p: {}{caveat}", p_text(found.p)),
    }
}

fn flip_group(group: &FlipGroup, label: &str, shown: usize) -> FlipGroupView {
    let (turn, name) = match group.turn {
        Turn::Lost => ("lost", "lost"),
        Turn::Gained => ("gained", "gained"),
        Turn::Moved => ("lost at another stage", "moved"),
    };
    let questions = group.questions.iter().take(shown).map(|flip| {
        let gold = Some(flip.gold.clone()).filter(|gold| !gold.is_empty());
        let texts = [("gold", gold), ("A", flip.baseline.clone()), (label, flip.run.clone())];
        FlipView {
            id: flip.id.to_string(),
            question: flip.question.clone(),
            texts: texts
                .into_iter()
                .filter_map(|(what, text)| Some(Fact::new(what, text?)))
                .collect(),
        }
    });
    FlipGroupView {
        title: format!("{turn}: {} -> {} ({})", group.from, group.to, group.questions.len()),
        turn: name,
        classes: (group.from, group.to),
        questions: questions.collect(),
        n_hidden: group.questions.len().saturating_sub(shown),
    }
}
