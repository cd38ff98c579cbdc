//! Labelling of one question: its passages are judged in order, then its labels are built.

use std::collections::{BTreeMap, HashSet};
use std::io;

use super::evidence::{self, Evidence};
use super::{ANSWERS, Ask, Interrupt, LabelProgress, Prompt, ShownPassage, line};
use ragtriage_core::types::{Corpus, DocId, Group, Member, Question, QuestionKind};

/// A question being labelled.
pub(super) struct Judging<'a> {
    pub question: &'a Question,
    pub corpus: &'a Corpus,
    /// Indexes of the passages, in display order.
    pub passages: &'a [usize],
    /// The question's position in the session, and the number of questions.
    pub place: (usize, usize),
    /// The decisions about the first passages, in order.
    judged: Vec<JudgedPassage>,
}

/// A decision about a passage, with its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
enum JudgedPassage {
    Skipped,
    Graded(i32),
    Answers(i32, Evidence),
}

/// The end of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Judged,
    Unanswerable,
    Stopped,
}

impl<'a> Judging<'a> {
    pub fn new(
        question: &'a Question,
        corpus: &'a Corpus,
        passages: &'a [usize],
        place: (usize, usize),
    ) -> Self {
        Self { question, corpus, passages, place, judged: Vec::new() }
    }

    /// Asks until the pool is exhausted or the annotator stops.
    pub fn run(&mut self, ask: &mut Ask<'_>) -> io::Result<End> {
        match self.judge_passages(ask) {
            Ok(end) => Ok(end),
            Err(Interrupt::Failed(error)) => Err(error),
            Err(Interrupt::Stop | Interrupt::Back) => Ok(End::Stopped),
        }
    }

    fn judge_passages(&mut self, ask: &mut Ask<'_>) -> Result<End, Interrupt> {
        let mut has_enough = false;
        loop {
            let is_at_end = self.judged.len() == self.passages.len();
            if has_enough || is_at_end {
                if self.is_answered() {
                    return Ok(End::Judged);
                }
                match close(self.question, ask) {
                    Err(Interrupt::Back) if is_at_end => drop(self.judged.pop()),
                    Err(Interrupt::Back) => {}
                    ended => return ended,
                }
                has_enough = false;
                continue;
            }
            let shown = self.shown();
            match command(&shown, ask)? {
                Command::Grade(grade) if grade >= ANSWERS => {
                    match evidence::ask(ask, &shown, &self.answers(), !self.is_answered()) {
                        Ok(evidence) => self.judged.push(JudgedPassage::Answers(grade, evidence)),
                        Err(Interrupt::Back) => {}
                        Err(interrupt) => return Err(interrupt),
                    }
                }
                Command::Grade(grade) => self.judged.push(JudgedPassage::Graded(grade)),
                Command::Skip => self.judged.push(JudgedPassage::Skipped),
                Command::Enough => has_enough = true,
                Command::Unanswerable => return Ok(End::Unanswerable),
                Command::Back => drop(self.judged.pop()),
            }
        }
    }

    fn shown(&self) -> ShownPassage<'a> {
        let number = self.passages[self.judged.len()];
        let (question, n_questions) = self.place;
        ShownPassage {
            question: self.question,
            progress: LabelProgress {
                question,
                n_questions,
                passage: self.judged.len() + 1,
                n_passages: self.passages.len(),
            },
            document: self.corpus.document_of(number),
            range: self.corpus.chunks()[number].range,
            is_answered: self.is_answered(),
        }
    }

    /// Returns true if a judged passage answers the question.
    pub fn is_answered(&self) -> bool {
        self.judged.iter().any(|judgment| matches!(judgment, JudgedPassage::Answers(..)))
    }

    /// Returns the wordings of the answer so far.
    fn answers(&self) -> Vec<String> {
        let mut answers = self.question.answers.clone();
        for judgment in &self.judged {
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
        self.judged.iter().filter(|judgment| **judgment != JudgedPassage::Skipped).count()
    }

    /// Returns the number of shown passages.
    pub fn n_shown(&self) -> usize {
        self.judged.len()
    }

    /// Returns the best grade of each judged document.
    pub fn grades(&self) -> BTreeMap<DocId, i32> {
        let mut grades = BTreeMap::new();
        for (number, judgment) in self.passages.iter().zip(&self.judged) {
            let grade = match judgment {
                JudgedPassage::Skipped => continue,
                JudgedPassage::Graded(grade) | JudgedPassage::Answers(grade, _) => *grade,
            };
            let best = grades.entry(self.corpus.document_of(*number).id.clone()).or_insert(grade);
            *best = grade.max(*best);
        }
        grades
    }

    /// Returns the question with its labels. Existing labels are retained; documents judged now get their
    /// new grade.
    pub fn labelled(&self, end: End) -> Question {
        let mut question = self.question.clone();
        let grades = self.grades();
        question.evidence = self.evidence(&grades);
        question.relevant.extend(grades);
        if end == End::Unanswerable {
            let Question { kind, answers, evidence, .. } = &mut question;
            (*kind, *answers, *evidence) = (QuestionKind::Unanswerable, Vec::new(), Vec::new());
            return question;
        }
        question.answers = self.answers();
        question.kind =
            evidence::kind(question.kind, &question.answers, !question.required.is_empty());
        question
    }

    /// Returns the question's previous evidence, without documents now judged not relevant, and with the passages that answer.
    ///
    /// Such a passage answers alone, so it is added as an alternative to every required group: if A and B are required, "A and
    /// B, or X" becomes "A or X, and B or X". Groups without members are dropped.
    fn evidence(&self, grades: &BTreeMap<DocId, i32>) -> Vec<Group> {
        let mut evidence = self.question.evidence.clone();
        for group in &mut evidence {
            group.retain(|member| grades.get(&member.doc).is_none_or(|grade| *grade > 0));
        }
        if evidence.is_empty() {
            evidence.push(Group::new());
        }
        for (number, judgment) in self.passages.iter().zip(&self.judged) {
            let JudgedPassage::Answers(_, Evidence { range, .. }) = judgment else {
                continue;
            };
            let doc = self.corpus.document_of(*number).id.clone();
            let member = Member { doc, ranges: range.iter().copied().collect() };
            for group in &mut evidence {
                if !group.contains(&member) {
                    group.push(member.clone());
                }
            }
        }
        evidence.retain(|group| !group.is_empty());
        evidence
    }
}

/// A decision about a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Grade(i32),
    Skip,
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
            "b" if shown.progress.passage == 1 => Prompt::FirstPassage,
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

/// Asks about the end of a question that no shown passage answers.
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
