//! A person at a terminal, or a script at a pipe, as the annotator: questions of ours on stderr, answers on standard input.

use std::io::{self, BufRead};

use crate::output;
use ragtriage_core::text::sanitize::one_line;
use ragtriage_core::types::{Question, QuestionId};
use ragtriage_datasets::label::command::{
    LabelCommand, closing, command, picked, way_out, wordings,
};
use ragtriage_datasets::label::{
    Annotator, AnnotatorReply, Closing, PassageJudgment, Quote, Refused, ShownPassage, WantedAnswer,
};
use ragtriage_report::labelling::{
    ALL_NEEDED, ANSWER, ANSWER_HELP, AnnotatorScreen, CLOSE, CLOSE_HELP, JUDGE, QUOTE, QUOTE_HELP,
};

/// Reads a line at a time; the end of its input is a stop.
pub struct Terminal<R> {
    input: R,
    screen: AnnotatorScreen,
    /// True to show the input: a terminal does so by itself, a pipe does not.
    echoes: bool,
    explained: Explained,
    /// The question on the screen.
    shown: Option<QuestionId>,
}

/// Help that was shown once.
#[derive(Default)]
struct Explained {
    quote: bool,
    answer: bool,
}

impl<R: BufRead> Terminal<R> {
    pub fn new(input: R, screen: AnnotatorScreen, echoes: bool) -> Self {
        Self { input, screen, echoes, explained: Explained::default(), shown: None }
    }

    /// The next line without its end; `None` when there is none.
    fn ask(&mut self, prompt: &str) -> io::Result<Option<String>> {
        output::show(prompt);
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

    fn say(&self, text: &str) {
        output::show(&self.screen.say(text));
    }
}

impl<R: BufRead> Annotator for Terminal<R> {
    fn judge(&mut self, shown: &ShownPassage<'_>) -> io::Result<PassageJudgment> {
        output::show(&self.screen.passage(shown));
        self.shown = Some(shown.question.id.clone());
        loop {
            let Some(line) = self.ask(JUDGE)? else {
                return Ok(PassageJudgment::Stop);
            };
            match command(&line) {
                Some(LabelCommand::Say(PassageJudgment::Back)) if shown.progress.passage == 1 => {
                    self.say("This is the question's first passage. Questions before it are written; edit the file to change one.");
                }
                Some(LabelCommand::Say(PassageJudgment::Unanswerable)) if shown.is_answered => {
                    self.say("An earlier passage answers it; `b` goes back.");
                }
                Some(LabelCommand::Say(verdict)) => return Ok(verdict),
                Some(LabelCommand::Document) => output::show(&self.screen.document(shown)),
                Some(LabelCommand::Help) => output::show(&self.screen.help()),
                None => {
                    self.say(&format!("unknown command `{}`:", line.trim()));
                    output::show(&self.screen.help());
                }
            }
        }
    }

    fn quote(
        &mut self,
        shown: &ShownPassage<'_>,
        refused: Option<Refused<'_>>,
    ) -> io::Result<AnnotatorReply<Quote>> {
        match refused {
            Some(refused) => output::show(&self.screen.refused(shown, refused)),
            None if !std::mem::replace(&mut self.explained.quote, true) => self.say(QUOTE_HELP),
            None => {}
        }
        if refused.is_none() && shown.question.evidence.len() > 1 {
            self.say(ALL_NEEDED);
        }
        let pieces = shown.pieces();
        let mut words = String::new();
        loop {
            // Words that were copied from a screen come in lines: the empty one behind them is their end.
            let Some(line) = self.ask(if words.is_empty() { QUOTE } else { "" })? else {
                return Ok(AnnotatorReply::Stop);
            };
            if line.trim().is_empty() {
                let words = std::mem::take(&mut words);
                return Ok(AnnotatorReply::Given(if words.is_empty() {
                    Quote::Whole
                } else {
                    Quote::Words(words)
                }));
            }
            if words.is_empty() {
                if line.trim() == "/?" {
                    self.say(QUOTE_HELP);
                    continue;
                }
                let nearest = refused.and_then(|refused| refused.nearest);
                let nearest = nearest.filter(|_| line.trim() == "y").map(Quote::Range);
                let quote = picked(&line, &pieces).or(nearest);
                if let Some(reply) = way_out(&line).or(quote.map(AnnotatorReply::Given)) {
                    return Ok(reply);
                }
            }
            words.push_str(&line);
            words.push('\n');
        }
    }

    fn answer(
        &mut self,
        _: &ShownPassage<'_>,
        wanted: WantedAnswer<'_>,
    ) -> io::Result<AnnotatorReply<Vec<String>>> {
        match self.screen.wanted(wanted) {
            Some(text) => output::show(&text),
            None if !std::mem::replace(&mut self.explained.answer, true) => self.say(ANSWER_HELP),
            None => {}
        }
        loop {
            let Some(line) = self.ask(ANSWER)? else {
                return Ok(AnnotatorReply::Stop);
            };
            if line.trim() != "/?" {
                return Ok(way_out(&line).unwrap_or_else(|| AnnotatorReply::Given(wordings(&line))));
            }
            self.say(ANSWER_HELP);
        }
    }

    fn close(&mut self, question: &Question) -> io::Result<Closing> {
        // Where nothing at all was found it was not seen yet.
        if self.shown.replace(question.id.clone()).as_ref() != Some(&question.id) {
            output::show(&self.screen.question(question));
        }
        loop {
            self.say(CLOSE_HELP);
            let Some(line) = self.ask(CLOSE)? else {
                return Ok(Closing::Stop);
            };
            if let Some(closing) = closing(&line) {
                return Ok(closing);
            }
        }
    }
}
