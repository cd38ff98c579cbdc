//! An existing Qdrant collection as a retriever: its points are the run's chunks, its own search ranks them.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use sha2::{Digest, Sha256};

use super::ask::RunFacts;
use super::index::IndexInputs;
use super::plan::CollectionPlan;
use super::points::PointChunks;
use super::progress::Progress;
use super::questions::QuestionVectors;
use super::retriever::{Retrieved, Retriever, ranking, through_ties};
use crate::Error;
use ragtriage_clients::embed::Encoder;
use ragtriage_core::config::CollectionSettings;
use ragtriage_core::fuse::Parts;
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::{Corpus, Ranking, RetrieverName};
use ragtriage_data::run::ApproximateIndex;
use ragtriage_vectors::{
    CollectionContent, Error as VectorError, ExistingCollection, ExistingSearch, SearchMode,
    StoredPassage,
};

impl CollectionPlan {
    /// Creates the plan of a collection that was read.
    #[must_use]
    pub fn new(
        collection: Arc<dyn ExistingCollection>,
        content: Arc<CollectionContent>,
        settings: CollectionSettings,
        encoder: Option<Arc<dyn Encoder>>,
    ) -> Self {
        Self { digest: digest(&content), content, collection, settings, encoder }
    }
}

/// Returns the hash of all that was read of a collection.
fn digest(content: &CollectionContent) -> String {
    let mut hash = Sha256::new();
    let mut part = |text: Option<&str>| {
        hash.update(text.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
        hash.update(text.unwrap_or_default());
    };
    part(Some(&content.vectors_sha256));
    for passage in &content.passages {
        let StoredPassage { point, text, document, offsets } = passage;
        let offsets = offsets.map(|(start, end)| format!("{start}-{end}"));
        part(Some(point));
        part(text.as_deref());
        part(document.as_deref());
        part(offsets.as_deref());
    }
    hex(&hash.finalize())
}

/// Asks the collection itself. No result is cached beyond the process.
struct CollectionRetriever {
    corpus: Arc<Corpus>,
    points: Arc<PointChunks>,
    collection: Arc<dyn ExistingCollection>,
    settings: CollectionSettings,
    questions: Option<QuestionVectors>,
}

/// Builds the retriever over the chunks that the points became.
pub(crate) fn build(
    plan: &CollectionPlan,
    inputs: &IndexInputs<'_>,
    facts: &mut RunFacts,
) -> Box<dyn Retriever> {
    let index = plan.collection.index();
    let name = RetrieverName::Collection;
    facts
        .approximate
        .extend(index.map(|hnsw| ApproximateIndex { retriever: name.name().to_owned(), hnsw }));
    let encoder = plan.encoder.as_ref();
    Box::new(CollectionRetriever {
        corpus: Arc::clone(inputs.corpus),
        points: Arc::clone(inputs.points),
        collection: Arc::clone(&plan.collection),
        settings: plan.settings.clone(),
        questions: encoder.map(|encoder| QuestionVectors::new(name, Arc::clone(encoder))),
    })
}

impl CollectionRetriever {
    /// Returns the best hits, ties at the cutoff resolved by the ranking's order. Points with the same passage are one hit,
    /// with the best score of them.
    async fn search(
        &self,
        question: &str,
        depth: usize,
        mode: SearchMode,
    ) -> Result<Ranking, Error> {
        let vector = match &self.questions {
            Some(questions) => Some(questions.encoded(question).await?),
            None => None,
        };
        let (vector, candidates) = (vector.as_deref(), depth);
        let search = |limit| async move {
            let search = ExistingSearch { text: question, vector, candidates, limit, mode };
            self.collection.search(search).await.map_err(Error::from)
        };
        let score = |(_, score): &(String, f32)| *score;
        let found = through_ties(depth, self.points.len(), score, search).await?;
        let mut chunks: Vec<(u32, f64)> = Vec::with_capacity(found.len());
        let mut seen = HashSet::new();
        for (point, score) in found {
            let number = *self.points.get(&point).ok_or_else(|| self.added(&point))?;
            if seen.insert(number) {
                chunks.push((number, f64::from(score)));
            }
        }
        Ok(ranking(&self.corpus, chunks)?.cut(depth))
    }

    fn added(&self, point: &str) -> VectorError {
        let what = format!("point {point} was added since it was read");
        ragtriage_vectors::changed(&self.settings.name, &what)
    }
}

#[async_trait]
impl Retriever for CollectionRetriever {
    fn name(&self) -> RetrieverName {
        RetrieverName::Collection
    }

    async fn prepare(
        &mut self,
        questions: &[&str],
        progress: &dyn Progress,
        facts: &mut RunFacts,
    ) -> Result<(), Error> {
        match &mut self.questions {
            Some(vectors) => vectors.prepare(questions, progress, facts).await,
            None => Ok(()),
        }
    }

    async fn retrieve(&self, question: &str, depth: usize) -> Result<Retrieved, Error> {
        Ok(Retrieved {
            ranking: self.search(question, depth, SearchMode::Approximate).await?,
            parts: Parts::new(),
        })
    }

    async fn retrieve_exactly(
        &self,
        question: &str,
        depth: usize,
    ) -> Result<Option<Ranking>, Error> {
        if self.collection.index().is_none() {
            return Ok(None);
        }
        let ranking = self.search(question, depth, SearchMode::Exact).await?;
        Ok(Some(ranking))
    }
}

#[cfg(test)]
mod tests;
