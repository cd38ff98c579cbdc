//! Retrieval steps of one question: each retriever's ranking, the fused and the reranked one, and the one filtered by
//! `min_score`.

use std::sync::Arc;
use std::time::Instant;

use super::plan::RetrievalPlan;
use super::retriever::{Retrieved, Retriever};
use super::{PipelineError, rerank};
use ragtriage_core::attribute::support::SupportTest;
use ragtriage_core::fuse::Parts;
use ragtriage_core::types::{ChunkId, Corpus, Question, Ranking, Step, StepHit, Trace, TraceStep};

/// Queries every retriever, fuses several rankings, reranks, and drops hits below the minimum score.
///
/// # Errors
/// Errors of the first retriever that fails, or of the reranker.
pub async fn retrieve(
    retrievers: &[Arc<dyn Retriever>],
    trace: &Trace,
    plan: &RetrievalPlan,
    (corpus, title_prefix): (&Arc<Corpus>, bool),
) -> Result<Vec<TraceStep>, PipelineError> {
    let question = &trace.question;
    let mut found = Vec::with_capacity(retrievers.len());
    let mut steps: Vec<TraceStep> = Vec::with_capacity(retrievers.len() + 4);
    let mut exact_rankings = Vec::with_capacity(retrievers.len());
    for retriever in retrievers {
        let clock = Instant::now();
        let Retrieved {
            ranking,
            parts,
            exact,
        } = retriever.retrieve(&question.text, plan.candidates).await?;
        let (ranking, exact) = if plan.skip_same_id {
            let exact = exact.map(|exact| without_document(&exact, question));
            (without_document(&ranking, question), exact)
        } else {
            (ranking, exact)
        };
        exact_rankings.push(exact);
        let name = retriever.name();
        steps.push(step(name.into(), &ranking, &parts, clock));
        found.push((name, ranking));
    }
    for (at, exact) in exact_rankings.iter().enumerate() {
        let Some(exact) = exact else { continue };
        let others = found
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .flat_map(|(_, (_, ranking))| ranking.ids());
        let candidates: Vec<&ChunkId> = exact.ids().chain(others).collect();
        let support = SupportTest::new(question, &trace.gold.groups, corpus.as_ref());
        steps[at].exact = Some(support.of(candidates));
    }
    let mut last = if found.len() == 1 {
        found.pop().map(|(_, ranking)| ranking).unwrap_or_default()
    } else {
        let clock = Instant::now();
        let (fused, parts) = plan.fusion.fuse(&found);
        let fused = fused.cut(plan.candidates);
        steps.push(step(Step::Fused, &fused, &parts, clock));
        fused
    };
    if let Some(rerank) = &plan.rerank {
        let clock = Instant::now();
        let (reranked, parts) =
            rerank::rerank(rerank, &question.text, &last, corpus, title_prefix).await?;
        steps.push(step(Step::Reranked, &reranked, &parts, clock));
        last = reranked;
    }
    if let Some(least) = plan.min_score {
        let clock = Instant::now();
        // Hits beyond the reranker's depth have no score on its scale.
        let n_judged = plan
            .rerank
            .as_ref()
            .map_or(last.len(), |rerank| rerank.depth);
        let hits = last
            .hits()
            .iter()
            .take(n_judged)
            .filter(|hit| hit.score >= least)
            .cloned()
            .collect();
        steps.push(step(
            Step::MinScore,
            &Ranking::new(hits),
            &Parts::new(),
            clock,
        ));
    }
    Ok(steps)
}

/// Returns a ranking without the document whose id equals the question's.
fn without_document(ranking: &Ranking, question: &Question) -> Ranking {
    Ranking::new(
        ranking
            .hits()
            .iter()
            .filter(|hit| hit.id.doc() != question.id.as_str())
            .cloned()
            .collect(),
    )
}

fn step(step: Step, ranking: &Ranking, parts: &Parts, clock: Instant) -> TraceStep {
    let seconds = clock.elapsed().as_secs_f64();
    let hits = ranking.hits().iter().map(|hit| StepHit {
        id: hit.id.clone(),
        score: hit.score,
        parts: parts.get(&hit.id).cloned().unwrap_or_default(),
    });
    TraceStep::new(step, hits.collect(), seconds)
}
