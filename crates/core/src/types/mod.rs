//! Data types: plain data that every other layer uses.
//!
//! A data set holds [`Document`]s and [`Question`]s; documents are split into [`Chunk`]s; retrievers return
//! [`Ranking`]s of chunks; one question's way through the pipeline is its [`Trace`]. Nothing here reads a file,
//! computes a measure or knows a wire format.

mod chunk;
mod class;
mod corpus;
mod dataset;
mod document;
mod document_numbers;
mod estimate;
mod failure;
mod filter;
mod id;
mod measured;
mod passage;
mod pool;
mod probe;
mod question;
mod range;
mod ranking;
mod retriever;
mod similarity;
mod text;
mod trace;

pub use chunk::Chunk;
pub use class::{FailureClass, Fault, Flag, Stage};
pub use corpus::Corpus;
pub(crate) use corpus::median;
pub use dataset::{Dataset, Note};
pub use document::Document;
pub use document_numbers::DocumentNumbers;
pub use estimate::Estimate;
pub use failure::{ErrorKind, FailedPart, QuestionFailure, TraceError};
pub use filter::{Condition, Excluded, Filter, Literal, NumberBounds};
pub use id::{ChunkId, DocId, QuestionId};
pub use measured::{Interval, or_infinite};
pub use passage::{Passage, PassageMap};
pub use pool::{Pooled, Pools};
pub use probe::{ContextUse, PROBES};
pub use question::{Group, KeyFact, Member, Question, QuestionKind, Split};
pub use range::{ByteRange, RangeSet};
pub use ranking::{Hit, Ranking, collapse};
pub use retriever::RetrieverName;
pub use similarity::Similarity;
pub use text::{Length, TitledText};
pub use trace::{
    Arm, ArmName, Attempt, ContextProbe, ExactSearch, Finish, Gold, GoldMember, Origin, Stance,
    Step, StepHit, Support, SupportRule, TokenUse, Trace, TraceStep,
};
