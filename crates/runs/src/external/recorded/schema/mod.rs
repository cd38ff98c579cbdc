//! The JSON Schema of a record: what the readers of this folder accept, under the names that `names.rs` lists.
//!
//! What a schema cannot express is left to the readers, which explain it: misspelled keys, duplicate keys, and the order and the
//! names of stages.

mod forms;
mod parts;

use std::borrow::Cow;

use ragtriage_core::types::{ArmName, Gold, Step};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{
    Recorded, RecordedArm, RecordedAttempt, RecordedError, RecordedHit, RecordedStage,
    RecordedUsage, Role, names,
};
use forms::{
    any, at_most_one, field, filled, filled_list, first, has, id, list, null, object, text,
};

parts::schema!(Recorded, "Record", generator => {
    let hits = list(generator.subschema_for::<RecordedHit>());
    let answers = filled_list(generator.subschema_for::<RecordedAttempt>());
    let error = generator.subschema_for::<RecordedError>().into();
    let usage = any(&[generator.subschema_for::<RecordedUsage>().into(), null()]);
    object(
        "One question as an external RAG answered it. Other keys are ignored and counted.",
        &[
            field(names::ID, "Id of the question. `id` or `question` is needed.", id()),
            field(names::QUESTION, "Text of the question. `id` or `question` is needed.", text()),
            field(
                names::CONTEXTS,
                "Passages of the prompt, in its order; next to `prompt` or a stage `packed`, the passages offered to it.",
                any(&[hits.clone(), null()]),
            ),
            field(
                names::STAGES,
                "Rankings of the pipeline, by name or as a list: retrievers, reorderings, and what was packed.",
                stages(generator, &hits),
            ),
            field(names::PROMPT, "The whole prompt: the contexts that it contains were packed.", text()),
            field(names::ANSWER, "The answer; null if there was none.", text()),
            field(names::ANSWERS, "Repeated answers, instead of `answer`.", answers),
            field(names::USAGE, "Tokens, cost, seconds and model of the answer.", json!({})),
            field(names::ARMS, "Answers under counterfactual conditions (arms).", arms(generator)),
            field(
                names::ERROR,
                "The error with which the question failed; contexts and answer are then optional.",
                any(&[error, null()]),
            ),
            field(names::CONFIGURATION, "Digest of the configuration of a run that was written as a record.", text()),
            field(
                names::GOLD,
                "Gold evidence in the chunks of a run that was written as a record. Any other form is ignored.",
                gold(generator, &hits),
            ),
        ],
        vec![
            at_most_one(names::QUESTION),
            at_most_one(names::CONTEXTS),
            any(&[has(names::ID), has(names::QUESTION)]),
            any(&[
                json!({ "required": names::STAGES }),
                has(names::ERROR),
                has(names::CONTEXTS),
            ]),
            json!({
                "if": { "required": names::ANSWERS },
                "then": { "not": first(names::ANSWER, &json!({}), false) },
                "else": { "allOf": [at_most_one(names::ANSWER), { "properties": { names::USAGE[0]: usage } }] },
            }),
        ],
    )
});

fn stages(generator: &mut SchemaGenerator, hits: &Value) -> Value {
    let ranking: Value = generator.subschema_for::<RecordedStage>().into();
    let queries = json!({
        "type": "array",
        "minItems": 1,
        "items": { "type": "object", "required": ["hits"], "properties": { "hits": { "type": "array" } } },
    });
    let one = any(&[hits.clone(), ranking.clone(), null()]);
    let stage = json!({ "if": queries, "then": list(ranking.clone()), "else": one });
    let known = Step::ALL.map(|step| {
        let description = format!("A stage of the role `{}`.", Role::of(step).name());
        let schema = json!({ "description": description, "allOf": [stage] });
        (step.name().to_owned(), schema)
    });
    any(&[
        json!({
            "type": "object",
            "description": "Stages by name. A name that is not known needs a `role`.",
            "propertyNames": filled(),
            "properties": Map::from_iter(known),
            "additionalProperties": stage,
        }),
        list(json!({ "allOf": [first(names::NAME, &filled(), false), ranking] })),
        null(),
    ])
}

fn arms(generator: &mut SchemaGenerator) -> Value {
    let arm: Value = generator.subschema_for::<RecordedArm>().into();
    let others = ArmName::ALL.iter().filter(|arm| **arm != ArmName::Retrieved);
    let by_name: Map<String, Value> =
        others.map(|name| (name.name().to_owned(), arm.clone())).collect();
    any(&[
        json!({ "type": "object", "properties": by_name, "additionalProperties": false }),
        null(),
    ])
}

fn gold(generator: &mut SchemaGenerator, hits: &Value) -> Value {
    let located = generator.subschema_for::<Gold>();
    json!({
        "if": {
            "type": "object",
            "required": ["located", "passages"],
            "properties": { "passages": { "type": "array" } },
        },
        "then": { "properties": { "located": located, "passages": hits } },
    })
}
