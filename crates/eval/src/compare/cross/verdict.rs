//! Interpretation of a crossed comparison in a sentence or two: better, worse, noise, or chance.

use super::{Cross, Effect};
use crate::compare::verdict::{LEVEL, equals};

/// The 97.5 % point of the normal distribution.
const REACH: f64 = 1.959_963_984_540_054;

/// Writes the sentence.
pub(super) fn sentence(cross: &Cross) -> String {
    let retrieval = clause("retrieval", "retrieval's change", &cross.retrieval, "repeat noise");
    let own = if cross.same_generator {
        "both runs have the same generator: its"
    } else {
        "the generator's"
    };
    let generator =
        clause("the generator", &format!("{own} change"), &cross.generator, "its own repeat noise");
    let mut text = format!("{}; {generator}.", upper_first(&retrieval));
    if is_shown(&cross.retrieval) || is_shown(&cross.generator) {
        return text;
    }
    let Effect { mean, noise_error, n_changed, .. } = cross.difference;
    let luck = match noise_error {
        _ if n_changed == 0 => "There is no difference to attribute.".to_owned(),
        Some(error) if mean.abs() <= REACH * error => format!(
            "Repeat noise alone explains the difference of {mean:+.3}: repeated calls give up to +-{:.3} in 95% of cases.",
            REACH * error
        ),
        _ => format!(
            "Neither change is significant: with these questions, a difference of {mean:+.3} may be chance."
        ),
    };
    text.push(' ');
    text.push_str(&luck);
    text
}

fn is_shown(effect: &Effect) -> bool {
    effect.p.is_some_and(|p| p < LEVEL)
}

fn clause(who: &str, change: &str, effect: &Effect, noise: &str) -> String {
    let Effect { mean, ci95, p, noise_error, n_changed } = *effect;
    if n_changed == 0 {
        return format!("{change} is 0 on every question");
    }
    let ci95 = ci95.map_or(String::new(), |ci| format!(" [{:+.3}, {:+.3}]", ci.low, ci.high));
    let p = p.map_or(String::new(), |p| format!(", p {}", equals(p)));
    if is_shown(effect) {
        let turn = if mean > 0.0 { "better" } else { "worse" };
        return format!("{who} got {turn} by {mean:+.3}{ci95}{p}");
    }
    match noise_error.map(|error| REACH * error) {
        Some(reach) if mean.abs() <= reach => {
            format!("{change} of {mean:+.3}{ci95}{p} is within {noise} (+-{reach:.3})")
        }
        _ => format!("{change} of {mean:+.3}{ci95}{p} is not significant"),
    }
}

fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
