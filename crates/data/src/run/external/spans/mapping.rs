//! Where each source and convention of spans holds what: the table `mapping.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// Paths, the first of which that has a value counts; or keys.
type Paths = Vec<String>;

/// Ids and times of a span.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Envelope {
    pub trace: Paths,
    pub id: Paths,
    #[serde(default)]
    pub parent: Paths,
    pub start: Paths,
    #[serde(default)]
    pub end: Paths,
}

/// The content of a span.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Content {
    /// The role. Without one, a span that names a model is a model's.
    pub kind: Paths,
    pub query: Paths,
    /// The documents that a retriever or reranker returned.
    pub documents: Paths,
    /// True if a list of strings is a list of their texts.
    pub has_plain_texts: bool,
    /// The documents that a reranker was given.
    pub offered: Paths,
    /// The part of the prompt in front of its messages.
    pub instructions: Paths,
    pub prompt: Paths,
    pub answer: Paths,
    /// Objects with counts of tokens, all of which count.
    pub usage: Paths,
    pub cost: Paths,
    pub model: Paths,
    pub finish: Paths,
}

/// The table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mapping {
    pub question: Paths,
    pub prompt: Paths,
    pub answer: Paths,
    pub documents: Paths,
    pub spans: Paths,
    pub code: Paths,
    pub reason: Paths,
    pub otlp: Envelope,
    pub console: Envelope,
    pub langsmith_run: Envelope,
    pub observation: Envelope,
    pub langfuse_trace: Envelope,
    pub openinference: Content,
    pub genai: Content,
    pub langfuse: Content,
    pub langfuse_fields: Content,
    pub langsmith: Content,
}

pub(super) static MAPPING: LazyLock<Mapping> =
    LazyLock::new(|| toml::from_str(include_str!("mapping.toml")).expect("a table of paths"));
