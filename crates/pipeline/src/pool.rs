//! Pooling: the best hits of several retrievers, merged for annotation.
//!
//! Follows TREC's pooling of participants' runs (Spärck Jones and van Rijsbergen 1975; Voorhees and Harman, "TREC", 2005,
//! chapter 2): the union of each retriever's first `depth` passages. Passages that no retriever ranks there are unjudged.
//! Rankings are neither fused nor reranked: fusion would let the retrievers that agree outvote the one that alone is
//! correct.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::index_cache::{IndexCache, Ingested};
use super::plan::Plan;
use super::progress::Progress;
use super::retriever::Retriever;
use crate::Error;
use ragtriage_core::types::{ChunkId, Document, Pooled, Pools, Question, RetrieverName};

/// Pools the first `depth` passages of each of `plan`'s retrievers, for each of `questions`.
///
/// # Errors
/// Errors of [`IndexCache::ingest`] and of the first retriever that fails.
pub async fn pool(
    documents: Vec<Document>,
    questions: Vec<Question>,
    plan: &Plan,
    depth: usize,
    progress: &dyn Progress,
) -> Result<Pools, Error> {
    let mut stock = IndexCache::of_all(documents.into(), questions);
    let Ingested { corpus, retrievers, .. } = stock.ingest(plan, progress).await?;
    let questions = stock.questions();
    let mut of = Vec::with_capacity(questions.len());
    progress.start("pooling", questions.len() as u64);
    for (_, question) in questions {
        of.push(pool_one(&retrievers, &question.text, depth).await?);
        progress.advance(1);
    }
    progress.finish();
    Ok(Pools { corpus, of })
}

async fn pool_one(
    retrievers: &[Arc<dyn Retriever>],
    question: &str,
    depth: usize,
) -> Result<Vec<Pooled>, Error> {
    let mut ranks: BTreeMap<ChunkId, BTreeMap<RetrieverName, usize>> = BTreeMap::new();
    for retriever in retrievers {
        let found = retriever.retrieve(question, depth).await?;
        for (rank, id) in (1..).zip(found.ranking.ids()) {
            ranks.entry(id.clone()).or_default().insert(retriever.name(), rank);
        }
    }
    let mut pooled: Vec<Pooled> =
        ranks.into_iter().map(|(id, ranks)| Pooled { id, ranks, is_candidate: false }).collect();
    pooled.sort_by_key(Pooled::best_rank); // stable: equal ranks are ordered by id
    Ok(pooled)
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;

    use super::*;
    use crate::retriever::Retrieved;
    use ragtriage_core::types::{Hit, Ranking};

    /// A retriever with fixed results for every question.
    struct Fixed(RetrieverName, Vec<(&'static str, f64)>);

    #[async_trait]
    impl Retriever for Fixed {
        fn name(&self) -> RetrieverName {
            self.0
        }

        async fn retrieve(&self, _: &str, depth: usize) -> Result<Retrieved, Error> {
            let hits = self.1.iter().map(|(id, score)| Hit { id: (*id).into(), score: *score });
            Ok(Retrieved {
                ranking: Ranking::new(hits.collect()).cut(depth),
                ..Retrieved::default()
            })
        }
    }

    /// Returns each pooled passage with its ranks by terms and by vectors.
    async fn pooled(
        terms: &[(&'static str, f64)],
        vectors: &[(&'static str, f64)],
        depth: usize,
    ) -> Vec<(String, Option<usize>, Option<usize>)> {
        let retrievers: Vec<Arc<dyn Retriever>> = vec![
            Arc::new(Fixed(RetrieverName::Bm25, terms.to_vec())),
            Arc::new(Fixed(RetrieverName::Dense, vectors.to_vec())),
        ];
        let pooled = pool_one(&retrievers, "why?", depth).await.expect("pooled");
        let rank = |passage: &Pooled, name| passage.ranks.get(&name).copied();
        pooled
            .iter()
            .map(|one| {
                (
                    one.id.to_string(),
                    rank(one, RetrieverName::Bm25),
                    rank(one, RetrieverName::Dense),
                )
            })
            .collect()
    }

    #[tokio::test]
    async fn a_pool_is_the_union_with_the_best_ranked_first_and_equals_by_id() {
        // By terms c, a, b; by vectors d, c, e. Best ranks: c and d 1, a 2, b and e 3.
        let found = pooled(
            &[("c#0", 9.0), ("a#0", 8.0), ("b#0", 7.0)],
            &[("d#0", 0.9), ("c#0", 0.8), ("e#0", 0.7)],
            3,
        );
        let expected = [
            ("c#0", Some(1), Some(2)),
            ("d#0", None, Some(1)),
            ("a#0", Some(2), None),
            ("b#0", Some(3), None),
            ("e#0", None, Some(3)),
        ];
        assert_eq!(
            found.await,
            expected.map(|(id, terms, vectors)| (id.to_owned(), terms, vectors))
        );
    }

    #[tokio::test]
    async fn what_stands_below_the_depth_of_every_retriever_is_not_pooled() {
        let found = pooled(&[("a#0", 2.0), ("b#0", 1.0)], &[("b#0", 0.9), ("c#0", 0.8)], 1).await;
        assert_eq!(found, [("a#0".to_owned(), Some(1), None), ("b#0".to_owned(), None, Some(1))]);
        assert_eq!(pooled(&[], &[], 5).await, []);
    }
}
