//! A chart as text for a terminal: a letter a line, at most 100 columns and 16 rows of plot. ASCII, but for what data gave.

use std::fmt::Write as _;

use super::{Chart, Frame, NOTHING, Style};
use crate::wrap::wrapped_to;
use ragtriage_core::text::sanitize::shortened;

/// Columns of a line.
const WIDTH: usize = 100;
/// Rows and columns of the plot itself.
const ROWS: usize = 16;
const COLUMNS: usize = 84;
/// Characters of a name, a title, a label.
const NAME: usize = 40;
/// Between points of a line this many lines are followed by dots; more would be a thicket.
const MOST_DOTTED: usize = 3;
/// Several lines have a point here.
const SEVERAL: char = '*';

/// Lines that each end in a line feed: title, plot, legend.
#[must_use]
pub fn render(chart: &Chart) -> String {
    let mut out = format!("{}\n", shortened(&chart.title, WIDTH));
    let Some(frame) = chart.frame() else {
        return out + "  " + NOTHING + "\n";
    };
    let margin = frame.y.ticks.iter().map(|tick| tick.label.len()).max().unwrap_or(0) + 1;
    let cells = cells(chart, &frame);
    let _ = writeln!(out, "{:>margin$} {}", "", shortened(&chart.y_label, NAME));
    for (row, marks) in cells.iter().enumerate() {
        let label = frame.y.ticks.iter().find(|tick| row_of(&frame, tick.at) == row);
        let (label, edge) = label.map_or(("", '|'), |tick| (tick.label.as_str(), '+'));
        let marks: String = marks.iter().collect();
        let _ = writeln!(out, "{label:>margin$} {edge}{}", marks.trim_end());
    }
    let _ = writeln!(out, "{:>margin$} +{}", "", "-".repeat(COLUMNS));
    out.push_str(&x_ticks(&frame, margin + 2));
    let x_label = shortened(&chart.x_label, NAME);
    let middle = margin + 2 + (COLUMNS - x_label.chars().count()) / 2;
    let _ = writeln!(out, "{:middle$}{x_label}", "");
    out + &legend(chart, margin + 2, cells.iter().flatten().any(|cell| *cell == SEVERAL))
}

/// The plot, its highest row first.
fn cells(chart: &Chart, frame: &Frame) -> Vec<Vec<char>> {
    let mut cells = vec![vec![' '; COLUMNS]; ROWS];
    let is_dotted =
        chart.lines.iter().filter(|line| line.style != Style::Points).count() <= MOST_DOTTED;
    for line in chart.lines.iter().filter(|line| is_dotted && line.style != Style::Points) {
        let places: Vec<(usize, usize)> = chart
            .drawn(line)
            .map(|point| (column_of(frame, point.x), row_of(frame, point.y)))
            .collect();
        for pair in places.windows(2) {
            dots(&mut cells, pair[0], pair[1], line.style);
        }
    }
    let mut owner = vec![vec![None; COLUMNS]; ROWS];
    for (at, line) in chart.lines.iter().enumerate() {
        for point in chart.drawn(line).filter(|_| line.style.has_marks()) {
            let (row, column) = (row_of(frame, point.y), column_of(frame, point.x));
            let first = *owner[row][column].get_or_insert(at);
            cells[row][column] = if first == at { letter(at) } else { SEVERAL };
        }
    }
    cells
}

fn row_of(frame: &Frame, y: f64) -> usize {
    ((1.0 - frame.y.share(y)) * (ROWS - 1) as f64).round() as usize
}

fn column_of(frame: &Frame, x: f64) -> usize {
    (frame.x.share(x) * (COLUMNS - 1) as f64).round() as usize
}

/// The way from one point to the next, column by column; a step goes up or down in the last.
fn dots(
    cells: &mut [Vec<char>],
    (from, low): (usize, usize),
    (to, high): (usize, usize),
    style: Style,
) {
    if matches!(style, Style::Step | Style::Outline) {
        cells[low][from.min(to)..=from.max(to)].fill('.');
        (low.min(high)..=low.max(high)).for_each(|row| cells[row][to] = '.');
        return;
    }
    let steps = from.abs_diff(to).max(1);
    for step in 0..=steps {
        let share = step as f64 / steps as f64;
        cells[between(low, high, share)][between(from, to, share)] = '.';
    }
}

fn between(a: usize, b: usize, share: f64) -> usize {
    (a as f64 + share * (b as f64 - a as f64)).round() as usize
}

/// The numbers under the plot, each centred under its mark, those that would touch the one before left out.
fn x_ticks(frame: &Frame, margin: usize) -> String {
    let mut line = String::new();
    for tick in &frame.x.ticks {
        let middle = margin + column_of(frame, tick.at);
        let start = middle.saturating_sub(tick.label.len() / 2);
        if line.is_empty() || start > line.len() {
            line.push_str(&" ".repeat(start - line.len()));
            line.push_str(&tick.label);
        }
    }
    line + "\n"
}

/// `A` to `Z`, then `a` to `z`, then one for all.
fn letter(at: usize) -> char {
    ('A'..='Z').chain('a'..='z').nth(at).unwrap_or('#')
}

fn legend(chart: &Chart, indent: usize, has_several: bool) -> String {
    let names = chart
        .lines
        .iter()
        .enumerate()
        .map(|(at, line)| format!("{} {}", letter(at), shortened(&line.name, NAME)));
    let several = has_several.then(|| format!("{SEVERAL} several"));
    let names: Vec<String> = names.chain(several).collect();
    wrapped_to(WIDTH, &" ".repeat(indent), &names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Line, Scale};

    fn chart(lines: Vec<Line>) -> Chart {
        Chart {
            title: "Recall against k".to_owned(),
            x_label: "k".to_owned(),
            y_label: "Recall@k".to_owned(),
            x_scale: Scale::Log2,
            y_covers: Vec::new(),
            lines,
        }
    }

    #[test]
    fn letters_stand_where_the_points_are_and_dots_between_them() {
        let drawn = render(&chart(vec![
            Line::new("default", Style::Line, &[(1.0, 0.3), (2.0, 0.5), (4.0, 0.7), (16.0, 0.8)]),
            Line::new("s07", Style::Step, &[(1.0, 0.3), (4.0, 0.7)]),
        ]));
        insta::assert_snapshot!(drawn, @r"
        Recall against k
             Recall@k
         0.8 +                                                                         ......A
             |                                                             ............
             |                                                 ............
         0.7 +                                         .*......
             |                                      ... .
             |                                   ...    .
         0.6 +                               ....       .
             |                            ...           .
             |                         ...              .
         0.5 +                      .A.                 .
             |                   ...                    .
             |                ...                       .
         0.4 +            ....                          .
             |         ...                              .
             |      ...                                 .
         0.3 +    *......................................
             +------------------------------------------------------------------------------------
                  1                  2                  4                                   16
                                                       k
              A default, B s07, * several
        ");
    }

    #[test]
    fn it_fits_a_hundred_columns_and_says_when_there_is_nothing() {
        let lines: Vec<Line> = (0..60)
            .map(|n| {
                Line::new(
                    format!("setting {n} \u{1b}[31m\u{202e}"),
                    Style::Line,
                    &[(1e9, -1e300), (f64::from(n) + 2e9, 1e300)],
                )
            })
            .collect();
        let drawn = render(&chart(lines));
        assert!(drawn.lines().all(|line| line.chars().count() <= WIDTH), "{drawn}");
        assert!(
            drawn.lines().count() < ROWS + 24 && drawn.is_ascii() && !drawn.contains('\u{1b}'),
            "{drawn}"
        );
        assert_eq!(render(&chart(Vec::new())), "Recall against k\n  nothing to draw\n");
    }

    #[test]
    fn a_single_point_has_its_letter() {
        let drawn = render(&chart(vec![Line::new("only", Style::Points, &[(512.0, 0.0)])]));
        assert_eq!(drawn.matches('A').count(), 2, "{drawn}");
        assert!(drawn.contains(" 512\n"), "{drawn}");
    }
}
