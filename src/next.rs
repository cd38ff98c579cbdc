//! The last lines of a run's first screen: where the report is, and the commands that follow from the verdict.

use std::path::Path;

use crate::page;
use ragtriage_eval::summary::Summary;
use ragtriage_eval::verdict::Conclusion;
use ragtriage_report::document::Fact;
use ragtriage_runs::RunFolder;

/// Returns the lines.
pub fn steps(summary: &Summary, folder: &RunFolder, config: &Path) -> Vec<Fact> {
    let path = folder.path().display();
    let mut steps = vec![
        Fact::new("report", folder.file(page::FILE).display().to_string()),
        Fact::new(
            "in full",
            format!("ragtriage report {path} --format terminal"),
        ),
    ];
    steps.extend(next(summary, folder, config).map(|command| Fact::new("next", command)));
    steps
}

fn next(summary: &Summary, folder: &RunFolder, config: &Path) -> Option<String> {
    let config = config.display();
    if let Some(advice) = summary.what_if.advice.first()
        && advice
            .settings
            .iter()
            .any(|setting| setting.value.is_some())
    {
        let sets = advice.settings.iter().filter_map(|setting| {
            let value = setting.value.as_ref()?;
            Some(format!(" --set '{}={value}'", setting.key))
        });
        let sets: String = sets.collect();
        return Some(format!(
            "ragtriage run {config}{sets}, then ragtriage compare {} NEW_RUN",
            folder.path().display()
        ));
    }
    match summary.verdict.conclusion {
        Conclusion::Withheld => Some(format!(
            "ragtriage dataset label {config}: mark the evidence of some questions"
        )),
        Conclusion::RetrievalOnly => Some(format!(
            "ragtriage run {config} --set generation.generator=openai --set generation.base_url=URL --set \
             generation.model=NAME: judge a language model's answers too"
        )),
        Conclusion::Generator | Conclusion::Undecided => Some(format!(
            "ragtriage report {} --audit 50: check the rule's decisions by hand",
            folder.name()
        )),
        Conclusion::Retriever | Conclusion::NothingLost => None,
    }
}
