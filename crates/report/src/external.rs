//! The parts of a report that differ for an imported run.

use crate::document::Fact;
use ragtriage_core::types::{ArmName, Step, Trace};
use ragtriage_runs::{ExternalSource, SavedRun};

/// Describes the external pipeline, in place of our configuration.
pub(crate) fn pipeline(source: &ExternalSource, run: &SavedRun) -> [Fact; 2] {
    [
        Fact::new("Retrieval", retrieval(source, run)),
        Fact::new("Generation", generation(source, run)),
    ]
}

fn retrieval(source: &ExternalSource, run: &SavedRun) -> String {
    let lengths: Vec<usize> = run
        .traces
        .iter()
        .filter_map(|trace| trace.step(Step::External))
        .map(|step| step.hits.len())
        .collect();
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
        "{} `{}`{hash}: {mean:.1} {what} a question on average",
        source.kind, source.from
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
    if run.traces.iter().any(has_unpacked) {
        return "prompts come from an external RAG and decide which contexts were packed: evidence in a context that is \
                not in the prompt is lost by ranking or packing, evidence in no context by retrieval; chunks that were \
                never retrieved are unknown"
            .to_owned();
    }
    "prompts come from an external RAG: everything between question and prompt is one step here, so support that did not \
     arrive is lost by retrieval, whichever part lost it; chunks that were never retrieved are unknown"
        .to_owned()
}

/// Returns true if the prompt of a question contains fewer contexts than were recorded.
fn has_unpacked(trace: &Trace) -> bool {
    trace
        .step(Step::External)
        .is_some_and(|step| trace.packed().count() < step.hits.len())
}

fn is_trec(source: &ExternalSource) -> bool {
    source.kind == ExternalSource::TREC_RUN
}
