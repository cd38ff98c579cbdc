//! The stages that spans are: calls by name, in the form of the record.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::document::Document;
use super::span::Span;
use crate::run::external::recorded::Role;

/// Maximum number of characters of a stage's name.
const NAME_CHARS: usize = 60;

/// A stage.
#[derive(Debug)]
pub(super) struct Stage {
    /// Its name, unique in its record.
    pub name: String,
    /// Its calls; one, unless it is a retriever's.
    pub calls: Vec<Call>,
}

/// One call of a stage.
#[derive(Debug)]
pub(super) struct Call {
    role: Role,
    name: String,
    query: Option<String>,
    /// The documents, best first.
    pub documents: Vec<Document>,
    seconds: Option<f64>,
}

impl Call {
    /// Takes the documents of a span.
    pub(super) fn of(span: &mut Span, role: Role) -> Option<Self> {
        let name: String = span.name.trim().chars().take(NAME_CHARS).collect();
        Some(Self {
            role,
            name: if name.is_empty() { role.name().to_owned() } else { name },
            query: span.query.clone(),
            documents: span.documents.take()?,
            seconds: span.seconds(),
        })
    }

    /// Takes the candidates that a reranker was given, where no retriever is recorded.
    pub(super) fn offered(span: &mut Span) -> Option<Self> {
        let mut candidates = Span {
            name: format!("{} input", span.name.trim()),
            query: span.query.clone(),
            documents: Some(span.offered.take()?),
            ..Span::default()
        };
        Self::of(&mut candidates, Role::Retriever)
    }

    fn fields(self) -> Value {
        let hits: Vec<Value> = self.documents.into_iter().map(Document::hit).collect();
        let mut fields = json!({"role": self.role.name()});
        fields["hits"] = Value::Array(hits);
        if let Some(query) = self.query {
            fields["query"] = Value::String(query);
        }
        if let Some(seconds) = self.seconds {
            fields["seconds"] = json!(seconds);
        }
        fields
    }
}

impl Stage {
    /// Returns true if it found the same documents.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let mut pairs = self.calls.iter().zip(&other.calls);
        self.name == other.name
            && self.calls.len() == other.calls.len()
            && pairs.all(|(one, other)| Document::are_same(&one.documents, &other.documents))
    }
}

/// Returns `stages` in the form of the record.
pub(super) fn fields(stages: Vec<Stage>) -> Map<String, Value> {
    let fields = stages.into_iter().map(|Stage { name, mut calls }| {
        let only = if calls.len() == 1 { calls.pop() } else { None };
        let value = match only {
            Some(call) => call.fields(),
            None => calls.into_iter().map(Call::fields).collect(),
        };
        (name, value)
    });
    fields.collect()
}

/// Returns the stages of `calls`, in the order of their first calls. A name that means another role, or one of several
/// reorderings, is no longer that name.
pub(super) fn by_name(calls: Vec<Call>) -> Vec<Stage> {
    let mut stages: Vec<(Role, Stage)> = Vec::new();
    for call in calls {
        let same =
            |(role, stage): &&mut (Role, Stage)| *role == call.role && stage.name == call.name;
        match stages.iter_mut().find(same) {
            Some((_, stage)) => stage.calls.push(call),
            None => stages.push((call.role, Stage { name: call.name.clone(), calls: vec![call] })),
        }
    }
    let n_orders = stages.iter().filter(|(role, _)| *role == Role::Order).count();
    let mut names: HashSet<String> = HashSet::new();
    for (role, stage) in &mut stages {
        let known = Role::of_name(&stage.name);
        let is_ambiguous =
            known.is_some_and(|known| known != *role || (n_orders > 1 && known == Role::Order));
        if is_ambiguous || names.contains(&stage.name) {
            stage.name.push_str(" span");
        }
        names.insert(stage.name.clone());
        if *role == Role::Order && stage.calls.len() > 1 {
            stage.calls = vec![union(std::mem::take(&mut stage.calls))];
        }
    }
    stages.into_iter().map(|(_, stage)| stage).collect()
}

/// Joins calls that reorder: a stage has one order. Scores of different queries do not compare.
fn union(calls: Vec<Call>) -> Call {
    let seconds = calls.iter().map(|call| call.seconds).sum();
    let mut joined = Call {
        role: Role::Order,
        name: String::new(),
        query: None,
        documents: Vec::new(),
        seconds,
    };
    let mut seen: HashSet<(Option<String>, Option<String>)> = HashSet::new();
    for found in calls.into_iter().flat_map(|call| call.documents) {
        if seen.insert((found.text.clone(), found.id.clone())) {
            joined.documents.push(Document { score: None, ..found });
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(role: Role, name: &str, texts: &[&str]) -> Call {
        let document = |text: &&str| Document {
            text: Some((*text).to_owned()),
            score: Some(1.0),
            ..Document::default()
        };
        Call {
            role,
            name: name.to_owned(),
            query: None,
            documents: texts.iter().map(document).collect(),
            seconds: None,
        }
    }

    fn names(stages: &[Stage]) -> Vec<&str> {
        stages.iter().map(|stage| stage.name.as_str()).collect()
    }

    #[test]
    fn calls_of_a_retriever_stay_separate_and_those_of_a_reranker_are_joined() {
        let stages = by_name(vec![
            call(Role::Retriever, "search", &["a", "b"]),
            call(Role::Order, "rerank", &["b", "a"]),
            call(Role::Retriever, "search", &["c"]),
            call(Role::Order, "rerank", &["c", "a"]),
        ]);
        assert_eq!(names(&stages), ["search", "rerank"]);
        assert_eq!(stages[0].calls.len(), 2);
        assert_eq!(
            fields(stages)["rerank"]["hits"],
            json!([{"text": "b"}, {"text": "a"}, {"text": "c"}])
        );
    }

    #[test]
    fn names_that_mean_another_role_or_order_are_changed() {
        let stages = by_name(vec![
            call(Role::Retriever, "bm25", &["a"]),
            call(Role::Retriever, "prompt", &["a"]),
            call(Role::Order, "reranked", &["a"]),
            call(Role::Order, "fused", &["a"]),
            call(Role::Order, "bm25", &["a"]),
        ]);
        assert_eq!(
            names(&stages),
            ["bm25", "prompt span", "reranked span", "fused span", "bm25 span"]
        );
    }
}
