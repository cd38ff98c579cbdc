//! Label holes: passages that hold an answer and what is asked about, in documents that no label of the question names.
//!
//! Only what retrievers bring up is looked at, since only that is judged in a run: the pool of each retriever's best
//! (`pipeline::pool`). What is found is for a person to judge; it may be the same words said of something else.

use std::collections::{BTreeSet, HashSet};

use super::finding::{Finding, Rule};
use super::subject::Subject;
use crate::attribute::elsewhere::Elsewhere;
use crate::attribute::terms;
use crate::pipeline::pool::{Pooled, Pools};
use crate::text::normalise;
use crate::types::{DocId, Question};

/// How many passages of each retriever are pooled: what measures read of a ranking for the most part.
pub const DEPTH: usize = 10;

/// The least share of the question's content terms that the passage holds beside the answer. With one term alone most findings
/// were the answer's words said of something else.
const LEAST_SHARED: f64 = 0.5;

/// The numbers of the questions that are worth pooling for: with labels to hold against, and an answer that says something.
#[must_use]
pub fn worth_pooling(subject: &Subject<'_>) -> Vec<usize> {
    let is_worth = |question: &Question| {
        question.has_spans()
            && !(question.evidence.is_empty() && question.relevant.is_empty())
            && question.answers.iter().any(|answer| says_something(answer))
    };
    (0..subject.questions.len()).filter(|&number| is_worth(&subject.questions[number])).collect()
}

/// A finding for each question and unlabelled document, with the best ranked chunk. `pools` are those of the questions `numbers`.
#[must_use]
pub fn check(subject: &Subject<'_>, numbers: &[usize], pools: &Pools) -> Vec<Finding> {
    let of = |(number, pooled): (&usize, &Vec<Pooled>)| of_question(subject, *number, pooled, pools);
    numbers.iter().zip(&pools.of).flat_map(of).collect()
}

fn of_question(subject: &Subject<'_>, number: usize, pooled: &[Pooled], pools: &Pools) -> Vec<Finding> {
    let question = &subject.questions[number];
    let answers: Vec<String> = question.answers.iter().filter(|answer| says_something(answer)).cloned().collect();
    let elsewhere = Elsewhere::new(&question.text, &answers);
    let mut known: HashSet<&str> = question.evidence.iter().flatten().map(|member| member.doc.as_str()).collect();
    known.extend(question.relevant.keys().map(DocId::as_str));
    let mut found = Vec::new();
    for passage in pooled {
        let Some(text) = pools.corpus.chunk_number(&passage.id).map(|chunk| pools.corpus.chunk_text(chunk).0) else {
            continue;
        };
        if known.contains(passage.id.doc()) || !elsewhere.is_in(text) {
            continue;
        }
        let shared = terms::shared(text, elsewhere.wanted());
        if (shared.len() as f64) < LEAST_SHARED * elsewhere.wanted().len() as f64 {
            continue;
        }
        known.insert(passage.id.doc());
        found.push(finding(subject, number, passage, &shared));
    }
    found
}

fn finding(subject: &Subject<'_>, number: usize, passage: &Pooled, shared: &BTreeSet<String>) -> Finding {
    let (doc, rank) = (passage.id.doc(), passage.best_rank());
    let retrievers: Vec<&str> =
        passage.ranks.iter().filter(|(_, found)| **found == rank).map(|(stage, _)| stage.name()).collect();
    let shared: Vec<&str> = shared.iter().map(String::as_str).collect();
    let message = format!(
        "`{}` ({} {rank}) holds an answer and of the question {}; no label names `{doc}`",
        passage.id,
        retrievers.join(", "),
        shared.join(", ")
    );
    let hint = format!("does it answer? then add it to the evidence; if not, `\"relevant\": {{\"{doc}\": 0}}` says so");
    Finding {
        document: Some(doc.into()),
        chunk: Some(passage.id.clone()),
        rank: Some(rank),
        ..subject.finding(number, Rule::LabelHole, message, hint)
    }
}

/// Whether an answer found somewhere tells anything: `yes`, `no`, one or two letters or digits stand in any text.
fn says_something(answer: &str) -> bool {
    let answer = normalise::matching(answer);
    answer.chars().filter(|c| c.is_alphanumeric()).count() >= 3 && answer != "yes"
}
