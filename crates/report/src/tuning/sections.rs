//! The tables after the ranking: effects of single values, the Pareto front, answers, the confirmation of the winner.

use super::found::SweepFindings;
use super::keys::{pairs_of, plain, short_names};
use super::ranked::{
    EQUAL_K, EQUAL_TOKENS, PACKED, delta, interval, mean, none, tokens, without_same,
};
use crate::document::Table;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::text::sanitize::shortened;
use ragtriage_eval::compare::p_text;
use ragtriage_eval::tuning::{Confirmation, CrossFit, HeldOut, ParameterEffect, RankedTrial};

/// Characters of a trial with its values.
const TRIAL: usize = 48;
/// The columns of effects.
const EFFECTS: [&str; 8] =
    ["", "mean", "effect", "95% CI", EQUAL_K, EQUAL_TOKENS, PACKED, "trials"];

/// Builds a row per value of each varied parameter; `~` marks unbalanced ones.
pub(super) fn effects(found: &SweepFindings) -> Option<Table> {
    let head = without_same(found.plan, &EFFECTS, EFFECTS);
    let mut table = Table::new("Effect of each value", &head);
    let names = names(found);
    for (effect, name) in found.ranking.effects.iter().zip(&names) {
        for value in &effect.values {
            let label = format!("{name} = {}", plain(&value.value));
            let cells: [String; EFFECTS.len()] = [
                shortened(&label, TRIAL),
                mean(value.mean),
                delta(value.effect),
                interval(value.ci95),
                value.equal_k.map_or_else(none, mean),
                value.equal_tokens.map_or_else(none, mean),
                tokens(value.context_tokens),
                value.n_trials.to_string(),
            ];
            table.row(without_same(found.plan, &EFFECTS, cells));
        }
    }
    table.notes = effect_notes(&found.ranking.effects, &names);
    (!table.rows.is_empty()).then_some(table)
}

/// Returns the short name of each effect's parameter, marked where it is unbalanced.
fn names(found: &SweepFindings) -> Vec<String> {
    let short = short_names(found.varied);
    let names = found.ranking.effects.iter().map(|effect| {
        let at = found.varied.iter().position(|varied| varied.key == effect.key);
        let name = at.map_or(effect.key.as_str(), |at| short[at].as_str());
        format!("{}{name}", if effect.balanced { "" } else { "~ " })
    });
    names.collect()
}

fn effect_notes(effects: &[ParameterEffect], names: &[String]) -> Vec<String> {
    let mut by_range: Vec<(&ParameterEffect, &String)> = effects.iter().zip(names).collect();
    by_range.sort_by(|(a, _), (b, _)| b.range.total_cmp(&a.range));
    let ranges: Vec<String> =
        by_range.iter().map(|(effect, name)| format!("{name} {:.3}", effect.range)).collect();
    let mut notes = vec![
        format!("range of the means: {}", ranges.join(", ")),
        "intervals are not adjusted for the number of effects".to_owned(),
    ];
    if effects.iter().any(|effect| !effect.balanced) {
        notes.push(
            "~ unbalanced: its values did not meet the same others and are not comparable"
                .to_owned(),
        );
    }
    notes
}

/// Lists the trials on the front, the cheapest first.
pub(super) fn front(found: &SweepFindings) -> Option<Table> {
    let at_prompt = found.plan.at_prompt.to_string();
    let title = format!("Pareto front: {at_prompt} against context tokens");
    let mut table = Table::new(title, &["", PACKED, &at_prompt]);
    let mut rows: Vec<&RankedTrial> = found.scored().filter(|row| row.on_front).collect();
    rows.sort_by(|a, b| a.context_tokens.total_cmp(&b.context_tokens));
    for row in rows {
        let trial = format!(
            "{} {}",
            found.marks(row),
            pairs_of(&row.name, &found.ranking.rows, found.varied)
        );
        table.row([
            shortened(&trial, 2 * TRIAL),
            tokens(row.context_tokens),
            row.at_prompt.map_or_else(none, mean),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Lists the scores of generated answers.
pub(super) fn generated(found: &SweepFindings) -> Option<Table> {
    let mut table =
        Table::new("Generated answers", &["", "n", "AnswerF1", "AnswerEM", "US dollars"]);
    for row in found.generated {
        table.row([
            shortened(&pairs_of(&row.name, &found.ranking.rows, found.varied), TRIAL),
            thousands(row.n),
            row.answer_f1.map_or_else(none, mean),
            row.answer_em.map_or_else(none, mean),
            row.cost_usd.map_or_else(none, |usd| format!("{usd:.4}")),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Shows how the winner was confirmed, if it was.
pub(super) fn confirmation(found: &SweepFindings) -> Option<Table> {
    found.confirmation.map(|confirmation| match confirmation {
        Confirmation::HeldOut(held_out) => on_held_out(held_out),
        Confirmation::CrossFit(cross_fit) => across(cross_fit, found),
    })
}

fn on_held_out(found: &HeldOut) -> Table {
    let HeldOut {
        n,
        n_clusters,
        largest_cluster: _,
        default,
        winner,
        delta: by,
        ci95,
        p,
        evaluations,
    } = found;
    let mut table = Table::new(
        "Held-out evaluation of the best trial",
        &["", "n", "clusters", "default", "best", "delta", "95% CI", "p", "evaluations"],
    );
    table.row([
        "held out".to_owned(),
        thousands(*n),
        thousands(*n_clusters),
        mean(*default),
        mean(*winner),
        delta(*by),
        interval(*ci95),
        p.map_or_else(none, p_text),
        thousands(*evaluations),
    ]);
    table.notes.push(format!(
        "{} on these questions so far, this one included; p is multiplied by their number (Bonferroni), and the interval widened as much",
        plural(*evaluations, "comparison with a default was made", "comparisons with a default were made")
    ));
    table
}

fn across(cross_fit: &CrossFit, found: &SweepFindings) -> Table {
    let CrossFit { folds, n, delta: by, ci95 } = cross_fit;
    let mut table = Table::new(
        "Cross-fitted choice",
        &["", "n", "chosen on the other folds", "delta", "95% CI"],
    );
    for (at, fold) in folds.iter().enumerate() {
        let chosen = pairs_of(&fold.chosen, &found.ranking.rows, found.varied);
        let name = shortened(&chosen, TRIAL);
        table.row([
            format!("fold {}", at + 1),
            thousands(fold.n),
            name,
            delta(fold.delta),
            String::new(),
        ]);
    }
    table.row(["all".to_owned(), thousands(*n), String::new(), delta(*by), interval(*ci95)]);
    table.notes.push(
        "the data has no held-out split: each fold is scored with the best trial of the other folds, so delta is the gain of this \
         choice, not of one trial"
            .to_owned(),
    );
    table
}
