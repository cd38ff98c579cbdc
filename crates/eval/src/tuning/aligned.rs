//! The settings that ran, on the questions that every one of them has a value for: what all of tuning's numbers are over.

use super::board::{Board, Marks, Tried};
use super::means::{mean, minus};
use ragtriage_core::measure::{Direction, Measure};
use ragtriage_core::stats::cluster::clusters;

/// A board's common ground.
pub(super) struct Aligned<'a> {
    pub board: &'a Board,
    pub measure: Measure,
    /// Places among the board's questions, ascending.
    pub questions: Vec<usize>,
    /// Questions that only some of the settings have a value for.
    pub n_left_out: usize,
    /// Questions that none of the settings has a value for.
    pub n_undefined: usize,
    /// The questions' clusters, numbered from 0 without gaps.
    pub cluster_of: Vec<usize>,
    /// In the board's order; without those that failed.
    pub settings: Vec<Column<'a>>,
}

/// A setting that ran; the lists are parallel to [`Aligned::questions`].
pub(super) struct Column<'a> {
    /// Its place on the board: 0 is the default.
    pub at: usize,
    pub tried: &'a Tried,
    pub values: Vec<f64>,
    pub context_tokens: Vec<f64>,
    marks: &'a Marks,
}

impl<'a> Aligned<'a> {
    pub fn new(board: &'a Board, measure: Measure) -> Self {
        let ran: Vec<(usize, &Tried, &Marks)> = board
            .settings
            .iter()
            .enumerate()
            .filter_map(|(at, tried)| Some((at, tried, tried.result.as_ref().ok()?)))
            .collect();
        let nothing = || vec![None; board.questions.len()];
        let columns: Vec<Vec<Option<f64>>> = ran
            .iter()
            .map(|(_, _, marks)| marks.scores.column(measure).unwrap_or_else(nothing))
            .collect();
        let n_valued = |question: usize| {
            columns
                .iter()
                .filter(|column| column[question].is_some())
                .count()
        };
        let valued: Vec<usize> = (0..board.questions.len()).map(n_valued).collect();
        let of = |wanted: &dyn Fn(usize) -> bool| {
            (0..valued.len()).filter(|&at| wanted(valued[at])).collect()
        };
        let questions: Vec<usize> = of(&|n| n > 0 && n == ran.len());
        let left_out: Vec<usize> = of(&|n| n > 0 && n < ran.len());
        let undefined: Vec<usize> = of(&|n| n == 0);
        let column =
            |((at, tried, marks), values): ((usize, &'a Tried, &'a Marks), Vec<Option<f64>>)| {
                Column {
                    at,
                    tried,
                    values: questions
                        .iter()
                        .filter_map(|&question| values[question])
                        .collect(),
                    // A question with a value did not fail, so something was packed for it, be it of 0 tokens.
                    context_tokens: questions
                        .iter()
                        .map(|&at| marks.context_tokens[at].unwrap_or(0.0))
                        .collect(),
                    marks,
                }
            };
        let settings = ran.into_iter().zip(columns).map(column).collect();
        let cluster_of = clusters(
            questions
                .iter()
                .map(|&question| [board.cluster_of[question]]),
        );
        let (n_left_out, n_undefined) = (left_out.len(), undefined.len());
        Self {
            board,
            measure,
            questions,
            n_left_out,
            n_undefined,
            cluster_of,
            settings,
        }
    }

    pub fn n_clusters(&self) -> usize {
        self.cluster_of.iter().max().map_or(0, |last| last + 1)
    }

    pub fn direction(&self) -> Direction {
        self.measure.family().facts().direction
    }

    /// `None` where it failed or was not tried: the first that ran is another then, which stands for no default.
    pub fn default(&self) -> Option<&Column<'a>> {
        self.settings.first().filter(|column| column.at == 0)
    }

    /// The settings that the sweep made. The default is one of them only where it took the place of a point of the sweep: each
    /// of its values was tried, and no other setting has all of them.
    pub fn sweep(&self) -> Vec<&Column<'a>> {
        let [default, others @ ..] = &self.board.settings[..] else {
            return Vec::new();
        };
        let tried = self.board.varied.iter().all(|varied| {
            default
                .values
                .get(&varied.key)
                .is_some_and(|value| varied.values.contains(value))
        });
        let takes_a_place = tried && others.iter().all(|other| other.values != default.values);
        self.settings
            .iter()
            .filter(|column| column.at > 0 || takes_a_place)
            .collect()
    }

    /// Another measure's mean over the same questions, those of them that have it; `None` where none has.
    pub fn mean_of(&self, setting: &Column<'_>, measure: Measure) -> Option<f64> {
        let scores = &setting.marks.scores;
        let column = scores.measures.iter().position(|other| *other == measure)?;
        let values: Vec<f64> = self
            .questions
            .iter()
            .filter_map(|&question| scores.rows[question][column])
            .collect();
        (!values.is_empty()).then(|| mean(&values))
    }
}

impl Column<'_> {
    /// This setting minus another, question by question.
    pub fn minus(&self, other: &Self) -> Vec<f64> {
        self.values
            .iter()
            .zip(&other.values)
            .map(|(a, b)| minus(*a, *b))
            .collect()
    }
}
