//! The parts of a report that differ for an imported run.

use crate::document::Fact;
use ragtriage_core::text::numbers::listed;
use ragtriage_core::types::{ArmName, Trace};
use ragtriage_runs::{ExternalSource, SavedRun};

/// Describes the external pipeline, in place of our configuration.
pub(crate) fn pipeline(source: &ExternalSource, run: &SavedRun) -> [Fact; 2] {
    [
        Fact::new("Retrieval", retrieval(source, run)),
        Fact::new("Generation", generation(source, run)),
    ]
}

fn retrieval(source: &ExternalSource, run: &SavedRun) -> String {
    let lengths = run.traces.iter().filter_map(Trace::final_ranking);
    let lengths: Vec<usize> = lengths.map(|step| step.hits.len()).collect();
    let mean = lengths.iter().sum::<usize>() as f64 / lengths.len().max(1) as f64;
    let what = if is_trec(source) {
        "documents"
    } else {
        "contexts"
    };
    let hash = source
        .sha256
        .get(..12)
        .map_or(String::new(), |hash| format!(" (sha256 {hash}…)"));
    format!(
        "{} `{}`{hash}: {}{mean:.1} {what} a question on average",
        source.kind,
        source.from,
        stages(run)
    )
}

fn generation(source: &ExternalSource, run: &SavedRun) -> String {
    if run
        .traces
        .iter()
        .any(|trace| trace.attempt(ArmName::Retrieved).is_some())
    {
        format!("{} `{}`", source.kind, source.from)
    } else {
        "none recorded: retrieval alone".to_owned()
    }
}

/// Explains the failure classes of an imported run.
pub(crate) fn notice(source: &ExternalSource, run: &SavedRun) -> String {
    if is_trec(source) {
        return "rankings come from a TREC run, whole documents, without a prompt: the first k count as packed; \
                evidence below them is lost by ranking, missing evidence by retrieval"
            .to_owned();
    }
    let stages = recorded_stages(run);
    let known = match &stages[..] {
        [] => "no stage is recorded".to_owned(),
        [one] => format!("the stage `{one}` is recorded"),
        _ => format!("the stages {} are recorded", named(&stages)),
    };
    format!(
        "prompts come from an external RAG: {known}, and a stage is named only where the record shows that it lost the \
         evidence; chunks that were never recorded are unknown"
    )
}

/// Returns the names of the recorded stages, in order.
fn recorded_stages(run: &SavedRun) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for step in run.traces.iter().flat_map(|trace| &trace.steps) {
        if !names.contains(&step.label()) {
            names.push(step.label());
        }
    }
    names
}

fn named(stages: &[&str]) -> String {
    let names: Vec<String> = stages.iter().map(|name| format!("`{name}`")).collect();
    listed(&names)
}

/// Lists the stages of a record that has more than one list of contexts.
fn stages(run: &SavedRun) -> String {
    match &recorded_stages(run)[..] {
        [] | [_] => String::new(),
        stages => format!("{}; ", named(stages)),
    }
}

fn is_trec(source: &ExternalSource) -> bool {
    source.kind == ExternalSource::TREC_RUN
}
