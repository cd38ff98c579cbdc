//! The view model: everything a report says, in the order it says it. Renderers decide nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::section::Section;
use super::{arms, diagnosis, external, head};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::config::GeneratorName;
use ragtriage_core::measure::{Cutoff, Family, Measure};
use ragtriage_core::stats::rounding::adding_up;
use ragtriage_core::types::{ArmName, Attempt, FailureClass, Interval, Step, Trace};
use ragtriage_eval::diagnose::{TwoByTwo, WaterfallStep};
use ragtriage_eval::summary::{Evaluation, MeasureSummary, Share, Summary};
use ragtriage_eval::verdict::{LOSS_DIGITS, SUPPORT, Source, Term};
use ragtriage_runs::SavedRun;

/// Below so many clusters the bootstrap's intervals are known to be too narrow (Cameron, Gelbach, Miller 2008).
pub(super) const FEW_CLUSTERS: usize = 20;
/// How many lost questions a report shows.
const LOST_SHOWN: usize = 5;

/// A report's content.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The run's name.
    pub name: String,
    /// Label and text, a line each: data, settings, provenance.
    pub head: Vec<(String, String)>,
    /// What the reader should know before believing anything.
    pub notices: Vec<String>,
    /// The stages with how many questions are still supported.
    pub waterfall: Vec<Bar>,
    /// What the waterfall counts.
    pub waterfall_title: String,
    /// Every class that has a question.
    pub classes: Vec<ClassRow>,
    /// How often each flag was raised; empty when none was.
    pub flags: String,
    /// Retrieval by answer; `None` when no question has both.
    pub two_by_two: Option<TwoByTwo>,
    /// The cutoffs of [`View::measures`]' columns.
    pub columns: Vec<String>,
    /// A family a row.
    pub measures: Vec<MeasureRow>,
    /// What is said of answers, by name.
    pub answers: Vec<(String, MeasureSummary)>,
    /// Tables of what was asked of the generator.
    pub asked: Vec<Section>,
    /// The loss terms.
    pub loss_title: String,
    /// The loss terms.
    pub losses: Vec<LossRow>,
    /// The verdict.
    pub verdict: String,
    /// The rule of thumb.
    pub rule_of_thumb: Option<String>,
    /// What the numbers do and do not cover.
    pub caveats: Vec<String>,
    /// Tables of what lies under the verdict.
    pub diagnosis: Vec<Section>,
    /// Some lost questions with why.
    pub lost: Vec<LostRow>,
    /// How many were lost in all.
    pub n_lost: usize,
    /// Step and seconds.
    pub timings: Vec<(String, f64)>,
}

/// One bar of the waterfall.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it stands for.
    pub label: String,
    /// Its count.
    pub count: usize,
    /// Over all counted questions, in 0..=1.
    pub share: f64,
    /// The count with `answer_elsewhere` taken for support, where that is another.
    pub with_elsewhere: Option<usize>,
}

/// A class with its share.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassRow {
    /// Which.
    pub class: FailureClass,
    /// Its name; faults of `generation` behind it in brackets.
    pub label: String,
    /// Questions.
    pub count: usize,
    /// Over all questions.
    pub share: f64,
    /// Wilson's 95 % interval.
    pub ci95: Option<Interval>,
    /// Questions with `answer_elsewhere` taken for support, where that differs for any class.
    pub with_elsewhere: Option<usize>,
}

/// A family's means.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureRow {
    /// The family's name.
    pub label: String,
    /// Questions it is defined for.
    pub n: usize,
    /// Parallel to [`View::columns`].
    pub cells: Vec<Option<MeasureSummary>>,
}

/// A loss term.
#[derive(Clone, Debug, PartialEq)]
pub struct LossRow {
    /// What it is put down to.
    pub label: String,
    /// Mean loss a question, to three decimals that add up to the whole loss's.
    pub mean: f64,
    /// 95 % interval.
    pub ci95: Option<Interval>,
}

/// A lost question.
#[derive(Clone, Debug, PartialEq)]
pub struct LostRow {
    /// Its id.
    pub id: String,
    /// Its text.
    pub question: String,
    /// Its golds.
    pub gold: String,
    /// What was answered; `None` without a generator.
    pub answer: Option<String>,
    /// Class, with the fault where there is one.
    pub class: String,
    /// The rule that gave it.
    pub why: String,
}

impl View {
    /// Everything there is to say of a run.
    #[must_use]
    pub fn new(run: &SavedRun, evaluation: &Evaluation) -> Self {
        let summary = &evaluation.summary;
        let lost = lost(run, &evaluation.outcomes);
        Self {
            name: run.manifest.name.clone(),
            head: head::head(run, summary),
            notices: notices(run, summary),
            waterfall: waterfall(summary),
            waterfall_title: format!(
                "Support, stage by stage ({} answerable questions with gold; a count, not a ceiling: memory can answer what was not delivered)",
                summary.waterfall_n
            ),
            classes: classes(summary),
            flags: flags(summary),
            two_by_two: Some(summary.two_by_two).filter(|table| table.n > 0),
            columns: columns(summary),
            measures: measures(summary),
            answers: answers(summary),
            asked: arms::section(summary).into_iter().collect(),
            loss_title: loss_title(summary),
            losses: losses(summary),
            verdict: summary.verdict.text.clone(),
            rule_of_thumb: summary.rule_of_thumb.clone(),
            caveats: caveats(run, summary),
            diagnosis: diagnosis::sections(run, summary),
            n_lost: lost.len(),
            lost: spread(&lost)
                .into_iter()
                .map(|(trace, outcome)| lost_row(trace, outcome))
                .collect(),
            timings: timings(summary),
        }
    }
}

fn notices(run: &SavedRun, summary: &Summary) -> Vec<String> {
    let mut notices: Vec<String> = run.manifest.notes.clone();
    let settings = &run.manifest.settings;
    if let Some(source) = &run.manifest.external {
        notices.push(external::notice(source));
    } else if settings.generation.generator == GeneratorName::Extractive {
        notices.push(
            "answers come from the built-in extractive reader, a baseline without a language model: read its scores as a floor, \
             and expect the reader to be the largest loss. \
             Name an endpoint with --set generation.generator=openai --set generation.base_url=http://localhost:11434/v1 \
             --set generation.model=NAME (and generation.api_key_env=VARIABLE for one with keys)"
                .to_owned(),
        );
    }
    let filtered = !settings.retrieval.filter.is_empty();
    let emptied = run
        .traces
        .iter()
        .filter_map(|trace| trace.step(Step::MinScore))
        .filter(|step| step.hits.is_empty());
    match emptied.count() {
        0 => {}
        n => notices.push(format!(
            "`retrieval.min_score` left nothing of {n} of {} final rankings: mind the scale of their scores (RRF of two rankings \
             gives at most 0.033, a cross-encoder any number)",
            run.traces.len()
        )),
    }
    if !filtered && run.manifest.n_chunks > 0 && run.manifest.n_chunks <= summary.two_by_two.k {
        notices.push(format!(
            "the corpus has {} chunks and the prompt takes {}: retrieval cannot fail, its measures say nothing",
            run.manifest.n_chunks, summary.two_by_two.k
        ));
    }
    let n_chunks = run.manifest.n_chunks;
    let all_found = |trace: &Trace| trace.retrievers().any(|step| step.hits.len() >= n_chunks);
    if !filtered
        && run.manifest.external.is_none()
        && n_chunks > 0
        && run.traces.iter().all(all_found)
    {
        notices.push(format!(
            "every one of {} chunks is a candidate: the stage `retrieval` cannot lose here, `ranking` can",
            run.manifest.n_chunks
        ));
    }
    let (counted, answerable) = (summary.loss_budget.n, summary.waterfall_n);
    if summary.loss_budget.of != SUPPORT && 2 * counted < answerable {
        notices.push(format!(
            "loss budget and verdict speak of {counted} of {answerable} questions: the others have no answer from the gold passages alone"
        ));
    }
    if let Some(notice) = long_answers(summary) {
        notices.push(notice);
    }
    if summary.n_clusters < FEW_CLUSTERS {
        notices.push(format!(
            "only {} independent clusters of questions: intervals are rough",
            summary.n_clusters
        ));
    }
    notices.extend(run.manifest.truncation.iter().filter(|cut| cut.n_cut > 0).map(|cut| {
        format!(
            "{} of {} {} ({}) are longer than the encoder of `{}` reads, {} of their tokens are never seen by it",
            cut.n_cut,
            cut.n_texts,
            cut.what,
            percent(cut.n_cut, cut.n_texts),
            cut.retriever,
            percent(cut.n_lost, cut.n_tokens)
        )
    }));
    if let Some(n) = summary.flags.get("encoder_truncated").filter(|n| **n > 0) {
        notices.push(format!(
            "the encoder read gold of {n} questions only in part: make chunks smaller, or expect it to miss them"
        ));
    }
    let failed = summary
        .classes
        .get(FailureClass::Failed.name())
        .copied()
        .unwrap_or(0);
    if failed > 0 {
        let remedy = match &run.manifest {
            imported if imported.is_imported() => {
                "make their record again and import it".to_owned()
            }
            own => format!("ask them again with --resume {}", own.name),
        };
        notices.push(format!(
            "{failed} questions failed and are in no mean; {remedy}"
        ));
    }
    if run.traces.len() < run.manifest.n_questions {
        notices.push(format!(
            "the run is not complete: {} of {} questions",
            run.traces.len(),
            run.manifest.n_questions
        ));
    }
    notices
}

/// The steps in the order they happen; what is not listed comes last.
fn timings(summary: &Summary) -> Vec<(String, f64)> {
    const ORDER: [&str; 8] = [
        "load",
        "assemble",
        "chunk",
        "tfidf",
        "bm25",
        "embed",
        "qdrant",
        "questions",
    ];
    let mut steps: Vec<(String, f64)> = summary
        .seconds
        .iter()
        .map(|(step, seconds)| (step.clone(), *seconds))
        .collect();
    let kind = |step: &str| {
        step.split(' ')
            .next()
            .map(str::to_owned)
            .unwrap_or_default()
    };
    steps.sort_by_key(|(step, _)| {
        ORDER
            .iter()
            .position(|known| *known == kind(step))
            .unwrap_or(ORDER.len())
    });
    steps
}

fn waterfall(summary: &Summary) -> Vec<Bar> {
    let share = |count: usize| count as f64 / summary.waterfall_n.max(1) as f64;
    let other = &summary.waterfall_with_elsewhere;
    let bar = |(step, other): (&WaterfallStep, &WaterfallStep)| Bar {
        label: step.stage.result().to_owned(),
        count: step.supported,
        share: share(step.supported),
        with_elsewhere: (other.supported != step.supported).then_some(other.supported),
    };
    // A data set with nothing to go by has no waterfall to show.
    summary
        .waterfall
        .iter()
        .zip(other)
        .filter(|_| summary.waterfall_n > 0)
        .map(bar)
        .collect()
}

fn classes(summary: &Summary) -> Vec<ClassRow> {
    let faults: Vec<String> = summary
        .generation
        .iter()
        .filter(|(_, n)| **n > 0)
        .map(|(fault, n)| format!("{n} {fault}"))
        .collect();
    let count = |shares: &BTreeMap<String, Share>, class: &FailureClass| {
        shares.get(class.name()).map_or(0, |share| share.count)
    };
    let (labels, elsewhere) = (&summary.class_shares, &summary.class_shares_with_elsewhere);
    let differs = FailureClass::ALL
        .iter()
        .any(|class| count(labels, class) != count(elsewhere, class));
    let rows = FailureClass::ALL.iter().filter_map(|class| {
        let with_elsewhere = differs.then(|| count(elsewhere, class));
        let share = labels
            .get(class.name())
            .filter(|share| share.count + with_elsewhere.unwrap_or(0) > 0)?;
        let label = match class {
            FailureClass::Generation if !faults.is_empty() => {
                format!("generation ({})", faults.join(", "))
            }
            _ => class.name().to_owned(),
        };
        Some(ClassRow {
            class: *class,
            label,
            count: share.count,
            share: share.share,
            ci95: share.ci95,
            with_elsewhere,
        })
    });
    rows.collect()
}

fn flags(summary: &Summary) -> String {
    let raised = summary.flags.iter().filter(|(_, n)| **n > 0);
    raised
        .map(|(flag, n)| format!("{n} {flag}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The cutoffs that stand in the summary: every k, every budget of tokens, each ascending, then `prompt`, then the whole ranking.
fn columns(summary: &Summary) -> Vec<String> {
    let named = summary
        .measures
        .keys()
        .filter_map(|name| name.parse::<Measure>().ok()?.cutoff());
    let cutoffs: BTreeSet<Cutoff> = named.chain([Cutoff::Prompt]).collect();
    cutoffs
        .iter()
        .map(ToString::to_string)
        .chain([String::new()])
        .collect()
}

fn measures(summary: &Summary) -> Vec<MeasureRow> {
    let columns = columns(summary);
    let rows = Family::ALL
        .iter()
        .filter(|family| !family.scores_answers())
        .filter_map(|family| {
            let cell = |column: &String| {
                summary
                    .measures
                    .get(&format!("{}{column}", family.name()))
                    .copied()
            };
            let cells: Vec<Option<MeasureSummary>> = columns
                .iter()
                .map(|column| cell(column).filter(|cell| cell.n > 0))
                .collect();
            let n = cells.iter().flatten().map(|cell| cell.n).max()?;
            Some(MeasureRow {
                label: family.name().to_owned(),
                n,
                cells,
            })
        });
    rows.collect()
}

fn answers(summary: &Summary) -> Vec<(String, MeasureSummary)> {
    let found = |family: &Family| {
        summary
            .measures
            .get(family.name())
            .copied()
            .filter(|measure| measure.n > 0)
    };
    // Without an unanswerable question HasAns says again what the measures of all questions say.
    let has_unanswerable = found(&Family::AnswerF1NoAns).is_some();
    let split = [Family::AnswerEmHasAns, Family::AnswerF1HasAns];
    let shown = Family::ALL.iter().filter(|family| family.scores_answers());
    let shown = shown.filter(|family| has_unanswerable || !split.contains(family));
    shown
        .filter_map(|family| Some((family.name().to_owned(), found(family)?)))
        .collect()
}

fn loss_title(summary: &Summary) -> String {
    let budget = &summary.loss_budget;
    match budget.of.as_str() {
        SUPPORT => format!("Support lost a question ({} questions)", budget.n),
        of if summary.arms.contains_key(ArmName::GoldInNoise.name()) => {
            format!(
                "Loss budget: {:.3} of the {of} lost a question ({} questions)",
                budget.loss, budget.n
            )
        }
        of => format!(
            "Loss budget: {:.3} of the {of} lost a question ({} questions; without the arm gold_in_noise delivery terms hold \
             what distraction cost there)",
            budget.loss, budget.n
        ),
    }
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// Answers in sentences hold a gold and are no token F1's match.
fn long_answers(summary: &Summary) -> Option<String> {
    const APART: f64 = 0.2;
    let mean = |family: Family| {
        summary
            .measures
            .get(family.name())
            .filter(|measure| measure.n > 0)
            .map(|m| m.mean)
    };
    let (contains, f1) = (mean(Family::AnswerContains)?, mean(Family::AnswerF1)?);
    (contains - f1 > APART).then(|| {
        format!(
            "AnswerContains is {contains:.3}, AnswerF1 {f1:.3}: answers hold the gold inside longer text, which counts as wrong; \
             ask for short answers, or lower evaluation.correct_f1"
        )
    })
}

fn losses(summary: &Summary) -> Vec<LossRow> {
    // Without an oracle arm nothing is known of what was lost with the support at hand: no zero stands for that.
    let unknown = |source: Source| {
        summary.loss_budget.of == SUPPORT && matches!(source, Source::Distraction | Source::Reader)
    };
    let known = |term: &Term| summary.loss_budget.n > 0 && !unknown(term.source);
    let terms = &summary.loss_budget.terms;
    let shown = adding_up(
        &terms.iter().map(|term| term.mean).collect::<Vec<f64>>(),
        LOSS_DIGITS,
    );
    let rows = terms.iter().zip(shown).filter(|(term, _)| known(term));
    rows.map(|(term, mean)| LossRow {
        label: term.source.name().to_owned(),
        mean,
        ci95: term.ci95,
    })
    .collect()
}

fn caveats(run: &SavedRun, summary: &Summary) -> Vec<String> {
    let mut caveats = vec![
        "classes count questions whose support was lost; loss terms are the score that the gold passages would have won back: a weak \
         reader loses with gold too, so the two differ; terms may be negative and add up to the loss"
            .to_owned(),
        "intervals: 95 %, bootstrap over clusters of questions that share gold documents, Wilson for class shares (questions as independent); they do not cover \
         another corpus or another question set, nor the generator's own noise"
            .to_owned(),
    ];
    let at: Vec<String> = ["0.4", "0.8"]
        .iter()
        .filter_map(|threshold| {
            let classes = summary.classes_at.get(*threshold)?;
            let right = classes.get("correct")? + classes.get("correct_unsupported")?;
            Some(format!("{right} at {threshold}"))
        })
        .collect();
    if run
        .traces
        .iter()
        .any(|trace| trace.attempt(ArmName::Retrieved).is_some())
    {
        caveats.push(format!(
            "right answers with another threshold of AnswerF1: {}",
            at.join(", ")
        ));
    }
    if summary.waterfall_with_elsewhere != summary.waterfall {
        caveats.push(
            "labels may be incomplete: the second count takes an answer string in a packed passage that is not gold for \
             support; the truth lies between the two"
                .to_owned(),
        );
    }
    caveats
}

/// Lost questions in run order: answerable, wrong or undelivered, not failed.
fn lost<'a>(run: &'a SavedRun, outcomes: &'a [Outcome]) -> Vec<(&'a Trace, &'a Outcome)> {
    run.traces
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| outcome.class.is_loss())
        .collect()
}

/// A few of the lost questions, from as many classes as there are: a round of one a class, then the next round.
fn spread<'a>(lost: &[(&'a Trace, &'a Outcome)]) -> Vec<(&'a Trace, &'a Outcome)> {
    let mut seen: BTreeMap<FailureClass, usize> = BTreeMap::new();
    let mut ranked: Vec<(usize, FailureClass, usize)> = lost
        .iter()
        .enumerate()
        .map(|(at, (_, outcome))| {
            let round = seen.entry(outcome.class).or_default();
            *round += 1;
            (*round, outcome.class, at)
        })
        .collect();
    ranked.sort_unstable();
    ranked
        .into_iter()
        .take(LOST_SHOWN)
        .map(|(_, _, at)| lost[at])
        .collect()
}

fn lost_row(trace: &Trace, outcome: &Outcome) -> LostRow {
    let question = &trace.question;
    let class = outcome.fault.map_or(outcome.class.to_string(), |fault| {
        format!("{}, {fault}", outcome.class)
    });
    LostRow {
        id: question.id.to_string(),
        question: question.text.clone(),
        gold: question.gold_text(),
        answer: trace.attempt(ArmName::Retrieved).map(Attempt::answer_text),
        class,
        why: outcome.reason.clone(),
    }
}
