//! Errors of reading an external system's file, with hints.

use super::recorded::known_names;
use ragtriage_core::hint::Hint;
use std::fmt;
use std::io;

/// A line of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The input's name, as it was given.
    pub file: String,
    /// The line, from 1; `None` if unknown: a JSON text with escapes is not a slice of its file.
    pub line: Option<usize>,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "`{}` line {line}", self.file),
            None => write!(f, "`{}`", self.file),
        }
    }
}

/// An error with the file and the line of its cause; [`ExternalError::hint`] suggests a fix.
#[derive(Debug, thiserror::Error)]
pub enum ExternalError {
    /// The path does not exist.
    #[error("`{file}` does not exist")]
    Missing {
        /// The path.
        file: String,
    },
    /// An I/O error, or damaged gzip data.
    #[error("cannot read `{file}`")]
    Read {
        /// The path.
        file: String,
        /// The reason.
        source: io::Error,
    },
    /// A device, or a FIFO that may never have a writer.
    #[error("`{file}` is not a regular file")]
    NotAFile {
        /// The path.
        file: String,
    },
    /// Compressed data that grows beyond measure.
    #[error("`{file}` decompresses to more than {most_growth} times its size")]
    Grows {
        /// The path.
        file: String,
        /// The maximum ratio.
        most_growth: u64,
    },
    /// Bytes that are not UTF-8.
    #[error("{position}: not valid UTF-8")]
    Utf8 {
        /// Position of the first invalid byte.
        position: Position,
    },
    /// A file with only white space and comments.
    #[error("`{file}` is empty: it has no line with data")]
    Empty {
        /// The path.
        file: String,
    },
    /// Too few or too many columns.
    #[error("{position}: {found} columns, expected {expected}")]
    Columns {
        /// The line.
        position: Position,
        /// The number found.
        found: usize,
        /// The expected number, with the column names.
        expected: &'static str,
    },
    /// A line too long for a text file of columns.
    #[error("{position}: the line has {length} bytes, more than {most}")]
    LongLine {
        /// The line.
        position: Position,
        /// Its bytes.
        length: usize,
        /// The maximum number read.
        most: usize,
    },
    /// A score that cannot be ordered (not a number).
    #[error("{position}: score `{score}` is not a number")]
    Score {
        /// The line.
        position: Position,
        /// The text found.
        score: Box<str>,
    },
    /// A relevance grade that is not a 32-bit integer.
    #[error("{position}: grade `{grade}` is not an integer")]
    Grade {
        /// The judgment.
        position: Position,
        /// The text found.
        grade: Box<str>,
    },
    /// A ranking that contains a document twice.
    #[error("{position}: duplicate document `{document}` for query `{query}` (first in {first})")]
    DuplicateDocument {
        /// The second line.
        position: Position,
        /// The first one.
        first: Position,
        /// The query.
        query: Box<str>,
        /// The document.
        document: Box<str>,
    },
    /// Two grades for one document and query.
    #[error(
        "{position}: document `{document}` has grade {grade} for query `{query}`, and grade {other} in {first}"
    )]
    Contradiction {
        /// The second line.
        position: Position,
        /// The first one.
        first: Position,
        /// The query.
        query: Box<str>,
        /// The document.
        document: Box<str>,
        /// The second grade.
        grade: i32,
        /// The first grade.
        other: i32,
    },
    /// JSON that cannot be parsed, or has an unexpected structure.
    #[error("{position} column {column}: {message}")]
    Json {
        /// The line.
        position: Position,
        /// The byte of the line, from 1.
        column: usize,
        /// The parser's message.
        message: String,
    },
    /// A line that is not a JSON object.
    #[error("{position} column {column}: not a JSON object: {message}")]
    Line {
        /// The line.
        position: Position,
        /// The byte of the line, from 1.
        column: usize,
        /// The parser's message.
        message: String,
    },
    /// A line that is not a chunk.
    #[error("{position}{}: not a chunk: {problem}", .column.map_or(String::new(), |at| format!(" column {at}")))]
    Chunk {
        /// The line.
        position: Position,
        /// The byte of the line, from 1, if one is to blame.
        column: Option<usize>,
        /// The reason.
        problem: String,
    },
    /// A missing field, or one of the wrong type.
    #[error("{position}: `{field}` must be {expected}")]
    Field {
        /// The line.
        position: Position,
        /// The field, with its position in lists.
        field: String,
        /// The expected type.
        expected: &'static str,
    },
    /// A misspelled key.
    #[error("{position}: unknown key `{key}`")]
    UnknownKey {
        /// The line.
        position: Position,
        /// The key.
        key: String,
        /// The closest known key.
        nearest: &'static str,
    },
    /// A passage that names a chunk, without a file of chunks.
    #[error("{position}: a passage has neither text nor range, only the chunk id `{id}`")]
    NoChunks {
        /// The line.
        position: Position,
        /// The chunk.
        id: String,
    },
    /// A passage that names a chunk which the file of chunks lacks.
    #[error("{position}: chunk `{id}` is not in the file of chunks")]
    UnknownChunk {
        /// The line.
        position: Position,
        /// The chunk.
        id: String,
    },
    /// Two chunks with one id.
    #[error("{position}: duplicate chunk `{id}`")]
    DuplicateChunk {
        /// The second line.
        position: Position,
        /// The id.
        id: String,
    },
    /// A stage whose place on the ladder is unknown.
    #[error("{position}: unknown stage `{field}`")]
    UnknownStage {
        /// The line.
        position: Position,
        /// The stage, with its place in the record.
        field: String,
    },
    /// A role that contradicts the stage's name.
    #[error(
        "{position}: stage `{stage}` has the role `{role}`, but its name is that of a stage with the role `{known}`"
    )]
    StageRole {
        /// The line.
        position: Position,
        /// The stage.
        stage: String,
        /// The role given.
        role: &'static str,
        /// The role of the name.
        known: &'static str,
    },
    /// A stage with different roles on different lines.
    #[error("{position}: stage `{stage}` has the role `{role}`, and `{other}` in {first}")]
    OtherRole {
        /// The second line.
        position: Position,
        /// The stage.
        stage: Box<str>,
        /// Its role there.
        role: &'static str,
        /// Its role on the first line.
        other: &'static str,
        /// The first line.
        first: Box<Position>,
    },
    /// Two stages that are one.
    #[error("{position}: stages `{first}` and `{second}` are the same stage")]
    DuplicateStage {
        /// The line.
        position: Position,
        /// The first one.
        first: String,
        /// The second one.
        second: String,
    },
    /// Stages listed against the order of the pipeline.
    #[error("{position}: stage `{second}` comes before `{first}` in a pipeline")]
    StageOrder {
        /// The line.
        position: Position,
        /// The one listed first.
        first: String,
        /// The one listed after it.
        second: String,
    },
    /// A line whose question is not in the data set.
    #[error("{position}: the data set has no question `{question}`")]
    UnknownQuestion {
        /// The line.
        position: Position,
        /// Its id, else its text.
        question: Box<str>,
    },
    /// A line whose id and text belong to different questions.
    #[error("{position}: question `{id}` is `{known}` in the data set, but `{asked}` here")]
    OtherQuestion {
        /// The line.
        position: Position,
        /// Its id.
        id: Box<str>,
        /// The data set's text.
        known: Box<str>,
        /// The line's text.
        asked: Box<str>,
    },
    /// A line without an id whose text matches several questions.
    #[error("{position}: several questions of the data set have the text `{question}`")]
    AmbiguousQuestion {
        /// The line.
        position: Position,
        /// The text.
        question: Box<str>,
    },
    /// Questions without a record.
    #[error(
        "`{file}` has no line for {n_missing} of {n_questions} questions; the first is `{first}`"
    )]
    MissingQuestions {
        /// The record.
        file: String,
        /// Number of missing questions.
        n_missing: usize,
        /// Total number of questions.
        n_questions: usize,
        /// The first missing question.
        first: Box<str>,
    },
    /// Two gold questions with one id.
    #[error("{position}: duplicate question `{id}`")]
    DuplicateQuestion {
        /// The second one.
        position: Position,
        /// The id.
        id: Box<str>,
    },
    /// A question without gold answers.
    #[error("{position}: question `{id}` has no gold answer")]
    NoGold {
        /// The question.
        position: Position,
        /// Its id.
        id: Box<str>,
    },
    /// A file of spans, none of which is a RAG's.
    #[error("`{file}` has no span of a retriever, reranker or model ({found})")]
    NoTraces {
        /// The path.
        file: String,
        /// The numbers of spans and traces, and the keys of other objects.
        found: String,
    },
    /// A gold file without questions.
    #[error("`{file}` has no questions")]
    NoQuestions {
        /// The path.
        file: String,
    },
}

impl ExternalError {
    /// Returns the error of a line that is not the JSON expected.
    pub(super) fn json(position: Position, error: &serde_json::Error) -> Self {
        let column = error.column().max(1);
        let message = reason(error);
        Self::Line { position, column, message }
    }

    /// Returns the error of a line that is not a chunk, or not JSON.
    pub(super) fn chunk(position: Position, error: &serde_json::Error) -> Self {
        if !error.is_data() {
            return Self::json(position, error);
        }
        Self::Chunk { position, column: Some(error.column().max(1)), problem: reason(error) }
    }
}

/// Returns the parser's message without its place.
fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let at = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&at).unwrap_or(&message).to_owned()
}

impl Hint for ExternalError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Missing { .. } => "check the path; `-` is standard input",
            Self::Read { .. } => "check that the file is complete (gzip or plain) and readable",
            Self::NotAFile { .. } => "name a file, or `-` for standard input",
            Self::Grows { .. } => "if this is the intended file, decompress it first",
            Self::Utf8 { .. } => "convert the file to UTF-8, for instance with `iconv`",
            Self::Empty { .. } => "check that the program which writes it has finished",
            Self::Columns { .. } => {
                "check that runs and qrels are not swapped, and that no id holds white space"
            }
            Self::LongLine { .. } => "check that this is a text file of columns",
            Self::Score { .. } => {
                "write scores as decimal numbers; the best document has the highest score"
            }
            Self::Grade { .. } => {
                "write grades as whole numbers: 0 not relevant, 1 and up relevant"
            }
            Self::DuplicateDocument { .. } => {
                "keep each document once, at its best score; passages of one document are collapsed to it first"
            }
            Self::Contradiction { .. } => "keep one judgment of each document and query",
            Self::Json { .. } => {
                "predictions are `{id: text}` or HotpotQA's `{\"answer\": {id: text}}`; gold files are the JSON of HotpotQA or SQuAD"
            }
            Self::Line { .. } => {
                "write one JSON object per line; JSON has no NaN or Infinity: leave such a score out"
            }
            Self::Chunk { .. } => {
                "a line is {\"doc_id\", \"start\", \"end\"} or {\"doc_id\", \"text\"}, with an optional \"id\" and \"context\"; offsets are whole numbers"
            }
            Self::Field { .. } => {
                "a line is {\"id\" or \"question\", \"contexts\": [{\"text\", \"doc_id\", \"score\"}] or \"stages\", \"answer\"}; leave out what is not known"
            }
            Self::UnknownStage { .. } => {
                return Some(format!(
                    "give it a `role`: `retriever`, `order` or `packed`; names that need none: {}",
                    known_names()
                ));
            }
            Self::NoChunks { .. } => {
                "give the file of chunks too: a JSON line {\"id\", \"doc_id\", \"start\", \"end\"} for each"
            }
            Self::UnknownChunk { .. } => {
                "check that the file of chunks belongs to the index that was queried"
            }
            Self::DuplicateChunk { .. } | Self::DuplicateQuestion { .. } => "keep one of the two",
            Self::StageRole { .. } => "rename the stage, or leave `role` out",
            Self::OtherRole { .. } => {
                "give the stage one role on all lines, or rename one of the two"
            }
            Self::DuplicateStage { .. } => {
                "record each stage once; a retriever with several queries is a list of objects with `query` and `hits`"
            }
            Self::StageOrder { .. } => {
                "list retrievers first, then `fused`, `reranked`, `min_score`, and `packed` last"
            }
            Self::UnknownKey { nearest, .. } => return Some(format!("did you mean `{nearest}`?")),
            Self::UnknownQuestion { .. } => {
                "check that `dataset` is the data set whose questions were asked"
            }
            Self::OtherQuestion { .. } => {
                "the ids belong to another data set or order: leave `id` out and give the text alone"
            }
            Self::AmbiguousQuestion { .. } => "give the question's `id`",
            Self::MissingQuestions { .. } => {
                "record them; leaving questions out changes every mean"
            }
            Self::NoGold { .. } => "add a gold answer, or remove the question",
            Self::NoTraces { .. } => {
                "export OTLP/JSON, LangSmith runs or Langfuse observations; spans need `openinference.span.kind`, `gen_ai.operation.name`, `langfuse.observation.type` or `run_type`"
            }
            Self::NoQuestions { .. } => "check that it is the gold file",
        };
        Some(hint.to_owned())
    }
}
