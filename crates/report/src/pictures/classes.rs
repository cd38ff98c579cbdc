//! The classes: what share of all questions each has, each leading to its questions.

use super::{Drawing, Figure};
use crate::chart::bars::{Bars, Key, Paint, Row};
use crate::section::Section;
use crate::view::{ClassRow, View};
use ragtriage_core::text::numbers::thousands;
use ragtriage_core::types::{FailureClass, Interval};

/// The picture; `None` for a run without questions.
pub(super) fn classes(view: &View) -> Option<Figure> {
    if view.classes.is_empty() {
        return None;
    }
    let n: f64 = view.classes.iter().map(|row| row.count as f64).sum();
    let has_second = view.classes.iter().any(|row| row.with_elsewhere.is_some());
    let mut keys = vec![
        (Key::Bar(Paint::Loss), "lost".to_owned()),
        (Key::Bar(Paint::Plain), "not lost".to_owned()),
    ];
    keys.push((Key::Interval, "95 % interval".to_owned()));
    if has_second {
        keys.push((Key::Second, "with answer_elsewhere".to_owned()));
    }
    let bars = Bars {
        title: "Classes".to_owned(),
        x_label: "% of questions".to_owned(),
        covers: Vec::new(),
        keys,
        rows: view.classes.iter().map(|class| row(class, n)).collect(),
    };
    let mut figures = Section::new(
        bars.title.clone(),
        &["class", "questions", "share", "95 %", "made of"],
    );
    if has_second {
        figures.head.push("with answer_elsewhere".to_owned());
    }
    figures.rows = view
        .classes
        .iter()
        .map(|row| {
            let share = format!("{:.1} %", 100.0 * row.share);
            let mut cells = vec![
                row.class.name().to_owned(),
                thousands(row.count),
                share,
                range(row.ci95),
                faults(row),
            ];
            if has_second {
                cells.push(thousands(row.with_elsewhere.unwrap_or(row.count)));
            }
            cells
        })
        .collect();
    figures
        .notes
        .push("a name shows its questions in the table below; intervals by Wilson".to_owned());
    if has_second {
        figures.notes.push(
            "in brackets and as a stroke: with answer_elsewhere taken for support; the truth lies between the two"
                .to_owned(),
        );
    }
    if !view.flags.is_empty() {
        figures.notes.push(format!("flags: {}", view.flags));
    }
    Some(Figure {
        drawing: Drawing::Bars(bars),
        figures,
    })
}

fn row(class: &ClassRow, n: f64) -> Row {
    let second = class
        .with_elsewhere
        .map_or(String::new(), |count| format!(" ({})", thousands(count)));
    Row {
        label: class.class.name().to_owned(),
        link: Some(format!("#class={}", class.class.name())),
        value: 100.0 * class.share,
        paint: paint(class.class),
        second: class
            .with_elsewhere
            .map(|count| 100.0 * count as f64 / n.max(1.0)),
        interval: class.ci95.map(|ci| Interval {
            low: 100.0 * ci.low,
            high: 100.0 * ci.high,
        }),
        figure: format!(
            "{}{second}, {:.1} %",
            thousands(class.count),
            100.0 * class.share
        ),
        note: faults(class),
        ..Row::default()
    }
}

fn paint(class: FailureClass) -> Paint {
    match class {
        lost if lost.is_loss() => Paint::Loss,
        FailureClass::Unattributed | FailureClass::Failed => Paint::Hollow,
        _ => Paint::Plain,
    }
}

/// What `generation` is made of: behind the class's name, in brackets.
fn faults(row: &ClassRow) -> String {
    let behind = row.label.strip_prefix(row.class.name()).unwrap_or_default();
    behind
        .trim_start_matches(" (")
        .trim_end_matches(')')
        .to_owned()
}

fn range(ci95: Option<Interval>) -> String {
    ci95.map_or(String::new(), |ci| {
        format!("[{:.1}, {:.1}]", 100.0 * ci.low, 100.0 * ci.high)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_leads_to_its_questions_and_says_what_it_is_made_of() {
        let class = ClassRow {
            class: FailureClass::Generation,
            label: "generation (3 reader, 1 abstained)".to_owned(),
            count: 4,
            share: 0.4,
            ci95: Some(Interval {
                low: 0.17,
                high: 0.69,
            }),
            with_elsewhere: Some(5),
        };
        let drawn = row(&class, 10.0);
        assert_eq!(
            (drawn.label.as_str(), drawn.link.as_deref()),
            ("generation", Some("#class=generation"))
        );
        assert_eq!(
            (drawn.figure.as_str(), drawn.note.as_str()),
            ("4 (5), 40.0 %", "3 reader, 1 abstained")
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
