//! Bar charts as SVG, each bar between its name and its figure: counts, shares, losses, seconds.
//!
//! A bar goes from zero to its value, to the left where that is negative. The text next to it says all that the bar
//! shows, so that neither color nor length is needed to read it. It is independent of the data that it shows.

use std::fmt::Write as _;

use super::axis::{Axis, Scale};
use super::canvas::{ChartPlacement, Opening, Sheet, svg_text};
use super::labels::{fitted, px, width_of};
use super::{MOST_TICKS, NOTHING};
use ragtriage_core::types::Interval;

/// Width of the picture, its border, and the space between two columns.
const WIDTH: f64 = 760.0;
const BORDER: f64 = 16.0;
const GAP: f64 = 12.0;
/// The bars have at least this much of the width; names and figures have at most theirs.
const LEAST_PLOT: f64 = 200.0;
/// Names have at least so much, that bars of several pictures begin under one another.
const LEAST_LABEL: f64 = 128.0;
const MOST_LABEL: f64 = 180.0;
const MOST_FIGURE: f64 = 190.0;
/// Top of the first line, under the title.
const TOP: f64 = 40.0;
/// Height of the legend, of a row, of its bar, and of the axis with its name.
const LEGEND: f64 = 24.0;
const ROW: f64 = 26.0;
const BAR: f64 = 14.0;
const AXIS: f64 = 44.0;
/// From one line of a hatching to the next.
const HATCH: f64 = 6.0;
/// Width of a legend's sample.
const SAMPLE: f64 = 22.0;

/// A drawing of bars.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// Its title; all texts here may come from data.
    pub title: String,
    /// The quantity that a bar's length shows, with its unit.
    pub x_label: String,
    /// Values that the axis covers besides those of the rows and zero.
    pub covers: Vec<f64>,
    /// The legend above the bars.
    pub keys: Vec<(Key, String)>,
    /// From top to bottom.
    pub rows: Vec<Row>,
}

/// One bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Its name.
    pub label: String,
    /// The link of the name inside the page: `#class=ranking`.
    pub link: Option<String>,
    /// Its length.
    pub value: f64,
    /// Its paint.
    pub paint: Paint,
    /// End of a hatched rest behind it.
    pub rest: Option<f64>,
    /// A second value, marked by a stroke across it.
    pub second: Option<f64>,
    /// The interval of the value.
    pub interval: Option<Interval>,
    /// The value, as it is to be read.
    pub figure: String,
    /// A note on it.
    pub note: String,
}

/// The paint of a bar; its meaning must be written too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// Full.
    #[default]
    Plain,
    /// Full, as what is lost.
    Loss,
    /// Full, as what is won.
    Gain,
    /// Its border alone.
    Hollow,
}

impl Paint {
    fn color(self) -> usize {
        match self {
            Self::Plain | Self::Hollow => 0,
            Self::Loss => 1,
            Self::Gain => 2,
        }
    }
}

/// A symbol that a legend explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A bar.
    Bar(Paint),
    /// The hatched rest.
    Rest,
    /// The stroke across a bar.
    Second,
    /// The line with caps.
    Interval,
}

/// The picture, ending in a line feed.
#[must_use]
pub fn render(bars: &Bars, place: ChartPlacement) -> String {
    let legend = if bars.keys.is_empty() { 0.0 } else { LEGEND };
    let height = TOP + legend + ROW * bars.rows.len().max(1) as f64 + AXIS;
    let opening = Opening {
        place,
        size: (WIDTH, height),
        title: &bars.title,
        description: &description(bars),
        has_links: place == ChartPlacement::Page && bars.rows.iter().any(|row| row.link.is_some()),
    };
    let mut sheet = Sheet::new(&opening);
    if place == ChartPlacement::File {
        let title = fitted(&bars.title, (WIDTH - 2.0 * BORDER) * 0.8);
        sheet.text(&title, BORDER, 24.0, "font-size=\"14\" font-weight=\"600\"");
    }
    if bars.rows.is_empty() {
        sheet.text(NOTHING, WIDTH / 2.0, height / 2.0, "class=\"soft\" text-anchor=\"middle\"");
    } else {
        Layout::new(bars, place, TOP + legend).draw(&mut sheet);
    }
    sheet.closed()
}

/// Describes every row for screen readers.
fn description(bars: &Bars) -> String {
    let rows: Vec<String> = bars.rows.iter().map(in_words).collect();
    format!("{}. {}", bars.x_label, rows.join("; "))
}

fn in_words(row: &Row) -> String {
    let mut parts = [&row.label, &row.figure, &row.note].map(String::as_str).to_vec();
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

/// Bars with the position of everything.
struct Layout<'a> {
    bars: &'a Bars,
    axis: Axis,
    /// True if names may be links.
    has_links: bool,
    /// Left and right end of the axis; figures begin behind it, notes behind these.
    left: f64,
    right: f64,
    notes: f64,
    /// Top of the rows.
    top: f64,
}

impl<'a> Layout<'a> {
    fn new(bars: &'a Bars, place: ChartPlacement, top: f64) -> Self {
        let label = widest(bars, |row| &row.label).clamp(LEAST_LABEL, MOST_LABEL);
        let figure = widest(bars, |row| &row.figure).min(MOST_FIGURE);
        let left = BORDER + label + GAP;
        let room = WIDTH - BORDER - left - LEAST_PLOT - figure - 2.0 * GAP;
        let note = widest(bars, |row| &row.note).min(room);
        let notes = WIDTH - BORDER - note;
        let values = bars.rows.iter().flat_map(|row| {
            let ends =
                row.interval.map_or([row.value; 2], |interval| [interval.low, interval.high]);
            [Some(row.value), row.rest, row.second].into_iter().flatten().chain(ends)
        });
        let values =
            values.chain(bars.covers.iter().copied()).filter(|value| Scale::Linear.holds(*value));
        let values: Vec<f64> = values.chain([0.0]).collect();
        let axis = Axis::over(&values, Scale::Linear, MOST_TICKS.1);
        let has_links = place == ChartPlacement::Page;
        Self { bars, axis, has_links, left, right: notes - GAP - figure - GAP, notes, top }
    }

    fn draw(&self, sheet: &mut Sheet) {
        self.legend(sheet);
        self.grid(sheet);
        for (at, row) in self.bars.rows.iter().enumerate() {
            self.row(row, self.top + ROW * at as f64, sheet);
        }
        let zero = px(self.across(0.0));
        sheet.draw(&format!(
            "<path class=\"ink\" d=\"M{zero} {}V{}\"/>",
            px(self.top),
            px(self.bottom())
        ));
    }

    fn across(&self, value: f64) -> f64 {
        self.left + self.axis.share(value) * (self.right - self.left)
    }

    fn bottom(&self) -> f64 {
        self.top + ROW * self.bars.rows.len() as f64
    }

    fn grid(&self, sheet: &mut Sheet) {
        let (top, bottom) = (px(self.top), self.bottom());
        let mut end = 0.0;
        let mut grid = String::new();
        for tick in &self.axis.ticks {
            let x = self.across(tick.at);
            let _ = write!(grid, "M{} {top}V{}", px(x), px(bottom + 4.0));
            let half = width_of(&tick.label) / 2.0 + 2.0;
            if x - half > end {
                end = x + half;
                sheet.text(&tick.label, x, bottom + 17.0, "class=\"soft\" text-anchor=\"middle\"");
            }
        }
        sheet.draw(&format!("<path class=\"grid\" d=\"{grid}\"/>"));
        let label = fitted(&self.bars.x_label, self.right - self.left + 120.0);
        sheet.text(
            &label,
            f64::midpoint(self.left, self.right),
            bottom + 35.0,
            "text-anchor=\"middle\"",
        );
    }

    fn row(&self, row: &Row, top: f64, sheet: &mut Sheet) {
        let line = top + ROW / 2.0 + 4.0;
        self.label(row, line, sheet);
        let bar = top + (ROW - BAR) / 2.0;
        let [zero, end] =
            [0.0, Some(row.value).filter(|it| Scale::Linear.holds(*it)).unwrap_or(0.0)];
        sheet.draw(&filled(row.paint, self.across(zero), self.across(end), bar));
        if let Some(rest) = row.rest.filter(|rest| Scale::Linear.holds(*rest)) {
            sheet.draw(&hatched(self.across(end), self.across(rest), bar));
        }
        if let Some(second) = row.second.filter(|second| Scale::Linear.holds(*second)) {
            sheet.draw(&stroke(self.across(second), bar));
        }
        if let Some(Interval { low, high }) =
            row.interval.filter(|it| [it.low, it.high].iter().all(|x| Scale::Linear.holds(*x)))
        {
            sheet.draw(&whisker(self.across(low), self.across(high), bar + BAR / 2.0));
        }
        let figures = self.right + GAP;
        sheet.text(&fitted(&row.figure, self.notes - GAP - figures + 1.0), figures, line, "");
        if !row.note.is_empty() {
            sheet.text(
                &fitted(&row.note, WIDTH - BORDER / 2.0 - self.notes),
                self.notes,
                line,
                "class=\"soft\"",
            );
        }
    }

    fn label(&self, row: &Row, line: f64, sheet: &mut Sheet) {
        let label = fitted(&row.label, self.left - GAP - BORDER + 1.0);
        let link = row.link.as_ref().filter(|link| self.has_links && link.starts_with('#'));
        if let Some(link) = link {
            sheet.draw(&format!("<a href=\"{}\">", svg_text(link)));
        }
        sheet.text(&label, self.left - 8.0, line, "text-anchor=\"end\"");
        if link.is_some() {
            sheet.draw("</a>");
        }
    }

    /// A sample and its meaning each, in a row; as many as there is room for.
    fn legend(&self, sheet: &mut Sheet) {
        let top = self.top - LEGEND + 1.0;
        let mut x = self.left;
        for (key, meaning) in &self.bars.keys {
            let end = x + SAMPLE + 6.0 + width_of(meaning);
            if end > WIDTH {
                return;
            }
            let middle = x + SAMPLE / 2.0;
            sheet.draw(&match key {
                Key::Bar(paint) => filled(*paint, x, x + SAMPLE, top),
                Key::Rest => hatched(x, x + SAMPLE, top),
                Key::Second => stroke(middle, top),
                Key::Interval => whisker(x, x + SAMPLE, top + BAR / 2.0),
            });
            sheet.text(meaning, x + SAMPLE + 6.0, top + 11.0, "class=\"soft\"");
            x = end + GAP;
        }
    }
}

fn widest(bars: &Bars, text: fn(&Row) -> &String) -> f64 {
    bars.rows.iter().map(|row| width_of(text(row))).fold(0.0, f64::max)
}

/// A bar between two places, whichever is left.
fn filled(paint: Paint, from: f64, to: f64, top: f64) -> String {
    let (x, width, color) = (px(from.min(to)), px((to - from).abs()), paint.color());
    let fill = if paint == Paint::Hollow {
        "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\""
    } else {
        "fill=\"currentColor\""
    };
    format!(
        "<rect class=\"c{color}\" x=\"{x}\" y=\"{}\" width=\"{width}\" height=\"{BAR}\" {fill}/>",
        px(top)
    )
}

/// A border with lines rising to the right in it. Each line ends at the border, so no clipping path with its name is needed.
fn hatched(from: f64, to: f64, top: f64) -> String {
    let (left, right) = (from.min(to), from.max(to));
    let width = right - left;
    if width < 0.5 {
        return String::new();
    }
    let mut lines = String::new();
    // Each begins at the lower border or, further up, at the left one.
    let mut start = HATCH - BAR;
    while start < width {
        let (a, b) = (start.max(0.0), (start + BAR).min(width));
        if b > a {
            let _ = write!(
                lines,
                "M{} {}L{} {}",
                px(left + a),
                px(top + BAR - (a - start)),
                px(left + b),
                px(top + BAR - (b - start))
            );
        }
        start += HATCH;
    }
    format!(
        "<path class=\"c1\" d=\"M{} {}h{}v{BAR}h-{}z{lines}\" fill=\"none\" stroke=\"currentColor\"/>",
        px(left),
        px(top),
        px(width),
        px(width)
    )
}

/// A line across a bar, with a border that parts it from the bar.
fn stroke(x: f64, top: f64) -> String {
    let path = format!("M{} {}v{}", px(x), px(top - 3.0), BAR + 6.0);
    format!(
        "<path class=\"halo\" d=\"{path}\" stroke-width=\"5\"/><path class=\"ink\" d=\"{path}\" stroke-width=\"2\"/>"
    )
}

/// A line with caps, with a border that parts it from the bar.
fn whisker(low: f64, high: f64, y: f64) -> String {
    let (low, high, y, top, cap) = (px(low), px(high), px(y), px(y - 4.0), 8);
    let path = format!("M{low} {top}v{cap}M{low} {y}H{high}M{high} {top}v{cap}");
    format!(
        "<path class=\"halo\" d=\"{path}\" stroke-width=\"3\"/><path class=\"ink\" d=\"{path}\" stroke-width=\"1.5\"/>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(label: &str, value: f64) -> Row {
        Row { label: label.to_owned(), value, figure: value.to_string(), ..Row::default() }
    }

    fn bars(rows: Vec<Row>) -> Bars {
        Bars {
            title: "Support".to_owned(),
            x_label: "questions".to_owned(),
            rows,
            ..Bars::default()
        }
    }

    fn rect(drawn: &str, at: usize) -> Vec<f64> {
        let line = drawn
            .lines()
            .filter(|line| line.starts_with("<rect class=\"c"))
            .nth(at)
            .expect("a bar");
        let number = |name: &str| {
            line.split(&format!(" {name}=\""))
                .nth(1)
                .and_then(|rest| rest.split('"').next()?.parse().ok())
        };
        ["x", "width"].map(|name| number(name).expect("a number")).to_vec()
    }

    #[test]
    fn a_bar_is_as_long_as_its_value() {
        let drawn = render(&bars(vec![row("aa", 10.0), row("bb", 5.0)]), ChartPlacement::Page);
        // Short names have 128: the axis begins at 16 + 128 + 12 = 156. Figures of two letters of 6.6 end at 760 - 16 = 744, so it
        // ends at 744 - 12 - 13.2 - 12 = 706.8; it goes from 0 to 10 over 550.8.
        assert_eq!(
            (rect(&drawn, 0), rect(&drawn, 1)),
            (vec![156.0, 550.8], vec![156.0, 275.4]),
            "{drawn}"
        );
    }

    #[test]
    fn a_negative_bar_goes_to_the_left_of_zero() {
        let drawn = render(&bars(vec![row("aa", 0.1), row("b", -0.1)]), ChartPlacement::Page);
        let [plus, minus] = [0, 1].map(|at| rect(&drawn, at));
        assert!(
            (plus[0] - (minus[0] + minus[1])).abs() < 0.02 && (plus[1] - minus[1]).abs() < 0.02,
            "{plus:?} {minus:?}"
        );
        assert!(drawn.contains(">-0.1</text>"), "{drawn}");
    }

    #[test]
    fn the_rest_is_hatched_up_to_where_it_ends() {
        let mut rows = vec![row("aa", 10.0), row("bb", 5.0)];
        rows[1].rest = Some(10.0);
        let drawn = render(&bars(rows), ChartPlacement::Page);
        // From the middle, 156 + 275.4 = 431.4, as wide as the bar; the second row begins at 40 + 26, its bar 6 lower.
        assert!(drawn.contains("d=\"M431.4 72h275.4v14h-275.4z"), "{drawn}");
    }

    #[test]
    fn hatching_stays_inside_its_border() {
        for width in [0.6, 3.0, 14.0, 100.0] {
            let drawn = hatched(50.0, 50.0 + width, 10.0);
            let numbers = drawn
                .split('z')
                .nth(1)
                .map(|rest| rest.split('"').next().unwrap_or_default())
                .unwrap_or_default();
            for pair in numbers.split(['M', 'L']).filter(|pair| !pair.is_empty()) {
                let (x, y) = pair.split_once(' ').expect("two numbers");
                let (x, y): (f64, f64) = (x.parse().expect("x"), y.parse().expect("y"));
                assert!(
                    (49.99..=50.01 + width).contains(&x) && (9.99..=24.01).contains(&y),
                    "{width}: {pair}"
                );
            }
        }
        assert_eq!(hatched(5.0, 5.2, 0.0), "");
    }

    #[test]
    fn everything_drawn_is_said_too() {
        let mut one = row("ranking", 140.0);
        (one.figure, one.note) = ("140 (9.0 %)".to_owned(), "-140".to_owned());
        let drawn = render(&bars(vec![one]), ChartPlacement::Page);
        assert!(drawn.contains("<desc>questions. ranking 140 (9.0 %) -140</desc>"), "{drawn}");
    }

    #[test]
    fn names_lead_somewhere_in_a_page_only_and_never_outside() {
        let mut one = row("ranking", 1.0);
        one.link = Some("#class=ranking".to_owned());
        let linked = bars(vec![one.clone()]);
        assert!(render(&linked, ChartPlacement::Page).contains("<a href=\"#class=ranking\">"));
        assert!(!render(&linked, ChartPlacement::File).contains("<a "));
        one.link = Some("javascript:alert(1)".to_owned());
        assert!(!render(&bars(vec![one]), ChartPlacement::Page).contains("<a "));
    }

    #[test]
    fn what_data_gave_is_no_markup_and_what_is_no_number_is_no_bar() {
        let name = "</text><script>alert(1)</script>\u{202e}\u{1b}[31m&\"\u{ffff}";
        let interval = Some(Interval { low: f64::NAN, high: f64::INFINITY });
        let broken = [f64::NAN, f64::INFINITY, -1e305, 1e300, 1e-300].map(|value| Row {
            label: name.to_owned(),
            link: Some(format!("#{name}")),
            value,
            rest: Some(value),
            second: Some(value),
            interval,
            figure: name.to_owned(),
            note: name.to_owned(),
            ..Row::default()
        });
        let drawing = Bars { keys: vec![(Key::Rest, name.to_owned())], ..bars(broken.to_vec()) };
        for place in [ChartPlacement::File, ChartPlacement::Page] {
            let drawn = render(&drawing, place);
            assert!(
                !drawn.contains("<script") && !drawn.contains(['\u{202e}', '\u{1b}', '\u{ffff}']),
                "{drawn}"
            );
            assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        }
    }

    #[test]
    fn without_a_row_it_says_so() {
        assert!(
            render(&bars(Vec::new()), ChartPlacement::Page).contains(">nothing to draw</text>")
        );
    }

    #[test]
    fn what_is_written_does_not_run_into_what_stands_beside_it() {
        let mut long = row(&"label ".repeat(20), 1.0);
        (long.figure, long.note) = ("1,234 (100.0 %)".to_owned(), "note ".repeat(60));
        let drawing = bars(vec![long]);
        let layout = Layout::new(&drawing, ChartPlacement::Page, TOP);
        assert!(
            layout.right - layout.left >= LEAST_PLOT - 1e-9 && layout.notes < WIDTH - BORDER,
            "{} {}",
            layout.left,
            layout.right
        );
    }
}
