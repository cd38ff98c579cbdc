//! The line chart of the HTML report: metrics against k, with a band for each 95% CI.
//!
//! k is spread by doublings; the other axis goes from 0 to 1, as the metrics do. Dashes tell the lines apart without their colour.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::render::html::escape;
use ragtriage_core::text::numbers::thousands;
use ragtriage_eval::curves::Curve;

/// Size of the picture.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 328.0;
/// Edges of the plot; the legend is to its right.
const LEFT: f64 = 44.0;
const RIGHT: f64 = 446.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 280.0;
/// From the left edge of a number along k to that of the next, at least.
const APART: f64 = 30.0;
/// From the top of a legend's line to that of the next.
const LEGEND_LINE: f64 = 18.0;
/// As many as there are metric families.
const DASHES: [&str; 3] = ["none", "7 4", "2 3"];

/// Draws `curves`, each of at least two points.
pub(super) fn render(title: &str, curves: &[&Curve], out: &mut String) {
    let points = curves.iter().flat_map(|curve| &curve.points);
    let ks: BTreeSet<usize> = points.map(|(k, _)| *k).collect();
    let (low, high) = (ks.first().copied().unwrap_or(1), ks.last().copied().unwrap_or(1));
    let plot = Plot { low, high };
    let _ = write!(
        out,
        "<svg class=\"rx-chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">\n\
         <title>{}</title>\n<desc>{}</desc>\n",
        escape(title),
        escape(&description(curves))
    );
    plot.grid(&ks, out);
    for (at, curve) in curves.iter().enumerate() {
        plot.curve(at, curve, out);
    }
    out.push_str("</svg>\n");
}

/// Describes the ends of each line for screen readers.
fn description(curves: &[&Curve]) -> String {
    let lines = curves.iter().filter_map(|curve| {
        let ((first_k, first), (last_k, last)) = (curve.points.first()?, curve.points.last()?);
        Some(format!(
            "{}: from {:.3} at k = {first_k} to {:.3} at k = {last_k}",
            curve.family.name(),
            first.mean,
            last.mean
        ))
    });
    lines.collect::<Vec<_>>().join("; ")
}

/// The smallest and the largest k, at both ends of the plot.
struct Plot {
    low: usize,
    high: usize,
}

impl Plot {
    fn across(&self, k: usize) -> f64 {
        let [low, high, k] = [self.low, self.high, k].map(|k| (k as f64).log2());
        LEFT + (RIGHT - LEFT) * (k - low) / (high - low)
    }

    fn grid(&self, ks: &BTreeSet<usize>, out: &mut String) {
        for tenths in (0..=10).step_by(2) {
            let value = f64::from(tenths) / 10.0;
            let y = up(value);
            let _ = writeln!(
                out,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>\n\
                 <text class=\"soft\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value:.1}</text>",
                LEFT - 8.0,
                y + 4.0
            );
        }
        let mut free_from = 0.0;
        for k in ks {
            let x = self.across(*k);
            let _ = writeln!(out, "<path class=\"grid\" d=\"M{x:.1} {TOP}V{BOTTOM}\"/>");
            if x >= free_from {
                free_from = x + APART;
                let _ = writeln!(
                    out,
                    "<text class=\"soft\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                    BOTTOM + 18.0,
                    thousands(*k)
                );
            }
        }
        let middle = f64::midpoint(LEFT, RIGHT);
        let y = BOTTOM + 38.0;
        let _ = writeln!(out, "<text x=\"{middle}\" y=\"{y}\" text-anchor=\"middle\">k</text>");
    }

    /// Draws the band, the line, a mark with its tooltip at each point, and the line of the legend.
    fn curve(&self, at: usize, curve: &Curve, out: &mut String) {
        let name = curve.family.name();
        let dashes = DASHES[at % DASHES.len()];
        let place = |k: usize, value: f64| format!("{:.1} {:.1}", self.across(k), up(value));
        let bounds = || curve.points.iter().filter_map(|(k, found)| Some((*k, found.ci95?)));
        let band: Vec<String> = bounds()
            .map(|(k, ci)| place(k, ci.high))
            .chain(bounds().rev().map(|(k, ci)| place(k, ci.low)))
            .collect();
        let _ = writeln!(out, "<g class=\"c{at}\">");
        if !band.is_empty() {
            let _ = writeln!(out, "<path class=\"band\" d=\"M{}Z\"/>", band.join("L"));
        }
        let points = curve.points.iter();
        let line: Vec<String> = points.map(|(k, found)| place(*k, found.mean)).collect();
        let line = line.join("L");
        let _ = writeln!(out, "<path class=\"line\" d=\"M{line}\" stroke-dasharray=\"{dashes}\"/>");
        for (k, found) in &curve.points {
            let (x, y, mean) = (self.across(*k), up(found.mean), found.mean);
            let ci95 = found.ci95.map_or(String::new(), |ci| format!(" {ci:.3}"));
            let _ = writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{name}@{k}: {mean:.3}{ci95}</title></circle>"
            );
        }
        let n = curve.points.iter().map(|(_, found)| found.n).max().unwrap_or(0);
        let y = TOP + 8.0 + LEGEND_LINE * at as f64;
        let _ = writeln!(
            out,
            "<path class=\"line\" d=\"M460 {y}h28\" stroke-dasharray=\"{dashes}\"/>\n\
             <text x=\"494\" y=\"{}\">{name}, n = {}</text>\n</g>",
            y + 4.0,
            thousands(n)
        );
    }
}

fn up(value: f64) -> f64 {
    BOTTOM - value * (BOTTOM - TOP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::measure::Family;
    use ragtriage_core::types::Interval;
    use ragtriage_eval::summary::MeasureSummary;

    #[test]
    fn points_are_where_doublings_of_k_and_values_say() {
        let found =
            |mean| MeasureSummary { mean, n: 1200, ci95: Some(Interval { low: 0.0, high: 1.0 }) };
        let curve = Curve {
            family: Family::Recall,
            points: [(1, 0.0), (4, 0.5), (16, 1.0)].map(|(k, mean)| (k, found(mean))).to_vec(),
        };
        let mut drawn = String::new();
        render("Recall against k", &[&curve], &mut drawn);
        // 4 is two of four doublings, so in the middle of 44 and 446; 0.5 is in the middle of 280 and 14.
        assert!(drawn.contains("d=\"M44.0 280.0L245.0 147.0L446.0 14.0\""), "{drawn}");
        // The band goes along the upper ends and back along the lower ones.
        assert!(
            drawn.contains("M44.0 14.0L245.0 14.0L446.0 14.0L446.0 280.0L245.0 280.0L44.0 280.0Z"),
            "{drawn}"
        );
        assert!(drawn.contains("<title>Recall@4: 0.500 [0.000, 1.000]</title>"), "{drawn}");
        assert!(drawn.contains(">Recall, n = 1,200</text>"), "{drawn}");
    }
}
