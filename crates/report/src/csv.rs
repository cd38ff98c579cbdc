//! A run as a table: a row a question, for spreadsheets and notebooks.
//!
//! RFC 4180: cells with a comma, quote or line end are quoted, quotes doubled, rows end in CR LF. A spreadsheet takes a cell
//! that begins with `=`, `+`, `-`, `@`, tab or CR for a formula; such text from data gets an apostrophe before it (OWASP, "CSV
//! Injection"). Numbers of ours are written as they are; a metric that is not defined for a question is an empty cell.

use csv::{Terminator, WriterBuilder};

use ragtriage_core::types::Condition;
use ragtriage_data::run::SavedRun;
use ragtriage_eval::summary::Evaluation;

/// Columns before the metrics.
const COLUMNS: [&str; 8] =
    ["id", "question", "kind", "class", "fault", "flags", "answer", "gold_answers"];

/// The table: a header, then the questions in run order.
#[must_use]
pub fn render(run: &SavedRun, evaluation: &Evaluation) -> String {
    let mut out = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    let mut row =
        |cells: Vec<String>| out.write_record(cells).expect("memory, cells of one number");
    let names = evaluation.scores.metrics.iter().map(|metric| text(&metric.to_string()));
    row(COLUMNS.iter().map(|name| (*name).to_owned()).chain(names).collect());
    let outcomes = evaluation.outcomes.iter().zip(&evaluation.scores.rows);
    for (trace, (outcome, scores)) in run.traces.iter().zip(outcomes) {
        let question = &trace.question;
        let flags: Vec<&str> = outcome.flags.iter().map(|flag| flag.name()).collect();
        let answer = trace.attempt(Condition::Retrieved).map_or("", |attempt| &attempt.extracted);
        let known = [
            question.id.as_str(),
            &question.text,
            question.kind.name(),
            outcome.class.name(),
            outcome.fault.map_or("", |fault| fault.name()),
            &flags.join(" "),
            answer,
            &question.answers.join(" | "),
        ];
        let scores =
            scores.iter().map(|score| score.map_or(String::new(), |score| score.to_string()));
        row(known.map(text).into_iter().chain(scores).collect());
    }
    String::from_utf8(out.into_inner().expect("memory")).expect("cells are UTF-8")
}

/// A cell of text: no formula. Control characters other than tab and line ends are removed: a terminal that shows the file would
/// act on them.
fn text(content: &str) -> String {
    let is_kept = |c: &char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    let content: String = content.chars().filter(is_kept).collect();
    // Spreadsheets pass over what has no width, and read full-width forms as their ASCII ones.
    let seen = content.trim_start_matches(|c: char| c == ' ' || is_invisible(c));
    let opens =
        |text: &str| text.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']);
    if opens(&content) || opens(seen) { format!("'{content}") } else { content }
}

/// Control characters but tab and CR, and those of no width (Unicode's default ignorable marks that occur in text).
fn is_invisible(c: char) -> bool {
    (c.is_control() && !matches!(c, '\t' | '\r'))
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_cannot_leave_its_place_or_become_a_formula() {
        for (content, cell) in [
            ("plain", "plain"),
            ("", ""),
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"),
            ("\rx", "'\rx"),
            ("=HYPERLINK(\"http://x\",\"y\")", "'=HYPERLINK(\"http://x\",\"y\")"),
            ("\u{feff}=1", "'\u{feff}=1"),
            ("\u{0}\u{200b} =1", "'\u{200b} =1"),
            ("red \u{1b}[31mtext\u{7}\u{9b}", "red [31mtext"),
            ("＝1", "'＝1"),
            ("a=b", "a=b"),
        ] {
            assert_eq!(text(content), cell);
        }
    }
}
