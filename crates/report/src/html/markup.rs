//! 2 x 2 tables.

use std::fmt::Write as _;

use crate::render::html::{escape, heading};
use ragtriage_core::text::numbers::{percent, thousands};

/// A cell of a 2 x 2 table.
pub(super) struct CountCell {
    pub count: usize,
    /// Text behind the count's share.
    pub detail: String,
}

/// A table of two rows over `n` questions; a cell is the darker the more it counts.
pub(super) fn crosswise<const COLUMNS: usize>(
    title: &str,
    columns: &[String; COLUMNS],
    rows: &[(String, [CountCell; COLUMNS]); 2],
    n: usize,
    out: &mut String,
) {
    heading(title, out);
    let head =
        columns.each_ref().map(|column| format!("<th scope=\"col\">{}</th>", escape(column)));
    let _ = writeln!(
        out,
        "<div class=\"scroll\"><table class=\"cells\">
<thead><tr><td></td>{}</tr></thead>
<tbody>",
        head.concat()
    );
    for (label, cells) in rows {
        let cells = cells.each_ref().map(|one| cell(one, n)).concat();
        let _ = writeln!(out, "<tr><th scope=\"row\">{}</th>{cells}</tr>", escape(label));
    }
    out.push_str(
        "</tbody></table></div>
",
    );
}

fn cell(CountCell { count, detail }: &CountCell, n: usize) -> String {
    let share = *count as f64 / n.max(1) as f64;
    format!(
        "<td class=\"shade{}\"><strong>{}</strong><small>{}{detail}</small></td>",
        shade(share),
        thousands(*count),
        percent(share)
    )
}

/// Returns the shade of a cell that holds `share`: 0 for none, else 1 to 5 in fifths.
fn shade(share: f64) -> usize {
    (5.0 * share).ceil().clamp(0.0, 5.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_the_darker_the_more_stands_in_it() {
        assert_eq!([0.0, 0.001, 0.2, 0.21, 0.8, 1.0].map(shade), [0, 1, 1, 2, 4, 5]);
    }
}
