//! Warnings about a run: before the verdict those that a reader needs to believe it, after it the others.

use super::approximate;
use crate::document::Notice;
use crate::external;
use crate::few_clusters;
use ragtriage_core::text::numbers::{percent_of, plural};
use ragtriage_core::types::{Attempt, ErrorKind, FailureClass, Question, Stance, Step, Trace};
use ragtriage_data::run::SavedRun;
use ragtriage_eval::summary::Summary;

/// Collects the warnings of what makes numbers incomplete or meaningless.
pub(super) fn decisive(run: &SavedRun, summary: &Summary) -> Vec<Notice> {
    let groups = [
        incomplete(run),
        unusable(run),
        retrieval(run, summary).into_iter().collect(),
        min_score(run).into_iter().collect(),
        external::conditions_notice(run).into_iter().collect(),
        unsure(summary).into_iter().collect(),
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
    Some(Notice::warning(external::notice(source, run)))
}

fn min_score(run: &SavedRun) -> Option<Notice> {
    let emptied = run.traces.iter().filter_map(|trace| trace.step(Step::MinScore));
    let n = emptied.filter(|stage| stage.hits.is_empty()).count();
    (n > 0).then(|| {
        let text = format!(
            "`retrieval.min_score` removed every hit of {n} of {} final rankings",
            run.traces.len()
        );
        Notice::warning(text).with_hint(
            "check the scale of the scores: RRF of two rankings gives at most 0.033, a cross-encoder any number",
        )
    })
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
        let is_too_long = |trace: &&Trace| {
            trace.failure().is_some_and(|failure| failure.error.kind == ErrorKind::TooLong)
        };
        let again = format!("`ragtriage run --resume {}` asks them again", run.manifest.name);
        let hint = if run.manifest.is_imported() {
            "record them again and import the file".to_owned()
        } else if failed.iter().all(is_too_long) {
            format!(
                "their prompts are too long: lower generation.context_tokens or retrieval.k in a new run, or raise the server's \
                 context length: {again}"
            )
        } else {
            again
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

/// The field of `generation.extra_body` that replaces `max_tokens`.
const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";

/// Counts the truncated and empty replies and the tool calls of all conditions.
fn unusable(run: &SavedRun) -> Vec<Notice> {
    let replies = run.traces.iter().flat_map(Trace::calls);
    let replies: Vec<&Attempt> = replies.filter(|attempt| attempt.error.is_none()).collect();
    let (limit, raise) = limit(run);
    let is_loop = |reply: &Attempt| reply.stance == Stance::Truncated && reply.repeats_itself();
    let found = [
        (
            Stance::Truncated,
            true,
            format!("repeated themselves up to {limit}"),
            "check the model and its chat template: a higher limit does not help",
        ),
        (Stance::Truncated, false, format!("hit {limit} before an answer"), raise.as_str()),
        (
            Stance::ToolCall,
            false,
            "called a tool and gave no answer".to_owned(),
            "remove the tools from generation.extra_body, or from the endpoint's defaults",
        ),
        (
            Stance::Empty,
            false,
            "came back empty".to_owned(),
            "check the endpoint's log, and that no text in generation.extra_body.stop begins every reply",
        ),
    ];
    let notices = found.into_iter().filter_map(|(stance, of_loops, what, hint)| {
        let is = |reply: &&&Attempt| reply.stance == stance && is_loop(reply) == of_loops;
        let n = replies.iter().filter(is).count();
        let all = plural(replies.len(), "reply", "replies");
        let text = format!("{n} of {all} {what}: the generator was not tested there");
        (n > 0).then(|| Notice::warning(text).with_hint(hint))
    });
    notices.collect()
}

/// Returns the token limit of a reply, and how to raise it; the settings of an external RAG are unknown.
fn limit(run: &SavedRun) -> (String, String) {
    if run.manifest.is_external() {
        let hint = "raise the limit of completion tokens in the pipeline that was recorded";
        return ("their token limit".to_owned(), hint.to_owned());
    }
    let generation = &run.manifest.settings.generation;
    let (key, limit) = match generation.extra_body.get(MAX_COMPLETION_TOKENS) {
        Some(limit) => (format!("extra_body.{MAX_COMPLETION_TOKENS}"), limit.to_string()),
        None => ("max_tokens".to_owned(), generation.max_tokens.to_string()),
    };
    (format!("{key} = {limit}"), format!("raise generation.{key}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specimen;

    fn texts(run: &SavedRun) -> Vec<(String, Option<String>)> {
        unusable(run).into_iter().map(|notice| (notice.text, notice.hint)).collect()
    }

    #[test]
    fn replies_that_are_no_answers_are_counted_over_all_conditions() {
        let mut run = specimen::sample("s", 0);
        assert_eq!(texts(&run), []);
        // 16 questions with 5 replies each: the question's own prompt twice, and three further
        // conditions. All five calls of the last question failed.
        let looping = "The port is 8080. ".repeat(4);
        let reply = &mut run.traces[4].conditions[0].attempts[0];
        (reply.raw, reply.stance) = (looping, Stance::Truncated);
        for (trace, stance) in run.traces.iter_mut().zip([
            Stance::Truncated,
            Stance::Truncated,
            Stance::ToolCall,
            Stance::Empty,
        ]) {
            trace.conditions[0].attempts[0].stance = stance;
        }
        let expected = [
            (
                "1 of 75 replies repeated themselves up to max_tokens = 1024: the generator was not tested there",
                "check the model and its chat template: a higher limit does not help",
            ),
            (
                "2 of 75 replies hit max_tokens = 1024 before an answer: the generator was not tested there",
                "raise generation.max_tokens",
            ),
            (
                "1 of 75 replies called a tool and gave no answer: the generator was not tested there",
                "remove the tools from generation.extra_body, or from the endpoint's defaults",
            ),
            (
                "1 of 75 replies came back empty: the generator was not tested there",
                "check the endpoint's log, and that no text in generation.extra_body.stop begins every reply",
            ),
        ];
        let expected = expected.map(|(text, hint)| (text.to_owned(), Some(hint.to_owned())));
        assert_eq!(texts(&run), expected);
        let generation = &mut run.manifest.settings.generation;
        generation.extra_body.insert(MAX_COMPLETION_TOKENS.to_owned(), 64.into());
        assert!(texts(&run)[1].0.starts_with(
            "2 of 75 replies hit extra_body.max_completion_tokens = 64 before an answer"
        ));
    }
}
