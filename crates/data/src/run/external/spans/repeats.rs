//! Gathers the traces of each question into one record: several traces of a question are repeats.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use ragtriage_core::types::Note;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde_json::{Map, Value, json};

use super::asked::{Asked, asked};
use super::export::Export;
use super::span::Kind;
use super::stage::{self, Stage};
use super::tree::{Tree, trees};
use crate::run::Error;
use crate::run::external::input::Input;

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
    attempts: Vec<Asked>,
    /// The attempt whose stages count: the first of those with the most stages, as one that failed early has fewer.
    fullest: usize,
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
    let mut counts = Counts::default();
    counts.add(n_unknown, "[object|objects] of the file that [is|are] no span");
    let (of_rag, others): (Vec<Tree>, Vec<Tree>) = trees.into_iter().partition(is_of_rag);
    counts.add(
        others.len(),
        "[trace|traces] without a span of a retriever, reranker or model, left out",
    );
    if of_rag.is_empty() {
        let mut found = format!("spans: {n_spans}, traces: {n_traces}");
        if n_duplicates > 0 {
            let _ = write!(found, ", left out for the id of a later span: {n_duplicates}");
        }
        if let Some(keys) = export.unknown_keys {
            let _ = write!(found, "; other objects have the keys {keys}");
        }
        let file = input.name();
        let message = format!("`{file}` has no span of a retriever, reranker or model ({found})");
        let hint = "export OTLP/JSON, LangSmith runs or Langfuse observations; spans need `openinference.span.kind`, `gen_ai.operation.name`, `langfuse.observation.type` or `run_type`";
        return Err(Error::new(message, hint).of_kind(crate::run::Kind::NotTraces));
    }
    counts.add(
        n_duplicates,
        "[span with the id of a later span of its|spans with the id of a later span of their] trace, left out",
    );
    let n_traces = of_rag.len();
    let asked: Vec<Asked> = of_rag
        .into_par_iter()
        .filter_map(|tree| Some(asked(tree.question(&|text| is_question(text)).ok()?, tree)))
        .collect();
    counts.add(
        n_traces - asked.len(),
        "[trace that asks|traces that ask] several questions of the data set, left out: record each question as a trace",
    );
    let questions = by_question(asked.into_iter(), &mut counts);
    Ok(Traces { questions, notes: counts.notes() })
}

fn by_question(asked: impl Iterator<Item = Asked>, counts: &mut Counts) -> Vec<Repeats> {
    let mut positions: HashMap<String, usize> = HashMap::new();
    let mut questions: Vec<Repeats> = Vec::new();
    for mut one in asked {
        counts.add(one.n_without_documents, "[retriever or reranker|retrievers and rerankers] whose documents have no text or id, or are not recorded: [its stage is|their stages are] unknown");
        counts.add(one.n_without_text, "[call|calls] of a model without recorded text");
        let Some(question) = one.question.take() else {
            counts.add(1, "[trace that records|traces that record] no question, left out");
            continue;
        };
        let next = questions.len();
        let at = *positions.entry(question.clone()).or_insert(next);
        if at == next {
            questions.push(Repeats { question, attempts: vec![one], fullest: 0 });
        } else {
            questions[at].attempts.push(one);
        }
    }
    for repeats in &mut questions {
        let attempts = repeats.attempts.iter().enumerate();
        let fullest = attempts.max_by_key(|(at, one)| (one.stages.len(), Reverse(*at)));
        repeats.fullest = fullest.map_or(0, |(at, _)| at);
        counts.add(repeats.n_other(), "[trace|traces] that retrieved other passages than another trace of [its|their] question: [its answer counts|their answers count], the stages of the other do");
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

    /// Returns the number of traces whose stages are not those of the fullest.
    fn n_other(&self) -> usize {
        let stages = &self.attempts[self.fullest].stages;
        let is_other = |one: &&Asked| !one.stages.is_empty() && !are_same(&one.stages, stages);
        self.attempts.iter().filter(is_other).count()
    }

    /// Returns the fields of the question's record.
    pub(super) fn fields(mut self) -> Map<String, Value> {
        let n_attempts = self.attempts.len();
        let fullest = &mut self.attempts[self.fullest];
        let mut fields = Map::from_iter([
            ("question".to_owned(), Value::String(self.question)),
            (
                "stages".to_owned(),
                Value::Object(stage::fields(std::mem::take(&mut fullest.stages))),
            ),
        ]);
        if let Some(prompt) = fullest.prompt.take() {
            fields.insert("prompt".to_owned(), Value::String(prompt));
        }
        let is_answered = |one: &Asked| one.answer.is_some() || one.error.is_some();
        self.attempts.retain(is_answered);
        let only =
            self.attempts.len() == 1 && (n_attempts == 1 || self.attempts[0].error.is_none());
        let mut answers = self.attempts.into_iter().map(attempt);
        if only {
            fields.extend(answers.next().into_iter().flatten());
        } else {
            let answers: Vec<Value> = answers.map(Value::Object).collect();
            if !answers.is_empty() {
                fields.insert("answers".to_owned(), Value::Array(answers));
            }
        }
        fields
    }
}

fn are_same(one: &[Stage], other: &[Stage]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.is_same(b))
}

fn attempt(one: Asked) -> Map<String, Value> {
    let mut fields = Map::new();
    if let Some(answer) = one.answer {
        fields.insert("answer".to_owned(), Value::String(answer));
        fields.insert("usage".to_owned(), Value::Object(one.usage));
    }
    if let Some(error) = one.error {
        fields.insert("error".to_owned(), json!(error));
    }
    fields
}

/// Counts by text.
#[derive(Default)]
struct Counts(BTreeMap<&'static str, usize>);

impl Counts {
    fn add(&mut self, count: usize, what: &'static str) {
        if count > 0 {
            *self.0.entry(what).or_default() += count;
        }
    }

    fn notes(self) -> Vec<Note> {
        let notes = self.0.into_iter();
        notes.map(|(what, count)| Note { count, what: what.to_owned() }).collect()
    }
}
