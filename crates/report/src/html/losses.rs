//! Where the answers were lost: waterfall, loss budget, classes, and retrieval by answer.

use std::fmt::Write as _;

use super::Page;
use super::markup::{figure, shade};
use crate::render::html::escape;
use ragtriage_core::text::numbers::thousands;
use ragtriage_eval::diagnose::{Cell, TwoByTwo};

/// The section's content.
pub(super) fn losses(page: &Page<'_>, out: &mut String) {
    let pictures = page.pictures;
    for picture in [&pictures.waterfall, &pictures.losses, &pictures.classes]
        .into_iter()
        .flatten()
    {
        figure(picture, out);
    }
    if let Some(table) = &page.run.two_by_two {
        two_by_two(table, out);
    }
}

/// A cell the darker the more questions stand in it.
fn two_by_two(table: &TwoByTwo, out: &mut String) {
    let rows = [
        ("found", table.hit_right, table.hit_wrong),
        ("not found", table.miss_right, table.miss_wrong),
    ];
    let _ = writeln!(
        out,
        "<h3>Retrieval by answer (EM@{}, {} questions)</h3>\n<div class=\"scroll\"><table class=\"cells\">\n\
         <thead><tr><td></td><th scope=\"col\">answer right</th><th scope=\"col\">answer wrong</th></tr></thead>\n<tbody>",
        table.k,
        thousands(table.n)
    );
    for (label, right, wrong) in rows {
        let cells = [right, wrong]
            .iter()
            .map(|one| cell(one, table.n))
            .collect::<Vec<String>>()
            .concat();
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th>{cells}</tr>",
            escape(label)
        );
    }
    out.push_str("</tbody></table></div>\n");
}

fn cell(cell: &Cell, n: usize) -> String {
    let share = cell.n as f64 / n.max(1) as f64;
    let mean = if cell.n == 0 {
        String::new()
    } else {
        format!(" · mean F1 {:.2}", cell.mean_f1)
    };
    format!(
        "<td class=\"shade{}\"><strong>{}</strong><small>{:.1}%{mean}</small></td>",
        shade(share),
        thousands(cell.n),
        100.0 * share
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_cell_has_no_mean() {
        let found = cell(&Cell { n: 0, mean_f1: 0.0 }, 10);
        assert_eq!(
            found,
            "<td class=\"shade0\"><strong>0</strong><small>0.0%</small></td>"
        );
        // 2 of 10 questions.
        let found = cell(
            &Cell {
                n: 2,
                mean_f1: 0.75,
            },
            10,
        );
        assert_eq!(
            found,
            "<td class=\"shade1\"><strong>2</strong><small>20.0% · mean F1 0.75</small></td>"
        );
    }
}
