//! A chart of lines and points as SVG: one string, for a file of its own or inside a page, in light and in dark.
//!
//! A line's dashes and marks tell it apart without its colour.

use std::fmt::Write as _;

use super::axis::MOST;
use super::canvas::{ChartPlacement, Opening, Sheet, svg_text};
use super::labels::{self, LabelBox, fitted, px, width_of};
use super::ticks::number;
use super::{Chart, ChartPoint, Frame, Line, NOTHING, Style};

/// Size of the picture.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
/// Edges of the plot; the legend is to its right.
const RIGHT: f64 = 446.0;
const TOP: f64 = 42.0;
const BOTTOM: f64 = 308.0;
/// Left edge of the legend's marks, and the distance of its lines.
const LEGEND: f64 = 460.0;
const LEGEND_LINE: f64 = 18.0;
/// Length of a legend's sample.
const SAMPLE: f64 = 28.0;

/// In the order of [`DASHES`] and of the marks: 5, 4 and 6 of them, so that sixty lines differ in one at least.
const N_COLORS: usize = 5;
const DASHES: [&str; 4] = ["", "7 4", "2 3", "9 3 2 3"];
const N_MARKS: usize = 6;

/// Opacity of an interval's band.
const BAND: &str = "0.16";
/// Half the width of an interval's caps.
const CAP: f64 = 4.0;

/// The picture, ending in a line feed.
#[must_use]
pub fn render(chart: &Chart, place: ChartPlacement) -> String {
    let opening = Opening {
        place,
        size: (WIDTH, HEIGHT),
        title: &chart.title,
        description: &description(chart),
        has_links: false,
    };
    let mut sheet = Sheet::new(&opening);
    if place == ChartPlacement::File {
        let title = fitted(&chart.title, (WIDTH - 32.0) * 0.8);
        sheet.text(&title, 16.0, 24.0, "font-size=\"14\" font-weight=\"600\"");
    }
    match chart.frame() {
        Some(frame) => Plot::new(chart, frame).draw(&mut sheet),
        None => {
            sheet.text(NOTHING, WIDTH / 2.0, HEIGHT / 2.0, "class=\"soft\" text-anchor=\"middle\"");
        }
    }
    sheet.closed()
}

/// Describes the ends of each line for screen readers.
fn description(chart: &Chart) -> String {
    let lines = chart.lines.iter().map(|line| in_words(chart, line));
    let lines: Vec<String> = lines.collect();
    format!("{} against {}. {}", chart.y_label, chart.x_label, lines.join("; "))
}

fn in_words(chart: &Chart, line: &Line) -> String {
    let points: Vec<&ChartPoint> = chart.drawn(line).collect();
    match points.as_slice() {
        [] => format!("{}: no points", line.name),
        [one] => format!("{}: {}", line.name, coordinates(one)),
        [first, .., last] => format!(
            "{}: {} points from {} to {}",
            line.name,
            points.len(),
            coordinates(first),
            coordinates(last)
        ),
    }
}

fn coordinates(point: &ChartPoint) -> String {
    format!("{}, {}", number(point.x), number(point.y))
}

/// A chart with the position of everything.
struct Plot<'a> {
    chart: &'a Chart,
    frame: Frame,
    /// Left edge of the plot, right of the numbers along y.
    left: f64,
}

impl<'a> Plot<'a> {
    fn new(chart: &'a Chart, frame: Frame) -> Self {
        let widest = frame.y.ticks.iter().map(|tick| width_of(&tick.label)).fold(0.0, f64::max);
        Self { chart, frame, left: 42.0 + widest }
    }

    fn draw(&self, sheet: &mut Sheet) {
        self.grid(sheet);
        // The first line is to lie on top.
        let lines: Vec<(usize, &Line)> = self.chart.lines.iter().enumerate().rev().collect();
        for (at, line) in &lines {
            self.intervals(*at, line, sheet);
        }
        for (at, line) in lines {
            sheet.draw(&format!("<g class=\"c{}\">", at % N_COLORS));
            self.joined(at, line, sheet);
            for point in self.chart.drawn(line).filter(|_| line.style.has_marks()) {
                let (x, y) = self.place(point);
                sheet.draw(&format!(
                    "{}<title>{}</title></path>",
                    mark(at, x, y),
                    svg_text(&hint(line, point))
                ));
            }
            sheet.draw("</g>");
        }
        self.labels(sheet);
        self.legend(sheet);
    }

    fn place(&self, point: &ChartPoint) -> (f64, f64) {
        (self.across(self.frame.x.share(point.x)), up(self.frame.y.share(point.y)))
    }

    fn across(&self, share: f64) -> f64 {
        self.left + share * (RIGHT - self.left)
    }

    fn grid(&self, sheet: &mut Sheet) {
        let (left, middle) = (self.left, f64::midpoint(TOP, BOTTOM));
        let mut grid = String::new();
        for tick in &self.frame.y.ticks {
            let y = up(self.frame.y.share(tick.at));
            let _ = write!(grid, "M{} {}H{RIGHT}", px(left), px(y));
            sheet.text(&tick.label, left - 8.0, y + 4.0, "class=\"soft\" text-anchor=\"end\"");
        }
        // A number that would touch the one before moves a line lower, and is left out where that is taken too.
        let mut ends = [0.0; 2];
        for tick in &self.frame.x.ticks {
            let x = self.across(self.frame.x.share(tick.at));
            let _ = write!(grid, "M{} {TOP}V{}", px(x), BOTTOM + 4.0);
            let half = width_of(&tick.label) / 2.0 + 2.0;
            if let Some(row) = ends.iter().position(|end| *end < x - half) {
                ends[row] = x + half;
                let y = BOTTOM + 18.0 + 13.0 * row as f64;
                sheet.text(&tick.label, x, y, "class=\"soft\" text-anchor=\"middle\"");
            }
        }
        sheet.draw(&format!("<path class=\"grid\" d=\"{grid}\"/>"));
        let x_label = fitted(&self.chart.x_label, RIGHT - left);
        sheet.text(&x_label, f64::midpoint(left, RIGHT), BOTTOM + 46.0, "text-anchor=\"middle\"");
        let y_label = fitted(&self.chart.y_label, BOTTOM - TOP);
        sheet.text(
            &y_label,
            18.0,
            middle,
            &format!("text-anchor=\"middle\" transform=\"rotate(-90 18 {middle})\""),
        );
    }

    /// The intervals of a line's points: a band under a line that joins them, else a bar with caps each.
    fn intervals(&self, at: usize, line: &Line, sheet: &mut Sheet) {
        let ends = self.chart.drawn(line).filter_map(|point| {
            let (x, _) = self.place(point);
            let interval =
                point.interval.filter(|it| it.low.abs() <= MOST && it.high.abs() <= MOST)?;
            let [low, high] = [interval.low, interval.high].map(|y| px(up(self.frame.y.share(y))));
            Some((x, low, high))
        });
        let ends: Vec<(f64, String, String)> = ends.collect();
        let color = at % N_COLORS;
        if line.style == Style::Line && ends.len() > 1 {
            let there = ends.iter().map(|(x, _, high)| format!("{} {high}", px(*x)));
            let back = ends.iter().rev().map(|(x, low, _)| format!("{} {low}", px(*x)));
            let path = there.chain(back).collect::<Vec<_>>().join("L");
            sheet.draw(&format!(
                "<path class=\"c{color}\" d=\"M{path}Z\" fill=\"currentColor\" fill-opacity=\"{BAND}\"/>"
            ));
            return;
        }
        for (x, low, high) in ends {
            let (left, right) = (px(x - CAP), px(x + CAP));
            sheet.draw(&format!(
                "<path class=\"c{color}\" d=\"M{} {low}V{high}M{left} {low}H{right}M{left} {high}H{right}\" stroke=\"currentColor\"/>",
                px(x)
            ));
        }
    }

    /// Draws the path through a line's points.
    fn joined(&self, at: usize, line: &Line, sheet: &mut Sheet) {
        let mut path = String::new();
        for (n, point) in self.chart.drawn(line).enumerate() {
            let (x, y) = self.place(point);
            let (x, y) = (px(x), px(y));
            let _ = match (n, line.style) {
                (_, Style::Points) => return,
                (0, _) => write!(path, "M{x} {y}"),
                (_, Style::Line) => write!(path, "L{x} {y}"),
                (_, Style::Step | Style::Outline) => write!(path, "H{x}V{y}"),
            };
        }
        sheet.draw(&format!("<path d=\"{path}\" {}/>", stroke(at)));
    }

    fn labels(&self, sheet: &mut Sheet) {
        let points: Vec<(f64, f64)> = self
            .chart
            .lines
            .iter()
            .flat_map(|line| self.chart.drawn(line))
            .map(|point| self.place(point))
            .collect();
        let named = self
            .chart
            .lines
            .iter()
            .flat_map(|line| self.chart.drawn(line).map(move |point| (line, point)));
        let wanted = named.filter(|(_, point)| point.is_labelled).map(|(line, point)| {
            let name = if point.name.is_empty() { &line.name } else { &point.name };
            (fitted(name, 110.0), self.place(point))
        });
        let within = LabelBox { left: self.left, top: TOP, right: RIGHT, bottom: BOTTOM };
        for label in labels::placed(wanted, &points, within) {
            let halo = "class=\"halo\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"";
            sheet.text(&label.text, label.x, label.y, halo);
        }
    }

    /// A sample and a name for each line; as many as there is room for.
    fn legend(&self, sheet: &mut Sheet) {
        let room = ((BOTTOM - TOP) / LEGEND_LINE) as usize;
        let lines = &self.chart.lines;
        let shown = if lines.len() > room { room - 1 } else { lines.len() };
        for (at, line) in lines.iter().enumerate().take(shown) {
            let y = TOP + 8.0 + LEGEND_LINE * at as f64;
            sheet.draw(&format!("<g class=\"c{}\">", at % N_COLORS));
            if line.style != Style::Points {
                sheet.draw(&format!("<path d=\"M{LEGEND} {y}h{SAMPLE}\" {}/>", stroke(at)));
            }
            if line.style.has_marks() {
                sheet.draw(&format!("{}</path>", mark(at, LEGEND + SAMPLE / 2.0, y)));
            }
            sheet.draw("</g>");
            let x = LEGEND + SAMPLE + 6.0;
            sheet.text(&fitted(&line.name, WIDTH - 6.0 - x), x, y + 4.0, "");
        }
        if shown < lines.len() {
            let y = TOP + 12.0 + LEGEND_LINE * shown as f64;
            sheet.text(&format!("and {} more", lines.len() - shown), LEGEND, y, "class=\"soft\"");
        }
    }
}

/// Formats the tooltip of a point.
fn hint(line: &Line, point: &ChartPoint) -> String {
    let name = if point.name.is_empty() { &line.name } else { &point.name };
    let interval = point
        .interval
        .map_or(String::new(), |it| format!(" [{}, {}]", number(it.low), number(it.high)));
    format!("{name}: {}{interval}", coordinates(point))
}

fn up(share: f64) -> f64 {
    BOTTOM - share * (BOTTOM - TOP)
}

/// Returns the stroke of the line at index `at`.
fn stroke(at: usize) -> String {
    let dashes = DASHES[at % DASHES.len()];
    let dashes =
        if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
    format!(
        "fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" stroke-linejoin=\"round\"{dashes}"
    )
}

/// Returns the mark of the line at index `at`: the element's opening tag.
fn mark(at: usize, x: f64, y: f64) -> String {
    let (shape, is_open) = match at % N_MARKS {
        0 => ("m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", false),
        1 => ("m-4-4h8v8h-8z", false),
        2 => ("m0-5l5 9h-10z", false),
        3 => ("m0-5l5 5l-5 5l-5-5z", false),
        4 => ("m-4-4l8 8m0-8l-8 8", true),
        _ => ("m0 5l5-9h-10z", false),
    };
    let paint = if is_open {
        "fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\""
    } else {
        "fill=\"currentColor\""
    };
    format!("<path d=\"M{} {}{shape}\" {paint}>", px(x), px(y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Scale;
    use ragtriage_core::types::Interval;

    fn render(chart: &Chart) -> String {
        super::render(chart, ChartPlacement::File)
    }

    fn chart(lines: Vec<Line>) -> Chart {
        Chart {
            title: "Recall".to_owned(),
            x_label: "k".to_owned(),
            y_label: "Recall@k".to_owned(),
            lines,
            ..Chart::default()
        }
    }

    #[test]
    fn a_line_is_drawn_where_its_points_are() {
        let drawn = render(&chart(vec![Line::new(
            "s07",
            Style::Line,
            &[(0.0, 0.0), (5.0, 0.5), (10.0, 1.0)],
        )]));
        // y is marked from 0 to 1 with one decimal: three characters of 6.6, so the plot goes from 42 + 19.8 = 61.8 to 446 and from
        // 308 up to 42. x is marked 0, 2, .. 10: (5, 0.5) is in the middle, at 253.9 and 175.
        let line = drawn.lines().find(|line| line.contains("stroke-width")).unwrap();
        assert!(line.starts_with("<path d=\"M61.8 308L253.9 175L446 42\" fill=\"none\""), "{line}");
        assert!(drawn.contains("<title>s07: 5, 0.5</title>"), "{drawn}");
    }

    #[test]
    fn a_number_that_would_touch_another_stands_lower() {
        let sizes = [32.0, 200.0, 256.0, 2048.0].map(|size| (size, 0.5));
        let drawn = render(&Chart {
            x_scale: Scale::Log2,
            ..chart(vec![Line::new("a", Style::Line, &sizes)])
        });
        let place = |label: &str| {
            let line =
                drawn.lines().find(|line| line.ends_with(&format!(">{label}</text>"))).unwrap();
            line.split("y=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
        };
        // 308 + 18, and 13 lower: 0.36 of 6.6 doublings, 20 px, are less than three digits and a gap.
        assert_eq!(["32", "200", "256", "2,048"].map(place), ["326", "326", "339", "326"]);
    }

    #[test]
    fn a_step_is_level_first() {
        let drawn =
            render(&chart(vec![Line::new("front", Style::Step, &[(0.0, 0.0), (10.0, 1.0)])]));
        assert!(drawn.contains("d=\"M61.8 308H446V42\""), "{drawn}");
    }

    #[test]
    fn what_data_gave_is_no_markup() {
        let name = "</text><script>alert(1)</script>\u{202e}\u{1b}[31m&\"\u{ffff}";
        let mut hostile = chart(vec![Line::new(name, Style::Points, &[(1.0, 1.0)])]);
        hostile.lines[0].points[0].is_labelled = true;
        (hostile.title, hostile.x_label, hostile.y_label) =
            (name.to_owned(), name.to_owned(), name.to_owned());
        let drawn = render(&hostile);
        assert!(
            !drawn.contains("<script") && !drawn.contains(['\u{202e}', '\u{1b}', '\u{ffff}']),
            "{drawn}"
        );
        assert!(
            drawn.contains(
                "<title>&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;</title>"
            ),
            "{drawn}"
        );
        // Every tag that is opened is one of ours.
        let ours = ["svg", "title", "desc", "style", "rect", "text", "path", "g"];
        let tags = drawn
            .split('<')
            .skip(1)
            .map(|tag| tag.trim_start_matches('/').split([' ', '>']).next().unwrap());
        assert_eq!(tags.filter(|tag| !ours.contains(tag)).count(), 0);
    }

    #[test]
    fn a_chart_without_points_says_so() {
        for lines in [Vec::new(), vec![Line::new("a", Style::Line, &[(f64::NAN, 1.0)])]] {
            let drawn = render(&chart(lines));
            assert!(drawn.contains(">nothing to draw</text>") && !drawn.contains("NaN"), "{drawn}");
        }
    }

    #[test]
    fn no_coordinate_is_long_or_no_number() {
        let values = [1.0 / 3.0, 1e-7, 2e9, -1e300, 1e300, f64::NAN, f64::INFINITY];
        for x_scale in [Scale::Linear, Scale::Log2] {
            let points: Vec<(f64, f64)> =
                values.iter().flat_map(|x| values.map(|y| (*x, y))).collect();
            let drawn =
                render(&Chart { x_scale, ..chart(vec![Line::new("a", Style::Line, &points)]) });
            let coordinates =
                drawn.split(" d=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
            for number in coordinates
                .flat_map(|path| path.split(|c: char| !matches!(c, '0'..='9' | '.' | '-')))
            {
                assert!(
                    number.split_once('.').is_none_or(|(_, decimals)| decimals.len() <= 2),
                    "{number}"
                );
            }
            assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        }
    }

    #[test]
    fn lines_differ_in_more_than_their_colour_and_too_many_are_counted() {
        let lines: Vec<Line> =
            (0..40).map(|n| Line::new(format!("s{n}"), Style::Line, &[(1.0, 1.0)])).collect();
        let drawn = render(&chart(lines));
        // (308 - 42) / 18 = 14 lines of legend: 13 names and the count of the rest.
        assert!(
            drawn.contains(">s12</text>")
                && !drawn.contains(">s13</text>")
                && drawn.contains(">and 27 more</text>")
        );
        // Lines of one colour, 5 apart, have other dashes and other marks.
        assert_ne!(stroke(0), stroke(5));
        assert_ne!(mark(0, 1.0, 1.0), mark(5, 1.0, 1.0));
    }

    #[test]
    fn intervals_are_a_band_under_a_line_and_bars_elsewhere() {
        let mut line = Line::new("a", Style::Line, &[(0.0, 0.5), (10.0, 0.5)]);
        for point in &mut line.points {
            point.interval = Some(Interval { low: 0.0, high: 1.0 });
        }
        let drawn = render(&chart(vec![line.clone()]));
        // The axis covers 0 to 1: from 308 up to 42, over the whole width; there along the upper ends, back along the lower ones.
        assert!(
            drawn.contains(
                "d=\"M61.8 42L446 42L446 308L61.8 308Z\" fill=\"currentColor\" fill-opacity"
            ),
            "{drawn}"
        );
        assert!(drawn.contains("<title>a: 10, 0.5 [0, 1]</title>"), "{drawn}");
        line.style = Style::Points;
        let drawn = render(&chart(vec![line]));
        assert!(drawn.contains("d=\"M61.8 308V42M57.8 308H65.8M57.8 42H65.8\""), "{drawn}");
    }

    #[test]
    fn an_interval_that_is_no_number_is_left_out() {
        let mut line = Line::new("a", Style::Line, &[(0.0, 0.5), (10.0, 0.5)]);
        line.points[0].interval = Some(Interval { low: f64::NAN, high: f64::INFINITY });
        let drawn = render(&chart(vec![line]));
        assert!(
            !drawn.contains("fill-opacity") && !drawn.contains("NaN") && !drawn.contains("V308"),
            "{drawn}"
        );
    }

    #[test]
    fn an_outline_has_no_marks() {
        let drawn = render(&chart(vec![Line::new(
            "gold",
            Style::Outline,
            &[(0.0, 0.0), (0.0, 1.0), (10.0, 0.0)],
        )]));
        assert!(drawn.contains("d=\"M61.8 308H61.8V42H446V308\""), "{drawn}");
        assert!(!drawn.contains("<title>gold: "), "{drawn}");
    }
}
