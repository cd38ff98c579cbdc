//! A run as JSON lines for notebooks: a row a question in run order, with its scores and costs; `null` for what is not defined.

use serde_json::{Value, json};

use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::metric::Family;
use ragtriage_core::text::sanitize::escaped_json;
use ragtriage_core::types::{Condition, Fault, Trace};
use ragtriage_data::run::SavedRun;
use ragtriage_eval::cost;
use ragtriage_eval::summary::Evaluation;

/// Costs of a question, after the metrics that are no costs.
const COSTS: [Family; 3] = [Family::Seconds, Family::Tokens, Family::Usd];

/// Returns the rows.
#[must_use]
pub fn render(run: &SavedRun, evaluation: &Evaluation) -> String {
    let outcomes = evaluation.outcomes.iter().zip(&evaluation.scores.rows);
    let rows = run.traces.iter().zip(outcomes).map(|(trace, (outcome, scores))| {
        let known = known(trace, outcome).map(|(name, value)| (name.to_owned(), value));
        let metrics = evaluation.scores.metrics.iter().zip(scores);
        let metrics = metrics.filter(|(metric, _)| !metric.family().is_cost());
        let metrics = metrics.map(|(metric, score)| (metric.to_string(), json!(score)));
        let cost =
            |cost: Family| (cost.name().to_owned(), json!(cost::of_question(trace, run, cost)));
        Value::Object(known.into_iter().chain(metrics).chain(COSTS.map(cost)).collect())
    });
    rows.map(|row| escaped_json(&row.to_string()) + "\n").collect()
}

/// Returns the columns before the metrics.
fn known(trace: &Trace, outcome: &Outcome) -> [(&'static str, Value); 10] {
    let question = &trace.question;
    let flags: Vec<&str> = outcome.flags.iter().map(|flag| flag.name()).collect();
    let answer = trace.attempt(Condition::Retrieved).map(|attempt| &*attempt.extracted);
    [
        ("id", json!(question.id)),
        ("question", json!(question.text)),
        ("kind", json!(question.kind.name())),
        ("tags", json!(question.tags)),
        ("class", json!(outcome.class.name())),
        ("fault", json!(outcome.fault.map(Fault::name))),
        ("reason", json!(outcome.reason)),
        ("flags", json!(flags)),
        ("answer", json!(answer.filter(|answer| !answer.is_empty()))),
        ("gold_answers", json!(question.answers)),
    ]
}
