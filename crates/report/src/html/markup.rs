//! Tables, lists and figures as markup. All text on its way in is made harmless here.

use std::fmt::Write as _;

use crate::chart::{Place, bars, svg};
use crate::pictures::{Drawing, Figure};
use crate::section::Section;
use ragtriage_core::text::sanitize::one_line;

/// Text that data gave, for an element or an attribute in quotes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A list of sentences; nothing where there is none.
pub fn list<'a>(class: &str, items: impl IntoIterator<Item = &'a String>, out: &mut String) {
    let items: Vec<String> = items
        .into_iter()
        .map(|item| format!("<li>{}</li>\n", escape(item)))
        .collect();
    if !items.is_empty() {
        let _ = writeln!(out, "<ul class=\"{class}\">\n{}</ul>", items.concat());
    }
}

/// A table of head cells and rows of ready markup, in a box of its own that scrolls where the page is narrow.
pub fn table<S: AsRef<str>>(head: &[S], rows: impl IntoIterator<Item = String>, out: &mut String) {
    out.push_str("<div class=\"scroll\"><table>\n");
    if head.iter().any(|cell| !cell.as_ref().is_empty()) {
        let cells: Vec<String> = head
            .iter()
            .map(|cell| format!("<th scope=\"col\">{}</th>", escape(cell.as_ref())))
            .collect();
        let _ = writeln!(out, "<thead><tr>{}</tr></thead>", cells.concat());
    }
    out.push_str("<tbody>\n");
    for row in rows {
        let _ = writeln!(out, "<tr>{row}</tr>");
    }
    out.push_str("</tbody></table></div>\n");
}

/// A table of ready text under a heading, with its notes.
pub fn section(section: &Section, out: &mut String) {
    let _ = writeln!(out, "<h3>{}</h3>", escape(&section.title));
    rows(section, out);
    list("notes", &section.notes, out);
}

/// The table of a section alone.
pub fn rows(section: &Section, out: &mut String) {
    let row = |row: &Vec<String>| {
        let (first, rest) = row
            .split_first()
            .map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        let cells: Vec<String> = rest
            .iter()
            .map(|cell| format!("<td>{}</td>", escape(cell)))
            .collect();
        format!("<th scope=\"row\">{}</th>{}", escape(first), cells.concat())
    };
    table(&section.head, section.rows.iter().map(row), out);
}

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

    #[test]
    fn data_cannot_open_a_tag_or_leave_an_attribute() {
        assert_eq!(
            escape("</script><img onerror=\"x\">&'"),
            "&lt;/script&gt;&lt;img onerror=&quot;x&quot;&gt;&amp;&#39;"
        );
    }

    #[test]
    fn a_table_has_a_head_for_every_row_and_column() {
        let mut section = Section::new("<t>", &["", "n"]);
        section.rows.push(vec!["<a>".to_owned(), "1".to_owned()]);
        section.notes.push("<n>".to_owned());
        let mut out = String::new();
        super::section(&section, &mut out);
        assert!(out.starts_with("<h3>&lt;t&gt;</h3>"), "{out}");
        assert!(out.contains("<th scope=\"col\">n</th>"), "{out}");
        assert!(
            out.contains("<tr><th scope=\"row\">&lt;a&gt;</th><td>1</td></tr>"),
            "{out}"
        );
        assert!(out.contains("<li>&lt;n&gt;</li>"), "{out}");
    }

    #[test]
    fn an_empty_list_is_no_list() {
        let mut out = String::new();
        list("notes", &Vec::new(), &mut out);
        assert_eq!(out, "");
    }
}
