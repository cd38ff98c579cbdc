//! The names of a record's fields: ours first, then those of common frameworks and evaluation files.
//!
//! A name with dots is a path into nested objects. A misspelling is recognised for the long names of the record itself.

/// The names of one field, by priority.
pub(super) type Names = &'static [&'static str];

// The record.
pub(super) const ID: Names = &["id", "question_id", "query_id", "qid", "_id"];
/// Ours; Ragas; LangChain, Haystack and TREC tools; `DeepEval`.
pub(super) const QUESTION: Names = &["question", "user_input", "query", "input"];
/// Ours; Ragas; `DeepEval`; LangChain; LlamaIndex.
pub(super) const CONTEXTS: Names =
    &["contexts", "retrieved_contexts", "retrieval_context", "source_documents", "source_nodes"];
/// Ours; Ragas, LlamaIndex; `DeepEval`; LangChain; evaluation files.
pub(super) const ANSWER: Names =
    &["answer", "response", "actual_output", "result", "output", "prediction", "generated_answer"];
pub(super) const ANSWERS: Names = &["answers"];
pub(super) const RECORD: [Names; 4] = [ID, QUESTION, CONTEXTS, ANSWER];

/// Fields of the record whose misspellings are rejected: those long enough to be distinctive.
pub(super) const LONG: [Names; 6] =
    [QUESTION, CONTEXTS, ANSWER, &["prompt"], &["stages"], &["error"]];
/// Known keys that are like those.
pub(super) const OTHERS: [Names; 3] = [ANSWERS, &["usage"], LABELS];

/// Names of gold answers and gold contexts: labels, which come from the data set.
const LABELS: Names = &[
    "reference",
    "references",
    "reference_answer",
    "reference_contexts",
    "golden_answers",
    "gold_answers",
    "gold_answer",
    "expected_output",
    "expected_answer",
    "ground_truth",
    "ground_truths",
    "ground_truth_contexts",
];

// A hit.
/// Ours; LangChain, also serialised; Haystack, LlamaIndex.
const TEXT: Names =
    &["text", "page_content", "content", "passage", "kwargs.page_content", "node.text"];
const CHUNK_ID: Names = &["chunk_id", "node_id", "id_", "node.id_", "id"];
const DOC_ID: Names = &[
    "doc_id",
    "document_id",
    "docid",
    "ref_doc_id",
    "metadata.doc_id",
    "metadata.document_id",
    "metadata.source",
    "meta.doc_id",
    "meta.source_id",
    "meta.source",
    "kwargs.metadata.source",
    "node.metadata.doc_id",
    "node.metadata.file_name",
    "source",
];
const TITLE: Names =
    &["title", "metadata.title", "meta.title", "kwargs.metadata.title", "node.metadata.title"];
const SCORE: Names = &["score", "relevance_score", "similarity", "_score"];
const START: Names = &[
    "start",
    "start_index",
    "start_char_idx",
    "metadata.start_index",
    "meta.split_idx_start",
    "kwargs.metadata.start_index",
    "node.start_char_idx",
];
const END: Names = &["end", "end_index", "end_char_idx", "node.end_char_idx"];
const TOKENS: Names = &["tokens", "n_tokens", "token_count"];
const PARTS: Names = &["parts"];
pub(super) const HIT: [Names; 9] =
    [TEXT, CHUNK_ID, DOC_ID, START, END, TITLE, SCORE, TOKENS, PARTS];

/// Fields of a hit whose misspellings are rejected.
pub(super) const LONG_OF_HIT: [Names; 4] = [&["doc_id"], &["chunk_id"], &["title"], &["text"]];

/// Free-form objects, of which other keys than those read are not reported.
pub(super) const FREE_FORM: Names = &["metadata", "meta", "kwargs", "node"];

// A stage.
pub(super) const NAME: Names = &["name", "stage"];
pub(super) const HITS: Names = &["hits", "results", "documents", "nodes", "passages", "contexts"];
pub(super) const SECONDS: Names = &["seconds", "duration_s", "latency_s"];

// Usage.
const PROMPT_TOKENS: Names = &["prompt_tokens", "input_tokens"];
const COMPLETION_TOKENS: Names = &["completion_tokens", "output_tokens"];
const COST: Names = &["cost_usd", "cost", "total_cost"];
const MODEL: Names = &["model", "model_name"];
const FINISH: Names = &["finish_reason", "stop_reason", "finish"];
pub(super) const USAGE_FIELDS: [Names; 6] =
    [PROMPT_TOKENS, COMPLETION_TOKENS, COST, SECONDS, MODEL, FINISH];
