//! The differences of a pair of runs as a picture: each mean difference with its interval, to the right what is better by more of it.

use super::{Delta, PairView};
use crate::report::chart::bars::{Bars, Key, Paint, Row};
use crate::report::pictures::Drawing;

/// The picture; the table of measures has its figures. `None` without a measure that can be drawn.
pub(super) fn forest(pair: &PairView) -> Option<Drawing> {
    let drawn = pair.measures.iter().filter_map(|row| {
        let mark = if row.primary { "* " } else { "" };
        Some(bar(format!("{mark}{}", row.cells[0]), row.delta?))
    });
    let rows: Vec<Row> = drawn.collect();
    let bars = Bars {
        title: format!("Differences, {} less A", pair.label),
        x_label: format!("mean difference, {} less A", pair.label),
        keys: vec![
            (Key::Bar(Paint::Gain), "better".to_owned()),
            (Key::Bar(Paint::Loss), "worse".to_owned()),
            (Key::Bar(Paint::Hollow), "undecided".to_owned()),
            (Key::Interval, "95 % interval".to_owned()),
        ],
        rows,
        ..Bars::default()
    };
    (!bars.rows.is_empty()).then_some(Drawing::Bars(bars))
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
    use crate::types::Interval;

    #[test]
    fn what_is_better_depends_on_the_measures_direction_and_on_the_interval() {
        let of = |mean, low, high, lower_is_better| {
            let row = bar("m".to_owned(), Delta { mean, ci95: Some(Interval { low, high }), lower_is_better });
            (row.paint, row.note)
        };
        assert_eq!(of(0.2, 0.1, 0.3, false), (Paint::Gain, "better".to_owned()));
        assert_eq!(of(0.2, 0.1, 0.3, true), (Paint::Loss, "worse".to_owned()));
        assert_eq!(of(-0.2, -0.3, -0.1, true), (Paint::Gain, "better".to_owned()));
        assert_eq!(of(0.2, -0.1, 0.5, false), (Paint::Hollow, "undecided".to_owned()));
        // No interval decides nothing.
        let none = bar("m".to_owned(), Delta { mean: 0.2, ci95: None, lower_is_better: false });
        assert_eq!((none.paint, none.figure.as_str()), (Paint::Hollow, "+0.200"));
    }
}
