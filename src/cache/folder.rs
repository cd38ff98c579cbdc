//! The cache folder of a configuration.

use std::path::{Path, PathBuf};

use crate::environment::environment;
use crate::failure::Failure;
use ragtriage_pipeline::settings::Resolved;

/// Returns the cache folder that `config` or the user's environment names.
pub fn cache_folder(config: Option<&Path>) -> Result<PathBuf, Failure> {
    let resolved = Resolved::new(config, &[])?;
    Ok(environment(&resolved, true, false)?.cache_dir)
}
