//! The first screen of a run, which is the head of its report in every format.

use super::{correct, flow, language, metrics, notices, title, what_if};
use crate::document::{Element, Report};
use ragtriage_core::config::GeneratorName;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::text::sanitize::shortened;
use ragtriage_data::run::SavedRun;
use ragtriage_eval::summary::{Evaluation, Summary};

/// Columns of the screen.
pub const COLUMNS: usize = 100;
/// Lines of the screen; warnings may take more.
const LINES: usize = 25;
/// Most characters of a model's name.
const MODEL: usize = 36;

/// Lays out the first screen with `ends`, the commands that follow, as its last lines. Leaves out the scores, and then what
/// other changes would bring, where `LINES` lines do not hold them when `render` lays the text out.
#[must_use]
pub fn screen(
    run: &SavedRun,
    evaluation: &Evaluation,
    ends: &Report,
    render: impl Fn(&Report) -> String,
) -> String {
    let mut text = String::new();
    for details in [2, 1, 0] {
        let mut report = head(run, &evaluation.summary, details);
        report.append(ends.clone());
        text = render(&report);
        if text.lines().count() <= LINES {
            break;
        }
    }
    text
}

/// Lays out what was run, what limits the verdict, the verdict, the losses, what to try and the scores.
pub(super) fn head(run: &SavedRun, summary: &Summary, details: u8) -> Report {
    let mut head = Report::new(title(run));
    head.elements.push(Element::Paragraph(what_was_run(run)));
    head.notices(language::unknown(&run.manifest.settings.dataset));
    head.notices(notices::decisive(run, summary));
    head.warnings(&summary.verdict.cautions);
    head.heading(&summary.verdict.answer);
    head.elements.push(Element::Verdict(summary.verdict.reasons.clone()));
    head.elements.push(Element::Flow(flow::flow(run, summary)));
    let mut facts = what_if::changes(run, summary, details > 0);
    if details > 1 {
        facts.extend(metrics::scores(run, summary));
    }
    facts.extend(correct(summary));
    head.facts(facts);
    head
}

/// Describes the run: questions, documents, retrieval, model.
fn what_was_run(run: &SavedRun) -> String {
    let manifest = &run.manifest;
    let retrieval = &manifest.settings.retrieval;
    let mut parts = vec![plural(run.traces.len(), "question", "questions")];
    if manifest.n_documents > 0 {
        parts.push(plural(manifest.n_documents, "document", "documents"));
    }
    if let Some(source) = &manifest.external {
        parts.push(format!("{} `{}`", source.kind, source.from));
    } else {
        let names = retrieval.retrievers.iter().map(|name| name.name());
        parts.push(names.collect::<Vec<_>>().join(" + "));
        parts.extend(manifest.settings.rerank.model.as_ref().map(|_| "reranker".to_owned()));
        parts.push(format!("k = {}", retrieval.k));
    }
    let model = manifest.models.iter().find(|model| model.role == "generator");
    parts.extend(model.map(|model| format!("model {}", shortened(&model.name, MODEL))));
    let is_silent = manifest.settings.generation.generator == GeneratorName::None;
    parts.extend((is_silent && !manifest.is_external()).then(|| "no generator".to_owned()));
    parts.extend(language::language(&manifest.settings.dataset).map(|fact| fact.to_string()));
    parts.join(", ")
}
