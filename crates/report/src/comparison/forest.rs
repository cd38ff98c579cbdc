//! The differences of a pair of runs as a picture: each mean difference with its interval, to the right where the run has more than
//! the baseline. Which side is better is the measure's; paint and word say it.

use super::{Delta, PairView};
use crate::chart::bars::{Bars, Key, Paint, Row};
use crate::document::Table;
use crate::pictures::Figure;

/// The picture; `None` without a measure that can be drawn.
pub(crate) fn forest(pair: &PairView) -> Option<Figure> {
    let drawn: Vec<(String, Delta)> = pair
        .measures
        .iter()
        .filter_map(|row| {
            let mark = if row.primary { "* " } else { "" };
            Some((format!("{mark}{}", row.cells[0]), row.delta?))
        })
        .collect();
    let rows: Vec<Row> = drawn.iter().map(|(label, delta)| bar(label.clone(), *delta)).collect();
    let title = format!("Differences, {} less A", pair.label);
    let mut figures =
        Table::new(title.clone(), &["measure", "delta", "95% CI", "better is", "shown as"]);
    for ((label, delta), row) in drawn.iter().zip(&rows) {
        figures.row(figure(label, delta, &row.note));
    }
    figures
        .notes
        .push(format!("right of 0, {} scores higher than A; left of 0, lower", pair.label));
    let less: Vec<&str> = drawn
        .iter()
        .filter(|(_, delta)| delta.lower_is_better)
        .map(|(label, _)| label.as_str())
        .collect();
    if !less.is_empty() {
        figures.notes.push(format!("lower is better for {}", less.join(", ")));
    }
    let bars = Bars {
        title,
        x_label: format!("mean difference, {} less A", pair.label),
        keys: vec![
            (Key::Bar(Paint::Gain), "better".to_owned()),
            (Key::Bar(Paint::Loss), "worse".to_owned()),
            (Key::Bar(Paint::Hollow), "undecided".to_owned()),
            (Key::Interval, "95% CI".to_owned()),
        ],
        rows,
        ..Bars::default()
    };
    (!bars.rows.is_empty()).then(|| Figure::bars(bars, figures))
}

fn figure(label: &str, delta: &Delta, note: &str) -> [String; 5] {
    let range =
        delta.ci95.map_or("-".to_owned(), |ci| format!("[{:+.3}, {:+.3}]", ci.low, ci.high));
    let better = if delta.lower_is_better { "less" } else { "more" };
    [label.to_owned(), format!("{:+.3}", delta.mean), range, better.to_owned(), note.to_owned()]
}

fn bar(label: String, delta: Delta) -> Row {
    let Delta { mean, ci95, lower_is_better } = delta;
    let (paint, note) = match ci95 {
        Some(ci) if !ci.holds_zero() && (mean > 0.0) != lower_is_better => (Paint::Gain, "better"),
        Some(ci) if !ci.holds_zero() => (Paint::Loss, "worse"),
        _ => (Paint::Hollow, "undecided"),
    };
    let range = ci95.map_or(String::new(), |ci| format!(" [{:+.3}, {:+.3}]", ci.low, ci.high));
    Row {
        label,
        value: mean,
        paint,
        interval: ci95,
        figure: format!("{mean:+.3}{range}"),
        note: note.to_owned(),
        ..Row::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::types::Interval;

    #[test]
    fn what_is_better_depends_on_the_measures_direction_and_on_the_interval() {
        let of = |mean, low, high, lower_is_better| {
            let row = bar(
                "m".to_owned(),
                Delta { mean, ci95: Some(Interval { low, high }), lower_is_better },
            );
            (row.paint, row.note)
        };
        assert_eq!(of(0.2, 0.1, 0.3, false), (Paint::Gain, "better".to_owned()));
        assert_eq!(of(0.2, 0.1, 0.3, true), (Paint::Loss, "worse".to_owned()));
        assert_eq!(of(-0.2, -0.3, -0.1, true), (Paint::Gain, "better".to_owned()));
        assert_eq!(of(0.2, -0.1, 0.5, false), (Paint::Hollow, "undecided".to_owned()));
        // The figures say on which side better lies.
        let ci95 = Some(Interval { low: 0.125, high: 0.25 });
        let row = figure("m", &Delta { mean: 0.1875, ci95, lower_is_better: true }, "worse");
        assert_eq!(row, ["m", "+0.188", "[+0.125, +0.250]", "less", "worse"]);
        // No interval decides nothing.
        let none = bar("m".to_owned(), Delta { mean: 0.2, ci95: None, lower_is_better: false });
        assert_eq!((none.paint, none.figure.as_str()), (Paint::Hollow, "+0.200"));
    }
}
