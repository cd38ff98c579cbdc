//! Cost of a run: seconds by step, tokens by condition.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::figure::Figure;
use crate::chart::bars::{Bars, Key, Paint, Row};
use crate::document::Table;
use crate::run::provenance::count;
use ragtriage_core::text::numbers::thousands;
use ragtriage_core::types::ArmName;
use ragtriage_eval::arms::{ArmUse, Spared};
use ragtriage_eval::summary::Summary;

/// Seconds; `wall` are the steps that follow one another, by name. `None` where nothing was timed.
pub(super) fn seconds(timings: &[(String, f64)], wall: &BTreeMap<String, f64>) -> Option<Figure> {
    if timings.iter().all(|(_, seconds)| *seconds <= 0.0) {
        return None;
    }
    let title = "Seconds by step";
    let rows = timings.iter().map(|(step, seconds)| Row {
        label: step.clone(),
        value: *seconds,
        paint: if wall.contains_key(step) { Paint::Plain } else { Paint::Hollow },
        figure: format!("{seconds:.2} s"),
        ..Row::default()
    });
    let keys = vec![
        (Key::Bar(Paint::Plain), "one after another".to_owned()),
        (Key::Bar(Paint::Hollow), "summed over questions, several at once".to_owned()),
    ];
    let bars = Bars {
        title: title.to_owned(),
        x_label: "seconds".to_owned(),
        keys: if timings.iter().all(|(step, _)| wall.contains_key(step)) {
            Vec::new()
        } else {
            keys
        },
        rows: rows.collect(),
        ..Bars::default()
    };
    let mut figures = Table::new(title, &["step", "seconds", "measured"]);
    for (step, seconds) in timings {
        let how = if wall.contains_key(step) { "wall time" } else { "summed over questions" };
        figures.row([step.clone(), format!("{seconds:.2}"), how.to_owned()]);
    }
    Some(Figure::bars(bars, figures))
}

/// Tokens of each arm's calls, and of those that were spared; `None` without any.
pub(super) fn tokens(summary: &Summary, spared: &BTreeMap<String, Spared>) -> Option<Figure> {
    let title = "Tokens by condition (arm)";
    let mut figures =
        Table::new(title, &["arm", "replies", "tokens in", "tokens out", "US dollars"]);
    let mut rows = Vec::new();
    for arm in ArmName::ALL.iter().map(|arm| arm.name()) {
        let used = summary.tokens.by_arm.get(arm).copied().unwrap_or_default();
        let ArmUse { calls, prompt, completion, cost_usd, .. } = used;
        if calls > 0 {
            let mut figure = format!("{} in, {} out", count(prompt), count(completion));
            if cost_usd > 0.0 {
                let _ = write!(figure, ", {cost_usd:.4} USD");
            }
            rows.push(Row {
                label: arm.to_owned(),
                value: prompt.saturating_add(completion) as f64,
                figure,
                note: format!("{} calls", thousands(calls)),
                ..Row::default()
            });
            let cells =
                [thousands(calls), count(prompt), count(completion), format!("{cost_usd:.4}")];
            figures.row([arm.to_owned()].into_iter().chain(cells));
        }
        if let Some(Spared { replies, prompt, completion }) = spared.get(arm).copied() {
            rows.push(Row {
                label: format!("{arm}, cached"),
                value: prompt.saturating_add(completion) as f64,
                paint: Paint::Hollow,
                figure: format!("{} in, {} out", count(prompt), count(completion)),
                note: format!("{} responses", thousands(replies)),
                ..Row::default()
            });
            let cells = [thousands(replies), count(prompt), count(completion), "0".to_owned()];
            figures.row([format!("{arm}, cached")].into_iter().chain(cells));
        }
    }
    let mut keys = vec![(Key::Bar(Paint::Plain), "called".to_owned())];
    if !spared.is_empty() {
        keys.push((
            Key::Bar(Paint::Hollow),
            "from the cache, or from the same prompt of another condition".to_owned(),
        ));
    }
    figures.notes.push(
        "tokens as billed, or counted locally if the service reports none; cached responses cost nothing".to_owned(),
    );
    let has_tokens = rows.iter().any(|row| row.value > 0.0);
    let bars = Bars {
        title: title.to_owned(),
        x_label: "tokens".to_owned(),
        keys,
        rows,
        ..Bars::default()
    };
    has_tokens.then_some(Figure::bars(bars, figures))
}

#[cfg(test)]
mod tests {
    use super::super::Graphic;
    use super::*;

    #[test]
    fn steps_are_told_from_what_was_summed_over_questions() {
        let timings = [("load".to_owned(), 0.25), ("generate".to_owned(), 12.0)];
        let found =
            seconds(&timings, &BTreeMap::from([("load".to_owned(), 0.25)])).expect("a picture");
        assert_eq!(found.figures.rows[0], ["load", "0.25", "wall time"]);
        assert_eq!(found.figures.rows[1], ["generate", "12.00", "summed over questions"]);
        let Graphic::Bars(bars) = found.graphic else { panic!("bars") };
        assert_eq!(
            bars.rows.iter().map(|row| row.paint).collect::<Vec<_>>(),
            [Paint::Plain, Paint::Hollow]
        );
    }

    #[test]
    fn tokens_of_kept_replies_stand_under_their_own_heads() {
        let run = crate::specimen::run("r");
        let summary = ragtriage_eval::summary::evaluate(&run, &crate::specimen::plan()).summary;
        let kept = Spared { replies: 2, prompt: 1220, completion: 14 };
        let found = tokens(&summary, &[("retrieved".to_owned(), kept)].into()).expect("a picture");
        // Four calls of 10 tokens in and 2 out at 1/32 of a dollar.
        assert_eq!(found.figures.rows[0], ["retrieved", "4", "40", "8", "0.1250"]);
        assert_eq!(found.figures.rows[1], ["retrieved, cached", "2", "1,220", "14", "0"]);
        let Graphic::Bars(bars) = found.graphic else { panic!("bars") };
        assert_eq!(
            (bars.rows[1].value, bars.rows[1].figure.as_str()),
            (1234.0, "1,220 in, 14 out")
        );
    }

    #[test]
    fn what_was_not_timed_is_not_drawn() {
        assert_eq!(seconds(&[("generate".to_owned(), 0.0)], &BTreeMap::new()), None);
        assert_eq!(seconds(&[], &BTreeMap::new()), None);
    }
}
