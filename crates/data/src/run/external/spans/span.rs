//! A span of any source, reduced to what a record needs.

use serde_json::{Map, Value};

use super::attributes::attributes;
use super::content::{self, first};
use super::document;
use super::mapping::paths;
use super::source::Source;
use super::time::nanoseconds;
use crate::run::external::recorded::{RecordedHit, RecordedUsage, finish_named};

/// Longest duration in nanoseconds: thirty years; a longer one has an end on another clock.
const LONGEST: i64 = 1_000_000_000_000_000_000;

/// The role of a span in a RAG.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A search: its documents are candidates.
    Retriever,
    /// A reordering of documents.
    Reranker,
    /// A call of a language model.
    Model,
    /// A chain, an agent, a tool, or another service.
    #[default]
    Other,
}

/// A span.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Span {
    /// Its trace.
    pub trace: String,
    /// Its id, unique within the trace.
    pub id: String,
    /// The span that called it.
    pub parent: Option<String>,
    /// The line of the file where it, or the export that holds it, begins.
    pub line: usize,
    /// Its role.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Start in nanoseconds of any epoch.
    pub start: Option<i64>,
    /// End in nanoseconds of the same epoch.
    pub end: Option<i64>,
    /// The text it was asked: a question, a query.
    pub query: Option<String>,
    /// The documents it returned, best first; `None`: not recorded.
    pub documents: Option<Vec<RecordedHit>>,
    /// The documents given to a reranker.
    pub offered: Option<Vec<RecordedHit>>,
    /// The prompt of a model.
    pub prompt: Option<String>,
    /// The text it returned: an answer.
    pub answer: Option<String>,
    /// Tokens, cost, model and finish reason.
    pub usage: RecordedUsage,
    /// The reason why it failed.
    pub error: Option<String>,
}

impl Span {
    /// Reads the span of an object of a known source; `None` without ids.
    pub(super) fn read(source: Source, mut fields: Map<String, Value>) -> Option<Self> {
        let (envelope, content) = match source {
            Source::Otlp | Source::Console => {
                let attributes = attributes(&mut fields);
                let has_kind = |content: &&str| {
                    first(&attributes, paths(content, "kind"), content::plain).is_some()
                };
                let content = ["openinference", "langfuse"].into_iter().find(has_kind);
                let content = content.unwrap_or("genai");
                fields.insert("attributes".to_owned(), attributes);
                (if source == Source::Otlp { "otlp" } else { "console" }, content)
            }
            Source::LangSmith => ("langsmith_run", "langsmith"),
            Source::Langfuse => ("observation", "langfuse_fields"),
            Source::LangfuseTrace => ("langfuse_trace", "langfuse_fields"),
        };
        let has_attributes = matches!(source, Source::Otlp | Source::Console);
        let fields = Value::Object(fields);
        let text = |paths: &[String]| {
            first(&fields, paths, content::plain).filter(|text| !text.is_empty())
        };
        let id = text(paths(envelope, "id"))?;
        let root = || Some(first_of_order(&fields).unwrap_or_else(|| id.clone()));
        let of_run = || if source == Source::LangSmith { root() } else { None };
        let mut span = Self {
            trace: text(paths(envelope, "trace")).or_else(of_run)?,
            parent: text(paths(envelope, "parent")),
            name: text(&["name".to_owned()]).unwrap_or_default(),
            start: first(&fields, paths(envelope, "start"), nanoseconds),
            end: first(&fields, paths(envelope, "end"), nanoseconds),
            error: error(&fields, source),
            id,
            ..Self::default()
        };
        span.fill(if has_attributes { &fields["attributes"] } else { &fields }, content);
        Some(span)
    }

    fn fill(&mut self, fields: &Value, content: &str) {
        let has_plain_texts = !paths(content, "plain_texts").is_empty();
        let documents = |paths: &[String]| {
            first(fields, paths, |value| document::documents(value, has_plain_texts))
        };
        let model = first(fields, paths(content, "model"), content::plain);
        let kind =
            first(fields, paths(content, "kind"), content::plain).filter(|kind| !kind.is_empty());
        let kind = kind.map(|kind| kind.to_lowercase());
        self.kind = match kind.as_deref() {
            Some("retriever" | "retrieval") => Kind::Retriever,
            Some("llm" | "generation" | "chat" | "text_completion" | "generate_content") => {
                Kind::Model
            }
            None if model.is_some() => Kind::Model,
            Some(kind) if names_a_reranker(kind) => Kind::Reranker,
            // Most sources have no kind for it.
            _ if names_a_reranker(&self.name)
                && documents(paths(content, "documents")).is_some() =>
            {
                Kind::Reranker
            }
            _ => Kind::Other,
        };
        self.query = first(fields, paths(content, "query"), content::question);
        match self.kind {
            Kind::Retriever => self.documents = documents(paths(content, "documents")),
            Kind::Reranker => {
                self.documents = documents(paths(content, "documents"));
                self.offered = documents(paths(content, "offered"));
            }
            Kind::Model => {
                self.answer = first(fields, paths(content, "answer"), content::answer);
                self.read_call(fields, content, model);
            }
            Kind::Other => self.answer = first(fields, paths(content, "answer"), content::answer),
        }
    }

    /// Reads the prompt and the usage of a model's call.
    fn read_call(&mut self, fields: &Value, content: &str, model: Option<String>) {
        let parts = [paths(content, "instructions"), paths(content, "prompt")];
        let parts = parts.map(|paths| first(fields, paths, content::prompt));
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        self.prompt = (!parts.is_empty()).then(|| parts.join("\n\n"));
        let usage = &mut self.usage;
        for path in paths(content, "usage") {
            first(fields, &[path], |tokens| {
                content::add_tokens(usage, tokens);
                Some(())
            });
        }
        usage.cost_usd =
            first(fields, paths(content, "cost"), content::amount).and_then(content::measured);
        usage.model = model.filter(|model| !model.is_empty());
        let reason = |reasons: &Value| {
            let reasons = content::parsed(reasons);
            content::plain(reasons.get(0).unwrap_or(&reasons))
        };
        usage.finish =
            first(fields, paths(content, "finish"), reason).and_then(|name| finish_named(&name));
    }

    /// Returns its duration; `None` if a clock ran backwards.
    pub(super) fn seconds(&self) -> Option<f64> {
        let nanoseconds = self.end?.checked_sub(self.start?)?;
        (0..=LONGEST).contains(&nanoseconds).then(|| nanoseconds as f64 / 1e9)
    }

    /// Returns true if it is a retriever or reranker whose documents are recorded.
    pub(super) fn is_ranking(&self) -> bool {
        matches!(self.kind, Kind::Retriever | Kind::Reranker) && self.documents.is_some()
    }
}

/// Returns the reason why a span failed; `None` if it did not.
fn error(fields: &Value, source: Source) -> Option<String> {
    let text =
        |path: &str| first(fields, &[path], content::plain).filter(|text| !text.trim().is_empty());
    if source == Source::LangSmith {
        return text("error");
    }
    let is_failure = |code: String| matches!(code.as_str(), "2" | "STATUS_CODE_ERROR" | "ERROR");
    let has_failed = paths("failure", "code").iter().any(|path| text(path).is_some_and(is_failure));
    let reason = || {
        paths("failure", "reason")
            .iter()
            .find_map(|path| text(path))
            .unwrap_or_else(|| "failed".into())
    };
    has_failed.then(reason)
}

/// Returns the id of the root in `dotted_order`: a time and an id, separated by `Z`, for each ancestor.
fn first_of_order(run: &Value) -> Option<String> {
    let order = run.get("dotted_order")?.as_str()?;
    let (_, id) = order.split('.').next()?.split_once('Z')?;
    Some(id.to_owned())
}

/// Returns true for the name of a reranking step. Most sources have no kind for it.
fn names_a_reranker(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("rerank") || name.contains("re-rank") || name.contains("re_rank")
}

#[cfg(test)]
impl Span {
    /// Creates a span of trace `t`; empty texts are none.
    pub(super) fn made(id: &str, parent: &str, start: i64, query: &str) -> Self {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Self {
            trace: "t".into(),
            id: id.into(),
            parent: given(parent),
            start: Some(start),
            query: given(query),
            ..Self::default()
        }
    }
}
