//! A cross-encoder's checkpoint: scores pairs of texts with one logit each.
//!
//! The arithmetic of transformers' `...ForSequenceClassification` with one label. The interpretation of a logit (a
//! sigmoid's input for most rerankers) is left to the caller: ranking needs the order alone.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::Model;
use super::folder::Checkpoint;
use crate::bert::{
    Classifier, EncoderInput, Ids, Instructions, Kernel, Sequence, VERSION, Wanted, batch,
};
use crate::{Error, error};
use ragtriage_core::config::Precision;

/// Part of the fingerprint: incremented whenever a change here or in `bert/` changes a logit.
const CLASSIFIER_VERSION: u32 = 1;

/// A checkpoint that scores pairs.
pub struct SequenceClassifier {
    model: Model<Classifier>,
    fingerprint: String,
}

impl SequenceClassifier {
    /// Opens a checkpoint whose files were found and verified by [`Checkpoint::open`]; `max_tokens` overrides the
    /// length that the folder gives, specials included.
    ///
    /// Errors: a config that this crate does not support, by name; more than one label; a length that the model does
    /// not have. Missing head weights are reported at first use.
    pub fn open(
        checkpoint: Checkpoint,
        max_tokens: Option<usize>,
        precision: Precision,
    ) -> Result<Self, Error> {
        let config = checkpoint.config()?;
        if let Some(n) = config.n_labels().filter(|n| *n != 1) {
            let (path, value) = (checkpoint.file("config.json"), format!("{n} labels"));
            let supported = "one label, whose logit is the score";
            return Err(error::unsupported(&path, "id2label", &value, supported));
        }
        let max_tokens = max_tokens.map_or_else(|| checkpoint.max_tokens(&config), Ok)?;
        let kernel = Kernel::new(precision, Instructions::All);
        let fingerprint = format!(
            "sequence classifier v{CLASSIFIER_VERSION}.{VERSION} {} max_tokens {max_tokens} {}",
            checkpoint.digests(),
            kernel.name()
        );
        let model = Model::new(checkpoint, config, max_tokens, kernel, |tensors, config| {
            Classifier::read(tensors, config)
        })?;
        Ok(Self { model, fingerprint })
    }

    /// Returns a fingerprint of everything that the logits depend on apart from the texts: it changes if any of that
    /// does.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns one logit per pair (question, then passage), in their order: the larger, the better the match. A pair
    /// that is too long loses word pieces of its longer text. Runs on rayon's threads. `on_done` receives every
    /// finished batch's size and returns false to stop; the result is then `None`.
    pub fn logits(
        &self,
        pairs: &[(&str, &str)],
        on_done: impl Fn(usize) -> bool + Sync,
    ) -> Result<Option<Vec<f32>>, Error> {
        let (word_pieces, bert, head) =
            (self.model.word_pieces()?, self.model.bert()?, self.model.head()?);
        let ids: Vec<Ids> = pairs
            .par_iter()
            .map(|(first, second)| {
                word_pieces.ids(&EncoderInput::Two((*first).into(), (*second).into()))
            })
            .collect::<Result<_, _>>()?;
        let sequences: Vec<Sequence<'_>> = ids.iter().map(Ids::sequence).collect();
        Ok(batch::run(bert, &sequences, Wanted::First, |_, state| head.logit(state), on_done))
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Scored {
        pair: [String; 2],
        tokens: usize,
        logit: f32,
    }

    #[derive(Deserialize)]
    struct Pairs {
        pairs: Vec<Scored>,
    }

    #[derive(Deserialize)]
    struct Expected {
        cross_encoder: Vec<Scored>,
        roberta: Pairs,
        distilbert: Pairs,
    }

    fn tiny(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tiny-models").join(name)
    }

    fn open(folder: &Path) -> Result<SequenceClassifier, Error> {
        let checkpoint = Checkpoint::open(folder, None)?;
        SequenceClassifier::open(checkpoint, None, Precision::Float32)
    }

    #[test]
    fn logits_are_those_of_transformers() {
        let expected: Expected =
            serde_json::from_slice(&std::fs::read(tiny("expected.json")).unwrap()).unwrap();
        let families = [
            ("cross-encoder", expected.cross_encoder),
            ("roberta", expected.roberta.pairs),
            ("distilbert", expected.distilbert.pairs),
        ];
        for (name, cases) in families {
            let classifier = open(&tiny(name)).unwrap();
            let pairs: Vec<(&str, &str)> =
                cases.iter().map(|case| (&*case.pair[0], &*case.pair[1])).collect();
            let logits = classifier.logits(&pairs, |_| true).unwrap().unwrap();
            for (case, logit) in cases.iter().zip(logits) {
                let input = EncoderInput::Two((&case.pair[0]).into(), (&case.pair[1]).into());
                let ids = classifier.model.word_pieces().unwrap().ids(&input).unwrap().ids;
                assert_eq!(ids.len(), case.tokens, "{name}: {:?}", case.pair);
                assert!(
                    (logit - case.logit).abs() < 1e-5,
                    "{name}: {:?}: {logit} is not {}",
                    case.pair,
                    case.logit
                );
            }
        }
    }

    #[test]
    fn a_model_without_one_label_is_refused() {
        let error = open(&tiny("colbert")).err().unwrap().to_string();
        let path = tiny("colbert").join("config.json");
        assert_eq!(
            error,
            format!(
                "`{}` has `id2label` = `2 labels`, which is not supported (supported: one label, whose logit is the score)",
                path.display()
            )
        );
    }
}
