//! The search space: parses `[sweep]` to axes, and expands axes to all combinations.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::Error;
use ragtriage_core::text::address;

/// Maximum number of trials of a grid.
const MOST_TRIALS: usize = 10_000;
/// Tables that a sweep may not vary: they change the questions or the scoring, or have no effect on retrieval.
const FIXED: [&str; 10] = [
    "dataset",
    "evaluation",
    "gates",
    "cache",
    "external",
    "http",
    "judge",
    "tune",
    "sweep",
    "generation",
];
/// What a sweep may vary of `generation`: the budget of packing.
const PACKED: &str = "generation.context_tokens";

/// One combination: each varied key with its value.
pub type Combination = BTreeMap<String, Value>;

/// One varied key, or several that are varied together.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepAxis {
    /// The setting, or the table of settings that are varied together.
    pub key: String,
    values: Vec<Value>,
}

/// Parses the axes of a `[sweep]`: a list is an axis, a table is searched recursively. A list of tables varies several settings
/// together: `chunking = [{ size = 64, overlap = 8 }]`.
///
/// # Errors
/// No axis, a value that is not a list, a setting that cannot be varied or is varied twice.
pub fn axes(sweep: &Map<String, Value>) -> Result<Vec<SweepAxis>, Error> {
    let mut axes = Vec::new();
    walk("", sweep, &mut axes)?;
    if axes.is_empty() {
        return Err(Error::setting("`[sweep]` varies nothing").with_hint(
            "give lists of values, for example `[sweep]` with `chunking.size = [64, 128, 256]`",
        ));
    }
    let mut seen = BTreeSet::new();
    for key in axes.iter().flat_map(SweepAxis::leaves) {
        if !can_vary(&key) {
            let error = Error::setting(format!("`{key}` cannot be varied in a sweep"));
            let hint = "all trials of a sweep share questions and scoring, and retrieve only: set it outside `[sweep]`";
            return Err(error.with_hint(hint));
        }
        if !seen.insert(key.clone()) {
            let error = Error::setting(format!("`{key}` is varied twice in `[sweep]`"));
            let hint = "set it once: with other settings in the list of tables, or separately";
            return Err(error.with_hint(hint));
        }
    }
    Ok(axes)
}

fn walk(prefix: &str, table: &Map<String, Value>, axes: &mut Vec<SweepAxis>) -> Result<(), Error> {
    for (name, value) in table {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            Value::Object(inner) => walk(&key, inner, axes)?,
            Value::Array(values) if !values.is_empty() => {
                axes.push(SweepAxis { key, values: values.clone() });
            }
            other => {
                let value = address::shown_url(&other.to_string());
                let error = format!("`sweep.{key}` is {value}, not a list of values");
                return Err(Error::setting(error).with_hint(
                    "write a list: `chunking.size = [64, 128]`; a setting that is a list itself needs a list of lists",
                ));
            }
        }
    }
    Ok(())
}

fn can_vary(key: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_fixed = FIXED.contains(&key.split('.').next().unwrap_or_default()) && key != PACKED;
    !is_fixed && key.chars().all(is_plain)
}

impl SweepAxis {
    /// Returns the keys it sets.
    fn leaves(&self) -> BTreeSet<String> {
        self.values.iter().flat_map(|value| leaves(&self.key, value).into_keys()).collect()
    }
}

/// Returns the keys and values that one entry sets: those of a table, or one.
fn leaves(key: &str, value: &Value) -> Combination {
    match value {
        // An empty table changes nothing: `rerank = [{}, { model = "..." }]` includes a trial without a reranker.
        Value::Object(table) => {
            table.iter().flat_map(|(name, value)| leaves(&format!("{key}.{name}"), value)).collect()
        }
        value => [(key.to_owned(), value.clone())].into(),
    }
}

/// Returns all combinations, without duplicates, in order, the last axis fastest.
///
/// # Errors
/// Too many combinations.
pub fn points(axes: &[SweepAxis]) -> Result<Vec<Combination>, Error> {
    let mut points = vec![Combination::new()];
    for axis in axes {
        if points.len().saturating_mul(axis.values.len()) > MOST_TRIALS {
            let error = format!("the grid has more than {MOST_TRIALS} trials");
            return Err(Error::setting(error).with_hint("vary less"));
        }
        let with = |point: &Combination, value: &Value| {
            point.clone().into_iter().chain(leaves(&axis.key, value)).collect::<Combination>()
        };
        let values = &axis.values;
        points =
            points.iter().flat_map(|point| values.iter().map(|value| with(point, value))).collect();
    }
    let mut seen = BTreeSet::new();
    points.retain(|point| seen.insert(written(point)));
    Ok(points)
}

fn written(point: &Combination) -> String {
    serde_json::to_string(point).expect("JSON values serialise")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(text: &str) -> Map<String, Value> {
        toml::from_str(text).expect("TOML")
    }

    fn grid_of(text: &str) -> Vec<String> {
        let axes = axes(&sweep(text)).expect("axes");
        points(&axes).expect("points").iter().map(written).collect()
    }

    #[test]
    fn a_grid_is_every_combination_with_the_last_axis_fastest() {
        let points = grid_of(
            "chunking.size = [64, 128]\nretrieval.retrievers = [[\"bm25\"], [\"bm25\", \"dense\"]]",
        );
        assert_eq!(
            points,
            [
                r#"{"chunking.size":64,"retrieval.retrievers":["bm25"]}"#,
                r#"{"chunking.size":64,"retrieval.retrievers":["bm25","dense"]}"#,
                r#"{"chunking.size":128,"retrieval.retrievers":["bm25"]}"#,
                r#"{"chunking.size":128,"retrieval.retrievers":["bm25","dense"]}"#,
            ]
        );
    }

    #[test]
    fn a_list_of_tables_varies_settings_together_and_a_repeated_value_is_one() {
        let points = grid_of(
            "chunking = [{ size = 64, overlap = 8 }, { size = 64, overlap = 8 }, { strategy = \"document\" }]",
        );
        assert_eq!(
            points,
            [r#"{"chunking.overlap":8,"chunking.size":64}"#, r#"{"chunking.strategy":"document"}"#]
        );
    }

    #[test]
    fn what_cannot_be_varied_is_refused_with_its_name() {
        let refused = |text: &str| axes(&sweep(text)).expect_err("refused").to_string();
        assert_eq!(refused(""), "`[sweep]` varies nothing");
        assert_eq!(
            refused("chunking.size = 64"),
            "`sweep.chunking.size` is 64, not a list of values"
        );
        assert_eq!(
            refused("chunking.size = []"),
            "`sweep.chunking.size` is [], not a list of values"
        );
        assert_eq!(
            refused("dataset.limit = [1, 2]"),
            "`dataset.limit` cannot be varied in a sweep"
        );
        let twice = "chunking = [{ size = 64 }]\n";
        let both = Map::from_iter([
            ("chunking".to_owned(), sweep(twice)["chunking"].clone()),
            ("chunking.size".to_owned(), Value::from(vec![1])),
        ]);
        assert_eq!(
            axes(&both).expect_err("twice").to_string(),
            "`chunking.size` is varied twice in `[sweep]`"
        );
    }

    #[test]
    fn a_grid_with_too_many_trials_is_refused() {
        let list = format!("{:?}", (0..101).collect::<Vec<_>>());
        let wide =
            axes(&sweep(&format!("chunking.size = {list}\nretrieval.k = {list}"))).expect("axes");
        assert!(points(&wide).is_err());
    }
}
