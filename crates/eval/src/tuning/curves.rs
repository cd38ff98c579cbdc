//! The lines of the drawings: a measure against k, and against chunk size.

use std::collections::BTreeMap;

use super::aligned::{Aligned, Column};
use super::means::mean;
use super::outcome::Curve;
use ragtriage_core::measure::{Cutoff, Measure};

/// The means at each k of `measures`, a curve each of `settings`; those without a value have none.
pub(super) fn by_k(
    aligned: &Aligned<'_>,
    settings: &[&Column<'_>],
    measures: &[Measure],
) -> Vec<Curve> {
    let point = |setting: &Column<'_>, measure: Measure| match measure.cutoff() {
        Some(Cutoff::Top(k)) => Some((k as f64, aligned.mean_of(setting, measure)?)),
        _ => None,
    };
    let curve = |setting: &&Column<'_>| {
        let points = measures
            .iter()
            .filter_map(|measure| point(setting, *measure))
            .collect();
        Curve {
            name: setting.tried.name.clone(),
            points,
        }
    };
    settings
        .iter()
        .map(curve)
        .filter(|curve| !curve.points.is_empty())
        .collect()
}

/// The means of `measure` against chunk size, a curve a group of the sweep's settings, by the groups' names. A point is the
/// mean over the group's settings of that size.
pub(super) fn by_size(aligned: &Aligned<'_>, measure: Measure) -> Vec<Curve> {
    let mut groups: BTreeMap<&str, BTreeMap<usize, Vec<f64>>> = BTreeMap::new();
    for setting in aligned.sweep() {
        if let (Some(size), Some(found)) = (setting.tried.size, aligned.mean_of(setting, measure)) {
            groups
                .entry(&setting.tried.group)
                .or_default()
                .entry(size)
                .or_default()
                .push(found);
        }
    }
    let curve = |(group, sizes): (&str, BTreeMap<usize, Vec<f64>>)| Curve {
        name: group.to_owned(),
        points: sizes
            .into_iter()
            .map(|(size, means)| (size as f64, mean(&means)))
            .collect(),
    };
    groups.into_iter().map(curve).collect()
}
