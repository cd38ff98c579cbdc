//! Preparation of a sweep: its trials, the split of its questions, and its measures.

use std::sync::Arc;

use super::error::SweepError;
use super::partition::{QuestionPart, parted};
use super::request::SweepRequest;
use super::space;
use super::trials::TrialList;
use crate::settings::{Settings, assemble};
use ragtriage_core::config::GeneratorName;
use ragtriage_core::config::check_ranges;
use ragtriage_core::measure::{Aggregate, Cutoff, Family, Measure};
use ragtriage_core::types::{Dataset, Document, Question};
use ragtriage_eval::tuning::{TuningPlan, Varied};

/// Settings that change the amount packed: with one token budget for all trials they would have no
/// effect.
const PACKING: [&str; 2] = ["retrieval.k", "generation.context_tokens"];

/// A sweep that is ready to run.
pub struct PreparedSweep {
    /// The trials.
    pub list: TrialList,
    /// Options for comparing the scores.
    pub plan: TuningPlan,
    /// The measures, without duplicates.
    pub measures: Vec<Measure>,
    /// The documents.
    pub documents: Arc<[Document]>,
    /// The tuning questions.
    pub choosing: QuestionPart,
    /// The held-out questions.
    pub confirming: Option<QuestionPart>,
    /// True if trials are ranked by an answer metric, so that all of them generate answers.
    pub answers_choose: bool,
}

impl PreparedSweep {
    /// Reads `[sweep]` and `[tune]`, and splits the questions.
    ///
    /// # Errors
    /// Any [`SweepError`] that a configuration or a data set can cause.
    pub fn new(request: &SweepRequest<'_>, dataset: Dataset) -> Result<Self, SweepError> {
        let settings = &request.base.settings;
        check_ranges("tune", &settings.tune)?;
        let points = space::points(&space::axes(&settings.sweep)?)?;
        let by_answers = settings.tune.measure.filter(|measure| measure.family().scores_answers());
        if let Some(measure) = by_answers
            && settings.generation.generator == GeneratorName::None
        {
            return Err(SweepError::NoGenerator { measure });
        }
        let answers_choose = by_answers.is_some();
        let has_gold =
            |question: &Question| !question.answers.is_empty() || !question.required.is_empty();
        if answers_choose && !dataset.questions.iter().any(has_gold) {
            return Err(SweepError::NothingGold);
        }
        let list = TrialList::new(request.base, &points, answers_choose)?;
        let plan = plan(settings, &list.varied, &dataset.questions)?;
        let (documents, choosing, confirming) = parted(dataset, settings.tune.heldout);
        let mut measures = vec![plan.measure, plan.equal_k, plan.equal_tokens];
        measures.sort_unstable();
        measures.dedup();
        Ok(Self { list, plan, measures, documents, choosing, confirming, answers_choose })
    }
}

/// Chooses the measures that rank trials: the configured measure, else the share of evidence, answers or relevant documents
/// (depending on the questions' labels) within one token budget for all; within each trial's packed passages if packing is
/// varied.
fn plan(
    settings: &Settings,
    varied: &[Varied],
    questions: &[Question],
) -> Result<TuningPlan, SweepError> {
    let tune = &settings.tune;
    if let Some(measure) =
        tune.measure.filter(|measure| measure.family().aggregate() != Aggregate::Mean)
    {
        return Err(SweepError::NoMean { measure });
    }
    let takes_any = |family: Family| Measure::new(family, Some(Cutoff::Prompt)).is_some();
    let family = match tune.measure.map(Measure::family).filter(|family| takes_any(*family)) {
        Some(family) => family,
        None => usual(questions).ok_or(SweepError::NothingGold)?,
    };
    let at = |cutoff| Measure::new(family, Some(cutoff)).expect("the family takes every cutoff");
    let equal_tokens = at(Cutoff::Tokens(tune.tokens));
    let packs = varied.iter().any(|varied| PACKING.contains(&varied.key.as_str()));
    let evaluation = assemble::evaluation(settings);
    Ok(TuningPlan {
        measure: tune.measure.unwrap_or(if packs { at(Cutoff::Prompt) } else { equal_tokens }),
        equal_k: at(Cutoff::Top(settings.retrieval.k)),
        equal_tokens,
        permutations: evaluation.resamples,
        seed: evaluation.seed,
    })
}

fn usual(questions: &[Question]) -> Option<Family> {
    let any = |has: fn(&Question) -> bool| questions.iter().any(has);
    if any(|question| !question.evidence.is_empty()) {
        Some(Family::EvidenceRecall)
    } else if any(Question::has_spans) {
        Some(Family::Em)
    } else {
        any(|question| question.relevant.values().any(|grade| *grade > 0)).then_some(Family::Recall)
    }
}
