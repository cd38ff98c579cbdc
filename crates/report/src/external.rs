//! The parts of a report that differ for an imported run.

use crate::document::{Fact, Notice};
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::ContextUse;
use ragtriage_data::run::{ExternalSource, ModelRecord, SavedRun};

/// Describes the external pipeline, in place of our configuration.
pub(crate) fn pipeline(source: &ExternalSource) -> Fact {
    let hash = source.sha256.get(..12).map_or(String::new(), |hash| format!(" (sha256 {hash}…)"));
    Fact::new("External RAG", format!("{} `{}`{hash}", source.kind, source.from))
}

/// Explains the failure classes of an imported run.
pub(crate) fn notice(source: &ExternalSource) -> &'static str {
    if source.kind == ExternalSource::TREC_RUN {
        return "rankings come from a TREC run, whole documents, without a prompt: the first k count as packed; \
                evidence below them is lost by ranking, missing evidence by retrieval";
    }
    "prompts come from an external RAG: a stage is named only where the results show that it lost the evidence; chunks that were never \
     recorded are unknown"
}

/// Returns the generator that answered the conditions of a record.
fn conditions_by(run: &SavedRun) -> Option<&str> {
    let mut models = run.manifest.models.iter();
    let model = models.find(|model| model.role == ModelRecord::CONDITIONS)?;
    Some(&model.name)
}

/// Explains who answered the conditions of an imported run, where the loss budget depends on it.
pub(crate) fn conditions_notice(run: &SavedRun) -> Option<Notice> {
    let (text, hint) = if let Some(name) = conditions_by(run) {
        (
            format!(
                "the conditions were answered by `{name}`, with the prompt template of the settings; the imported answers are those \
                 of its own generator: any difference between the two is part of the loss budget"
            ),
            "use the generator, the parameters and the prompt of the recorded pipeline for its conditions",
        )
    } else if !run.manifest.settings.external.answers_contexts {
        return None;
    } else {
        match run.context_use() {
            ContextUse::Read { .. } => return None,
            ContextUse::Ignored { n } => (
                format!(
                    "the service ignores the contexts that it is sent: none of {n} answers over gold passages with a made-up answer \
                     repeats that answer. Its answers under conditions are left out, so the losses to `misread` and `ignored_context` are unknown"
                ),
                "answer from the contexts of the request alone where it has any, or remove `external.answers_contexts`",
            ),
            ContextUse::Unknown { n } => (
                format!(
                    "it is unknown whether the service reads the contexts that it is sent: {} of at least five, and no answer that \
                     repeats a made-up one",
                    plural(n, "test", "tests")
                ),
                "tests need questions whose gold answer or key fact occurs in their evidence",
            ),
        }
    };
    Some(Notice::warning(text).with_hint(hint))
}
