//! Pictures with their figures, and how dark a cell is.

use std::fmt::Write as _;

use crate::chart::{Place, bars, svg};
use crate::pictures::{Drawing, Figure};
use crate::render::html::{escape, list, rows};

fn drawn(drawing: &Drawing) -> String {
    match drawing {
        Drawing::Bars(bars) => bars::render(bars, Place::Page),
        Drawing::Chart(chart) => svg::render(chart, Place::Page),
    }
}

/// A picture under its heading, how to read it, and its figures.
pub fn figure(figure: &Figure, out: &mut String) {
    let drawn = drawn(&figure.drawing);
    let title = escape(&figure.figures.title);
    let _ = writeln!(
        out,
        "<figure>\n<h3>{title}</h3>\n<div class=\"scroll\">\n{drawn}</div>"
    );
    if !figure.figures.notes.is_empty() {
        out.push_str("<figcaption>\n");
        list("notes", &figure.figures.notes, out);
        out.push_str("</figcaption>\n");
    }
    out.push_str("<details><summary>The figures</summary>\n");
    rows(&figure.figures, out);
    out.push_str("</details>\n</figure>\n");
}

/// How dark a cell is that holds this share: 0 for none, else in fifths, the last for more than four.
pub fn shade(share: f64) -> usize {
    (5.0 * share).ceil().clamp(0.0, 5.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_the_darker_the_more_stands_in_it() {
        assert_eq!(
            [0.0, 0.001, 0.2, 0.21, 0.8, 1.0].map(shade),
            [0, 1, 1, 2, 4, 5]
        );
    }
}
