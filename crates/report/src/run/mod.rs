//! The report of a run: what is known of it ([`RunReport`]), and the same as a [`Report`] for every format.

mod approximate;
mod head;
mod language;
mod losses;
mod lost;
mod measures;
mod notices;
pub mod provenance;
mod screen;
pub(crate) mod sections;
mod what_if;

use crate::answer_audit::right_answers;
use crate::document::{Element, Fact, Notice, Report, Table};
use crate::judge;
use ragtriage_core::text::numbers::percent;
use ragtriage_data::run::SavedRun;
use ragtriage_eval::diagnose::TwoByTwo;
use ragtriage_eval::summary::{EXACT_SEARCH, Evaluation, Summary};

use lost::LostQuestion;

pub(crate) use losses::two_by_two_title;
pub(crate) use provenance::plain;
pub use screen::COLUMNS;

/// A run's results in the order and words of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    pub(crate) name: String,
    /// The share of right answers, corrected by an audit, and who decided on answers; empty without an audit and a judge.
    pub(crate) right: Vec<Fact>,
    /// The language of the texts; `None` if it is English.
    pub(crate) language: Option<Fact>,
    /// The warning, before the verdict, that nothing is known of that language.
    pub(crate) unknown_language: Vec<Notice>,
    /// Corpus and questions.
    pub(crate) data: [Fact; 2],
    /// Tags, configuration, provenance.
    head: Vec<Fact>,
    pub(crate) notices: Vec<Notice>,
    /// The verdict with its limits.
    pub(crate) conclusion: String,
    /// Suggested changes, a sentence each, the best first.
    pub(crate) advice: Vec<String>,
    /// The questions by the stage that lost them.
    pub(crate) outcomes: Table,
    /// The main figures with n and interval.
    figures: Vec<Fact>,
    /// The bottleneck that EM@k alone suggests.
    pub(crate) rule_of_thumb: Option<String>,
    /// The loss budget.
    pub(crate) budget: Table,
    pub(crate) classes: Table,
    /// Retrieval by answer; `None` when no question has both.
    pub(crate) two_by_two: Option<TwoByTwo>,
    /// Deliveries of other settings; `None` where the record tells of none.
    pub(crate) what_if: Option<Table>,
    /// Retrieval measures, answer measures, and calls by condition.
    pub(crate) measures: Vec<Table>,
    /// Slices; `None` where nothing separates the questions.
    pub(crate) diagnosis: Option<Table>,
    /// Some lost questions.
    pub(crate) lost: Vec<LostQuestion>,
    /// Lost questions in all.
    pub(crate) n_lost: usize,
    /// The limits of the numbers.
    pub(crate) caveats: Vec<String>,
    /// Steps with their seconds.
    pub(crate) timings: Vec<(String, f64)>,
}

impl RunReport {
    /// Collects everything there is to report of a run.
    #[must_use]
    pub fn new(run: &SavedRun, evaluation: &Evaluation) -> Self {
        let summary = &evaluation.summary;
        let (lost, n_lost) = lost::lost(run, evaluation);
        let conclusion = [&summary.verdict.text].into_iter().chain(&summary.verdict.cautions);
        let advice = summary.what_if.advice.iter();
        Self {
            name: run.manifest.name.clone(),
            right: right(summary),
            language: language::language(&run.manifest.settings.dataset),
            unknown_language: language::unknown(&run.manifest.settings.dataset),
            data: head::data(run, summary),
            head: head::head(run),
            notices: notices::notices(run, summary),
            conclusion: conclusion.cloned().collect::<Vec<_>>().join(" "),
            advice: advice.map(|advice| advice.sentence.clone()).collect(),
            outcomes: losses::outcomes(&summary.losses),
            figures: measures::figures(summary),
            rule_of_thumb: summary.rule_of_thumb.clone(),
            budget: losses::budget(summary),
            classes: losses::classes(summary),
            two_by_two: Some(summary.two_by_two).filter(|table| table.n > 0),
            what_if: what_if::table(&summary.what_if.alternatives),
            measures: measures::measures(summary)
                .chain(measures::conditions(summary))
                .chain(summary.judge.as_ref().map(judge::table))
                .collect(),
            diagnosis: measures::slices(run, summary),
            lost,
            n_lost,
            caveats: caveats(),
            timings: timings(summary),
        }
    }

    /// Returns data, configuration and provenance.
    pub(crate) fn facts(&self) -> Vec<Fact> {
        self.data.iter().chain(&self.language).chain(&self.head).cloned().collect()
    }

    /// Lays the results out as a report.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut report = Report::new(format!("ragtriage: {}", self.name));
        report.notices(self.unknown_language.clone());
        report.facts(self.right.clone());
        report.elements.push(Element::Verdict(self.conclusion.clone()));
        report.table(self.outcomes.clone());
        if let Some(rule) = &self.rule_of_thumb {
            let rule = format!("Rule of thumb: {rule}.");
            report.elements.push(Element::Paragraph(rule));
        }
        report.facts(self.figures.iter().chain(&self.language).cloned().collect());
        report.list(self.advice.clone());
        report.notices(self.notices.clone());

        report.section(sections::LOSSES);
        report.table(self.budget.clone());
        report.table(self.classes.clone());
        report.table(self.two_by_two.as_ref().map(losses::two_by_two).unwrap_or_default());
        report.table(self.what_if.clone().unwrap_or_default());
        if !self.lost.is_empty() {
            report.section(sections::QUESTIONS);
            report.heading(format!(
                "Lost questions ({} of {}, one of each class first; traces.jsonl has all)",
                self.lost.len(),
                self.n_lost
            ));
            report.entries(self.lost.iter().map(LostQuestion::entry).collect());
        }
        report.section(sections::CONFIGURATION);
        report.facts(self.facts());
        if !self.measures.is_empty() {
            report.section(sections::METRICS);
        }
        for table in &self.measures {
            report.table(table.clone());
        }
        if let Some(slices) = &self.diagnosis {
            report.section(sections::DIAGNOSIS);
            report.table(slices.clone());
        }
        report.section(sections::LIMITS);
        report.list(self.caveats.clone());
        report.section(sections::TIME);
        let steps: Vec<String> = self.timings.iter().map(|step| self.timing(step)).collect();
        report.elements.push(Element::Paragraph(steps.join(", ")));
        report
    }

    /// Returns a step with its seconds; for exact search next to approximate search also its share of both.
    fn timing(&self, (step, seconds): &(String, f64)) -> String {
        let text = format!("{step} {seconds:.2}");
        let approximate = step.strip_suffix(EXACT_SEARCH).and_then(|search| {
            let mut steps = self.timings.iter();
            steps.find(|(other, _)| other == search)
        });
        match approximate {
            Some((search, other)) if seconds + other > 0.0 => {
                let share = percent(seconds / (seconds + other));
                format!("{text} ({share} of `{search}` and this)")
            }
            _ => text,
        }
    }
}

fn right(summary: &Summary) -> Vec<Fact> {
    let audited = summary.answer_audit.as_ref().and_then(right_answers);
    audited.into_iter().chain(judge::decided(summary)).collect()
}

fn caveats() -> Vec<String> {
    vec![
        "Failure classes count questions whose support was lost. Loss terms count the right answers that the gold passages would \
         recover. The two differ where the reader fails with the gold passages too. Loss terms may be negative; their sum is the \
         total loss."
            .to_owned(),
        "Intervals are 95% CIs: bootstrap over clusters of questions that share gold evidence; Wilson \
         score intervals for class shares, which treat questions as independent. They do not cover another corpus, another question set or the generator's own noise."
            .to_owned(),
    ]
}

/// The steps in the order they happen; unlisted ones come last.
fn timings(summary: &Summary) -> Vec<(String, f64)> {
    const ORDER: [&str; 8] =
        ["load", "assemble", "chunk", "tfidf", "bm25", "embed", "qdrant", "questions"];
    let steps = summary.seconds.iter();
    let mut steps: Vec<(String, f64)> =
        steps.map(|(step, seconds)| (step.clone(), *seconds)).collect();
    steps.sort_by_key(|(step, _)| {
        let kind = step.split(' ').next();
        ORDER.iter().position(|known| Some(*known) == kind).unwrap_or(ORDER.len())
    });
    steps
}
