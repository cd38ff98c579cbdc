//! Executes a run for any caller: `run`, `tune`, `import`, an external service, a dry run.
//!
//! A [`RunSource`] answers the questions, several at once; a [`Sink`] receives each result as it finishes.

use std::sync::Arc;
use std::time::Instant;

use tokio::task::JoinSet;

use super::ask::{Prepared, QuestionResult};
use super::index_cache::IndexCache;
use super::plan::Plan;
use super::progress::Progress;
use super::recorded::{self, RecordedPlan};
use super::run;
use super::sink::Sink;
use crate::Error;
use crate::Kind;
use ragtriage_clients::llm::kind_hint;
use ragtriage_core::types::{Document, ErrorKind, Question};

/// The source of the answers of a run.
#[expect(clippy::large_enum_variant, reason = "one value per run, moved once")]
pub enum RunSource<'a> {
    /// The built-in pipeline, over prepared data.
    Pipeline {
        /// Documents and questions, with their chunks and indexes.
        stock: &'a mut IndexCache,
        /// The parts of the pipeline.
        plan: Plan,
    },
    /// An external RAG: its record, or a service.
    External {
        /// Documents of the data set.
        documents: Vec<Document>,
        /// The remaining questions, each with its position in the run.
        questions: Vec<(usize, Question)>,
        /// The external RAG.
        plan: RecordedPlan,
    },
}

impl RunSource<'_> {
    async fn prepare(
        self,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<Prepared, Error> {
        match self {
            Self::Pipeline { stock, plan } => run::prepare(stock, plan, sink, progress).await,
            Self::External { documents, questions, plan } => {
                recorded::prepare(documents, questions, plan, sink)
            }
        }
    }
}

/// Asks every question of `source` and passes each result to `sink`.
///
/// # Errors
/// Any error that concerns the whole run: encoder, index, disk, a limit, or failures of questions in a row. A single
/// question's failure is recorded in its trace.
pub async fn execute(
    source: RunSource<'_>,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<(), Error> {
    sink.begin()?;
    let prepared = source.prepare(sink, progress).await?;
    answered(prepared, sink, progress).await
}

/// Asks the questions of a source that is ready, and completes the results.
async fn answered(
    mut prepared: Prepared,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<(), Error> {
    let clock = Instant::now();
    progress.start("questions", prepared.questions.len() as u64);
    let failed = ask_all(&mut prepared, sink, progress).await;
    progress.finish();
    let Prepared { asker, mut facts, .. } = prepared;
    facts.notes.extend(asker.take_notes());
    facts.seconds.insert("questions".to_owned(), clock.elapsed().as_secs_f64());
    sink.finish(facts, failed?)
}

/// Asks the questions, `concurrency` at a time; returns whether any failed.
async fn ask_all(
    prepared: &mut Prepared,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<bool, Error> {
    let mut waiting = std::mem::take(&mut prepared.questions).into_iter();
    let mut failures = Failures::new(prepared, waiting.len(), sink);
    let mut n_left = waiting.len();
    let mut stopped: Option<Error> = None;
    let mut in_flight = JoinSet::new();
    loop {
        while stopped.is_none() && in_flight.len() < prepared.concurrency {
            let Some((index, question)) = waiting.next() else {
                break;
            };
            in_flight.spawn(Arc::clone(&prepared.asker).ask(index, question));
        }
        let Some(finished) = in_flight.join_next().await else {
            break;
        };
        match finished.map_err(|_| Error::panicked())? {
            Ok(asked) => {
                let aborted = failures.count(&asked, sink);
                sink.take(asked)?;
                progress.advance(1);
                n_left -= 1;
                aborted?;
            }
            // Questions in flight may still be answered, those beyond a limit from cached responses.
            Err(why) => stopped = Some(stopped.unwrap_or(why)),
        }
    }
    match stopped {
        None => Ok(failures.any),
        Some(error) if error.kind != Kind::Limit => Err(error),
        Some(why) => {
            let run = sink.name();
            let (left, more) = if run.is_empty() {
                (String::new(), "raise the limit with `--set`".to_owned())
            } else {
                let more = format!(
                    "finished questions are kept (`ragtriage report {run}`); raise the limit with `--set` and continue with \
                     `--resume {run}`"
                );
                (format!("stopped with {n_left} questions left: "), more)
            };
            Err(Error::new(Kind::Limit, format!("{left}{why}")).with_hint(more))
        }
    }
}

/// Decides when failures end a run.
struct Failures {
    any: bool,
    /// Questions that failed since the last one that did not.
    in_a_row: usize,
    n_questions: usize,
    most: Option<usize>,
    tolerated: bool,
}

impl Failures {
    fn new(prepared: &Prepared, n_questions: usize, sink: &dyn Sink) -> Self {
        Self {
            any: false,
            in_a_row: 0,
            n_questions,
            most: prepared.most_failures,
            tolerated: sink.tolerates_failures(),
        }
    }

    fn count(&mut self, asked: &QuestionResult, sink: &dyn Sink) -> Result<(), Error> {
        let Some(failure) = asked.trace.failure() else {
            self.in_a_row = 0;
            return Ok(());
        };
        self.any = true;
        self.in_a_row += 1;
        let all_failed = self.in_a_row == self.n_questions;
        let too_many = all_failed || self.most.is_some_and(|most| self.in_a_row >= most);
        if self.tolerated || !too_many {
            return Ok(());
        }
        if self.most.is_none() {
            let n = self.n_questions;
            let error = format!("all {n} recorded questions failed; last error: {failure}");
            let hint = "record the answers again, then import them";
            return Err(Error::other(error).with_hint(hint));
        }
        let (n, run) = (self.in_a_row, sink.name());
        let fix = match failure.error.kind {
            ErrorKind::Unreachable => "start the server or correct its address",
            kind => &kind_hint(kind).unwrap_or_else(|| "fix the error named above".to_owned()),
        };
        let error = format!("aborted after {n} consecutive failures; last error: {failure}");
        // Other settings are another run.
        let needs_others =
            matches!(failure.error.kind, ErrorKind::TooLong | ErrorKind::NotRecorded);
        let again = if run.is_empty() {
            "repeat this command: replies are cached".to_owned()
        } else if needs_others {
            "run again, under another `--name`: replies are cached".to_owned()
        } else {
            format!("continue with `--resume {run}`: finished questions are kept")
        };
        Err(Error::other(error).with_hint(format!("{fix}, then {again}")))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;
    use ragtriage_core::types::Note;

    use super::*;
    use crate::ask::{QuestionRunner, RunFacts};
    use crate::progress::NoProgress;
    use crate::single::{SingleSink, unlabelled};

    fn note(what: &str) -> Note {
        Note { count: 1, what: what.to_owned() }
    }

    struct NotesAlone;

    #[async_trait]
    impl QuestionRunner for NotesAlone {
        async fn ask(self: Arc<Self>, _: usize, _: Question) -> Result<QuestionResult, Error> {
            unreachable!("there are no questions")
        }

        fn take_notes(&self) -> Vec<Note> {
            vec![note("of the answers")]
        }
    }

    #[tokio::test]
    async fn notes_of_the_corpus_are_kept_beside_those_of_the_answers() {
        let prepared = Prepared {
            asker: Arc::new(NotesAlone),
            questions: Vec::new(),
            concurrency: 1,
            most_failures: None,
            facts: RunFacts { notes: vec![note("of the corpus")], ..RunFacts::default() },
        };
        let mut sink = SingleSink::default();
        answered(prepared, &mut sink, &NoProgress).await.expect("finished");
        assert_eq!(sink.facts.notes, ["of the corpus", "of the answers"].map(note));
    }

    struct OfAChangedCollection {
        n_asked: AtomicUsize,
    }

    #[async_trait]
    impl QuestionRunner for OfAChangedCollection {
        async fn ask(self: Arc<Self>, _: usize, _: Question) -> Result<QuestionResult, Error> {
            let n_asked = self.n_asked.fetch_add(1, Ordering::Relaxed) + 1;
            let changed =
                ragtriage_vectors::changed("docs", &format!("seen by question {n_asked}"));
            Err(changed.into())
        }
    }

    #[tokio::test]
    async fn an_error_that_every_question_would_meet_ends_the_run_at_the_first() {
        let asker = Arc::new(OfAChangedCollection { n_asked: AtomicUsize::new(0) });
        let questions = (0..5).map(|index| (index, unlabelled("why")));
        let prepared = Prepared {
            asker: Arc::clone(&asker) as Arc<dyn QuestionRunner>,
            questions: questions.collect(),
            concurrency: 1,
            most_failures: Some(20),
            facts: RunFacts::default(),
        };
        let error =
            answered(prepared, &mut SingleSink::default(), &NoProgress).await.expect_err("ended");
        assert!(
            error.kind == Kind::EndsRun && error.to_string().contains("seen by question 1"),
            "{error:?}"
        );
        assert_eq!(asker.n_asked.load(Ordering::Relaxed), 1);
    }
}
