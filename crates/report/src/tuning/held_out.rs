//! The confirmation of the winner on held-out questions.

use super::ranked::{delta, interval, mean, none};
use crate::document::Table;
use ragtriage_core::text::numbers::thousands;
use ragtriage_eval::compare::p_text;
use ragtriage_eval::tuning::HeldOut;

/// Builds the table of the winner against the default on held-out questions.
pub(super) fn table(found: &HeldOut) -> Table {
    let HeldOut {
        n,
        n_clusters,
        largest_cluster: _,
        default,
        winner,
        delta: by,
        ci95,
        p,
        detectable: _,
    } = found;
    let mut table = Table::new(
        "Held-out evaluation of the best trial",
        &["", "n", "clusters", "default", "best", "delta", "95% CI", "p"],
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
    ]);
    table
}
