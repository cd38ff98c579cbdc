//! Texts beyond a limit: chunks and questions for an encoder, chunks for a prompt.

use serde::Serialize;

use super::finding::{Finding, Rule};
use super::subject::LintSubject;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{Corpus, Length};

/// Truncation of chunks by an encoder.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Truncated {
    /// The retriever whose encoder it is.
    pub retriever: String,
    /// Number of chunks.
    pub chunks: usize,
    /// Number of chunks longer than the encoder input limit.
    pub chunks_cut: usize,
    /// Tokens of all chunks, titles included, as counted by the encoder.
    pub tokens: usize,
    /// Number of tokens beyond the encoder input limit.
    pub tokens_lost: usize,
}

/// The lengths of all chunks and questions, as counted by one retriever's encoder.
pub struct EncoderLengths {
    /// The retriever.
    pub retriever: String,
    /// One length per chunk, in corpus order.
    pub chunks: Vec<Length>,
    /// One length per question.
    pub questions: Vec<Length>,
}

/// The token budget of a prompt.
pub struct PromptBudget<'a> {
    /// Counts tokens.
    pub counter: &'a dyn TokenCounter,
    /// Number of tokens of passages that fit.
    pub context_tokens: usize,
}

/// Reports texts beyond the encoder input limit: one finding for all chunks, and one per question. With
/// `whole_documents` (each document is one chunk) also reports documents that fit no prompt.
#[must_use]
pub fn check(
    subject: &LintSubject<'_>,
    corpus: &Corpus,
    encoders: &[EncoderLengths],
    whole_documents: Option<&PromptBudget<'_>>,
) -> (Vec<Truncated>, Vec<Finding>) {
    let mut found = whole_documents.map_or_else(Vec::new, |budget| over_context(corpus, budget));
    let mut figures = Vec::new();
    for lengths in encoders {
        let figure = chunks(lengths);
        found.extend(cut_chunks(&figure));
        figures.push(figure);
        found.extend(questions(lengths, subject));
    }
    (figures, found)
}

fn chunks(lengths: &EncoderLengths) -> Truncated {
    let EncoderLengths { retriever, chunks, .. } = lengths;
    Truncated {
        retriever: retriever.clone(),
        chunks: chunks.len(),
        chunks_cut: chunks.iter().filter(|length| lost(length) > 0).count(),
        tokens: chunks.iter().map(|length| length.n_tokens).sum(),
        tokens_lost: chunks.iter().map(lost).sum(),
    }
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
            "the encoder of `{retriever}` truncates {cut} of {all}: {share:.1} % of all tokens are lost"
        );
        let hint = "lower `chunking.size`, or count it in the encoder's own tokens: `chunking.tokenizer = \"model\"`";
        Finding::new(Rule::ChunkTruncated, message, hint)
    })
}

fn questions(lengths: &EncoderLengths, subject: &LintSubject<'_>) -> Vec<Finding> {
    let asked = lengths.questions.iter().enumerate();
    asked
        .filter(|(_, length)| lost(length) > 0)
        .map(|(number, Length { n_tokens, n_read })| {
            let retriever = &lengths.retriever;
            let message =
                format!("the encoder of `{retriever}` reads {n_read} of its {n_tokens} tokens");
            let hint = "shorten it; truncated text is not searched for";
            subject.finding(number, Rule::QuestionTruncated, message, hint)
        })
        .collect()
}

/// Reports whole documents that fit no prompt.
fn over_context(corpus: &Corpus, budget: &PromptBudget<'_>) -> Vec<Finding> {
    let most = budget.context_tokens;
    let numbers = 0..corpus.chunks().len();
    numbers
        .map(|number| (number, budget.counter.count(corpus.chunk_text(number).0)))
        .filter(|(_, tokens)| *tokens > most)
        .map(|(number, tokens)| {
            let doc = &corpus.document_of(number).id;
            let message = format!(
                "document `{doc}` has {tokens} tokens but a prompt holds {most}: it never reaches the generator"
            );
            let hint = "chunk the documents (`chunking.strategy`), or raise `generation.context_tokens`";
            Finding::new(Rule::OverContext, message, hint).in_document(doc)
        })
        .collect()
}
