//! A sweep's charts: the measure against k, against chunk size in both views, and quality against context tokens.

use super::found::Found;
use super::keys::named;
use crate::chart::{Chart, Line, Point, Scale, Style};
use ragtriage_eval::tuning::{RankedTrial, SweepCurve};

/// Characters of a line's name with its values: as many as a terminal's legend shows of it.
const NAME: usize = 40;

/// A chart and what its file is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The file's name without `.svg`.
    pub name: &'static str,
    /// What is drawn.
    pub chart: Chart,
}

/// Those that have something to show: a curve of one point says less than its number does.
#[must_use]
pub fn all(found: &Found) -> Vec<Drawing> {
    let plan = found.plan;
    let sizes = [
        (
            "by-size-equal-k",
            &found.ranking.by_size_equal_k,
            plan.equal_k,
            "at equal k",
        ),
        (
            "by-size-equal-tokens",
            &found.ranking.by_size_equal_tokens,
            plan.equal_tokens,
            "at equal tokens",
        ),
    ];
    let curves = sizes.iter().flat_map(|(_, curves, ..)| curves.iter());
    // One axis for both views, so that they can be compared by eye.
    let y_covers: Vec<f64> = curves
        .flat_map(|curve| curve.points.iter().map(|(_, y)| *y))
        .collect();
    let by_size = sizes.map(|(name, curves, measure, view)| Drawing {
        name,
        chart: Chart {
            title: format!("{measure} against chunk size, mean over the other trials"),
            x_label: format!("chunk size in tokens, {view}"),
            y_label: measure.to_string(),
            x_scale: Scale::Log2,
            y_covers: y_covers.clone(),
            lines: curves
                .iter()
                .map(|curve| Line::new(curve.name.as_str(), Style::Line, &curve.points))
                .collect(),
        },
    });
    let drawings = [by_k(found)]
        .into_iter()
        .chain(by_size)
        .filter(|drawing| has_way(&drawing.chart));
    drawings.chain(front(found)).collect()
}

fn by_k(found: &Found) -> Drawing {
    let family = found.plan.at_prompt.family().name();
    let chart = Chart {
        title: format!("{family} against k"),
        x_label: "k".to_owned(),
        y_label: format!("{family}@k"),
        x_scale: Scale::Log2,
        y_covers: Vec::new(),
        lines: found
            .ranking
            .by_k
            .iter()
            .map(|curve| of_setting(found, curve))
            .collect(),
    };
    Drawing {
        name: "by-k",
        chart,
    }
}

/// A setting's line, by its name and, but for the default, its values.
fn of_setting(found: &Found, curve: &SweepCurve) -> Line {
    let row = found
        .scored()
        .find(|row| row.name == curve.name && row.name != found.default);
    let name = row.map_or_else(
        || curve.name.clone(),
        |row| named(&row.name, found.varied, &row.values, NAME),
    );
    Line::new(name, Style::Line, &curve.points)
}

/// Whether some line goes from one x to another.
fn has_way(chart: &Chart) -> bool {
    chart.lines.iter().any(|line| line.points.len() > 1)
}

/// Every setting as a point, the front as a step, default and winner by their names.
fn front(found: &Found) -> Option<Drawing> {
    let point = |row: &RankedTrial, is_labelled| {
        Some(Point {
            x: row.context_tokens,
            y: row.at_prompt?,
            interval: None,
            name: row.name.clone(),
            is_labelled,
        })
    };
    let alone = |name: &str, row: Option<&RankedTrial>| Line {
        name: name.to_owned(),
        style: Style::Points,
        points: row.and_then(|row| point(row, true)).into_iter().collect(),
    };
    let is_default = |row: &RankedTrial| row.name == found.default;
    let default = found.scored().find(|row| is_default(row));
    let winner = found
        .scored()
        .find(|row| found.is_winner(row) && !is_default(row));
    let mut on_front: Vec<&RankedTrial> = found.scored().filter(|row| row.on_front).collect();
    on_front.sort_by(|a, b| a.context_tokens.total_cmp(&b.context_tokens));
    // The default and the winner have their names already.
    let is_plain = |row: &RankedTrial| !is_default(row) && !found.is_winner(row);
    let mut lines = vec![alone("default", default), alone("best", winner)];
    lines.push(Line {
        name: "front".to_owned(),
        style: Style::Step,
        points: on_front
            .into_iter()
            .filter_map(|row| point(row, is_plain(row)))
            .collect(),
    });
    lines.push(Line {
        name: "other trials".to_owned(),
        style: Style::Points,
        points: found
            .scored()
            .filter(|row| !row.on_front && is_plain(row))
            .filter_map(|row| point(row, false))
            .collect(),
    });
    lines.retain(|line| !line.points.is_empty());
    let at_prompt = found.plan.at_prompt;
    let chart = Chart {
        title: format!("{at_prompt} against context tokens"),
        x_label: "context tokens, mean of what is packed".to_owned(),
        y_label: at_prompt.to_string(),
        x_scale: Scale::Linear,
        y_covers: Vec::new(),
        lines,
    };
    let n_points = found.scored().filter(|row| row.at_prompt.is_some()).count();
    (n_points > 1).then_some(Drawing {
        name: "front",
        chart,
    })
}
