//! The steps after the final ranking: the top k, with the text around them where that is configured, and the passages of them
//! that fit the prompt.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use super::plan::Plan;
use super::prompt;
use ragtriage_core::expand::Expander;
use ragtriage_core::types::{ChunkId, Corpus, Gold, Step, StepHit, TraceStep};

/// Returns the step of expansion, with an `expander`, and that of packing. `ranked` are the steps of retrieval.
pub(super) fn steps(
    ranked: &[TraceStep],
    gold: &Gold,
    expander: Option<&Expander>,
    corpus: &Corpus,
    plan: &Plan,
) -> Vec<TraceStep> {
    let last = ranked.last().map_or(&[][..], |last| &last.hits);
    let top = &last[..plan.retrieval.k.min(last.len())];
    let ids: Vec<&ChunkId> = top.iter().map(|hit| &hit.id).collect();
    let mut steps = Vec::with_capacity(2);
    if let Some(expander) = expander {
        let clock = Instant::now();
        let hits = scored(expander.passages(&ids, corpus), top);
        let gold_around = gold_around(ranked, gold, expander, corpus);
        let seconds = clock.elapsed().as_secs_f64();
        steps.push(TraceStep { gold_around, ..TraceStep::new(Step::Expanded, hits, seconds) });
    }
    let clock = Instant::now();
    let packed = if let Some(expander) = expander {
        expanded_fitting(&ids, expander, corpus, plan)
    } else {
        let packed = prompt::pack(ids, corpus, &plan.prompt, plan.title_prefix);
        packed.into_iter().zip(0..).collect()
    };
    let hits = scored(packed, top);
    let seconds = clock.elapsed().as_secs_f64();
    steps.push(TraceStep::new(Step::Packed, hits, seconds));
    steps
}

/// Returns the passages around the most hits, from the first, that fit the budget. Passages of fewer hits are smaller where later
/// ones would be merged into them: the text around a late hit never displaces that around an early one.
fn expanded_fitting(
    hits: &[&ChunkId],
    expander: &Expander,
    corpus: &Corpus,
    plan: &Plan,
) -> Vec<(ChunkId, usize)> {
    let (mut fitting, mut tokens) = (Vec::new(), HashMap::new());
    let mut tokens_of = |id: &ChunkId| -> usize {
        *tokens
            .entry(id.clone())
            .or_insert_with(|| prompt::tokens_of(id, corpus, &plan.prompt, plan.title_prefix))
    };
    for n in 1..=hits.len() {
        let passages = expander.passages(&hits[..n], corpus);
        let needed: usize = passages.iter().map(|(id, _)| tokens_of(id)).sum();
        if needed > plan.prompt.context_tokens {
            break;
        }
        fitting = passages;
    }
    fitting
}

/// Returns the gold chunks in the text around the candidates, which are recorded without it.
fn gold_around(
    ranked: &[TraceStep],
    gold: &Gold,
    expander: &Expander,
    corpus: &Corpus,
) -> Vec<ChunkId> {
    let retrievers = ranked.iter().filter(|step| step.step.is_retriever());
    let hits = retrievers.flat_map(|step| step.hits.iter().map(|hit| &hit.id));
    let mut candidates: Vec<&ChunkId> = hits.collect();
    candidates.sort_unstable();
    candidates.dedup();
    let members = gold.groups.iter().flatten();
    let chunks = members.flat_map(|member| &member.chunks);
    expander.around_any(chunks, &candidates, corpus)
}

/// Gives each passage the score of its first hit in `top`.
fn scored(passages: Vec<(ChunkId, usize)>, top: &[StepHit]) -> Vec<StepHit> {
    let hits = passages.into_iter().map(|(id, first)| StepHit {
        id,
        score: top[first].score,
        parts: BTreeMap::new(),
    });
    hits.collect()
}
