//! The retriever contract: ranks chunks for any question.

use async_trait::async_trait;

use super::ask::RunFacts;
use super::progress::Progress;
use crate::Error;
use ragtriage_core::fuse::Parts;
use ragtriage_core::types::{Corpus, Hit, Ranking, RetrieverName};

/// The hits of a retriever.
#[derive(Clone, Debug, Default)]
pub struct Retrieved {
    /// Its ranking.
    pub ranking: Ranking,
    /// The score components of the best hits, if available.
    pub parts: Parts,
}

/// Finds chunks.
///
/// Contract: any question may be asked, prepared or not, with equal results. Returns at most `depth` hits in ranking order,
/// ties at the cutoff resolved by the ranking's order; only chunks that pass the run's filter. Without a match the ranking is
/// empty; a question that cannot be encoded is an error.
#[async_trait]
pub trait Retriever: Send + Sync {
    /// Returns its name in traces.
    fn name(&self) -> RetrieverName;

    /// Encodes questions in one batch before they are asked, which is faster than one by one. `facts` receives the time and the
    /// truncation by the encoder.
    async fn prepare(
        &mut self,
        _questions: &[&str],
        _progress: &dyn Progress,
        _facts: &mut RunFacts,
    ) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the best chunks for `question`.
    async fn retrieve(&self, question: &str, depth: usize) -> Result<Retrieved, Error>;

    /// Returns the ranking of exact search; `None` if that of [`Self::retrieve`] is exact.
    async fn retrieve_exactly(
        &self,
        _question: &str,
        _depth: usize,
    ) -> Result<Option<Ranking>, Error> {
        Ok(None)
    }
}

/// Asks `search` for more hits than `depth`, until the last one does not tie with the last of these: stores break ties arbitrarily,
/// a ranking by id. A store has at most `n_points`.
pub(crate) async fn through_ties<T, F: Future<Output = Result<Vec<T>, Error>>>(
    depth: usize,
    n_points: usize,
    score: impl Fn(&T) -> f32,
    search: impl Fn(usize) -> F,
) -> Result<Vec<T>, Error> {
    let mut limit = depth.saturating_add(1);
    loop {
        let found = search(limit).await?;
        let last = found.get(depth.wrapping_sub(1)).map(&score);
        let is_tied = found.len() == limit && depth > 0 && found.last().map(&score) == last;
        if !is_tied || limit > n_points {
            return Ok(found);
        }
        limit = limit.saturating_mul(4).min(n_points.saturating_add(1)).max(limit + 1);
    }
}

/// Converts chunk numbers with scores to a ranking of ids.
///
/// # Errors
/// A point that another process added to a collection after it was opened; a score that is not finite.
pub(crate) fn ranking(
    corpus: &Corpus,
    found: impl IntoIterator<Item = (u32, f64)>,
) -> Result<Ranking, Error> {
    let hits =
        found.into_iter().map(|(number, score)| match corpus.chunks().get(number as usize) {
            Some(_) if !score.is_finite() => Err(Error::other(format!(
                "the similarity of chunk {number} is not finite: its vector or the question's is too large"
            ))
            .with_hint("use the distance `cosine`, or check the encoder's vectors")),
            Some(_) => Ok(Hit { id: corpus.chunk_id(number as usize), score }),
            None => Err(Error::other(format!(
                "the vector store found point {number}, which is not a chunk of this corpus: another program wrote into the collection"
            ))
            .with_hint("delete the collection and run again: it is rebuilt")),
        });
    Ok(Ranking::new(hits.collect::<Result<_, _>>()?))
}
