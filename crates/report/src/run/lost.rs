//! Some of the lost questions, from as many failure classes as there are.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::document::{Entry, Fact};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::rightness::Judgment;
use ragtriage_core::text::sanitize::shortened;
use ragtriage_core::types::{ArmName, Attempt, FailureClass, Trace};
use ragtriage_data::run::SavedRun;
use ragtriage_eval::summary::Evaluation;
use ragtriage_eval::verdict::{Conclusion, Source};

/// Most lost questions of a report.
const MOST: usize = 5;
/// Most characters of an id and of a text: an entry's title and texts stay on one line each.
const ID: usize = 30;
const TEXT: usize = 68;
const ANSWER: usize = 90;
const SHORT: usize = 36;
/// Columns of a line of the first screen next to its label.
const LINE: usize = 88;

/// A lost question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LostQuestion {
    pub id: String,
    pub question: String,
    /// Its gold answers.
    pub gold: String,
    /// The answer; `None` without a generator.
    pub answer: Option<String>,
    class: FailureClass,
    /// Failure class, with the fault where there is one, and the rule that gave it.
    pub why: String,
    /// Values of the answer that no packed passage contains.
    unsupported: Vec<String>,
    /// The verdict on the answer with its reason; `None` without an answer or gold answers.
    judgment: Option<String>,
}

impl LostQuestion {
    fn new(trace: &Trace, outcome: &Outcome) -> Self {
        let question = &trace.question;
        let fault = outcome.fault.map_or(String::new(), |fault| format!(", {fault}"));
        Self {
            id: question.id.to_string(),
            question: question.text.clone(),
            gold: question.gold_text(),
            answer: trace.attempt(ArmName::Retrieved).map(Attempt::answer_text),
            class: outcome.class,
            why: format!("{}{fault}: {}", outcome.class, outcome.reason),
            unsupported: outcome.unsupported.clone(),
            judgment: outcome.judgments.of(ArmName::Retrieved).map(Judgment::to_string),
        }
    }

    /// Returns id, failure class and text in `LINE` columns.
    pub(super) fn line(&self) -> String {
        let lead = format!("{} ({}): ", shortened(&self.id, ID), self.class);
        let columns = (LINE - 2).saturating_sub(lead.chars().count());
        format!("{lead}\"{}\"", shortened(&self.question, columns))
    }

    /// Adds gold answer and answer to the line.
    pub(super) fn lines(&self) -> String {
        let gold = Some(("gold", &self.gold)).filter(|(_, gold)| !gold.is_empty());
        let answer = self.answer.iter().map(|answer| ("answer", answer));
        let ends = gold.into_iter().chain(answer);
        let ends = ends.map(|(label, text)| format!("; {label}: {}", shortened(text, SHORT)));
        self.line() + &ends.collect::<String>()
    }

    /// The question as an entry of a report.
    pub(super) fn entry(&self) -> Entry {
        let answer =
            self.answer.iter().map(|answer| Fact::new("answer", shortened(answer, ANSWER)));
        let unsupported = (!self.unsupported.is_empty()).then(|| {
            let values = self.unsupported.join(", ");
            Fact::new("unsupported", shortened(&values, ANSWER))
        });
        let judgment =
            self.judgment.iter().map(|judgment| Fact::new("judged", shortened(judgment, ANSWER)));
        Entry {
            title: format!("{}: {}", shortened(&self.id, ID), shortened(&self.question, TEXT)),
            facts: [Fact::new("gold", shortened(&self.gold, ANSWER))]
                .into_iter()
                .chain(answer)
                .chain(judgment)
                .chain(unsupported)
                .chain([Fact::new("lost", &*self.why)])
                .collect(),
        }
    }
}

/// Returns some lost questions, and how many there are: one of each class, then the next of each; first the class that the verdict
/// names, then larger ones. Where only retrieval is judged, these are the questions lost before the prompt.
pub(super) fn lost(run: &SavedRun, evaluation: &Evaluation) -> (Vec<LostQuestion>, usize) {
    let verdict = &evaluation.summary.verdict;
    let of_retrieval = verdict.conclusion == Conclusion::RetrievalOnly;
    let named = verdict.bottleneck.map(Source::class);
    let questions = run.traces.iter().zip(&evaluation.outcomes);
    let lost = questions.filter(|(_, outcome)| match outcome.class {
        class if of_retrieval => class.is_lost_before_prompt(),
        class => class.is_loss(),
    });
    let mut classes: BTreeMap<FailureClass, Vec<(&Trace, &Outcome)>> = BTreeMap::new();
    for (trace, outcome) in lost {
        classes.entry(outcome.class).or_default().push((trace, outcome));
    }
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_by_key(|(class, lost)| (Some(*class) != named, Reverse(lost.len())));
    let rounds =
        (0..MOST).flat_map(|round| classes.iter().filter_map(move |(_, lost)| lost.get(round)));
    let shown = rounds.take(MOST);
    let shown = shown.map(|(trace, outcome)| LostQuestion::new(trace, outcome));
    (shown.collect(), classes.iter().map(|(_, lost)| lost.len()).sum())
}
