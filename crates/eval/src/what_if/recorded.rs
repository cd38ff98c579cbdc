//! The questions of a run with their rankings, ready to be packed again.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::verdict;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::attribute::known::TopK;
use ragtriage_core::attribute::support::SupportTest;
use ragtriage_core::config::Settings;
use ragtriage_core::types::{ChunkId, Condition, PassageMap, QuestionKind, Stage, Step, Trace};
use ragtriage_data::run::SavedRun;

/// A run's questions whose support can be tested, with the limits of their prompts.
pub(super) struct RecordedRun<'a> {
    pub settings: &'a Settings,
    /// True for a run of another pipeline, whose prompts have no budget that is known.
    pub is_external: bool,
    pub limits: Limits,
    /// True if every passage of every ranking was counted.
    pub is_counted: bool,
    pub questions: Vec<Recorded<'a>>,
}

/// One question.
pub(super) struct Recorded<'a> {
    pub cluster: usize,
    /// True if its evidence is in the prompt today.
    pub is_supported: bool,
    /// True if corpus and chunks hold its evidence.
    pub can_be_supported: bool,
    /// The prompt of today.
    pub packed: Ranked<'a>,
    /// Rankings in the order of the steps; the last is the one that was packed.
    pub rankings: Vec<(Step, Ranked<'a>)>,
    /// Its part in the loss budget; `None` where it has none.
    pub answer: Option<Answer>,
}

/// The answer scores of a question in the loss budget.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    /// The score on the pipeline's prompt.
    pub retrieved: f64,
    /// The gain of its delivery; 0 where its evidence is in the prompt.
    pub delivery: f64,
}

impl<'a> RecordedRun<'a> {
    pub fn new(
        run: &'a SavedRun,
        outcomes: &'a [Outcome],
        top: TopK,
        cluster_of: &[usize],
    ) -> Self {
        let is_external = run.manifest.is_external();
        let settings = &run.manifest.settings;
        let budget = (!is_external).then_some(settings.generation.context_tokens);
        let limits = Limits { k: top.k, budget };
        let all: Vec<(&Trace, &Outcome, usize)> = run
            .traces
            .iter()
            .zip(outcomes)
            .zip(cluster_of)
            .map(|((trace, outcome), cluster)| (trace, outcome, *cluster))
            .filter(|(trace, outcome, _)| is_testable(trace, outcome))
            .collect();
        let questions: Vec<Recorded<'a>> = all
            .par_iter()
            .map(|(trace, outcome, cluster)| Recorded::new(run, trace, (outcome, top), *cluster))
            .collect();
        let is_counted = questions.iter().all(Recorded::is_counted);
        Self { settings, is_external, limits, is_counted, questions }
    }
}

fn is_testable(trace: &Trace, outcome: &Outcome) -> bool {
    outcome.evidence.is_testable()
        && !outcome.class.has_no_result()
        && trace.question.kind != QuestionKind::Unanswerable
        && trace.final_ranking().is_some()
}

impl<'a> Recorded<'a> {
    fn new(
        run: &'a SavedRun,
        trace: &'a Trace,
        (outcome, top): (&Outcome, TopK),
        cluster: usize,
    ) -> Self {
        let test = SupportTest::new(&trace.question, &trace.gold.groups, &run.passages);
        let ranked = |hits: Vec<&'a ChunkId>| Ranked::new(hits, &test, &run.passages);
        let is_known = top.is_in_order && trace.recorded_ranking().is_some();
        // Where the ranking that was packed is not recorded, the prompt is all there is to pack again.
        let steps = trace.steps.iter().filter(|step| {
            let is_packed = step.step == Step::Packed;
            is_packed != is_known || trace.step(Step::Packed).is_none()
        });
        let rankings = steps.map(|step| {
            let hits = step.hits.iter().map(|hit| &hit.id).collect();
            (step.step, ranked(hits))
        });
        Self {
            cluster,
            is_supported: outcome.evidence.is_complete_at(Stage::Packing) == Some(true),
            can_be_supported: trace.gold.documents.holds && trace.gold.chunks.holds,
            packed: ranked(trace.packed().collect()),
            rankings: rankings.collect(),
            answer: answer(trace, outcome),
        }
    }

    fn is_counted(&self) -> bool {
        let mut rankings = self.rankings.iter().map(|(_, ranked)| ranked);
        self.tokens().is_some() && rankings.all(|ranked| ranked.n_tokens().is_some())
    }

    /// Returns the tokens of today's prompt.
    pub fn tokens(&self) -> Option<usize> {
        self.packed.n_tokens()
    }

    /// Returns the ranking that was packed.
    pub fn last(&self) -> &Ranked<'a> {
        let (_, ranked) = self.rankings.last().expect("a testable question has one");
        ranked
    }

    /// Returns the ranking of a step.
    pub fn ranking(&self, step: Step) -> Option<&Ranked<'a>> {
        self.rankings.iter().find(|(name, _)| *name == step).map(|(_, ranked)| ranked)
    }
}

fn answer(trace: &Trace, outcome: &Outcome) -> Option<Answer> {
    let terms = verdict::answer_terms(trace, outcome)?;
    let lost = verdict::lost_at(outcome);
    Some(Answer {
        retrieved: crate::diagnose::correct(trace, outcome, Condition::Retrieved)?,
        delivery: lost.map_or(0.0, |source| terms[source as usize]),
    })
}

/// Limits of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// Maximum number of passages.
    pub k: usize,
    /// Maximum number of tokens; `None` for a prompt that counts none.
    pub budget: Option<usize>,
}

/// A ranking with running totals, so that every prompt of it is a prefix.
pub(super) struct Ranked<'a> {
    pub hits: Vec<&'a ChunkId>,
    /// Tokens of the first n hits, n from 0; ends before the first hit without a count.
    tokens: Vec<usize>,
    /// Number of the first hits that support the question; `None` where all of them do not.
    needed: Option<usize>,
}

impl<'a> Ranked<'a> {
    pub fn new(hits: Vec<&'a ChunkId>, test: &SupportTest<'_>, passages: &PassageMap) -> Self {
        let tokens = totals(&hits, passages);
        let needed = first_supporting(&hits, test);
        Self { hits, tokens, needed }
    }

    /// Returns the number of passages packed.
    pub fn packed(&self, limits: Limits) -> usize {
        let most = limits.k.min(self.hits.len());
        let fitting = limits
            .budget
            .map_or(most, |budget| self.tokens.partition_point(|total| *total <= budget) - 1);
        most.min(fitting)
    }

    /// Returns true if the first `n` hits support the question.
    pub fn supports(&self, n: usize) -> bool {
        self.needed.is_some_and(|needed| needed <= n)
    }

    /// Returns the tokens of the first `n` hits; `None` where one was not counted.
    pub fn tokens_of(&self, n: usize) -> Option<usize> {
        self.tokens.get(n).copied()
    }

    /// Returns the tokens of all hits.
    pub fn n_tokens(&self) -> Option<usize> {
        self.tokens_of(self.hits.len())
    }
}

fn totals(hits: &[&ChunkId], passages: &PassageMap) -> Vec<usize> {
    let mut totals = vec![0];
    let mut total = 0;
    for id in hits {
        let Some(tokens) = passages.get(*id).and_then(|passage| passage.tokens) else {
            break;
        };
        total += tokens;
        totals.push(total);
    }
    totals
}

/// Support that a prefix holds is held by every longer one.
fn first_supporting(hits: &[&ChunkId], test: &SupportTest<'_>) -> Option<usize> {
    let supports = |n: usize| test.of(hits[..n].iter().copied()).holds;
    if !supports(hits.len()) {
        return None;
    }
    let lengths: Vec<usize> = (0..=hits.len()).collect();
    Some(lengths.partition_point(|n| !supports(*n)))
}
