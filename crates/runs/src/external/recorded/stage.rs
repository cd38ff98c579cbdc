//! The stages of a record: the rankings of retrievers, their reorderings, and what was packed.
//!
//! Our names, which are those of a trace's steps, and common synonyms tell the role of a stage; any other name needs a
//! `role`. The stages are put in the order of the ladder, whatever the order of the keys: retrievers, reorderings, packed.
//! The order of several reorderings is that of our names; with a name that is not ours, it is that of the record.

use ragtriage_core::types::Step;
use serde_json::{Map, Value};

use super::fields::{Fields, wrong};
use super::hit::{self, RecordedHit};
use super::names;
use crate::external::{Error, Position};

/// The name of the stage that `contexts` are.
pub const CONTEXTS: &str = "contexts";

/// The place of a stage on the ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It finds candidates.
    Retriever,
    /// It orders or selects candidates: fusion, reranking, filtering.
    Order,
    /// It packs passages into the prompt.
    Packed,
}

impl Role {
    /// Returns the role of a step of a trace.
    #[must_use]
    pub fn of(step: Step) -> Self {
        match step {
            Step::Packed => Self::Packed,
            _ if step.is_retriever() => Self::Retriever,
            _ => Self::Order,
        }
    }

    /// Returns the name of the role in a record.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Retriever => "retriever",
            Self::Order => "order",
            Self::Packed => "packed",
        }
    }

    /// Returns the role that a stage's name means, if it is a known one.
    pub(in crate::external) fn of_name(name: &str) -> Option<Self> {
        step_named(name).map(Self::of)
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Retriever, Self::Order, Self::Packed].into_iter().find(|role| role.name() == name)
    }
}

/// One ranking of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedStage {
    /// Its name, as recorded.
    pub name: String,
    /// The step of a trace that it is.
    pub step: Step,
    /// Its query, where it is not the question.
    pub query: Option<String>,
    /// Best first. `None`, only for `packed`: the first `k` of the ranking before it.
    pub hits: Option<Vec<RecordedHit>>,
    /// Wall time, if it is recorded.
    pub seconds: Option<f64>,
    /// For `packed`: the number of hits that packing was to take.
    pub k: Option<usize>,
    /// Exact search next to an approximate one, if it is recorded.
    pub exact_search: Option<RecordedExactSearch>,
}

/// An exact search next to an approximate one.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedExactSearch {
    /// Best first.
    pub hits: Vec<RecordedHit>,
    /// Wall time.
    pub seconds: f64,
}

impl RecordedStage {
    /// Creates a stage of `hits` alone.
    #[must_use]
    pub fn new(name: &str, step: Step, hits: Vec<RecordedHit>) -> Self {
        Self {
            name: name.to_owned(),
            step,
            query: None,
            hits: Some(hits),
            seconds: None,
            k: None,
            exact_search: None,
        }
    }

    /// Returns its role.
    #[must_use]
    pub fn role(&self) -> Role {
        Role::of(self.step)
    }
}

/// Names of other systems, with the step that they mean.
const SYNONYMS: [(&str, Step); 40] = [
    ("retriever", Step::External),
    ("retrieval", Step::External),
    ("retrieved", Step::External),
    ("retrieve", Step::External),
    ("candidates", Step::External),
    ("search", Step::External),
    ("vector_search", Step::External),
    ("vector", Step::External),
    ("embedding", Step::External),
    ("knn", Step::External),
    ("sparse", Step::External),
    ("splade", Step::External),
    ("keyword", Step::External),
    ("lexical", Step::External),
    ("full_text", Step::External),
    ("fulltext", Step::External),
    ("hybrid", Step::External),
    ("colbert", Step::LateInteraction),
    ("tf_idf", Step::Tfidf),
    ("fusion", Step::Fused),
    ("fuse", Step::Fused),
    ("rrf", Step::Fused),
    ("merged", Step::Fused),
    ("rerank", Step::Reranked),
    ("reranker", Step::Reranked),
    ("reranking", Step::Reranked),
    ("cross_encoder", Step::Reranked),
    ("order", Step::Ordered),
    ("filter", Step::Ordered),
    ("filtered", Step::Ordered),
    ("mmr", Step::Ordered),
    ("selected", Step::Ordered),
    ("contexts", Step::Ordered),
    ("threshold", Step::MinScore),
    ("similarity_cutoff", Step::MinScore),
    ("packing", Step::Packed),
    ("prompt", Step::Packed),
    ("prompt_contexts", Step::Packed),
    ("in_prompt", Step::Packed),
    ("context_window", Step::Packed),
];

/// Returns the step that a stage's name means.
fn step_named(name: &str) -> Option<Step> {
    let name = name.to_lowercase().replace(['-', ' '], "_");
    Step::named(&name).or_else(|| {
        let mut synonyms = SYNONYMS.iter();
        synonyms.find(|(synonym, _)| *synonym == name).map(|(_, step)| *step)
    })
}

/// Reads `stages`: an object by name, or a list of objects with a `name`. Adds the names of the keys that are not read to
/// `unread`.
pub(super) fn stages(
    fields: &mut Fields<'_>,
    unread: &mut Vec<String>,
) -> Result<Vec<RecordedStage>, Error> {
    let (mut stages, is_list) = match fields.take(names::STAGES) {
        None | Some((_, Value::Null)) => return Ok(Vec::new()),
        Some((_, Value::Object(given))) => (by_name(fields, given, unread)?, false),
        Some((_, Value::Array(items))) => (listed(fields, items, unread)?, true),
        Some((name, _)) => {
            return Err(fields.wrong(name, "an object of stages by name, or a list of them"));
        }
    };
    if stages.iter().any(|stage| stage.name.trim().is_empty()) {
        return Err(fields.wrong("stages", "stages with names that are not blank"));
    }
    check_unique(fields.position, &stages)?;
    if is_list {
        check_order(fields.position, &stages, |_| true)?;
    }
    // A name that is not ours has no place among the reorderings but that in the record.
    if stages.iter().any(|stage| stage.step == Step::Ordered) {
        check_order(fields.position, &stages, |stage| stage.role() == Role::Order)?;
        stages.sort_by_key(RecordedStage::role);
    } else {
        stages.sort_by_key(|stage| match stage.role() {
            Role::Retriever => (Role::Retriever, None),
            role => (role, Some(stage.step)),
        });
    }
    Ok(stages)
}

fn by_name(
    fields: &Fields<'_>,
    given: Map<String, Value>,
    unread: &mut Vec<String>,
) -> Result<Vec<RecordedStage>, Error> {
    let mut stages = Vec::new();
    for (name, value) in given {
        let place = fields.name(&format!("stages.{name}"));
        match value {
            Value::Array(items) if !is_list_of_rankings(&items) => {
                let step = step(fields.position, &place, &name, None)?;
                let hits = hit::hits(fields.position, &place, items, unread)?;
                stages.push(RecordedStage::new(&name, step, hits));
            }
            Value::Array(items) => {
                for (at, item) in items.into_iter().enumerate() {
                    let place = format!("{place}[{at}]");
                    stages.push(stage(fields.position, &place, &name, item, unread)?);
                }
            }
            Value::Null => {}
            value => stages.push(stage(fields.position, &place, &name, value, unread)?),
        }
    }
    Ok(stages)
}

/// Returns true for `[{"query", "hits"}, ...]`: several queries of one stage.
fn is_list_of_rankings(items: &[Value]) -> bool {
    let mut items = items.iter().peekable();
    items.peek().is_some()
        && items.all(|item| {
            item.as_object().is_some_and(|fields| fields.get("hits").is_some_and(Value::is_array))
        })
}

fn listed(
    fields: &Fields<'_>,
    items: Vec<Value>,
    unread: &mut Vec<String>,
) -> Result<Vec<RecordedStage>, Error> {
    let items = items.into_iter().enumerate();
    items
        .map(|(at, mut item)| {
            let place = fields.name(&format!("stages[{at}]"));
            let taken = item.as_object_mut().and_then(|given| {
                let mut names = names::NAME.iter();
                names.find_map(|name| given.shift_remove(*name))
            });
            let Some(Value::String(name)) = taken else {
                let expected = "an object with a `name` and `hits`";
                return Err(wrong(fields.position, place, expected));
            };
            stage(fields.position, &place, &name, item, unread)
        })
        .collect()
}

fn stage(
    position: &Position,
    place: &str,
    name: &str,
    value: Value,
    unread: &mut Vec<String>,
) -> Result<RecordedStage, Error> {
    const EXPECTED: &str = "a list of passages, or an object with one as `hits`";
    let Value::Object(given) = value else {
        return Err(wrong(position, place.to_owned(), EXPECTED));
    };
    let mut given = Fields::new(position, place, given);
    let role = match given.text(names::ROLE)? {
        None => None,
        Some(role) => Some(
            Role::named(&role)
                .ok_or_else(|| given.wrong("role", "`retriever`, `order` or `packed`"))?,
        ),
    };
    let step = step(position, place, name, role)?;
    let k = given.count(names::K)?;
    if k.is_some() && step != Step::Packed {
        return Err(given.wrong("k", "given for the stage `packed` only"));
    }
    if k == Some(0) {
        return Err(
            given.wrong("k", "1 or more; where nothing was packed, `hits` is an empty list")
        );
    }
    let hits = match given.take(names::HITS) {
        Some((name, Value::Array(items))) => {
            Some(hit::hits(position, &given.name(name), items, unread)?)
        }
        None if k.is_some() => None,
        _ => return Err(wrong(position, place.to_owned(), EXPECTED)),
    };
    if let (Some(k), Some(hits)) = (k, &hits)
        && k < hits.len()
    {
        return Err(given.wrong("k", "at least the number of `hits`"));
    }
    let exact_search = exact_search(&mut given, unread)?;
    let stage = RecordedStage {
        name: name.to_owned(),
        step,
        query: given.text(names::STAGE_QUERY)?,
        hits,
        seconds: given.amount(names::SECONDS)?,
        k,
        exact_search,
    };
    given.leave(unread);
    Ok(stage)
}

fn exact_search(
    fields: &mut Fields<'_>,
    unread: &mut Vec<String>,
) -> Result<Option<RecordedExactSearch>, Error> {
    let given = match fields.take(names::EXACT_SEARCH) {
        None | Some((_, Value::Null)) => return Ok(None),
        Some((_, Value::Object(given))) => given,
        Some((name, _)) => return Err(fields.wrong(name, "an object with `hits`")),
    };
    let mut given = Fields::new(fields.position, &fields.name("exact_search"), given);
    let Some((name, Value::Array(items))) = given.take(names::HITS) else {
        return Err(given.wrong("hits", "a list"));
    };
    let hits = hit::hits(fields.position, &given.name(name), items, unread)?;
    let seconds = given.amount(names::SECONDS)?.unwrap_or(0.0);
    given.leave(unread);
    Ok(Some(RecordedExactSearch { hits, seconds }))
}

fn step(position: &Position, place: &str, name: &str, role: Option<Role>) -> Result<Step, Error> {
    // `contexts` are what was packed, or what packing chose from.
    let known = step_named(name).filter(|_| name != CONTEXTS || role.is_none());
    match (known, role) {
        (Some(step), Some(role)) if Role::of(step) != role => Err(Error::at(
            position,
            format_args!(
                "stage `{name}` has the role `{}`, but its name is that of a stage with the role `{}`",
                role.name(),
                Role::of(step).name()
            ),
            "rename the stage, or leave `role` out",
        )),
        (Some(step), _) => Ok(step),
        (None, Some(Role::Retriever)) => Ok(Step::External),
        (None, Some(Role::Order)) => Ok(Step::Ordered),
        (None, Some(Role::Packed)) => Ok(Step::Packed),
        (None, None) => {
            let ours: Vec<String> = Step::ALL.iter().map(|step| format!("`{step}`")).collect();
            let hint = format!(
                "give it a `role`: `retriever`, `order` or `packed`; names that need none: {}",
                ours.join(", ")
            );
            Err(Error::at(position, format_args!("unknown stage `{place}`"), hint))
        }
    }
}

/// Rejects a stage that is recorded twice; a retriever may have several queries.
fn check_unique(position: &Position, stages: &[RecordedStage]) -> Result<(), Error> {
    for (at, stage) in stages.iter().enumerate() {
        let is_same = |other: &&RecordedStage| match stage.role() {
            Role::Retriever => false,
            Role::Order => {
                other.name == stage.name
                    || (other.step == stage.step && stage.step != Step::Ordered)
            }
            Role::Packed => other.role() == Role::Packed,
        };
        if let Some(earlier) = stages[..at].iter().find(is_same) {
            return Err(Error::at(
                position,
                format_args!("stages `{}` and `{}` are the same stage", earlier.name, stage.name),
                "record each stage once; a retriever with several queries is a list of objects with `query` and `hits`",
            ));
        }
    }
    Ok(())
}

/// Rejects stages that are listed against the order of the ladder.
fn check_order(
    position: &Position,
    stages: &[RecordedStage],
    is_checked: impl Fn(&RecordedStage) -> bool,
) -> Result<(), Error> {
    let checked: Vec<&RecordedStage> = stages.iter().filter(|stage| is_checked(stage)).collect();
    for (at, later) in checked.iter().enumerate() {
        let is_after = |earlier: &&&RecordedStage| {
            let ours = [earlier.step, later.step].iter().all(|step| *step != Step::Ordered);
            earlier.role() > later.role()
                || (earlier.role() == Role::Order
                    && later.role() == Role::Order
                    && ours
                    && earlier.step > later.step)
        };
        if let Some(earlier) = checked[..at].iter().find(is_after) {
            return Err(Error::at(
                position,
                format_args!(
                    "stage `{}` comes before `{}` in a pipeline",
                    later.name, earlier.name
                ),
                "list retrievers first, then `fused`, `reranked`, `min_score`, and `packed` last",
            ));
        }
    }
    Ok(())
}
