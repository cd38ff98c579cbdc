//! The confirmation of the winner on held-out questions.

use super::ranked::{delta, interval, mean, none};
use crate::document::Table;
use ragtriage_core::text::numbers::thousands;
use ragtriage_eval::compare::p_text;
use ragtriage_eval::tuning::HeldOut;

/// Builds the table of the winner against the default on held-out questions.
pub(super) fn table(found: &HeldOut) -> Table {
    let mut table = Table::new(
        "Held-out evaluation of the best trial",
        &["", "n", "clusters", "default", "best", "delta", "95% CI", "p"],
    );
    table.row([
        "held out".to_owned(),
        thousands(found.n),
        thousands(found.n_clusters),
        mean(found.default),
        mean(found.winner),
        delta(found.delta),
        interval(found.ci95),
        found.p.map_or_else(none, p_text),
    ]);
    table
}
