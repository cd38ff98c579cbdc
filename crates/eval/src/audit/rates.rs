//! Error rate of the attribution, and shares of the failure classes corrected for it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Corrections;
use crate::summary::{self, EvaluationPlan, Share};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::stats::interval::of_equal_values;
use ragtriage_core::stats::wilson::wilson;
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
    /// Audited questions.
    pub n_audited: usize,
    /// Audited questions whose printed class was wrong, with their share and its Wilson interval.
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

/// Computes the results of an audit. `outcomes` are parallel to the run's traces.
///
/// Corrected shares are post-stratified by the printed class (Holt and Smith 1979): with W(h) the share of questions printed as
/// h over the whole run, and p(j | h) the share of class j among the audited questions printed as h,
///
/// `share(j) = sum over h of W(h) p(j | h)`
///
/// where p(h | h) = 1 for a class h without audited questions. Intervals: bootstrap over clusters of audited questions, with
/// the same rule within each resample; if all resamples are equal, the exact binomial bound of [`of_equal_values`] over the
/// clusters, since unobserved classes may exist.
#[must_use]
pub fn audit(
    run: &SavedRun,
    outcomes: &[Outcome],
    corrections: &Corrections,
    plan: &EvaluationPlan,
) -> Audit {
    let cells: Vec<(FailureClass, FailureClass)> = corrections
        .judged
        .iter()
        .map(|judged| (outcomes[judged.at].class, judged.correct))
        .collect();
    let n_questions = outcomes.len();
    let mut printed = [0.0; N_CLASSES];
    for outcome in outcomes {
        printed[outcome.class as usize] += 1.0 / n_questions as f64;
    }
    let confusion = confusion(&cells);
    let mut counts: Joint = [[0.0; N_CLASSES]; N_CLASSES];
    for cell in &confusion {
        counts[cell.printed as usize][cell.correct as usize] = cell.count as f64;
    }
    let corrected = corrected(&printed, &counts);
    let audited = corrections
        .judged
        .iter()
        .map(|judged| &run.traces[judged.at]);
    let bootstrap = Bootstrap::new(
        summary::cluster_of(audited, plan.cluster),
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
        if printed[at] > 0.0 && cells.iter().all(|(found, _)| *found != class) {
            not_audited.push(class);
        }
    }
    let n_wrong = cells
        .iter()
        .filter(|(printed, correct)| printed != correct)
        .count();
    let n_audited = cells.len();
    Audit {
        schema: SCHEMA,
        run: run.manifest.name.clone(),
        n_questions,
        n_sampled: corrections.n_lines,
        n_audited,
        wrong: Share {
            count: n_wrong,
            share: n_wrong as f64 / n_audited.max(1) as f64,
            ci95: wilson(n_wrong, n_audited),
        },
        confusion,
        classes,
        not_audited,
    }
}

fn confusion(cells: &[(FailureClass, FailureClass)]) -> Vec<Mistake> {
    let mut counts: BTreeMap<(FailureClass, FailureClass), usize> = BTreeMap::new();
    for cell in cells {
        *counts.entry(*cell).or_default() += 1;
    }
    counts
        .into_iter()
        .map(|((printed, correct), count)| Mistake {
            printed,
            correct,
            count,
        })
        .collect()
}

/// Returns the post-stratified shares; `joint` may be counts or shares.
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
    cells: &[(FailureClass, FailureClass)],
    bootstrap: &Bootstrap,
) -> Vec<Option<Interval>> {
    let columns: Vec<Vec<Option<f64>>> = confusion
        .iter()
        .map(|mistake| {
            let is = cells
                .iter()
                .map(|cell| *cell == (mistake.printed, mistake.correct));
            is.map(|is| Some(f64::from(u8::from(is)))).collect()
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
            let spread = bootstrap.interval(shares)?;
            Some(if same {
                of_equal_values(*share, (0.0, 1.0), bootstrap.n_clusters())
            } else {
                spread
            })
        })
        .collect()
}
