//! A run as a table: a row a question, as CSV for spreadsheets and as JSON lines for notebooks.
//!
//! CSV is RFC 4180: cells with a comma, quote or line end are quoted, quotes doubled, rows end in CR LF. A spreadsheet takes a
//! cell that begins with `=`, `+`, `-`, `@`, tab or CR for a formula; such text from data gets an apostrophe before it (OWASP,
//! "CSV Injection"). Numbers of ours are written as they are; a metric that is not defined for a question is an empty cell.
//! JSON lines have the texts unchanged, lists as lists, and `null` for what is not defined.

use csv::{Terminator, WriterBuilder};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::metric::{Family, Metric};
use ragtriage_core::text::sanitize::escaped_json;
use ragtriage_core::types::{Condition, Fault, Trace};
use ragtriage_data::run::SavedRun;
use ragtriage_eval::cost;
use ragtriage_eval::summary::Evaluation;

/// The table as CSV: a header, then the questions in run order, with their costs (empty: unknown) after the metrics.
#[must_use]
pub fn render(run: &SavedRun, evaluation: &Evaluation) -> String {
    let mut out = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    let mut write =
        |cells: Vec<String>| out.write_record(cells).expect("memory, cells of one number");
    write(names(evaluation).iter().map(|name| text(name)).collect());
    for Row(columns) in rows(run, evaluation) {
        write(columns.iter().map(|(_, value)| cell(value)).collect());
    }
    String::from_utf8(out.into_inner().expect("memory")).expect("cells are UTF-8")
}

/// The table as JSON lines, in run order.
#[must_use]
pub fn lines(run: &SavedRun, evaluation: &Evaluation) -> String {
    let lines = rows(run, evaluation);
    let line = |row: Row| serde_json::to_string(&row).expect("texts and numbers");
    lines.map(|row| escaped_json(&line(row)) + "\n").collect()
}

/// A question's columns with their names, in order.
struct Row(Vec<(String, Value)>);

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Names of the columns before the metrics.
const KNOWN: [&str; 10] = [
    "id",
    "question",
    "kind",
    "tags",
    "class",
    "fault",
    "reason",
    "flags",
    "answer",
    "gold_answers",
];

/// Costs of a question, after the metrics that are no costs.
const COSTS: [Family; 3] = [Family::Seconds, Family::Tokens, Family::Usd];

fn names(evaluation: &Evaluation) -> Vec<String> {
    let metrics = quality(evaluation).map(|(_, metric)| metric.to_string());
    let known = KNOWN.iter().map(|name| (*name).to_owned());
    known.chain(metrics).chain(COSTS.map(|cost| cost.name().to_owned())).collect()
}

/// Returns the metrics that are no costs, with their places among the scores of a question.
fn quality(evaluation: &Evaluation) -> impl Iterator<Item = (usize, &Metric)> {
    let metrics = evaluation.scores.metrics.iter().enumerate();
    metrics.filter(|(_, metric)| !metric.family().is_cost())
}

fn rows(run: &SavedRun, evaluation: &Evaluation) -> impl Iterator<Item = Row> {
    let names = names(evaluation);
    let outcomes = evaluation.outcomes.iter().zip(&evaluation.scores.rows);
    run.traces.iter().zip(outcomes).map(move |(trace, (outcome, scores))| {
        let scores = quality(evaluation).map(|(at, _)| json!(scores[at]));
        let costs = COSTS.map(|cost| json!(cost::of_question(trace, run, cost)));
        let values = known(trace, outcome).into_iter().chain(scores).chain(costs);
        Row(names.iter().cloned().zip(values).collect())
    })
}

/// Returns the values of [`KNOWN`].
fn known(trace: &Trace, outcome: &Outcome) -> [Value; 10] {
    let question = &trace.question;
    let flags: Vec<&str> = outcome.flags.iter().map(|flag| flag.name()).collect();
    let answer = trace.attempt(Condition::Retrieved).map(|attempt| &*attempt.extracted);
    [
        json!(question.id),
        json!(question.text),
        json!(question.kind.name()),
        json!(question.tags),
        json!(outcome.class.name()),
        json!(outcome.fault.map(Fault::name)),
        json!(outcome.reason),
        json!(flags),
        json!(answer.filter(|answer| !answer.is_empty())),
        json!(question.answers),
    ]
}

/// A cell of CSV; a list is separated by ` | `.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(content) => text(content),
        Value::Array(items) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            text(&items.join(" | "))
        }
        number => number.as_f64().map_or(String::new(), |number| number.to_string()),
    }
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
    use ragtriage_eval::summary::evaluate;

    use super::*;
    use crate::specimen;

    #[test]
    fn a_run_without_questions_has_a_header() {
        let run = specimen::empty();
        let csv = render(&run, &evaluate(&run, &specimen::plan()));
        assert!(csv.starts_with("id,question,kind,"), "{csv}");
        assert!(csv.ends_with(",seconds,tokens,usd\r\n"), "{csv}");
    }

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
