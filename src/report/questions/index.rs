//! A run's questions as the page's table has them.

use std::collections::HashMap;

use super::{Compared, Evaluated, Other, PromptPart, PromptParts, Row, RunIndex};
use crate::eval::compare::answers::Turn;
use crate::eval::compare::pairs::Side;
use crate::llm::{NO_PASSAGES, PASSAGE_SEPARATOR, Part, Template};
use crate::measure::{Cutoff, Family, Measure};
use crate::types::{ArmName, Attempt, QuestionId, Trace};

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
    families.into_iter().filter_map(|(family, cutoff)| Measure::new(family, cutoff)).collect()
}

/// The columns of all runs, so that one head stands for one measure in each: at the cutoff of the last, the baseline where there is
/// one, and only what some question of some run has.
pub(super) fn measures(runs: &[Evaluated<'_>]) -> Vec<Measure> {
    let k = runs.last().map_or(0, |subject| subject.k);
    let has_value = |measure: &Measure| {
        runs.iter().any(|Evaluated { evaluation, .. }| {
            let at = evaluation.scores.measures.iter().position(|column| column == measure);
            at.is_some_and(|at| evaluation.scores.rows.iter().any(|row| row[at].is_some()))
        })
    };
    wanted(k).into_iter().filter(has_value).collect()
}

pub(super) fn run(
    subject: Evaluated<'_>,
    label: &str,
    measures: &[Measure],
    others: &HashMap<&QuestionId, Other>,
) -> RunIndex {
    let Evaluated { run, evaluation, k } = subject;
    let scores = &evaluation.scores;
    let place = |measure: &Measure| scores.measures.iter().position(|column| column == measure);
    let columns: Vec<Option<usize>> = measures.iter().map(place).collect();
    let rows = run.traces.iter().zip(&evaluation.outcomes).zip(&scores.rows).map(|((trace, outcome), row)| {
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
            scores: columns.iter().map(|column| row[(*column)?].map(|score| (score * 1e4).round() / 1e4)).collect(),
            seconds: rounded(seconds(trace), 3),
            tokens: attempts(trace).map(|attempt| attempt.tokens.prompt + attempt.tokens.completion).sum(),
            other: others.get(&question.id).copied(),
        }
    });
    let setting = |name: &str| run.manifest.settings.pointer(name);
    let generator = setting("/generation/generator").and_then(|value| value.as_str());
    let model = || setting("/generation/model").and_then(|value| value.as_str());
    let template = run.manifest.template.as_deref().and_then(|text| Template::parse(text).ok());
    let titles = setting("/chunking/title_prefix").and_then(serde_json::Value::as_bool).unwrap_or(true);
    RunIndex {
        name: run.manifest.name.clone(),
        label: label.to_owned(),
        k: if run.manifest.external.is_some() { 0 } else { k },
        measures: measures.iter().map(ToString::to_string).collect(),
        generator: match generator {
            _ if run.manifest.external.is_some() => None,
            Some("none") | None => None,
            Some("openai") => model().map(str::to_owned),
            Some(other) => Some(other.to_owned()),
        },
        prompt: template.map(|template| prompt(&template, titles)),
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

/// The other side of each compared question, by id: of the run's questions, then of the baseline's.
pub(super) fn others<'a>(run: Evaluated<'a>, compared: &Compared<'a>) -> [HashMap<&'a QuestionId, Other>; 2] {
    let flips = compared.comparison.flips.iter();
    let turns: HashMap<&QuestionId, Turn> =
        flips.flat_map(|group| group.questions.iter().map(|flip| (&flip.id, group.turn))).collect();
    let mut found = [HashMap::new(), HashMap::new()];
    for (baseline, own) in &compared.pairs.list {
        let id = &own.trace.question.id;
        let turn = turns.get(id).copied();
        let differs = differ((compared.baseline, *baseline), (run, *own));
        found[0].insert(id, Other { row: baseline.at, turn, differs });
        found[1].insert(&baseline.trace.question.id, Other { row: own.at, turn, differs });
    }
    found
}

/// Whether anything that a reader would look at is otherwise.
fn differ((a, one): (Evaluated<'_>, Side<'_>), (b, other): (Evaluated<'_>, Side<'_>)) -> bool {
    let (first, second) = (&a.evaluation.outcomes[one.at], &b.evaluation.outcomes[other.at]);
    let answer = |side: Side<'_>| side.trace.attempt(ArmName::Retrieved).map(Attempt::answer_text);
    let shared = a.evaluation.scores.measures.iter().enumerate().filter_map(|(column, measure)| {
        Some((column, b.evaluation.scores.measures.iter().position(|other| other == measure)?))
    });
    let mut scores = shared.map(|(i, j)| (a.evaluation.scores.rows[one.at][i], b.evaluation.scores.rows[other.at][j]));
    (first.class, first.fault, &first.flags) != (second.class, second.fault, &second.flags)
        || answer(one) != answer(other)
        || one.trace.packed().ne(other.trace.packed())
        || scores.any(|(one, other)| one != other)
}

fn attempts(trace: &Trace) -> impl Iterator<Item = &Attempt> {
    trace.arms.iter().flat_map(|arm| &arm.attempts)
}

fn seconds(trace: &Trace) -> f64 {
    trace.stages.iter().map(|stage| stage.seconds).chain(attempts(trace).map(|attempt| attempt.seconds)).sum()
}

/// `value` to `digits` significant digits: more would be most of the page.
pub(super) fn rounded(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    // Scaled by a whole power of ten both ways, so that the nearest number that prints short is met.
    let places = digits - 1 - value.abs().log10().floor() as i32;
    let scale = 10_f64.powi(places.abs());
    if places >= 0 { (value * scale).round() / scale } else { (value / scale).round() * scale }
}
