//! A sweep's view: every cell, sentence and chart of its report, in the order it is read.

use super::drawings::{self, Drawing};
use super::keys::pairs;
use super::ranked::Ranked;
use super::{Found, sections};
use crate::section::Section;
use ragtriage_core::measure::Measure;
use ragtriage_core::text::numbers::plural;

/// A report's content.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningView {
    /// What follows from it all.
    pub verdict: String,
    /// What was tried, on what, with what: label and text.
    pub head: Vec<(String, String)>,
    /// What the reader should know before believing it.
    pub notices: Vec<String>,
    /// The settings, best first.
    pub ranked: Ranked,
    /// What each does on its own, the front, answers, how the winner was confirmed.
    pub sections: Vec<Section>,
    /// Charts that have something to show.
    pub drawings: Vec<Drawing>,
    /// How to read it.
    pub legend: Vec<String>,
}

impl TuningView {
    /// All there is to say; `head` is what only the caller knows: the data, the search, what was reused.
    #[must_use]
    pub fn new(found: &Found, head: Vec<(String, String)>) -> Self {
        let best = found.scored().find(|row| found.is_winner(row)).map(|row| {
            let text = format!("{}: {}", row.name, pairs(found.varied, &row.values));
            (
                "Best".to_owned(),
                if row.name == found.default {
                    text + " (the default itself)"
                } else {
                    text
                },
            )
        });
        let sections = [
            sections::effects(found),
            sections::front(found),
            sections::generated(found),
            sections::confirmation(found),
        ];
        Self {
            verdict: found.verdict.text.clone(),
            head: best.into_iter().chain(head).collect(),
            notices: notices(found),
            ranked: Ranked::new(found),
            sections: sections.into_iter().flatten().collect(),
            drawings: drawings::all(found),
            legend: legend(found),
        }
    }
}

fn notices(found: &Found) -> Vec<String> {
    let n = found.ranking.n_left_out;
    let left_out = (n > 0).then(|| {
        let were = plural(n, "question was", "questions were");
        format!(
            "{were} left out: some settings failed there, and all are ranked on the same questions"
        )
    });
    let unconfirmed = found.confirmation.is_none().then(|| {
        "not confirmed: every figure is of the questions that the best was chosen on, where the best of many evaluations better than it is"
            .to_owned()
    });
    let packed = (found.plan.measure == found.plan.at_prompt).then(|| {
        "how much is packed is varied, and more text never finds less: choose on the front, not by the rank".to_owned()
    });
    left_out
        .into_iter()
        .chain(packed)
        .chain(unconfirmed)
        .collect()
}

fn legend(found: &Found) -> Vec<String> {
    let plan = found.plan;
    let view = |measure: Measure| {
        format!(
            "{measure}{}",
            if measure == plan.measure {
                ", the score"
            } else {
                ""
            }
        )
    };
    vec![
        "> the best, ^ on the front, = the default; delta: a setting minus the default, question by question. Each interval is for \
         its one difference alone: of many settings some clear zero by chance"
            .to_owned(),
        "max-T p: the chance that, were no setting different from the default, any of all would differ as much. This is the one to \
         go by when the best of many is looked at"
            .to_owned(),
        format!(
            "equal k ({}): as many passages for every setting, which favours big chunks, for they bring more text. equal tokens ({}): as \
             much text for every setting, which is what a prompt costs; a ranking that runs out of passages before the budget shows less",
            view(plan.equal_k),
            view(plan.equal_tokens)
        ),
        format!(
            "packed: tokens of what a setting packs itself, at its own k, on average. ^ the front: no other setting has as much {} for \
             fewer of them, or more for as many; the best goes by {} and need not be there",
            plan.at_prompt,
            plan.measure
        ),
        "on its own: the mean over all settings that share the value; fair where each value met the same others, as in a grid"
            .to_owned(),
    ]
}
