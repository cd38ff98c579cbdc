//! The stages, prompt and answer of one question's spans.
//!
//! A retriever's documents are candidates. A retriever around others (compression, fusion, several queries) and a
//! reranker reorder them; one that changes nothing is left out. The answer is that of the last model call whose text the
//! root returned, else of the last call; calls inside a retriever or reranker write queries or scores. What was packed is
//! left to the reader of records, which finds the passages in the prompt.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::document::Document;
use super::span::{Kind, Span};
use super::tree::{Question, Tree};
use crate::external::recorded::Role;

/// Maximum number of characters of a stage's name.
const NAME_CHARS: usize = 60;

/// What one trace says of a question.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Asked {
    /// The question.
    pub question: Option<String>,
    /// The line of its first span.
    pub line: usize,
    /// The stages, in their order, by name: calls in the form of the record.
    pub stages: Map<String, Value>,
    /// The prompt.
    pub prompt: Option<String>,
    /// The answer.
    pub answer: Option<String>,
    /// Tokens, cost, time and model of the answer.
    pub usage: Map<String, Value>,
    /// The reason why it failed.
    pub error: Option<String>,
    /// Number of retrievers and rerankers whose documents are not recorded, or have neither text nor id.
    pub n_without_documents: usize,
    /// Number of model calls without recorded text.
    pub n_without_text: usize,
}

/// Reads the spans of a question.
pub(super) fn asked(question: Question) -> Asked {
    let tree = &question.tree;
    let line = tree.spans.iter().map(|span| span.line).min().unwrap_or(0);
    let mut asked = Asked {
        question: question.text,
        line,
        ..Asked::default()
    };
    stages(tree, &mut asked);
    answer(tree, &mut asked);
    asked
}

fn stages(tree: &Tree, asked: &mut Asked) {
    // The nearest rankings below each span.
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); tree.spans.len()];
    let is_wrapped = wrapped(tree);
    let mut calls: Vec<Call<'_>> = Vec::new();
    let (mut n_unrecorded, mut n_offering) = (0, 0);
    for (at, span) in tree.spans.iter().enumerate() {
        let mut nearest = std::mem::take(&mut below[at]);
        if span.is_ranking() {
            if let Some(call) = call(tree, at, &nearest) {
                calls.push(call);
            }
            nearest = vec![at];
        } else if matches!(span.kind, Kind::Retriever | Kind::Reranker) && nearest.is_empty() {
            n_unrecorded += usize::from(!is_wrapped[at]);
        }
        n_offering += usize::from(span.offered.is_some());
        if let Some(parent) = tree.parents[at] {
            below[parent].append(&mut nearest);
        }
    }
    if n_offering > 0 && calls.iter().all(|call| call.role != Role::Retriever) {
        let offered = tree.spans.iter().filter_map(Call::offered);
        calls = offered.chain(calls).collect();
    }
    let n_calls = calls.len();
    calls.retain(|call| call.documents.iter().all(Document::is_known));
    asked.n_without_documents = n_unrecorded + n_calls - calls.len();
    asked.stages = by_name(calls);
}

/// Returns, for each span, whether a ranking called it directly or indirectly.
fn wrapped(tree: &Tree) -> Vec<bool> {
    let mut is_wrapped = vec![false; tree.spans.len()];
    for at in (0..tree.spans.len()).rev() {
        is_wrapped[at] = tree.parents[at]
            .is_some_and(|parent| is_wrapped[parent] || tree.spans[parent].is_ranking());
    }
    is_wrapped
}

/// One call of a stage.
struct Call<'s> {
    role: Role,
    name: String,
    query: Option<&'s str>,
    documents: &'s [Document],
    seconds: Option<f64>,
}

/// Returns the call that a ranking is; `None` if it returns what the one below it did.
fn call<'s>(tree: &'s Tree, at: usize, below: &[usize]) -> Option<Call<'s>> {
    let span = &tree.spans[at];
    let documents = span.documents.as_deref()?;
    if let [only] = below
        && tree.spans[*only]
            .documents
            .as_deref()
            .is_some_and(|other| are_same(documents, other))
        && (span.kind == tree.spans[*only].kind || span.kind == Kind::Retriever)
    {
        return None;
    }
    let is_search = span.kind == Kind::Retriever && below.is_empty();
    let role = if is_search {
        Role::Retriever
    } else {
        Role::Order
    };
    Some(Call {
        documents,
        ..Call::of(span, role)
    })
}

impl<'s> Call<'s> {
    fn of(span: &'s Span, role: Role) -> Self {
        let name: String = span.name.trim().chars().take(NAME_CHARS).collect();
        Self {
            role,
            name: if name.is_empty() {
                role.name().to_owned()
            } else {
                name
            },
            query: span.query.as_deref(),
            documents: &[],
            seconds: span.seconds(),
        }
    }

    /// Returns the candidates that a reranker was given, where no retriever is recorded.
    fn offered(span: &'s Span) -> Option<Self> {
        let call = Self::of(span, Role::Retriever);
        let name = format!("{} input", call.name);
        Some(Self {
            name,
            documents: span.offered.as_deref()?,
            seconds: None,
            ..call
        })
    }

    /// Returns the record's form of it.
    fn fields(&self) -> Value {
        let hits: Vec<Value> = self.documents.iter().map(Document::hit).collect();
        let mut fields = json!({"role": self.role.name(), "hits": hits});
        if let Some(query) = self.query {
            fields["query"] = json!(query);
        }
        if let Some(seconds) = self.seconds {
            fields["seconds"] = json!(seconds);
        }
        fields
    }
}

/// Returns the stages of `calls`, each with its name, in the order of their first calls.
fn by_name(calls: Vec<Call<'_>>) -> Map<String, Value> {
    let mut stages: Vec<(String, Vec<Call<'_>>)> = Vec::new();
    for call in calls {
        match stages
            .iter_mut()
            .find(|(_, others)| others[0].name == call.name && others[0].role == call.role)
        {
            Some((_, others)) => others.push(call),
            None => stages.push((call.name.clone(), vec![call])),
        }
    }
    let n_orders = stages
        .iter()
        .filter(|(_, calls)| calls[0].role == Role::Order)
        .count();
    let mut named = Map::new();
    for (name, calls) in stages {
        let role = calls[0].role;
        let is_ambiguous = Role::of_name(&name)
            .is_some_and(|known| known != role || (n_orders > 1 && known == Role::Order));
        let name = if is_ambiguous || named.contains_key(&name) {
            format!("{name} span")
        } else {
            name
        };
        let stage = match calls.as_slice() {
            [call] => call.fields(),
            calls if role == Role::Order => union(calls),
            calls => calls.iter().map(Call::fields).collect(),
        };
        named.insert(name, stage);
    }
    named
}

/// Returns the documents of several calls that reorder: a stage has one order. Scores of different queries do not compare.
fn union(calls: &[Call<'_>]) -> Value {
    let mut seen: HashSet<(&Option<String>, &Option<String>)> = HashSet::new();
    let documents = calls.iter().flat_map(|call| call.documents);
    let hits = documents.filter(|found| seen.insert((&found.text, &found.id)));
    let hits: Vec<Value> = hits
        .map(|found| {
            Document {
                score: None,
                ..found.clone()
            }
            .hit()
        })
        .collect();
    let mut stage = json!({"role": Role::Order.name(), "hits": hits});
    let seconds: Option<f64> = calls.iter().map(|call| call.seconds).sum();
    if let Some(seconds) = seconds {
        stage["seconds"] = json!(seconds);
    }
    stage
}

fn are_same(one: &[Document], other: &[Document]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(a, b)| a.text == b.text && a.id == b.id)
}

fn answer(tree: &Tree, asked: &mut Asked) {
    let mut roots: Vec<&Span> = tree
        .spans
        .iter()
        .zip(&tree.parents)
        .filter(|(_, parent)| parent.is_none())
        .map(|(span, _)| span)
        .collect();
    roots.retain(|span| span.kind == Kind::Other);
    roots.sort_by_key(|span| span.start);
    let returned = roots
        .iter()
        .find_map(|span| span.answer.as_deref())
        .map(str::trim);
    let calls = model_calls(tree);
    asked.n_without_text = calls
        .iter()
        .filter(|span| span.answer.is_none() && span.error.is_none())
        .count();
    let is_returned =
        |span: &&&Span| returned.is_some() && span.answer.as_deref().map(str::trim) == returned;
    let chosen = calls.iter().rev().find(is_returned).or(calls.last());
    if let Some(span) = chosen {
        asked.prompt.clone_from(&span.prompt);
        asked.answer.clone_from(&span.answer);
        asked.usage.clone_from(&span.usage);
        if let Some(seconds) = span.seconds() {
            asked.usage.insert("seconds".to_owned(), json!(seconds));
        }
    }
    asked.answer = asked.answer.take().or_else(|| returned.map(str::to_owned));
    let failed = roots.iter().find_map(|span| span.error.as_ref());
    asked.error = failed
        .or_else(|| chosen.and_then(|span| span.error.as_ref()))
        .cloned();
    if asked.error.is_none() && asked.answer.is_none() {
        asked.error = tree.spans.iter().find_map(|span| span.error.clone());
    }
    if asked.error.is_some() {
        asked.answer = None;
    }
}

/// Returns the model calls that may have answered, by their starts: none around another, none inside a retriever.
fn model_calls(tree: &Tree) -> Vec<&Span> {
    let n_spans = tree.spans.len();
    let (mut is_around, mut is_inside) = (vec![false; n_spans], vec![false; n_spans]);
    for (at, span) in tree.spans.iter().enumerate() {
        if let Some(parent) = tree.parents[at] {
            is_around[parent] |= is_around[at] || span.kind == Kind::Model;
        }
    }
    for at in (0..n_spans).rev() {
        is_inside[at] = tree.parents[at].is_some_and(|parent| {
            is_inside[parent] || matches!(tree.spans[parent].kind, Kind::Retriever | Kind::Reranker)
        });
    }
    let positions = (0..n_spans).filter(|at| !is_around[*at] && !is_inside[*at]);
    let mut calls: Vec<&Span> = positions
        .map(|at| &tree.spans[at])
        .filter(|span| span.kind == Kind::Model)
        .collect();
    calls.sort_by_key(|span| span.start);
    calls
}
