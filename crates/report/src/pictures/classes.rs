//! The classes: what share of all questions each has, each leading to its questions.

use super::figure::Figure;
use crate::chart::bars::{Bars, Key, Paint, Row};
use crate::run::class_table;
use crate::run::support::ClassRow;
use ragtriage_core::text::numbers::{percent, thousands};
use ragtriage_core::types::{FailureClass, Interval};

/// The picture; `None` for a run without questions.
pub(super) fn classes(classes: &[ClassRow], flags: &str) -> Option<Figure> {
    if classes.is_empty() {
        return None;
    }
    let n: f64 = classes.iter().map(|row| row.count as f64).sum();
    let has_second = classes.iter().any(|row| row.with_elsewhere.is_some());
    let mut keys = vec![
        (Key::Bar(Paint::Loss), "lost".to_owned()),
        (Key::Bar(Paint::Plain), "not lost".to_owned()),
        (Key::Interval, "95% CI".to_owned()),
    ];
    if has_second {
        keys.push((Key::Second, "with answer_elsewhere".to_owned()));
    }
    let bars = Bars {
        title: "Failure classes".to_owned(),
        x_label: "% of questions".to_owned(),
        covers: Vec::new(),
        keys,
        rows: classes.iter().map(|class| row(class, n)).collect(),
    };
    let mut figures = class_table(classes, flags);
    figures.notes.push(
        "a class name filters the questions in the table below; intervals by Wilson".to_owned(),
    );
    Some(Figure::bars(bars, figures))
}

fn row(class: &ClassRow, n: f64) -> Row {
    let second =
        class.with_elsewhere.map_or(String::new(), |count| format!(" ({})", thousands(count)));
    Row {
        label: class.class.name().to_owned(),
        link: Some(format!("#class={}", class.class.name())),
        value: 100.0 * class.share,
        paint: paint(class.class),
        second: class.with_elsewhere.map(|count| 100.0 * count as f64 / n.max(1.0)),
        interval: class.ci95.map(|ci| Interval { low: 100.0 * ci.low, high: 100.0 * ci.high }),
        figure: format!("{}{second}, {}", thousands(class.count), percent(class.share)),
        note: class.faults.clone(),
        ..Row::default()
    }
}

fn paint(class: FailureClass) -> Paint {
    match class {
        lost if lost.is_loss() => Paint::Loss,
        FailureClass::Ambiguous
        | FailureClass::Unattributed
        | FailureClass::NotRecorded
        | FailureClass::Failed => Paint::Hollow,
        _ => Paint::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_leads_to_its_questions_and_says_what_it_is_made_of() {
        let class = ClassRow {
            class: FailureClass::Generation,
            faults: "3 reader, 1 abstained".to_owned(),
            count: 4,
            share: 0.4,
            ci95: Some(Interval { low: 0.17, high: 0.69 }),
            bounds: None,
            with_elsewhere: Some(5),
        };
        let drawn = row(&class, 10.0);
        assert_eq!(
            (drawn.label.as_str(), drawn.link.as_deref()),
            ("generation", Some("#class=generation"))
        );
        assert_eq!(
            (drawn.figure.as_str(), drawn.note.as_str()),
            ("4 (5), 40.0%", "3 reader, 1 abstained")
        );
        // 5 of 10 questions.
        assert_eq!((drawn.second, drawn.paint), (Some(50.0), Paint::Loss));
    }

    #[test]
    fn what_cannot_be_judged_is_neither_lost_nor_kept() {
        assert_eq!(paint(FailureClass::Failed), Paint::Hollow);
        assert_eq!(paint(FailureClass::Hallucinated), Paint::Loss);
        assert_eq!(paint(FailureClass::CorrectAbstention), Paint::Plain);
    }
}
