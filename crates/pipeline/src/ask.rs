//! The questions of a run, several at once, each recorded as it finishes; whoever answers them.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::task::JoinSet;

use super::PipelineError;
use super::progress::Progress;
use super::record::{PassageSource, Recorder};
use super::workers::Workers;
use ragtriage_core::types::{ChunkId, Question, QuestionId, Trace};
use ragtriage_models::llm::LlmError;
use ragtriage_runs::RunFolder;
use ragtriage_runs::replies::Reply;

/// So many failures with no answer between them: an endpoint or service is gone, and the rest would fail too.
pub const FAILURES_IN_A_ROW: usize = 20;

/// What a resumed run already has.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// Questions that need not be asked again.
    pub questions: HashSet<QuestionId>,
    /// Passages already written.
    pub passages: HashSet<ChunkId>,
    /// Replies to questions that were in work.
    pub replies: Vec<Reply>,
}

impl Done {
    /// The questions that are left, each with its place in the run.
    #[must_use]
    pub fn left(&self, questions: Vec<Question>) -> Vec<(usize, Question)> {
        questions
            .into_iter()
            .enumerate()
            .filter(|(_, question)| !self.questions.contains(&question.id))
            .collect()
    }
}

/// One question's trace, and where the passages that it names are found.
pub struct Asked {
    /// The trace; one that failed says so in its class.
    pub trace: Trace,
    /// Its passages.
    pub passages: Arc<dyn PassageSource>,
}

/// Takes one question through a pipeline: ours, or somebody else's.
///
/// Contract: any other failure concerns the question alone and is its trace's class and reason.
#[async_trait]
pub trait Asker: Send + Sync {
    /// Asks the question at `index` of the run.
    /// # Errors
    /// Only where nothing more may be asked and the run must stop: no trace is recorded.
    async fn ask(&self, index: usize, question: Question) -> Result<Asked, LlmError>;
}

/// How questions are asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// So many at a time.
    pub concurrency: usize,
    /// So many failures in a row end the run; `None`: only that every question failed is an error.
    pub most_failures: Option<usize>,
}

/// Asks the questions and records each in `folder` as it finishes; `written` are the passages that stand there already. How many
/// failed is returned.
///
/// # Errors
/// `OnlyFailures`, `AllRecordedFailed`, `Stopped`; the disk.
pub(super) async fn ask_all(
    asker: &Arc<dyn Asker>,
    questions: Vec<(usize, Question)>,
    pace: Pace,
    folder: &RunFolder,
    written: HashSet<ChunkId>,
    progress: &dyn Progress,
) -> Result<usize, PipelineError> {
    let mut recorder = Recorder::open(folder, written)?;
    let workers = Workers::start().map_err(PipelineError::NoThreads)?;
    progress.start("questions", questions.len() as u64);
    let (mut in_a_row, mut n_recorded, mut n_failed, mut stopped) = (0, 0, 0, None);
    let n_questions = questions.len();
    let mut working = JoinSet::new();
    let mut waiting = questions.into_iter();
    loop {
        while stopped.is_none() && working.len() < pace.concurrency {
            let Some((index, question)) = waiting.next() else {
                break;
            };
            let asker = Arc::clone(asker);
            working.spawn_on(
                async move { asker.ask(index, question).await },
                workers.handle(),
            );
        }
        let Some(finished) = working.join_next().await else {
            break;
        };
        let Asked { trace, passages } = match finished.map_err(|_| PipelineError::Panicked)? {
            Ok(asked) => asked,
            // What is in work already may still be answered from what was paid for.
            Err(why) => {
                stopped = Some(why);
                continue;
            }
        };
        recorder.record(&trace, passages.as_ref())?;
        progress.advance(1);
        n_recorded += 1;
        n_failed += usize::from(trace.failed());
        in_a_row = if trace.failed() { in_a_row + 1 } else { 0 };
        let all_failed = in_a_row == n_questions;
        if all_failed || pace.most_failures.is_some_and(|most| in_a_row >= most) {
            progress.finish();
            let (n, last) = (in_a_row, trace.reason);
            return Err(match pace.most_failures {
                Some(_) => PipelineError::OnlyFailures {
                    n,
                    last,
                    run: folder.name(),
                },
                None => PipelineError::AllRecordedFailed { n, last },
            });
        }
    }
    progress.finish();
    match stopped {
        None => Ok(n_failed),
        Some(why) => Err(PipelineError::Stopped {
            why,
            n_left: n_questions - n_recorded,
            run: folder.name(),
        }),
    }
}
