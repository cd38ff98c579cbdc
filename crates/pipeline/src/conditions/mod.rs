//! The conditions of an external RAG: the same passages as in the built-in pipeline, sent to its service or, for a
//! record, to a generator.
//!
//! Its chunks are unknown, so the gold documents are cut by the configured chunking, and the passages of each condition are
//! chosen by `conditions` from these chunks and from the contexts that it retrieved. A retrieved context is shown
//! as it was recorded. Nothing is dropped for a budget, which is unknown too. A service is tested for reading what it is sent
//! (`probe`).

mod probe;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::answerer::{Answerer, context_text};
use super::condition_choice::ConditionChoice;
use super::generate::{self, Calls, ConditionPrompt, PromptCall};
use super::oracle::Room;
use super::plan::{CLOSED_BOOK_SAMPLE, PlannedCondition, PromptPlan};
use super::prompt;
use ragtriage_clients::Error as ModelError;
use ragtriage_core::attribute::gold::{self, Haystacks};
use ragtriage_core::attribute::{PassageView, Passages};
use ragtriage_core::chunk::{ChunkSpec, Strategy, chunk_document, chunk_documents};
use ragtriage_core::prompt::{Prompt, PromptPassage};
use ragtriage_core::sample::sampled;
use ragtriage_core::text::quote::one_spaced;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{
    ByteRange, Chunk, ChunkId, Condition, ContextProbe, Corpus, DocId, Document, Gold, PROBES,
    PassageMap, Question, QuestionId, Trace,
};
use ragtriage_data::run::external::recorded::RecordedHit;

/// The conditions of an external RAG.
pub struct ConditionPlan {
    /// The calls to the generator or the service.
    pub calls: Calls,
    /// The conditions, and the samples of them.
    pub conditions: PlannedCondition,
    /// Chunking of the gold documents.
    pub chunking: ChunkSpec,
    /// Counts a chunk's size.
    pub chunk_counter: Arc<dyn TokenCounter>,
    /// Construction of prompts; its budget limits the oracle's part of a wide label.
    pub prompt: PromptPlan,
    /// Shows the titles of gold documents.
    pub titles: bool,
    /// Maximum number of passages of the oracle's part of a wide label.
    pub k: usize,
    /// The questions that are asked without passages, from [`Self::draw`].
    pub closed_book: HashSet<QuestionId>,
    /// The questions that a service is probed with, from [`Self::draw`].
    pub probed: HashSet<QuestionId>,
}

impl ConditionPlan {
    /// Draws the samples from all questions of the run, also those that are finished.
    pub fn draw(&mut self, questions: &[Question]) {
        let drawn = |n, wanted: &dyn Fn(&Question) -> bool| {
            let ids: Vec<QuestionId> = questions
                .iter()
                .filter(|question| wanted(question))
                .map(|question| question.id.clone())
                .collect();
            sampled(&ids, n, self.conditions.seed)
        };
        let n_probes = match self.calls.answerer {
            Answerer::Service(_) if !self.conditions.names.is_empty() => PROBES,
            _ => 0,
        };
        let closed_book = drawn(CLOSED_BOOK_SAMPLE, &|_| true);
        let probed = drawn(n_probes, &probe::is_suitable);
        (self.closed_book, self.probed) = (closed_book, probed);
    }

    /// Cuts the gold documents of `questions`.
    pub(super) fn gold_chunks<'q>(
        &self,
        documents: &[Document],
        questions: impl Iterator<Item = &'q Question>,
    ) -> Result<Vec<Chunk>, ragtriage_core::Error> {
        let members = questions.flat_map(|question| question.evidence.iter().flatten());
        let gold: HashSet<&DocId> = members.map(|member| &member.doc).collect();
        let counter = self.chunk_counter.as_ref();
        // External chunks are those of all documents.
        let mut chunks = if self.chunking.strategy() == Strategy::File {
            chunk_documents(documents, &self.chunking, counter)?
        } else {
            let documents = documents.iter().enumerate();
            let documents = documents.filter(|(_, document)| gold.contains(&document.id));
            let chunks = documents.flat_map(|(number, document)| {
                chunk_document(number, &document.text, &self.chunking, counter)
            });
            chunks.collect()
        };
        chunks.retain(|chunk| gold.contains(&documents[chunk.document as usize].id));
        Ok(chunks)
    }
}

/// The prompts of one question's conditions.
pub(super) struct ConditionPrompts {
    conditions: Vec<ConditionPrompt>,
    /// The planted word, and the call that holds it.
    probe: Option<(String, PromptCall)>,
}

impl ConditionPlan {
    /// Returns the prompts of the conditions that `trace` lacks: none without an answer to compare them with. `passages`: those
    /// of the trace, made from `contexts`. `corpus` has the gold documents' chunks.
    pub(super) fn prompts(
        &self,
        trace: &Trace,
        passages: &PassageMap,
        contexts: &[RecordedHit],
        corpus: &Corpus,
    ) -> Option<ConditionPrompts> {
        let retrieved = trace.attempt(Condition::Retrieved)?;
        let question = &trace.question;
        let gold = located(question, corpus);
        let both = BothSources { passages, corpus };
        let tokens = |id: &ChunkId| prompt::tokens_of(id, corpus, &self.prompt, self.titles);
        let choice = ConditionChoice {
            question,
            gold: &gold,
            packed: &retrieved.passages,
            corpus,
            passages: &both,
            room: Room {
                // None of the recorded passages is dropped.
                k: self.k.max(retrieved.passages.len()),
                context_tokens: self.prompt.context_tokens,
                tokens: &tokens,
            },
            noise_tokens: None,
            in_sample: self.closed_book.contains(&question.id),
        };
        let mut chosen = choice.prompts(&self.conditions);
        chosen.retain(|(condition, _)| {
            trace.conditions.iter().all(|known| known.condition != *condition)
        });
        let texts = ShownTexts {
            recorded: contexts
                .iter()
                .filter_map(|context| Some((one_spaced(context.text.as_deref()?), context)))
                .collect(),
            sources: both,
            plan: self,
        };
        let first = trace.conditions.get(..1).unwrap_or_default();
        let conditions = generate::prompts(chosen, first, |condition, passages| {
            let shown = texts.shown(&passages);
            self.call(question, condition, passages, shown)
        });
        let is_probed = self.probed.contains(&question.id);
        let probe = is_probed
            .then(|| choice.oracle())
            .flatten()
            .and_then(|oracle| probe::planted(question, texts.shown(&oracle), self.conditions.seed))
            .map(|(planted, shown)| {
                // Its reply is stored next to that of the same passages as they are.
                let id = ChunkId::from(format!("{planted}#probe"));
                (planted, self.call(question, Condition::Oracle, vec![id], shown))
            });
        Some(ConditionPrompts { conditions, probe })
    }

    /// Builds the call of a condition over the `shown` passages.
    fn call(
        &self,
        question: &Question,
        condition: Condition,
        passages: Vec<ChunkId>,
        shown: Vec<PromptPassage>,
    ) -> PromptCall {
        let prompt = match self.calls.answerer {
            Answerer::Generator(_) => self.prompt.template.prompt(question, shown),
            // What the service makes of it is its own; the texts are there to be counted.
            Answerer::Service(_) => Prompt {
                question: question.text.clone(),
                system: shown.iter().map(context_text).collect::<Vec<_>>().join("\n"),
                user: question.text.clone(),
                passages: shown,
            },
        };
        PromptCall {
            condition,
            n_tokens: prompt::n_tokens(&prompt, self.prompt.counter.as_ref()),
            passages,
            prompt,
        }
    }

    /// Asks the prompts and adds their conditions to `trace`.
    ///
    /// # Errors
    /// Only if the run must stop.
    pub(super) async fn ask(
        &self,
        trace: &mut Trace,
        prompts: ConditionPrompts,
    ) -> Result<(), ModelError> {
        let ConditionPrompts { conditions, probe } = prompts;
        let question = &trace.question.id;
        let recorded = std::mem::take(&mut trace.conditions);
        let mut recorded = recorded.into_iter();
        let first = recorded.next().into_iter().collect();
        let mut conditions = generate::conditions(question, conditions, first, &self.calls).await?;
        conditions.extend(recorded);
        conditions.sort_by_key(|condition| condition.condition);
        if let Some((planted, call)) = probe {
            let mut attempt = self.calls.call(question, &call).await?;
            attempt.passages.clear();
            trace.probe = Some(ContextProbe { planted, attempt }).filter(|probe| {
                // A failed call shows nothing.
                probe.attempt.error.is_none()
            });
        }
        trace.conditions = conditions;
        Ok(())
    }
}

/// Locates the gold evidence in the chunks of `corpus`. Without evidence nothing is located: such questions have no oracle.
fn located(question: &Question, corpus: &Corpus) -> Gold {
    if question.evidence.is_empty() {
        return gold::locate_shown(question, corpus, &[], |_| false);
    }
    let unlabelled = || -> &Haystacks { unreachable!("the question has evidence") };
    let mut gold = gold::locate(question, corpus, unlabelled, &|_| None);
    // The contexts have other boundaries than these chunks: white space counts in neither.
    for member in gold.groups.iter_mut().flatten() {
        let text = corpus.document(&member.doc).map(|document| &document.text);
        let needed = member.needed.iter();
        let words = needed.flat_map(|range| words(text.map_or("", String::as_str), *range));
        member.needed = words.collect();
    }
    gold
}

/// Returns the parts of `range` that are no white space.
fn words(text: &str, range: ByteRange) -> Vec<ByteRange> {
    let part = text.get(range.as_range()).unwrap_or_default();
    let start = part.as_ptr() as usize;
    part.split_whitespace()
        .map(|word| {
            let from = range.start + word.as_ptr() as usize - start;
            ByteRange::new(from, from + word.len())
        })
        .collect()
}

/// The passages of the contexts, and the chunks of the gold documents.
#[derive(Clone, Copy)]
struct BothSources<'a> {
    passages: &'a PassageMap,
    corpus: &'a Corpus,
}

impl Passages for BothSources<'_> {
    fn view(&self, id: &ChunkId) -> Option<PassageView<'_>> {
        self.passages.view(id).or_else(|| self.corpus.view(id))
    }
}

/// The texts that a prompt shows of passages.
struct ShownTexts<'a> {
    /// The contexts by their texts, without regard to white space.
    recorded: HashMap<String, &'a RecordedHit>,
    sources: BothSources<'a>,
    plan: &'a ConditionPlan,
}

impl ShownTexts<'_> {
    /// Returns the passages as they are shown: a context as it was recorded, and once.
    fn shown(&self, ids: &[ChunkId]) -> Vec<PromptPassage> {
        let mut shown: Vec<PromptPassage> = Vec::with_capacity(ids.len());
        for passage in ids.iter().filter_map(|id| self.passage(id)) {
            if !shown.contains(&passage) {
                shown.push(passage);
            }
        }
        shown
    }

    fn passage(&self, id: &ChunkId) -> Option<PromptPassage> {
        let view = self.sources.view(id)?;
        if self.sources.passages.contains_key(id)
            && let Some(context) = self.context(view)
        {
            return Some(self.recorded(context));
        }
        let title = if self.plan.titles { view.title } else { "" };
        Some(PromptPassage { title: title.to_owned(), text: view.text.to_owned() })
    }

    fn context(&self, view: PassageView<'_>) -> Option<&RecordedHit> {
        let text = one_spaced(view.text);
        let titled = || format!("{} {text}", one_spaced(view.title));
        let found = self.recorded.get(&text);
        found.or_else(|| self.recorded.get(&titled())).copied()
    }

    /// Returns a context as the external RAG has it: a prompt of ours shows the title that it names, and a service reads its
    /// text alone.
    fn recorded(&self, context: &RecordedHit) -> PromptPassage {
        let text = context.text.clone().unwrap_or_default();
        let title = match (&self.plan.calls.answerer, &context.title) {
            (Answerer::Generator(_), Some(title)) if !text.trim_start().starts_with(title) => {
                title.clone()
            }
            _ => String::new(),
        };
        PromptPassage { title, text }
    }
}

#[cfg(test)]
mod tests;
