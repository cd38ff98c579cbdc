//! A sweep's charts: the measure against k, against chunk size in both views, and quality against context tokens.

use super::found::SweepFindings;
use super::keys::named;
use crate::chart::{Chart, ChartPoint, Line, Scale, Style};
use ragtriage_eval::tuning::{RankedTrial, SweepCurve};

/// Characters of a line's name with its values: as many as a terminal's legend shows of it.
const NAME: usize = 40;

/// A chart with its file name.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepChart {
    /// The file's name without `.svg`.
    pub name: &'static str,
    /// The chart.
    pub chart: Chart,
}

/// Returns the charts of a sweep, without those whose curves have only one point each.
#[must_use]
pub fn all(found: &SweepFindings) -> Vec<SweepChart> {
    let plan = found.plan;
    let sizes = [
        ("by-size-equal-k", &found.ranking.by_size_equal_k, plan.equal_k, "at equal k"),
        (
            "by-size-equal-tokens",
            &found.ranking.by_size_equal_tokens,
            plan.equal_tokens,
            "at equal tokens",
        ),
    ];
    let curves = sizes.iter().flat_map(|(_, curves, ..)| curves.iter());
    // One axis for both views, so that they can be compared by eye.
    let y_covers: Vec<f64> =
        curves.flat_map(|curve| curve.points.iter().map(|(_, y)| *y)).collect();
    let by_size = sizes.map(|(name, curves, measure, view)| SweepChart {
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
    let drawings =
        [by_k(found)].into_iter().chain(by_size).filter(|drawing| has_way(&drawing.chart));
    drawings.chain(front(found)).collect()
}

fn by_k(found: &SweepFindings) -> SweepChart {
    let family = found.plan.at_prompt.family().name();
    let chart = Chart {
        title: format!("{family} against k"),
        x_label: "k".to_owned(),
        y_label: format!("{family}@k"),
        x_scale: Scale::Log2,
        y_covers: Vec::new(),
        lines: found.ranking.by_k.iter().map(|curve| of_trial(found, curve)).collect(),
    };
    SweepChart { name: "by-k", chart }
}

/// Draws a trial, named with its values unless it is the default.
fn of_trial(found: &SweepFindings, curve: &SweepCurve) -> Line {
    let row = found.scored().find(|row| row.name == curve.name && row.name != found.default);
    let name = row.map_or_else(|| curve.name.clone(), |row| named(found.varied, &row.values, NAME));
    Line::new(name, Style::Line, &curve.points)
}

/// Returns true if some line goes from one x to another.
fn has_way(chart: &Chart) -> bool {
    chart.lines.iter().any(|line| line.points.len() > 1)
}

/// Every trial as a point, the front as a step, default and winner by their names.
fn front(found: &SweepFindings) -> Option<SweepChart> {
    let default = found.scored().find(|row| row.name == found.default);
    let winner = found.scored().find(|row| found.is_winner(row) && row.name != found.default);
    let mut on_front: Vec<&RankedTrial> = found.scored().filter(|row| row.on_front).collect();
    on_front.sort_by(|a, b| a.context_tokens.total_cmp(&b.context_tokens));
    let others = found.scored().filter(|row| !row.on_front && is_plain(found, row));
    let mut lines = vec![
        line("default", Style::Points, default.and_then(|row| point(row, true))),
        line("best", Style::Points, winner.and_then(|row| point(row, true))),
        line(
            "front",
            Style::Step,
            on_front.into_iter().filter_map(|row| point(row, is_plain(found, row))),
        ),
        line("other trials", Style::Points, others.filter_map(|row| point(row, false))),
    ];
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
    (n_points > 1).then_some(SweepChart { name: "front", chart })
}

/// Returns true for a trial that is neither the default nor the winner, which have their own names.
fn is_plain(found: &SweepFindings, row: &RankedTrial) -> bool {
    row.name != found.default && !found.is_winner(row)
}

fn line(name: &str, style: Style, points: impl IntoIterator<Item = ChartPoint>) -> Line {
    Line { name: name.to_owned(), style, points: points.into_iter().collect() }
}

fn point(row: &RankedTrial, is_labelled: bool) -> Option<ChartPoint> {
    Some(ChartPoint {
        x: row.context_tokens,
        y: row.at_prompt?,
        interval: None,
        name: row.name.clone(),
        is_labelled,
    })
}
