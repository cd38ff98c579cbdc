//! The last lines of a run's first screen: where the report is, and the commands that follow from the verdict.

use std::path::Path;

use crate::page;
use crate::shell::shell;
use ragtriage_eval::summary::Summary;
use ragtriage_eval::verdict::Conclusion;
use ragtriage_report::document::Fact;
use ragtriage_runs::{ExternalSource, Manifest, RunFolder};

/// Returns the lines.
///
/// `config` is the run's configuration file, `flags` its overrides; `None` for an imported run.
pub fn steps(
    summary: &Summary,
    run: &Manifest,
    folder: &RunFolder,
    config: &Path,
    flags: Option<&str>,
) -> Vec<Fact> {
    let path = shell(folder.path());
    let mut steps = vec![
        Fact::new("report", folder.file(page::FILE).display().to_string()),
        Fact::new(
            "in full",
            format!("ragtriage report {path} --format terminal"),
        ),
    ];
    steps.extend(
        next(summary, run, folder, config, flags).map(|command| Fact::new("next", command)),
    );
    steps
}

fn next(
    summary: &Summary,
    run: &Manifest,
    folder: &RunFolder,
    config: &Path,
    flags: Option<&str>,
) -> Option<String> {
    let path = shell(folder.path());
    let conclusion = summary.verdict.conclusion;
    match (conclusion, flags) {
        (Conclusion::Withheld, _) if summary.waterfall_n == 0 => {
            return Some(format!(
                "ragtriage dataset label {}: mark the evidence of some questions",
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
    let command = format!(
        "ragtriage run {}{}",
        shell(config),
        flags.unwrap_or_default()
    );
    let advice = summary.what_if.advice.first();
    let settings = advice.map_or(&[][..], |advice| &advice.settings);
    let sets = settings.iter().filter_map(|setting| {
        let value = setting.value.as_ref()?;
        Some(format!(" --set '{}={value}'", setting.key))
    });
    let sets: String = sets.collect();
    if !sets.is_empty() {
        return Some(format!(
            "{command}{sets}, then ragtriage compare {path} NEW_RUN"
        ));
    }
    match conclusion {
        Conclusion::RetrievalOnly => Some(format!(
            "{command} --llm ollama:NAME: evaluate a language model's answers too"
        )),
        Conclusion::Generator | Conclusion::Undecided => Some(audit(&path)),
        Conclusion::Withheld | Conclusion::Retriever | Conclusion::NothingLost => None,
    }
}

/// Returns the command that asks the endpoint of the settings for the conditions that a record lacks.
fn conditions(run: &Manifest, config: &Path) -> Option<String> {
    let source = run.external.as_ref()?;
    let file = Path::new(&source.from);
    let is_record = source.kind != ExternalSource::TREC_RUN && file.exists();
    (is_record && run.settings.generation.calls_endpoint()).then(|| {
        format!(
            "ragtriage import {} --config {} --conditions: see what better retrieval would win back",
            shell(file),
            shell(config)
        )
    })
}

fn audit(path: &str) -> String {
    format!("ragtriage report {path} --audit 50: check the rule's decisions by hand")
}
