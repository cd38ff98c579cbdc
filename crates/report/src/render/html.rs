//! Parts of a report as HTML elements. All text on its way in is escaped here.

use std::fmt::Write as _;

use super::flow;
use crate::document::{Align, Element, Entry, Fact, Flow, Notice, Table, TableCell, TableColumn};
use ragtriage_core::text::sanitize::one_line;

/// Writes an element inside a section, whose headings are of the third level.
pub(crate) fn element(element: &Element, out: &mut String) {
    match element {
        Element::Heading(_, text) => line("h3", text, out),
        Element::Section(section) => line("h3", section.title, out),
        Element::Verdict(text) => line("p class=\"verdict\"", text, out),
        Element::Paragraph(text) => line("p", text, out),
        Element::Facts(found) => facts(found, out),
        Element::Notices(found) => notices(found, out),
        Element::List(items) => list("list", items, out),
        Element::Entries(entries) => entries.iter().for_each(|one| entry(one, out)),
        Element::Flow(found) if found.parts.iter().any(|part| part.questions > 0) => {
            flow::draw(found, out);
            list("notes", &found.notes, out);
        }
        Element::Flow(Flow { table, .. }) if table.rows.is_empty() => {}
        Element::Flow(Flow { table: found, .. }) | Element::Table(found) => table(found, out),
        Element::Lines(lines) => lines.iter().for_each(|text| line("p", text, out)),
    }
}

fn line(tag: &str, text: &str, out: &mut String) {
    let name = tag.split(' ').next().unwrap_or(tag);
    let _ = writeln!(out, "<{tag}>{}</{name}>", escape(text));
}

fn facts(facts: &[Fact], out: &mut String) {
    out.push_str("<dl class=\"facts\">\n");
    for Fact { label, text } in facts {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", escape(label), escape(text));
    }
    out.push_str("</dl>\n");
}

fn notices(notices: &[Notice], out: &mut String) {
    out.push_str("<ul class=\"notices\">\n");
    for Notice { text, hint, .. } in notices {
        let hint = hint
            .as_ref()
            .map_or(String::new(), |hint| format!("<br><small>hint: {}</small>", escape(hint)));
        let _ = writeln!(out, "<li>{}{hint}</li>", escape(text));
    }
    out.push_str("</ul>\n");
}

fn entry(entry: &Entry, out: &mut String) {
    line("p class=\"entry\"", &entry.title, out);
    facts(&entry.facts, out);
}

/// A list of sentences; nothing where there is none.
fn list<'a>(class: &str, items: impl IntoIterator<Item = &'a String>, out: &mut String) {
    let items: Vec<String> =
        items.into_iter().map(|item| format!("<li>{}</li>\n", escape(item))).collect();
    if !items.is_empty() {
        let _ = writeln!(out, "<ul class=\"{class}\">\n{}</ul>", items.concat());
    }
}

/// A table under its heading, with its notes.
fn table(table: &Table, out: &mut String) {
    if !table.title.is_empty() {
        line("h3", &table.title, out);
    }
    if !table.rows.is_empty() {
        rows(table, out);
    }
    list("notes", &table.notes, out);
}

/// A table alone, in a box of its own that scrolls where the page is narrow.
fn rows(table: &Table, out: &mut String) {
    out.push_str("<div class=\"scroll\"><table>\n");
    let head = table.columns.iter().map(|column| &column.title);
    if head.clone().any(|cell| !cell.is_empty()) {
        let cells = head.map(|cell| format!("<th scope=\"col\">{}</th>", escape(cell)));
        let _ = writeln!(out, "<thead><tr>{}</tr></thead>", cells.collect::<String>());
    }
    out.push_str("<tbody>\n");
    for row in &table.rows {
        let cells = table.columns.iter().zip(row).enumerate();
        let cells = cells.map(|(at, (column, found))| cell(at, column, found));
        let _ = writeln!(out, "<tr>{}</tr>", cells.collect::<String>());
    }
    out.push_str("</tbody></table></div>\n");
}

fn cell(at: usize, column: &TableColumn, cell: &TableCell) -> String {
    let detail = if cell.detail.is_empty() {
        String::new()
    } else {
        format!("<br><small>{}</small>", escape(&cell.detail))
    };
    let text = escape(&cell.text);
    let text = if cell.link.is_empty() {
        text
    } else {
        format!("<a href=\"{}\">{text}</a>", escape(&cell.link))
    };
    let content = text + &detail;
    match (at, column.align) {
        (0, _) => format!("<th scope=\"row\">{content}</th>"),
        (_, Align::Left) => format!("<td class=\"text\">{content}</td>"),
        (_, Align::Right) => format!("<td>{content}</td>"),
    }
}

/// Text that data gave, for an element or an attribute in quotes.
pub(crate) fn escape(text: &str) -> String {
    let text = one_line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_open_a_tag_or_leave_an_attribute() {
        assert_eq!(
            escape("</script><img onerror=\"x\">&'"),
            "&lt;/script&gt;&lt;img onerror=&quot;x&quot;&gt;&amp;&#39;"
        );
    }

    #[test]
    fn a_table_has_a_head_for_every_row_and_column() {
        let mut found = Table::new("<t>", &["", "n"]);
        found.row(["<a>", "1"]);
        found.notes.push("<n>".to_owned());
        let mut out = String::new();
        table(&found, &mut out);
        assert!(out.starts_with("<h3>&lt;t&gt;</h3>"), "{out}");
        assert!(out.contains("<th scope=\"col\">n</th>"), "{out}");
        assert!(out.contains("<tr><th scope=\"row\">&lt;a&gt;</th><td>1</td></tr>"), "{out}");
        assert!(out.contains("<li>&lt;n&gt;</li>"), "{out}");
    }
}
