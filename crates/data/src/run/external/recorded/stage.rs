//! The stages of a record: the rankings of retrievers, their reorderings, and what was packed.
//!
//! Our names, which are those of a trace's steps, and common synonyms tell the role of a stage; any other name needs a
//! `role`. The stages are put in the order of a pipeline, whatever the order of the keys: retrievers, reorderings, packed.
//! The order of several reorderings is that of our names; with a name that is not ours, it is that of the record.

use ragtriage_core::types::Step;
use serde::Deserialize;

use super::line::{RecordedHit, StageLine};
use crate::error::{Error, Place};
use crate::fields::Fields;

/// The name of the stage that `contexts` are.
pub const CONTEXTS: &str = "contexts";

/// The place of a stage in a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageRole {
    /// It finds candidates.
    Retriever,
    /// It orders or selects candidates: fusion, reranking, filtering.
    Ranking,
    /// It packs passages into the prompt.
    Packed,
}

impl StageRole {
    /// Returns the role of a step of a trace.
    #[must_use]
    pub fn of(step: Step) -> Self {
        match step {
            Step::Packed => Self::Packed,
            _ if step.is_retriever() => Self::Retriever,
            _ => Self::Ranking,
        }
    }

    /// Returns the name of the role in a record.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Retriever => "retriever",
            Self::Ranking => "ranking",
            Self::Packed => "packed",
        }
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
}

impl RecordedStage {
    /// Creates a stage of `hits` alone.
    #[must_use]
    pub fn new(name: &str, step: Step, hits: Vec<RecordedHit>) -> Self {
        Self { name: name.to_owned(), step, query: None, hits: Some(hits), seconds: None, k: None }
    }

    /// Returns its role.
    #[must_use]
    pub fn role(&self) -> StageRole {
        StageRole::of(self.step)
    }
}

/// Returns the step that a stage's name means.
pub(in crate::run::external) fn step_named(name: &str) -> Option<Step> {
    let name = name.to_lowercase().replace(['-', ' '], "_");
    Step::named(&name).or_else(|| Step::named(Fields::standard().step(&name)?))
}

/// Puts the stages of a record in the order of a pipeline. `places`: of each stage in the record; a list of stages must
/// be in that order.
pub(super) fn stages(
    position: &Place,
    lines: Vec<StageLine>,
    (places, is_list): (&[String], bool),
) -> Result<Vec<RecordedStage>, Error> {
    let stages = lines.into_iter().zip(places);
    let mut stages: Vec<RecordedStage> =
        stages.map(|(line, place)| stage(position, place, line)).collect::<Result<_, _>>()?;
    if stages.iter().any(|stage| stage.name.trim().is_empty()) {
        let expected = "stages with names that are not blank";
        return Err(Error::field(position, "stages", expected));
    }
    check_unique(position, &stages)?;
    let listed: Vec<String> = stages.iter().map(|stage| stage.name.clone()).collect();
    // A name that is not ours has no place among the reorderings but that in the record.
    if stages.iter().any(|stage| stage.step == Step::Ordered) {
        stages.sort_by_key(RecordedStage::role);
    } else {
        stages.sort_by_key(|stage| match stage.role() {
            StageRole::Retriever => (StageRole::Retriever, None),
            role => (role, Some(stage.step)),
        });
    }
    let mut moved = listed.iter().zip(&stages).filter(|(name, stage)| **name != stage.name);
    if let Some((first, _)) = moved.next().filter(|_| is_list) {
        return Err(Error::in_line(
            position,
            format_args!("stage `{first}` is listed before one that comes before it in a pipeline"),
            "list retrievers first, then `fused`, `reranked`, `min_score`, and `packed` last",
        ));
    }
    Ok(stages)
}

fn stage(position: &Place, place: &str, line: StageLine) -> Result<RecordedStage, Error> {
    let StageLine { name, role, query, hits, seconds, k } = line;
    let wrong = |field: &str, expected| Err(Error::field(position, field, expected));
    let step = step(position, place, &name, role)?;
    let n_hits = hits.as_ref().map_or(0, Vec::len);
    let of_k = format!("{place}.k");
    match k {
        None if hits.is_none() => {
            wrong(place, "a list of passages, or an object with one as `hits`")
        }
        Some(_) if step != Step::Packed => wrong(&of_k, "given for the stage `packed` only"),
        Some(0) => wrong(&of_k, "1 or more; where nothing was packed, `hits` is an empty list"),
        Some(k) if k < n_hits => wrong(&of_k, "at least the number of `hits`"),
        _ => Ok(RecordedStage { name, step, query, hits, seconds, k }),
    }
}

fn step(position: &Place, place: &str, name: &str, role: Option<StageRole>) -> Result<Step, Error> {
    // `contexts` are what was packed, or what packing chose from.
    let known = step_named(name).filter(|_| name != CONTEXTS || role.is_none());
    match (known, role) {
        (Some(step), Some(role)) if StageRole::of(step) != role => Err(Error::in_line(
            position,
            format_args!(
                "stage `{name}` has the role `{}`, but its name is that of a stage with the role `{}`",
                role.name(),
                StageRole::of(step).name()
            ),
            "rename the stage, or leave `role` out",
        )),
        (Some(step), _) => Ok(step),
        (None, Some(StageRole::Retriever)) => Ok(Step::External),
        (None, Some(StageRole::Ranking)) => Ok(Step::Ordered),
        (None, Some(StageRole::Packed)) => Ok(Step::Packed),
        (None, None) => {
            let ours: Vec<String> = Step::ALL.iter().map(|step| format!("`{step}`")).collect();
            let hint = format!(
                "give it a `role`: `retriever`, `ranking` or `packed`; names that need none: {}",
                ours.join(", ")
            );
            Err(Error::in_line(position, format_args!("unknown stage `{place}`"), hint))
        }
    }
}

/// Rejects a stage that is recorded twice; a retriever may have several queries.
fn check_unique(position: &Place, stages: &[RecordedStage]) -> Result<(), Error> {
    for (at, stage) in stages.iter().enumerate() {
        let is_same = |other: &&RecordedStage| match stage.role() {
            StageRole::Retriever => false,
            StageRole::Ranking => {
                other.name == stage.name
                    || (other.step == stage.step && stage.step != Step::Ordered)
            }
            StageRole::Packed => other.role() == StageRole::Packed,
        };
        if let Some(earlier) = stages[..at].iter().find(is_same) {
            return Err(Error::in_line(
                position,
                format_args!("stages `{}` and `{}` are the same stage", earlier.name, stage.name),
                "record each stage once; a retriever with several queries is a list of objects with `query` and `hits`",
            ));
        }
    }
    Ok(())
}
