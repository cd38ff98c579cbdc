//! A saved run as a record, in the form that this module reads.
//!
//! Passages are ranges of their documents, without their text, unless they are in no document. A run of the built-in pipeline
//! also has the digest of its configuration, its chunks' ids and its gold evidence: imported with the same configuration it is
//! the same run.

use serde_json::{Map, Value, json};

use super::Role;
use crate::run::SavedRun;
use ragtriage_core::types::{
    Attempt, ChunkId, Condition, ConditionAnswers, Origin, Passage, Stance, Step, StepHit, Trace,
    TraceError, TraceStep,
};

/// Writes `run`, one line per question. `configuration`: the digest of its configuration and data.
#[must_use]
pub fn write(run: &SavedRun, configuration: &str) -> String {
    let writer =
        RecordWriter { run, configuration: (!run.manifest.is_foreign()).then_some(configuration) };
    let mut text = String::new();
    for trace in &run.traces {
        text.push_str(&Value::Object(writer.object(trace)).to_string());
        text.push('\n');
    }
    text
}

struct RecordWriter<'a> {
    run: &'a SavedRun,
    /// `None` for the run of an external RAG.
    configuration: Option<&'a str>,
}

impl RecordWriter<'_> {
    fn object(&self, trace: &Trace) -> Map<String, Value> {
        let mut object = Map::new();
        let mut add = |key: &str, value: Value| object.insert(key.to_owned(), value);
        add("id", json!(trace.question.id));
        add("question", json!(trace.question.text));
        if let Some(error) = &trace.error {
            add("error", of_error(error));
        } else {
            add("stages", trace.steps.iter().map(|step| self.stage(step)).collect());
        }
        let (retrieved, others): (Vec<&ConditionAnswers>, Vec<&ConditionAnswers>) = trace
            .conditions
            .iter()
            .partition(|condition| condition.condition == Condition::Retrieved);
        if let Some(condition) = retrieved.first() {
            add("answers", answers(condition));
        }
        if !others.is_empty() {
            let conditions = others.into_iter().map(|condition| {
                let shown = condition.attempts.first().map_or(&[][..], |call| &call.passages);
                let contexts: Vec<Value> = shown.iter().map(|id| self.passage(id)).collect();
                let value = json!({ "answers": answers(condition), "contexts": contexts });
                (condition.condition.name().to_owned(), value)
            });
            add("conditions", Value::Object(conditions.collect()));
        }
        if let Some(configuration) = self.configuration {
            let chunks = trace.gold.groups.iter().flatten();
            let chunks = chunks.flat_map(|member| &member.chunks);
            let passages: Vec<Value> = chunks.map(|id| self.passage(id)).collect();
            add("gold", json!({ "located": trace.gold, "passages": passages }));
            add("configuration", json!(configuration));
        }
        object
    }

    fn stage(&self, step: &TraceStep) -> Value {
        let mut stage = Map::new();
        let mut add = |key: &str, value: Value| stage.insert(key.to_owned(), value);
        add("name", json!(step.label()));
        if step.name.is_some() {
            add("role", json!(Role::of(step.step).name()));
        }
        if let Some(query) = &step.query {
            add("query", json!(query));
        }
        let own = self.configuration.map(|_| self.run.manifest.settings.retrieval.k);
        if let Some(k) = step.k.or(own).filter(|_| step.step == Step::Packed) {
            // A context that quotes several gold documents is a hit of each.
            add("k", json!(k.max(step.hits.len())));
        }
        add("seconds", json!(step.seconds));
        add("hits", step.hits.iter().map(|hit| self.hit(hit)).collect());
        if let Some(exact) = &step.exact_search {
            let hits: Vec<Value> = exact.hits.iter().map(|id| self.passage(id)).collect();
            add("exact_search", json!({ "hits": hits, "seconds": exact.seconds }));
        }
        Value::Object(stage)
    }

    fn hit(&self, hit: &StepHit) -> Value {
        let mut value = self.passage(&hit.id);
        value["score"] = json!(hit.score);
        if !hit.parts.is_empty() {
            value["parts"] = json!(hit.parts);
        }
        value
    }

    fn passage(&self, id: &ChunkId) -> Value {
        let unknown = || json!({ "doc_id": id.doc(), "start": 0, "end": 0 });
        let Some(passage) = self.run.passages.get(id) else {
            return unknown();
        };
        let Passage { doc, title, range, text, .. } = passage;
        // The range of a text that is in no document is that of the gold text in it.
        let is_located = range.len() == text.len() && !range.is_empty();
        match self.configuration {
            Some(_) => {
                // The title of a chunk may be a context that another chunker gave it.
                json!({
                    "chunk_id": id, "doc_id": doc, "start": range.start, "end": range.end, "title": title,
                })
            }
            None if is_located => {
                json!({ "doc_id": doc, "start": range.start, "end": range.end })
            }
            None if text.is_empty() => unknown(),
            None if title.is_empty() => json!({ "doc_id": doc, "text": text }),
            None => json!({ "doc_id": doc, "title": title, "text": text }),
        }
    }
}

fn answers(condition: &ConditionAnswers) -> Value {
    condition.attempts.iter().map(answer).collect()
}

fn answer(attempt: &Attempt) -> Value {
    let mut usage = json!({
        "counted_prompt_tokens": attempt.tokens.prompt,
        "completion_tokens": attempt.tokens.completion,
        "cost_usd": attempt.cost_usd,
        "seconds": attempt.seconds,
    });
    // A blank answer declines unless the record says how the reply ended.
    if attempt.stance != Stance::Declined || !attempt.raw.trim().is_empty() {
        usage["finish_reason"] = json!(attempt.finish);
    }
    if let Some(billed) = attempt.tokens.prompt_billed {
        usage["prompt_tokens"] = json!(billed);
    }
    if attempt.origin != Origin::Called {
        usage["origin"] = json!(attempt.origin);
    }
    match &attempt.error {
        Some(error) => json!({ "usage": usage, "error": of_error(error) }),
        None => json!({ "answer": attempt.raw, "usage": usage }),
    }
}

fn of_error(error: &TraceError) -> Value {
    json!({ "message": error.message, "part": error.part, "kind": error.kind })
}
