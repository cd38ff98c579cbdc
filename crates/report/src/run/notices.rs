//! Warnings that a reader of a run's report needs before believing its numbers.

use super::approximate;
use crate::document::Notice;
use crate::external;
use crate::few_clusters;
use ragtriage_core::config::GeneratorName;
use ragtriage_core::text::numbers::{percent_of, plural};
use ragtriage_core::types::{Attempt, ErrorKind, FailureClass, Question, Stance, Step, Trace};
use ragtriage_data::run::SavedRun;
use ragtriage_eval::summary::Summary;
use ragtriage_eval::verdict::SUPPORT;

/// Collects the warnings: first what makes numbers incomplete or meaningless, last what makes them less precise.
pub(super) fn notices(run: &SavedRun, summary: &Summary) -> Vec<Notice> {
    let rough =
        few_clusters::warning(summary.n_questions, summary.n_clusters, summary.largest_cluster);
    let groups = [
        incomplete(run),
        unusable(run),
        retrieval(run, summary),
        min_score(run).into_iter().collect(),
        generator(run).into_iter().collect(),
        external::conditions_notice(run).into_iter().collect(),
        answers(summary),
        long_references(run).into_iter().collect(),
        approximate::losses(&run.manifest, summary),
        truncation(run, summary),
        run.manifest.notes.iter().map(|note| Notice::warning(note.to_string())).collect(),
        rough.map(Notice::warning).into_iter().collect(),
        approximate::not_reproducible(&run.manifest, summary),
    ];
    groups.into_iter().flatten().collect()
}

fn generator(run: &SavedRun) -> Option<Notice> {
    if let Some(source) = run.manifest.external.as_ref().filter(|source| !source.is_own) {
        return Some(Notice::warning(external::notice(source, run)));
    }
    let generator = run.manifest.settings.generation.generator;
    (generator == GeneratorName::None).then(|| {
        Notice::warning("no generator answers: answers and the generator's losses are not measured")
            .with_hint(
                "set generation.generator = \"openai\", generation.base_url and generation.model, or use `--llm ollama:NAME`: answers, \
                 their metrics, and whether retrieval or the generator is the bottleneck",
            )
    })
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

/// Rankings that cannot lose anything.
fn retrieval(run: &SavedRun, summary: &Summary) -> Vec<Notice> {
    let (n_chunks, k) = (run.manifest.n_chunks, summary.two_by_two.k);
    let is_filtered = !run.manifest.settings.retrieval.filter.is_empty();
    let mut notices = Vec::new();
    if is_filtered || n_chunks == 0 {
        return notices;
    }
    if n_chunks <= k {
        notices.push(Notice::warning(format!(
            "only {} for k = {k}: a prompt can hold every chunk, so retrieval metrics say little",
            plural(n_chunks, "chunk", "chunks")
        )));
    }
    let mut traces = run.traces.iter();
    if n_chunks > k
        && !run.manifest.is_foreign()
        && traces.all(|trace| trace.retrievers().any(|stage| stage.hits.len() >= n_chunks))
    {
        notices.push(Notice::warning(format!(
            "all {n_chunks} chunks are candidates: no question can be `not_retrieved` here, but `ranked_low`"
        )));
    }
    notices
}

/// Words of a gold answer above which it is a sentence.
const LONG_ANSWER: usize = 15;

/// Reference answers in sentences, and a prompt that asks for short ones.
fn long_references(run: &SavedRun) -> Option<Notice> {
    let generation = &run.manifest.settings.generation;
    if run.manifest.is_foreign() || generation.prompt != "short-answer" {
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

fn answers(summary: &Summary) -> Vec<Notice> {
    let mut notices = Vec::new();
    let (counted, answerable) = (summary.loss_budget.n, summary.losses.n_testable);
    if summary.loss_budget.of != SUPPORT && 2 * counted < answerable {
        notices.push(Notice::warning(format!(
            "loss budget and verdict cover {counted} of {answerable} questions: the others have no answer from the gold passages \
             alone"
        )));
    }
    let n_unsure = summary.classes.get(FailureClass::Unsure.name());
    if let Some(n) = n_unsure.filter(|n| **n > 0) {
        let text = format!(
            "the rule of correctness is unsure about {}; each counts half in the loss budget",
            plural(*n, "answer", "answers")
        );
        notices.push(Notice::warning(text).with_hint("audit them: they come first in the sample"));
    }
    notices
}

fn truncation(run: &SavedRun, summary: &Summary) -> Vec<Notice> {
    let truncated = run.manifest.truncation.iter().filter(|one| one.n_cut > 0);
    let mut notices: Vec<Notice> = truncated
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
        .collect();
    if let Some(n) = summary.flags.get("encoder_truncated").filter(|n| **n > 0) {
        let text =
            format!("truncation drops gold evidence of {}", plural(*n, "question", "questions"));
        notices.push(Notice::warning(text).with_hint("use smaller chunks"));
    }
    notices
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
    let conditions = run.traces.iter().flat_map(|trace| &trace.conditions);
    let replies: Vec<&Attempt> = conditions
        .flat_map(|condition| &condition.attempts)
        .filter(|attempt| attempt.error.is_none())
        .collect();
    let n_of = |stance: Stance| replies.iter().filter(|reply| reply.stance == stance).count();
    let of_all = format!("of {}", plural(replies.len(), "reply", "replies"));
    let mut notices = Vec::new();
    let is_loop = |reply: &&&Attempt| reply.stance == Stance::Truncated && reply.repeats_itself();
    let n_loops = replies.iter().filter(is_loop).count();
    let (n_truncated, n_calls, n_empty) =
        (n_of(Stance::Truncated) - n_loops, n_of(Stance::ToolCall), n_of(Stance::Empty));
    let (limit, hint) = limit(run);
    if n_loops > 0 {
        let text = format!(
            "{n_loops} {of_all} repeat themselves up to {limit}: the generator was not tested there"
        );
        let hint = "check the model and its chat template: a higher limit does not help";
        notices.push(Notice::warning(text).with_hint(hint));
    }
    if n_truncated > 0 {
        let text = format!(
            "{n_truncated} {of_all} hit {limit} before an answer: the generator was not tested there"
        );
        notices.push(Notice::warning(text).with_hint(hint));
    }
    if n_calls > 0 {
        let text = format!(
            "{n_calls} {of_all} called a tool and gave no answer: the generator was not tested there"
        );
        let hint = "remove the tools from generation.extra_body, or from the endpoint's defaults";
        notices.push(Notice::warning(text).with_hint(hint));
    }
    if n_empty > 0 {
        let text = format!("{n_empty} {of_all} were empty: the generator was not tested there");
        let hint =
            "check the endpoint's log, and that no text in generation.stop begins every reply";
        notices.push(Notice::warning(text).with_hint(hint));
    }
    notices
}

/// Returns the token limit of a reply, and how to raise it; the settings of an external RAG are unknown.
fn limit(run: &SavedRun) -> (String, String) {
    if run.manifest.is_foreign() {
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
                "1 of 75 replies repeat themselves up to max_tokens = 1024: the generator was not tested there",
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
                "1 of 75 replies were empty: the generator was not tested there",
                "check the endpoint's log, and that no text in generation.stop begins every reply",
            ),
        ];
        let expected = expected.map(|(text, hint)| (text.to_owned(), Some(hint.to_owned())));
        assert_eq!(texts(&run), expected);
        let generation = &mut run.manifest.settings.generation;
        generation.extra_body.insert(MAX_COMPLETION_TOKENS.to_owned(), 64.into());
        assert!(texts(&run)[0].0.starts_with(
            "2 of 75 replies hit extra_body.max_completion_tokens = 64 before an answer"
        ));
    }
}
