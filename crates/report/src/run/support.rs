//! Supported questions by stage, and failure classes.

use std::collections::BTreeMap;

use ragtriage_core::types::{FailureClass, Interval, Stage};
use ragtriage_eval::diagnose::WaterfallStep;
use ragtriage_eval::summary::{Share, Summary};

/// A stage of the waterfall.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SupportRow {
    /// The stage.
    pub label: String,
    /// Questions still supported.
    pub count: usize,
    /// Their share, in 0..=1.
    pub share: f64,
    /// Questions lost here, by failure class.
    pub lost: BTreeMap<&'static str, usize>,
    /// Questions before this stage less those after it.
    pub n_lost: usize,
    /// The count with `answer_elsewhere` taken for support, where it differs.
    pub with_elsewhere: Option<usize>,
}

/// A failure class with its share.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassRow {
    /// The class.
    pub class: FailureClass,
    /// Faults that `generation` is made of.
    pub faults: String,
    /// Questions.
    pub count: usize,
    /// Over all questions.
    pub share: f64,
    /// Wilson's 95% CI.
    pub ci95: Option<Interval>,
    /// The smallest and the largest count, whether unsure answers are right or wrong, where they differ.
    pub bounds: Option<[usize; 2]>,
    /// Questions with `answer_elsewhere` taken for support, where that differs for any class.
    pub with_elsewhere: Option<usize>,
}

/// Collects the waterfall; empty for a data set without gold. `lost` is parallel to [`Stage::ALL`].
pub(super) fn support(
    summary: &Summary,
    lost: Vec<BTreeMap<&'static str, usize>>,
) -> Vec<SupportRow> {
    let n = summary.waterfall_n;
    if n == 0 {
        return Vec::new();
    }
    let before = [n].into_iter().chain(summary.waterfall.iter().map(|step| step.supported));
    let steps = summary.waterfall.iter().zip(&summary.waterfall_with_elsewhere);
    let mut lost = Stage::ALL.into_iter().zip(lost).peekable();
    steps
        .zip(before)
        .map(|((step, other), before)| {
            // A stage whose result is not known has no step: its losses show at the next.
            let mut here = BTreeMap::new();
            while let Some((_, classes)) = lost.next_if(|(stage, _)| *stage <= step.stage) {
                for (class, count) in classes {
                    *here.entry(class).or_default() += count;
                }
            }
            row(step, other, before, here, n)
        })
        .collect()
}

fn row(
    step: &WaterfallStep,
    other: &WaterfallStep,
    before: usize,
    lost: BTreeMap<&'static str, usize>,
    n: usize,
) -> SupportRow {
    SupportRow {
        label: step.stage.result().to_owned(),
        count: step.supported,
        share: step.supported as f64 / n as f64,
        lost,
        n_lost: before.saturating_sub(step.supported),
        with_elsewhere: (other.supported != step.supported).then_some(other.supported),
    }
}

/// Collects the failure classes that occur.
pub(super) fn classes(summary: &Summary) -> Vec<ClassRow> {
    let (labels, elsewhere) = (&summary.class_shares, &summary.class_shares_with_elsewhere);
    let differs =
        FailureClass::ALL.iter().any(|class| count(labels, *class) != count(elsewhere, *class));
    let rows = FailureClass::ALL.iter().filter_map(|class| {
        let with_elsewhere = differs.then(|| count(elsewhere, *class));
        let share = labels.get(class.name())?;
        let bounds = summary.class_bounds.get(class.name()).copied();
        let bounds = bounds.filter(|[low, high]| low < high);
        let occurs = share.count + with_elsewhere.unwrap_or(0) > 0 || bounds.is_some();
        occurs.then(|| ClassRow {
            class: *class,
            faults: match class {
                FailureClass::Generation => counted(&summary.generation),
                _ => String::new(),
            },
            count: share.count,
            share: share.share,
            ci95: share.ci95,
            bounds,
            with_elsewhere,
        })
    });
    rows.collect()
}

fn count(shares: &BTreeMap<String, Share>, class: FailureClass) -> usize {
    shares.get(class.name()).map_or(0, |share| share.count)
}

/// The flags that were raised, with their counts.
pub(super) fn flags(summary: &Summary) -> String {
    counted(&summary.flags)
}

fn counted(counts: &BTreeMap<String, usize>) -> String {
    let raised = counts.iter().filter(|(_, n)| **n > 0);
    raised.map(|(name, n)| format!("{n} {name}")).collect::<Vec<_>>().join(", ")
}
