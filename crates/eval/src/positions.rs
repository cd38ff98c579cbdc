//! Accuracy by the position in the prompt at which the support is complete: models read the ends of a prompt best (Liu et
//! al., "Lost in the Middle", TACL 2024), and this table tests it for the generator in use.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cuts::{FEW, QuestionColumns};
use super::measure_summary::MeasureSummary;
use ragtriage_core::attribute::modes::Signs;

/// Label and last position of each row.
const ROWS: [(&str, usize); 5] =
    [("1", 1), ("2-3", 3), ("4-5", 5), ("6-10", 10), ("11-", usize::MAX)];

/// The questions whose last needed passage was at these positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PositionRow {
    /// From 1: `1`, `2-3`, `4-5`, `6-10`, `11-`.
    pub position: String,
    /// Answered questions whose support was in the prompt and completed by a passage at these positions.
    pub n: usize,
    /// True for fewer than 20 questions.
    pub rough: bool,
    /// Share of right answers.
    pub right: MeasureSummary,
    /// `AnswerF1`.
    pub answer_f1: MeasureSummary,
}

/// Returns a row for each range of positions that occurs; empty without answers.
#[must_use]
pub fn positions(columns: &QuestionColumns<'_>, signs: &[Signs]) -> Vec<PositionRow> {
    let answered: Vec<(usize, usize)> = columns
        .questions()
        .filter(|&at| columns.right[at].is_some())
        .filter_map(|at| Some((signs[at].position?, at)))
        .collect();
    let mut after = 0;
    let mut rows = Vec::new();
    for (label, last) in ROWS {
        let first = std::mem::replace(&mut after, last);
        let here = answered.iter().filter(|(place, _)| first < *place && *place <= last);
        let questions: Vec<usize> = here.map(|(_, at)| *at).collect();
        if !questions.is_empty() {
            rows.push(PositionRow {
                position: label.to_owned(),
                n: questions.len(),
                rough: questions.len() < FEW,
                right: columns.share_right(&questions),
                answer_f1: columns.mean(&questions, &columns.answer_f1),
            });
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::tests::{outcome, trace};
    use super::*;
    use ragtriage_core::types::{FailureClass, Trace};

    #[test]
    fn questions_stand_in_the_row_of_their_last_needed_passage() {
        let traces: Vec<Trace> = (0..6).map(|index| trace(index, &["d#0"], "", None)).collect();
        let mut outcomes = vec![outcome(FailureClass::Correct, None); 6];
        outcomes[5] = outcome(FailureClass::Failed, None);
        let columns = QuestionColumns {
            traces: &traces,
            outcomes: &outcomes,
            em: vec![None; 6],
            answer_f1: vec![Some(1.0), Some(0.5), Some(0.0), Some(1.0), None, Some(1.0)],
            right: vec![Some(1.0), Some(0.0), Some(0.0), Some(1.0), None, Some(1.0)],
            cluster_of: (0..6).collect(),
        };
        let places = [Some(1), Some(2), Some(3), Some(11), Some(1), Some(1)];
        let signs: Vec<Signs> =
            places.into_iter().map(|position| Signs { position, ..Signs::default() }).collect();
        let rows: Vec<(String, usize, f64, f64)> = positions(&columns, &signs)
            .into_iter()
            .map(|row| (row.position, row.n, row.right.mean, row.answer_f1.mean))
            .collect();
        // The fifth has no answer, the sixth failed; 2 and 3 are one row of F1 (.5 + 0) / 2.
        let row = |place: &str, n, right, f1| (place.to_owned(), n, right, f1);
        assert_eq!(
            rows,
            [row("1", 1, 1.0, 1.0), row("2-3", 2, 0.0, 0.25), row("11-", 1, 1.0, 1.0)]
        );
    }
}
