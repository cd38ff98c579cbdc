//! Reports on a sweep as data.

mod keys;
mod ranked;
mod report;
#[cfg(test)]
mod tests;

use ragtriage_eval::tuning::{Confirmation, RankedTrial, TrialRanking, TuningPlan, TuningVerdict};

pub use keys::pairs;
pub use report::report;

/// The results of a sweep that its reports are made of.
#[derive(Clone, Copy, Debug)]
pub struct SweepFindings<'a> {
    /// The metrics and statistics that compare trials.
    pub plan: &'a TuningPlan,
    /// The name of the default's row.
    pub default: &'a str,
    /// The trials in order.
    pub ranking: &'a TrialRanking,
    /// The confirmation of the winner, if any.
    pub confirmation: Option<&'a Confirmation>,
    pub verdict: &'a TuningVerdict,
}

impl<'a> SweepFindings<'a> {
    /// The rows that have numbers, best first.
    fn scored(&self) -> impl Iterator<Item = &'a RankedTrial> + use<'a> {
        self.ranking.rows.iter().filter(|row| row.error.is_none())
    }

    fn is_winner(&self, row: &RankedTrial) -> bool {
        self.ranking.winner.as_deref() == Some(row.name.as_str())
    }

    /// `>` the winner, `=` the default, `!` truncated by the encoder.
    fn marks(&self, row: &RankedTrial) -> String {
        let marks = [
            (self.is_winner(row), '>'),
            (row.name == self.default, '='),
            (row.n_truncated > 0, '!'),
        ];
        marks.into_iter().filter_map(|(holds, mark)| holds.then_some(mark)).collect()
    }
}
