//! Curves for charts: a measure against k, and against chunk size.

use std::collections::BTreeMap;

use super::aligned::{AlignedSweep, AlignedTrial};
use super::means::mean;
use super::outcome::SweepCurve;
use ragtriage_core::measure::{Cutoff, Measure};

/// Returns the means at each k of `measures`, one curve for each of `trials`; trials without a
/// value have none.
pub(super) fn by_k(
    aligned: &AlignedSweep<'_>,
    trials: &[&AlignedTrial<'_>],
    measures: &[Measure],
) -> Vec<SweepCurve> {
    let curves = trials.iter().map(|trial| {
        let points = measures.iter().filter_map(|measure| match measure.cutoff() {
            Some(Cutoff::Top(k)) => Some((k as f64, aligned.mean_of(trial, *measure)?)),
            _ => None,
        });
        SweepCurve { name: trial.scored.name.clone(), points: points.collect() }
    });
    curves.filter(|curve| !curve.points.is_empty()).collect()
}

/// Returns the means of `measure` against chunk size, one curve per group of the sweep's trials, by the groups' names. A
/// point is the mean over the group's trials of that size.
pub(super) fn by_size(aligned: &AlignedSweep<'_>, measure: Measure) -> Vec<SweepCurve> {
    let mut groups: BTreeMap<&str, BTreeMap<usize, Vec<f64>>> = BTreeMap::new();
    for trial in aligned.searched() {
        if let (Some(size), Some(found)) = (trial.scored.size, aligned.mean_of(trial, measure)) {
            groups.entry(&trial.scored.group).or_default().entry(size).or_default().push(found);
        }
    }
    groups
        .into_iter()
        .map(|(group, sizes): (&str, BTreeMap<usize, Vec<f64>>)| SweepCurve {
            name: group.to_owned(),
            points: sizes.into_iter().map(|(size, means)| (size as f64, mean(&means))).collect(),
        })
        .collect()
}
