//! The first screen of a run: verdict, funnel, main figures, what to do, warnings, three lost questions.

use super::RunReport;
use super::lost::LostQuestion;
use crate::document::{Element, Fact, Notice, Report};

/// Columns of the screen.
pub const COLUMNS: usize = 100;
/// Lines of the screen, at most.
pub const LINES: usize = 30;
/// Lost questions shown.
const LOST: usize = 3;

/// Limits of the parts of the report that fit the screen, in the order in which parts are shortened.
#[derive(Clone, Copy, Debug)]
struct Shown {
    lost: usize,
    notices: usize,
    advice: usize,
}

impl RunReport {
    /// Lays out the first screen, with `ends` (such as where the report is, and what to run next) as its last lines. Lost questions
    /// and warnings give way until the text, as `render` lays it out, has at most `LINES` lines.
    #[must_use]
    pub fn screen(&self, ends: &[Fact], render: impl Fn(&Report) -> String) -> String {
        let steps = [
            (LOST, 2, 2),
            (2, 2, 2),
            (2, 1, 2),
            (1, 1, 2),
            (1, 1, 1),
            (0, 1, 1),
            (0, 0, 1),
        ];
        let mut text = String::new();
        for (lost, notices, advice) in steps {
            let shown = Shown {
                lost,
                notices,
                advice,
            };
            text = render(&self.first_screen(ends, shown));
            if text.lines().count() <= LINES {
                break;
            }
        }
        text
    }

    fn first_screen(&self, ends: &[Fact], shown: Shown) -> Report {
        let mut report = Report::new(format!("ragtriage: {}", self.name));
        report.elements.push(Element::Verdict(self.conclusion()));
        report.table(super::funnel::table(&self.funnel));
        let figures = self.figures.iter().map(Fact::to_string);
        let figures = figures.collect::<Vec<_>>().join("; ");
        if !figures.is_empty() {
            report.elements.push(Element::Paragraph(figures));
        }
        report.list(self.advice.iter().take(shown.advice).cloned().collect());
        let notices = self.notices.iter().take(shown.notices);
        report.notices(notices.map(short).collect());
        let hidden = self.notices.len().saturating_sub(shown.notices);
        if hidden > 0 {
            let more = format!("{hidden} more in the full report");
            report.notices(vec![Notice::warning(more)]);
        }
        if shown.lost > 0 && !self.lost.is_empty() {
            let n = shown.lost.min(self.lost.len());
            report.heading(format!("Lost questions ({n} of {})", self.n_lost));
            let lost = self.lost.iter().take(shown.lost);
            report.list(lost.map(LostQuestion::line).collect());
        }
        report.facts(ends.to_vec());
        report
    }

    /// Returns the verdict with its limits.
    pub(crate) fn conclusion(&self) -> String {
        let sentences = [&self.verdict].into_iter().chain(&self.cautions);
        sentences.cloned().collect::<Vec<_>>().join(" ")
    }
}

/// Returns the notice without its hint.
fn short(notice: &Notice) -> Notice {
    Notice {
        hint: None,
        ..notice.clone()
    }
}
