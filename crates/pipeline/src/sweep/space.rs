//! The search space: parses `[sweep]` to axes, and expands axes to combinations: all of a grid, or a
//! random sample.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::error::SweepError;
use ragtriage_core::config::{SweepSearch, TuneSettings};
use ragtriage_core::stats::random::Random;
use ragtriage_core::text::address;

/// Maximum number of trials of a grid.
const MOST_TRIALS: usize = 10_000;
/// Number of draws per requested sample before the space counts as exhausted.
const DRAWS_A_SAMPLE: usize = 100;
/// Significant digits of a number drawn from a range.
const DIGITS: i32 = 3;
/// Keys that a sweep may not vary: they change the questions, the scoring, the generator or its price.
const FIXED: [&str; 12] = [
    "dataset",
    "evaluation",
    "gates",
    "cache",
    "external",
    "judge",
    "tune",
    "sweep",
    "generation.generator",
    "generation.max_usd",
    "generation.max_tokens_total",
    "generation.price",
];

/// One combination: each varied key with its value.
pub type Combination = BTreeMap<String, Value>;

/// One varied key, or several that are varied together.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepAxis {
    /// The setting, or the table of settings that are varied together.
    pub key: String,
    values: Values,
}

#[derive(Clone, Debug, PartialEq)]
enum Values {
    /// These values, in order.
    Listed(Vec<Value>),
    /// Any number between two bounds, uniform or log-uniform.
    Range { from: f64, to: f64, log: bool, whole: bool },
}

/// Parses the axes of a `[sweep]`: a list is an axis, `{ from = 0.6, to = 2.0 }` (optionally with `log = true`) a range of a random
/// search; any other table is searched recursively. A list of tables varies several settings together: `chunking = [{ size = 64,
/// overlap = 8 }]`.
///
/// # Errors
/// `NothingToVary`, `NotVaried`, `NoList`, `BadRange`, `TwiceVaried`.
pub fn axes(sweep: &Map<String, Value>) -> Result<Vec<SweepAxis>, SweepError> {
    let mut axes = Vec::new();
    walk("", sweep, &mut axes)?;
    if axes.is_empty() {
        return Err(SweepError::NothingToVary);
    }
    let mut seen = BTreeSet::new();
    for axis in &axes {
        if let Some(key) = axis.leaves().into_iter().find(|key| !seen.insert(key.clone())) {
            return Err(SweepError::TwiceVaried { key });
        }
    }
    Ok(axes)
}

fn walk(
    prefix: &str,
    table: &Map<String, Value>,
    axes: &mut Vec<SweepAxis>,
) -> Result<(), SweepError> {
    for (name, value) in table {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        let is_fixed = FIXED.iter().any(|fixed| {
            key.strip_prefix(fixed).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        match value {
            Value::Object(inner) if !is_range(inner) => walk(&key, inner, axes)?,
            _ if is_fixed
                || !key
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')) =>
            {
                return Err(SweepError::NotVaried { key });
            }
            Value::Array(values) if !values.is_empty() => {
                axes.push(SweepAxis { key, values: Values::Listed(values.clone()) });
            }
            Value::Object(range) => {
                let values =
                    self::range(range).ok_or_else(|| SweepError::BadRange { key: key.clone() })?;
                axes.push(SweepAxis { key, values });
            }
            other => {
                return Err(SweepError::NoList {
                    key,
                    value: address::redacted_url(&other.to_string()),
                });
            }
        }
    }
    Ok(())
}

fn is_range(table: &Map<String, Value>) -> bool {
    table.contains_key("from") || table.contains_key("to")
}

fn range(table: &Map<String, Value>) -> Option<Values> {
    let number = |key: &str| table.get(key).and_then(Value::as_f64);
    let (from, to) = (number("from")?, number("to")?);
    let log = match table.get("log") {
        None => false,
        Some(log) => log.as_bool()?,
    };
    let known = table.keys().all(|key| ["from", "to", "log"].contains(&key.as_str()));
    let whole = table["from"].is_i64() && table["to"].is_i64();
    (known && from < to && (!log || from > 0.0)).then_some(Values::Range { from, to, log, whole })
}

impl SweepAxis {
    /// Returns the keys it sets.
    fn leaves(&self) -> BTreeSet<String> {
        match &self.values {
            Values::Listed(values) => {
                values.iter().flat_map(|value| leaves(&self.key, value).into_keys()).collect()
            }
            Values::Range { .. } => [self.key.clone()].into(),
        }
    }

    fn draw(&self, random: &mut Random) -> Combination {
        match &self.values {
            Values::Listed(values) => leaves(&self.key, &values[random.below(values.len())]),
            Values::Range { from, to, log, whole } => {
                if *whole && !*log {
                    let (from, to) = (*from as i64, *to as i64);
                    return [(
                        self.key.clone(),
                        Value::from(from + random.below((to - from + 1) as usize) as i64),
                    )]
                    .into();
                }
                let unit = random.unit();
                let between = |from: f64, to: f64| from + unit * (to - from);
                let drawn =
                    if *log { between(from.ln(), to.ln()).exp() } else { between(*from, *to) };
                let value = if *whole {
                    Value::from(drawn.round() as i64)
                } else {
                    Value::from(rounded(drawn).clamp(*from, *to))
                };
                [(self.key.clone(), value)].into()
            }
        }
    }
}

/// Rounds to [`DIGITS`] significant digits, for readable values that round-trip.
fn rounded(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let places = DIGITS - 1 - value.abs().log10().floor() as i32;
    format!("{value:.*}", places.max(0) as usize).parse().unwrap_or(value)
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

/// Returns the combinations that `tune` requests, without duplicates: of a grid in order, the last axis fastest; of a random search
/// in draw order.
///
/// # Errors
/// `TooMany`, and `RangeInGrid` for a range in a grid.
pub fn points(axes: &[SweepAxis], tune: &TuneSettings) -> Result<Vec<Combination>, SweepError> {
    match tune.search {
        SweepSearch::Grid => grid(axes),
        SweepSearch::Random => Ok(random(axes, tune.samples, tune.seed)),
    }
}

fn grid(axes: &[SweepAxis]) -> Result<Vec<Combination>, SweepError> {
    let mut points = vec![Combination::new()];
    for axis in axes {
        let Values::Listed(values) = &axis.values else {
            return Err(SweepError::RangeInGrid { key: axis.key.clone() });
        };
        if points.len().saturating_mul(values.len()) > MOST_TRIALS {
            return Err(SweepError::TooMany { most: MOST_TRIALS });
        }
        let with = |point: &Combination, value: &Value| {
            point.clone().into_iter().chain(leaves(&axis.key, value)).collect::<Combination>()
        };
        points =
            points.iter().flat_map(|point| values.iter().map(|value| with(point, value))).collect();
    }
    Ok(once(points))
}

fn random(axes: &[SweepAxis], samples: usize, seed: u64) -> Vec<Combination> {
    let samples = samples.min(MOST_TRIALS);
    if let Ok(all) = grid(axes)
        && all.len() <= samples
    {
        return all;
    }
    let mut random = Random::new(seed);
    let (mut seen, mut points) = (BTreeSet::new(), Vec::new());
    for _ in 0..samples.saturating_mul(DRAWS_A_SAMPLE) {
        if points.len() == samples {
            break;
        }
        let point: Combination = axes.iter().flat_map(|axis| axis.draw(&mut random)).collect();
        if seen.insert(written(&point)) {
            points.push(point);
        }
    }
    points
}

fn once(points: Vec<Combination>) -> Vec<Combination> {
    let mut seen = BTreeSet::new();
    points.into_iter().filter(|point| seen.insert(written(point))).collect()
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
        points(&axes, &TuneSettings::default()).expect("points").iter().map(written).collect()
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
        assert_eq!(
            refused("retrieval.bm25.k1 = { from = 2, to = 1 }"),
            "`sweep.retrieval.bm25.k1` is not a range: `from` must be below `to`"
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
    fn a_random_search_draws_so_many_different_settings_and_the_same_ones_again() {
        let text = "chunking.size = [1, 2, 3, 4, 5]\nretrieval.bm25.k1 = { from = 0.5, to = 2.0 }\nretrieval.k = { from = 1, to = 100, log = true }";
        let axes = axes(&sweep(text)).expect("axes");
        let tune = TuneSettings {
            search: SweepSearch::Random,
            samples: 50,
            seed: 7,
            ..TuneSettings::default()
        };
        let drawn = points(&axes, &tune).expect("points");
        assert_eq!(drawn, points(&axes, &tune).expect("points"));
        assert_ne!(drawn, points(&axes, &TuneSettings { seed: 8, ..tune }).expect("points"));
        assert_eq!(once(drawn.clone()).len(), 50);
        let below_ten =
            drawn.iter().filter(|point| point["retrieval.k"].as_i64() < Some(10)).count();
        // Half of a range from 1 to 100 is below 10 by its logarithm: 25 of 50 with a deviation of 3.5.
        assert!((13..=37).contains(&below_ten), "{below_ten}");
        assert!(drawn.iter().all(|point| {
            (0.5..=2.0).contains(&point["retrieval.bm25.k1"].as_f64().expect("a number"))
        }));
    }

    #[test]
    fn a_random_search_of_at_least_as_many_as_there_are_is_the_grid() {
        let axes = axes(&sweep("chunking.size = [1, 2, 3]")).expect("axes");
        let tune =
            TuneSettings { search: SweepSearch::Random, samples: 3, ..TuneSettings::default() };
        assert_eq!(points(&axes, &tune).expect("points"), grid(&axes).expect("points"));
    }

    #[test]
    fn a_grid_over_a_range_and_one_with_too_many_trials_are_refused() {
        let range = axes(&sweep("retrieval.bm25.k1 = { from = 0.5, to = 2.0 }")).expect("axes");
        assert!(matches!(grid(&range), Err(SweepError::RangeInGrid { .. })));
        let list = format!("{:?}", (0..101).collect::<Vec<_>>());
        let wide =
            axes(&sweep(&format!("chunking.size = {list}\nretrieval.k = {list}"))).expect("axes");
        assert!(matches!(grid(&wide), Err(SweepError::TooMany { .. })));
    }

    #[test]
    fn a_drawn_number_has_three_digits() {
        assert_eq!(
            [1.234_56, 0.012_345, 123_456.0, 0.0].map(rounded),
            [1.23, 0.0123, 123_456.0, 0.0]
        );
    }
}
