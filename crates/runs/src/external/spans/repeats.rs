//! Gathers the traces of each question into one record: several traces of a question are repeats.

use std::collections::{BTreeMap, HashMap};

use ragtriage_core::types::Note;
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::Traces;
use super::export::Export;
use super::span::Kind;
use super::stages::{Asked, asked};
use super::tree::{Tree, trees};
use crate::external::ExternalError;
use crate::external::input::Input;

/// Makes the records of an export.
///
/// # Errors
/// `NoTraces`.
pub(super) fn gather(
    input: &Input,
    export: Export,
    is_question: &(dyn Fn(&str) -> bool + Sync),
) -> Result<Traces, ExternalError> {
    let (n_spans, n_unknown) = (export.spans.len(), export.n_unknown);
    let trees = trees(export.spans);
    let n_traces = trees.len();
    let mut counts = Counts::default();
    counts.add(n_unknown, "objects of the file that are no span");
    let (of_rag, others): (Vec<Tree>, Vec<Tree>) = trees.into_iter().partition(is_of_rag);
    counts.add(
        others.len(),
        "traces without a span of a retriever, reranker or model, left out",
    );
    if of_rag.is_empty() {
        return Err(ExternalError::NoTraces {
            file: input.name().to_owned(),
            n_spans,
            n_traces,
        });
    }
    counts.add(
        of_rag.iter().map(|tree| tree.n_duplicates).sum(),
        "spans with the id of a later span of their trace, left out",
    );
    let asked: Vec<Vec<Asked>> = of_rag
        .into_par_iter()
        .map(|tree| {
            let questions = tree.questions(&|text| is_question(text)).into_iter();
            questions.map(asked).collect()
        })
        .collect();
    let mut positions: HashMap<String, usize> = HashMap::new();
    let mut questions: Vec<(String, Vec<Asked>)> = Vec::new();
    for mut one in asked.into_iter().flatten() {
        counts.add(one.n_without_documents, "retrievers and rerankers whose documents have no text or id, or are not recorded: their stages are unknown");
        counts.add(one.n_without_text, "calls of a model without recorded text");
        let Some(question) = one.question.take() else {
            counts.add(1, "traces that record no question, left out");
            continue;
        };
        let next = questions.len();
        let at = *positions.entry(question.clone()).or_insert(next);
        if at == next {
            questions.push((question, Vec::new()));
        }
        questions[at].1.push(one);
    }
    let records = questions
        .into_iter()
        .map(|(question, attempts)| {
            let line = attempts.first().map_or(1, |first| first.line);
            (input.line(line), record(question, attempts, &mut counts))
        })
        .collect();
    Ok(Traces {
        records,
        notes: counts.notes(),
    })
}

fn is_of_rag(tree: &Tree) -> bool {
    tree.spans.iter().any(|span| span.kind != Kind::Other)
}

/// Returns the fields of a question's record.
fn record(question: String, mut attempts: Vec<Asked>, counts: &mut Counts) -> Map<String, Value> {
    let mut fields = Map::from_iter([("question".to_owned(), Value::String(question))]);
    let n_attempts = attempts.len();
    // A trace that failed early has fewer stages than one that did not.
    let fullest = attempts
        .iter()
        .enumerate()
        .max_by_key(|(at, one)| (one.stages.len(), std::cmp::Reverse(*at)));
    let first = fullest.map_or(0, |(at, _)| at);
    let stages = std::mem::take(&mut attempts[first].stages);
    let n_other = attempts
        .iter()
        .enumerate()
        .filter(|(at, one)| {
            *at != first && !one.stages.is_empty() && rankings(&one.stages) != rankings(&stages)
        })
        .count();
    counts.add(n_other, "traces that retrieved other passages than another trace of their question: their answers count, its stages do");
    fields.insert("stages".to_owned(), Value::Object(stages));
    if let Some(prompt) = attempts[first].prompt.take() {
        fields.insert("prompt".to_owned(), Value::String(prompt));
    }
    let is_answered = |one: &Asked| one.answer.is_some() || one.error.is_some();
    attempts.retain(is_answered);
    match attempts.len() {
        0 => {}
        1 if n_attempts == 1 || attempts[0].error.is_none() => {
            for (key, value) in attempt(attempts.remove(0)) {
                fields.insert(key, value);
            }
        }
        _ => {
            let answers = attempts
                .into_iter()
                .map(|one| Value::Object(attempt(one)))
                .collect();
            fields.insert("answers".to_owned(), Value::Array(answers));
        }
    }
    fields
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

/// Returns the passages of each stage, without times and scores.
fn rankings(stages: &Map<String, Value>) -> Vec<(&str, Vec<(&Value, &Value)>)> {
    stages
        .iter()
        .map(|(name, stage)| {
            let calls = stage
                .as_array()
                .map_or(std::slice::from_ref(stage), Vec::as_slice);
            let hits = calls
                .iter()
                .filter_map(|call| call.get("hits")?.as_array())
                .flatten();
            (
                name.as_str(),
                hits.map(|hit| (&hit["text"], &hit["doc_id"])).collect(),
            )
        })
        .collect()
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
        notes
            .map(|(what, count)| Note {
                count,
                what: what.to_owned(),
            })
            .collect()
    }
}
