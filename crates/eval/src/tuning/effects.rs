//! Main effect of each varied parameter: for each of its values, the mean over all trials of the sweep that share it.
//!
//! In a full grid every value is combined with the same others, so that these means differ by that value alone. In a
//! random sample, or if trials failed, this holds only roughly: such an effect is reported as unbalanced.

use std::collections::BTreeMap;

use super::TuningPlan;
use super::aligned::{AlignedSweep, AlignedTrial};
use super::means::{effect_interval, mean};
use super::outcome::{EffectValue, ParameterEffect};
use super::sweep::Varied;

/// Returns the effects, in the order of the varied parameters; none if no question has a value. Values without a
/// completed trial are omitted, and parameters with a single value have no effect.
pub(super) fn effects(aligned: &AlignedSweep<'_>, plan: &TuningPlan) -> Vec<ParameterEffect> {
    if aligned.questions.is_empty() {
        return Vec::new();
    }
    let sweep = aligned.searched();
    let overall = mean_column(&sweep);
    let effects =
        aligned.sweep.varied.iter().map(|varied| effect(varied, &sweep, &overall, aligned, plan));
    effects.filter(|effect| effect.values.len() > 1).collect()
}

fn effect(
    varied: &Varied,
    sweep: &[&AlignedTrial<'_>],
    overall: &[f64],
    aligned: &AlignedSweep<'_>,
    plan: &TuningPlan,
) -> ParameterEffect {
    let key = varied.key.as_str();
    let mut values: Vec<EffectValue> = Vec::new();
    let mut beside = Vec::new();
    for value in &varied.values {
        let sharing = sharing(sweep, key, value);
        if !sharing.is_empty() {
            values.push(effect_value(value, &sharing, overall, aligned, plan));
            beside.push(others(&sharing, key, &aligned.sweep.varied));
        }
    }
    let balanced = beside.windows(2).all(|pair| pair[0] == pair[1]);
    let means = values.iter().map(|value| value.mean);
    let range = means
        .clone()
        .reduce(f64::max)
        .zip(means.reduce(f64::min))
        .map_or(0.0, |(most, least)| most - least);
    ParameterEffect { key: varied.key.clone(), values, range, balanced }
}

/// Returns the trials that have this value of `key`.
fn sharing<'a, 'b>(
    sweep: &[&'b AlignedTrial<'a>],
    key: &str,
    value: &str,
) -> Vec<&'b AlignedTrial<'a>> {
    sweep
        .iter()
        .copied()
        .filter(|column: &&AlignedTrial<'_>| {
            column.scored.values.get(key).is_some_and(|other| other == value)
        })
        .collect()
}

/// Returns the trials' values of the other varied parameters, sorted.
fn others<'a>(
    trials: &[&AlignedTrial<'a>],
    key: &str,
    varied: &[Varied],
) -> Vec<Vec<Option<&'a String>>> {
    let mut found = Vec::new();
    for column in trials {
        let values: &'a BTreeMap<String, String> = &column.scored.values;
        let others =
            varied.iter().filter(|other| other.key != key).map(|other| values.get(&other.key));
        found.push(others.collect::<Vec<_>>());
    }
    found.sort_unstable();
    found
}

fn effect_value(
    value: &str,
    sharing: &[&AlignedTrial<'_>],
    overall: &[f64],
    aligned: &AlignedSweep<'_>,
    plan: &TuningPlan,
) -> EffectValue {
    let values = mean_column(sharing);
    let differences: Vec<f64> =
        values.iter().zip(overall).map(|(shared, all)| shared - all).collect();
    let [equal_k, equal_tokens] = [plan.equal_k, plan.equal_tokens].map(|measure| {
        let means: Vec<f64> =
            sharing.iter().filter_map(|column| aligned.mean_of(column, measure)).collect();
        (!means.is_empty()).then(|| mean(&means))
    });
    EffectValue {
        value: value.to_owned(),
        n_trials: sharing.len(),
        mean: mean(&values),
        effect: mean(&differences),
        ci95: effect_interval(&differences, &aligned.cluster_of, plan.measure.family()),
        equal_k,
        equal_tokens,
        context_tokens: mean(
            &sharing.iter().map(|column| mean(&column.context_tokens)).collect::<Vec<_>>(),
        ),
    }
}

/// Returns the mean over trials, by question.
fn mean_column(columns: &[&AlignedTrial<'_>]) -> Vec<f64> {
    let n_questions = columns.first().map_or(0, |column| column.values.len());
    (0..n_questions)
        .map(|question: usize| {
            mean(&columns.iter().map(|column| column.values[question]).collect::<Vec<_>>())
        })
        .collect()
}
