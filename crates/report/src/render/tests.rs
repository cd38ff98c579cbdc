//! Every element in every format.

use super::terminal::Screen;
use super::{markdown, terminal};
use crate::document::{Element, Entry, Fact, Notice, Report, Table, TableCell};
use crate::specimen::EVIL;
use ragtriage_data::dataset::lint::finding::Severity;

fn report(data: &str) -> Report {
    let mut report = Report::new(format!("ragtriage: {data}"));
    report.elements.push(Element::Verdict(format!("The verdict on {data}.")));
    report.facts(vec![Fact::new("Corpus", data), Fact::new("n", "2")]);
    report.elements.push(Element::Notices(vec![
        Notice::warning(format!("mind {data}")),
        Notice {
            severity: Severity::Error,
            text: "it does not hold".to_owned(),
            hint: Some("look again".to_owned()),
        },
    ]));
    let mut trials = Table::new("Trials", &["trial", "EM@5"]);
    for name in ["a", "b"] {
        let detail = format!("variant {data} {}", "x".repeat(50));
        let cell = |text: &str, detail: &str| TableCell {
            text: text.to_owned(),
            detail: detail.to_owned(),
            ..TableCell::default()
        };
        trials.row([cell(name, &detail), cell("0.500", "0.40-0.60")]);
    }
    trials.notes.push("a count".to_owned());
    report.table(trials);
    report.heading("Questions");
    report.entries(vec![Entry {
        title: format!("q1  {data}"),
        facts: vec![Fact::new("gold", "a"), Fact::new("answer", "b")],
    }]);
    report.elements.push(Element::Paragraph("A paragraph.".to_owned()));
    report.elements.push(Element::Lines(vec![" a line".to_owned()]));
    report.list(vec!["the first".to_owned(), "the second".to_owned()]);
    report
}

fn in_terminal(data: &str, width: usize) -> String {
    let color = false;
    terminal::render(&report(data), Screen { width, color })
}

#[test]
fn in_a_terminal_of_120_columns() {
    insta::assert_snapshot!(in_terminal("data", 120));
}

#[test]
fn in_a_terminal_of_80_columns() {
    insta::assert_snapshot!(in_terminal("data", 80));
}

#[test]
fn in_markdown() {
    insta::assert_snapshot!(markdown::render(&report("data")));
}

#[test]
fn headings_are_bold_where_color_is_on() {
    let text = terminal::render(&Report::new("a"), Screen::new(true));
    assert_eq!(text, "\u{1b}[1ma\u{1b}[0m\n");
}

#[test]
fn what_data_says_is_text_in_every_format() {
    let [terminal, markdown] = [in_terminal(EVIL, 120), markdown::render(&report(EVIL))];
    for text in [&terminal, &markdown] {
        assert!(!text.contains(['\u{202e}', '\u{1b}', '\u{7}']), "{text}");
    }
    assert!(!markdown.contains("<script") && !markdown.contains("<img"), "{markdown}");
}
