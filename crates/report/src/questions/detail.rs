//! The details of one question, which an HTML report shows when it is opened.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::index::rounded;
use super::marks::{AnswerMarker, Highlights, Searchables};
use super::passages::{self, PassageTable, golden, held, shown};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::rightness::Judgment;
use ragtriage_core::types::{
    Arm, ArmName, Attempt, ChunkId, DocId, Finish, Gold, GoldMember, Origin, Question, Stance,
    StepHit, Support, TokenUse, Trace, TraceStep,
};

/// The details of a question, shown when it is opened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Detail {
    /// The rule that gave the class, as a sentence.
    pub reason: String,
    /// The verdict on the answer, with its reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judgment: Option<String>,
    /// Values of the answer that no packed passage contains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsupported: Vec<String>,
    /// Right answers, each an alias of the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
    /// Facts that a right answer states, each in any of its wordings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<Vec<String>>,
    /// Facts that it must not state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<Vec<String>>,
    /// Support by the corpus.
    pub documents: Support,
    /// Support by all chunks.
    pub chunks: Support,
    /// Evidence: every group is needed, any member of a group will do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gold: Vec<Vec<GoldPlace>>,
    /// Retrievers first, then fused, reranked, `min_score`, expanded, packed, as far as the run has them.
    pub stages: Vec<StepShown>,
    /// The generator's arms; empty without a generator.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arms: Vec<ArmShown>,
    /// Highlights by passage number, of every passage named here that has some.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub marks: BTreeMap<usize, Highlights>,
}

/// The location of one piece of evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoldPlace {
    /// Its document.
    pub doc: DocId,
    /// True if the corpus has it.
    pub present: bool,
    /// Bytes of the document's text, start and end, all needed; none: the document as a whole.
    pub ranges: Vec<[usize; 2]>,
    /// Number of passages that hold a byte of them; for a document as a whole those with an answer string, or all where none has one.
    pub n_passages: usize,
    /// The first ten of these by number, in document order.
    pub passages: Vec<usize>,
}

/// A stage's ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepShown {
    /// Its name; several rankings of one name are numbered.
    pub stage: String,
    /// Its query, where an external RAG rewrote the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Number of hits.
    pub n_hits: usize,
    /// Wall seconds.
    pub seconds: f64,
    /// Support by all its hits together.
    pub support: Support,
    /// The first hits up to the depth of the report; of `packed` all.
    pub hits: Vec<HitShown>,
    /// Every passage with gold that comes behind those, with its rank from 1, or lies in one of them, with that one's rank.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gold_below: Vec<GoldBelow>,
}

/// A hit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HitShown {
    /// The passage's number.
    pub passage: usize,
    /// True if it holds gold evidence.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_gold: bool,
    /// The stage's score, to six digits.
    pub score: f64,
    /// The parts of the score, to five digits: by the question's terms for BM25 and TF-IDF, by retriever for a fusion; for a reranker
    /// the score `before` it, of another system's passage the one `given`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, f64>,
}

/// A passage with gold behind the hits that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GoldBelow {
    /// Its rank, from 1.
    pub rank: usize,
    /// Its number.
    pub passage: usize,
}

/// An arm with its calls.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArmShown {
    /// The arm's name.
    pub arm: ArmName,
    /// Its calls; more than one only with repeats.
    pub attempts: Vec<AttemptShown>,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AttemptShown {
    /// The passages of the prompt in order, by number.
    pub passages: Vec<usize>,
    /// The raw response.
    pub raw: String,
    /// The short answer taken from it.
    pub extracted: String,
    /// The kind of reply.
    pub stance: Stance,
    /// The reason why the generator stopped.
    pub finish: Finish,
    /// Its origin.
    pub origin: Origin,
    /// Tokens of prompt and reply.
    pub tokens: TokenUse,
    /// US dollars.
    pub cost_usd: f64,
    /// Wall seconds.
    pub seconds: f64,
    /// The error of a failed call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The data that all questions of one run share.
pub(super) struct DetailContext<'a> {
    pub run: usize,
    pub depth: usize,
    pub passages: &'a PassageTable<'a>,
    pub searchables: &'a Searchables,
}

impl DetailContext<'_> {
    pub fn detail(&self, trace: &Trace, outcome: &Outcome) -> Detail {
        let Question { answers, required, forbidden, .. } = &trace.question;
        let Gold { documents, chunks, groups } = &trace.gold;
        let gold = golden(trace);
        let arms: Vec<ArmShown> = trace.arms.iter().map(|arm| self.arm(arm)).collect();
        let stages: Vec<StepShown> = labels(&trace.steps)
            .into_iter()
            .zip(&trace.steps)
            .zip(&outcome.by_step)
            .map(|(step, support)| self.step(step, *support, &gold))
            .collect();
        let places: Vec<Vec<GoldPlace>> = groups
            .iter()
            .map(|group| group.iter().map(|member| self.place(member)).collect())
            .collect();
        Detail {
            reason: outcome.reason.clone(),
            judgment: outcome.judgments.of(ArmName::Retrieved).map(Judgment::to_string),
            unsupported: outcome.unsupported.clone(),
            answers: answers.clone(),
            required: required.clone(),
            forbidden: forbidden.clone(),
            documents: *documents,
            chunks: *chunks,
            marks: self.marks(trace, &stages, &places, &arms),
            gold: places,
            stages,
            arms,
        }
    }

    fn numbers<'i>(&self, ids: impl IntoIterator<Item = &'i ChunkId>) -> Vec<usize> {
        ids.into_iter().filter_map(|id| self.passages.number(self.run, id)).collect()
    }

    fn place(&self, member: &GoldMember) -> GoldPlace {
        let GoldMember { doc, present, needed, chunks, .. } = member;
        GoldPlace {
            doc: doc.clone(),
            present: *present,
            ranges: needed.iter().map(|range| [range.start, range.end]).collect(),
            n_passages: chunks.len(),
            passages: self.numbers(held(member)),
        }
    }

    fn step(
        &self,
        (stage, ranked): (String, &TraceStep),
        support: Support,
        gold: &BTreeSet<&ChunkId>,
    ) -> StepShown {
        let TraceStep { step: _, name: _, query, k: _, hits, exact_search: _, seconds } = ranked;
        let inside = passages::gold_inside(ranked, gold, |id| {
            let number = self.passages.number(self.run, id)?;
            Some(self.passages.list()[number].range)
        });
        let is_gold = |hit: &StepHit| {
            let mut ranks = inside.iter().map(|(rank, _)| rank - 1);
            gold.contains(&hit.id) || ranks.any(|at| hits[at].id == hit.id)
        };
        let below = passages::gold_below(ranked, gold, self.depth);
        StepShown {
            stage,
            query: query.clone(),
            n_hits: hits.len(),
            seconds: rounded(*seconds, 3),
            support,
            hits: shown(ranked, self.depth)
                .iter()
                .filter_map(|hit| self.hit(hit, is_gold(hit)))
                .collect(),
            gold_below: below
                .into_iter()
                .chain(inside)
                .filter_map(|(rank, id)| {
                    Some(GoldBelow { rank, passage: self.passages.number(self.run, id)? })
                })
                .collect(),
        }
    }

    fn hit(&self, hit: &StepHit, is_gold: bool) -> Option<HitShown> {
        let parts = hit.parts.iter().map(|(part, value)| (part.clone(), rounded(*value, 5)));
        Some(HitShown {
            passage: self.passages.number(self.run, &hit.id)?,
            is_gold,
            score: rounded(hit.score, 6),
            parts: parts.collect(),
        })
    }

    fn arm(&self, arm: &Arm) -> ArmShown {
        let attempts = arm.attempts.iter().map(|attempt| {
            let Attempt {
                passages,
                raw,
                extracted,
                stance,
                finish,
                origin,
                tokens,
                cost_usd,
                seconds,
                error,
            } = attempt;
            AttemptShown {
                passages: self.numbers(passages),
                raw: raw.clone(),
                extracted: extracted.clone(),
                stance: *stance,
                finish: *finish,
                origin: *origin,
                tokens: *tokens,
                cost_usd: *cost_usd,
                seconds: rounded(*seconds, 3),
                error: error.as_ref().map(|error| error.message.clone()),
            }
        });
        ArmShown { arm: arm.arm, attempts: attempts.collect() }
    }

    fn marks(
        &self,
        trace: &Trace,
        stages: &[StepShown],
        gold: &[Vec<GoldPlace>],
        arms: &[ArmShown],
    ) -> BTreeMap<usize, Highlights> {
        let hits = stages.iter().flat_map(|stage| stage.hits.iter().map(|hit| hit.passage));
        let below =
            stages.iter().flat_map(|stage| stage.gold_below.iter().map(|below| below.passage));
        let places = gold.iter().flatten().flat_map(|place| place.passages.iter().copied());
        let asked = arms
            .iter()
            .flat_map(|arm| &arm.attempts)
            .flat_map(|attempt| attempt.passages.iter().copied());
        let named: BTreeSet<usize> = hits.chain(below).chain(places).chain(asked).collect();
        let marker = AnswerMarker::new(trace);
        let marked = named.into_iter().filter_map(|number| {
            let passage = self.passages.list()[number];
            Some((number, marker.marks(number, passage, self.searchables)?))
        });
        marked.collect()
    }
}

/// Returns the names of the steps; the second of one name gets ` 2`.
fn labels(steps: &[TraceStep]) -> Vec<String> {
    let labels = steps.iter().enumerate().map(|(at, step)| {
        let label = step.label();
        let earlier = steps[..at].iter().filter(|other| other.label() == label);
        match earlier.count() {
            0 => label.to_owned(),
            n => format!("{label} {}", n + 1),
        }
    });
    labels.collect()
}
