//! The report of one question: its passages with their scores explained, the prompt, the answer.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::document::{Element, Entry, Fact, Report};
use ragtriage_core::prompt::Prompt;
use ragtriage_core::text::sanitize::shortened;
use ragtriage_core::types::{
    Attempt, ByteRange, ChunkId, Finish, Origin, Passage, Stance, Step, StepHit, Trace,
};

/// Characters of a passage that are shown outside the prompt.
const EXCERPT: usize = 300;

/// One question, asked outside any run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AskView {
    /// The question.
    pub question: String,
    /// The configuration file.
    pub config: String,
    /// Format and path of the data set.
    pub dataset: String,
    /// Chunks that were searched.
    pub n_chunks: usize,
    /// The vector search; `null` without vectors.
    pub vector_search: Option<String>,
    /// The top k of the final ranking.
    pub passages: Vec<RankedPassage>,
    /// The prompt for the generator.
    pub prompt: PromptView,
    /// The answer; `null` without a generator.
    pub answer: Option<AnswerView>,
}

/// A passage of the final ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedPassage {
    /// Its rank, from 1.
    pub rank: usize,
    /// The chunk's id.
    pub id: String,
    /// Its document.
    pub doc: String,
    /// The document's title; may be empty.
    pub title: String,
    /// Its start in the document, in bytes.
    pub start: usize,
    /// Its end in the document, in bytes.
    pub end: usize,
    /// Its score in the final ranking.
    pub score: f64,
    /// `true` if it is in the prompt.
    pub packed: bool,
    /// Its rank and score in each stage that returned it.
    pub stages: Vec<StepScore>,
    /// Its text.
    pub text: String,
}

/// Rank and score of a passage in one stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepScore {
    /// The stage.
    pub stage: Step,
    /// Its rank there, from 1.
    pub rank: usize,
    /// Its score there.
    pub score: f64,
    /// The parts of the score: by term (BM25, TF-IDF), by retriever (fusion), or the score before reranking.
    pub parts: BTreeMap<String, f64>,
}

/// The two messages of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromptView {
    /// The system message; empty for none.
    pub system: String,
    /// The user message.
    pub user: String,
    /// Tokens of both (`cl100k_base`).
    pub n_tokens: u64,
}

/// A generator's reply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnswerView {
    /// The generator's name.
    pub generator: String,
    /// The short answer; empty where there is none.
    pub text: String,
    /// The whole reply.
    pub reply: String,
    /// The kind of reply.
    pub stance: Stance,
    /// The reason why the generator stopped.
    pub finish: Finish,
    /// The source of the reply, such as the cache.
    pub origin: Origin,
    /// Tokens of the reply.
    pub completion_tokens: u64,
    /// Its cost in US dollars.
    pub cost_usd: f64,
    /// Wall time, seconds.
    pub seconds: f64,
    /// The error of a failed call.
    pub error: Option<String>,
}

impl RankedPassage {
    /// Returns the passages of the top `k` of a trace, `passages` being their texts.
    #[must_use]
    pub fn of_trace(trace: &Trace, passages: &[Passage], k: usize) -> Vec<Self> {
        let hits = trace.final_ranking().map_or(&[][..], |last| &last.hits);
        (1..)
            .zip(hits.iter().take(k))
            .filter_map(|(rank, hit)| {
                let passage = passages.iter().find(|passage| passage.id == hit.id)?;
                Some(Self::new(rank, hit, passage, trace))
            })
            .collect()
    }

    fn new(rank: usize, hit: &StepHit, passage: &Passage, trace: &Trace) -> Self {
        let stages =
            trace.steps.iter().filter(|step| !matches!(step.step, Step::Expanded | Step::Packed));
        Self {
            rank,
            id: hit.id.to_string(),
            doc: passage.doc.to_string(),
            title: passage.title.clone(),
            start: passage.range.start,
            end: passage.range.end,
            score: hit.score,
            packed: trace.packed().any(|id| is_in(passage, id)),
            stages: stages
                .filter_map(|step| {
                    let at = step.hits.iter().position(|other| other.id == hit.id)?;
                    Some(StepScore {
                        stage: step.step,
                        rank: at + 1,
                        score: step.hits[at].score,
                        parts: step.hits[at].parts.clone(),
                    })
                })
                .collect(),
            text: passage.text.clone(),
        }
    }

    fn entry(&self) -> Entry {
        let title =
            if self.title.is_empty() { String::new() } else { format!(" \"{}\"", self.title) };
        let place = if self.packed { "" } else { ", not in the prompt" };
        let mut facts: Vec<Fact> = self.stages.iter().map(StepScore::fact).collect();
        facts.push(Fact::new("text", shortened(&self.text, EXCERPT)));
        Entry {
            title: format!(
                "rank {}: {}{title}, bytes {} to {}{place}",
                self.rank, self.id, self.start, self.end
            ),
            facts,
        }
    }
}

/// Returns true if `packed` is the passage, or an expanded one that contains it.
fn is_in(passage: &Passage, packed: &ChunkId) -> bool {
    let contains = |range: ByteRange| range.contains(passage.range);
    *packed == passage.id
        || packed.doc() == passage.doc.as_str() && packed.range().is_some_and(contains)
}

impl StepScore {
    fn fact(&self) -> Fact {
        let Self { stage, rank, score, parts } = self;
        let text = format!("rank {rank}, score {score:.4}{}", explained(*stage, parts));
        Fact::new(stage.name(), text)
    }
}

/// The parts of a score, largest first; empty without parts.
fn explained(stage: Step, parts: &BTreeMap<String, f64>) -> String {
    if parts.is_empty() {
        return String::new();
    }
    let mut parts: Vec<(&String, &f64)> = parts.iter().collect();
    parts.sort_by(|a, b| b.1.total_cmp(a.1));
    let shares: Vec<String> =
        parts.iter().map(|(name, share)| format!("{name} {share:.4}")).collect();
    if stage == Step::Reranked {
        format!(" ({})", shares.join(", "))
    } else {
        format!(" = {}", shares.join(" + "))
    }
}

impl PromptView {
    /// Creates the view of a prompt of `n_tokens`.
    #[must_use]
    pub fn new(prompt: &Prompt, n_tokens: u64) -> Self {
        Self { system: prompt.system.clone(), user: prompt.user.clone(), n_tokens }
    }

    fn lines(&self) -> Vec<String> {
        let messages = [("system", &self.system), ("user", &self.user)];
        let mut lines = Vec::new();
        for (role, text) in messages.into_iter().filter(|(_, text)| !text.is_empty()) {
            lines.push(format!("[{role}]"));
            lines.extend(text.lines().map(str::to_owned));
        }
        lines
    }
}

impl AnswerView {
    /// Creates the view of a reply of `generator`.
    #[must_use]
    pub fn new(generator: &str, attempt: &Attempt) -> Self {
        Self {
            generator: generator.to_owned(),
            text: attempt.extracted.clone(),
            reply: attempt.raw.clone(),
            stance: attempt.stance,
            finish: attempt.finish,
            origin: attempt.origin,
            completion_tokens: attempt.tokens.completion,
            cost_usd: attempt.cost_usd,
            seconds: attempt.seconds,
            error: attempt.error.as_ref().map(|error| error.message.clone()),
        }
    }

    fn facts(&self) -> Vec<Fact> {
        let mut facts = vec![Fact::new("generator", &self.generator)];
        if let Some(error) = &self.error {
            facts.push(Fact::new("failed", error));
            return facts;
        }
        let text =
            if self.text.is_empty() { format!("({})", self.stance) } else { self.text.clone() };
        facts.push(Fact::new("answer", text));
        if self.reply != self.text {
            facts.push(Fact::new("reply", &self.reply));
        }
        facts
    }
}

impl AskView {
    /// Returns the report.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut report = Report::new(&self.question);
        let mut facts = vec![
            Fact::new("configuration", &self.config),
            Fact::new("data set", &self.dataset),
            Fact::new("chunks", self.n_chunks.to_string()),
        ];
        if let Some(search) = &self.vector_search {
            facts.push(Fact::new("vector search", search));
        }
        report.facts(facts);
        report.heading(format!("Passages (top {})", self.passages.len()));
        if self.passages.is_empty() {
            report.elements.push(Element::Paragraph("No passage matches.".to_owned()));
        }
        report.entries(self.passages.iter().map(RankedPassage::entry).collect());
        report.heading(format!("Prompt ({} tokens)", self.prompt.n_tokens));
        report.elements.push(Element::Lines(self.prompt.lines()));
        report.heading("Answer");
        match &self.answer {
            Some(answer) => report.facts(answer.facts()),
            None => {
                report.elements.push(Element::Paragraph("No generator is configured.".to_owned()));
            }
        }
        report
    }
}
