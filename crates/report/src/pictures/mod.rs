//! Pictures of the HTML report, each with its figures as a table.
//!
//! Renderers decide nothing; a picture that would have nothing to show is not there. No second count of anything: the numbers are
//! those of the [`RunReport`] and the [`Summary`](ragtriage_eval::summary::Summary).

mod classes;
mod curves;
mod effort;
mod figure;
mod losses;
mod spread;
mod tiles;
mod waterfall;

use super::run::RunReport;
use ragtriage_core::measure::{Family, Measure};
use ragtriage_eval::curves::Curve;
use ragtriage_eval::summary::Evaluation;
use ragtriage_eval::{arms, distribution};
use ragtriage_runs::SavedRun;

pub use figure::{Figure, Graphic};
pub use tiles::Tile;

/// All pictures of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Pictures {
    /// The main figures.
    pub tiles: Vec<Tile>,
    /// Support, stage by stage.
    pub waterfall: Option<Figure>,
    /// The loss terms.
    pub losses: Option<Figure>,
    /// The classes' shares.
    pub classes: Option<Figure>,
    /// Measures against k, the scores of passages, and those of answers.
    pub curves: Vec<Figure>,
    /// Seconds and tokens.
    pub effort: Vec<Figure>,
}

impl Pictures {
    /// The pictures of a run that `report` is about.
    #[must_use]
    pub fn new(
        run: &SavedRun,
        evaluation: &Evaluation,
        against_k: &[Curve],
        report: &RunReport,
    ) -> Self {
        let summary = &evaluation.summary;
        let scores = distribution::score_spread(run, summary.two_by_two.k);
        let answers = Measure::new(Family::AnswerF1, None)
            .and_then(|measure| evaluation.scores.column(measure));
        let tenths = distribution::tenths(answers.into_iter().flatten().flatten());
        let spread = [
            scores.map(|found| spread::passages(&found, summary.two_by_two.k)),
            spread::answers(tenths),
        ];
        let against_k = curves::curves(against_k);
        let seconds = effort::seconds(&report.timings, &run.manifest.seconds);
        let tokens = effort::tokens(summary, &arms::spared(&run.traces));
        Self {
            tiles: tiles::tiles(summary, run.manifest.is_foreign()),
            waterfall: waterfall::waterfall(&report.support, report.support_n),
            losses: losses::losses(&report.losses),
            classes: classes::classes(&report.classes, &report.flags),
            curves: [against_k].into_iter().chain(spread).flatten().collect(),
            effort: [seconds, tokens].into_iter().flatten().collect(),
        }
    }
}
