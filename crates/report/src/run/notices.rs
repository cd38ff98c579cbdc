//! Warnings about a run: before the verdict those that a reader needs to believe it, after it the others.

use super::approximate;
use crate::document::Notice;
use crate::external;
use crate::few_clusters;
use ragtriage_core::text::numbers::{percent_of, plural};
use ragtriage_core::types::{ErrorKind, FailureClass, Question, Trace};
use ragtriage_data::run::SavedRun;
use ragtriage_eval::summary::Summary;

/// Collects the warnings of what makes numbers incomplete or meaningless.
pub(super) fn decisive(run: &SavedRun, summary: &Summary) -> Vec<Notice> {
    let groups = [
        incomplete(run),
        retrieval(run, summary).into_iter().collect(),
        external::conditions_notice(run).into_iter().collect(),
        unsure(summary).into_iter().collect(),
        unjudged(summary).into_iter().collect(),
        long_references(run).into_iter().collect(),
        approximate::losses(summary),
        truncated_evidence(run).into_iter().collect(),
        run.manifest.notes.iter().map(|note| Notice::warning(note.to_string())).collect(),
    ];
    groups.into_iter().flatten().collect()
}

/// Collects the warnings of what limits the numbers or makes them less precise.
pub(super) fn others(run: &SavedRun, summary: &Summary) -> Vec<Notice> {
    let rough =
        few_clusters::warning(summary.n_questions, summary.n_clusters, summary.largest_cluster);
    let groups = [
        external(run).into_iter().collect(),
        truncation(run),
        rough.map(Notice::warning).into_iter().collect(),
    ];
    groups.into_iter().flatten().collect()
}

fn external(run: &SavedRun) -> Option<Notice> {
    let source = run.manifest.external.as_ref()?;
    Some(Notice::warning(external::notice(source)))
}

/// Prompts that cannot lack anything.
fn retrieval(run: &SavedRun, summary: &Summary) -> Option<Notice> {
    let (n_chunks, k) = (run.manifest.n_chunks, summary.two_by_two.k);
    let is_filtered = !run.manifest.settings.retrieval.filter.is_empty();
    (!is_filtered && (1..=k).contains(&n_chunks)).then(|| {
        Notice::warning(format!(
            "only {} for k = {k}: a prompt can hold every chunk, so retrieval metrics say little",
            plural(n_chunks, "chunk", "chunks")
        ))
    })
}

/// Words of a gold answer above which it is a sentence.
const LONG_ANSWER: usize = 15;

/// Reference answers in sentences, and a prompt that asks for short ones.
fn long_references(run: &SavedRun) -> Option<Notice> {
    let generation = &run.manifest.settings.generation;
    if run.manifest.is_external() || generation.prompt != "short-answer" {
        return None;
    }
    let questions = run.traces.iter().map(|trace| &trace.question);
    let labelled: Vec<&Question> =
        questions.filter(|question| !question.answers.is_empty()).collect();
    let is_long = |answer: &String| answer.split_whitespace().count() > LONG_ANSWER;
    let n_long = labelled.iter().filter(|question| question.answers.iter().all(is_long)).count();
    (2 * n_long > labelled.len()).then(|| {
        let text = format!(
            "{n_long} of {} reference answers are sentences, and the prompt asks for short answers",
            labelled.len()
        );
        Notice::warning(text).with_hint("set generation.prompt = \"free\"")
    })
}

fn unsure(summary: &Summary) -> Option<Notice> {
    let n = *summary.classes.get(FailureClass::Unsure.name()).filter(|n| **n > 0)?;
    let text = format!(
        "the rule of correctness is unsure about {}; each counts as half a correct answer",
        plural(n, "answer", "answers")
    );
    Some(
        Notice::warning(text)
            .with_hint("judge a sample by hand with `report RUN --audit 50`, or set a `[judge]`"),
    )
}

/// Answers that the judge was to decide.
fn unjudged(summary: &Summary) -> Option<Notice> {
    let n = summary.decided.map(|decided| decided.open).filter(|n| *n > 0)?;
    let n_unreadable = summary.judge.as_ref().map_or(0, |judge| judge.n_unreadable);
    let text = format!(
        "the judge has no verdict on {} that the rule leaves open, so the rule decides; unreadable replies: {n_unreadable}",
        plural(n, "answer", "answers")
    );
    let hint = "after failed calls: `run --resume`, or import the file again; after unreadable replies: another model";
    Some(Notice::warning(text).with_hint(hint))
}

fn truncation(run: &SavedRun) -> Vec<Notice> {
    let truncated = run.manifest.truncation.iter().filter(|one| one.n_cut > 0);
    truncated
        .map(|one| {
            Notice::warning(format!(
                "{} of {} {} ({}) exceed the encoder input limit of `{}`; truncation drops {} of their tokens",
                one.n_cut,
                one.n_texts,
                one.what,
                percent_of(one.n_cut, one.n_texts),
                one.retriever,
                percent_of(one.n_lost, one.n_tokens)
            ))
        })
        .collect()
}

fn truncated_evidence(run: &SavedRun) -> Option<Notice> {
    let n = run.traces.iter().filter(|trace| trace.gold.is_encoder_truncated()).count();
    let questions = plural(n, "question", "questions");
    let text = format!("the encoder truncates gold evidence of {questions}");
    (n > 0).then(|| Notice::warning(text).with_hint("use smaller chunks"))
}

fn incomplete(run: &SavedRun) -> Vec<Notice> {
    let mut notices = Vec::new();
    let is_failed = |trace: &&Trace| {
        trace.failure().is_some_and(|failure| failure.error.kind != ErrorKind::NotRecorded)
    };
    let failed: Vec<&Trace> = run.traces.iter().filter(is_failed).collect();
    if !failed.is_empty() {
        let hint = if run.manifest.is_imported() {
            "record them again and import the file".to_owned()
        } else {
            format!("`ragtriage run --resume {}` asks them again", run.manifest.name)
        };
        let text = format!(
            "{} failed and {} excluded from the means of answers",
            plural(failed.len(), "question", "questions"),
            if failed.len() == 1 { "is" } else { "are" }
        );
        notices.push(Notice::warning(text).with_hint(hint));
    }
    if run.traces.len() < run.manifest.n_questions {
        notices.push(Notice::warning(format!(
            "the run is incomplete: {} of {} questions",
            run.traces.len(),
            run.manifest.n_questions
        )));
    }
    notices
}
