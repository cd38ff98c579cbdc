//! One question asked outside any run: executed as a run's questions are, and recorded nowhere.

use std::sync::Arc;

use super::PipelineError;
use super::ask::{Asked, Asker};
use super::plan::Plan;
use super::progress::Progress;
use super::run::{self, Prepared, RunFacts};
use super::stock::Stock;
use ragtriage_core::prompt::{Prompt, PromptPassage, n_tokens, of_passages};
use ragtriage_core::types::{ArmName, Document, Kind, Passage, Question, QuestionId, Trace};

/// What the pipeline found and answered.
pub struct Single {
    /// The question's trace. Without stages where retrieval failed, for the reason that it gives.
    pub trace: Trace,
    /// The top k of the final ranking.
    pub passages: Vec<Passage>,
    /// The prompt over what was packed.
    pub prompt: Prompt,
    /// The prompt's tokens.
    pub prompt_tokens: u64,
    /// What making the corpus searchable took.
    pub facts: RunFacts,
}

/// Retrieves for one question over `documents`, packs a prompt, and generates an answer where `plan` has a generator. The
/// question needs no gold data and is not looked up in a data set.
///
/// # Errors
/// What concerns the whole corpus: encoder, index; `Stopped` where a limit of cost or tokens is reached.
pub async fn ask_single(
    documents: Vec<Document>,
    text: &str,
    mut plan: Plan,
    progress: &dyn Progress,
) -> Result<Single, PipelineError> {
    plan.arms.names = vec![ArmName::Retrieved];
    plan.arms.repeat = 1;
    plan.retrieval.skip_same_id = false;
    let (k, title_prefix) = (plan.retrieval.k, plan.title_prefix);
    let template = plan.prompt.template.clone();
    let counter = Arc::clone(&plan.prompt.counter);
    let question = unlabelled(text);
    let mut stock = Stock::for_one(
        documents,
        vec![question.id.clone()],
        vec![(0, question.clone())],
    );
    let Prepared { line, facts, .. } = run::prepare(&mut stock, plan, progress).await?;
    let asked = line.ask(0, question.clone()).await;
    let Asked { trace, passages } = asked.map_err(|why| PipelineError::Stopped {
        why,
        n_left: 1,
        run: String::new(),
    })?;
    let packed = trace.packed().filter_map(|id| passages.passage(id));
    let shown = packed.map(|passage| PromptPassage {
        title: if title_prefix {
            passage.title
        } else {
            String::new()
        },
        text: passage.text,
    });
    let prompt = of_passages(&question, shown.collect(), &template);
    let top = trace.final_ranking().map_or(&[][..], |last| &last.hits);
    let passages = top
        .iter()
        .take(k)
        .filter_map(|hit| passages.passage(&hit.id))
        .collect();
    Ok(Single {
        prompt_tokens: n_tokens(&prompt, counter.as_ref()),
        trace,
        passages,
        prompt,
        facts,
    })
}

fn unlabelled(text: &str) -> Question {
    Question {
        id: QuestionId::from("question"),
        text: text.to_owned(),
        kind: Kind::Span,
        answers: Vec::new(),
        evidence: Vec::new(),
        relevant: [].into(),
        required: Vec::new(),
        forbidden: Vec::new(),
        tags: Vec::new(),
        split: None,
    }
}
