//! Data types: plain data that every other layer uses.
//!
//! A data set holds [`Document`]s and [`Question`]s; documents are split into [`Chunk`]s; retrievers return
//! [`Ranking`]s of chunks; one question's way through the pipeline is its [`Trace`]. Nothing here reads a file,
//! computes a metric or knows a wire format.

mod class;
mod corpus;
mod dataset;
mod document;
mod estimate;
mod failure;
mod filter;
mod id;
mod measured;
mod names;
mod pool;
mod probe;
mod question;
mod range;
mod ranking;
mod similarity;
mod trace;

pub use class::{Cause, FailureClass, Fault, Flag, Stage};
pub use corpus::Corpus;
pub(crate) use corpus::median;
pub use dataset::{Dataset, Note};
pub use document::{Chunk, Document, Length, Passage, PassageMap, TitledText};
pub use estimate::{Estimate, Recipient, RecipientRole};
pub use failure::{ErrorKind, FailedPart, QuestionFailure, TraceError};
pub use filter::{Excluded, FieldCondition, Filter, Literal, NumberBounds};
pub use id::{ChunkId, DocId, QuestionId};
pub use measured::{Interval, or_infinite};
pub use names::DocumentNames;
pub use pool::{Pooled, Pools};
pub use probe::{ContextUse, PROBES};
pub use question::{Group, KeyFact, Member, Question, QuestionKind, Speaker, Split, Turn};
pub use range::{ByteRange, RangeSet};
pub use ranking::{Hit, Ranking, collapse};
pub use similarity::{Hnsw, Similarity, VectorShape};
pub use trace::{
    Attempt, Condition, ConditionAnswers, ContextProbe, Finish, Gold, GoldMember, Origin,
    OtherSearches, RetrieverName, Stance, Step, StepHit, Support, SupportRule, TokenUse, Trace,
    TraceStep,
};
