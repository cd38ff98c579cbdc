//! The first screen of a run: verdict, funnel, main figures, what to do, warnings, three lost questions.

use super::{advice, conclusion, correct, language, losses, lost, metrics, notices, title};
use crate::document::{Element, Fact, Notice, Report};
use ragtriage_core::text::numbers::plural;
use ragtriage_data::run::SavedRun;
use ragtriage_eval::summary::Evaluation;

/// Columns of the screen.
pub const COLUMNS: usize = 100;
/// Lines of the screen, at most.
const LINES: usize = 30;

/// What is shown of the parts that are shortened to fit, from the most to the least: lost questions, `true` for their answers,
/// warnings, sentences of advice.
const STEPS: [(usize, bool, usize, usize); 9] = [
    (3, true, 2, 2),
    (3, true, 2, 1),
    (3, false, 2, 2),
    (3, false, 2, 1),
    (3, false, 1, 1),
    (2, false, 1, 1),
    (1, false, 1, 1),
    (0, false, 1, 1),
    (0, false, 0, 1),
];

/// Lays out the first screen, with `ends` (such as where the report is, and what to run next) as its last lines. Shows as many
/// lost questions, warnings and sentences of advice as `LINES` lines hold when `render` lays the text out.
#[must_use]
pub fn screen(
    run: &SavedRun,
    evaluation: &Evaluation,
    ends: &[Fact],
    render: impl Fn(&Report) -> String,
) -> String {
    let summary = &evaluation.summary;
    let dataset = &run.manifest.settings.dataset;
    let (advice, notices) = (advice(summary), notices::notices(run, summary));
    let (lost, _) = lost::lost(run, evaluation);
    let mut head = Report::new(title(run));
    head.notices(language::unknown(dataset).iter().map(short).collect());
    head.elements.push(Element::Verdict(conclusion(summary)));
    head.table(losses::outcomes(&summary.losses));
    let figures: Vec<String> = metrics::figures(summary).map(|fact| fact.to_string()).collect();
    if !figures.is_empty() {
        head.elements.push(Element::Paragraph(figures.join("; ")));
    }
    head.facts(correct(summary));
    let mut text = String::new();
    for (n_lost, with_answers, n_notices, n_advice) in STEPS {
        let mut report = head.clone();
        report.list(advice.iter().take(n_advice).cloned().collect());
        report.notices(notices.iter().take(n_notices).map(short).collect());
        let hidden = notices.len().saturating_sub(n_notices);
        if hidden > 0 {
            let more = plural(hidden, "more warning", "more warnings");
            report.notices(vec![Notice::warning(format!("{more} in the full report"))]);
        }
        let lost = lost.iter().take(n_lost).map(|one| {
            let answers = if with_answers { &*one.answers } else { "" };
            Fact::new("lost", format!("{}{answers}", one.line))
        });
        let language = language::language(dataset);
        report.facts(lost.chain(language).chain(ends.iter().cloned()).collect());
        text = render(&report);
        if text.lines().count() <= LINES {
            break;
        }
    }
    text
}

/// Returns the notice without its hint.
fn short(notice: &Notice) -> Notice {
    Notice { hint: None, ..notice.clone() }
}
