//! The first block of an HTML report: the questions as the table shows them.

use serde_json::{Value, json};

use super::Evaluated;
use ragtriage_core::metric::{Cutoff, Family, Metric};
use ragtriage_core::prompt::{NO_PASSAGES, PASSAGE_SEPARATOR, Template};
use ragtriage_core::types::{Attempt, Condition};

/// The run, with each of its questions as a row of the table, in run order.
pub(super) fn run(Evaluated { run, evaluation, k }: Evaluated<'_>) -> Value {
    let scores = &evaluation.scores;
    let columns = columns(&scores.metrics, &scores.rows, k);
    let questions = run.traces.iter().zip(&evaluation.outcomes).zip(&scores.rows);
    let rows: Vec<Value> = questions
        .map(|((trace, outcome), row)| {
            let question = &trace.question;
            let answer = trace.attempt(Condition::Retrieved).map(Attempt::answer_text);
            let scores = columns.iter().map(|column| row[*column].map(|it| rounded(it, 6)));
            json!({
                "id": question.id,
                "text": question.text,
                "kind": question.kind,
                "class": outcome.class.name(),
                "fault": outcome.fault,
                "flags": outcome.flags,
                "reason": outcome.reason,
                "tags": question.tags,
                "gold": question.gold_text(),
                "answer": answer,
                "scores": scores.collect::<Vec<_>>(),
            })
        })
        .collect();
    let is_external = run.manifest.is_external();
    let template = run.manifest.template.as_deref().and_then(|text| Template::parse(text).ok());
    let prompt = template.map(|template| {
        let (system, user) = template.parts();
        json!({
            "system": system,
            "user": user,
            "titles": run.manifest.settings.chunking.title_prefix,
            "separator": PASSAGE_SEPARATOR,
            "no_passages": NO_PASSAGES,
        })
    });
    json!({
        "name": run.manifest.name,
        // Hits of the final ranking that went to prompt packing.
        "k": if is_external { 0 } else { k },
        "metrics": columns.iter().map(|at| scores.metrics[*at].to_string()).collect::<Vec<_>>(),
        "prompt": prompt,
        "rows": rows,
    })
}

/// Returns the places in `metrics` of those that the table shows: at the cutoff `k`, and only those with a value on some question.
fn columns(metrics: &[Metric], rows: &[Vec<Option<f64>>], k: usize) -> Vec<usize> {
    let families = [
        (Family::Em, Some(Cutoff::Top(k))),
        (Family::Em, Some(Cutoff::Prompt)),
        (Family::EvidenceRecall, Some(Cutoff::Prompt)),
        (Family::ReciprocalRank, None),
        (Family::Ndcg, Some(Cutoff::Top(10))),
        (Family::AnswerCorrect, None),
        (Family::AnswerEm, None),
        (Family::AnswerF1, None),
        (Family::FactRecall, None),
        (Family::Groundedness, None),
    ];
    let wanted = families.into_iter().filter_map(|(family, cutoff)| Metric::new(family, cutoff));
    let places = wanted.filter_map(|metric| metrics.iter().position(|column| *column == metric));
    places.filter(|at| rows.iter().any(|row| row[*at].is_some())).collect()
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
