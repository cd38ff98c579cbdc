//! Scores every question by every metric, from its trace and the saved passages.

use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};
use std::sync::OnceLock;

use hashbrown::HashMap;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::answer_scores::AnswerOf;
use super::cost;
use super::shown::{self, ByBudget, ShownPiece};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::correctness::Judge;
use ragtriage_core::metric::ranked::Graded;
use ragtriage_core::metric::spans::{Span, SpanCounts};
use ragtriage_core::metric::{Cutoff, Family, Metric};
use ragtriage_core::text::answers::{AnswerMatcher, Searchable};
use ragtriage_core::types::{ChunkId, DocId, GoldMember, Passage, Step, Trace, collapse};
use ragtriage_data::run::SavedRun;

/// A table of scores: one row per question, one column per metric. `None`: the metric is undefined for that
/// question.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// The columns.
    pub metrics: Vec<Metric>,
    /// Parallel to the run's traces.
    pub rows: Vec<Vec<Option<f64>>>,
}

impl Scores {
    /// Returns one metric's values, parallel to the run's traces; `None` if the table does not
    /// have it.
    #[must_use]
    pub fn column(&self, metric: Metric) -> Option<Vec<Option<f64>>> {
        let at = self.metrics.iter().position(|column| *column == metric)?;
        Some(self.rows.iter().map(|row| row[at]).collect())
    }
}

/// Scores every question of `run` by every metric. A question whose call failed has no score of its answer, one whose retrieval
/// failed none at all; both are reported separately.
/// Document metrics are undefined for a question without relevant documents.
#[must_use]
pub fn score(run: &SavedRun, metrics: &[Metric], judge: Judge) -> Scores {
    let shown = shown::shown(run, metrics);
    score_traces(&run.traces, &shown, metrics, &ScoringContext::new(run, metrics, judge))
}

/// Scores every question of `run` as [`score`] does, with the judgments and unsupported values of its `outcomes` under the same
/// rule: finding them takes longer than all other metrics of an answer.
pub(super) fn score_classified(
    run: &SavedRun,
    outcomes: &[Outcome],
    metrics: &[Metric],
    judge: Judge,
) -> Scores {
    let shown = shown::shown(run, metrics);
    let context =
        ScoringContext { outcomes: Some(outcomes), ..ScoringContext::new(run, metrics, judge) };
    score_traces(&run.traces, &shown, metrics, &context)
}

fn score_traces(
    traces: &[Trace],
    shown: &[ByBudget<'_>],
    metrics: &[Metric],
    context: &ScoringContext<'_>,
) -> Scores {
    let questions = traces.par_iter().zip(shown).enumerate();
    let rows = questions
        .map(|(at, (trace, shown))| score_question((at, trace), shown, metrics, context))
        .collect();
    Scores { metrics: metrics.to_vec(), rows }
}

/// Inputs shared by all questions.
struct ScoringContext<'a> {
    run: &'a SavedRun,
    judge: Judge,
    /// Parallel to the scored traces; `None` where the questions are not classified.
    outcomes: Option<&'a [Outcome]>,
    /// Passages that `EM` may have to read in full; empty without it. Each is normalised once, when a question first reads it.
    searchable: HashMap<&'a ChunkId, OnceLock<Searchable>>,
}

impl<'a> ScoringContext<'a> {
    fn new(run: &'a SavedRun, metrics: &[Metric], judge: Judge) -> Self {
        let reads_texts = metrics.iter().any(|metric| metric.family() == Family::Em);
        let ids = run.passages.keys().filter(|_| reads_texts);
        Self {
            run,
            judge,
            outcomes: None,
            searchable: ids.map(|id| (id, OnceLock::new())).collect(),
        }
    }
}

fn score_question<'a>(
    (at, trace): (usize, &'a Trace),
    shown: &ByBudget<'a>,
    metrics: &[Metric],
    context: &'a ScoringContext<'a>,
) -> Vec<Option<f64>> {
    if trace.error.is_some() {
        return vec![None; metrics.len()];
    }
    let is_of_ranking = |family: Family| !family.scores_answers() && !family.is_cost();
    let needs_rankings = metrics.iter().any(|metric| is_of_ranking(metric.family()));
    let rankings = needs_rankings.then(|| Rankings::new(trace, shown, context));
    let outcome = context.outcomes.map(|outcomes| &outcomes[at]);
    // The ranking of a question whose call failed is known.
    let answer =
        (!trace.failed()).then(|| AnswerOf::new(trace, context.run, context.judge, outcome));
    let value = |metric: &Metric| match metric.family() {
        family if family.is_cost() => cost::of_question(trace, context.run, family),
        Family::CitationPrecision | Family::CitationRecall => {
            let (cited, n_others) = answer.as_ref()?.cited()?;
            let pieces = |ids: Vec<&'a ChunkId>| {
                RankedPieces::new(trace, ids.into_iter().map(ShownPiece::whole).collect(), context)
            };
            pieces(cited).citations(metric.family(), n_others, &pieces(trace.packed().collect()))
        }
        family if family.scores_answers() => answer.as_ref()?.value(family),
        family => rankings.as_ref()?.value(family, metric.cutoff()),
    };
    metrics.iter().map(value).collect()
}

/// Inputs of all retrieval metrics of a question.
struct Rankings<'a> {
    /// `None` where neither retriever nor prompt is recorded: the ranking is unknown, not empty.
    ranked: Option<RankedPieces<'a>>,
    /// `None` where a record does not show the prompt.
    packed: Option<RankedPieces<'a>>,
    by_budget: BTreeMap<usize, RankedPieces<'a>>,
}

impl<'a> Rankings<'a> {
    fn new(trace: &'a Trace, shown: &ByBudget<'a>, context: &'a ScoringContext<'a>) -> Self {
        Self {
            ranked: trace.final_ranking().map(|step| {
                let hits = step.hits.iter().map(|hit| ShownPiece::whole(&hit.id));
                RankedPieces::new(trace, hits.collect(), context)
            }),
            packed: trace.step(Step::Packed).map(|_| {
                let packed = trace.packed().map(ShownPiece::whole);
                RankedPieces::new(trace, packed.collect(), context)
            }),
            by_budget: shown
                .iter()
                .map(|(&budget, pieces): (&usize, &Vec<ShownPiece<'a>>)| {
                    (budget, RankedPieces::new(trace, pieces.clone(), context))
                })
                .collect(),
        }
    }

    fn value(&self, family: Family, cutoff: Option<Cutoff>) -> Option<f64> {
        let ranked = self.ranked.as_ref()?;
        match cutoff {
            Some(Cutoff::Top(k)) => ranked.at(family, Some(k)),
            Some(Cutoff::Tokens(n)) => self.by_budget.get(&n)?.at(family, None),
            Some(Cutoff::Prompt) => self.packed.as_ref()?.at(family, None),
            None => ranked.at(family, None),
        }
    }
}

/// A ranked list of chunks prepared for any metric: the final ranking, the part of it within a budget, or the packed chunks.
struct RankedPieces<'a> {
    trace: &'a Trace,
    context: &'a ScoringContext<'a>,
    chunks: Vec<ShownPiece<'a>>,
    docs: Vec<DocId>,
    /// `None` without relevant documents.
    graded: Option<Graded>,
    /// Present for a question with answer spans.
    matcher: Option<AnswerMatcher>,
    /// Extent of the search for an answer in the chunks.
    searched: Cell<AnswerSearch>,
}

/// A search for the first chunk that holds an answer.
#[derive(Clone, Copy, Default)]
struct AnswerSearch {
    /// Number of chunks read, from the first on.
    n_read: usize,
    /// True if the last of them holds an answer.
    is_found: bool,
}

impl<'a> RankedPieces<'a> {
    fn new(trace: &'a Trace, chunks: Vec<ShownPiece<'a>>, context: &'a ScoringContext<'a>) -> Self {
        let question = &trace.question;
        let docs = collapse(chunks.iter().map(|piece| piece.id));
        let grades = docs.iter().map(|doc| question.relevant.get(doc).copied()).collect();
        let graded = Graded::new(grades, question.relevant.values().copied(), 1);
        Self {
            trace,
            context,
            chunks,
            docs,
            graded: Some(graded).filter(|graded| graded.n_relevant() > 0),
            matcher: question.has_spans().then(|| AnswerMatcher::new(&question.answers)),
            searched: Cell::default(),
        }
    }

    /// Returns a family's value over the first k, or over all.
    fn at(&self, family: Family, k: Option<usize>) -> Option<f64> {
        let top = &self.chunks[..k.unwrap_or(usize::MAX).min(self.chunks.len())];
        match family {
            Family::Em => self
                .matcher
                .as_ref()
                .map(|matcher| indicator(self.holds_answer(matcher, top.len()))),
            Family::FullRecall => self.full_recall(k),
            Family::EvidenceRecall => self.evidence_recall(top),
            Family::SpanPrecision => self.sized_spans(top).map(SpanCounts::precision),
            Family::SpanRecall => self.spans(top).map(SpanCounts::recall),
            Family::Iou => self.sized_spans(top).map(SpanCounts::iou),
            Family::PrecisionOmega => self.precision_omega(),
            _ => self.graded.as_ref()?.at(family, k, Some(self.context.run.manifest.n_documents)),
        }
    }

    /// Returns true if one of the first `n` chunks holds an answer. A chunk is read once, whatever the cutoffs.
    fn holds_answer(&self, matcher: &AnswerMatcher, n: usize) -> bool {
        let mut search = self.searched.get();
        while !search.is_found && search.n_read < n {
            search.is_found = self.is_answer_in(matcher, self.chunks[search.n_read]);
            search.n_read += 1;
        }
        self.searched.set(search);
        search.is_found && search.n_read <= n
    }

    fn is_answer_in(&self, matcher: &AnswerMatcher, piece: ShownPiece<'_>) -> bool {
        let Some(passage) = self.context.run.passages.get(piece.id) else {
            return false;
        };
        if !piece.is_whole() {
            return matcher.found_in_text(piece.words(passage));
        }
        let searchable = self.context.searchable.get(piece.id);
        searchable.is_some_and(|searchable| {
            matcher.found_in(searchable.get_or_init(|| Searchable::new(&passage.text)))
        })
    }

    /// Returns 1 if every evidence group has a member whose document is among the first k, else 0;
    /// undefined without evidence.
    fn full_recall(&self, k: Option<usize>) -> Option<f64> {
        let groups = &self.trace.question.evidence;
        let docs = &self.docs[..k.unwrap_or(usize::MAX).min(self.docs.len())];
        (!groups.is_empty()).then(|| {
            indicator(
                groups.iter().all(|group| group.iter().any(|member| docs.contains(&member.doc))),
            )
        })
    }

    /// Returns the mean over groups of the best-covered member's share; undefined without evidence.
    fn evidence_recall(&self, top: &[ShownPiece<'_>]) -> Option<f64> {
        let groups = &self.trace.gold.groups;
        let shown = self.places(top);
        let shares = groups.iter().enumerate().map(|(g, _)| self.best_member(g, &shown).1);
        (!groups.is_empty()).then(|| shares.sum::<f64>() / groups.len() as f64)
    }

    /// Scores these passages as those that an answer cites, next to `n_others` that are not among the `packed` ones.
    fn citations(&self, family: Family, n_others: usize, packed: &Self) -> Option<f64> {
        if family == Family::CitationRecall {
            let all = packed.evidence_recall(&packed.chunks).filter(|all| *all > 0.0)?;
            return Some(self.evidence_recall(&self.chunks)? / all);
        }
        let holds =
            |piece: &ShownPiece<'_>| self.evidence_recall(&[*piece]).map(|share| share > 0.0);
        let holding: Vec<bool> = self.chunks.iter().map(holds).collect::<Option<_>>()?;
        let n = holding.len() + n_others;
        let n_holding = holding.into_iter().filter(|holds| *holds).count();
        (n > 0).then(|| n_holding as f64 / n as f64)
    }

    /// Returns the member of a group that `shown` covers best (the first on ties), and the covered share
    /// of its bytes.
    fn best_member(&self, group: usize, shown: &[Span<'_>]) -> (usize, f64) {
        let members =
            self.trace.question.evidence[group].iter().zip(&self.trace.gold.groups[group]);
        let covered = members.map(|(labelled, gold)| {
            if labelled.ranges.is_empty() {
                return indicator(shown.iter().any(|(doc, _)| *doc == gold.doc.as_str()));
            }
            SpanCounts::new(shown, &needed(gold)).recall()
        });
        covered.enumerate().fold((0, 0.0), |best, next| if next.1 > best.1 { next } else { best })
    }

    /// Counts bytes of the best-covered members; undefined without evidence, or if it is a whole document.
    fn spans(&self, top: &[ShownPiece<'_>]) -> Option<SpanCounts> {
        let shown = self.places(top);
        Some(SpanCounts::new(&shown, &self.evidence(&shown)?))
    }

    /// As [`Self::spans`], but also undefined if the shown bytes are not verbatim document text: for an imported context
    /// the range is that of the gold text in it, or missing, not that of the context.
    fn sized_spans(&self, top: &[ShownPiece<'_>]) -> Option<SpanCounts> {
        let mut passages = self.passages(top);
        let is_sized = !self.context.run.manifest.is_external()
            || passages.all(|(_, passage)| shown::is_sized(passage));
        is_sized.then(|| self.spans(top)).flatten()
    }

    /// Returns the bytes of the best-covered member of each group.
    fn evidence(&self, shown: &[Span<'_>]) -> Option<Vec<Span<'a>>> {
        let (labelled, gold) = (&self.trace.question.evidence, &self.trace.gold.groups);
        let ranged = labelled.iter().flatten().all(|member| !member.ranges.is_empty());
        let members =
            gold.iter().enumerate().map(|(g, group)| &group[self.best_member(g, shown).0]);
        (ranged && !gold.is_empty()).then(|| members.flat_map(needed).collect())
    }

    /// Computed over all chunks that contain a byte of each group's first member; undefined for an external RAG, of whose
    /// chunks only the shown ones are known.
    fn precision_omega(&self) -> Option<f64> {
        if self.context.run.manifest.is_external() {
            return None;
        }
        let wanted = self.evidence(&[])?;
        let holding: HashSet<&ChunkId> = self
            .trace
            .gold
            .groups
            .iter()
            .filter_map(|group| group.first())
            .flat_map(|member| &member.chunks)
            .collect();
        let holding: Vec<ShownPiece<'_>> = holding.into_iter().map(ShownPiece::whole).collect();
        Some(SpanCounts::new(&self.places(&holding), &wanted).precision_omega())
    }

    fn places(&self, pieces: &[ShownPiece<'_>]) -> Vec<Span<'a>> {
        self.passages(pieces)
            .map(|(piece, passage)| (passage.doc.as_str(), piece.range(passage)))
            .collect()
    }

    fn passages<'b>(
        &self,
        pieces: &'b [ShownPiece<'b>],
    ) -> impl Iterator<Item = (ShownPiece<'b>, &'a Passage)> {
        let passages = &self.context.run.passages;
        pieces.iter().filter_map(|&piece| passages.get(piece.id).map(|passage| (piece, passage)))
    }
}

fn needed(member: &GoldMember) -> Vec<Span<'_>> {
    member.needed.iter().map(|range| (member.doc.as_str(), *range)).collect()
}

fn indicator(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}
