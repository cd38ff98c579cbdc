//! Labelling of one question: its passages are judged in order, then its labels are built.

use std::collections::{BTreeMap, HashSet};
use std::io;

use super::ANSWERS;
use super::annotator::{
    Annotator, AnnotatorReply, Closing, LabelProgress, PassageJudgment, ShownPassage,
};
use super::evidence::{self, Evidence};
use ragtriage_core::types::{Corpus, DocId, Group, Member, Question, QuestionKind};

/// A question being labelled.
pub(super) struct Judging<'a> {
    pub question: &'a Question,
    pub corpus: &'a Corpus,
    /// Indexes of the passages, in display order.
    pub passages: &'a [usize],
    /// The question's position in the session, and the number of questions.
    pub place: (usize, usize),
    /// Number of consecutive non-relevant passages after which labelling of the question stops.
    pub stop_after: Option<usize>,
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
        stop_after: Option<usize>,
    ) -> Self {
        Self { question, corpus, passages, place, stop_after, judged: Vec::new() }
    }

    /// Asks until the pool is exhausted or the annotator stops.
    pub fn run(&mut self, annotator: &mut dyn Annotator) -> io::Result<End> {
        let mut has_enough = false;
        loop {
            let is_at_end = self.judged.len() == self.passages.len() || self.has_nothing_more();
            if has_enough || is_at_end {
                if self.is_answered() {
                    return Ok(End::Judged);
                }
                match annotator.close(self.question)? {
                    Closing::Unanswerable => return Ok(End::Unanswerable),
                    Closing::Open => return Ok(End::Judged),
                    Closing::Stop => return Ok(End::Stopped),
                    Closing::Back if is_at_end => drop(self.judged.pop()),
                    Closing::Back => {}
                }
                has_enough = false;
                continue;
            }
            let shown = self.shown();
            match annotator.judge(&shown)? {
                PassageJudgment::Grade(grade) if grade >= ANSWERS => {
                    match evidence::ask(annotator, &shown, &self.answers(), !self.is_answered())? {
                        AnnotatorReply::Given(evidence) => {
                            self.judged.push(JudgedPassage::Answers(grade, evidence));
                        }
                        AnnotatorReply::Back => {}
                        AnnotatorReply::Stop => return Ok(End::Stopped),
                    }
                }
                PassageJudgment::Grade(grade) => self.judged.push(JudgedPassage::Graded(grade)),
                PassageJudgment::Skip => self.judged.push(JudgedPassage::Skipped),
                PassageJudgment::Enough => has_enough = true,
                PassageJudgment::Unanswerable if !self.is_answered() => {
                    return Ok(End::Unanswerable);
                }
                PassageJudgment::Unanswerable => {}
                PassageJudgment::Back => drop(self.judged.pop()),
                PassageJudgment::Stop => return Ok(End::Stopped),
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

    /// Returns true if the last `stop_after` passages were all not relevant.
    fn has_nothing_more(&self) -> bool {
        let in_a_row = self
            .judged
            .iter()
            .rev()
            .take_while(|judgment| matches!(judgment, JudgedPassage::Graded(..=0)));
        self.stop_after.is_some_and(|most| in_a_row.count() >= most)
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
