//! Metrics against k, and what the run took.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::HtmlReport;
use super::{effort, line_chart};
use crate::document::{Section, Table, TableColumn};
use crate::render::html::{escape, list, rows, table};
use ragtriage_core::measure::Family;
use ragtriage_core::text::numbers::thousands;
use ragtriage_eval::arms::spared;
use ragtriage_eval::curves::Curve;
use ragtriage_eval::summary::MeasureSummary;

pub(super) const SECTION: Section =
    Section { title: "Metrics against k", reading: "Metrics by the number of passages." };

const NOTHING: &str = "<p>This run recorded nothing for this section.</p>\n";

/// Writes the chart with its values as a table; a curve of one point is left out.
pub(super) fn curves(page: &HtmlReport<'_>, out: &mut String) {
    let drawn: Vec<&Curve> = page.curves.iter().filter(|curve| curve.points.len() > 1).collect();
    if drawn.is_empty() {
        out.push_str(NOTHING);
        return;
    }
    let names: Vec<&str> = drawn.iter().map(|curve| curve.family.name()).collect();
    let figures = figures(format!("{} against k", names.join(", ")), &drawn);
    let title = escape(&figures.title);
    let _ = writeln!(out, "<figure>\n<h3>{title}</h3>\n<div class=\"scroll\">");
    line_chart::render(&figures.title, &drawn, out);
    out.push_str("</div>\n<figcaption>\n");
    list("notes", &figures.notes, out);
    out.push_str("</figcaption>\n<details><summary>The figures</summary>\n");
    rows(&figures, out);
    out.push_str("</details>\n</figure>\n");
}

/// Writes seconds and tokens.
pub(super) fn effort(page: &HtmlReport<'_>, out: &mut String) {
    let seconds = effort::seconds(&page.run.timings, &page.saved.manifest.seconds);
    let tokens = effort::tokens(page.summary, &spared(&page.saved.traces));
    if seconds.rows.is_empty() && tokens.rows.is_empty() {
        out.push_str(NOTHING);
    }
    for found in [seconds, tokens].iter().filter(|found| !found.rows.is_empty()) {
        table(found, out);
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
    use super::*;
    use ragtriage_core::types::Interval;

    fn curve(family: Family, means: &[(usize, f64)]) -> Curve {
        let found =
            |mean| MeasureSummary { mean, n: 40, ci95: Some(Interval { low: 0.0, high: 1.0 }) };
        Curve { family, points: means.iter().map(|(k, mean)| (*k, found(*mean))).collect() }
    }

    #[test]
    fn a_curve_that_ends_early_has_empty_cells_and_says_why() {
        let found = [
            curve(Family::Em, &[(1, 0.25), (5, 0.5)]),
            curve(Family::Recall, &[(1, 0.5), (5, 0.625), (50, 0.75)]),
        ];
        let found = figures("t".to_owned(), &found.iter().collect::<Vec<_>>());
        let titles = found.columns.iter().map(|column| &*column.title);
        assert_eq!(
            titles.collect::<Vec<_>>(),
            ["k", "EM@k", "95% CI", "n", "Recall@k", "95% CI", "n"]
        );
        let ci = "[0.000, 1.000]";
        assert_eq!(found.rows[1], ["5", "0.500", ci, "40", "0.625", ci, "40"]);
        assert_eq!(found.rows[2][1..4], ["", "", ""]);
        assert!(found.notes.last().is_some_and(|note| note.starts_with("EM@k is costly")));
    }
}
