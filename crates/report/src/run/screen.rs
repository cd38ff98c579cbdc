//! The first screen of a run: verdict, funnel, main figures, what to do, warnings, three lost questions.

use super::RunReport;
use super::lost::LostQuestion;
use crate::document::{Element, Fact, Notice, Report};
use ragtriage_core::text::numbers::plural;

/// Columns of the screen.
pub const COLUMNS: usize = 100;
/// Lines of the screen, at most.
pub const LINES: usize = 30;

/// The parts of a screen that are shortened to fit.
struct Shown {
    /// Number of lost questions.
    lost: usize,
    /// `true` if these are shown with gold answer and answer.
    answers: bool,
    /// Number of warnings.
    notices: usize,
    /// Number of sentences of advice.
    advice: usize,
}

/// From the most to the least.
const STEPS: [Shown; 9] = [
    shown(3, true, 2, 2),
    shown(3, true, 2, 1),
    shown(3, false, 2, 2),
    shown(3, false, 2, 1),
    shown(3, false, 1, 1),
    shown(2, false, 1, 1),
    shown(1, false, 1, 1),
    shown(0, false, 1, 1),
    shown(0, false, 0, 1),
];

const fn shown(lost: usize, answers: bool, notices: usize, advice: usize) -> Shown {
    Shown { lost, answers, notices, advice }
}

impl RunReport {
    /// Lays out the first screen, with `ends` (such as where the report is, and what to run next) as its last lines. Shows as many
    /// lost questions, warnings and sentences of advice as `LINES` lines hold when `render` lays the text out.
    #[must_use]
    pub fn screen(&self, ends: &[Fact], render: impl Fn(&Report) -> String) -> String {
        let mut text = String::new();
        for shown in &STEPS {
            text = render(&self.first_screen(ends, shown));
            if text.lines().count() <= LINES {
                break;
            }
        }
        text
    }

    fn first_screen(&self, ends: &[Fact], shown: &Shown) -> Report {
        let mut report = Report::new(format!("ragtriage: {}", self.name));
        report.notices(self.unknown_language.iter().map(short).collect());
        report.elements.push(Element::Verdict(self.conclusion.clone()));
        report.table(self.outcomes.clone());
        let figures = self.figures.iter().map(Fact::to_string);
        let figures = figures.collect::<Vec<_>>().join("; ");
        if !figures.is_empty() {
            report.elements.push(Element::Paragraph(figures));
        }
        report.facts(self.right.clone());
        report.list(self.advice.iter().take(shown.advice).cloned().collect());
        report.notices(self.notices.iter().take(shown.notices).map(short).collect());
        let hidden = self.notices.len().saturating_sub(shown.notices);
        if hidden > 0 {
            let more = plural(hidden, "more warning", "more warnings");
            report.notices(vec![Notice::warning(format!("{more} in the full report"))]);
        }
        let text = if shown.answers { LostQuestion::lines } else { LostQuestion::line };
        let lost = self.lost.iter().take(shown.lost);
        let lost = lost.map(|one| Fact::new("lost", text(one)));
        report.facts(lost.chain(self.language.clone()).chain(ends.iter().cloned()).collect());
        report
    }
}

/// Returns the notice without its hint.
fn short(notice: &Notice) -> Notice {
    Notice { hint: None, ..notice.clone() }
}
