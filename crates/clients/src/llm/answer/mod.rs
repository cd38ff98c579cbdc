//! Extracts the short answer from a model's output.
//!
//! All rules are listed, so that a reader of a trace can reproduce them:
//! 1. of a reply in channels (`<|channel|>final<|message|>`) the last final one is taken; control tokens (`<|im_end|>`, `</s>`) are
//!    line breaks, and the text of `<answer>` is the reply;
//! 2. the thinking before the answer is dropped ([`without_thinking`]);
//! 3. the last line that begins with `Answer:` is taken, else the `answer` field of a JSON object, else the whole text;
//! 4. trailing citations by number in brackets, and one pair of enclosing quotes, backticks or asterisks are removed
//!    (`read_by_question` restores brackets where a gold answer has one);
//! 5. a reply that reached the token limit has an answer only if that is marked by label or field, and ended by a line
//!    break, or the end of its value: thinking and reasoning that were truncated are none. A reply that calls a tool has
//!    one only if it is marked.
//!
//! Whether a reply declines to answer is decided when a run is read (`ragtriage_core::attribute::judge::read_by_question`).

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use ragtriage_core::text::citations::Citable;
use ragtriage_core::text::thinking::without_thinking;
use ragtriage_core::types::{Finish, Stance};

/// Labels before the colon of an answer line, and keys of a JSON object, in lower case.
const LABELS: [&str; 5] =
    ["answer", "final answer", "short answer", "correct answer", "direct answer"];

/// Returns the short answer of a raw one, and the kind of the reply. Empty unless it is an answer.
#[must_use]
pub fn read_answer(raw: &str, finish: Finish) -> (String, Stance) {
    match finish {
        Finish::Filtered => return (String::new(), Stance::Refused),
        Finish::Error => return (String::new(), Stance::Unreadable),
        Finish::Stop if raw.trim().is_empty() => return (String::new(), Stance::Empty),
        Finish::Stop | Finish::Length | Finish::ToolCall => {}
    }
    let text = without_control(raw);
    let reply = without_thinking(&text, finish);
    let marked = marked(reply, finish);
    let answer = match (&marked, finish) {
        (None, Finish::Length) => return (String::new(), Stance::Truncated),
        (None, Finish::ToolCall) => return (String::new(), Stance::ToolCall),
        (marked, _) => tidy(marked.as_deref().unwrap_or(reply)),
    };
    match answer {
        "" => (String::new(), Stance::Unreadable),
        answer => (answer.to_owned(), Stance::Answered),
    }
}

/// Control tokens of chat templates.
static CONTROL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"<[|｜][\w.▁-]{1,40}[|｜]>|</s>|<(?:bos|eos|pad|(?:start|end)_of_turn)>|\[/?INST\]")
        .expect("a constant pattern")
});

/// Begins the channel that is meant for the user, in the format of gpt-oss.
const FINAL: &str = "<|channel|>final<|message|>";

/// Returns the text of the final channel and of `<answer>` tags, with line breaks in place of control tokens.
fn without_control(raw: &str) -> Cow<'_, str> {
    if !raw.contains(['<', '[']) {
        return Cow::Borrowed(raw);
    }
    let text = raw.rfind(FINAL).map_or(raw, |at| &raw[at + FINAL.len()..]);
    let tagged = text.rfind("<answer>").map(|at| &text[at + "<answer>".len()..]);
    let text =
        tagged.and_then(|rest| rest.split_once("</answer>")).map_or(text, |(inside, _)| inside);
    CONTROL.replace_all(text, "\n")
}

/// Returns the answer that a reply marks as such, by a label or in JSON. Of a reply that reached the token limit, only one
/// that is complete.
fn marked(reply: &str, finish: Finish) -> Option<Cow<'_, str>> {
    if let Some(answer) = labelled(reply) {
        return (finish != Finish::Length || is_ended(reply, answer))
            .then_some(Cow::Borrowed(answer));
    }
    field(reply).map(Cow::Owned)
}

/// Returns true if a line break follows `answer`, a part of `reply`.
fn is_ended(reply: &str, answer: &str) -> bool {
    if answer.is_empty() {
        return false;
    }
    let start = answer.as_ptr() as usize - reply.as_ptr() as usize;
    reply[start + answer.len()..].contains('\n')
}

/// Returns the text after the last `Answer:` that begins a line, or the next line with text if there is none.
fn labelled(text: &str) -> Option<&str> {
    let mut found = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(rest) = behind_label(line) {
            let mut below = lines.clone().map(str::trim);
            found = Some(match rest {
                "" => below.find(|line| !line.is_empty()).unwrap_or(""),
                rest => rest,
            });
        }
    }
    found
}

fn behind_label(line: &str) -> Option<&str> {
    let body = line.trim().trim_start_matches(['*', '_', '#', '>', '-', ' ']);
    let (label, rest) = body.split_once([':', '：'])?;
    let label = label.trim_matches(['*', '_', ' ']).to_lowercase();
    let rest = rest.trim();
    let is_emphasis = line.trim().starts_with('*');
    let rest =
        if is_emphasis { rest.trim_start_matches('*').trim_end_matches('*').trim() } else { rest };
    LABELS.contains(&label.as_str()).then_some(rest)
}

/// Returns the `answer` field of the text's JSON object; `null` is a declined reply.
fn field(text: &str) -> Option<String> {
    answer_of(text.get(text.find('{')?..=text.rfind('}')?)?)
}

/// Returns the `answer` field of a JSON object.
fn answer_of(object: &str) -> Option<String> {
    let Ok(Value::Object(fields)) = serde_json::from_str(object) else {
        return None;
    };
    let is_label = |name: &str| LABELS.contains(&&*name.to_lowercase().replace('_', " "));
    let (_, value) = fields.into_iter().find(|(name, _)| is_label(name))?;
    Some(match value {
        Value::String(answer) => answer,
        Value::Null => "unanswerable".to_owned(),
        Value::Bool(yes) => if yes { "yes" } else { "no" }.to_owned(),
        other => other.to_string(),
    })
}

fn tidy(answer: &str) -> &str {
    without_citations(unquoted(without_citations(answer.trim())))
}

/// Drops trailing citations in brackets such as `[1]`, `(passage 2)`, and a full stop after them. `list[1][2]`, a single word, is
/// unchanged.
fn without_citations(mut text: &str) -> &str {
    let names = Citable::new([]);
    loop {
        let body = text.strip_suffix('.').unwrap_or(text).trim_end();
        let Some((before, last)) = body.rfind(['[', '(', '【']).map(|at| body.split_at(at)) else {
            return text;
        };
        let rest = names.without_citations(last);
        let is_mark = rest != last && matches!(rest.trim(), "" | "()") && !last.ends_with('`');
        let is_name = |word: &str| word.ends_with(|c: char| c.is_ascii_alphanumeric() || c == ')');
        let is_index = last.starts_with('[')
            && before.split('[').next().is_some_and(is_name)
            && !before.contains(char::is_whitespace);
        if !is_mark || is_index || before.trim().is_empty() {
            return text;
        }
        text = before.trim_end();
    }
}

/// Removes one pair of marks around the whole text, and a full stop after it, unless the mark also occurs inside.
fn unquoted(text: &str) -> &str {
    let pairs =
        [("**", "**"), ("\"", "\""), ("'", "'"), ("`", "`"), ("“", "”"), ("‘", "’"), ("«", "»")];
    let body = text.strip_suffix('.').unwrap_or(text);
    for (open, close) in pairs {
        let inner = body.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        if let Some(inner) = inner.filter(|inner| !inner.contains(open) && !inner.contains(close)) {
            return inner.trim();
        }
    }
    text
}

#[cfg(test)]
mod tests;
