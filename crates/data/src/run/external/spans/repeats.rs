//! Gathers the traces of each question into one record.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write as _;

use ragtriage_core::types::{ErrorKind, Note};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::asked::{Asked, asked};
use super::export::Export;
use super::span::Kind;
use super::tree::{Tree, trees};
use crate::run::external::input::Input;
use crate::run::external::recorded::{Recorded, RecordedAttempt, RecordedError};
use crate::{Error, Place};

/// The questions that a file's traces ask, in the order of the file.
#[derive(Debug)]
pub(super) struct Traces {
    /// The questions.
    pub questions: Vec<Repeats>,
    /// Counts of what was left out.
    pub notes: Vec<Note>,
}

/// The traces of one question; never empty.
#[derive(Debug)]
pub(super) struct Repeats {
    question: String,
    /// The one whose stages count first: the first of those with the most stages, as one that failed early has fewer.
    attempts: Vec<Asked>,
}

/// Gathers the questions of an export.
///
/// # Errors
/// `NoTraces`.
pub(super) fn gather(
    input: &Input,
    export: Export,
    is_question: &(dyn Fn(&str) -> bool + Sync),
) -> Result<Traces, Error> {
    let (n_spans, n_unknown) = (export.spans.len(), export.n_unknown);
    let trees = trees(export.spans);
    let n_traces = trees.len();
    let n_duplicates: usize = trees.iter().map(|tree| tree.n_duplicates).sum();
    let mut counts: Vec<Note> = Vec::new();
    Note::add(&mut counts, "[object|objects] of the file that [is|are] no span", n_unknown);
    let (of_rag, others): (Vec<Tree>, Vec<Tree>) = trees.into_iter().partition(is_of_rag);
    Note::add(
        &mut counts,
        "[trace|traces] without a span of a retriever, reranker or model, left out",
        others.len(),
    );
    if of_rag.is_empty() {
        let mut found = format!("spans: {n_spans}, traces: {n_traces}");
        if n_duplicates > 0 {
            let _ = write!(found, ", left out for the id of a later span: {n_duplicates}");
        }
        let file = input.name();
        let message = format!("`{file}` has no span of a retriever, reranker or model ({found})");
        let hint = "export OTLP/JSON, LangSmith runs or Langfuse observations; spans need `openinference.span.kind`, `gen_ai.operation.name`, `langfuse.observation.type` or `run_type`";
        return Err(Error::new(message, hint).of_kind(crate::run::Kind::NotTraces));
    }
    Note::add(
        &mut counts,
        "[span with the id of a later span of its|spans with the id of a later span of their] trace, left out",
        n_duplicates,
    );
    let n_traces = of_rag.len();
    let asked: Vec<Asked> = of_rag
        .into_par_iter()
        .filter_map(|tree| Some(asked(tree.question(&|text| is_question(text)).ok()?, tree)))
        .collect();
    Note::add(
        &mut counts,
        "[trace that asks|traces that ask] several questions of the data set, left out: record each question as a trace",
        n_traces - asked.len(),
    );
    let questions = by_question(asked.into_iter(), &mut counts);
    counts.sort_by(|a, b| a.what.cmp(&b.what));
    Ok(Traces { questions, notes: counts })
}

fn by_question(asked: impl Iterator<Item = Asked>, counts: &mut Vec<Note>) -> Vec<Repeats> {
    let mut positions: HashMap<String, usize> = HashMap::new();
    let mut questions: Vec<Repeats> = Vec::new();
    for mut one in asked {
        Note::add(
            counts,
            "[retriever or reranker|retrievers and rerankers] whose documents have no text or id, or are not recorded: [its stage is|their stages are] unknown",
            one.n_without_documents,
        );
        Note::add(counts, "[call|calls] of a model without recorded text", one.n_without_text);
        let Some(question) = one.question.take() else {
            Note::add(counts, "[trace that records|traces that record] no question, left out", 1);
            continue;
        };
        let next = questions.len();
        let at = *positions.entry(question.clone()).or_insert(next);
        if at == next {
            questions.push(Repeats { question, attempts: vec![one] });
        } else {
            questions[at].attempts.push(one);
        }
    }
    for repeats in &mut questions {
        repeats.attempts.sort_by_key(|one| Reverse(one.n_stages()));
        Note::add(
            counts,
            "[trace|traces] of a question that another trace asks: the one with the most stages counts, and the first answer",
            repeats.attempts.len() - 1,
        );
    }
    questions
}

fn is_of_rag(tree: &Tree) -> bool {
    tree.spans.iter().any(|span| span.kind != Kind::Other)
}

impl Repeats {
    /// Returns the line of its first span.
    pub(super) fn line(&self) -> usize {
        self.attempts.iter().map(|one| one.line).min().unwrap_or(1)
    }

    /// Returns the question's record.
    pub(super) fn record(mut self, position: Place) -> Recorded {
        let fullest = &mut self.attempts[0];
        let mut record = Recorded {
            position,
            question: Some(self.question),
            stages: std::mem::take(&mut fullest.stages),
            prompt: fullest.prompt.take(),
            ..Recorded::default()
        };
        let mut attempts = self.attempts.iter();
        if let Some(one) = attempts.find(|one| one.answer.is_some()) {
            let text = one.answer.clone();
            record.answer = Some(RecordedAttempt { text, usage: one.usage.clone(), error: None });
        } else {
            record.error = self.attempts.iter().find_map(|one| one.error.clone()).map(failed);
        }
        record
    }
}

fn failed(message: String) -> RecordedError {
    RecordedError { kind: ErrorKind::Permanent, message }
}
