//! The questions of a run with their rankings, ready to be packed again.

use std::collections::HashSet;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::cover;
use super::packing::{Limits, Ranked};
use crate::verdict::{self, BudgetOf};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::attribute::known::TopK;
use ragtriage_core::attribute::support::SupportTest;
use ragtriage_core::config::Settings;
use ragtriage_core::types::{ArmName, ChunkId, QuestionKind, Stage, Step, SupportRule, Trace};
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
    /// Passages and tokens of the shortest prompt of candidates that holds the evidence.
    pub cover: Option<cover::Cover>,
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
        let is_external = run.manifest.is_foreign();
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
        let golden = golden(trace, &test);
        Self {
            cluster,
            is_supported: outcome.evidence.is_complete_at(Stage::Packing) == Some(true),
            can_be_supported: trace.gold.documents.holds && trace.gold.chunks.holds,
            packed: ranked(trace.packed().collect()),
            rankings: rankings.collect(),
            cover: cover::cover(trace, &test, &golden, &run.passages),
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

/// The passages that may hold the question's evidence.
fn golden<'a>(trace: &'a Trace, test: &SupportTest<'_>) -> HashSet<&'a ChunkId> {
    if test.rule() == SupportRule::AnswerString {
        let hits = trace.steps.iter().flat_map(|step| &step.hits);
        return hits.map(|hit| &hit.id).filter(|id| test.holds_answer(id)).collect();
    }
    let members = trace.gold.groups.iter().flatten();
    members.flat_map(|member| &member.chunks).collect()
}

fn answer(trace: &Trace, outcome: &Outcome) -> Option<Answer> {
    let terms = verdict::answer_terms(trace, outcome, BudgetOf::Right)?;
    let lost = verdict::lost_at(outcome);
    Some(Answer {
        retrieved: crate::diagnose::right(trace, outcome, ArmName::Retrieved)?,
        delivery: lost.map_or(0.0, |source| terms[source as usize]),
    })
}
