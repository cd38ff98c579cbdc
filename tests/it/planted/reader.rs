//! A reader behind the server that answers correct exactly when the gold text stands in its prompt, unless it is told how to err.

use std::collections::HashMap;
use std::sync::Arc;

use ragtriage_core::text::tokens::{self, TokenCounter, Tokenizer};

use super::server::{Asked, Said};
use super::setting::{Setting, Shape};

/// How the reader treats a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conduct {
    /// Correct when the gold text is there, else wrong.
    #[default]
    Careful,
    /// Wrong whatever is there.
    IgnoresContext,
    /// Wrong when there is a passage without gold.
    ErrsAmongOthers,
    Declines,
    Refuses,
    /// Thinks aloud until its tokens are spent.
    NeverAnswers,
    /// Correct whatever is there.
    KnowsByHeart,
    /// Correct without passages, wrong with them.
    ForgetsOverPassages,
    /// Its window is smaller than a prompt of three passages or more: it reads the last 70 % of the words.
    ReadsTheEnd,
    /// Answers with status 501, which is not tried again.
    Fails,
}

pub struct Reader {
    /// By the question's text.
    known: HashMap<String, Known>,
    counter: Arc<dyn TokenCounter>,
}

struct Known {
    id: String,
    answerable: bool,
    correct: String,
    wrong: String,
    groups: Vec<Vec<String>>,
    conduct: Conduct,
}

impl Reader {
    /// One that knows the setting as it is now, whatever is taken from it later.
    pub fn new(setting: &Setting) -> Self {
        let known = setting.questions.iter().map(|question| {
            let quotes = |group: &Vec<super::setting::Member>| {
                group.iter().map(|member| member.quote.clone()).collect()
            };
            let known = Known {
                id: question.id.clone(),
                answerable: question.shape != Shape::Unanswerable,
                // Of several names the last, which is as correct as the first.
                correct: question.answers.last().cloned().unwrap_or_default(),
                wrong: question.wrong.clone(),
                groups: question.groups.iter().map(quotes).collect(),
                conduct: Conduct::Careful,
            };
            (question.text.clone(), known)
        });
        Self::that_knows(known.collect())
    }

    fn that_knows(known: HashMap<String, Known>) -> Self {
        let counter = tokens::counter(Tokenizer::Cl100kBase, None).expect("built in");
        Self { known, counter }
    }

    /// Treats these questions so from now on.
    pub fn treats(&mut self, ids: &[String], conduct: Conduct) {
        for known in self.known.values_mut().filter(|known| ids.contains(&known.id)) {
            known.conduct = conduct;
        }
    }

    pub fn read(&self, asked: &Asked) -> Said {
        let known = &self.known[&asked.question];
        let words: Vec<&str> = asked.prompt.split(' ').collect();
        let cut = known.conduct == Conduct::ReadsTheEnd && asked.passages.len() >= 3;
        let read = if cut { words[words.len() * 3 / 10..].join(" ") } else { asked.prompt.clone() };
        let says = |text: &str| Said::text(format!("Answer: {text}"));
        let supported =
            known.groups.iter().all(|group| group.iter().any(|quote| read.contains(quote)));
        let correct_if = |correct: bool| says(if correct { &known.correct } else { &known.wrong });
        let holds_gold =
            |passage: &String| known.groups.iter().flatten().any(|quote| passage.contains(quote));
        let said = match known.conduct {
            Conduct::Careful | Conduct::ReadsTheEnd if !known.answerable => says("I don't know"),
            Conduct::Careful | Conduct::ReadsTheEnd => correct_if(supported),
            Conduct::IgnoresContext => correct_if(false),
            Conduct::ErrsAmongOthers => {
                correct_if(supported && asked.passages.iter().all(holds_gold))
            }
            Conduct::Declines => says("I don't know"),
            Conduct::Refuses => {
                Said { finish_reason: "content_filter", ..says("I can't help with that.") }
            }
            Conduct::NeverAnswers => Said::text("<think>The first passage says that, but then"),
            Conduct::KnowsByHeart => correct_if(true),
            Conduct::ForgetsOverPassages => correct_if(asked.passages.is_empty()),
            Conduct::Fails => Said { status: 501, ..Said::text("no such model") },
        };
        Said { prompt_tokens: Some(self.counter.count(&read)), ..said }
    }
}
