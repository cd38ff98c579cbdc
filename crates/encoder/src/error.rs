//! The error of reading a checkpoint and of running its model.

use std::error::Error as Source;
use std::path::Path;

use ragtriage_core::ErrorOf;

/// Error of fetching, reading or using a checkpoint.
pub type Error = ErrorOf<Kind>;

/// Kinds that callers distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file has another hash than its pin, or than when the folder was opened.
    Damaged,
    /// Any other.
    Unusable,
}

/// One place that was searched for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceTried {
    /// The place: a folder or a URL.
    pub place: String,
    /// Reason for failure.
    pub why: String,
}

fn unusable(message: String) -> Error {
    Error::of(Kind::Unusable, message).with_hint("name another model, or a folder with one")
}

/// A model that is in no place. `folder`: the one that would be used; `attempts`: everything tried, in order.
#[must_use]
pub fn missing(name: &str, folder: &Path, attempts: &[PlaceTried]) -> Error {
    let attempts: Vec<String> =
        attempts.iter().map(|PlaceTried { place, why }| format!("{place}: {why}")).collect();
    let error = unusable(format!("model `{name}` was not found: {}", attempts.join("; ")));
    error.with_hint(format!(
        "put `config.json`, `tokenizer.json` and `model.safetensors` of `{name}` into `{}`, or name a folder that has them \
         instead; a run without models has `retrieval.retrievers = [\"bm25\"]` and no `rerank.model`; `ragtriage model fetch NAME` \
         fetches any model of the hub",
        folder.display()
    ))
}

/// A file with another sha256 than expected, both in hex.
#[must_use]
pub fn hash_mismatch(path: &Path, expected: &str, found: &str) -> Error {
    let path = path.display();
    let message = format!("`{path}` has sha256 {found}, expected {expected}");
    Error::of(Kind::Damaged, message).with_hint(format!(
        "`{path}` is damaged or of another version: delete it in the cache to fetch it again; in your own folder, replace it, \
         or name another folder in `retrieval.dense.model`"
    ))
}

/// A file that cannot be read.
pub fn read(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| {
        let error = unusable(format!("cannot read `{}`: {source}", path.display()));
        let error = match path.extension() {
            _ if source.kind() != std::io::ErrorKind::NotFound => error,
            Some(end) if end == "safetensors" => error.with_hint(
                "save the model as one file of safetensors, in Python with `model.save_pretrained(folder, max_shard_size=\"100GB\")`",
            ),
            _ if path.ends_with("tokenizer.json") => error.with_hint(
                "make it in Python: `transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(folder)`",
            ),
            _ => error,
        };
        error.because(source)
    }
}

/// A file or folder that cannot be written.
pub fn write(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| {
        unusable(format!("cannot write `{}`: {source}", path.display()))
            .with_hint("check that the folder is writable and the disk has free space")
            .because(source)
    }
}

/// A thread panicked, or the runtime is going down.
#[must_use]
pub fn interrupted(source: tokio::task::JoinError) -> Error {
    unusable(format!("reading the checkpoint was interrupted: {source}")).because(source)
}

/// A file of the wrong format; `what` is the defect, in its parser's words.
pub(crate) fn malformed(path: &Path, what: impl std::fmt::Display) -> Error {
    unusable(format!("`{}` cannot be used: {what}", path.display()))
}

/// A model that this crate does not support.
pub(crate) fn unsupported(path: &Path, setting: &str, value: &str, supported: &str) -> Error {
    unusable(format!(
        "`{}` has `{setting}` = `{value}`, which is not supported (supported: {supported})",
        path.display()
    ))
    .with_hint(
        "name a model of the BERT family: BERT, RoBERTa, XLM-RoBERTa, DistilBERT or DPR, mean or CLS pooling",
    )
}

/// A maximum length without room for a text.
pub(crate) fn too_short(max_tokens: usize, fewest: usize) -> Error {
    unusable(format!(
        "`max_tokens` = {max_tokens} leaves no room for text; it must be at least {fewest}"
    ))
}

/// A maximum length beyond the model's positions.
pub(crate) fn too_long(max_tokens: usize, positions: usize) -> Error {
    unusable(format!("`max_tokens` = {max_tokens} exceeds the model's {positions} positions"))
}

/// The tokenizer rejected a text.
pub(crate) fn tokenize(source: Box<dyn Source + Send + Sync>) -> Error {
    unusable(format!("cannot tokenize text: {source}")).because(source)
}
