//! Trace of one question through the pipeline, one line of `traces.jsonl`.
//!
//! Together with `passages.jsonl` a trace holds everything that scoring, attribution and reports need: the question
//! with its gold answers and evidence, the results of each step, the packed passages and the answers. Nothing is
//! recomputed by calling a model or a server. It holds no judgment: failure classes come from evaluation.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ByteRange, ChunkId, DocId, Fault, Question, QuestionFailure, QuestionKind, TraceError,
};
use crate::closed_set::closed_set;

closed_set! {
    /// Name of a retriever.
    RetrieverName {
        /// TF-IDF with cosine similarity.
        Tfidf = "tfidf",
        /// BM25.
        Bm25 = "bm25",
        /// Dense retrieval: one vector per chunk, in Qdrant.
        Dense = "dense",
        /// Late interaction (`ColBERT`): one vector per token, in Qdrant.
        LateInteraction = "late_interaction",
        /// An existing Qdrant collection.
        Collection = "collection",
    }
}

closed_set! {
    /// A step of retrieval or packing whose ranking a trace holds.
    Step {
        /// TF-IDF cosine.
        Tfidf = "tfidf",
        /// BM25.
        Bm25 = "bm25",
        /// One vector per chunk.
        Dense = "dense",
        /// One vector per token.
        LateInteraction = "late_interaction",
        /// An existing Qdrant collection.
        Collection = "collection",
        /// A retriever of an external RAG: imported, not run here.
        External = "external",
        /// Fusion of the retrievers' rankings.
        Fused = "fused",
        /// The reranker's ranking.
        Reranked = "reranked",
        /// Hits of the previous step that score at least `min_score`.
        MinScore = "min_score",
        /// Another order or selection of an external RAG.
        Ordered = "ordered",
        /// Passages of the prompt, in prompt order.
        Packed = "packed",
    }
}

impl Step {
    /// Returns true if the step finds candidates, and does not only order, select or pack them.
    #[must_use]
    pub fn is_retriever(self) -> bool {
        match self {
            Self::Tfidf
            | Self::Bm25
            | Self::Dense
            | Self::LateInteraction
            | Self::Collection
            | Self::External => true,
            Self::Fused | Self::Reranked | Self::MinScore | Self::Ordered | Self::Packed => false,
        }
    }
}

impl From<RetrieverName> for Step {
    fn from(name: RetrieverName) -> Self {
        Self::named(name.name()).expect("each retriever is a step")
    }
}

closed_set! {
    /// A counterfactual condition: the context that the generator is given for a question.
    Condition {
        /// The pipeline's prompt; always run.
        Retrieved = "retrieved",
        /// The gold passages alone.
        Oracle = "oracle",
        /// The pipeline's prompt with the missing gold passages added, at the same token budget.
        GoldWithDistractors = "gold_with_distractors",
        /// No context.
        ClosedBook = "closed_book",
    }
}

closed_set! {
    /// Rule that decided support.
    SupportRule {
        /// Gold byte ranges inside the union of the passages' ranges.
        Ranges = "ranges",
        /// Gold documents without ranges: a chunk of each, one of them with an answer string.
        Documents = "documents",
        /// No evidence, but relevance judgments: a passage of some relevant document.
        Judged = "judged",
        /// Neither evidence nor judgments: a passage holds an answer string.
        AnswerString = "answer_string",
        /// Neither evidence nor judgments nor gold answers.
        Nothing = "nothing",
    }
}

impl SupportRule {
    /// Returns the rule that applies to a question, from its labels alone.
    #[must_use]
    pub fn of(question: &Question) -> Self {
        let mut members = question.evidence.iter().flatten();
        if members.any(|member| !member.ranges.is_empty()) {
            Self::Ranges
        } else if !question.evidence.is_empty() {
            Self::Documents
        } else if question.kind == QuestionKind::Unanswerable {
            // Judgments of it name documents that come near, none that answers.
            Self::Nothing
        } else if question.relevant_docs().next().is_some() {
            Self::Judged
        } else if question.has_spans() {
            Self::AnswerString
        } else {
            Self::Nothing
        }
    }
}

closed_set! {
    /// Kind of reply.
    Stance {
        /// An answer.
        Answered = "answered",
        /// A statement that it does not know.
        Declined = "declined",
        /// Stopped by a filter.
        Refused = "refused",
        /// No answer could be extracted from it.
        Unreadable = "unreadable",
        /// It reached the token limit before its answer was complete.
        Truncated = "truncated",
        /// A call of a tool in place of an answer.
        ToolCall = "tool_call",
        /// Nothing.
        Empty = "empty",
    }
}

impl Stance {
    /// Returns the fault of such a reply; `None` for an answer, and for a reply that shows nothing of the generator.
    #[must_use]
    pub fn fault(self) -> Option<Fault> {
        (self == Self::Declined).then_some(Fault::Declined)
    }

    /// Returns the reason why such a reply shows nothing of the generator: settings, server or a filter kept it from being an
    /// answer. `None` for every other one.
    #[must_use]
    pub fn unusable(self) -> Option<&'static str> {
        match self {
            Self::Refused => Some("stopped by a filter"),
            Self::Truncated => Some("truncated by the token limit"),
            Self::ToolCall => Some("a tool call"),
            Self::Empty => Some("empty"),
            Self::Answered | Self::Declined | Self::Unreadable => None,
        }
    }
}

closed_set! {
    /// Source of a reply.
    #[derive(Default)]
    Origin {
        /// A call was made.
        #[default]
        Called = "called",
        /// Cached response to the same prompt.
        Cached = "cached",
        /// Another condition of the same question had the same prompt.
        SamePrompt = "same_prompt",
    }
}

closed_set! {
    /// Reason why generation ended.
    Finish {
        /// The model finished.
        Stop = "stop",
        /// `max_tokens` was reached.
        Length = "length",
        /// The model called a tool.
        ToolCall = "tool_call",
        /// A content filter intervened.
        Filtered = "filtered",
        /// The call failed.
        Error = "error",
    }
}

/// Support of a question by a set of passages, with the rule that decided it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Support {
    /// True if the passages support the question.
    pub holds: bool,
    /// The rule.
    pub rule: SupportRule,
}

/// Gold evidence of a question in the run's corpus and chunks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gold {
    /// Support by the whole documents.
    pub documents: Support,
    /// Support by all chunks together.
    pub chunks: Support,
    /// Parallel to `question.evidence`.
    pub groups: Vec<Vec<GoldMember>>,
}

impl Gold {
    /// Returns true if evidence lies beyond the encoder input limit.
    #[must_use]
    pub fn is_encoder_truncated(&self) -> bool {
        self.groups.iter().flatten().any(|member| member.encoder_truncated)
    }
}

/// Location of one evidence member in the run's chunks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GoldMember {
    /// The document.
    pub doc: DocId,
    /// True if the corpus has it, with any text.
    pub present: bool,
    /// The member's ranges, limited to the parts that lie in some chunk: the rest is white space between chunks.
    pub needed: Vec<ByteRange>,
    /// Chunks that hold a byte of the ranges, in document order; for a member without ranges those that hold an
    /// answer string, or all of the document's chunks where none does.
    pub chunks: Vec<ChunkId>,
    /// Its ranges that are too long for a chunk to be expected to hold them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wide: Vec<ByteRange>,
    /// Places inside `wide` of a gold answer, or of a wording of a required fact.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer_ranges: Vec<ByteRange>,
    /// For a member without ranges: true if the document holds an answer string. Not computed for a member with ranges.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_answer: bool,
    /// True if part of a needed range lies beyond the encoder input limit in every chunk that holds it.
    #[serde(default)]
    pub encoder_truncated: bool,
}

/// One hit of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepHit {
    /// The chunk.
    pub id: ChunkId,
    /// The step's score.
    pub score: f64,
    /// Parts of the score, by component.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, f64>,
}

/// Results of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceStep {
    /// The step.
    #[serde(rename = "stage")]
    pub step: Step,
    /// The name that an external RAG gives it, where that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its query, where the question was rewritten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// For the packed passages of an external RAG: the number of hits that packing was to take, if it is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// Best first.
    pub hits: Vec<StepHit>,
    /// What exact search finds for the same question, best first, where these hits come from an approximate search. No later
    /// step uses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact_search: Option<Vec<ChunkId>>,
    /// Wall time, seconds; without exact search.
    pub seconds: f64,
}

impl TraceStep {
    /// Creates a step without a second, exact search.
    #[must_use]
    pub fn new(step: Step, hits: Vec<StepHit>, seconds: f64) -> Self {
        Self { step, name: None, query: None, k: None, hits, exact_search: None, seconds }
    }

    /// Returns its name: an external RAG's, else the step's.
    #[must_use]
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(self.step.name())
    }
}

/// Token counts of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenUse {
    /// Tokens of the prompt, by our count (`cl100k_base`).
    pub prompt: u64,
    /// Tokens of the prompt, as billed by the endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_billed: Option<u64>,
    /// Tokens of the answer, as billed, else by our count.
    pub completion: u64,
}

/// One call of the generator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    /// Passages of the prompt, in order.
    pub passages: Vec<ChunkId>,
    /// The reply, unmodified.
    pub raw: String,
    /// The short answer extracted from it; empty when it declined, refused or was unreadable.
    pub extracted: String,
    /// The kind of reply.
    pub stance: Stance,
    /// Reason why it ended.
    pub finish: Finish,
    /// Source of the reply: only one that was called for cost anything.
    #[serde(default)]
    pub origin: Origin,
    /// Tokens of the prompt and its reply, whatever its source.
    pub tokens: TokenUse,
    /// Cost in US dollars; 0 for local readers and unpriced endpoints.
    pub cost_usd: f64,
    /// Wall time, seconds.
    pub seconds: f64,
    /// Reason why the call failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TraceError>,
}

/// Bytes of the shortest reply that can be seen to repeat itself: a quarter of it is more than a word.
const LEAST_REPEATING: usize = 40;

impl Attempt {
    /// Creates a call without passages that replied with the answer `text` alone, in no time and at no cost.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let raw = text.into();
        Self {
            passages: Vec::new(),
            extracted: raw.clone(),
            raw,
            stance: Stance::Answered,
            finish: Finish::Stop,
            origin: Origin::Called,
            tokens: TokenUse::default(),
            cost_usd: 0.0,
            seconds: 0.0,
            error: None,
        }
    }

    /// Returns true if it shows what the generator can do with its passages: the call did not fail, and the reply is not
    /// [unusable](Stance::unusable).
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.error.is_none() && self.stance.unusable().is_none()
    }

    /// Returns true if the last quarter of the reply occurs in it at least twice before: the model repeats itself, or writes only
    /// control tokens.
    #[must_use]
    pub fn repeats_itself(&self) -> bool {
        let text = self.raw.trim();
        let last = &text[text.floor_char_boundary(text.len() / 4 * 3)..];
        let next = |from| {
            let from = text.ceil_char_boundary(from);
            text[from..].find(last).map(|at| from + at)
        };
        let second = next(0).and_then(|first| next(first + 1));
        text.len() >= LEAST_REPEATING && second.is_some_and(|at| at + last.len() < text.len())
    }

    /// Returns true if the server took the prompt: the call did not fail, and no filter rejected it.
    #[must_use]
    pub fn took_prompt(&self) -> bool {
        let is_refused = self.error.is_some() || self.finish == Finish::Filtered;
        self.tokens.prompt_billed.is_some() || !is_refused
    }

    /// Returns the answer for people: the short one, or in brackets the kind of reply, with the words that decline.
    #[must_use]
    pub fn answer_text(&self) -> String {
        match self.stance {
            Stance::Declined => format!("(declined) {}", self.raw.trim()).trim_end().to_owned(),
            stance if self.extracted.is_empty() => format!("({stance})"),
            _ => self.extracted.clone(),
        }
    }
}

/// All attempts of one condition; more than one only with repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConditionAnswers {
    /// The condition.
    pub condition: Condition,
    /// The calls.
    pub attempts: Vec<Attempt>,
}

/// A question asked over its gold passages, in which a made-up answer replaced the gold answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextProbe {
    /// A made-up word or number of the answer: whoever did not read the contexts cannot know it.
    pub planted: String,
    /// The call.
    pub attempt: Attempt,
}

/// Gold chunks among the candidates of searches with other words than the question's, made where no retriever found the evidence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OtherSearches {
    /// With the standalone form of the question; empty without one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standalone: Vec<ChunkId>,
    /// With the title of the gold document added to the question.
    pub with_title: Vec<ChunkId>,
    /// With the words of the gold evidence.
    pub evidence: Vec<ChunkId>,
}

/// One line of `traces.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    /// Index of the question in the run, from 0: lines are in the order of completion, readers sort by this.
    pub index: usize,
    /// The question with its gold answers and evidence.
    pub question: Question,
    /// The gold evidence in this run's chunks.
    pub gold: Gold,
    /// The call that rewrote the question from the turns before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewrite: Option<Attempt>,
    /// Retrievers first, then fused, reranked, `min_score`, packed, as configured.
    #[serde(rename = "stages")]
    pub steps: Vec<TraceStep>,
    /// What other searches find, where no retriever found the evidence and one can be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_searches: Option<OtherSearches>,
    /// The generator's conditions; empty without a generator.
    pub conditions: Vec<ConditionAnswers>,
    /// A test of an external RAG's use of the contexts that it is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<ContextProbe>,
    /// Reason why the question failed before any call of the generator; it then has no steps and no conditions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TraceError>,
}

impl Trace {
    /// Creates a trace without steps and conditions.
    #[must_use]
    pub fn new(index: usize, question: Question, gold: Gold) -> Self {
        Self {
            index,
            question,
            gold,
            rewrite: None,
            steps: Vec::new(),
            other_searches: None,
            conditions: Vec::new(),
            probe: None,
            error: None,
        }
    }

    /// Returns the step of that name, if the run has it.
    #[must_use]
    pub fn step(&self, step: Step) -> Option<&TraceStep> {
        self.steps.iter().find(|entry| entry.step == step)
    }

    /// Returns the text that the built-in retrievers search for: the rewritten question, else the question.
    #[must_use]
    pub fn query(&self) -> &str {
        self.rewriting().unwrap_or(&self.question.text)
    }

    /// Returns what a rewriting of the question returned.
    fn rewriting(&self) -> Option<&str> {
        let returned = self.rewrite.as_ref().map(|call| call.extracted.as_str());
        returned.filter(|text| !text.is_empty())
    }

    /// Returns the query that replaced the question: of the first retriever whose query is another one, else what a rewriting returned.
    #[must_use]
    pub fn rewritten(&self) -> Option<&str> {
        self.retrievers().find_map(|step| step.query.as_deref()).or_else(|| self.rewriting())
    }

    /// Returns true if the standalone form of the question finds what its rewritten query did not.
    #[must_use]
    pub fn is_lost_by_rewriting(&self) -> bool {
        let other = self.other_searches.as_ref();
        self.rewritten().is_some() && other.is_some_and(|other| !other.standalone.is_empty())
    }

    /// Returns every call of the generator.
    pub fn calls(&self) -> impl Iterator<Item = &Attempt> {
        self.rewrite.iter().chain(self.conditions.iter().flat_map(|condition| &condition.attempts))
    }

    /// Returns the ranking that packing read: the last step before it. Where an external RAG records several retrievers and
    /// no order of theirs, or no ranking at all, the packed passages take its place. `None` only for a trace without
    /// retrieval.
    #[must_use]
    pub fn final_ranking(&self) -> Option<&TraceStep> {
        let packed = || self.step(Step::Packed);
        match self.recorded_ranking() {
            Some(last) => Some(last),
            None => packed().or_else(|| self.retrievers().last()),
        }
    }

    /// Returns the ranking that packing read, as far as it is recorded: the last reordering, or a single retriever's.
    #[must_use]
    pub fn recorded_ranking(&self) -> Option<&TraceStep> {
        let mut steps = self.steps.iter().rev();
        let last = steps.find(|entry| entry.step != Step::Packed)?;
        (!last.step.is_retriever() || self.retrievers().nth(1).is_none()).then_some(last)
    }

    /// Returns the rankings of the single retrievers, before fusion.
    pub fn retrievers(&self) -> impl Iterator<Item = &TraceStep> {
        self.steps.iter().filter(|entry| entry.step.is_retriever())
    }

    /// Returns the packed passages, in prompt order.
    pub fn packed(&self) -> impl Iterator<Item = &ChunkId> {
        self.step(Step::Packed).into_iter().flat_map(|step| step.hits.iter().map(|hit| &hit.id))
    }

    /// Returns every chunk that the trace refers to, possibly several times: hits, gold evidence, and passages of
    /// prompts.
    pub fn passages(&self) -> impl Iterator<Item = &ChunkId> {
        let hits = self.steps.iter().flat_map(|step| {
            step.hits.iter().map(|hit| &hit.id).chain(step.exact_search.iter().flatten())
        });
        let gold = self.gold.groups.iter().flatten().flat_map(|member| &member.chunks);
        let shown = self
            .conditions
            .iter()
            .flat_map(|condition| condition.attempts.iter().flat_map(|attempt| &attempt.passages));
        let other = self.other_searches.iter().flat_map(|other| {
            other.standalone.iter().chain(&other.with_title).chain(&other.evidence)
        });
        hits.chain(gold).chain(shown).chain(other)
    }

    /// Returns [`Self::passages`] for replacement.
    pub fn passages_mut(&mut self) -> impl Iterator<Item = &mut ChunkId> {
        let hits = self.steps.iter_mut().flat_map(|step| {
            step.hits
                .iter_mut()
                .map(|hit| &mut hit.id)
                .chain(step.exact_search.iter_mut().flatten())
        });
        let gold = self.gold.groups.iter_mut().flatten().flat_map(|member| &mut member.chunks);
        let shown = self.conditions.iter_mut().flat_map(|condition| {
            condition.attempts.iter_mut().flat_map(|attempt| &mut attempt.passages)
        });
        hits.chain(gold).chain(shown)
    }

    /// Returns the first attempt of a condition.
    #[must_use]
    pub fn attempt(&self, condition: Condition) -> Option<&Attempt> {
        self.conditions.iter().find(|entry| entry.condition == condition)?.attempts.first()
    }

    /// Returns the failure that leaves the question without a result: its own, else that of the first call that failed.
    #[must_use]
    pub fn failure(&self) -> Option<QuestionFailure<'_>> {
        if let Some(error) = &self.error {
            return Some(QuestionFailure { condition: None, error });
        }
        self.conditions.iter().find_map(|condition| {
            let error = condition.attempts.iter().find_map(|call| call.error.as_ref())?;
            Some(QuestionFailure { condition: Some(condition.condition), error })
        })
    }

    /// Returns true if the question failed, or its reply shows nothing of the generator.
    #[must_use]
    pub fn lacks_result(&self) -> bool {
        let is_unusable = |attempt: &Attempt| !attempt.is_usable();
        self.failed() || self.attempt(Condition::Retrieved).is_some_and(is_unusable)
    }

    /// Returns true if the question failed and is to be asked again on resume.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.failure().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_repeats_itself_where_its_end_has_occurred_before() {
        let repeats = |text: &str| Attempt::new(text).repeats_itself();
        assert!(repeats(&"<|im_end|>\n<|im_start|>".repeat(3)));
        assert!(repeats(&("The port is 8080.".to_owned() + &" Passage 1 says so.".repeat(4))));
        assert!(!repeats("The one that was last in the ISR is the one that was last in the"));
        assert!(repeats(&"時間です。".repeat(5)));
        assert!(!repeats(
            "The port is 8080, as passage 1 says. Passage 2 names another one, which"
        ));
        assert!(!repeats("no no no no"), "too short to tell");
    }
}
