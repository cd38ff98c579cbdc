//! A person at a terminal, or a script at a pipe, who labels: prompts of ours on stderr, answers on standard input.

use std::io::{self, BufRead};
use std::mem::replace;

use crate::output;
use ragtriage_core::text::sanitize::one_line;
use ragtriage_core::types::QuestionId;
use ragtriage_data::dataset::label::Prompt;
use ragtriage_report::labelling::{
    ALL_NEEDED, ANSWER, ANSWER_HELP, AnnotatorScreen, CLOSE, CLOSE_HELP, JUDGE, QUOTE, QUOTE_HELP,
};

/// Reads a line at a time.
pub struct Terminal<R> {
    input: R,
    screen: AnnotatorScreen,
    /// True to show the input: a terminal does so by itself, a pipe does not.
    echoes: bool,
    /// True where that help was shown.
    explained_words: bool,
    explained_answer: bool,
    /// The question on the screen.
    shown: Option<QuestionId>,
}

impl<R: BufRead> Terminal<R> {
    pub fn new(input: R, screen: AnnotatorScreen, echoes: bool) -> Self {
        let (explained_words, explained_answer) = (false, false);
        Self { input, screen, echoes, explained_words, explained_answer, shown: None }
    }

    /// Shows the prompt and returns the next line without its end; `None` when there is none.
    pub fn ask(&mut self, prompt: Prompt<'_>) -> io::Result<Option<String>> {
        let mark = self.show(prompt);
        self.read(mark)
    }

    /// Shows what comes before the mark of a prompt, and returns the mark.
    fn show(&mut self, prompt: Prompt<'_>) -> &'static str {
        let screen = self.screen;
        let say = |text: &str| output::show(&screen.say(text));
        match prompt {
            Prompt::Passage(shown) => {
                output::show(&screen.passage(shown));
                self.shown = Some(shown.question.id.clone());
            }
            Prompt::Document(shown) => output::show(&screen.document(shown)),
            Prompt::Help => output::show(&screen.help()),
            Prompt::UnknownCommand(typed) => {
                say(&format!("unknown command `{typed}`:"));
                output::show(&screen.help());
            }
            Prompt::FirstPassage => say(
                "This is the first passage of this session. `--reopen ID` labels an earlier question again.",
            ),
            Prompt::AlreadyAnswered => say("A judged passage answers it; `b` goes back to it."),
            Prompt::Words(shown, refused) => {
                match refused {
                    Some(refused) => output::show(&screen.refused(shown, refused)),
                    None if !replace(&mut self.explained_words, true) => say(QUOTE_HELP),
                    None => {}
                }
                if refused.is_none() && shown.question.evidence.len() > 1 {
                    say(ALL_NEEDED);
                }
                return QUOTE;
            }
            Prompt::WordsHelp => {
                say(QUOTE_HELP);
                return QUOTE;
            }
            Prompt::MoreWords => return "",
            Prompt::Answer(wanted) => {
                match screen.wanted(wanted) {
                    Some(text) => output::show(&text),
                    None if !replace(&mut self.explained_answer, true) => say(ANSWER_HELP),
                    None => {}
                }
                return ANSWER;
            }
            Prompt::AnswerHelp => {
                say(ANSWER_HELP);
                return ANSWER;
            }
            Prompt::Close(question) => {
                // Where nothing at all was found it was not seen yet.
                if self.shown.replace(question.id.clone()).as_ref() != Some(&question.id) {
                    output::show(&screen.question(question));
                }
                say(CLOSE_HELP);
                return CLOSE;
            }
        }
        JUDGE
    }

    fn read(&mut self, mark: &str) -> io::Result<Option<String>> {
        output::show(mark);
        let mut bytes = Vec::new();
        if self.input.read_until(b'\n', &mut bytes)? == 0 {
            output::show("\n");
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches(['\n', '\r']);
        if self.echoes {
            output::show(&format!("{}\n", one_line(line)));
        }
        Ok(Some(line.to_owned()))
    }
}
