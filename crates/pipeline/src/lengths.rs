//! Lengths of chunks and questions for the encoders of a plan.

use ragtriage_clients::Error as ModelError;
use ragtriage_clients::embed::Role;
use ragtriage_core::types::{Corpus, Question, TitledText};
use ragtriage_data::dataset::lint::lengths::EncoderLengths;

use crate::index::indexed_texts;
use crate::plan::{Plan, RetrieverPlan};

/// Returns the lengths of all chunks and questions for each encoder of `plan` that can count them.
///
/// # Errors
/// Errors of the encoder.
pub async fn lengths(
    plan: &Plan,
    corpus: &Corpus,
    questions: &[Question],
) -> Result<Vec<EncoderLengths>, ModelError> {
    let mut all = Vec::new();
    for retriever in &plan.retrieval.retrievers {
        let RetrieverPlan::Vectors(vectors) = retriever else {
            continue;
        };
        let texts = indexed_texts(corpus, plan.title_prefix);
        let Some(chunks) = vectors.encoder.lengths(&texts, Role::Passage).await? else {
            continue;
        };
        let texts: Vec<TitledText<'_>> =
            questions.iter().map(|question| TitledText::untitled(&question.text)).collect();
        let questions = vectors.encoder.lengths(&texts, Role::Query).await?.unwrap_or_default();
        all.push(EncoderLengths { retriever: vectors.name.name().to_owned(), chunks, questions });
    }
    Ok(all)
}
