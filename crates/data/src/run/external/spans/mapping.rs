//! Where each source and convention of spans holds what: paths into a span's JSON, in order of preference.
//!
//! A path is keys separated by dots; an empty one is the span itself, and `**` any depth below it. JSON in a string is followed.
//! Names with dots of OpenTelemetry's attributes are paths, and numbers in them positions in lists.

/// Paths, the first of which that has a value counts.
type Paths = &'static [&'static str];

/// Ids and times of a span.
pub(super) struct Envelope {
    pub trace: Paths,
    pub id: Paths,
    pub parent: Paths,
    pub start: Paths,
    pub end: Paths,
}

/// The content of a span.
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

/// OTLP/JSON.
pub(super) const OTLP: Envelope = Envelope {
    trace: &["traceId", "trace_id"],
    id: &["spanId", "span_id"],
    parent: &["parentSpanId", "parent_span_id"],
    start: &["startTimeUnixNano", "start_time_unix_nano"],
    end: &["endTimeUnixNano", "end_time_unix_nano"],
};

/// The JSON of OpenTelemetry's Python SDK (`ConsoleSpanExporter`, `ReadableSpan.to_json`), and of Phoenix.
pub(super) const CONSOLE: Envelope = Envelope {
    trace: &["context.trace_id"],
    id: &["context.span_id"],
    parent: &["parent_id"],
    start: &["start_time"],
    end: &["end_time"],
};

/// A run of `LangSmith`, as its SDK and API return it.
pub(super) const LANGSMITH_RUN: Envelope = Envelope {
    trace: &["trace_id"],
    id: &["id", "run_id"],
    parent: &["parent_run_id"],
    start: &["start_time"],
    end: &["end_time"],
};

/// An observation of Langfuse: API, table export, blob storage.
pub(super) const OBSERVATION: Envelope = Envelope {
    trace: &["traceId", "trace_id"],
    id: &["id"],
    parent: &["parentObservationId", "parent_observation_id"],
    start: &["startTime", "start_time"],
    end: &["endTime", "end_time"],
};

/// A trace of Langfuse, the root of its observations.
pub(super) const LANGFUSE_TRACE: Envelope =
    Envelope { trace: &["id"], id: &["id"], parent: &[], start: &["timestamp"], end: &[] };

/// The conventions of `OpenInference`.
pub(super) const OPENINFERENCE: Content = Content {
    kind: &["openinference.span.kind"],
    query: &["reranker.query", "input.value"],
    documents: &["retrieval.documents", "reranker.output_documents", "output.value"],
    has_plain_texts: false,
    offered: &["reranker.input_documents"],
    instructions: &[],
    prompt: &["llm.input_messages", "llm.prompts", "input.value"],
    answer: &["llm.output_messages", "llm.choices", "output.value"],
    usage: &["llm.token_count"],
    cost: &["llm.cost.total"],
    model: &["llm.model_name"],
    finish: &["llm.finish_reason"],
};

/// OpenTelemetry's `GenAI` conventions, also of versions before 1.37 (`gen_ai.prompt.0.content`).
pub(super) const GENAI: Content = Content {
    kind: &["gen_ai.operation.name"],
    query: &["gen_ai.retrieval.query.text", "gen_ai.input.messages"],
    documents: &["gen_ai.retrieval.documents"],
    has_plain_texts: false,
    offered: &[],
    instructions: &["gen_ai.system_instructions"],
    prompt: &["gen_ai.input.messages", "gen_ai.prompt"],
    answer: &["gen_ai.output.messages", "gen_ai.completion"],
    usage: &["gen_ai.usage"],
    cost: &[],
    model: &["gen_ai.response.model", "gen_ai.request.model"],
    finish: &["gen_ai.response.finish_reasons"],
};

/// The attributes of Langfuse's SDK.
pub(super) const LANGFUSE: Content = Content {
    kind: &["langfuse.observation.type"],
    query: &["langfuse.observation.input", "langfuse.trace.input"],
    documents: &["langfuse.observation.output", "langfuse.trace.output"],
    has_plain_texts: true,
    offered: &["langfuse.observation.input", "langfuse.trace.input"],
    instructions: &[],
    prompt: &["langfuse.observation.input", "langfuse.trace.input"],
    answer: &["langfuse.observation.output", "langfuse.trace.output"],
    usage: &["langfuse.observation.usage_details"],
    cost: &["langfuse.observation.cost_details.total"],
    model: &["langfuse.observation.model.name"],
    finish: &[],
};

/// The fields of an observation or a trace of Langfuse.
pub(super) const LANGFUSE_FIELDS: Content = Content {
    kind: &["type"],
    query: &["input"],
    documents: &["output"],
    has_plain_texts: true,
    offered: &["input"],
    instructions: &[],
    prompt: &["input"],
    answer: &["output"],
    usage: &["usageDetails", "usage_details", "usage"],
    cost: &[
        "totalCost",
        "total_cost",
        "calculatedTotalCost",
        "costDetails.total",
        "cost_details.total",
    ],
    model: &["model", "providedModelName", "provided_model_name"],
    finish: &[],
};

/// The fields of a run of `LangSmith`; frameworks record tokens, model and finish reason at different places.
pub(super) const LANGSMITH: Content = Content {
    kind: &["run_type"],
    query: &["inputs"],
    documents: &["outputs"],
    has_plain_texts: true,
    offered: &["inputs"],
    instructions: &[],
    prompt: &["inputs"],
    answer: &["outputs"],
    usage: &[
        "",
        "outputs.**.usage_metadata",
        "outputs.**.token_usage",
        "outputs.**.usage",
        "extra.metadata.usage_metadata",
    ],
    cost: &["total_cost"],
    model: &[
        "extra.metadata.ls_model_name",
        "outputs.**.model_name",
        "extra.invocation_params.model",
        "extra.invocation_params.model_name",
    ],
    finish: &["outputs.**.finish_reason"],
};

/// Codes of a failed span: OTLP's, the Python SDK's, Langfuse's.
pub(super) const CODE: Paths = &[
    "status.code",
    "status.status_code",
    "status_code",
    "level",
    "attributes.langfuse.observation.level",
];
/// The reason why a span failed.
pub(super) const REASON: Paths = &[
    "status.message",
    "status.description",
    "statusMessage",
    "status_message",
    "attributes.langfuse.observation.status_message",
    "attributes.exception.message",
    "attributes.error.type",
];
