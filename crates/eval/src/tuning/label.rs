//! Trials in words: by the settings in which they differ from the default, and their values.

use std::collections::{BTreeMap, BTreeSet};

use super::{RankedTrial, SweepScores};

/// Names the trials of a sweep. A trial without settings keeps its name.
pub(super) struct Labels<'a> {
    default: Option<&'a BTreeMap<String, String>>,
    /// The settings in which some trial differs from the default.
    changed: BTreeSet<&'a String>,
}

impl<'a> Labels<'a> {
    pub fn new(sweep: &'a SweepScores) -> Self {
        let default = sweep.trials.first().map(|trial| &trial.values);
        let differing = sweep.trials.iter().flat_map(|trial| &trial.values);
        let changed = differing
            .filter(|(key, value)| default.is_none_or(|default| default.get(*key) != Some(*value)))
            .map(|(key, _)| key);
        Self { default, changed: changed.collect() }
    }

    /// Formats the settings that make the trial from the default.
    pub fn setting(&self, row: &RankedTrial) -> String {
        let differing = self.differing(row);
        if differing.is_empty() {
            return row.name.clone();
        }
        settings(differing.into_iter().map(|(key, value, _)| (key, value)))
    }

    /// Formats `chunking.size = 512 instead of 200`.
    pub fn instead(&self, row: &RankedTrial) -> String {
        let differing = self.differing(row);
        let before = match &differing[..] {
            [] => "the default".to_owned(),
            [(_, _, before)] => (*before).clone(),
            several => settings(several.iter().map(|(key, _, before)| (*key, *before))),
        };
        format!("{} instead of {before}", self.setting(row))
    }

    /// Formats the default's values of all settings that some trial changes.
    pub fn default(&self) -> String {
        let values = self.changed.iter().filter_map(|key| Some((*key, self.default?.get(*key)?)));
        match settings(values) {
            text if text.is_empty() => "the default".to_owned(),
            text => text,
        }
    }

    /// Returns each differing setting with the trial's value and the default's.
    fn differing<'b>(&'b self, row: &'b RankedTrial) -> Vec<(&'b String, &'b String, &'b String)> {
        let values = row.values.iter();
        values
            .filter_map(|(key, value)| Some((key, value, self.default?.get(key)?)))
            .filter(|(_, value, before)| value != before)
            .collect()
    }
}

fn settings<'b>(values: impl Iterator<Item = (&'b String, &'b String)>) -> String {
    let pairs: Vec<String> = values.map(|(key, value)| format!("{key} = {value}")).collect();
    pairs.join(", ")
}
