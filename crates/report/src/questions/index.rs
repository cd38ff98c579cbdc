//! The first block of an HTML report: each run's questions as the table shows them.

use serde_json::{Value, json};

use super::Evaluated;
use super::counterparts::{Counterpart, answer_text};
use ragtriage_core::config::{GeneratorName, Settings};
use ragtriage_core::metric::Metric;
use ragtriage_core::prompt::{NO_PASSAGES, PASSAGE_SEPARATOR, Template};

/// One run, with each of its questions as a row of the table, in run order. `label`: `A` the baseline, `B` the run; empty where
/// there is one run.
pub(super) fn run(
    subject: Evaluated<'_>,
    label: &str,
    metrics: &[Metric],
    others: &[Option<Counterpart>],
) -> Value {
    let Evaluated { run, evaluation, k } = subject;
    let scores = &evaluation.scores;
    let columns: Vec<Option<usize>> = metrics
        .iter()
        .map(|metric| scores.metrics.iter().position(|column| column == metric))
        .collect();
    let questions = run.traces.iter().zip(&evaluation.outcomes).zip(&scores.rows).enumerate();
    let rows: Vec<Value> = questions
        .map(|(at, ((trace, outcome), row))| {
            let question = &trace.question;
            let scores = columns.iter().map(|column| row[(*column)?].map(|it| rounded(it, 6)));
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
                "answer": answer_text(trace),
                "scores": scores.collect::<Vec<_>>(),
                "other": others.get(at).copied().flatten(),
            })
        })
        .collect();
    let Settings { chunking, generation, .. } = &run.manifest.settings;
    let is_foreign = run.manifest.is_foreign();
    let template = run.manifest.template.as_deref().and_then(|text| Template::parse(text).ok());
    let prompt = template.map(|template| {
        let (system, user) = template.parts();
        json!({
            "system": system,
            "user": user,
            "titles": chunking.title_prefix,
            "separator": PASSAGE_SEPARATOR,
            "no_passages": NO_PASSAGES,
        })
    });
    let generator = match generation.generator {
        GeneratorName::Openai => Some(generation.model.as_str()),
        GeneratorName::Recorded => Some("recorded"),
        GeneratorName::None => None,
    };
    json!({
        "name": run.manifest.name,
        "label": label,
        // Hits of the final ranking that went to prompt packing.
        "k": if is_foreign { 0 } else { k },
        "metrics": metrics.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "generator": generator.filter(|_| !is_foreign),
        "prompt": prompt,
        "rows": rows,
    })
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
