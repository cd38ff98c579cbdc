//! The loss budget: what each source costs a question, to the left of zero where it wins.

use super::figure::Figure;
use crate::chart::bars::{Bars, Key, Paint, Row};
use crate::run::loss_table;
use crate::run::losses::{LossBudgetReport, LossRow};

/// The picture; `None` without loss terms.
pub(super) fn losses(budget: &LossBudgetReport) -> Option<Figure> {
    if budget.rows.is_empty() {
        return None;
    }
    let mut keys = vec![(Key::Bar(Paint::Loss), "lost".to_owned())];
    if budget.rows.iter().any(|row| row.mean < 0.0) {
        keys.push((Key::Bar(Paint::Gain), "won, left of zero".to_owned()));
    }
    if budget.rows.iter().any(|row| row.ci95.is_some()) {
        keys.push((Key::Interval, "95% CI".to_owned()));
    }
    let bars = Bars {
        title: "Loss budget".to_owned(),
        x_label: "mean loss per question".to_owned(),
        keys,
        rows: budget.rows.iter().map(row).collect(),
        ..Bars::default()
    };
    Some(Figure::bars(bars, loss_table(budget)))
}

fn row(loss: &LossRow) -> Row {
    Row {
        label: loss.label.clone(),
        value: loss.mean,
        paint: if loss.mean < 0.0 { Paint::Gain } else { Paint::Loss },
        interval: loss.ci95,
        figure: format!("{:.3} {}", loss.mean, range(loss)).trim_end().to_owned(),
        ..Row::default()
    }
}

fn range(loss: &LossRow) -> String {
    loss.ci95.map_or(String::new(), |ci| format!("{ci:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::types::Interval;

    #[test]
    fn a_negative_loss_is_won_and_shown_as_it_is() {
        let loss = LossRow {
            label: "distraction".to_owned(),
            mean: -0.02,
            ci95: Some(Interval { low: -0.05, high: 0.01 }),
            bounds: None,
            f1: None,
        };
        let drawn = row(&loss);
        assert_eq!((drawn.value, drawn.paint), (-0.02, Paint::Gain));
        assert_eq!(drawn.figure, "-0.020 [-0.050, 0.010]");
        // One cluster of questions has no interval.
        assert_eq!(row(&LossRow { ci95: None, mean: 0.5, ..loss }).figure, "0.500");
    }
}
