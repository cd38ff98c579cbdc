//! Distributions of scores: passages with gold against others, and answers by tenths.

use super::figure::Figure;
use crate::chart::bars::{Bars, Row};
use crate::chart::{Chart, Line, Scale, Style};
use crate::document::Table;
use ragtriage_core::text::numbers::{percent_of, thousands};
use ragtriage_eval::distribution::ScoreSpread;

/// Scores that need more decimals are written with an exponent.
const MOST_DECIMALS: i32 = 6;

/// Passages of the top `k` by score.
pub(super) fn passages(spread: &ScoreSpread, k: usize) -> Figure {
    let title = format!("Scores of the top {k}: passages with gold against others");
    let chart = Chart {
        title: title.clone(),
        x_label: "score of the final ranking".to_owned(),
        y_label: "% of passages".to_owned(),
        x_scale: Scale::Linear,
        y_covers: vec![0.0],
        lines: vec![
            line("with gold", spread, &spread.gold),
            line("others", spread, &spread.others),
        ],
    };
    let head = ["score from", "to", "with gold", "others", "gold kept", "others kept"];
    let mut figures = Table::new(title, &head);
    for at in 0..spread.gold.len() {
        figures.row(bin(spread, at));
    }
    figures.notes = vec![
        format!(
            "each outline is 100% of its passages; {} questions with labelled evidence",
            thousands(spread.n_questions)
        ),
        "if the two are apart, retrieval.min_score can drop others and keep gold; if they overlap, it cannot. Kept: passages with at least that score"
            .to_owned(),
    ];
    Figure::lines(chart, figures)
}

fn line(name: &str, spread: &ScoreSpread, counts: &[usize]) -> Line {
    let n: usize = counts.iter().sum();
    let name = format!("{name}, {}", thousands(n));
    Line::new(name, Style::Outline, &outline(&spread.edges, counts, n))
}

/// The outline of bars in % of `n`, from the ground and back to it.
fn outline(edges: &[f64], counts: &[usize], n: usize) -> Vec<(f64, f64)> {
    let first = edges.first().map(|edge| (*edge, 0.0));
    // A step keeps its height up to the next point and jumps there: a bar's height belongs to its left end.
    let bars = edges
        .iter()
        .zip(counts)
        .map(|(edge, count)| (*edge, 100.0 * *count as f64 / n.max(1) as f64));
    let last = edges.last().map(|edge| (*edge, 0.0));
    first.into_iter().chain(bars).chain(last).collect()
}

fn bin(spread: &ScoreSpread, at: usize) -> Vec<String> {
    let width = spread.edges[at + 1] - spread.edges[at];
    vec![
        edge(spread.edges[at], width),
        edge(spread.edges[at + 1], width),
        thousands(spread.gold[at]),
        thousands(spread.others[at]),
        kept(&spread.gold, at),
        kept(&spread.others, at),
    ]
}

/// The share of `counts` from bin `at` on; empty without any.
fn kept(counts: &[usize], at: usize) -> String {
    let [n_kept, n] = [&counts[at..], counts].map(|counts| counts.iter().sum::<usize>());
    if n == 0 { String::new() } else { percent_of(n_kept, n) }
}

/// A bin's end with the digits that tell it from its neighbours: two of the bin's `width`.
fn edge(value: f64, width: f64) -> String {
    if width <= 0.0 || !width.is_finite() {
        return value.to_string();
    }
    // What is left of a sum that should be zero.
    let value = if value.abs() < 1e-6 * width { 0.0 } else { value };
    let decimals = 1 - decimal_place(width);
    if decimals > MOST_DECIMALS && value != 0.0 {
        let digits = usize::try_from(decimal_place(value) - decimal_place(width) + 1).unwrap_or(0);
        return format!("{value:.digits$e}");
    }
    let decimals = usize::try_from(decimals.min(MOST_DECIMALS)).unwrap_or(0);
    format!("{value:.decimals$}")
}

fn decimal_place(value: f64) -> i32 {
    (value.abs().log10() + 1e-9).floor() as i32
}

/// Questions by their answer's F1; `None` without an answer to score.
pub(super) fn answers(tenths: [usize; 12]) -> Option<Figure> {
    let n: usize = tenths.iter().sum();
    if n == 0 {
        return None;
    }
    let title = "AnswerF1 over questions";
    let mut rows = Vec::new();
    let mut figures = Table::new(title, &["AnswerF1", "questions", "share"]);
    for (at, count) in tenths.into_iter().enumerate() {
        let share = percent_of(count, n);
        rows.push(Row {
            label: tenth(at),
            value: 100.0 * count as f64 / n as f64,
            figure: format!("{}, {share}", thousands(count)),
            ..Row::default()
        });
        figures.row([tenth(at), thousands(count), share]);
    }
    let bars = Bars {
        title: title.to_owned(),
        x_label: "% of questions".to_owned(),
        rows,
        ..Bars::default()
    };
    figures.notes.push(format!(
        "{} questions; exactly 0 and exactly 1 have bars of their own",
        thousands(n)
    ));
    Some(Figure::bars(bars, figures))
}

fn tenth(at: usize) -> String {
    match at {
        0 => "0".to_owned(),
        11 => "1".to_owned(),
        1 => "above 0".to_owned(),
        _ => format!("from 0.{}", at - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_starts_and_ends_on_the_ground() {
        // 1 and 3 of 4 passages.
        let drawn = outline(&[0.0, 5.0, 10.0], &[1, 3], 4);
        assert_eq!(drawn, [(0.0, 0.0), (0.0, 25.0), (5.0, 75.0), (10.0, 0.0)]);
    }

    #[test]
    fn the_table_says_what_a_least_score_would_keep() {
        let spread = ScoreSpread {
            edges: vec![0.0, 5.0, 10.0],
            gold: vec![1, 3],
            others: vec![9, 0],
            n_questions: 2,
        };
        let rows = passages(&spread, 5).figures.rows;
        // From 5 on three of four gold passages are kept and none of nine others.
        assert_eq!(rows[1], ["5.0", "10.0", "3", "0", "75.0%", "0.0%"]);
        // Without any gold in the top k there is no share of it.
        let none = ScoreSpread { gold: vec![0, 0], ..spread };
        assert_eq!(passages(&none, 5).figures.rows[0][4], "");
    }

    #[test]
    fn ends_of_narrow_bins_are_told_apart() {
        assert_eq!([1e-5, 2e-5].map(|value| edge(value, 1e-5)), ["0.000010", "0.000020"]);
        assert_eq!([1e-9, 2.5e-8].map(|value| edge(value, 1e-9)), ["1.0e-9", "2.50e-8"]);
        assert_eq!([0.98761, 0.98762].map(|value| edge(value, 1e-5)), ["0.987610", "0.987620"]);
        assert_eq!([-20.0, 0.0, 1200.0].map(|value| edge(value, 20.0)), ["-20", "0", "1200"]);
        // The sum of 0.1, 0.2 and -0.3 is not quite zero, and has no sign.
        assert_eq!(edge(0.3 - (0.1 + 0.2), 0.1), "0.00");
    }

    #[test]
    fn tenths_are_named_by_where_they_begin() {
        assert_eq!([0, 1, 2, 10, 11].map(tenth), ["0", "above 0", "from 0.1", "from 0.9", "1"]);
        assert_eq!(answers([0; 12]), None);
    }
}
