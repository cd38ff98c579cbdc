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

fn entry(trace: &Trace, outcome: &Outcome) -> Entry {
    let question = &trace.question;
    let fault = outcome.fault.map_or(String::new(), |fault| format!("/{fault}"));
    let unsupported = outcome.unsupported.join(", ");
    let facts = [
        ("searched for", trace.rewritten().map(str::to_owned)),
        ("gold", Some(question.gold_text())),
        ("answer", trace.attempt(Condition::Retrieved).map(Attempt::answer_text)),
        ("judged", outcome.judgments.of(Condition::Retrieved).map(Judgment::to_string)),
        ("unsupported", Some(unsupported).filter(|values| !values.is_empty())),
    ];
    let facts = facts
        .into_iter()
        .filter_map(|(label, text)| Some(Fact::new(label, shortened(&text?, ANSWER))));
    let lost = Fact::new("lost", format!("{}{fault}: {}", outcome.class, outcome.reason));
    let id = shortened(question.id.as_str(), ID);
    let title = format!("{id}: {}", shortened(&question.text, TEXT));
    Entry { title, facts: facts.chain([lost]).collect() }
}

/// Returns some lost questions, and how many there are: one of each class, then the next of each; first the class that the verdict
/// names, then larger ones. Where only retrieval is judged, these are the questions lost before the prompt.
pub(super) fn lost(run: &SavedRun, evaluation: &Evaluation) -> (Vec<Entry>, usize) {
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
    let shown = rounds.take(MOST).map(|(trace, outcome)| entry(trace, outcome));
    (shown.collect(), classes.iter().map(|(_, lost)| lost.len()).sum())
}
