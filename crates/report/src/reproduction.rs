//! Published figures beside ours, as a Markdown table.

use std::fmt::Write as _;

use super::markdown::escape;

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The data set.
    pub data: String,
    /// The system.
    pub system: String,
    /// Who published it.
    pub source: String,
    /// The measure's name.
    pub measure: String,
    /// The published figure.
    pub published: f64,
    /// Ours with its number of questions; `None` where it was not run.
    pub ours: Option<(f64, usize)>,
    /// How far ours may be off to count as met.
    pub tolerance: Option<f64>,
    /// Why they differ, or why it was not run.
    pub why: String,
}

impl Row {
    /// Whether ours is within the tolerance; `None` where there is none, or nothing was run.
    #[must_use]
    pub fn met(&self) -> Option<bool> {
        let ((ours, _), tolerance) = (self.ours?, self.tolerance?);
        Some((ours - self.published).abs() <= tolerance)
    }
}

/// The file: `introduction`, the table, and how many figures are met. Figures have as many digits as they need: four, and six
/// where the published one is below .01.
#[must_use]
pub fn render(introduction: &str, made_by: &str, rows: &[Row]) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "# Published figures beside ours\n\n{}\n\n{made_by}\n",
        introduction.trim()
    );
    out.push_str(
        "| data | system | measure | n | published | ours | difference | within | why |\n",
    );
    out.push_str("|---|---|---|--:|--:|--:|--:|---|---|\n");
    for row in rows {
        let Row {
            data,
            system,
            source,
            measure,
            published,
            ours,
            tolerance,
            why,
        } = row;
        let digits = if published.abs() < 0.01 { 6 } else { 4 };
        let (n, ours, difference) = match ours {
            Some((ours, n)) => {
                let difference = format!("{:+.digits$}", ours - published);
                let is_zero = difference
                    .bytes()
                    .all(|byte| matches!(byte, b'+' | b'-' | b'0' | b'.'));
                (
                    n.to_string(),
                    format!("{ours:.digits$}"),
                    if is_zero { "0".to_owned() } else { difference },
                )
            }

            None => (String::new(), "not reproduced".to_owned(), String::new()),
        };
        let within = match (row.met(), tolerance) {
            (Some(met), Some(tolerance)) => {
                format!("{} {tolerance}", if met { "yes," } else { "NO," })
            }
            _ => String::new(),
        };
        let system = format!("{system} ({source})");
        let _ = writeln!(
            out,
            "| {} | {} | {measure} | {n} | {published:.digits$} | {ours} | {difference} | {within} | {} |",
            escape(data),
            escape(&system),
            escape(why)
        );
    }
    let judged: Vec<bool> = rows.iter().filter_map(Row::met).collect();
    let n_met = judged.iter().filter(|met| **met).count();
    let n_left = rows.iter().filter(|row| row.ours.is_none()).count();
    let _ = writeln!(
        out,
        "\n{n_met} of {} figures with a tolerance are met; {n_left} were not reproduced.",
        judged.len()
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(published: f64, ours: Option<(f64, usize)>, tolerance: Option<f64>) -> Row {
        Row {
            data: "a|b".to_owned(),
            system: "BM25".to_owned(),
            source: "paper".to_owned(),
            measure: "P@5".to_owned(),
            published,
            ours,
            tolerance,
            why: String::new(),
        }
    }

    #[test]
    fn a_figure_stands_beside_ours_with_its_difference() {
        let rows = [
            row(0.5, Some((0.5, 76)), Some(5e-5)),
            row(0.004_244, Some((0.0043, 76)), Some(5e-7)),
            row(0.7, None, None),
        ];
        let text = render("Intro.", "Made by x.", &rows);
        assert!(
            text.contains(
                "| a\\|b | BM25 (paper) | P@5 | 76 | 0.5000 | 0.5000 | 0 | yes, 0.00005 |  |"
            ),
            "{text}"
        );
        assert!(
            text.contains("| 0.004244 | 0.004300 | +0.000056 | NO, 0.0000005 |"),
            "{text}"
        );
        assert!(text.contains("| 0.7000 | not reproduced |  |"), "{text}");
        assert!(
            text.ends_with("1 of 2 figures with a tolerance are met; 1 were not reproduced.\n"),
            "{text}"
        );
    }
}
