//! Some of the lost questions, from as many failure classes as there are.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::document::{Entry, Fact};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::correctness::Judgment;
use ragtriage_core::text::sanitize::shortened;
use ragtriage_core::types::{Attempt, Condition, FailureClass, Trace};
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
pub(super) struct LostQuestion {
    /// Id, failure class and text in `LINE` columns.
    pub line: String,
    /// Gold answer and answer, behind the line where they fit.
    pub answers: String,
    pub entry: Entry,
}

impl LostQuestion {
    fn new(trace: &Trace, outcome: &Outcome) -> Self {
        let question = &trace.question;
        let (id, gold) = (shortened(question.id.as_str(), ID), question.gold_text());
        let answer = trace.attempt(Condition::Retrieved).map(Attempt::answer_text);
        let lead = format!("{id} ({}): ", outcome.class);
        let columns = (LINE - 2).saturating_sub(lead.chars().count());
        let ends =
            [("gold", Some(&gold).filter(|gold| !gold.is_empty())), ("answer", answer.as_ref())];
        let ends = ends
            .into_iter()
            .filter_map(|(label, text)| Some(format!("; {label}: {}", shortened(text?, SHORT))));
        let answers = ends.collect();
        let fault = outcome.fault.map_or(String::new(), |fault| format!(", {fault}"));
        let unsupported = outcome.unsupported.join(", ");
        let facts = [
            ("gold", Some(gold)),
            ("answer", answer),
            ("judged", outcome.judgments.of(Condition::Retrieved).map(Judgment::to_string)),
            ("unsupported", Some(unsupported).filter(|values| !values.is_empty())),
        ];
        let facts = facts
            .into_iter()
            .filter_map(|(label, text)| Some(Fact::new(label, shortened(&text?, ANSWER))));
        let lost = Fact::new("lost", format!("{}{fault}: {}", outcome.class, outcome.reason));
        Self {
            line: format!("{lead}\"{}\"", shortened(&question.text, columns)),
            answers,
            entry: Entry {
                title: format!("{id}: {}", shortened(&question.text, TEXT)),
                facts: facts.chain([lost]).collect(),
            },
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
