//! Usage of one call of an external generator: tokens, cost, time, model.

use ragtriage_core::types::{Finish, Origin};
use serde_json::Value;

use super::fields::{Fields, wrong};
use super::names;
use crate::external::{Error, Position};

/// Usage of one call; `None` where it is not recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedUsage {
    /// Tokens of the prompt, as the endpoint billed them.
    pub prompt_tokens: Option<u64>,
    /// Tokens of the prompt by `cl100k_base`, as a run counted them.
    pub counted_prompt_tokens: Option<u64>,
    /// Tokens of the answer.
    pub completion_tokens: Option<u64>,
    /// Cost in US dollars.
    pub cost_usd: Option<f64>,
    /// Wall time.
    pub seconds: Option<f64>,
    /// The model.
    pub model: Option<String>,
    /// Reason why the answer ended.
    pub finish: Option<Finish>,
    /// Source of the reply.
    pub origin: Option<Origin>,
}

/// The reasons by which endpoints end an answer.
const FINISHES: [(&str, Finish); 15] = [
    ("stop", Finish::Stop),
    ("end_turn", Finish::Stop),
    ("stop_sequence", Finish::Stop),
    ("eos", Finish::Stop),
    ("complete", Finish::Stop),
    ("length", Finish::Length),
    ("max_tokens", Finish::Length),
    ("tool_call", Finish::ToolCall),
    ("tool_calls", Finish::ToolCall),
    ("tool_use", Finish::ToolCall),
    ("function_call", Finish::ToolCall),
    ("content_filter", Finish::Filtered),
    ("safety", Finish::Filtered),
    ("filtered", Finish::Filtered),
    ("error", Finish::Error),
];

/// Reads the usage of `fields`; adds the names of the keys that are not read to `unread`.
pub(super) fn usage(
    fields: &mut Fields<'_>,
    unread: &mut Vec<String>,
) -> Result<RecordedUsage, Error> {
    match fields.take(names::USAGE) {
        None | Some((_, Value::Null)) => Ok(RecordedUsage::default()),
        Some((name, Value::Object(given))) => {
            let mut given = Fields::new(fields.position, &fields.name(name), given);
            let usage = of(&mut given)?;
            given.leave(unread);
            Ok(usage)
        }
        Some((name, _)) => Err(fields.wrong(name, "an object of counts")),
    }
}

fn of(fields: &mut Fields<'_>) -> Result<RecordedUsage, Error> {
    let count = |fields: &mut Fields<'_>, names| Ok(fields.count(names)?.map(|n| n as u64));
    let finish = fields.text(names::FINISH)?.map(|name| name.to_lowercase());
    let origin = fields.text(names::ORIGIN)?;
    let origin = origin.map(|name| named(fields.position, "origin", Origin::named(&name)));
    Ok(RecordedUsage {
        prompt_tokens: count(fields, names::PROMPT_TOKENS)?,
        counted_prompt_tokens: count(fields, names::COUNTED_PROMPT_TOKENS)?,
        completion_tokens: count(fields, names::COMPLETION_TOKENS)?,
        cost_usd: fields.amount(names::COST)?,
        seconds: fields.amount(names::SECONDS)?,
        model: fields.text(names::MODEL)?,
        // A reason that is not known is taken as an ordinary end.
        finish: finish.and_then(|name| {
            let known = FINISHES.iter().find(|(known, _)| *known == name);
            known.map(|(_, finish)| *finish)
        }),
        origin: origin.transpose()?,
    })
}

fn named<T>(position: &Position, field: &str, found: Option<T>) -> Result<T, Error> {
    found.ok_or_else(|| wrong(position, field.to_owned(), "a name that a run writes"))
}
