//! Cost of a run: seconds by step.

use std::collections::BTreeMap;

use super::HtmlReport;
use crate::document::Table;
use crate::render::html::table;

/// Writes the seconds.
pub(super) fn effort(page: &HtmlReport<'_>, out: &mut String) {
    let seconds = seconds(&page.run.timings, &page.saved.manifest.seconds);
    if seconds.rows.is_empty() {
        out.push_str("<p>This run recorded nothing for this section.</p>\n");
    } else {
        table(&seconds, out);
    }
}

/// Seconds; `wall` are the steps that follow one another, by name. Without rows where nothing was timed.
fn seconds(timings: &[(String, f64)], wall: &BTreeMap<String, f64>) -> Table {
    let mut table = Table::new("Seconds by step", &["step", "seconds", "measured"]);
    if timings.iter().all(|(_, seconds)| *seconds <= 0.0) {
        return table;
    }
    for (step, seconds) in timings {
        let how = if wall.contains_key(step) { "wall time" } else { "summed over questions" };
        table.row([step.clone(), format!("{seconds:.2}"), how.to_owned()]);
    }
    table.bars = bars(timings.iter().map(|(_, seconds)| *seconds).collect());
    table
}

/// Returns each value as a share of the largest, which is above 0; a negative one has no bar.
pub(super) fn bars(values: Vec<f64>) -> Vec<f64> {
    let most = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    values.into_iter().map(|value| value.max(0.0) / most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_told_from_what_was_summed_over_questions() {
        let timings = [("load".to_owned(), 0.25), ("generate".to_owned(), 12.5)];
        let found = seconds(&timings, &BTreeMap::from([("load".to_owned(), 0.25)]));
        assert_eq!(found.rows[0], ["load", "0.25", "wall time"]);
        assert_eq!(found.rows[1], ["generate", "12.50", "summed over questions"]);
        assert_eq!(found.bars, [0.02, 1.0]);
    }

    #[test]
    fn what_was_not_timed_has_no_row() {
        assert!(seconds(&[("generate".to_owned(), 0.0)], &BTreeMap::new()).rows.is_empty());
        assert_eq!(bars(vec![0.25, -0.5, 0.5]), [0.5, 0.0, 1.0]);
    }
}
