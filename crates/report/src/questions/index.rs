//! A run's questions as the page's table has them.

use std::collections::HashMap;

use super::{Evaluated, Other, Others, PromptPart, PromptParts, Row, RunIndex};
use ragtriage_core::config::{GeneratorName, Settings};
use ragtriage_core::measure::{Cutoff, Family, Measure};
use ragtriage_core::prompt::{NO_PASSAGES, PASSAGE_SEPARATOR, Part, Template};
use ragtriage_core::types::{ArmName, Attempt, QuestionId, Trace};
use ragtriage_eval::compare::PairComparison;
use ragtriage_eval::compare::answers::Turn;

/// What a table can show at a glance: of these the measures that some question has.
fn wanted(k: usize) -> Vec<Measure> {
    let families = [
        (Family::Em, Some(Cutoff::Top(k))),
        (Family::Em, Some(Cutoff::Prompt)),
        (Family::EvidenceRecall, Some(Cutoff::Prompt)),
        (Family::ReciprocalRank, None),
        (Family::Ndcg, Some(Cutoff::Top(10))),
        (Family::AnswerEm, None),
        (Family::AnswerF1, None),
        (Family::FactRecall, None),
    ];
    families
        .into_iter()
        .filter_map(|(family, cutoff)| Measure::new(family, cutoff))
        .collect()
}

/// The columns of all runs, so that one head stands for one measure in each: at the cutoff of the last, the baseline where there is
/// one, and only what some question of some run has.
pub(super) fn measures(runs: &[Evaluated<'_>]) -> Vec<Measure> {
    let k = runs.last().map_or(0, |subject| subject.k);
    let has_value = |measure: &Measure| {
        runs.iter().any(|Evaluated { evaluation, .. }| {
            let at = evaluation
                .scores
                .measures
                .iter()
                .position(|column| column == measure);
            at.is_some_and(|at| evaluation.scores.rows.iter().any(|row| row[at].is_some()))
        })
    };
    wanted(k).into_iter().filter(has_value).collect()
}

pub(super) fn run(
    subject: Evaluated<'_>,
    label: &str,
    measures: &[Measure],
    others: &[Option<Other>],
) -> RunIndex {
    let Evaluated { run, evaluation, k } = subject;
    let scores = &evaluation.scores;
    let place = |measure: &Measure| scores.measures.iter().position(|column| column == measure);
    let columns: Vec<Option<usize>> = measures.iter().map(place).collect();
    let questions = run
        .traces
        .iter()
        .zip(&evaluation.outcomes)
        .zip(&scores.rows)
        .enumerate();
    let rows = questions.map(|(at, ((trace, outcome), row))| {
        let question = &trace.question;
        Row {
            id: question.id.clone(),
            text: question.text.clone(),
            kind: question.kind,
            class: outcome.class.name(),
            fault: outcome.fault,
            flags: outcome.flags.clone(),
            tags: question.tags.clone(),
            gold: question.gold_text(),
            answer: trace.attempt(ArmName::Retrieved).map(Attempt::answer_text),
            scores: columns
                .iter()
                .map(|column| row[(*column)?].map(|score| rounded(score, 6)))
                .collect(),
            seconds: rounded(seconds(trace), 3),
            tokens: attempts(trace)
                .map(|attempt| attempt.tokens.prompt + attempt.tokens.completion)
                .sum(),
            other: others.get(at).copied().flatten(),
        }
    });
    let Settings {
        chunking,
        generation,
        ..
    } = &run.manifest.settings;
    let template = run
        .manifest
        .template
        .as_deref()
        .and_then(|text| Template::parse(text).ok());
    RunIndex {
        name: run.manifest.name.clone(),
        label: label.to_owned(),
        k: if run.manifest.external.is_some() {
            0
        } else {
            k
        },
        measures: measures.iter().map(ToString::to_string).collect(),
        generator: match generation.generator {
            _ if run.manifest.external.is_some() => None,
            GeneratorName::None => None,
            GeneratorName::Openai => Some(generation.model.clone()),
            GeneratorName::Extractive => Some("extractive".to_owned()),
        },
        prompt: template.map(|template| prompt(&template, chunking.title_prefix)),
        rows: rows.collect(),
    }
}

fn prompt(template: &Template, titles: bool) -> PromptParts {
    let parts = |parts: &[Part]| {
        let part = |part: &Part| match part {
            Part::Text(text) => PromptPart::Text(text.clone()),
            Part::Question => PromptPart::Question,
            Part::Passages => PromptPart::Passages,
        };
        parts.iter().map(part).collect()
    };
    let (system, user) = template.parts();
    PromptParts {
        system: parts(system),
        user: parts(user),
        titles,
        separator: PASSAGE_SEPARATOR,
        no_passages: NO_PASSAGES,
    }
}

impl Others {
    /// Pairs the questions of two runs by id.
    #[must_use]
    pub fn new(run: Evaluated<'_>, baseline: Evaluated<'_>, comparison: &PairComparison) -> Self {
        let flips = comparison.flips.iter();
        let turns: HashMap<&QuestionId, Turn> = flips
            .flat_map(|group| group.questions.iter().map(|flip| (&flip.id, group.turn)))
            .collect();
        let theirs: HashMap<&QuestionId, usize> = baseline
            .run
            .traces
            .iter()
            .enumerate()
            .map(|(row, trace)| (&trace.question.id, row))
            .collect();
        let measures = measures(&[run, baseline]);
        let mut others = Self {
            of_run: vec![None; run.run.traces.len()],
            of_baseline: vec![None; baseline.run.traces.len()],
        };
        for (own, trace) in run.run.traces.iter().enumerate() {
            let Some(&there) = theirs.get(&trace.question.id) else {
                continue;
            };
            let other = &baseline.run.traces[there];
            let not_compared = match () {
                () if trace.question.text != other.question.text => Some("another text in A"),
                () if trace.failed() || other.failed() => Some("failed in one of the runs"),
                () => None,
            };
            let turn = turns.get(&trace.question.id).copied();
            let differs =
                not_compared.is_some() || differ((run, own), (baseline, there), &measures);
            others.of_run[own] = Some(Other {
                row: there,
                turn,
                differs,
                not_compared,
            });
            others.of_baseline[there] = Some(Other {
                row: own,
                turn,
                differs,
                not_compared,
            });
        }
        others
    }
}

/// Whether the answer, what became of the question or one of the measures that the table shows is otherwise. What was packed is not
/// looked at: with other chunks it always is.
fn differ(
    (a, one): (Evaluated<'_>, usize),
    (b, other): (Evaluated<'_>, usize),
    measures: &[Measure],
) -> bool {
    let (first, second) = (&a.evaluation.outcomes[one], &b.evaluation.outcomes[other]);
    let answer = |trace: &Trace| trace.attempt(ArmName::Retrieved).map(Attempt::answer_text);
    let score = |subject: Evaluated<'_>, row: usize, measure: &Measure| {
        let scores = &subject.evaluation.scores;
        scores
            .measures
            .iter()
            .position(|column| column == measure)
            .and_then(|column| scores.rows[row][column])
    };
    (first.class, first.fault) != (second.class, second.fault)
        || answer(&a.run.traces[one]) != answer(&b.run.traces[other])
        || measures
            .iter()
            .any(|measure| score(a, one, measure) != score(b, other, measure))
}

fn attempts(trace: &Trace) -> impl Iterator<Item = &Attempt> {
    trace.arms.iter().flat_map(|arm| &arm.attempts)
}

fn seconds(trace: &Trace) -> f64 {
    trace
        .steps
        .iter()
        .map(|step| step.seconds)
        .chain(attempts(trace).map(|attempt| attempt.seconds))
        .sum()
}

/// `value` to `digits` significant digits: more would be most of the page.
pub(super) fn rounded(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    // Scaled by a whole power of ten both ways, so that the nearest number that prints short is met.
    let places = digits - 1 - value.abs().log10().floor() as i32;
    let scale = 10_f64.powi(places.abs());
    if !scale.is_finite() {
        return value;
    }
    if places >= 0 {
        (value * scale).round() / scale
    } else {
        (value / scale).round() * scale
    }
}
