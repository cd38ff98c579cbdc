//! Charts as data: lines and points over two axes, which [`svg`] draws, and bar charts (`bars`).
//!
//! It is independent of the data that it shows. Points without a position on the axes (not finite, beyond 1e300, not above zero on a
//! logarithmic axis) are left out; a chart without any is a frame that says so.

mod axis;
pub(crate) mod bars;
mod canvas;
mod labels;
pub mod svg;
mod ticks;

use axis::{Axis, MOST};

use ragtriage_core::types::Interval;

pub use axis::Scale;
pub use canvas::{ChartPlacement, STYLE};

/// The text of a chart without a point.
const NOTHING: &str = "nothing to draw";
/// Ticks wanted, at most, along x and y.
const MOST_TICKS: (usize, usize) = (7, 6);

/// A drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Its title; all texts here may come from data.
    pub title: String,
    /// The quantity along x, with its unit.
    pub x_label: String,
    /// The quantity along y.
    pub y_label: String,
    /// The scale of x; y is always linear.
    pub x_scale: Scale,
    /// Values of y that the axis covers besides those of the points: charts that share them can be compared by eye.
    pub y_covers: Vec<f64>,
    /// The first is drawn on top, and its labels are placed first.
    pub lines: Vec<Line>,
}

/// Points of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// The line through its points.
    pub style: Style,
    /// In drawing order.
    pub points: Vec<ChartPoint>,
}

/// The line through points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Each to the next.
    Line,
    /// Level to the next one's x, then straight up or down to it: what is best up to an x.
    Step,
    /// Not at all.
    Points,
    /// As a step, without marks: the outline of adjacent bars.
    Outline,
}

impl Style {
    /// Returns true if each point has a mark.
    fn has_marks(self) -> bool {
        self != Self::Outline
    }
}

/// One point.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartPoint {
    /// Along x, in its own unit.
    pub x: f64,
    /// Along y.
    pub y: f64,
    /// Its interval, where that is known. The axis covers it; a terminal does not draw it.
    pub interval: Option<Interval>,
    /// Its name; empty for the name of its line.
    pub name: String,
    /// True if its name is written next to it where there is room.
    pub is_labelled: bool,
}

impl Line {
    /// Points without names of their own.
    #[must_use]
    pub fn new(name: impl Into<String>, style: Style, points: &[(f64, f64)]) -> Self {
        let points = points.iter().map(|&(x, y)| ChartPoint {
            x,
            y,
            interval: None,
            name: String::new(),
            is_labelled: false,
        });
        Self { name: name.into(), style, points: points.collect() }
    }
}

/// Both axes.
struct Frame {
    x: Axis,
    y: Axis,
}

impl Chart {
    /// The axes over all points; `None` where there is none.
    fn frame(&self) -> Option<Frame> {
        let points: Vec<&ChartPoint> =
            self.lines.iter().flat_map(|line| self.drawn(line)).collect();
        let (xs, mut ys): (Vec<f64>, Vec<f64>) =
            points.iter().map(|point| (point.x, point.y)).unzip();
        if xs.is_empty() {
            return None;
        }
        let ends =
            points.iter().filter_map(|point| point.interval).flat_map(|it| [it.low, it.high]);
        ys.extend(self.y_covers.iter().copied().chain(ends).filter(|y| y.abs() <= MOST));
        Some(Frame {
            x: Axis::over(&xs, self.x_scale, MOST_TICKS.0),
            y: Axis::over(&ys, Scale::Linear, MOST_TICKS.1),
        })
    }

    /// Returns the points of a line that have a position on the axes.
    fn drawn<'a>(&'a self, line: &'a Line) -> impl Iterator<Item = &'a ChartPoint> {
        line.points
            .iter()
            .filter(|point| self.x_scale.holds(point.x) && Scale::Linear.holds(point.y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_that_cannot_stand_on_the_axes_are_left_out() {
        let points = [(f64::NAN, 1.0), (0.0, 1.0), (2.0, f64::INFINITY), (1e301, 1.0), (4.0, 0.5)];
        let mut chart =
            Chart { lines: vec![Line::new("a", Style::Line, &points)], ..Chart::default() };
        assert_eq!(chart.drawn(&chart.lines[0]).count(), 2);
        chart.x_scale = Scale::Log2;
        assert_eq!(chart.drawn(&chart.lines[0]).map(|point| point.x).collect::<Vec<_>>(), [4.0]);
        chart.lines[0].points.pop();
        assert!(chart.frame().is_none());
    }

    #[test]
    fn an_axis_covers_more_than_its_points_where_asked() {
        let chart = Chart {
            y_covers: vec![0.1, f64::NAN, 0.9],
            lines: vec![Line::new("a", Style::Line, &[(1.0, 0.5)])],
            ..Chart::default()
        };
        let y = chart.frame().unwrap().y;
        // 0.1 to 0.9 in steps of 0.2, widened to whole steps: 0 to 1.
        assert_eq!((y.share(0.0), y.share(0.5), y.share(1.0)), (0.0, 0.5, 1.0));
    }
}
