//! Texts that are longer than what reads them: chunks and questions for an encoder, chunks for a prompt.

use serde::Serialize;

use super::finding::{Finding, Rule};
use super::subject::Subject;
use crate::chunk::Strategy;
use crate::embed::{EmbedError, Length, Role};
use crate::pipeline::ingest::indexed_text;
use crate::pipeline::plan::{Plan, RetrieverPlan, VectorPlan};
use crate::text::numbers::{plural, thousands};
use crate::types::{Corpus, TitledText};

/// How much of the chunks an encoder reads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Truncated {
    /// The retriever whose encoder it is.
    pub retriever: String,
    /// Chunks.
    pub chunks: usize,
    /// Those that are longer than it reads.
    pub chunks_cut: usize,
    /// Their tokens and all others', titles included, by its own count.
    pub tokens: usize,
    /// Those of them that it never reads.
    pub tokens_lost: usize,
}

/// Asks each encoder of `plan` that can know; a finding for the chunks together, and for each question.
///
/// # Errors
/// The encoder's.
pub async fn check(
    subject: &Subject<'_>,
    corpus: &Corpus,
    plan: &Plan,
) -> Result<(Vec<Truncated>, Vec<Finding>), EmbedError> {
    let mut found = over_context(corpus, plan);
    let mut figures = Vec::new();
    for retriever in &plan.retrieval.retrievers {
        let RetrieverPlan::Vectors(vectors) = retriever else { continue };
        let Some(figure) = chunks(vectors, corpus, plan.title_prefix).await? else { continue };
        found.extend(cut_chunks(&figure));
        figures.push(figure);
        found.extend(questions(vectors, subject).await?);
    }
    Ok((figures, found))
}

async fn chunks(plan: &VectorPlan, corpus: &Corpus, title_prefix: bool) -> Result<Option<Truncated>, EmbedError> {
    let numbers = 0..corpus.chunks().len();
    let texts: Vec<TitledText<'_>> = numbers.map(|number| indexed_text(corpus, number, title_prefix)).collect();
    let Some(lengths) = plan.encoder.lengths(&texts, Role::Passage).await? else { return Ok(None) };
    Ok(Some(Truncated {
        retriever: plan.stage.name().to_owned(),
        chunks: lengths.len(),
        chunks_cut: lengths.iter().filter(|length| lost(length) > 0).count(),
        tokens: lengths.iter().map(|length| length.n_tokens).sum(),
        tokens_lost: lengths.iter().map(lost).sum(),
    }))
}

fn lost(length: &Length) -> usize {
    length.n_tokens - length.n_read
}

fn cut_chunks(figure: &Truncated) -> Option<Finding> {
    let Truncated { retriever, chunks, chunks_cut, tokens, tokens_lost } = figure;
    (*chunks_cut > 0).then(|| {
        let share = 100.0 * *tokens_lost as f64 / (*tokens).max(1) as f64;
        let (cut, all) = (thousands(*chunks_cut), plural(*chunks, "chunk", "chunks"));
        let message = format!(
            "the encoder of `{retriever}` does not read {cut} of {all} to the end: {share:.1} % of all tokens are never read"
        );
        let hint = "lower `chunking.size`, or count it in the encoder's own tokens: `chunking.tokenizer = \"model\"`";
        Finding::new(Rule::ChunkTruncated, message, hint)
    })
}

async fn questions(plan: &VectorPlan, subject: &Subject<'_>) -> Result<Vec<Finding>, EmbedError> {
    let texts: Vec<TitledText<'_>> =
        subject.questions.iter().map(|question| TitledText::untitled(&question.text)).collect();
    let lengths = plan.encoder.lengths(&texts, Role::Query).await?.unwrap_or_default();
    let cut = lengths.iter().enumerate().filter(|(_, length)| lost(length) > 0);
    let finding = |(number, length): (usize, &Length)| {
        let Length { n_tokens, n_read } = length;
        let message = format!("the encoder of `{}` reads {n_read} of its {n_tokens} tokens", plan.stage.name());
        subject.finding(number, Rule::QuestionTruncated, message, "ask it shorter: what is cut off is not searched for")
    };
    Ok(cut.map(finding).collect())
}

/// Where documents are not cut, those that fit no prompt.
fn over_context(corpus: &Corpus, plan: &Plan) -> Vec<Finding> {
    if plan.chunking.strategy() != Strategy::Document {
        return Vec::new();
    }
    let most = plan.prompt.context_tokens;
    let count = |number: usize| plan.prompt.counter.count(corpus.chunk_text(number).0);
    let over = (0..corpus.chunks().len()).map(|number| (number, count(number))).filter(|(_, tokens)| *tokens > most);
    let finding = |(number, tokens): (usize, usize)| {
        let doc = &corpus.chunks()[number].doc_id;
        let message = format!("document `{doc}` has {tokens} tokens and a prompt takes {most}: it is never shown");
        let hint = "cut documents (`chunking.strategy`), or raise `generation.context_tokens`";
        Finding::new(Rule::OverContext, message, hint).in_document(doc)
    };
    over.map(finding).collect()
}
