//! A clean setting: a generated corpus and questions whose gold BM25 finds, so that whatever is lost was taken away.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::words::Words;
use crate::project::Project;

/// Words of a block; a chunk is one or two of them, never a part of one.
pub const BLOCK_WORDS: usize = 30;
/// Blocks of a document.
const N_BLOCKS: usize = 10;
const OFFICES: [&str; 12] = [
    "keeper", "warden", "smith", "piper", "baker", "porter", "scribe", "bailiff", "cooper",
    "tanner", "shepherd", "archer",
];

/// What a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One sentence within a block.
    Plain,
    /// The same, with a second name for the same person among the golds.
    Aliases,
    /// One sentence that two documents have; either will do.
    TwoPlaces,
    /// A sentence of each of two documents.
    TwoHop,
    /// Yes or no.
    YesNo,
    /// One sentence across two blocks: whole in a chunk of both, parted in chunks of one.
    Long,
    /// Nothing in the corpus says it.
    Unanswerable,
}

/// What a label holds of its document besides its sentence.
#[derive(Clone, Copy, Debug)]
pub enum Width {
    /// 40 words before it and 60 after it, across chunks.
    Section,
    /// Its blocks, and one on either side; at an end of the document both on one side.
    Neighbours,
    /// All of it.
    Document,
}

impl Width {
    fn of(self, text: &str, sentence: &str) -> String {
        let words: Vec<&str> = text.split(' ').collect();
        let at = text.find(sentence).expect("the document says it");
        let start = text[..at].split_whitespace().count();
        let end = start + sentence.split(' ').count();
        let (from, to) = match self {
            Self::Section => (start.saturating_sub(40), end + 60),
            Self::Neighbours => {
                let n_words = (end.div_ceil(BLOCK_WORDS) - start / BLOCK_WORDS + 2) * BLOCK_WORDS;
                let from = (start / BLOCK_WORDS).saturating_sub(1) * BLOCK_WORDS;
                let from = from.min(words.len() - n_words);
                (from, from + n_words)
            }
            Self::Document => return String::new(),
        };
        words[from..to.min(words.len())].join(" ")
    }
}

pub struct Document {
    pub id: String,
    pub title: String,
    pub text: String,
}

pub struct Member {
    pub doc: String,
    pub quote: String,
}

pub struct Question {
    pub id: String,
    pub text: String,
    pub shape: Shape,
    pub answers: Vec<String>,
    /// Every group is needed, any member of it will do.
    pub groups: Vec<Vec<Member>>,
    /// A wrong answer that shares no word with a right one.
    pub wrong: String,
}

pub struct Setting {
    words: Words,
    pub documents: Vec<Document>,
    pub questions: Vec<Question>,
}

impl Setting {
    /// So many questions of each shape, their shapes mixed.
    pub fn new(seed: u64, shapes: &[(Shape, usize)]) -> Self {
        let mut setting =
            Self { words: Words::new(seed), documents: Vec::new(), questions: Vec::new() };
        let most = shapes.iter().map(|(_, n)| *n).max().unwrap_or(0);
        for round in 0..most {
            for (shape, _) in shapes.iter().filter(|(_, n)| round < *n) {
                setting.ask(*shape);
            }
        }
        setting
    }

    /// The questions' ids for which `wanted` holds.
    pub fn ids(&self, wanted: impl Fn(&Question) -> bool) -> Vec<String> {
        self.questions
            .iter()
            .filter(|question| wanted(question))
            .map(|question| question.id.clone())
            .collect()
    }

    /// Deletes every document that has the question's first evidence.
    pub fn delete(&mut self, ids: &[String]) {
        let gold = self
            .questions
            .iter()
            .filter(|question| ids.contains(&question.id))
            .map(|question| &question.groups[0]);
        let gone: Vec<&String> = gold.flatten().map(|member| &member.doc).collect();
        self.documents.retain(|document| !gone.contains(&&document.id));
    }

    /// Adds for each of the questions `n` documents of `n_words` that have its words, its places five times, and a name that is no
    /// answer to it.
    pub fn distract(&mut self, ids: &[String], n: usize, n_words: usize) {
        for question in self.questions.iter().filter(|question| ids.contains(&question.id)) {
            let asked = question
                .text
                .replace(['?', ','], "")
                .replace("Who is the ", "")
                .replace("Is the ", "");
            let places: Vec<&str> =
                asked.split(' ').filter(|word| word.starts_with(char::is_uppercase)).collect();
            let places = places.join(" ");
            for at in 0..n {
                let inhabitant = self.words.full_name();
                let said =
                    format!("{asked} {places} {places} {places} {places} lives {inhabitant}");
                let text = self.words.filled(&said, n_words);
                let id = format!("note-{}-{at}", question.id);
                self.documents.push(Document { id, title: "Note".to_owned(), text });
            }
        }
    }

    /// Labels more than the sentence that says it, in documents that are there.
    pub fn widen(&mut self, width: Width) {
        let texts: BTreeMap<&str, &str> = self
            .documents
            .iter()
            .map(|document| (document.id.as_str(), document.text.as_str()))
            .collect();
        for member in self.questions.iter_mut().flat_map(|it| it.groups.iter_mut().flatten()) {
            if let Some(text) = texts.get(member.doc.as_str()) {
                member.quote = width.of(text, &member.quote);
            }
        }
    }

    /// Settings, corpus and questions in a folder.
    pub fn project(&self) -> Project {
        let lines = |values: Vec<Value>| {
            values.iter().map(|value| format!("{value}\n")).collect::<Vec<_>>().concat()
        };
        let documents = self.documents.iter();
        let documents = documents.map(|d| json!({"id": d.id, "title": d.title, "text": d.text}));
        let questions = self.questions.iter().map(Question::json);
        Project::of(&[
            ("c.toml", SETTINGS),
            ("data/corpus.jsonl", &lines(documents.collect())),
            ("data/questions.jsonl", &lines(questions.collect())),
        ])
    }

    fn ask(&mut self, shape: Shape) {
        let (place, office) = (self.words.name(), self.office());
        let (name, wrong) = (self.words.full_name(), self.words.full_name());
        let asks = format!("Who is the {office} of {place}?");
        let says = format!("The {office} of {place} is {name}.");
        let is = |answer: &str| vec![answer.to_owned()];
        let (text, answers, groups) = match shape {
            Shape::Plain => (asks, is(&name), vec![vec![self.document(&place, &says)]]),
            Shape::Aliases => {
                let alias = self.words.full_name();
                let says = format!("The {office} of {place} is {name} whom some call {alias}.");
                (asks, vec![name, alias], vec![vec![self.document(&place, &says)]])
            }
            Shape::TwoPlaces => {
                let copy = self.words.name();
                (
                    asks,
                    is(&name),
                    vec![vec![self.document(&place, &says), self.document(&copy, &says)]],
                )
            }
            Shape::TwoHop => {
                let (from, other) = (self.words.name(), self.office());
                let bridge = format!("In {from} the {other} of {from} was born in {place}.");
                let says = format!("In {place} the {office} of {place} is {name}.");
                let text = format!(
                    "Who is the {office} of {place}, where the {other} of {from} was born?"
                );
                (
                    text,
                    is(&name),
                    vec![vec![self.document(&from, &bridge)], vec![self.document(&place, &says)]],
                )
            }
            Shape::YesNo => {
                let (how, answer) = [("indeed", "yes"), ("by no means", "no")][self.words.below(2)];
                let says = format!("The {office} of {place} is {how} a sailor.");
                (
                    format!("Is the {office} of {place} a sailor?"),
                    is(answer),
                    vec![vec![self.document(&place, &says)]],
                )
            }
            Shape::Long => {
                // Eight words before it, then 22 words in the first block and 15 in the second, the name at the end.
                let start = self.words.filled(&format!("The {office} of {place} came"), 22);
                let end = self.words.filled("", 13);
                (
                    asks,
                    is(&name),
                    vec![vec![self.document(&place, &format!("{start} {end} {name}."))]],
                )
            }
            Shape::Unanswerable => {
                self.document(&place, "");
                (asks, Vec::new(), Vec::new())
            }
        };
        let wrong = match answers.first().map(String::as_str) {
            Some("yes") => "no".to_owned(),
            Some("no") => "yes".to_owned(),
            _ => wrong,
        };
        let id = format!("q{}", self.questions.len());
        self.questions.push(Question { id, text, shape, answers, groups, wrong });
    }

    fn office(&mut self) -> String {
        OFFICES[self.words.below(OFFICES.len())].to_owned()
    }

    /// A document about `place` that says `sentence` behind eight other words, from the start of an odd block on.
    fn document(&mut self, place: &str, sentence: &str) -> Member {
        let at = 2 * self.words.below(N_BLOCKS / 2);
        let mut blocks: Vec<String> = Vec::new();
        while blocks.len() < N_BLOCKS {
            if blocks.len() == at && !sentence.is_empty() {
                let n_blocks =
                    if sentence.split_whitespace().count() + 8 > BLOCK_WORDS { 2 } else { 1 };
                let before = self.words.filled("", 8);
                blocks.push(
                    self.words.filled(&format!("{before} {sentence}"), n_blocks * BLOCK_WORDS),
                );
                if n_blocks == 2 {
                    blocks.push(String::new());
                }
            } else {
                let inhabitant = self.words.full_name();
                blocks.push(
                    self.words.filled(&format!("Around {place} lives {inhabitant}"), BLOCK_WORDS),
                );
            }
        }
        blocks.retain(|block| !block.is_empty());
        let id = format!("d{}", self.documents.len());
        self.documents.push(Document {
            id: id.clone(),
            title: place.to_owned(),
            text: blocks.join(" "),
        });
        Member { doc: id, quote: sentence.to_owned() }
    }
}

impl Question {
    fn json(&self) -> Value {
        let member = |member: &Member| match member.quote.as_str() {
            "" => json!({"doc": member.doc}),
            quote => json!({"doc": member.doc, "quotes": [quote]}),
        };
        let group = |group: &Vec<Member>| group.iter().map(member).collect::<Vec<_>>();
        let groups: Vec<_> = self.groups.iter().map(group).collect();
        match self.shape {
            Shape::Unanswerable => {
                json!({"id": self.id, "text": self.text, "kind": "unanswerable"})
            }
            _ => {
                json!({"id": self.id, "text": self.text, "answers": self.answers, "evidence": groups})
            }
        }
    }
}

const SETTINGS: &str = r#"
[dataset]
format = "jsonl"
path = "data"

[chunking]
strategy = "fixed"
tokenizer = "words"
size = 60
overlap = 0

[retrieval]
retrievers = ["bm25"]
k = 5
candidates = 30

[generation]
generator = "openai"
model = "planted"

"#;
