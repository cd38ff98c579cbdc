//! The tables beside the ranked one: what each setting does on its own, the front, its answers, how the winner was confirmed.

use super::Found;
use super::keys::{pairs, plain, short_names};
use super::ranked::{
    EQUAL_K, EQUAL_TOKENS, PACKED, delta, interval, mean, none, tokens, without_same,
};
use crate::section::Section;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::text::sanitize::shortened;
use ragtriage_eval::compare::p_text;
use ragtriage_eval::tuning::{Confirmation, CrossFit, Effect, HeldOut, RankedTrial};

/// Characters of a setting with its values.
const SETTING: usize = 48;
/// The columns of effects.
const EFFECTS: [&str; 8] = [
    "",
    "mean",
    "effect",
    "95 %",
    EQUAL_K,
    EQUAL_TOKENS,
    PACKED,
    "settings",
];

/// A row a value of each varied setting, `~` before one whose values cannot be compared like with like.
pub(super) fn effects(found: &Found) -> Option<Section> {
    let head = without_same(found.plan, &EFFECTS, EFFECTS);
    let mut section = Section::new("What each setting does on its own", &head);
    let names = short_names(found.varied);
    let name = |effect: &Effect| {
        let at = found
            .varied
            .iter()
            .position(|varied| varied.key == effect.key);
        let name = at.map_or(effect.key.as_str(), |at| names[at].as_str());
        format!("{}{name}", if effect.balanced { "" } else { "~ " })
    };
    for effect in &found.ranking.effects {
        for value in &effect.values {
            let label = format!("{} = {}", name(effect), plain(&value.value));
            let cells: [String; EFFECTS.len()] = [
                shortened(&label, SETTING),
                mean(value.mean),
                delta(value.effect),
                interval(value.ci95),
                value.equal_k.map_or_else(none, mean),
                value.equal_tokens.map_or_else(none, mean),
                tokens(value.context_tokens),
                value.n_trials.to_string(),
            ];
            section.rows.push(without_same(found.plan, &EFFECTS, cells));
        }
    }
    section.notes = effect_notes(&found.ranking.effects, name);
    (!section.rows.is_empty()).then_some(section)
}

fn effect_notes(effects: &[Effect], name: impl Fn(&Effect) -> String) -> Vec<String> {
    let mut by_range: Vec<&Effect> = effects.iter().collect();
    by_range.sort_by(|a, b| b.range.total_cmp(&a.range));
    let ranges: Vec<String> = by_range
        .iter()
        .map(|&effect| format!("{} {:.3}", name(effect), effect.range))
        .collect();
    let mut notes = vec![
        format!(
            "from the worst value's mean to the best one's: {}",
            ranges.join(", ")
        ),
        "each interval is for its one effect alone: none is corrected for how many there are"
            .to_owned(),
    ];
    if effects.iter().any(|effect| !effect.balanced) {
        notes.push("~ its values did not meet the same others: not like with like".to_owned());
    }
    notes
}

/// The settings on the front, the cheapest first.
pub(super) fn front(found: &Found) -> Option<Section> {
    let at_prompt = found.plan.at_prompt.to_string();
    let title = format!("The front: the most {at_prompt} for so many context tokens");
    let mut section = Section::new(title, &["", PACKED, &at_prompt]);
    let mut rows: Vec<&RankedTrial> = found.scored().filter(|row| row.on_front).collect();
    rows.sort_by(|a, b| a.context_tokens.total_cmp(&b.context_tokens));
    for row in rows {
        let setting = format!(
            "{} {}: {}",
            found.marks(row),
            row.name,
            pairs(found.varied, &row.values)
        );
        section.rows.push(vec![
            shortened(&setting, 2 * SETTING),
            tokens(row.context_tokens),
            row.at_prompt.map_or_else(none, mean),
        ]);
    }
    (!section.rows.is_empty()).then_some(section)
}

/// Answers of the settings that the generator was run for.
pub(super) fn generated(found: &Found) -> Option<Section> {
    let mut section = Section::new(
        "Answers of the settings that were generated for",
        &["", "n", "AnswerF1", "AnswerEM", "US dollars"],
    );
    for row in found.generated {
        section.rows.push(vec![
            shortened(&row.name, SETTING),
            thousands(row.n),
            row.answer_f1.map_or_else(none, mean),
            row.answer_em.map_or_else(none, mean),
            row.cost_usd.map_or_else(none, |usd| format!("{usd:.4}")),
        ]);
    }
    (!section.rows.is_empty()).then_some(section)
}

/// How the winner fared where nothing was chosen; `None` where nobody looked.
pub(super) fn confirmation(found: &Found) -> Option<Section> {
    found.confirmation.map(|confirmation| match confirmation {
        Confirmation::HeldOut(held_out) => on_held_out(held_out),
        Confirmation::CrossFit(cross_fit) => across(cross_fit),
    })
}

fn on_held_out(found: &HeldOut) -> Section {
    let HeldOut {
        n,
        n_clusters,
        default,
        winner,
        delta: by,
        ci95,
        p,
        evaluations,
    } = found;
    let mut section = Section::new(
        "The best setting on the held-out questions",
        &[
            "",
            "n",
            "clusters",
            "default",
            "best",
            "delta",
            "95 %",
            "p",
            "evaluations",
        ],
    );
    section.rows.push(vec![
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
    section.notes.push(format!(
        "{} on these questions so far, this one included; p is multiplied by that, for each look is a try",
        plural(*evaluations, "comparison with a default was made", "comparisons with a default were made")
    ));
    section
}

fn across(found: &CrossFit) -> Section {
    let CrossFit {
        folds,
        n,
        delta: by,
        ci95,
    } = found;
    let mut section = Section::new(
        "Choosing on some folds, scored on the other",
        &["", "n", "chosen on the others", "delta", "95 %"],
    );
    for (at, fold) in folds.iter().enumerate() {
        let name = shortened(&fold.chosen, SETTING);
        section.rows.push(vec![
            format!("fold {}", at + 1),
            thousands(fold.n),
            name,
            delta(fold.delta),
            String::new(),
        ]);
    }
    section.rows.push(vec![
        "all".to_owned(),
        thousands(*n),
        String::new(),
        delta(*by),
        interval(*ci95),
    ]);
    section.notes.push(
        "the data has no held-out split: each fold was scored with what was best on the others, so this is what choosing this way \
         brings, not what one setting does"
            .to_owned(),
    );
    section
}
