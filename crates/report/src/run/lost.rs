//! Some of the lost questions, from as many failure classes as there are.

use std::collections::BTreeMap;

use crate::document::{Entry, Fact};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::rightness::Judgment;
use ragtriage_core::text::sanitize::shortened;
use ragtriage_core::types::{ArmName, Attempt, FailureClass, Trace};
use ragtriage_runs::SavedRun;

/// Most lost questions of a report.
const MOST: usize = 5;
/// Most characters of an id and of a text: an entry's title and texts stay on one line each.
const ID: usize = 30;
const TEXT: usize = 68;
const ANSWER: usize = 90;
const SHORT: usize = 30;

/// A lost question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostQuestion {
    /// Its id.
    pub id: String,
    /// Its text.
    pub question: String,
    /// Its gold answers.
    pub gold: String,
    /// The answer; `None` without a generator.
    pub answer: Option<String>,
    /// Failure class.
    pub class: FailureClass,
    /// Failure class, with the fault where there is one, and the rule that gave it.
    pub why: String,
    /// Values of the answer that no packed passage contains.
    pub unsupported: Vec<String>,
    /// The verdict on the answer with its reason; `None` without an answer or gold answers.
    pub judgment: Option<String>,
}

impl LostQuestion {
    fn new(trace: &Trace, outcome: &Outcome) -> Self {
        let question = &trace.question;
        let fault = outcome
            .fault
            .map_or(String::new(), |fault| format!(", {fault}"));
        Self {
            id: question.id.to_string(),
            question: question.text.clone(),
            gold: question.gold_text(),
            answer: trace.attempt(ArmName::Retrieved).map(Attempt::answer_text),
            class: outcome.class,
            why: format!("{}{fault}: {}", outcome.class, outcome.reason),
            unsupported: outcome.unsupported.clone(),
            judgment: outcome
                .judgments
                .of(ArmName::Retrieved)
                .map(Judgment::to_string),
        }
    }

    /// The question in a line: its text, why it was lost, gold answer and answer.
    pub(super) fn line(&self) -> String {
        let answer = self.answer.as_ref().map_or(String::new(), |answer| {
            format!("; answer: {}", shortened(answer, SHORT))
        });
        let gold = if self.gold.is_empty() {
            String::new()
        } else {
            format!("; gold: {}", shortened(&self.gold, SHORT))
        };
        format!(
            "{} \"{}\" {}{gold}{answer}",
            shortened(&self.id, ID),
            shortened(&self.question, TEXT),
            self.class
        )
    }

    /// The question as an entry of a report.
    pub(super) fn entry(&self) -> Entry {
        let answer = self
            .answer
            .iter()
            .map(|answer| Fact::new("answer", shortened(answer, ANSWER)));
        let unsupported = (!self.unsupported.is_empty()).then(|| {
            let values = self.unsupported.join(", ");
            Fact::new("unsupported", shortened(&values, ANSWER))
        });
        let judgment = self
            .judgment
            .iter()
            .map(|judgment| Fact::new("judged", shortened(judgment, ANSWER)));
        Entry {
            title: format!(
                "{}: {}",
                shortened(&self.id, ID),
                shortened(&self.question, TEXT)
            ),
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

/// Some lost questions, and how many there are: one of each class, the `first` class before the others, then the next of each.
pub(super) fn lost(
    run: &SavedRun,
    outcomes: &[Outcome],
    first: Option<FailureClass>,
) -> (Vec<LostQuestion>, usize) {
    let lost = run
        .traces
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| outcome.class.is_loss());
    let lost: Vec<(&Trace, &Outcome)> = lost.collect();
    let mut seen: BTreeMap<FailureClass, usize> = BTreeMap::new();
    let rounds = lost.iter().map(|(_, outcome)| {
        let round = seen.entry(outcome.class).or_default();
        *round += 1;
        (*round, Some(outcome.class) != first, outcome.class)
    });
    let mut ranked: Vec<_> = rounds.zip(0..).collect();
    ranked.sort_unstable();
    let shown = ranked
        .iter()
        .take(MOST)
        .map(|(_, at): &(_, usize)| lost[*at]);
    let shown = shown
        .map(|(trace, outcome)| LostQuestion::new(trace, outcome))
        .collect();
    (shown, lost.len())
}
