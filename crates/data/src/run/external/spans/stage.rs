//! The stages that spans are: calls by name.

use std::collections::HashSet;

use super::span::Span;
use crate::run::external::recorded::{RecordedHit, RecordedStage, StageRole, step_named};
use ragtriage_core::types::Step;

/// Maximum number of characters of a stage's name.
const NAME_CHARS: usize = 60;

/// One call of a stage.
#[derive(Debug)]
pub(super) struct Call {
    role: StageRole,
    name: String,
    query: Option<String>,
    /// The documents, best first.
    pub documents: Vec<RecordedHit>,
    seconds: Option<f64>,
}

impl Call {
    /// Takes the documents of a span.
    pub(super) fn of(span: &mut Span, role: StageRole) -> Option<Self> {
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
        Self::of(&mut candidates, StageRole::Retriever)
    }
}

/// Returns the stages of `calls`, in the order of their first calls; those of a retriever stay separate. A name that means another
/// role, or one of several reorderings, is no longer that name.
pub(super) fn stages(calls: Vec<Call>) -> Vec<RecordedStage> {
    let mut groups: Vec<Vec<Call>> = Vec::new();
    for call in calls {
        let is_same =
            |group: &&mut Vec<Call>| (group[0].role, &group[0].name) == (call.role, &call.name);
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(call),
            None => groups.push(vec![call]),
        }
    }
    let n_orders = groups.iter().filter(|group| group[0].role == StageRole::Ranking).count();
    let mut names: HashSet<String> = HashSet::new();
    let mut stages: Vec<RecordedStage> = Vec::new();
    for calls in groups {
        let (role, mut name) = (calls[0].role, calls[0].name.clone());
        let is_ambiguous = step_named(&name)
            .map(StageRole::of)
            .is_some_and(|known| known != role || (n_orders > 1 && known == StageRole::Ranking));
        if is_ambiguous || names.contains(&name) {
            name.push_str(" span");
        }
        names.insert(name.clone());
        let unknown = if role == StageRole::Retriever { Step::External } else { Step::Ordered };
        let step = step_named(&name).unwrap_or(unknown);
        let is_joined = role == StageRole::Ranking && calls.len() > 1;
        let calls = if is_joined { vec![union(calls)] } else { calls };
        stages.extend(calls.into_iter().map(|Call { query, documents, seconds, .. }| {
            RecordedStage { query, seconds, ..RecordedStage::new(&name, step, documents) }
        }));
    }
    stages.sort_by_key(RecordedStage::role); // stable
    stages
}

/// Joins calls that reorder: a stage has one order. Scores of different queries do not compare.
fn union(calls: Vec<Call>) -> Call {
    let seconds = calls.iter().map(|call| call.seconds).sum();
    let mut joined = Call {
        role: StageRole::Ranking,
        name: String::new(),
        query: None,
        documents: Vec::new(),
        seconds,
    };
    let mut seen: HashSet<[Option<String>; 2]> = HashSet::new();
    for found in calls.into_iter().flat_map(|call| call.documents) {
        if seen.insert([found.text.clone(), found.doc_id.clone()]) {
            joined.documents.push(RecordedHit { score: None, ..found });
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(role: StageRole, name: &str, texts: &[&str]) -> Call {
        let document = |text: &&str| RecordedHit {
            text: Some((*text).to_owned()),
            score: Some(1.0),
            ..RecordedHit::default()
        };
        Call {
            role,
            name: name.to_owned(),
            query: None,
            documents: texts.iter().map(document).collect(),
            seconds: None,
        }
    }

    fn named(stages: &[RecordedStage]) -> Vec<(&str, Step)> {
        stages.iter().map(|stage| (stage.name.as_str(), stage.step)).collect()
    }

    #[test]
    fn calls_of_a_retriever_stay_separate_and_those_of_a_reranker_are_joined() {
        let stages = stages(vec![
            call(StageRole::Retriever, "search", &["a", "b"]),
            call(StageRole::Ranking, "rerank", &["b", "a"]),
            call(StageRole::Retriever, "search", &["c"]),
            call(StageRole::Ranking, "rerank", &["c", "a"]),
        ]);
        let search = ("search", Step::External);
        assert_eq!(named(&stages), [search, search, ("rerank", Step::Reranked)]);
        let hits = stages[2].hits.iter().flatten();
        let joined: Vec<_> = hits.map(|hit| (hit.text.as_deref(), hit.score)).collect();
        assert_eq!(joined, [(Some("b"), None), (Some("a"), None), (Some("c"), None)]);
    }

    #[test]
    fn names_that_mean_another_role_or_order_are_changed() {
        let stages = stages(vec![
            call(StageRole::Retriever, "bm25", &["a"]),
            call(StageRole::Retriever, "prompt", &["a"]),
            call(StageRole::Ranking, "reranked", &["a"]),
            call(StageRole::Ranking, "fused", &["a"]),
            call(StageRole::Ranking, "bm25", &["a"]),
        ]);
        assert_eq!(
            named(&stages),
            [
                ("bm25", Step::Bm25),
                ("prompt span", Step::External),
                ("reranked span", Step::Ordered),
                ("fused span", Step::Ordered),
                ("bm25 span", Step::Ordered),
            ]
        );
    }
}
