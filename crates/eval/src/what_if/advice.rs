//! The alternatives worth trying, as sentences.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternative::{Alternative, Change, Promise, Setting};
use ragtriage_core::text::numbers::{listed, thousands};
use ragtriage_core::types::Interval;

/// Sentences given at most.
const MOST: usize = 3;
/// Factor by which a prompt may grow to be advised: its price grows as much.
const AFFORDABLE: f64 = 3.0;
/// A smaller prompt is preferred if it brings at least this share of the largest gain.
const SIMILAR: f64 = 0.8;

/// An alternative worth trying.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Advice {
    /// The change.
    #[serde(flatten)]
    pub change: Change,
    /// The settings that make it; empty for an upper bound.
    pub settings: Vec<Setting>,
    /// The change with all that is known of its effect.
    pub sentence: String,
}

/// Returns the best affordable change of k or budget, the best earlier ranking and the best upper bound, as far as the gain by
/// delivery is above zero for certain; settings to change first.
pub(super) fn advice(alternatives: &[Alternative]) -> Vec<Advice> {
    let of = |kind: fn(Change) -> bool| {
        let of_kind = alternatives.iter().filter(move |one| kind(one.change));
        of_kind.filter(|one| is_gain(one)).collect::<Vec<_>>()
    };
    let chosen = [
        smallest(
            &of(|change| matches!(change, Change::K { .. } | Change::Budget { .. }))
                .into_iter()
                .filter(|one| is_affordable(one))
                .collect::<Vec<_>>(),
        ),
        largest(&of(|change| matches!(change, Change::Ranking { .. }))),
        largest(&of(Change::is_upper_bound)),
    ];
    let mut chosen: Vec<&Alternative> = chosen.into_iter().flatten().collect();
    chosen.sort_by(|a, b| {
        let is_bound = [a, b].map(|one| one.change.is_upper_bound());
        is_bound[0].cmp(&is_bound[1]).then(value(b).total_cmp(&value(a)))
    });
    chosen.truncate(MOST);
    chosen.into_iter().map(advised).collect()
}

/// Returns true if the evidence delivered, and its worth in answers where that is known, is above zero for certain.
fn is_gain(one: &Alternative) -> bool {
    let is_known = is_above_zero(one.net_ci95);
    is_known && one.promise.is_none_or(|promise| is_above_zero(promise.ci95))
}

fn is_above_zero(ci95: Option<Interval>) -> bool {
    ci95.is_some_and(|ci95| ci95.low > 0.0)
}

/// Returns its gain in answers, or in questions where answers are unknown.
fn value(one: &Alternative) -> f64 {
    one.promise.map_or_else(|| one.net(), |promise| promise.gain)
}

/// Returns true unless its prompts are more than [`AFFORDABLE`] times as long as today's.
fn is_affordable(one: &Alternative) -> bool {
    let tokens = one.tokens_before.zip(one.tokens_after);
    tokens.is_none_or(|(before, after)| after <= AFFORDABLE * before)
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
    let verb = if one.change.is_upper_bound() {
        "would bring evidence into the prompt for at most"
    } else {
        "evidence reaches the prompt for"
    };
    let answers = answers(one);
    // The gain in answers says more than the same in deliveries.
    let moved = if answers.is_empty() { format!(" ({})", moved(one)) } else { String::new() };
    let head = capitalised(&head(one));
    let sentence = format!(
        "{head} {verb} {} instead of {} of {} questions{moved}{}.{answers}",
        thousands(one.after),
        thousands(one.before),
        thousands(one.n),
        tokens(one),
    );
    Advice { change: one.change, settings: one.settings.clone(), sentence }
}

fn head(one: &Alternative) -> String {
    match one.change {
        Change::PerfectReranker => "a perfect reranker over the current candidates".to_owned(),
        Change::K { k, .. } if one.settings.is_empty() => {
            format!("put {} passages into the prompt:", thousands(k))
        }
        Change::Ranking { step } if one.settings.is_empty() => format!("pack the ranking {step}:"),
        _ => format!("{}:", settings(&one.settings)),
    }
}

/// Returns `try a = 1 and b = 2`, or `try a = 1 and remove b`: what other passages do to the generator is not known.
pub(super) fn settings(settings: &[Setting]) -> String {
    let (set, removed): (Vec<&Setting>, Vec<&Setting>) =
        settings.iter().partition(|setting| setting.value.is_some());
    let set = set.iter().map(|setting| {
        let value = setting.value.as_deref().unwrap_or_default();
        format!("{} = {value}", setting.key)
    });
    let removed = removed.iter().map(|setting| setting.key.clone());
    let parts = [
        ("try", listed(&set.collect::<Vec<_>>())),
        ("remove", listed(&removed.collect::<Vec<_>>())),
    ];
    let parts = parts.iter().filter(|(_, names)| !names.is_empty());
    let parts = parts.map(|(verb, names)| format!("{verb} {names}"));
    listed(&parts.collect::<Vec<_>>())
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

fn moved(one: &Alternative) -> String {
    let points = one.net_ci95.map_or(String::new(), |ci95| {
        format!(" [{:.1}, {:.1}]", 100.0 * ci95.low, 100.0 * ci95.high)
    });
    format!(
        "{} won, {} lost: {:+.1} points{points}",
        thousands(one.won),
        thousands(one.lost),
        100.0 * one.net()
    )
}

fn answers(one: &Alternative) -> String {
    let Some(promise) = &one.promise else {
        return String::new();
    };
    let gain = gain(promise);
    if one.change.is_upper_bound() {
        return format!(" That is worth at most {gain}.");
    }
    format!(" The expected gain is {gain}.")
}

fn gain(promise: &Promise) -> String {
    let ci95 = promise.ci95.map_or(String::new(), |ci95| format!(" {ci95:.2}"));
    format!("{:+.2}{ci95} right answers per question", promise.gain)
}

fn tokens(one: &Alternative) -> String {
    let (Some(before), Some(after)) = (one.tokens_before, one.tokens_after) else {
        return String::new();
    };
    let [before, after] = [before, after].map(|mean| thousands(mean.round() as usize));
    format!(", with {after} instead of {before} tokens")
}
