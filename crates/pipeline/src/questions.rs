//! Vectors of questions, encoded in one batch before they are asked, or on demand.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use super::ask::RunFacts;
use super::progress::Progress;
use super::truncation::{MeasuredTexts, truncation};
use crate::Error;
use ragtriage_clients::Error as ModelError;
use ragtriage_clients::embed::{Encoder, Role};
use ragtriage_core::types::{RetrieverName, TitledText};

/// An encoder with the vectors of prepared questions. Other questions are encoded on demand.
pub(crate) struct QuestionVectors {
    name: RetrieverName,
    encoder: Arc<dyn Encoder>,
    prepared: HashMap<String, Vec<f32>>,
}

impl QuestionVectors {
    pub(crate) fn new(name: RetrieverName, encoder: Arc<dyn Encoder>) -> Self {
        Self { name, encoder, prepared: HashMap::new() }
    }

    pub(crate) fn name(&self) -> RetrieverName {
        self.name
    }

    /// Encodes questions in one batch, and measures their truncation.
    pub(crate) async fn prepare(
        &mut self,
        questions: &[&str],
        progress: &dyn Progress,
        facts: &mut RunFacts,
    ) -> Result<(), Error> {
        let clock = Instant::now();
        let name = self.name;
        let texts: Vec<TitledText<'_>> =
            questions.iter().map(|text| TitledText::untitled(text)).collect();
        let measured = MeasuredTexts { what: "questions", all: &texts, role: Role::Query };
        facts.truncation.extend(truncation(self.encoder.as_ref(), name, measured).await?);
        progress.start(&format!("embedding questions ({name})"), texts.len() as u64);
        let vectors = self.encode(&texts, &|n| progress.advance(n as u64)).await?;
        progress.finish();
        let texts = questions.iter().map(|text| (*text).to_owned());
        self.prepared.extend(texts.zip(vectors));
        facts.seconds.insert(format!("embed questions {name}"), clock.elapsed().as_secs_f64());
        Ok(())
    }

    /// Returns the vector of `question`.
    pub(crate) async fn encoded(&self, question: &str) -> Result<Vec<f32>, Error> {
        if let Some(vector) = self.prepared.get(question) {
            return Ok(vector.clone());
        }
        let mut vectors = self.encode(&[TitledText::untitled(question)], &|_| ()).await?;
        Ok(vectors.remove(0))
    }

    /// Encodes questions: one vector each, in order.
    ///
    /// # Errors
    /// Errors of the encoder; `Contract` if their number differs.
    async fn encode(
        &self,
        texts: &[TitledText<'_>],
        on_progress: &(dyn Fn(usize) + Send + Sync),
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let encoder = self.encoder.as_ref();
        let vectors = encoder.encode(texts, Role::Query, on_progress).await?;
        if vectors.len() == texts.len() {
            return Ok(vectors);
        }
        let what = format!("{} vectors for {} questions", vectors.len(), texts.len());
        Err(ModelError::contract(encoder.fingerprint(Role::Query), &what))
    }
}
