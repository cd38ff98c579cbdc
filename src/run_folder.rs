//! Finds the folders of finished runs by name.

use std::path::Path;

use ragtriage_data::run::RunFolder;

/// Default folder of runs.
pub const DEFAULT_OUT: &str = "evals/runs";

/// Finds the folder of a run by its path, or by its name under [`DEFAULT_OUT`].
pub fn folder_of(run: &Path) -> RunFolder {
    let named = Path::new(DEFAULT_OUT).join(run);
    RunFolder::existing(if !is_run(run) && is_run(&named) { &named } else { run })
}

fn is_run(path: &Path) -> bool {
    path.join("run.json").is_file()
}
