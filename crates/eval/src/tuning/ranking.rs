//! A board put in order, with every setting's numbers and its difference from the default.

use std::collections::BTreeSet;

use super::TuningPlan;
use super::aligned::{Aligned, Column};
use super::board::{Board, Tried};
use super::curves;
use super::effects::effects;
use super::front::front;
use super::means::{difference_interval, mean, mean_interval};
use super::order::best_first;
use super::outcome::{Difference, Ranking, Row};
use ragtriage_core::stats::max_t::max_t;

/// More lines than that hide one another.
const MOST_CURVES: usize = 7;

/// Ranks the settings of `board` by `plan.measure`, over the questions that every setting which ran has a value for.
#[must_use]
pub fn rank(board: &Board, plan: &TuningPlan) -> Ranking {
    let aligned = Aligned::new(board, plan.measure);
    let n = aligned.questions.len();
    let order = best_first(&aligned, &(0..n).collect::<Vec<_>>());
    let differences = differences(&aligned, plan);
    let mut rows: Vec<Row> = order
        .iter()
        .map(|&at| row(&aligned.settings[at], differences[at], &aligned, plan))
        .collect();
    let on_front = front(&rows, aligned.direction());
    for (row, on_front) in rows.iter_mut().zip(on_front) {
        row.on_front = on_front;
    }
    let winner = order
        .first()
        .filter(|_| n > 0)
        .map(|&best| &aligned.settings[best]);
    let shown = shown(&aligned, &order);
    rows.extend(board.settings.iter().filter_map(failed_row));
    Ranking {
        measure: plan.measure,
        n,
        n_left_out: aligned.n_left_out,
        n_undefined: aligned.n_undefined,
        n_clusters: aligned.n_clusters(),
        winner: winner.map(|winner| winner.tried.name.clone()),
        effects: effects(&aligned, plan),
        by_k: curves::by_k(&aligned, &shown, &plan.curve),
        by_size_equal_k: curves::by_size(&aligned, plan.equal_k),
        by_size_equal_tokens: curves::by_size(&aligned, plan.equal_tokens),
        rows,
    }
}

/// Each setting minus the default, parallel to the settings.
fn differences(aligned: &Aligned<'_>, plan: &TuningPlan) -> Vec<Option<Difference>> {
    let mut found = vec![None; aligned.settings.len()];
    let Some(default) = aligned.default().filter(|_| !aligned.questions.is_empty()) else {
        return found;
    };
    // The default is the first.
    let others: Vec<Vec<f64>> = aligned.settings[1..]
        .iter()
        .map(|setting| setting.minus(default))
        .collect();
    let p_values = max_t(&others, &aligned.cluster_of, plan.permutations, plan.seed);
    for ((found, differences), p_max_t) in found[1..].iter_mut().zip(&others).zip(p_values) {
        let ci95 = difference_interval(differences, &aligned.cluster_of, plan.measure.family());
        *found = Some(Difference {
            delta: mean(differences),
            ci95,
            p_max_t,
        });
    }
    found
}

fn row(
    setting: &Column<'_>,
    difference: Option<Difference>,
    aligned: &Aligned<'_>,
    plan: &TuningPlan,
) -> Row {
    Row {
        name: setting.tried.name.clone(),
        values: setting.tried.values.clone(),
        error: None,
        mean: mean(&setting.values),
        ci95: mean_interval(&setting.values, &aligned.cluster_of, plan.measure.family()),
        equal_k: aligned.mean_of(setting, plan.equal_k),
        equal_tokens: aligned.mean_of(setting, plan.equal_tokens),
        at_prompt: aligned.mean_of(setting, plan.at_prompt),
        context_tokens: mean(&setting.context_tokens),
        difference,
        on_front: false,
    }
}

/// The row of a setting that failed; `None` for one that ran.
fn failed_row(setting: &Tried) -> Option<Row> {
    let error = setting.result.as_ref().err()?;
    Some(Row {
        name: setting.name.clone(),
        values: setting.values.clone(),
        error: Some(error.clone()),
        mean: 0.0,
        ci95: None,
        equal_k: None,
        equal_tokens: None,
        at_prompt: None,
        context_tokens: 0.0,
        difference: None,
        on_front: false,
    })
}

/// The settings drawn against k: the default, then the best of each group of retrievers, in that `order`, which begins with the winner.
fn shown<'a, 'b>(aligned: &'b Aligned<'a>, order: &[usize]) -> Vec<&'b Column<'a>> {
    let mut groups = BTreeSet::new();
    let best = order
        .iter()
        .map(|&at| &aligned.settings[at])
        .filter(|setting| groups.insert(&setting.tried.group));
    let default = aligned.default();
    let best = best.filter(|setting| default.is_none_or(|default| default.at != setting.at));
    default.into_iter().chain(best).take(MOST_CURVES).collect()
}
