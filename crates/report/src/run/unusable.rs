//! Warnings about replies that settings or server kept from being answers.

use crate::document::Notice;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::{Attempt, Stance};
use ragtriage_runs::SavedRun;

/// The field of `generation.extra_body` that replaces `max_tokens`.
const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";

/// Counts the truncated and empty replies and the tool calls of all conditions.
pub(super) fn notices(run: &SavedRun) -> Vec<Notice> {
    let arms = run.traces.iter().flat_map(|trace| &trace.arms);
    let replies: Vec<&Attempt> =
        arms.flat_map(|arm| &arm.attempts).filter(|attempt| attempt.error.is_none()).collect();
    let n_of = |stance: Stance| replies.iter().filter(|reply| reply.stance == stance).count();
    let of_all = format!("of {}", plural(replies.len(), "reply", "replies"));
    let mut notices = Vec::new();
    let (n_truncated, n_calls, n_empty) =
        (n_of(Stance::Truncated), n_of(Stance::ToolCall), n_of(Stance::Empty));
    if n_truncated > 0 {
        let (limit, hint) = limit(run);
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
        notices(run).into_iter().map(|notice| (notice.text, notice.hint)).collect()
    }

    #[test]
    fn replies_that_are_no_answers_are_counted_over_all_conditions() {
        let mut run = specimen::sample("s", 0);
        assert_eq!(texts(&run), []);
        // 16 questions with 5 replies each: the question's own prompt twice, and three further
        // conditions. All five calls of the last question failed.
        for (trace, stance) in run.traces.iter_mut().zip([
            Stance::Truncated,
            Stance::Truncated,
            Stance::ToolCall,
            Stance::Empty,
        ]) {
            trace.arms[0].attempts[0].stance = stance;
        }
        let expected = [
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
