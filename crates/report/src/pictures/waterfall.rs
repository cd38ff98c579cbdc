//! Support, stage by stage: how many questions still had theirs, and what each stage lost.

use std::collections::BTreeMap;

use super::{Drawing, Figure};
use crate::chart::bars::{Bars, Key, Paint, Row};
use crate::section::Section;
use crate::view::{Bar, View};
use ragtriage_core::text::numbers::thousands;

/// The picture; `None` for a data set with nothing to go by. `lost` stands parallel to the stages.
pub(super) fn waterfall(
    view: &View,
    n: usize,
    lost: &[BTreeMap<&'static str, usize>],
) -> Option<Figure> {
    if view.waterfall.is_empty() {
        return None;
    }
    let before = |at: usize| {
        if at == 0 {
            n
        } else {
            view.waterfall[at - 1].count
        }
    };
    let steps = || {
        view.waterfall
            .iter()
            .enumerate()
            .map(|(at, bar)| (bar, before(at), lost.get(at)))
    };
    let has_second = view
        .waterfall
        .iter()
        .any(|bar| bar.with_elsewhere.is_some());
    let mut keys = vec![
        (Key::Bar(Paint::Plain), "supported".to_owned()),
        (Key::Rest, "lost here".to_owned()),
    ];
    if has_second {
        keys.push((Key::Second, "with answer_elsewhere".to_owned()));
    }
    let bars = Bars {
        title: "Support, stage by stage".to_owned(),
        x_label: "questions".to_owned(),
        covers: vec![n as f64],
        keys,
        rows: steps()
            .map(|(bar, before, lost)| row(bar, before, lost))
            .collect(),
    };
    let mut figures = Section::new(
        bars.title.clone(),
        &["stage", "supported", "share", "lost here", "by"],
    );
    if has_second {
        figures.head.push("with answer_elsewhere".to_owned());
    }
    figures.rows = steps()
        .map(|(bar, before, lost)| {
            let mut cells = vec![
                bar.label.clone(),
                thousands(bar.count),
                percent(bar.share),
                thousands(before.saturating_sub(bar.count)),
                lost.map(by).unwrap_or_default(),
            ];
            if has_second {
                cells.push(thousands(bar.with_elsewhere.unwrap_or(bar.count)));
            }
            cells
        })
        .collect();
    figures.notes.push(format!(
        "{} answerable questions with gold; a count, not a ceiling: memory can answer what was not delivered",
        thousands(n)
    ));
    if has_second {
        figures.notes.push(
            "in brackets and as a stroke: with an answer string in a packed passage that is not gold taken for support"
                .to_owned(),
        );
    }
    Some(Figure {
        drawing: Drawing::Bars(bars),
        figures,
    })
}

fn row(bar: &Bar, before: usize, lost: Option<&BTreeMap<&'static str, usize>>) -> Row {
    let n_lost = before.saturating_sub(bar.count);
    let second = bar
        .with_elsewhere
        .map_or(String::new(), |count| format!(" ({})", thousands(count)));
    Row {
        label: bar.label.clone(),
        value: bar.count as f64,
        rest: (n_lost > 0).then_some(before as f64),
        second: bar.with_elsewhere.map(|count| count as f64),
        figure: format!("{}{second}, {}", thousands(bar.count), percent(bar.share)),
        note: if n_lost == 0 {
            String::new()
        } else {
            note(n_lost, lost)
        },
        ..Row::default()
    }
}

/// `-140 ranking`, or where several classes share it `-160: 140 ranking, 20 chunking`.
fn note(n_lost: usize, lost: Option<&BTreeMap<&'static str, usize>>) -> String {
    let minus = format!("\u{2212}{}", thousands(n_lost));
    match lost {
        Some(lost) if lost.values().sum::<usize>() != n_lost => minus,
        Some(lost) if lost.len() == 1 => lost
            .keys()
            .next()
            .map_or(minus.clone(), |class| format!("{minus} {class}")),
        Some(lost) => format!("{minus}: {}", by(lost)),
        None => minus,
    }
}

/// The largest first.
fn by(lost: &BTreeMap<&'static str, usize>) -> String {
    let mut lost: Vec<(&&str, &usize)> = lost.iter().collect();
    lost.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    lost.into_iter()
        .map(|(class, n)| format!("{} {class}", thousands(*n)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, count: usize) -> Bar {
        Bar {
            label: label.to_owned(),
            count,
            share: count as f64 / 200.0,
            with_elsewhere: None,
        }
    }

    #[test]
    fn what_a_stage_lost_is_the_hatched_rest_and_named_by_its_classes() {
        // Of 160 questions 20 are lost to chunking and 40 to ranking: 100 are left, half of 200.
        let lost = BTreeMap::from([("chunking", 20), ("ranking", 40)]);
        let drawn = row(&bar("top_k", 100), 160, Some(&lost));
        assert_eq!((drawn.value, drawn.rest), (100.0, Some(160.0)));
        assert_eq!(
            (drawn.figure.as_str(), drawn.note.as_str()),
            ("100, 50.0 %", "\u{2212}60: 40 ranking, 20 chunking")
        );
        let one = row(
            &bar("top_k", 100),
            160,
            Some(&BTreeMap::from([("ranking", 60)])),
        );
        assert_eq!(one.note, "\u{2212}60 ranking");
    }

    #[test]
    fn a_stage_that_lost_nothing_has_no_rest() {
        let drawn = row(&bar("prompt", 100), 100, Some(&BTreeMap::new()));
        assert_eq!((drawn.rest, drawn.note.as_str()), (None, ""));
    }

    #[test]
    fn classes_that_do_not_add_up_are_not_named() {
        assert_eq!(
            note(60, Some(&BTreeMap::from([("ranking", 59)]))),
            "\u{2212}60"
        );
    }
}
