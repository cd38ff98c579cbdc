//! Measures against k, with their intervals.

use std::collections::BTreeSet;

use super::figure::Figure;
use crate::chart::{Chart, ChartPoint, Line, Scale, Style};
use crate::document::{Table, TableColumn};
use ragtriage_core::measure::Family;
use ragtriage_core::text::numbers::thousands;
use ragtriage_eval::curves::Curve;
use ragtriage_eval::summary::MeasureSummary;

/// The picture; `None` where no curve has two points.
pub(super) fn curves(curves: &[Curve]) -> Option<Figure> {
    let drawn: Vec<&Curve> = curves.iter().filter(|curve| curve.points.len() > 1).collect();
    if drawn.is_empty() {
        return None;
    }
    let names: Vec<&str> = drawn.iter().map(|curve| curve.family.name()).collect();
    let title = format!("{} against k", names.join(", "));
    let chart = Chart {
        title: title.clone(),
        x_label: "k".to_owned(),
        y_label: "mean over questions".to_owned(),
        x_scale: Scale::Log2,
        y_covers: vec![1.0],
        lines: drawn.iter().map(|curve| line(curve)).collect(),
    };
    Some(Figure::lines(chart, figures(title, &drawn)))
}

fn line(curve: &Curve) -> Line {
    let n = curve.points.iter().map(|(_, found)| found.n).max().unwrap_or(0);
    Line {
        name: format!("{}, n = {}", curve.family.name(), thousands(n)),
        style: Style::Line,
        points: curve.points.iter().map(point).collect(),
    }
}

fn point((k, found): &(usize, MeasureSummary)) -> ChartPoint {
    ChartPoint {
        x: *k as f64,
        y: found.mean,
        interval: found.ci95,
        name: String::new(),
        is_labelled: false,
    }
}

fn figures(title: String, curves: &[&Curve]) -> Table {
    let mut table = Table::new(title, &["k"]);
    for curve in curves {
        let title = format!("{}@k", curve.family.name());
        let titles = [title.as_str(), "95% CI", "n"];
        table.columns.extend(titles.map(TableColumn::of_numbers));
    }
    let ks: BTreeSet<usize> =
        curves.iter().flat_map(|curve| curve.points.iter().map(|(k, _)| *k)).collect();
    for k in ks {
        let cells = curves.iter().flat_map(|curve| {
            let found = curve.points.iter().find(|(at, _)| *at == k).map(|(_, found)| found);
            found.map_or_else(|| vec![String::new(); 3], cells)
        });
        table.row([thousands(k)].into_iter().chain(cells));
    }
    table.notes = curves.iter().map(|curve| meaning(curve.family)).collect();
    table.notes.push("band: 95% CI at each k; k is spread by doublings".to_owned());
    let most = curves.iter().filter_map(|curve| deepest(curve)).max();
    for curve in curves.iter().filter(|curve| deepest(curve) < most) {
        let name = curve.family.name();
        table.notes.push(format!(
            "{name}@k is costly for this number of questions: evaluation.ks sets deeper cutoffs"
        ));
    }
    table
}

fn meaning(family: Family) -> String {
    let meaning = match family {
        Family::Em => "a passage of the first k holds a gold answer",
        Family::Recall => "share of the relevant documents among the first k documents",
        _ => "how well the first k documents are ordered",
    };
    format!("{}@k: {meaning}", family.name())
}

fn deepest(curve: &Curve) -> Option<usize> {
    curve.points.last().map(|(k, _)| *k)
}

fn cells(found: &MeasureSummary) -> Vec<String> {
    let interval = found.ci95.map_or(String::new(), |ci| format!("{ci:.3}"));
    vec![format!("{:.3}", found.mean), interval, thousands(found.n)]
}

#[cfg(test)]
mod tests {
    use super::super::Graphic;
    use super::*;
    use ragtriage_core::types::Interval;

    fn curve(family: Family, means: &[(usize, f64)]) -> Curve {
        let found =
            |mean| MeasureSummary { mean, n: 40, ci95: Some(Interval { low: 0.0, high: 1.0 }) };
        Curve { family, points: means.iter().map(|(k, mean)| (*k, found(*mean))).collect() }
    }

    #[test]
    fn every_point_stands_in_the_table_too() {
        let found = curves(&[
            curve(Family::Em, &[(1, 0.25), (5, 0.5)]),
            curve(Family::Recall, &[(1, 0.125), (5, 0.75)]),
        ])
        .expect("a picture");
        assert_eq!(found.figures.title, "EM, Recall against k");
        let titles = found.figures.columns.iter().map(|column| &*column.title);
        assert_eq!(
            titles.collect::<Vec<_>>(),
            ["k", "EM@k", "95% CI", "n", "Recall@k", "95% CI", "n"]
        );
        let ci = "[0.000, 1.000]";
        assert_eq!(found.figures.rows[1], ["5", "0.500", ci, "40", "0.750", ci, "40"]);
        let Graphic::Chart(chart) = found.graphic else { panic!("lines") };
        assert_eq!(chart.lines[0].name, "EM, n = 40");
    }

    #[test]
    fn a_curve_that_ends_early_says_why() {
        let found = curves(&[
            curve(Family::Em, &[(1, 0.25), (5, 0.5)]),
            curve(Family::Recall, &[(1, 0.5), (50, 0.75)]),
        ])
        .expect("a picture");
        // 1, 5 and 50.
        assert_eq!(found.figures.rows[2][1..4], ["", "", ""]);
        assert!(found.figures.notes.last().is_some_and(|note| note.starts_with("EM@k is costly")));
    }

    #[test]
    fn one_point_is_no_curve() {
        assert_eq!(curves(&[curve(Family::Em, &[(1, 0.25)])]), None);
        assert_eq!(curves(&[]), None);
    }
}
