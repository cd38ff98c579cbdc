//! A cross-encoder's checkpoint: pairs of texts to one logit each.
//!
//! The arithmetic of transformers' `...ForSequenceClassification` with one label. What a logit means (a sigmoid's input for most
//! rerankers) is left to the caller: ranking needs the order alone.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::source::Checkpoint;
use super::{CheckpointError, Model};
use crate::bert::{BertError, Classifier, Ids, Input, Precision, Sequence, Wanted, batch};

/// Part of the fingerprint: raised whenever a change here or in `bert/` changes a logit.
const CLASSIFIER_VERSION: u32 = 1;

/// A checkpoint that scores pairs.
pub struct SequenceClassifier {
    model: Model<Classifier>,
    fingerprint: String,
}

impl SequenceClassifier {
    /// Opens a checkpoint whose files were found and verified by [`super::source::locate`]; `max_tokens` instead of the length
    /// that the folder says, specials included.
    ///
    /// Errors: a config that this crate does not compute, by name; more labels than one; a length that the model does not
    /// have. That the weights have no head shows at first use.
    pub fn open(
        checkpoint: Checkpoint,
        max_tokens: Option<usize>,
        precision: Precision,
    ) -> Result<Self, CheckpointError> {
        let config = checkpoint.config()?;
        if let Some(n) = config.n_labels().filter(|n| *n != 1) {
            let (path, setting) = (checkpoint.file("config.json"), "id2label");
            let (value, supported) = (format!("{n} labels"), "one label, whose logit ranks");
            return Err(BertError::Unsupported { path, setting, value, supported }.into());
        }
        let max_tokens = max_tokens.map_or_else(|| checkpoint.max_tokens(config.positions()), Ok)?;
        let fingerprint = format!(
            "sequence classifier v{CLASSIFIER_VERSION} {} max_tokens {max_tokens} {precision:?}",
            checkpoint.digests()
        );
        let model = Model::with_head(checkpoint, config, max_tokens, precision, |tensors, config| {
            Ok(Classifier::read(tensors, config)?)
        })?;
        Ok(Self { model, fingerprint })
    }

    /// What the logits depend on besides the texts: changes whenever one would.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// A logit a pair (question, then passage), in their order: the larger, the better they fit. A pair too long loses word
    /// pieces of its longer text. CPU work on rayon's threads; `on_done` hears of every finished batch's size and says
    /// whether to go on, `None` once it said no.
    pub fn logits(
        &self,
        pairs: &[(&str, &str)],
        on_done: impl Fn(usize) -> bool + Sync,
    ) -> Result<Option<Vec<f32>>, CheckpointError> {
        let (word_pieces, bert, head) = (self.model.word_pieces()?, self.model.bert()?, self.model.head()?);
        let ids: Vec<Ids> = pairs
            .par_iter()
            .map(|(first, second)| word_pieces.ids(&Input::Two((*first).into(), (*second).into())))
            .collect::<Result<_, _>>()?;
        let sequences: Vec<Sequence<'_>> = ids.iter().map(Ids::sequence).collect();
        Ok(batch::run(bert, &sequences, Wanted::First, |state| head.logit(state), on_done))
    }
}
