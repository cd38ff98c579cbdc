//! Support by stage: how many questions still have theirs, and what each stage lost.

use super::figure::Figure;
use crate::chart::bars::{Bars, Key, Paint, Row};
use crate::run::support::SupportRow;
use crate::run::{by_class, support_table};
use ragtriage_core::text::numbers::{percent, thousands};

/// The picture; `None` for a data set without gold.
pub(super) fn waterfall(stages: &[SupportRow], n: usize) -> Option<Figure> {
    if stages.is_empty() {
        return None;
    }
    let mut keys =
        vec![(Key::Bar(Paint::Plain), "supported".to_owned()), (Key::Rest, "lost here".to_owned())];
    if stages.iter().any(|row| row.with_elsewhere.is_some()) {
        keys.push((Key::Second, "with answer_elsewhere".to_owned()));
    }
    let bars = Bars {
        title: "Support by stage".to_owned(),
        x_label: "questions".to_owned(),
        covers: vec![n as f64],
        keys,
        rows: stages.iter().map(row).collect(),
    };
    Some(Figure::bars(bars, support_table(stages, n)))
}

fn row(stage: &SupportRow) -> Row {
    let second =
        stage.with_elsewhere.map_or(String::new(), |count| format!(" ({})", thousands(count)));
    Row {
        label: stage.label.clone(),
        value: stage.count as f64,
        rest: (stage.n_lost > 0).then_some((stage.count + stage.n_lost) as f64),
        second: stage.with_elsewhere.map(|count| count as f64),
        figure: format!("{}{second}, {}", thousands(stage.count), percent(stage.share)),
        note: note(stage),
        ..Row::default()
    }
}

/// `-140 ranking`, or where several classes share it `-160: 140 ranking, 20 chunking`.
fn note(stage: &SupportRow) -> String {
    let minus = format!("\u{2212}{}", thousands(stage.n_lost));
    let mut classes = stage.lost.keys();
    match (classes.next(), classes.next()) {
        _ if stage.n_lost == 0 => String::new(),
        _ if stage.lost.values().sum::<usize>() != stage.n_lost => minus,
        (Some(class), None) => format!("{minus} {class}"),
        _ => format!("{minus}: {}", by_class(&stage.lost)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn stage(count: usize, lost: &[(&'static str, usize)]) -> SupportRow {
        let lost: BTreeMap<&'static str, usize> = lost.iter().copied().collect();
        SupportRow {
            label: "top_k".to_owned(),
            count,
            share: count as f64 / 200.0,
            n_lost: lost.values().sum(),
            lost,
            with_elsewhere: None,
        }
    }

    #[test]
    fn what_a_stage_lost_is_the_hatched_rest_and_named_by_its_classes() {
        // Of 160 questions 20 are lost to chunking and 40 to ranking: 100 are left, half of 200.
        let drawn = row(&stage(100, &[("chunking", 20), ("ranking", 40)]));
        assert_eq!((drawn.value, drawn.rest), (100.0, Some(160.0)));
        assert_eq!(
            (drawn.figure.as_str(), drawn.note.as_str()),
            ("100, 50.0%", "\u{2212}60: 40 ranking, 20 chunking")
        );
        assert_eq!(row(&stage(100, &[("ranking", 60)])).note, "\u{2212}60 ranking");
    }

    #[test]
    fn a_stage_that_lost_nothing_has_no_rest() {
        let drawn = row(&stage(100, &[]));
        assert_eq!((drawn.rest, drawn.note.as_str()), (None, ""));
    }

    #[test]
    fn classes_that_do_not_add_up_are_not_named() {
        let mut stage = stage(100, &[("ranking", 59)]);
        stage.n_lost = 60;
        assert_eq!(note(&stage), "\u{2212}60");
    }
}
