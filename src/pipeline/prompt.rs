//! Packing: which passages fit the prompt, and the prompt made of them.

use super::plan::PromptPlan;

use crate::llm::{Prompt, PromptPassage, passage_text};
use crate::types::{ChunkId, Corpus, Question};

/// Takes chunks in rank order, whole, and stops at the first that does not fit the budget.
///
/// The budget counts each passage as the prompt shows it, number and title included. A chunk that alone exceeds the
/// budget leaves the prompt empty.
#[must_use]
pub fn pack<'a>(
    chunks: impl IntoIterator<Item = &'a ChunkId>,
    corpus: &Corpus,
    plan: &PromptPlan,
    titles: bool,
) -> Vec<ChunkId> {
    let mut packed = Vec::new();
    let mut left = plan.context_tokens;
    for id in chunks {
        let Some(passage) = passage(id, corpus, titles) else { break };
        let shown = passage_text(packed.len() + 1, &passage.title, &passage.text);
        let needed = plan.counter.count(&shown);
        if needed > left {
            break;
        }
        left -= needed;
        packed.push(id.clone());
    }
    packed
}

/// The prompt of `question` over `chunks`, in that order.
#[must_use]
pub fn prompt(question: &Question, chunks: &[ChunkId], corpus: &Corpus, plan: &PromptPlan, titles: bool) -> Prompt {
    let passages: Vec<PromptPassage> = chunks.iter().filter_map(|id| passage(id, corpus, titles)).collect();
    let (system, user) = plan.template.render(&question.text, &passages);
    Prompt { question: question.text.clone(), kind: question.kind, passages, system, user }
}

fn passage(id: &ChunkId, corpus: &Corpus, titles: bool) -> Option<PromptPassage> {
    let (text, title) = corpus.chunk_text(corpus.chunk_number(id)?);
    Some(PromptPassage { title: if titles { title.to_owned() } else { String::new() }, text: text.to_owned() })
}
