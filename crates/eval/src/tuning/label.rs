//! Trials in words: by the settings in which they differ from the default, and their values.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

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
            [(_, _, before)] => plain(before),
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
    let pairs: Vec<String> =
        values.map(|(key, value)| format!("{key} = {}", plain(value))).collect();
    pairs.join(", ")
}

/// Writes a text without quotes and a list of words without brackets. All else stays as it is: of `["\n\n","."]` or `" "` little could
/// be seen without them.
#[must_use]
pub fn plain(value: &str) -> String {
    match serde_json::from_str(value) {
        Ok(Value::String(text)) if is_visible(&text) => text,
        Ok(Value::Array(items)) if items.is_empty() => "none".to_owned(),
        Ok(Value::Array(items)) => {
            words(&items).map_or_else(|| value.to_owned(), |words| words.join(" + "))
        }
        _ => value.to_owned(),
    }
}

fn is_visible(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && !text.chars().any(char::is_control)
}

/// Returns the items if all of them are words.
fn words(items: &[Value]) -> Option<Vec<&str>> {
    items.iter().map(|item| item.as_str().filter(|text| is_word(text))).collect()
}

fn is_word(text: &str) -> bool {
    text.starts_with(char::is_alphanumeric)
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_loses_its_quotes_a_list_of_words_its_brackets_and_all_else_stays() {
        for (value, expected) in [
            ("256", "256"),
            ("0.75", "0.75"),
            ("\"recursive\"", "recursive"),
            ("[\"bm25\",\"dense\"]", "bm25 + dense"),
            ("[]", "none"),
            ("not set", "not set"),
            ("{\"k\":1}", "{\"k\":1}"),
            (r#"["\n\n","\n","."]"#, r#"["\n\n","\n","."]"#),
            (r#"["bm25","."]"#, r#"["bm25","."]"#),
            (r#"["bm25",""]"#, r#"["bm25",""]"#),
            (r#"["two words"]"#, r#"["two words"]"#),
            ("[1,2]", "[1,2]"),
            ("\" \"", "\" \""),
        ] {
            assert_eq!(plain(value), expected);
        }
    }
}
