//! Finds what a command is not given: the configuration file, and the folders of runs.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::output;
use ragtriage_data::run::RunFolder;

/// Name of the configuration file that commands find by themselves.
pub const CONFIG: &str = "ragtriage.toml";
/// Folder of runs, next to that file.
pub const RUNS: &str = "ragtriage-runs";

/// Returns the configuration file: `given`, else the nearest [`CONFIG`] in this folder or above.
///
/// # Errors
/// None is given and there is none.
pub fn configuration(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let found = given.map(Path::to_owned).or_else(nearest_configuration);
    found.ok_or_else(|| {
        Failure::new(
            format!("no configuration: `{CONFIG}` is neither in this folder nor above it"),
            "`ragtriage init DIR` writes one for the documents in DIR, and `ragtriage import FILE \
             --documents DIR` needs none; another file is named as the last argument; `ragtriage \
             demo` runs on sample data",
        )
    })
}

/// Returns the nearest [`CONFIG`] in this folder or above. One above is reported: a command must not use it unnoticed.
pub fn nearest_configuration() -> Option<PathBuf> {
    nearest().inspect(|found| announce(found))
}

/// Names a configuration in use that is not in this folder.
pub fn announce(found: &Path) {
    if found != Path::new(CONFIG) {
        output::talk(&format!("configuration: {}", found.display()));
    }
}

/// Returns the default folder of runs: next to the nearest configuration, else in this folder.
pub fn runs() -> PathBuf {
    nearest().unwrap_or_default().with_file_name(RUNS)
}

/// Finds the folder of a run by its path, or by its name in [`runs`].
pub fn folder_of(run: &Path) -> RunFolder {
    let named = runs().join(run);
    RunFolder::existing(if !is_run(run) && is_run(&named) { &named } else { run })
}

/// Finds `ragtriage.toml` in this folder or the nearest one above.
pub fn nearest() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let mut folder = PathBuf::new();
    here.ancestors().find_map(|_| {
        let file = folder.join(CONFIG);
        folder.push("..");
        // A folder or a broken link of this name is an error when it is read.
        file.symlink_metadata().is_ok().then_some(file)
    })
}

fn is_run(path: &Path) -> bool {
    path.join("run.json").is_file()
}
