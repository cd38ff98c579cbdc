//! The alternatives worth trying, as sentences.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Alternative, Change, Setting};
use ragtriage_core::text::numbers::{listed, thousands};
use ragtriage_core::types::Interval;

/// Factor by which a prompt may grow to be advised: its price grows as much.
const AFFORDABLE: f64 = 3.0;
/// A smaller prompt is preferred if it brings at least this share of the largest gain.
const SIMILAR: f64 = 0.8;

/// An alternative worth trying.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Advice {
    /// The settings that make it.
    pub settings: Vec<Setting>,
    /// The change with all that is known of its effect.
    pub sentence: String,
}

/// Returns the best affordable change of k or budget and the best earlier ranking, as far as the gain by delivery is above zero for
/// certain; the larger gain first.
pub(super) fn advice(alternatives: &[Alternative]) -> Vec<Advice> {
    let gains = alternatives.iter().filter(|one| is_gain(one));
    let (rankings, sizes): (Vec<&Alternative>, Vec<&Alternative>) =
        gains.partition(|one| matches!(one.change, Change::Ranking { .. }));
    let sizes: Vec<&Alternative> = sizes.into_iter().filter(|one| one.is_affordable()).collect();
    let mut chosen: Vec<&Alternative> =
        smallest(&sizes).into_iter().chain(largest(&rankings)).collect();
    chosen.sort_by(|a, b| value(b).total_cmp(&value(a)));
    chosen.into_iter().map(advised).collect()
}

/// Returns true if the evidence delivered, and its worth in answers where that is known, is above zero for certain.
fn is_gain(one: &Alternative) -> bool {
    let is_known = is_above_zero(one.net_ci95);
    is_known && one.expected_gain.is_none_or(|expected_gain| is_above_zero(expected_gain.ci95))
}

fn is_above_zero(ci95: Option<Interval>) -> bool {
    ci95.is_some_and(|ci95| ci95.low > 0.0)
}

/// Returns its gain in answers, or in questions where answers are unknown.
fn value(one: &Alternative) -> f64 {
    one.expected_gain.map_or_else(|| one.net(), |expected_gain| expected_gain.gain)
}

impl Alternative {
    /// Returns true unless its prompts are more than three times as long as today's.
    #[must_use]
    pub fn is_affordable(&self) -> bool {
        let tokens = self.tokens_before.zip(self.tokens_after);
        tokens.is_none_or(|(before, after)| after <= AFFORDABLE * before)
    }
}

fn largest<'a>(found: &[&'a Alternative]) -> Option<&'a Alternative> {
    found.iter().copied().max_by(|a, b| value(a).total_cmp(&value(b)))
}

/// Returns the one with the fewest tokens among those of a similar gain as the largest.
fn smallest<'a>(found: &[&'a Alternative]) -> Option<&'a Alternative> {
    let best = value(largest(found)?);
    let least = if best > 0.0 { SIMILAR * best } else { best };
    let similar = found.iter().copied().filter(|one| value(one) >= least);
    similar.min_by(|a, b| size(a).total_cmp(&size(b)))
}

fn size(one: &Alternative) -> f64 {
    let k = match one.change {
        Change::K { k, .. } => k as f64,
        _ => 0.0,
    };
    one.tokens_after.unwrap_or(k)
}

fn advised(one: &Alternative) -> Advice {
    let what = match one.expected_gain {
        Some(_) => "more correct answers (computed, not run)",
        None => "more (computed, not run)",
    };
    let sentence = format!(
        "{} complete evidence for {} of {} questions instead of {}, {} {what}{}.",
        head(one),
        thousands(one.after),
        thousands(one.n),
        thousands(one.before),
        one.gain(),
        tokens(one),
    );
    Advice { settings: one.settings.clone(), sentence }
}

fn head(one: &Alternative) -> String {
    match one.change {
        Change::K { k, .. } if one.settings.is_empty() => {
            format!("{} passages in the prompt:", thousands(k))
        }
        Change::Ranking { step } if one.settings.is_empty() => format!("pack the ranking {step}:"),
        _ => format!("{}:", settings(&one.settings)),
    }
}

/// Returns `a = 1 and b = 2`, or `a = 1 and remove b`.
fn settings(settings: &[Setting]) -> String {
    let (set, removed): (Vec<&Setting>, Vec<&Setting>) =
        settings.iter().partition(|setting| setting.value.is_some());
    let set = set.iter().map(|setting| {
        let value = setting.value.as_deref().unwrap_or_default();
        format!("{} = {value}", setting.key)
    });
    let removed = removed.iter().map(|setting| setting.key.clone());
    let (set, removed) = (listed(&set.collect::<Vec<_>>()), listed(&removed.collect::<Vec<_>>()));
    match (set.is_empty(), removed.is_empty()) {
        (_, true) => set,
        (true, _) => format!("remove {removed}"),
        _ => format!("{set} and remove {removed}"),
    }
}

fn tokens(one: &Alternative) -> String {
    let (Some(before), Some(after)) = (one.tokens_before, one.tokens_after) else {
        return String::new();
    };
    let [before, after] = [before, after].map(|mean| thousands(mean.round() as usize));
    format!(", {after} tokens of passages instead of {before}")
}
