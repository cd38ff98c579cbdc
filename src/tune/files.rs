//! Writes the report files of a sweep and returns the report for the terminal.

use crate::failure::Failure;
use crate::output;
use ragtriage_core::metric::Cutoff;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_pipeline::settings::Resolved;
use ragtriage_pipeline::sweep::best::{Packing, best};
use ragtriage_pipeline::sweep::folder::SweepFolder;
use ragtriage_pipeline::sweep::trials::DEFAULT;
use ragtriage_pipeline::sweep::tune::SweepOutcome;
use ragtriage_report::document::Fact;
use ragtriage_report::render::{markdown, terminal};
use ragtriage_report::tuning::{SweepFindings, report as tuning_report};

/// Writes the report's files, and returns it for the terminal.
pub(super) fn report(
    outcome: &SweepOutcome,
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
    let report = tuning_report(&found, head(outcome, base, data));
    // Of an earlier sweep of the same name; this one may not write it.
    folder.remove("best.toml")?;
    folder.write("tune.json", json.as_bytes())?;
    folder.write("report.md", markdown::render(&report).as_bytes())?;
    if let Some(winner) = outcome.chosen() {
        let mut resolved = winner.resolved.clone();
        resolved.settings.generation.generator = base.settings.generation.generator;
        let k = winner.resolved.settings.retrieval.k;
        // The default is kept as it is.
        let packing = packing(outcome, &winner.name, k).filter(|_| winner.name != DEFAULT);
        let text = best(&resolved, packing, folder.path());
        folder.write("best.toml", text.as_bytes())?;
    }
    Ok(terminal::render(&report, output::screen()))
}

/// Returns the packing that fills the token budget which trials are ranked by: as many of the winner's passages as it takes on
/// average. `None` where no budget ranks them.
fn packing(outcome: &SweepOutcome, winner: &str, k: usize) -> Option<Packing> {
    let Some(Cutoff::Tokens(budget)) = outcome.plan.metric.cutoff() else {
        return None;
    };
    let row = outcome.ranking.rows.iter().find(|row| row.name == winner)?;
    let a_passage = row.context_tokens / k as f64;
    (a_passage >= 1.0)
        .then(|| Packing { k: (budget as f64 / a_passage).ceil() as usize, context_tokens: budget })
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
