//! A sweep's report: [`view`] holds every cell and sentence in the order it is read, [`terminal`] and [`markdown`] lay it out;
//! [`drawings`] are its charts, [`csv`] its whole table.

pub mod csv;
pub mod drawings;
mod keys;
pub mod markdown;
mod ranked;
mod sections;
pub mod terminal;
#[cfg(test)]
mod tests;
pub mod view;

pub use keys::all_pairs;

use ragtriage_eval::tuning::{
    Confirmation, RankedTrial, TrialRanking, TuningPlan, TuningVerdict, Varied,
};

/// What a report of a sweep is made of.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// How the board was read.
    pub plan: &'a TuningPlan,
    /// What was varied.
    pub varied: &'a [Varied],
    /// The name of the default's row.
    pub default: &'a str,
    /// The board in order.
    pub ranking: &'a TrialRanking,
    /// How its winner was confirmed; `None` where it was not.
    pub confirmation: Option<&'a Confirmation>,
    /// What follows.
    pub verdict: &'a TuningVerdict,
    /// Answers, of settings that the generator was run for.
    pub generated: &'a [Generated],
}

/// What the generator answered with one setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    /// The setting.
    pub name: String,
    /// Questions answered.
    pub n: usize,
    /// Mean `AnswerF1`; `None` where no question has one.
    pub answer_f1: Option<f64>,
    /// Mean `AnswerEM`.
    pub answer_em: Option<f64>,
    /// What its calls cost, where a price is known.
    pub cost_usd: Option<f64>,
}

impl Found<'_> {
    /// The rows that have numbers, best first.
    fn scored(&self) -> impl Iterator<Item = &RankedTrial> {
        self.ranking.rows.iter().filter(|row| row.error.is_none())
    }

    fn is_winner(&self, row: &RankedTrial) -> bool {
        self.ranking.winner.as_deref() == Some(row.name.as_str())
    }

    /// `>` the winner, `^` on the front, `=` the default.
    fn marks(&self, row: &RankedTrial) -> String {
        let marks = [
            (self.is_winner(row), '>'),
            (row.on_front, '^'),
            (row.name == self.default, '='),
        ];
        marks
            .into_iter()
            .filter_map(|(holds, mark)| holds.then_some(mark))
            .collect()
    }
}
