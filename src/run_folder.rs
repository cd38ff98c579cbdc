//! Folders of finished runs: found by name, with the configuration they were run with.

use std::path::Path;

use ragtriage_pipeline::settings::Settings;
use ragtriage_runs::{Manifest, RunFolder};

use crate::failure::Failure;

/// Where runs go without `--out`.
pub const DEFAULT_OUT: &str = "evals/runs";

/// Finds the folder of a run by its path, or by its name under [`DEFAULT_OUT`].
pub fn folder_of(run: &Path) -> RunFolder {
    let named = Path::new(DEFAULT_OUT).join(run);
    RunFolder::existing(if !is_run(run) && is_run(&named) {
        &named
    } else {
        run
    })
}

/// Reads the configuration that a run's manifest holds.
pub fn recorded_settings(manifest: &Manifest) -> Result<Settings, Failure> {
    serde_json::from_value(manifest.settings.clone()).map_err(|error| {
        let message = format!("run.json holds settings this version does not know: {error}");
        Failure::new(message, Some("run it again with this version".to_owned()))
    })
}

fn is_run(path: &Path) -> bool {
    path.join("run.json").is_file()
}
