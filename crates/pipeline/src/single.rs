//! Asks one question outside a run: executed like a run's questions, and not recorded.

use std::sync::Arc;

use super::ask::{QuestionResult, RunFacts};
use super::execute::{RunSource, execute};
use super::index_cache::IndexCache;
use super::plan::Plan;
use super::progress::Progress;
use super::sink::Sink;
use crate::Error;
use ragtriage_core::prompt::{Prompt, PromptPassage, n_tokens};
use ragtriage_core::types::{
    Condition, Document, Passage, Question, QuestionId, QuestionKind, Trace,
};

/// The passages and the answer of the pipeline.
pub struct Single {
    /// The question's trace. If retrieval failed, without steps and with the error.
    pub trace: Trace,
    /// The top k of the final ranking.
    pub passages: Vec<Passage>,
    /// The prompt over the packed passages.
    pub prompt: Prompt,
    /// The prompt's tokens.
    pub prompt_tokens: u64,
    /// Facts about making the corpus searchable.
    pub facts: RunFacts,
}

/// Retrieves for one question over `documents`, packs a prompt, and generates an answer if `plan` has a generator. The
/// question needs no gold evidence and no data set.
///
/// # Errors
/// Errors that concern the whole corpus: encoder, index; of kind `Limit` if a limit of cost or tokens
/// is reached.
pub async fn ask_single(
    documents: Vec<Document>,
    text: &str,
    mut plan: Plan,
    progress: &dyn Progress,
) -> Result<Single, Error> {
    plan.conditions.names = vec![Condition::Retrieved];
    let (k, title_prefix) = (plan.retrieval.k, plan.title_prefix);
    let template = plan.prompt.template.clone();
    let counter = Arc::clone(&plan.prompt.counter);
    let question = unlabelled(text);
    let mut stock = IndexCache::of_all(documents.into(), vec![question.clone()]);
    let mut sink = SingleSink::default();
    let source = RunSource::Pipeline { stock: &mut stock, plan };
    execute(source, &mut sink, progress).await?;
    let SingleSink { asked, facts } = sink;
    let QuestionResult { trace, passages } =
        asked.expect("an execution that succeeds took its question");
    let packed = trace.packed().filter_map(|id| passages.passage(id));
    let shown = packed.map(|passage| PromptPassage {
        title: if title_prefix { passage.title } else { String::new() },
        text: passage.text,
    });
    let prompt = template.prompt(&question, shown.collect());
    let top = trace.final_ranking().map_or(&[][..], |last| &last.hits);
    let passages = top.iter().take(k).filter_map(|hit| passages.passage(&hit.id)).collect();
    Ok(Single {
        prompt_tokens: n_tokens(&prompt, counter.as_ref()),
        trace,
        passages,
        prompt,
        facts,
    })
}

/// Stores the result of the question.
#[derive(Default)]
pub(super) struct SingleSink {
    asked: Option<QuestionResult>,
    pub(super) facts: RunFacts,
}

impl Sink for SingleSink {
    fn name(&self) -> String {
        String::new()
    }

    fn take(&mut self, asked: QuestionResult) -> Result<(), Error> {
        self.asked = Some(asked);
        Ok(())
    }

    fn finish(&mut self, facts: RunFacts, _: bool) -> Result<(), Error> {
        self.facts = facts;
        Ok(())
    }
}

pub(super) fn unlabelled(text: &str) -> Question {
    Question {
        kind: QuestionKind::Span,
        ..Question::new(QuestionId::from("question"), text.to_owned())
    }
}
