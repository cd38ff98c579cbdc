//! The first block of an HTML report: each run's questions as the table shows them.

use serde::Serialize;

use super::counterparts::{Counterpart, answer_text};
use super::evaluated::Evaluated;
use ragtriage_core::config::{GeneratorName, Settings};
use ragtriage_core::measure::Measure;
use ragtriage_core::prompt::{NO_PASSAGES, PASSAGE_SEPARATOR, Template, TemplatePart};
use ragtriage_core::types::{Attempt, Fault, Flag, QuestionId, QuestionKind, Trace};

/// The page's first block.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Index {
    /// The run, and the one that it is compared with.
    pub runs: Vec<RunIndex>,
    /// Hits of each ranking that a question shows.
    pub depth: usize,
    /// True if it holds the text of corpus, gold answers and answers.
    pub has_text: bool,
    /// Details in each block: block `n` begins with question `n * details_per_block` of its run.
    pub details_per_block: usize,
    /// The number of the first passage of each block of passages, ascending; the runs share them.
    pub passage_blocks: Vec<usize>,
}

/// One run, with each of its questions as a row of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunIndex {
    /// Its name.
    pub name: String,
    /// `A` the baseline, `B` the run; empty where there is one run.
    pub label: String,
    /// Hits of the final ranking that went to prompt packing; 0 for an imported run.
    pub k: usize,
    /// The columns of [`QuestionRow::scores`], by the measures' names.
    pub measures: Vec<String>,
    /// The generator: `baseline`, or the endpoint's model; `None` without one, or where it is not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator: Option<String>,
    /// The parts of its prompts; `None` for an imported run.
    pub prompt: Option<PromptParts>,
    /// In run order.
    pub rows: Vec<QuestionRow>,
}

/// The parts of a prompt's two messages, in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PromptParts {
    /// The system message; empty for none.
    pub system: Vec<PromptPart>,
    /// The user message.
    pub user: Vec<PromptPart>,
    /// True if passages have their titles.
    pub titles: bool,
    /// The text between two passages.
    pub separator: &'static str,
    /// The text in place of passages where there are none.
    pub no_passages: &'static str,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptPart {
    /// As it is: `{"text": "..."}`.
    Text(String),
    /// The question's text: `"question"`.
    Question,
    /// The passages, each `[n] title`, a line feed and its text; without a title `[n]`: `"passages"`.
    Passages,
}

/// A question in the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuestionRow {
    /// Its id.
    pub id: QuestionId,
    /// Its text.
    pub text: String,
    /// Its kind.
    pub kind: QuestionKind,
    /// Its class's name.
    pub class: &'static str,
    /// The fault within `generation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// Its flags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
    /// Its tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Its gold answers in one text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub gold: String,
    /// The answer in one text; `None` without a generator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Parallel to [`RunIndex::measures`]; null where the measure is not defined for the question.
    pub scores: Vec<Option<f64>>,
    /// Wall seconds of its searches and calls.
    pub seconds: f64,
    /// Tokens of its prompts and answers, all arms.
    pub tokens: u64,
    /// Its counterpart in the compared run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<Counterpart>,
}

pub(super) fn run(
    subject: Evaluated<'_>,
    label: &str,
    measures: &[Measure],
    others: &[Option<Counterpart>],
) -> RunIndex {
    let Evaluated { run, evaluation, k } = subject;
    let scores = &evaluation.scores;
    let columns: Vec<Option<usize>> = measures
        .iter()
        .map(|measure| scores.measures.iter().position(|column| column == measure))
        .collect();
    let questions = run.traces.iter().zip(&evaluation.outcomes).zip(&scores.rows).enumerate();
    let rows = questions.map(|(at, ((trace, outcome), row))| {
        let question = &trace.question;
        QuestionRow {
            id: question.id.clone(),
            text: question.text.clone(),
            kind: question.kind,
            class: outcome.class.name(),
            fault: outcome.fault,
            flags: outcome.flags.clone(),
            tags: question.tags.clone(),
            gold: question.gold_text(),
            answer: answer_text(trace),
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
    let Settings { chunking, generation, .. } = &run.manifest.settings;
    let template = run.manifest.template.as_deref().and_then(|text| Template::parse(text).ok());
    RunIndex {
        name: run.manifest.name.clone(),
        label: label.to_owned(),
        k: if run.manifest.is_foreign() { 0 } else { k },
        measures: measures.iter().map(ToString::to_string).collect(),
        generator: match generation.generator {
            _ if run.manifest.is_foreign() => None,
            GeneratorName::None => None,
            GeneratorName::Openai => Some(generation.model.clone()),
            GeneratorName::Recorded => Some("recorded".to_owned()),
        },
        prompt: template.map(|template| prompt(&template, chunking.title_prefix)),
        rows: rows.collect(),
    }
}

fn prompt(template: &Template, titles: bool) -> PromptParts {
    let (system, user) = template.parts();
    PromptParts {
        system: parts(system),
        user: parts(user),
        titles,
        separator: PASSAGE_SEPARATOR,
        no_passages: NO_PASSAGES,
    }
}

fn parts(parts: &[TemplatePart]) -> Vec<PromptPart> {
    let parts = parts.iter().map(|part| match part {
        TemplatePart::Text(text) => PromptPart::Text(text.clone()),
        TemplatePart::Question => PromptPart::Question,
        TemplatePart::Passages => PromptPart::Passages,
    });
    parts.collect()
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

/// Rounds to significant digits: more would be most of the page.
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
    if places >= 0 { (value * scale).round() / scale } else { (value / scale).round() * scale }
}
