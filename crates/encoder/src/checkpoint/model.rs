//! A checkpoint read lazily: the tokenizer on first use, the weights on the first forward pass, so that a run whose
//! vectors are all cached never loads them.

use std::sync::OnceLock;

use super::file::{read, sha256_hex};
use super::folder::{Checkpoint, TOKENIZER, WEIGHTS};
use super::recipe;
use crate::bert::{Bert, BertConfig, FEWEST_TOKENS, Kernel, Tensors, Weights, WordPieces};
use crate::{Error, error};

/// Reads the head on top of the transformer from the tensors stored with it.
type ReadHead<H> = dyn Fn(&Tensors<'_>, &BertConfig) -> Result<H, Error> + Send + Sync;

/// A BERT-family model of a checkpoint folder with a head `H`, used by many threads at once.
pub struct Model<H = ()> {
    checkpoint: Checkpoint,
    config: BertConfig,
    max_tokens: usize,
    kernel: Kernel,
    read_head: Box<ReadHead<H>>,
    word_pieces: OnceLock<WordPieces>,
    loaded: OnceLock<(Bert, H)>,
}

impl<H> Model<H> {
    /// Takes a checkpoint whose files were found and verified by [`Checkpoint::open`], its config, and a function that
    /// reads the head from the weights' file.
    ///
    /// Errors: a maximum length that the model does not have, or without room for a text.
    pub fn new(
        checkpoint: Checkpoint,
        config: BertConfig,
        max_tokens: usize,
        kernel: Kernel,
        read_head: impl Fn(&Tensors<'_>, &BertConfig) -> Result<H, Error> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let positions = config.positions();
        if max_tokens > positions {
            return Err(error::too_long(max_tokens, positions));
        }
        if max_tokens < FEWEST_TOKENS {
            return Err(error::too_short(max_tokens, FEWEST_TOKENS));
        }
        let (read_head, word_pieces, loaded) =
            (Box::new(read_head), OnceLock::new(), OnceLock::new());
        Ok(Self { checkpoint, config, max_tokens, kernel, read_head, word_pieces, loaded })
    }

    /// Returns the files.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Returns the shape.
    pub fn config(&self) -> &BertConfig {
        &self.config
    }

    /// Returns the tokenizer; loading it takes milliseconds on first use.
    pub fn word_pieces(&self) -> Result<&WordPieces, Error> {
        load_once(&self.word_pieces, || {
            let path = self.checkpoint.file(TOKENIZER);
            let vocab_size = self.config.vocab_size;
            let word_pieces = WordPieces::read(&read(&path)?, &path, self.max_tokens, vocab_size)?;
            if recipe::lowercases(&self.checkpoint.folder)? && word_pieces.distinguishes_case()? {
                let path = self.checkpoint.file("sentence_bert_config.json");
                let supported = "false with a tokenizer that keeps capitals";
                return Err(error::unsupported(&path, "do_lower_case", "true", supported));
            }
            Ok(word_pieces)
        })
    }

    /// Returns the forward pass; reads, verifies and packs the weights on first use.
    pub fn bert(&self) -> Result<&Bert, Error> {
        self.loaded().map(|(bert, _)| bert)
    }

    /// Returns the head; it is read with the weights.
    pub fn head(&self) -> Result<&H, Error> {
        self.loaded().map(|(_, head)| head)
    }

    fn loaded(&self) -> Result<&(Bert, H), Error> {
        load_once(&self.loaded, || {
            let path = self.checkpoint.file(WEIGHTS);
            let bytes = read(&path)?;
            self.checkpoint.check_weights(&path, &sha256_hex(&bytes))?;
            let tensors = Tensors::read(&bytes, &path)?;
            let bert =
                Bert::new(self.config.clone(), Weights::read(&tensors, &self.config, self.kernel)?);
            Ok((bert, (self.read_head)(&tensors, &self.config)?))
        })
    }
}

/// Loads into `cell` unless another thread has; a failed load is tried again by the next caller.
fn load_once<T>(cell: &OnceLock<T>, load: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = load()?;
    Ok(cell.get_or_init(|| value))
}
