//! Planted losses: one clean question, one stage broken at a time, and the expected diagnosis. The question and its
//! corpus are here.

mod cause;
mod classes;
mod elsewhere;
mod flags;
mod reasons;
mod recorded;
mod unlabelled;
mod wide;

use super::classify::{Outcome, classify};
use super::gold;
use super::judge::Judgments;
use crate::correctness::Correctness;
use crate::types::{
    Attempt, Chunk, Condition, ConditionAnswers, Corpus, Document, Gold, Group, Member, Passage,
    Question, QuestionKind, Stance, Step, StepHit, Trace, TraceStep,
};

/// Document `d` is 30 bytes in three chunks of ten; each test sets the gold range. Document `e` holds the answer too.
const TEXT: &str = "aaaa bbbb cccc 1992 dddd eeee.";

fn corpus(ranges: &[(usize, usize)]) -> Corpus {
    let document = |id: &str, text: &str| Document {
        id: id.into(),
        title: String::new(),
        text: text.to_owned(),
        metadata: [].into(),
    };
    let chunk = |document, range: (usize, usize)| Chunk::new(document, range.into(), 1);
    let mut chunks: Vec<Chunk> = ranges.iter().map(|range| chunk(0, *range)).collect();
    chunks.push(chunk(1, (0, 13)));
    Corpus::new(vec![document("d", TEXT), document("e", "in 1992, cccc")], chunks)
}

fn question(evidence: Vec<Group>) -> Question {
    Question {
        kind: QuestionKind::Span,
        answers: vec!["1992".to_owned()],
        evidence,
        ..Question::new("q".into(), "When cccc?".to_owned())
    }
}

fn member(doc: &str, ranges: &[(usize, usize)]) -> Member {
    Member { doc: doc.into(), ranges: ranges.iter().map(|range| (*range).into()).collect() }
}

fn attempt(extracted: &str, stance: Stance) -> Attempt {
    Attempt { stance, ..Attempt::new(extracted) }
}

/// Returns a trace with one retriever's ranking, packed as given, answered by both conditions.
fn trace(
    question: Question,
    corpus: &Corpus,
    ranked: &[&str],
    packed: &[&str],
    answer: Option<Attempt>,
) -> Trace {
    let gold = gold::locate(&question, corpus, || panic!("the question has evidence"), &|_| None);
    with_gold(question, gold, ranked, packed, answer)
}

fn with_gold(
    question: Question,
    gold: Gold,
    ranked: &[&str],
    packed: &[&str],
    answer: Option<Attempt>,
) -> Trace {
    let step = |step, ids: &[&str]| {
        let hits = ids.iter().map(|id| StepHit { id: (*id).into(), score: 0.0, parts: [].into() });
        TraceStep::new(step, hits.collect(), 0.0)
    };
    Trace {
        index: 0,
        question,
        gold,
        rewrite: None,
        steps: vec![step(Step::Bm25, ranked), step(Step::Packed, packed)],
        other_searches: None,
        conditions: answer
            .map(|attempt| ConditionAnswers {
                condition: Condition::Retrieved,
                attempts: vec![attempt],
            })
            .into_iter()
            .collect(),
        probe: None,
        error: None,
    }
}

fn wrong() -> Attempt {
    attempt("1815", Stance::Answered)
}

fn judged(trace: &Trace, corpus: &Corpus, retrieved: bool, oracle: Option<bool>) -> Outcome {
    let answers = [(Condition::Retrieved, Some(retrieved)), (Condition::Oracle, oracle)];
    let answers: Vec<(Condition, bool)> = answers
        .into_iter()
        .filter_map(|(condition, correct)| Some((condition, correct?)))
        .collect();
    classify(trace, 2, judgments(&answers), corpus)
}

fn judgments(answers: &[(Condition, bool)]) -> Judgments {
    answers.iter().fold(Judgments::default(), |judgments, (condition, is_correct)| {
        judgments.with(*condition, Correctness::from_correct(*is_correct))
    })
}

/// The three chunks of ten bytes; bytes 9, 14, 19 of the text are white space, all in chunks.
const TENS: [(usize, usize); 3] = [(0, 10), (10, 20), (20, 30)];

/// Returns a passage of `d` chunked by another system, or of a document that is not ours.
fn shown(doc: &str, range: (usize, usize)) -> Passage {
    let text = if doc == "d" { TEXT[range.0..range.1].to_owned() } else { String::new() };
    Passage {
        id: format!("{doc}#{}-{}", range.0, range.1).as_str().into(),
        doc: doc.into(),
        title: String::new(),
        range: range.into(),
        text,
        tokens: None,
    }
}
