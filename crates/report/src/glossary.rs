//! The explanation of every metric and cutoff as data.

use crate::document::{Entry, Fact, Report};
use ragtriage_core::metric::{Cutoff, Direction, Family, Metric};
use ragtriage_eval::files::is_measured_in_files;

/// Builds the report: all families in report order, then the cutoffs.
#[must_use]
pub fn report() -> Report {
    let mut report = Report::new("ragtriage: metrics");
    report.entries(Family::ALL.iter().copied().map(entry).collect());
    report.heading("Cutoffs");
    report.facts(cutoffs());
    report
}

fn entry(family: Family) -> Entry {
    let (low, high) = family.range();
    let high = if high.is_finite() { high.to_string() } else { "infinity".to_owned() };
    let direction = match family.direction() {
        Direction::Higher => "higher is better",
        Direction::Lower => "lower is better",
    };
    Entry {
        title: family.forms().join(", "),
        facts: vec![
            Fact::new("formula", family.formula()),
            Fact::new("range", format!("{low} to {high}, {direction}; {}", had_from(family))),
        ],
    }
}

fn cutoffs() -> Vec<Fact> {
    vec![
        Fact::new("@k", "the first k passages; for metrics over documents, the first k documents"),
        Fact::new(
            "@Nt",
            "the first N tokens (cl100k_base) of the passages as the prompt shows them, with number and title, whatever k was. The \
             last passage is truncated there, and EM ignores a word that the limit splits. Comparable across chunk sizes, which a \
             fixed k is not. Over documents: those of which any text is shown",
        ),
        Fact::new("@prompt", "the passages packed into the prompt"),
        Fact::new("none", "the whole ranking"),
    ]
}

/// Names the inputs it can be computed from: always a run.
fn had_from(family: Family) -> &'static str {
    let some =
        [Some(Cutoff::Top(1)), None].into_iter().find_map(|cutoff| Metric::new(family, cutoff));
    match some {
        Some(metric) if is_measured_in_files(metric, false) => {
            "from runs, and from a TREC run with qrels"
        }
        Some(metric) if is_measured_in_files(metric, true) => {
            "from runs, and from predictions with gold answers"
        }
        _ => "from runs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Element;
    use crate::render::terminal::{self, Screen};

    fn in_terminal(family: Family) -> String {
        let elements = vec![Element::Entries(vec![entry(family)])];
        terminal::render(&Report { elements }, Screen::new(false))
    }

    #[test]
    fn a_measure_is_explained_in_a_paragraph() {
        insta::assert_snapshot!(in_terminal(Family::Success), @r"
        - Success@k, Success@Nt, Success@prompt
            formula  1 when any of the first k documents is relevant, else 0
            range    0 to 1, higher is better; from runs, and from a TREC run with qrels
        ");
    }
}
