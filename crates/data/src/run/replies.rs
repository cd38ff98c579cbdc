//! Responses of questions in flight, written as they arrive: a run that is killed requests none of them again.
//!
//! A question's trace is written when all its conditions are complete. Until then each response is in `replies.jsonl`, which is
//! removed when the run is finished. This is not a cache: it belongs to one run and never holds failed calls.

use std::collections::HashMap;
use std::fs;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::{Error, LineWriter, RunFolder, lines};
use ragtriage_core::types::{Attempt, ChunkId, QuestionId};

/// The file's name.
pub const FILE: &str = "replies.jsonl";

/// A question and the passages of its prompt, which determine the prompt within one run.
type PromptKey = (QuestionId, Vec<ChunkId>);

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingReply {
    /// The question.
    pub question: QuestionId,
    /// The answered call.
    pub attempt: Attempt,
}

/// The responses of one run's questions in flight.
#[derive(Debug)]
pub struct Replies {
    /// `None` once a line could not be written.
    writer: Mutex<Option<LineWriter>>,
    /// Responses from before the run was resumed.
    earlier: Mutex<HashMap<PromptKey, Attempt>>,
}

impl Replies {
    /// Reads the responses in `folder`, oldest first; empty if the run is finished.
    pub fn read(folder: &RunFolder) -> Result<Vec<PendingReply>, Error> {
        lines::read(&folder.file(FILE), |reply: PendingReply| reply)
    }

    /// Opens the file in `folder`, from which `earlier` were read.
    pub fn open(folder: &RunFolder, earlier: Vec<PendingReply>) -> Result<Self, Error> {
        let writer = LineWriter::open(&folder.file(FILE))?;
        let earlier = earlier.into_iter();
        let by_prompt = earlier.map(|PendingReply { question, attempt }| {
            ((question, attempt.passages.clone()), attempt)
        });
        Ok(Self { writer: Mutex::new(Some(writer)), earlier: Mutex::new(by_prompt.collect()) })
    }

    /// Takes the earlier response to the question over these passages. It is returned once.
    #[must_use]
    pub fn take(&self, question: &QuestionId, passages: &[ChunkId]) -> Option<Attempt> {
        let mut earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        earlier.remove(&(question.clone(), passages.to_vec()))
    }

    /// Writes a response, unless its call failed. After a failed write nothing more is written: a kill would repeat these
    /// calls, and the trace that cannot be written either reports why.
    pub fn keep(&self, question: &QuestionId, attempt: &Attempt) {
        if attempt.error.is_some() {
            return;
        }
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = PendingReply { question: question.clone(), attempt: attempt.clone() };
        if writer.as_mut().is_some_and(|writer| writer.append([&reply]).is_err()) {
            *writer = None;
        }
    }

    /// Removes the file of a finished run.
    pub fn remove(folder: &RunFolder) -> Result<(), Error> {
        let path = folder.file(FILE);
        fs::remove_file(&path).map_err(Error::io("remove", &path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::types::{ErrorKind, FailedPart, TraceError};

    fn attempt(raw: &str, error: Option<TraceError>) -> Attempt {
        Attempt { passages: vec!["d#0".into()], error, ..Attempt::new(raw) }
    }

    #[test]
    fn what_was_kept_is_given_out_once_each_and_failures_never() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::existing(parent.path());
        let (question, passages) = ("q".into(), ["d#0".into()]);
        let replies = Replies::open(&folder, Vec::new()).expect("opened");
        let failed = TraceError {
            part: FailedPart::Generator,
            kind: ErrorKind::Transient,
            message: "status 500".to_owned(),
        };
        for kept in [attempt("first", None), attempt("", Some(failed))] {
            replies.keep(&question, &kept);
        }
        drop(replies);
        let replies =
            Replies::open(&folder, Replies::read(&folder).expect("read")).expect("opened");
        let take = || replies.take(&question, &passages).map(|attempt| attempt.raw);
        assert_eq!([take(), take()], [Some("first".to_owned()), None]);
        assert_eq!(replies.take(&question, &[]), None, "another prompt");
    }
}
