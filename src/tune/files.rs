//! Writes the report files of a sweep and returns the report for the terminal.

use std::path::Path;

use crate::failure::Failure;
use crate::output;
use crate::overrides::SetArgs;
use crate::shell::{Command, shell};
use ragtriage_core::config::GeneratorName;
use ragtriage_core::metric::Cutoff;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_pipeline::settings::Resolved;
use ragtriage_pipeline::sweep::folder::SweepFolder;
use ragtriage_pipeline::sweep::trials::DEFAULT;
use ragtriage_pipeline::sweep::tune::SweepOutcome;
use ragtriage_report::document::{Element, Fact};
use ragtriage_report::render::{markdown, terminal};
use ragtriage_report::tuning::{SweepFindings, report as tuning_report};

/// Writes the report's files, and returns it for the terminal.
pub(super) fn report(
    outcome: &SweepOutcome,
    (config, sets): (&Path, &SetArgs),
    base: &Resolved,
    data: (usize, &str),
    folder: &SweepFolder,
    json: &str,
) -> Result<String, Failure> {
    let found = SweepFindings {
        plan: &outcome.plan,
        default: DEFAULT,
        ranking: &outcome.ranking,
        confirmation: outcome.confirmation.as_ref(),
        verdict: &outcome.verdict,
    };
    let mut report = tuning_report(&found, head(outcome, base, data));
    if let Some(command) = command(outcome, (config, sets), base) {
        let to_try = "run what is claimed to be better, then compare it with your run:";
        report.facts(vec![Fact::new("next", to_try)]);
        report.elements.push(Element::Lines(command.lines()));
    }
    folder.write("tune.json", json.as_bytes())?;
    folder.write("report.md", markdown::render(&report).as_bytes())?;
    Ok(terminal::render(&report, output::screen()))
}

/// Returns the command that runs the trial which is claimed to be better. Where trials are ranked by a token budget, it packs as many of
/// the trial's passages as fill it on average.
fn command(
    outcome: &SweepOutcome,
    (config, sets): (&Path, &SetArgs),
    base: &Resolved,
) -> Option<Command> {
    let winner = outcome.chosen().filter(|trial| trial.name != DEFAULT)?;
    let default = &outcome.trials.first()?.values;
    let mut changes = winner.values.clone();
    changes.retain(|key, value| default.get(key) != Some(value));
    let retrieval = &winner.resolved.settings.retrieval;
    let row = outcome.ranking.rows.iter().find(|row| row.name == winner.name)?;
    let passage = row.context_tokens / retrieval.k as f64;
    if let Some(Cutoff::Tokens(budget)) = outcome.plan.metric.cutoff().filter(|_| passage >= 1.0) {
        let k = (budget as f64 / passage).ceil() as usize;
        let candidates = retrieval.candidates.max(k);
        changes.insert("generation.context_tokens".to_owned(), budget.to_string());
        changes.insert("retrieval.candidates".to_owned(), candidates.to_string());
        changes.insert("retrieval.k".to_owned(), k.to_string());
    }
    // Responses are recorded for the prompts of other settings.
    if base.settings.generation.generator == GeneratorName::Recorded {
        changes.insert("generation.generator".to_owned(), "\"none\"".to_owned());
    }
    let changes: Vec<_> = changes.iter().map(|(key, value)| (&**key, &**value)).collect();
    let run = Command::new(&format!("run {}", shell(config)));
    Some(run.flags(sets.flags(&changes)).flags(["--name best".to_owned()]))
}

/// The facts that only the command knows.
fn head(
    outcome: &SweepOutcome,
    base: &Resolved,
    (n_documents, digest): (usize, &str),
) -> Vec<Fact> {
    let settings = &base.settings;
    let data = format!(
        "{}: {}, digest {}",
        settings.dataset.label(),
        plural(n_documents, "document", "documents"),
        &digest[..digest.len().min(12)]
    );
    let questions = match outcome.n_held_out {
        Some(n) => format!(
            "{} to choose, {} held out to confirm",
            thousands(outcome.n_choosing),
            thousands(n)
        ),
        None => format!("{}, none held out", thousands(outcome.n_choosing)),
    };
    let n = outcome.trials.len();
    let reused = match outcome.n_reused {
        0 => String::new(),
        n => format!("; {} finished before", thousands(n)),
    };
    let trials = format!("{}: every combination, and the default{reused}", thousands(n));
    vec![Fact::new("Data", data), Fact::new("Questions", questions), Fact::new("Trials", trials)]
}
