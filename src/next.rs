//! The last lines of a run's first screen: where the report is, and the commands that follow from the verdict.

use std::path::Path;

use crate::overrides::OverrideArgs;
use crate::report::HTML_FILE;
use crate::run_folder::runs;
use crate::shell::{Command, shell};
use ragtriage_core::config::GeneratorName;
use ragtriage_core::types::FailureClass;
use ragtriage_data::run::{ExternalSource, Manifest, RunFolder};
use ragtriage_eval::summary::Summary;
use ragtriage_eval::verdict::Conclusion;
use ragtriage_eval::what_if::Setting;
use ragtriage_report::document::{Element, Fact, Report};

/// What to do next, with the commands for it.
struct Next {
    what: &'static str,
    commands: Vec<Command>,
}

/// Returns the lines.
///
/// `config` is the run's configuration file, `overrides` its flags; `None` for an imported run.
pub fn steps(
    summary: &Summary,
    run: &Manifest,
    folder: &RunFolder,
    config: &Path,
    overrides: Option<&OverrideArgs>,
) -> Report {
    let file = folder.file(HTML_FILE).display().to_string();
    let mut facts = vec![Fact::new("report", file)];
    let next = next(summary, run, folder, config, overrides);
    facts.extend(next.as_ref().map(|next| Fact::new("next", next.what)));
    let mut report = Report::default();
    report.facts(facts);
    let commands = next.map_or_else(Vec::new, |next| next.commands);
    let lines = commands.iter().flat_map(Command::lines);
    report.elements.push(Element::Lines(lines.map(|line| format!("  {line}")).collect()));
    report
}

fn next(
    summary: &Summary,
    run: &Manifest,
    folder: &RunFolder,
    config: &Path,
    overrides: Option<&OverrideArgs>,
) -> Option<Next> {
    let path = shell(folder.path());
    let conclusion = summary.verdict.conclusion;
    let losses = &summary.losses;
    let failed = summary.classes.get(FailureClass::Failed.name());
    match (conclusion, overrides) {
        // What is wrong with the calls is no matter of labels.
        (Conclusion::Withheld, _) if failed.is_some_and(|n| *n > 0) => return None,
        (_, None) if losses.n_unseen > losses.n_testable => {
            let what = "record the passages that each prompt held, and import again";
            return Some(Next { what, commands: Vec::new() });
        }
        (Conclusion::Withheld, _) if losses.n_testable == 0 => {
            let commands = vec![Command::new(&format!("dataset label {}", shell(config)))];
            return Some(Next { what: "label the evidence of some questions", commands });
        }
        // The gold passages lack what the answers need.
        (Conclusion::Withheld, _) if summary.verdict.counts_answers => {
            let label = Command::new(&format!("dataset label {} --run {path}", shell(config)));
            return Some(Next { what: "judge the doubtful labels:", commands: vec![label] });
        }
        (Conclusion::Retrieval | Conclusion::Generator | Conclusion::Undecided, None) => {
            let lacks_oracle = !summary.verdict.counts_answers;
            let conditions = lacks_oracle.then(|| conditions(run, config)).flatten();
            let audit = (conclusion != Conclusion::Retrieval).then(|| audit(&path));
            return conditions.or(audit);
        }
        (_, None) => return None,
        _ => {}
    }
    let overrides = overrides?;
    let advice = summary.what_if.advice.first();
    let settings = advice.map_or(&[][..], |advice| &advice.settings);
    let changes: Vec<(&str, &str)> = settings
        .iter()
        .filter_map(|Setting { key, value }| Some((key.as_str(), value.as_deref()?)))
        .collect();
    // A setting without a value is removed, which no flag does.
    if !changes.is_empty() && changes.len() == settings.len() {
        let limit = run.settings.dataset.limit;
        let parent = folder.path().parent().unwrap_or(Path::new(""));
        let name = unused(parent, &changes);
        let out = Some(parent).filter(|out| *out != runs());
        let compare = format!("compare {path} {}", shell(&parent.join(&name)));
        let run = Command::new(&format!("run {}", shell(config)))
            .flags(overrides.flags(&changes))
            .flags(limit.map(|limit| format!("--limit {limit}")))
            .flags([format!("--name {name}")])
            .flags(out.map(|out| format!("--out {}", shell(out))));
        return Some(Next {
            what: "run what the screen says to try, and compare:",
            commands: vec![run, Command::new(&compare)],
        });
    }
    match conclusion {
        Conclusion::RetrievalOnly => Some(Next {
            what: if run.settings.generation.generator == GeneratorName::None {
                "name a language model with `--llm`, to judge its answers too"
            } else {
                "add gold answers to the questions, to judge the answers too"
            },
            commands: Vec::new(),
        }),
        Conclusion::Generator | Conclusion::Undecided => Some(audit(&path)),
        Conclusion::Withheld | Conclusion::Retrieval => None,
    }
}

/// Returns a name for the run with `changes`, such as `k10`, that no run in `parent` has.
fn unused(parent: &Path, changes: &[(&str, &str)]) -> String {
    let each = changes.iter().map(|(key, value)| {
        let key = key.rsplit('.').next().unwrap_or(key);
        let value = value.chars().filter(char::is_ascii_alphanumeric);
        format!("{key}{}", value.collect::<String>())
    });
    let name = each.collect::<Vec<_>>().join("-");
    let others = (2..).map(|at| format!("{name}-{at}"));
    let mut names = std::iter::once(name.clone()).chain(others);
    names.find(|name| !parent.join(name).exists()).unwrap_or_default()
}

/// Returns the command that asks the endpoint of the settings for the conditions that the results lack.
fn conditions(run: &Manifest, config: &Path) -> Option<Next> {
    let source = run.external.as_ref()?;
    let file = Path::new(&source.from);
    let is_results_file = source.kind != ExternalSource::TREC_RUN && file.exists();
    let command = Command::new(&format!("import {} {}", shell(file), shell(config)));
    let mut command = command.flags(["--conditions".to_owned()]);
    let mut what = "ask the model of [generation] with complete evidence";
    if !run.settings.generation.calls_endpoint() {
        what = "ask your model (or `openai:NAME`, `URL#NAME`) with complete evidence:";
        command = command.flags(["--llm ollama:llama3.2".to_owned()]);
    }
    is_results_file.then(|| Next { what, commands: vec![command] })
}

fn audit(path: &str) -> Next {
    let commands = vec![Command::new(&format!("report {path}")).flags(["--audit 50".to_owned()])];
    Next { what: "check a sample of correct and wrong answers by hand", commands }
}
