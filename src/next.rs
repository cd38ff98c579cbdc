//! The last lines of a run's first screen: where the report is, and the commands that follow from the verdict.

use std::path::Path;

use crate::overrides::OverrideArgs;
use crate::report::HTML_FILE;
use crate::run_folder::runs;
use crate::shell::shell;
use ragtriage_core::types::FailureClass;
use ragtriage_data::run::{ExternalSource, Manifest, RunFolder};
use ragtriage_eval::summary::Summary;
use ragtriage_eval::verdict::Conclusion;
use ragtriage_report::document::Fact;

/// Returns the lines.
///
/// `config` is the run's configuration file, `overrides` its flags; `None` for an imported run.
pub fn steps(
    summary: &Summary,
    run: &Manifest,
    folder: &RunFolder,
    config: &Path,
    overrides: Option<&OverrideArgs>,
) -> Vec<Fact> {
    let path = shell(folder.path());
    let mut steps = vec![
        Fact::new("report", folder.file(HTML_FILE).display().to_string()),
        Fact::new("in full", format!("ragtriage report {path} --format terminal")),
    ];
    steps.extend(
        next(summary, run, folder, config, overrides).map(|command| Fact::new("next", command)),
    );
    steps
}

fn next(
    summary: &Summary,
    run: &Manifest,
    folder: &RunFolder,
    config: &Path,
    overrides: Option<&OverrideArgs>,
) -> Option<String> {
    let path = shell(folder.path());
    let conclusion = summary.verdict.conclusion;
    match (conclusion, overrides) {
        (Conclusion::Withheld, _) if summary.losses.n_testable == 0 => {
            // Of questions with evidence, but without an answer or a recorded prompt.
            if summary.losses.n_unseen > 0 {
                let file = run.external.as_ref().map_or("FILE", |source| source.from.as_str());
                return Some(format!(
                    "record what the retriever returns, then ragtriage import {} {}",
                    shell(Path::new(file)),
                    shell(config)
                ));
            }
            if summary.classes.get(FailureClass::Failed.name()).is_some_and(|n| *n > 0) {
                return None;
            }
            return Some(format!(
                "ragtriage dataset label {} to label the evidence of some questions",
                shell(config)
            ));
        }
        (Conclusion::Retriever | Conclusion::Generator | Conclusion::Undecided, None) => {
            let lacks_oracle = !summary.verdict.counts_answers;
            let conditions = lacks_oracle.then(|| conditions(run, config)).flatten();
            let audit = (conclusion != Conclusion::Retriever).then(|| audit(&path));
            return conditions.or(audit);
        }
        (_, None) => return None,
        _ => {}
    }
    let overrides = overrides?;
    let advice = summary.what_if.advice.first();
    let settings = advice.map_or(&[][..], |advice| &advice.settings);
    let changes = settings.iter().filter_map(|setting| {
        let value = setting.value.as_ref()?;
        Some((setting.key.as_str(), value.as_str()))
    });
    let changes: Vec<(&str, &str)> = changes.collect();
    let command = format!("ragtriage run {}{}", shell(config), overrides.flags(&changes));
    if !changes.is_empty() {
        let out = folder.path().parent().filter(|out| *out != runs());
        let out = out.map_or(String::new(), |out| format!(" --out {}", shell(out)));
        return Some(format!("{command}{out}, then ragtriage compare {path} NEW_RUN"));
    }
    match conclusion {
        Conclusion::RetrievalOnly => Some(format!(
            "ragtriage run {}{} --llm ollama:NAME to evaluate a language model's answers too",
            shell(config),
            overrides.without_generator()
        )),
        Conclusion::Generator | Conclusion::Undecided => Some(audit(&path)),
        Conclusion::Withheld | Conclusion::Retriever => None,
    }
}

/// Returns the command that asks an endpoint, by default that of the settings, for the conditions that a record lacks.
fn conditions(run: &Manifest, config: &Path) -> Option<String> {
    let source = run.external.as_ref()?;
    let file = Path::new(&source.from);
    let is_record = source.kind != ExternalSource::TREC_RUN && file.exists();
    is_record.then(|| {
        let model = if run.settings.generation.calls_endpoint() { "" } else { " --llm MODEL" };
        format!(
            "ragtriage import {} {}{model} --conditions to measure what better retrieval would recover",
            shell(file),
            shell(config)
        )
    })
}

fn audit(path: &str) -> String {
    format!(
        "ragtriage report {path} --audit 50 to check a sample of correct and wrong answers by hand"
    )
}
