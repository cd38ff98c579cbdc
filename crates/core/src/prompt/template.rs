//! Prompt templates: text files with two sections and two placeholders.
//!
//! ```text
//! [system]
//! Answer from the passages.
//!
//! [user]
//! {passages}
//!
//! Question: {question}
//! ```
//!
//! A section begins at a line that is exactly `[system]` or `[user]`; `[system]` may be left out; text before the first
//! section is an error. Blank lines around a section's text are dropped. `{passages}` and `{question}` occur once each,
//! in either section; any other `{name}` of lower-case letters and underscores is an error, and all other braces are
//! literal. Inserted text is not searched for placeholders. There is no placeholder for the question's kind: it is gold
//! data that a real prompt could not know.

use std::fmt;

use crate::error::Error;
use crate::text::content_key::key;
use crate::text::hex::hex;
use crate::types::Question;

/// One passage as the prompt shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptPassage {
    /// The document's title; may be empty.
    pub title: String,
    /// The chunk's text, without the title.
    pub text: String,
}

/// The input of a generator: the same content twice, structured for services and rendered for chat models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The question.
    pub question: String,
    /// The packed passages, in prompt order; empty in the closed-book condition.
    pub passages: Vec<PromptPassage>,
    /// The rendered system message; empty for none.
    pub system: String,
    /// The rendered user message.
    pub user: String,
}

/// Text used when there are no passages.
pub const NO_PASSAGES: &str = "(no passages)";

/// A parsed template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    system: Vec<TemplatePart>,
    user: Vec<TemplatePart>,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TemplatePart {
    /// Literal text.
    Text(String),
    /// The question's text.
    Question,
    /// The passages.
    Passages,
}

impl fmt::Display for TemplatePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text(text) => text,
            Self::Question => "{question}",
            Self::Passages => "{passages}",
        })
    }
}

/// Formats a text that [`Template::parse`] parses to the same template.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.system[..] {
            [] => write!(f, "[user]\n{}\n", written(&self.user)),
            system => {
                write!(f, "[system]\n{}\n\n[user]\n{}\n", written(system), written(&self.user))
            }
        }
    }
}

fn written(parts: &[TemplatePart]) -> String {
    parts.iter().map(ToString::to_string).collect()
}

/// Returns the error of a text that is not a template.
fn invalid(message: impl Into<String>) -> Error {
    Error::new(message, "")
}

impl Template {
    /// The templates that are compiled in, by name, the default first.
    pub const BUILT_IN: [(&str, &str); 2] = [
        ("short-answer", include_str!("../../../../config/prompts/short-answer.md")),
        ("free", include_str!("../../../../config/prompts/free.md")),
    ];

    /// Returns the text of the built-in template of that name.
    #[must_use]
    pub fn built_in(name: &str) -> Option<&'static str> {
        Self::BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// Parses a template's text; a byte order mark and CRLF are accepted.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let [system, user] = sections(text)?;
        let user = user.ok_or_else(|| invalid("no `[user]` section"))?;
        let template = Self { system: parts(&system.unwrap_or_default())?, user: parts(&user)? };
        for (name, wanted) in
            [("question", TemplatePart::Question), ("passages", TemplatePart::Passages)]
        {
            let n = template
                .system
                .iter()
                .chain(&template.user)
                .filter(|part| **part == wanted)
                .count();
            if n != 1 {
                return Err(invalid(format!("`{{{name}}}` must occur once, found {n} times")));
            }
        }
        Ok(template)
    }

    /// Returns the parts of the system message (empty if the template has none) and of the user message.
    #[must_use]
    pub fn parts(&self) -> (&[TemplatePart], &[TemplatePart]) {
        (&self.system, &self.user)
    }

    /// Returns the hex sha256 of a rendered sample: it changes whenever a prompt would.
    #[must_use]
    pub fn sha256(&self) -> String {
        let passage = PromptPassage { title: "title".to_owned(), text: "text".to_owned() };
        let (system, user) = self.render("question", &[passage]);
        hex(&key(&[&system, &user]))
    }

    /// Returns the system message (empty for none) and the user message.
    #[must_use]
    pub fn render(&self, question: &str, passages: &[PromptPassage]) -> (String, String) {
        let shown: Vec<String> = passages
            .iter()
            .enumerate()
            .map(|(place, passage)| passage_text(place + 1, &passage.title, &passage.text))
            .collect();
        let shown =
            if shown.is_empty() { NO_PASSAGES.to_owned() } else { shown.join(PASSAGE_SEPARATOR) };
        (filled(&self.system, question, &shown), filled(&self.user, question, &shown))
    }

    /// Returns a whole prompt: the structured input and its rendering, after the earlier turns of the conversation.
    #[must_use]
    pub fn prompt(&self, question: &Question, passages: Vec<PromptPassage>) -> Prompt {
        let (system, mut user) = self.render(&question.text, &passages);
        if !question.history.is_empty() {
            user = format!("Conversation so far:\n\n{}\n\n{user}", question.conversation());
        }
        Prompt { question: question.text.clone(), passages, system, user }
    }
}

/// Separator between two passages.
pub const PASSAGE_SEPARATOR: &str = "\n\n";

/// Formats one passage for the prompt: `[n] title`, then its text; `n` counts from 1. A title is one line.
#[must_use]
pub fn passage_text(n: usize, title: &str, text: &str) -> String {
    let title: Vec<&str> = title.split_whitespace().collect();
    if title.is_empty() {
        format!("[{n}]\n{text}")
    } else {
        format!("[{n}] {}\n{text}", title.join(" "))
    }
}

/// Splits the text into the sections `[system]` and `[user]`, if present.
fn sections(text: &str) -> Result<[Option<String>; 2], Error> {
    let mut found = [None, None];
    let mut open: Option<usize> = None;
    for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let named = ["[system]", "[user]"].iter().position(|name| *name == line.trim());
        if let Some(section) = named {
            if found[section].is_some() {
                return Err(invalid(format!(
                    "line {}: duplicate section `{}`",
                    at + 1,
                    line.trim()
                )));
            }
            found[section] = Some(String::new());
            open = Some(section);
        } else if let Some(text) = open.and_then(|section| found[section].as_mut()) {
            text.push_str(line);
            text.push('\n');
        } else if !line.trim().is_empty() {
            return Err(invalid(format!(
                "line {}: text before the first section; begin with a line `[system]` or `[user]`",
                at + 1
            )));
        }
    }
    Ok(found.map(|text| text.map(|text| text.trim().to_owned())))
}

fn filled(parts: &[TemplatePart], question: &str, passages: &str) -> String {
    let texts = parts.iter().map(|part| match part {
        TemplatePart::Text(text) => text.as_str(),
        TemplatePart::Question => question,
        TemplatePart::Passages => passages,
    });
    texts.collect()
}

fn parts(text: &str) -> Result<Vec<TemplatePart>, Error> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, behind) = (&rest[..open], &rest[open + 1..]);
        let name_bytes =
            behind.bytes().take_while(|byte| byte.is_ascii_lowercase() || *byte == b'_').count();
        let (name, tail) = behind.split_at(name_bytes);
        literal.push_str(before);
        rest = behind;
        if name.is_empty() || !tail.starts_with('}') {
            literal.push('{');
            continue;
        }
        parts.push(TemplatePart::Text(std::mem::take(&mut literal)));
        parts.push(match name {
            "question" => TemplatePart::Question,
            "passages" => TemplatePart::Passages,
            _ => {
                let known = "known are `{question}` and `{passages}`";
                return Err(invalid(format!("unknown placeholder `{{{name}}}`; {known}")));
            }
        });
        rest = &tail[1..];
    }
    literal.push_str(rest);
    parts.push(TemplatePart::Text(literal));
    parts.retain(|part| *part != TemplatePart::Text(String::new()));
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Speaker, Turn};

    fn passage(title: &str, text: &str) -> PromptPassage {
        PromptPassage { title: title.into(), text: text.into() }
    }

    #[test]
    fn a_template_renders_its_two_messages() {
        let template = Template::parse(
            "\u{feff}\r\n[system]\r\nBe brief.\r\n\r\n[user]\n\n{passages}\n\nQ: {question}\n\n",
        )
        .expect("valid");
        let passages = [passage("Kafka\n lag", "It lags."), passage("", "No title.")];
        let (system, user) = template.render("Why?", &passages);
        assert_eq!(system, "Be brief.");
        assert_eq!(user, "[1] Kafka lag\nIt lags.\n\n[2]\nNo title.\n\nQ: Why?");
    }

    #[test]
    fn what_is_put_in_is_not_read_again_and_other_braces_stay() {
        let template =
            Template::parse("[user]\n{\"answer\": {}} {Q} {question}{passages}").expect("valid");
        let (system, user) = template.render("{passages}", &[passage("{question}", "{other}")]);
        assert_eq!(system, "");
        assert_eq!(user, "{\"answer\": {}} {Q} {passages}[1] {question}\n{other}");
    }

    #[test]
    fn without_passages_the_prompt_says_so() {
        let template = Template::parse("[user]\n{question} {passages}").expect("valid");
        assert_eq!(template.render("Why?", &[]).1, "Why? (no passages)");
    }

    #[test]
    fn each_fault_is_named() {
        for (text, message) in [
            ("", "no `[user]` section"),
            ("[system]\n{question}{passages}", "no `[user]` section"),
            (
                "\nhello\n[user]",
                "line 2: text before the first section; begin with a line `[system]` or `[user]`",
            ),
            ("[user]\n[user]", "line 2: duplicate section `[user]`"),
            ("[user]\n{question}", "`{passages}` must occur once, found 0 times"),
            (
                "[system]\n{question}\n[user]\n{question}{passages}",
                "`{question}` must occur once, found 2 times",
            ),
            (
                "[user]\n{question}{passages}{context}",
                "unknown placeholder `{context}`; known are `{question}` and `{passages}`",
            ),
        ] {
            assert_eq!(Template::parse(text).expect_err(text).to_string(), message);
        }
    }

    #[test]
    fn the_turns_before_a_question_come_first() {
        let template = Template::parse("[user]\n{passages}\n\nQ: {question}").expect("valid");
        let turn = |role, text: &str| Turn { role, text: text.to_owned() };
        let history = vec![turn(Speaker::User, "What is it?"), turn(Speaker::Assistant, "A lake.")];
        let question = Question { history, ..Question::new("q".into(), "How deep?".to_owned()) };
        let turns = "User: What is it?\nAssistant: A lake.";
        let expected = format!("Conversation so far:\n\n{turns}\n\n[1] T\nx.\n\nQ: How deep?");
        assert_eq!(template.prompt(&question, vec![passage("T", "x.")]).user, expected);
        let rewritten = format!("Conversation:\n\n{turns}\n\nLast question: How deep?");
        assert_eq!(crate::prompt::rewrite_prompt(&question).user, rewritten);
    }

    #[test]
    fn every_built_in_template_parses_and_holds_question_and_passages() {
        for (name, _) in Template::BUILT_IN {
            let prompt = Template::parse(Template::built_in(name).expect(name))
                .expect(name)
                .prompt(&Question::new("q".into(), "Why?".to_owned()), vec![passage("T", "x.")]);
            assert!(
                prompt.user.contains("[1] T\nx.") && prompt.user.contains("Question: Why?"),
                "{name}"
            );
            assert!(!prompt.system.is_empty());
        }
    }

    #[test]
    fn what_is_printed_is_parsed_to_the_same_template() {
        let odd = "[user]\n{\"answer\": {}} {Q}\n\n{question}{passages} [user] x";
        for text in Template::BUILT_IN
            .iter()
            .map(|(_, text)| *text)
            .chain([odd, "[system]\n{question}\n[user]\n{passages}"])
        {
            let template = Template::parse(text).expect("valid");
            assert_eq!(Template::parse(&template.to_string()).expect("valid"), template, "{text}");
        }
    }
}
