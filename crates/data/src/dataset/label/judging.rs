//! Labelling of one question: its passages are judged in order, then its labels are built.

use std::collections::{BTreeMap, HashSet};
use std::io;

use super::evidence::{self, Evidence};
use super::{ANSWERS, Ask, Interrupt, LabelProgress, Prompt, ShownPassage, line};
use ragtriage_core::types::{
    ByteRange, Corpus, DocId, Document, Group, Member, Question, QuestionKind,
};

/// A question being labelled.
pub(super) struct Judging<'a> {
    pub question: &'a Question,
    pub corpus: &'a Corpus,
    /// Indexes of the passages, in display order.
    pub passages: Vec<usize>,
    /// The question's position in the session, and the number of questions.
    pub place: (usize, usize),
    /// The decision about each passage; `None` for a skipped one.
    judged: Vec<Option<JudgedPassage>>,
    /// The position of the current passage in `passages`.
    at: usize,
}

/// A decision about a passage, with its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
enum JudgedPassage {
    Graded(i32),
    Answers(i32, Evidence),
}

/// The end of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Judged,
    Unanswerable,
    /// Back to the previous question.
    Back,
    Stopped,
}

impl<'a> Judging<'a> {
    pub fn new(
        question: &'a Question,
        corpus: &'a Corpus,
        passages: Vec<usize>,
        place: (usize, usize),
    ) -> Self {
        let judged = vec![None; passages.len()];
        Self { question, corpus, passages, place, judged, at: 0 }
    }

    /// Asks until the pool is exhausted or the annotator stops or goes back. A question that is run again continues at its last
    /// passage, with its judgments.
    pub fn run(&mut self, ask: &mut Ask<'_>) -> io::Result<End> {
        self.at = self.at.min(self.passages.len().saturating_sub(1));
        match self.judge_passages(ask) {
            Ok(end) => Ok(end),
            Err(Interrupt::Failed(error)) => Err(error),
            Err(Interrupt::Back) => Ok(End::Back),
            Err(Interrupt::Stop) => Ok(End::Stopped),
        }
    }

    fn judge_passages(&mut self, ask: &mut Ask<'_>) -> Result<End, Interrupt> {
        let mut has_enough = false;
        loop {
            let is_at_end = self.at == self.passages.len();
            if has_enough || is_at_end {
                // Evidence that it had before is enough, where it was not refuted.
                if !self.evidence(&self.grades()).is_empty() {
                    return Ok(End::Judged);
                }
                match close(self.question, ask) {
                    Err(Interrupt::Back) if is_at_end => self.back()?,
                    Err(Interrupt::Back) => {}
                    ended => return ended,
                }
                has_enough = false;
                continue;
            }
            let shown = self.shown();
            match command(&shown, ask)? {
                Command::Grade(grade) if grade >= ANSWERS => {
                    // Its former judgment holds until the new one is complete.
                    let before = self.judged[self.at].take();
                    match evidence::ask(ask, &shown, &self.answers(), !self.is_answered()) {
                        Ok(evidence) => self.judge(Some(JudgedPassage::Answers(grade, evidence))),
                        Err(interrupt) => {
                            self.judged[self.at] = before;
                            if !matches!(interrupt, Interrupt::Back) {
                                return Err(interrupt);
                            }
                        }
                    }
                }
                Command::Grade(grade) => self.judge(Some(JudgedPassage::Graded(grade))),
                Command::Skip => self.judge(None),
                Command::Keep => self.at += 1,
                Command::Enough => has_enough = true,
                Command::Unanswerable => return Ok(End::Unanswerable),
                Command::Back => self.back()?,
            }
        }
    }

    fn judge(&mut self, judgment: Option<JudgedPassage>) {
        self.judged[self.at] = judgment;
        self.at += 1;
    }

    /// Goes back to the previous passage; from the first one, to the previous question.
    fn back(&mut self) -> Result<(), Interrupt> {
        self.at = match self.at.checked_sub(1) {
            None if self.place.0 > 1 => return Err(Interrupt::Back),
            before => before.unwrap_or(0),
        };
        Ok(())
    }

    fn shown(&self) -> ShownPassage<'a> {
        let number = self.passages[self.at];
        let (question, n_questions) = self.place;
        ShownPassage {
            question: self.question,
            progress: LabelProgress {
                question,
                n_questions,
                passage: self.at + 1,
                n_passages: self.passages.len(),
            },
            document: self.corpus.document_of(number),
            range: self.corpus.chunks()[number].range,
            is_answered: self.is_answered(),
            judged: self.judged[self.at].as_ref().map(JudgedPassage::grade),
        }
    }

    /// Returns true if a judged passage answers the question.
    pub fn is_answered(&self) -> bool {
        self.judged.iter().flatten().any(|one| matches!(one, JudgedPassage::Answers(..)))
    }

    /// Returns the wordings of the answer so far.
    fn answers(&self) -> Vec<String> {
        let mut answers = self.question.answers.clone();
        for judgment in self.judged.iter().flatten() {
            let JudgedPassage::Answers(_, evidence) = judgment else {
                continue;
            };
            answers.extend(evidence.answers.iter().cloned());
        }
        let mut seen = HashSet::new();
        answers.retain(|answer| seen.insert(answer.clone()));
        answers
    }

    /// Returns the number of judged passages.
    pub fn n_judged(&self) -> usize {
        self.judged.iter().flatten().count()
    }

    /// Returns the best grade of each judged document.
    ///
    /// A document counts as judged not relevant only if all its passages were: another passage may answer. A document with
    /// the text of a judged one has its grade.
    pub fn grades(&self) -> BTreeMap<DocId, i32> {
        let mut grades = BTreeMap::new();
        for (number, judgment) in self.judgments() {
            let grade = judgment.grade();
            let document = self.corpus.document_of(number);
            let is_unread = |passage: usize| self.judgments().all(|(other, _)| other != passage);
            if grade <= 0 && self.corpus.chunk_numbers(&document.id).any(is_unread) {
                continue;
            }
            for same in self.documents_like(document) {
                let best = grades.entry(same.clone()).or_insert(grade);
                *best = grade.max(*best);
            }
        }
        grades
    }

    /// Returns the judged passages, by number.
    fn judgments(&self) -> impl Iterator<Item = (usize, &JudgedPassage)> {
        let judged = self.passages.iter().zip(&self.judged);
        judged.filter_map(|(number, judgment)| Some((*number, judgment.as_ref()?)))
    }

    /// Returns the ids of `document` and of those with the same text.
    fn documents_like(&self, document: &Document) -> impl Iterator<Item = &'a DocId> {
        let all = self.corpus.documents().iter();
        all.filter(move |other| other.text == document.text).map(|other| &other.id)
    }

    /// Returns the question with its labels. Existing labels are retained; documents judged now get their
    /// new grade.
    pub fn labelled(&self, end: End) -> Question {
        let mut question = self.question.clone();
        let grades = self.grades();
        question.evidence = self.evidence(&grades);
        if end == End::Unanswerable {
            question.evidence.clear();
        }
        // A document that has lost its evidence is not relevant by its former grade.
        let has = |evidence: &[Group], doc: &DocId| {
            evidence.iter().flatten().any(|member| member.doc == *doc)
        };
        let evidence = &question.evidence;
        question.relevant.retain(|doc, _| has(evidence, doc) || !has(&self.question.evidence, doc));
        question.relevant.extend(grades);
        if end == End::Unanswerable {
            (question.kind, question.answers) = (QuestionKind::Unanswerable, Vec::new());
            return question;
        }
        question.answers = self.answers();
        let is_free =
            !question.required.is_empty() || !self.states(&question.answers, &question.evidence);
        question.kind = evidence::kind(question.kind, &question.answers, is_free);
        question
    }

    /// Returns true if `evidence` has one of `answers` in its words, or no passage was judged to answer: otherwise a person says that the
    /// answer has other words.
    fn states(&self, answers: &[String], evidence: &[Group]) -> bool {
        let is_new = |(_, judgment)| matches!(judgment, &JudgedPassage::Answers(..));
        let states = |member: &Member| {
            let text = self.corpus.document(&member.doc).map_or("", |document| &document.text);
            let mut quotes = member.ranges.iter().map(|range| &text[range.as_range()]);
            let is_whole = member.ranges.is_empty() && evidence::occurs(answers, text);
            is_whole || quotes.any(|quote| evidence::occurs(answers, quote))
        };
        !self.judgments().any(is_new) || evidence.iter().flatten().any(states)
    }

    /// Returns the question's previous evidence, without documents and ranges now judged not relevant, and with the passages that
    /// answer.
    ///
    /// Such a passage answers alone, so it is added as an alternative to every required group: if A and B are required, "A and
    /// B, or X" becomes "A or X, and B or X". Groups without members are dropped.
    fn evidence(&self, grades: &BTreeMap<DocId, i32>) -> Vec<Group> {
        let mut evidence = self.question.evidence.clone();
        for group in &mut evidence {
            group.retain(|member| {
                grades.get(&member.doc).is_none_or(|grade| *grade > 0) && !self.refutes(member)
            });
        }
        if evidence.is_empty() {
            evidence.push(Group::new());
        }
        for (number, judgment) in self.judgments() {
            let JudgedPassage::Answers(_, Evidence { range, .. }) = judgment else {
                continue;
            };
            for doc in self.documents_like(self.corpus.document_of(number)) {
                let member = Member { doc: doc.clone(), ranges: range.iter().copied().collect() };
                for group in &mut evidence {
                    if !group.contains(&member) {
                        group.push(member.clone());
                    }
                }
            }
        }
        evidence.retain(|group| !group.is_empty());
        evidence
    }

    /// Returns true if the ranges of `member` are in passages judged not relevant.
    fn refutes(&self, member: &Member) -> bool {
        let refuted: Vec<ByteRange> = self
            .judgments()
            .filter(|(number, judgment)| {
                judgment.grade() <= 0 && self.corpus.document_of(*number).id == member.doc
            })
            .map(|(number, _)| self.corpus.chunks()[number].range)
            .collect();
        let is_in = |range: &ByteRange| {
            refuted.iter().any(|held| held.start <= range.start && range.end <= held.end)
        };
        !member.ranges.is_empty() && member.ranges.iter().all(is_in)
    }
}

impl JudgedPassage {
    fn grade(&self) -> i32 {
        let (Self::Graded(grade) | Self::Answers(grade, _)) = self;
        *grade
    }
}

/// A decision about a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Grade(i32),
    Skip,
    /// Its former judgment holds.
    Keep,
    Enough,
    Unanswerable,
    Back,
}

/// Asks about a passage until the line is a decision.
fn command(shown: &ShownPassage<'_>, ask: &mut Ask<'_>) -> Result<Command, Interrupt> {
    let mut typed = line(ask, Prompt::Passage(shown))?;
    loop {
        let word = typed.trim().to_ascii_lowercase();
        // `g 2` and a single digit are grades.
        let digit = word.strip_prefix('g').map_or(&*word, str::trim_start);
        if let [digit @ b'0'..=b'3'] = digit.as_bytes() {
            return Ok(Command::Grade(i32::from(digit - b'0')));
        }
        let again = match &*word {
            "y" | "yes" => return Ok(Command::Grade(ANSWERS)),
            "n" | "no" => return Ok(Command::Grade(0)),
            "s" => return Ok(Command::Skip),
            "e" => return Ok(Command::Enough),
            "" if shown.judged.is_some() => return Ok(Command::Keep),
            "b" if shown.progress.passage == 1 && shown.progress.question == 1 => {
                Prompt::FirstPassage
            }
            "b" => return Ok(Command::Back),
            "u" if shown.is_answered => Prompt::AlreadyAnswered,
            "u" => return Ok(Command::Unanswerable),
            "q" => return Err(Interrupt::Stop),
            "d" => Prompt::Document(shown),
            "?" | "h" | "help" => Prompt::Help,
            _ => Prompt::UnknownCommand(typed.trim()),
        };
        typed = line(ask, again)?;
    }
}

/// Asks about the end of a question that has no evidence.
fn close(question: &Question, ask: &mut Ask<'_>) -> Result<End, Interrupt> {
    loop {
        match line(ask, Prompt::Close(question))?.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" | "u" => return Ok(End::Unanswerable),
            "n" | "no" => return Ok(End::Judged),
            "b" => return Err(Interrupt::Back),
            "q" => return Err(Interrupt::Stop),
            _ => {}
        }
    }
}
