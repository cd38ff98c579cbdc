//! The parts of a record: passages, stages, answers, usage, errors.

use std::borrow::Cow;

use ragtriage_core::types::Origin;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;

use super::forms::{
    amount, any, count, field, filled, filled_list, first, has, id, list, null, number, object,
    text,
};
use crate::external::recorded::{
    RecordedArm, RecordedAttempt, RecordedError, RecordedHit, RecordedStage, RecordedUsage, names,
};

/// A passage as an object.
struct PassageObject;

/// Gives a type the schema that an expression of a generator returns, under a name for people.
macro_rules! schema {
    ($type:ident, $name:literal, $generator:pat => $schema:expr) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}
pub(super) use schema;

schema!(PassageObject, "PassageObject", _ => object(
    "A passage: a text, a chunk, or a range of a document. Other keys are ignored and counted.",
    &[
        field(names::TEXT, "Its text; optional with `chunk_id`, or with `doc_id`, `start` and `end`.", any(&[filled(), null()])),
        field(names::CHUNK_ID, "Id of its chunk.", json!({})),
        field(names::DOC_ID, "Id of its document.", id()),
        field(names::START, "Its start in the document, in the unit of the import.", count()),
        field(names::END, "Its end in the document; needs `start`.", count()),
        field(names::TITLE, "Title of its document.", text()),
        field(names::SCORE, "Its score; larger is better.", number()),
        field(names::TOKENS, "Its tokens in the prompt.", count()),
        field(
            names::PARTS,
            "Parts of the score, by component.",
            any(&[json!({ "type": "object", "additionalProperties": { "type": "number" } }), null()]),
        ),
    ],
    vec![
        json!({ "properties": { names::CHUNK_ID[0]: id() } }),
        json!({ "if": has(names::END), "then": has(names::START) }),
        any(&[
            has(&names::CHUNK_ID[..1]),
            first(&names::CHUNK_ID[1..], &json!({ "allOf": [id(), { "not": { "type": "null" } }] }), false),
            has(names::TEXT),
            json!({ "allOf": [has(names::DOC_ID), has(names::START), has(names::END)] }),
        ]),
    ],
));

schema!(RecordedHit, "Passage", generator => {
    let passage = generator.subschema_for::<PassageObject>();
    json_schema!({
        "description": "A passage: its text, an object, or an object with a score.",
        "anyOf": [
            filled(),
            passage,
            { "type": "array", "prefixItems": [passage, { "type": "number" }], "minItems": 2, "maxItems": 2 },
        ],
    })
});

schema!(RecordedStage, "Ranking", generator => {
    let hits = list(generator.subschema_for::<RecordedHit>());
    let exact = object(
        "Exact search next to an approximate one.",
        &[
            field(&names::HITS[..1], "Passages, best first.", hits.clone()),
            field(names::SECONDS, "Wall time.", amount()),
        ],
        vec![first(names::HITS, &hits, false)],
    );
    object(
        "A ranking of a stage. Other keys are ignored and counted.",
        &[
            field(
                names::ROLE,
                "`retriever` finds candidates, `order` orders or selects them, `packed` is the prompt. Needed for names that \
                 are not known.",
                json!({ "enum": ["retriever", "order", "packed", null] }),
            ),
            field(names::STAGE_QUERY, "Its query, if it is not the question.", text()),
            field(names::HITS, "Passages, best first.", hits.clone()),
            field(names::SECONDS, "Wall time.", amount()),
            field(
                names::K,
                "For the packed passages: the number of hits that packing was to take. Without `hits` the first k are packed.",
                json!({ "allOf": [count(), { "minimum": 1 }] }),
            ),
            field(names::EXACT_SEARCH, "Exact search next to an approximate one.", any(&[exact.into(), null()])),
        ],
        vec![any(&[first(names::HITS, &json!({}), false), has(names::K)])],
    )
});

schema!(RecordedUsage, "Usage", generator => {
    let origin = generator.subschema_for::<Origin>();
    object(
        "Usage of one call. Other keys are ignored and counted.",
        &[
            field(names::PROMPT_TOKENS, "Tokens of the prompt, as billed.", count()),
            field(names::COUNTED_PROMPT_TOKENS, "Tokens of the prompt by `cl100k_base`.", count()),
            field(names::COMPLETION_TOKENS, "Tokens of the answer.", count()),
            field(names::COST, "Cost in US dollars.", amount()),
            field(names::SECONDS, "Wall time.", amount()),
            field(names::MODEL, "The model.", text()),
            field(names::FINISH, "Reason why the answer ended, such as `stop` or `length`.", text()),
            field(names::ORIGIN, "Source of the reply.", any(&[origin.into(), null()])),
        ],
        Vec::new(),
    )
});

schema!(RecordedError, "Error", _ => {
    let message = filled();
    let object = object(
        "An error with its part and kind.",
        &[
            field(&["message"], "The message.", message.clone()),
            field(&["part"], "The failed part.", text()),
            field(&["kind"], "The cause; `permanent` if it is not known.", text()),
        ],
        vec![json!({ "required": ["message"] })],
    );
    json_schema!({ "description": "An error: its message, or an object.", "anyOf": [message, object] })
});

schema!(RecordedAttempt, "Answer", generator => {
    let error = generator.subschema_for::<RecordedError>();
    let usage = generator.subschema_for::<RecordedUsage>();
    let object = object(
        "One answer with its usage. Other keys are ignored and counted.",
        &[
            field(names::ANSWER, "The answer; null if there was none.", text()),
            field(names::USAGE, "Usage of the call.", any(&[usage.into(), null()])),
            field(names::ERROR, "The error of a failed call; the answer is then optional.", any(&[error.into(), null()])),
        ],
        vec![any(&[first(names::ANSWER, &json!({}), false), has(names::ERROR)])],
    );
    json_schema!({ "description": "An answer: a text, null if there was none, or an object.", "anyOf": [text(), object] })
});

schema!(RecordedArm, "Condition", generator => {
    let answer = generator.subschema_for::<RecordedAttempt>();
    let hits = list(generator.subschema_for::<RecordedHit>());
    let object = object(
        "The answer under a condition, with its prompt's passages.",
        &[
            field(&names::CONTEXTS[..1], "Passages of its prompt.", any(&[hits, null()])),
            field(names::ANSWERS, "Repeated answers, instead of `answer`.", filled_list(answer.clone())),
        ],
        vec![json!({ "if": { "required": names::ANSWERS }, "else": answer })],
    );
    json_schema!({ "description": "An answer under a condition: a text, null if there was none, or an object.", "anyOf": [text(), object] })
});
