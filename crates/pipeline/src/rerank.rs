//! Reordering of candidates by a reranker.

use std::collections::BTreeMap;

use super::index::indexed_text;
use super::plan::RerankPlan;
use crate::Error;
use ragtriage_clients::Error as ModelError;
use ragtriage_core::fuse::Parts;
use ragtriage_core::types::{Corpus, Hit, Ranking, TitledText};

/// Orders the first [`RerankPlan::depth`] hits by the reranker's scores, followed by the others in their order, each one below
/// the previous score: a ranking has one scale. The parts hold each hit's previous score.
///
/// # Errors
/// Errors of the reranker.
pub async fn rerank(
    plan: &RerankPlan,
    question: &str,
    candidates: &Ranking,
    corpus: &Corpus,
    title_prefix: bool,
) -> Result<(Ranking, Parts), Error> {
    let (seen, rest) = candidates.hits().split_at(plan.depth.min(candidates.len()));
    let texts: Vec<TitledText<'_>> = seen
        .iter()
        .map(|hit| {
            let number = corpus.chunk_number(&hit.id);
            let number = number.expect("retrievers return chunks of the corpus");
            indexed_text(corpus, number, title_prefix)
        })
        .collect();
    let scores: Vec<f64> =
        plan.reranker.scores(question, &texts).await?.into_iter().map(f64::from).collect();
    if scores.len() != texts.len() || scores.iter().any(|score| !score.is_finite()) {
        let what = format!(
            "{} scores for {} passages, or a score that is not finite",
            scores.len(),
            texts.len()
        );
        return Err(ModelError::contract(plan.reranker.fingerprint(), &what).into());
    }
    let lowest = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let below = (1..=rest.len()).map(|steps| lowest - steps as f64);
    let hits = candidates.hits().iter().zip(scores.iter().copied().chain(below));
    let hits = hits.map(|(hit, score)| Hit { id: hit.id.clone(), score }).collect();
    let parts = candidates.hits().iter().map(|hit| {
        let before = BTreeMap::from([(BEFORE.to_owned(), hit.score)]);
        (hit.id.clone(), before)
    });
    Ok((Ranking::new(hits), parts.collect()))
}

/// The part that holds the score before reranking.
const BEFORE: &str = "before";
