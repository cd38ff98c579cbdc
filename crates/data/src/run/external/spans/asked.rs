//! Facts of one question from its spans: stages, prompt and answer.
//!
//! A retriever's documents are candidates. A retriever around others (compression, fusion, several queries) and a
//! reranker reorder them; one that changes nothing is left out. The answer is that of the last model call whose text the
//! root returned, else of the last call; calls inside a retriever or reranker write queries or scores. What was packed is
//! left to the reader of records, which finds the passages in the prompt.

use std::collections::HashSet;

use super::document::{are_same, is_known};
use super::span::{Kind, Span};
use super::stage::{self, Call};
use super::tree::Tree;
use crate::run::external::recorded::{RecordedStage, RecordedUsage, StageRole};

/// Facts of a question in one trace.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// The question.
    pub question: Option<String>,
    /// The line of its first span.
    pub line: usize,
    /// The stages, in their order.
    pub stages: Vec<RecordedStage>,
    /// The prompt.
    pub prompt: Option<String>,
    /// The answer.
    pub answer: Option<String>,
    /// Tokens, cost, time and model of the answer.
    pub usage: RecordedUsage,
    /// The reason why it failed.
    pub error: Option<String>,
    /// Number of retrievers and rerankers whose documents are not recorded, or have neither text nor id.
    pub n_without_documents: usize,
    /// Number of model calls without recorded text.
    pub n_without_text: usize,
}

impl Asked {
    /// Returns the number of its stages, however often each was called.
    pub(super) fn n_stages(&self) -> usize {
        self.stages.iter().map(|stage| &stage.name).collect::<HashSet<_>>().len()
    }
}

/// Reads the spans of a trace that asks `question`.
pub(super) fn asked(question: Option<String>, mut tree: Tree) -> Asked {
    let line = tree.spans.iter().map(|span| span.line).min().unwrap_or(0);
    let mut asked = Asked { question, line, ..Asked::default() };
    answer(&tree, &mut asked);
    stages(&mut tree, &mut asked);
    asked
}

/// Moves the documents of the rankings to stages.
fn stages(tree: &mut Tree, asked: &mut Asked) {
    let (rankings, n_unrecorded) = rankings(tree);
    let has_retriever = rankings.iter().any(|(_, role)| *role == StageRole::Retriever);
    let mut calls: Vec<Call> = Vec::new();
    if !has_retriever {
        calls.extend(tree.spans.iter_mut().filter_map(Call::offered));
    }
    for (at, role) in rankings {
        calls.extend(Call::of(&mut tree.spans[at], role));
    }
    let n_calls = calls.len();
    calls.retain(|call| call.documents.iter().all(is_known));
    asked.n_without_documents = n_unrecorded + n_calls - calls.len();
    asked.stages = stage::stages(calls);
}

/// Returns the positions of the spans that rank documents, with their roles, and the number of those whose documents are
/// not recorded.
fn rankings(tree: &Tree) -> (Vec<(usize, StageRole)>, usize) {
    // The nearest rankings below each span.
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); tree.spans.len()];
    let is_wrapped = tree.below(Span::is_ranking);
    let (mut rankings, mut n_unrecorded) = (Vec::new(), 0);
    for (at, span) in tree.spans.iter().enumerate() {
        let mut nearest = std::mem::take(&mut below[at]);
        if span.is_ranking() {
            let is_search = span.kind == Kind::Retriever && nearest.is_empty();
            match nearest.as_slice() {
                [only] if changes_nothing(span, &tree.spans[*only]) => {}
                _ if is_search => rankings.push((at, StageRole::Retriever)),
                _ => rankings.push((at, StageRole::Ranking)),
            }
            nearest = vec![at];
        } else if matches!(span.kind, Kind::Retriever | Kind::Reranker) && nearest.is_empty() {
            n_unrecorded += usize::from(!is_wrapped[at]);
        }
        if let Some(parent) = tree.parents[at] {
            below[parent].append(&mut nearest);
        }
    }
    (rankings, n_unrecorded)
}

/// Returns true if a ranking returns what the only one below it did.
fn changes_nothing(span: &Span, below: &Span) -> bool {
    let is_wrapper = span.kind == below.kind || span.kind == Kind::Retriever;
    match (&span.documents, &below.documents) {
        (Some(outer), Some(inner)) => is_wrapper && are_same(outer, inner),
        _ => false,
    }
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
    let returned = roots.iter().find_map(|span| span.answer.as_deref()).map(str::trim);
    let calls = model_calls(tree);
    asked.n_without_text =
        calls.iter().filter(|span| span.answer.is_none() && span.error.is_none()).count();
    let is_returned =
        |span: &&&Span| returned.is_some() && span.answer.as_deref().map(str::trim) == returned;
    let chosen = calls.iter().rev().find(is_returned).or(calls.last());
    if let Some(span) = chosen {
        asked.prompt.clone_from(&span.prompt);
        asked.answer.clone_from(&span.answer);
        asked.usage.clone_from(&span.usage);
        asked.usage.seconds = span.seconds();
    }
    asked.answer = asked.answer.take().or_else(|| returned.map(str::to_owned));
    let failed = roots.iter().find_map(|span| span.error.as_ref());
    asked.error = failed.or_else(|| chosen.and_then(|span| span.error.as_ref())).cloned();
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
    let mut is_around = vec![false; n_spans];
    let is_inside = tree.below(|span| matches!(span.kind, Kind::Retriever | Kind::Reranker));
    for (at, span) in tree.spans.iter().enumerate() {
        if let Some(parent) = tree.parents[at] {
            is_around[parent] |= is_around[at] || span.kind == Kind::Model;
        }
    }
    let positions = (0..n_spans).filter(|at| !is_around[*at] && !is_inside[*at]);
    let mut calls: Vec<&Span> =
        positions.map(|at| &tree.spans[at]).filter(|span| span.kind == Kind::Model).collect();
    calls.sort_by_key(|span| span.start);
    calls
}
