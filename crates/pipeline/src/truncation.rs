//! Truncation of texts by an encoder's input limit.

use crate::Error;
use ragtriage_clients::embed::{Encoder, Role};
use ragtriage_core::types::{Length, RetrieverName, TitledText};
use ragtriage_data::run::Truncation;

/// Texts whose truncation is measured.
pub(crate) struct MeasuredTexts<'a> {
    pub(crate) what: &'static str,
    pub(crate) all: &'a [TitledText<'a>],
    pub(crate) role: Role,
}

/// Measures the truncation of texts by the encoder's input limit; `None` if unknown.
pub(crate) async fn truncation(
    encoder: &dyn Encoder,
    name: RetrieverName,
    MeasuredTexts { what, all: texts, role }: MeasuredTexts<'_>,
) -> Result<Option<Truncation>, Error> {
    let Some(lengths) = encoder.lengths(texts, role).await? else {
        return Ok(None);
    };
    Ok(Some(Truncation {
        retriever: name.name().to_owned(),
        what: what.to_owned(),
        n_texts: lengths.len(),
        n_cut: lengths.iter().filter(|length| n_lost(length) > 0).count(),
        n_tokens: lengths.iter().map(|length| length.n_tokens).sum(),
        n_lost: lengths.iter().map(n_lost).sum(),
    }))
}

/// Tokens beyond the encoder's input limit.
fn n_lost(length: &Length) -> usize {
    length.n_tokens - length.n_read
}
