//! Retrieval steps of one question: each retriever's ranking, the fused and the reranked one, and the one filtered by
//! `min_score`.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use super::plan::RetrievalPlan;
use super::retriever::{Retrieved, Retriever};
use super::{Error, rerank};
use ragtriage_core::attribute::Passages;
use ragtriage_core::attribute::support::{Reading, SupportTest};
use ragtriage_core::fuse::Parts;
use ragtriage_core::text::sentences::split;
use ragtriage_core::types::{
    ByteRange, ChunkId, Corpus, GoldMember, OtherSearches, Question, Ranking, Step, StepHit, Trace,
    TraceStep,
};

/// Maximum length of a whole document as a query.
const MOST_CHARS: usize = 1_000;

/// Queries every retriever, fuses several rankings, reranks, and drops hits below the minimum score. If `is_compared`, exact
/// search runs next to each approximate one.
///
/// # Errors
/// Errors of the first retriever that fails, or of the reranker.
pub async fn retrieve(
    retrievers: &[Arc<dyn Retriever>],
    (trace, is_compared): (&Trace, bool),
    plan: &RetrievalPlan,
    (corpus, title_prefix): (&Arc<Corpus>, bool),
) -> Result<Vec<TraceStep>, Error> {
    let (question, query) = (&trace.question, trace.query());
    let rewritten = Some(query).filter(|query| *query != question.text).map(str::to_owned);
    let mut found = Vec::with_capacity(retrievers.len());
    let mut steps: Vec<TraceStep> = Vec::with_capacity(retrievers.len() + 4);
    for retriever in retrievers {
        let clock = Instant::now();
        let Retrieved { ranking, parts } = retriever.retrieve(query, plan.candidates).await?;
        let ranking = allowed(ranking, question, plan);
        let name = retriever.name();
        let mut step = step(name.into(), &ranking, &parts, clock);
        step.query.clone_from(&rewritten);
        if is_compared {
            step.exact_search = exact_search(retriever.as_ref(), trace, plan).await?;
        }
        steps.push(step);
        found.push((name, ranking));
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
        let (reranked, parts) = rerank::rerank(rerank, query, &last, corpus, title_prefix).await?;
        let reranking = step(Step::Reranked, &reranked, &parts, clock);
        steps.push(TraceStep { query: rewritten, ..reranking });
        last = reranked;
    }
    if let Some(least) = plan.min_score {
        let clock = Instant::now();
        // Hits beyond the reranker's depth have no score on its scale.
        let n_judged = plan.rerank.as_ref().map_or(last.len(), |rerank| rerank.depth);
        let hits =
            last.hits().iter().take(n_judged).filter(|hit| hit.score >= least).cloned().collect();
        steps.push(step(Step::MinScore, &Ranking::new(hits), &Parts::new(), clock));
    }
    Ok(steps)
}

/// A search with other words than the question's.
pub struct OtherSearch {
    /// What is searched for.
    pub query: String,
    /// The gold documents that it is for: their groups, and the indexes in these; `None` for all.
    members: Option<Vec<(usize, usize)>>,
    /// The list of its results.
    found: fn(&mut OtherSearches) -> &mut Vec<ChunkId>,
}

impl OtherSearch {
    /// Returns the searches for the gold evidence of `trace`; `None` where a retriever found it.
    pub fn all(trace: &Trace, corpus: &Corpus, passages: &dyn Passages) -> Option<Vec<Self>> {
        let Trace { question, gold, .. } = trace;
        let candidates = trace.retrievers().flat_map(|step| step.hits.iter().map(|hit| &hit.id));
        let candidates: Vec<&ChunkId> = candidates.collect();
        let test = SupportTest::new(question, &gold.groups, passages);
        let is_labelled = gold.chunks.holds && !gold.groups.is_empty();
        if !is_labelled || test.holds(&candidates, Reading::Lenient) {
            return None;
        }
        let mut searches = Vec::new();
        let standalone = question.standalone.clone();
        searches.extend(standalone.map(|query| Self {
            query,
            members: None,
            found: |other| &mut other.standalone,
        }));
        let mut missing = test.missing_groups(&candidates);
        if missing.is_empty() {
            missing.extend(0..gold.groups.len());
        }
        for g in missing {
            for (m, member) in gold.groups[g].iter().enumerate() {
                let Some(document) = corpus.document(&member.doc) else { continue };
                let title = Some(&document.title).filter(|title| !title.is_empty());
                let with_title =
                    title.map_or_else(String::new, |it| format!("{} {it}", trace.query()));
                // The sentences of the evidence: a single word would be found anywhere.
                let is_needed = |sentence: &Range<usize>| {
                    let sentence = ByteRange::from(sentence.clone());
                    member.needed.iter().any(|range| range.overlaps(sentence))
                };
                let text = if member.needed.is_empty() { "" } else { &document.text };
                let sentences = split(text).into_iter().filter(is_needed);
                let mut words = sentences.map(|range| &text[range]).collect::<Vec<_>>().join(" ");
                if words.is_empty() {
                    let first = member.chunks.first().and_then(|id| corpus.text_of(id));
                    let text = first.map_or(document.text.as_str(), |(_, text, _)| text);
                    words.extend(text.chars().take(MOST_CHARS));
                }
                let lists: [fn(&mut OtherSearches) -> &mut Vec<ChunkId>; 2] =
                    [|other| &mut other.with_title, |other| &mut other.evidence];
                for (query, found) in [with_title, words].into_iter().zip(lists) {
                    // Several parts of a document have one title.
                    match searches.iter_mut().find(|search: &&mut Self| search.query == query) {
                        Some(Self { members: Some(members), .. }) => members.push((g, m)),
                        _ => searches.push(Self { query, members: Some(vec![(g, m)]), found }),
                    }
                }
            }
        }
        searches.retain(|search| !search.query.is_empty());
        Some(searches)
    }

    /// Adds what was found: the gold evidence with the chunks among the results.
    pub fn add(&self, other: &mut OtherSearches, groups: &[Vec<GoldMember>]) {
        let of_group = |g: usize| groups[g].iter().enumerate().map(move |(m, one)| ((g, m), one));
        let members = (0..groups.len()).flat_map(of_group);
        let members =
            members.filter(|(at, _)| self.members.as_ref().is_none_or(|all| all.contains(at)));
        (self.found)(other).extend(members.flat_map(|(_, member)| member.chunks.iter().cloned()));
    }
}

/// Makes the [`OtherSearch`]es of `trace`; `None` where a retriever found the evidence.
///
/// # Errors
/// Errors of the first retriever that fails.
pub async fn other_searches(
    retrievers: &[Arc<dyn Retriever>],
    trace: &Trace,
    plan: &RetrievalPlan,
    corpus: &Corpus,
) -> Result<Option<OtherSearches>, Error> {
    let Some(searches) = OtherSearch::all(trace, corpus, corpus) else { return Ok(None) };
    let mut other = OtherSearches::default();
    for search in searches {
        let mut candidates = HashSet::new();
        for retriever in retrievers {
            let ranking = retriever.retrieve(&search.query, plan.candidates).await?.ranking;
            candidates.extend(allowed(ranking, &trace.question, plan).ids().cloned());
        }
        let mut groups = trace.gold.groups.clone();
        for member in groups.iter_mut().flatten() {
            member.chunks.retain(|id| candidates.contains(id));
        }
        search.add(&mut other, &groups);
    }
    Ok(Some(other))
}

/// Returns the results of exact search; `None` if the retriever is exact itself.
async fn exact_search(
    retriever: &dyn Retriever,
    trace: &Trace,
    plan: &RetrievalPlan,
) -> Result<Option<Vec<ChunkId>>, Error> {
    let ranking = retriever.retrieve_exactly(trace.query(), plan.candidates).await?;
    Ok(ranking.map(|ranking| allowed(ranking, &trace.question, plan).ids().cloned().collect()))
}

/// Returns a ranking without the document whose id is the question's, if that one is left out: queries of BEIR's `ArguAna` and Quora
/// are documents.
fn allowed(ranking: Ranking, question: &Question, plan: &RetrievalPlan) -> Ranking {
    if !plan.skips_own_document {
        return ranking;
    }
    let hits = ranking.hits().iter();
    Ranking::new(hits.filter(|hit| hit.id.doc() != question.id.as_str()).cloned().collect())
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
