//! Error rate of the attribution, and shares of the failure classes corrected for it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::answer_audit::AnswerAudit;
use super::answers::answer_audit;
use super::corrections::Corrections;
use crate::clusters;
use crate::summary::{EvaluationPlan, Share};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::rightness::Correctness;
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::stats::interval::of_equal_values;
use ragtriage_core::stats::wilson;
use ragtriage_core::types::{FailureClass, Interval};
use ragtriage_runs::{SCHEMA, SavedRun};

const N_CLASSES: usize = FailureClass::ALL.len();
/// Questions, or shares, by printed class and then by correct class.
type Joint = [[f64; N_CLASSES]; N_CLASSES];

/// Results of an audit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Audit {
    /// The files' schema.
    pub schema: u32,
    /// The run's name.
    pub run: String,
    /// Questions of the run.
    pub n_questions: usize,
    /// Lines of the sheet.
    pub n_sampled: usize,
    /// Agreement on the answers; `None` if no answer was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<AnswerAudit>,
    /// Questions whose class was audited.
    pub n_audited: usize,
    /// Audited questions whose printed class was wrong, with their weighted share and its Wilson interval at the effective
    /// number of questions (Kish 1965).
    pub wrong: Share,
    /// Every combination of printed and correct class that occurred, equal ones included, in the
    /// classes' order.
    pub confusion: Vec<Mistake>,
    /// By class name; classes neither printed nor found are omitted.
    pub classes: BTreeMap<String, CorrectedShare>,
    /// Classes without audited questions: their share is taken as printed.
    pub not_audited: Vec<FailureClass>,
}

/// A cell of the confusion matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Mistake {
    /// The class assigned by the rules.
    pub printed: FailureClass,
    /// The auditor's class.
    pub correct: FailureClass,
    /// Questions.
    pub count: usize,
}

/// A class's printed and corrected share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CorrectedShare {
    /// Share of all questions of the run, by the rules.
    pub printed: f64,
    /// Share of all questions of the run, corrected by the audit.
    pub corrected: f64,
    /// Its 95% interval; `None` if the audited questions form fewer than two clusters.
    pub ci95: Option<Interval>,
}

/// An audited class.
struct AuditedClass {
    printed: FailureClass,
    correct: FailureClass,
    /// Questions of the run that it represents.
    weight: f64,
}

/// Computes the results of an audit. `outcomes` and `rule` are parallel to the run's traces.
///
/// Corrected shares are post-stratified by the printed class (Holt and Smith 1979): with W(h) the share of questions printed as
/// h over the whole run, and p(j | h) the weighted share of class j among the audited questions printed as h,
///
/// `share(j) = sum over h of W(h) p(j | h)`
///
/// where p(h | h) = 1 for a class h without audited questions. A question's weight is the inverse of its probability of being
/// sampled, scaled so that the audited questions of its stratum (rule unsure, or not) represent all of them. Intervals: bootstrap over clusters of audited questions, with
/// the same rule within each resample; if all resamples are equal, the exact binomial bound of [`of_equal_values`] over the
/// clusters, since unobserved classes may exist.
#[must_use]
pub fn audit(
    run: &SavedRun,
    outcomes: &[Outcome],
    rule: &[Option<Correctness>],
    corrections: &Corrections,
    plan: &EvaluationPlan,
) -> Audit {
    let (places, cells) = audited_classes(outcomes, rule, corrections);
    let n_questions = outcomes.len();
    let mut printed = [0.0; N_CLASSES];
    for outcome in outcomes {
        printed[outcome.class as usize] += 1.0 / n_questions as f64;
    }
    let confusion = confusion(&cells);
    let mut weights: Joint = [[0.0; N_CLASSES]; N_CLASSES];
    for cell in &cells {
        weights[cell.printed as usize][cell.correct as usize] += cell.weight;
    }
    let corrected = corrected(&printed, &weights);
    let bootstrap = Bootstrap::new(
        clusters::cluster_of(places.iter().map(|&at| &run.traces[at]), plan.cluster),
        plan.resamples,
        plan.seed,
    );
    let intervals = intervals(&printed, &corrected, &confusion, &cells, &bootstrap);
    let mut classes = BTreeMap::new();
    let mut not_audited = Vec::new();
    for class in FailureClass::ALL {
        let at = class as usize;
        if printed[at] > 0.0 || corrected[at] > 0.0 {
            let share = CorrectedShare {
                printed: printed[at],
                corrected: corrected[at],
                ci95: intervals[at],
            };
            classes.insert(class.name().to_owned(), share);
        }
        if printed[at] > 0.0 && cells.iter().all(|cell| cell.printed != class) {
            not_audited.push(class);
        }
    }
    Audit {
        schema: SCHEMA,
        run: run.manifest.name.clone(),
        n_questions,
        n_sampled: corrections.n_lines,
        answers: answer_audit(run, rule, corrections, plan),
        n_audited: cells.len(),
        wrong: wrong(&cells),
        confusion,
        classes,
        not_audited,
    }
}

/// Returns the audited questions' places in the run, and their classes.
fn audited_classes(
    outcomes: &[Outcome],
    rule: &[Option<Correctness>],
    corrections: &Corrections,
) -> (Vec<usize>, Vec<AuditedClass>) {
    let is_unsure = |at: usize| rule[at] == Some(Correctness::Unsure);
    let audited =
        corrections.judged.iter().filter_map(|question| Some((question, question.correct?)));
    let mut sizes = [0.0; 2];
    for at in (0..outcomes.len()).filter(|at| !outcomes[*at].class.has_no_result()) {
        sizes[usize::from(is_unsure(at))] += 1.0;
    }
    let mut sampled = [0.0; 2];
    for (question, _) in audited.clone() {
        sampled[usize::from(is_unsure(question.at))] += 1.0 / question.inclusion;
    }
    audited
        .map(|(question, correct)| {
            let stratum = usize::from(is_unsure(question.at));
            let class = AuditedClass {
                printed: outcomes[question.at].class,
                correct,
                weight: sizes[stratum] / sampled[stratum] / question.inclusion,
            };
            (question.at, class)
        })
        .unzip()
}

fn wrong(cells: &[AuditedClass]) -> Share {
    let is_wrong = |cell: &&AuditedClass| cell.printed != cell.correct;
    let sum: f64 = cells.iter().map(|cell| cell.weight).sum();
    let squares: f64 = cells.iter().map(|cell| cell.weight * cell.weight).sum();
    let wrong = cells.iter().filter(is_wrong);
    let share = wrong.clone().map(|cell| cell.weight).sum::<f64>() / sum.max(f64::MIN_POSITIVE);
    Share {
        count: wrong.count(),
        share,
        ci95: (sum > 0.0).then(|| wilson::of_share(share, sum * sum / squares)),
    }
}

fn confusion(cells: &[AuditedClass]) -> Vec<Mistake> {
    let mut counts: BTreeMap<(FailureClass, FailureClass), usize> = BTreeMap::new();
    for cell in cells {
        *counts.entry((cell.printed, cell.correct)).or_default() += 1;
    }
    counts
        .into_iter()
        .map(|((printed, correct), count)| Mistake { printed, correct, count })
        .collect()
}

/// Returns the post-stratified shares; `joint` may be weights or shares of them.
fn corrected(printed: &[f64; N_CLASSES], joint: &Joint) -> [f64; N_CLASSES] {
    let mut shares = [0.0; N_CLASSES];
    for (class, row) in joint.iter().enumerate() {
        let audited: f64 = row.iter().sum();
        if audited == 0.0 {
            shares[class] += printed[class];
            continue;
        }
        for (share, count) in shares.iter_mut().zip(row) {
            *share += printed[class] * count / audited;
        }
    }
    shares
}

fn intervals(
    printed: &[f64; N_CLASSES],
    corrected: &[f64; N_CLASSES],
    confusion: &[Mistake],
    cells: &[AuditedClass],
    bootstrap: &Bootstrap,
) -> Vec<Option<Interval>> {
    let columns: Vec<Vec<Option<f64>>> = confusion
        .iter()
        .map(|mistake| {
            let weights = cells.iter().map(|cell| {
                let is = (cell.printed, cell.correct) == (mistake.printed, mistake.correct);
                Some(if is { cell.weight } else { 0.0 })
            });
            weights.collect()
        })
        .collect();
    let means = bootstrap.means(&columns);
    let n_resamples = means.first().map_or(0, Vec::len);
    let mut resampled = vec![Vec::new(); N_CLASSES];
    for at in 0..n_resamples {
        let mut joint: Joint = [[0.0; N_CLASSES]; N_CLASSES];
        for (cell, means) in confusion.iter().zip(&means) {
            joint[cell.printed as usize][cell.correct as usize] = means[at];
        }
        for (shares, share) in resampled.iter_mut().zip(self::corrected(printed, &joint)) {
            shares.push(share);
        }
    }
    resampled
        .into_iter()
        .zip(corrected)
        .map(|(shares, share)| {
            let same = shares.iter().all(|other| (other - share).abs() < 1e-12);
            let spread = bootstrap.interval(shares, bootstrap.n_clusters())?;
            Some(if same {
                of_equal_values(*share, (0.0, 1.0), bootstrap.n_clusters())
            } else {
                spread
            })
        })
        .collect()
}
