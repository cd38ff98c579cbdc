//! The table of all faults: kind, times tried, how they ended.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::fault::Fault;
use crate::flow::Endings;
use crate::verdict::Ending;

#[derive(Default)]
struct Row {
    n_tried: usize,
    /// How often the programs of a fault ended in this way, in order.
    endings: BTreeMap<String, usize>,
    /// Errors without numbers and paths.
    errors: BTreeMap<String, usize>,
}

/// All faults.
#[derive(Default)]
pub struct Table {
    rows: BTreeMap<&'static str, Row>,
    /// What no fault excuses, with the seed.
    pub failures: Vec<String>,
}

impl Table {
    pub fn add(&mut self, seed: u64, fault: &Fault, endings: Endings) {
        let row = self.rows.entry(fault.kind()).or_default();
        row.n_tried += 1;
        let endings = match endings {
            Ok(endings) => endings,
            Err(failure) => {
                *row.endings.entry("FAILURE".to_owned()).or_default() += 1;
                self.failures.push(format!("seed {seed}, {}: {failure}", fault.describe()));
                return;
            }
        };
        let words: Vec<&str> = endings.iter().map(word).collect();
        *row.endings.entry(words.join(", then ")).or_default() += 1;
        for ending in endings {
            if let Ending::Error(error) = ending {
                *row.errors.entry(without_numbers(&error)).or_default() += 1;
            }
        }
    }

    pub fn render(&self) -> String {
        let mut text = String::new();
        for (kind, row) in &self.rows {
            writeln!(text, "{kind}: {} tried", row.n_tried).expect("a string");
            for (ending, n) in row.endings.iter().chain(&row.errors) {
                writeln!(text, "    {n:4}  {ending}").expect("a string");
            }
        }
        text
    }
}

fn word(ending: &Ending) -> &'static str {
    match ending {
        Ending::Right => "right result",
        Ending::SomeFailed(_) => "failed questions reported",
        Ending::Error(_) => "error",
        Ending::Killed => "killed",
    }
}

/// Replaces each number by `N`, so that errors of one kind share a row.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !out.ends_with('N') {
            out.push('N');
        }
    }
    out
}
