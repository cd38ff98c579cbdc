//! Everything that is read of the process's environment.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bars::ProgressBars;
use crate::failure::Failure;
use crate::output;
use ragtriage_clients::fetch::Download;
use ragtriage_clients::fetch::model::{HUB, Hub};
use ragtriage_clients::http::Secret;
use ragtriage_core::notices::Notices;
use ragtriage_pipeline::progress::Progress;
use ragtriage_pipeline::settings::Resolved;
use ragtriage_pipeline::settings::assemble::{self, Assembled, Environment};
use ragtriage_pipeline::settings::cache_folder::ScratchFolder;

/// Reads the environment of a run. `no_cache`: vectors and responses are not cached, and collections are in a temporary
/// folder.
pub fn environment(resolved: &Resolved, offline: bool, no_cache: bool) -> Environment {
    let configured = resolved.settings.cache.dir.as_ref().map(|dir| resolved.base().join(dir));
    let cache = configured.or_else(user_cache);
    if cache.is_none() && !no_cache {
        output::talk("nothing is cached: neither XDG_CACHE_HOME nor HOME is set, nor `cache.dir`");
    }
    let scratch = (no_cache || cache.is_none()).then(|| ScratchFolder::new(&scratch_parent()));
    // Without a cache folder, fetched models go to the scratch folder.
    let cache_dir = cache.or_else(|| Some(scratch.as_ref()?.path().to_owned()));
    Environment {
        cache_dir: cache_dir.unwrap_or_default(),
        hub: hub(),
        offline,
        scratch,
        variable,
        notices: Notices::new(output::talk),
    }
}

/// Assembles the parts of a run; `bars` show what is downloaded.
pub async fn assembled(
    resolved: &Resolved,
    environment: &Environment,
    bars: &ProgressBars,
) -> Result<Assembled, Failure> {
    let on_download = |download: Download<'_>| bars.download(download);
    let assembled = assemble::assemble(resolved, environment, &on_download).await;
    bars.finish();
    Ok(assembled?)
}

/// The hub as `huggingface_hub` finds it: `HF_ENDPOINT`, `HF_TOKEN`, and the cache `HF_HUB_CACHE`, else `hub` in `HF_HOME`, else
/// `huggingface/hub` in the user's cache folder.
fn hub() -> Hub {
    let url = variable("HF_ENDPOINT").unwrap_or_else(|| HUB.to_owned());
    let home = || Some(PathBuf::from(variable("HF_HOME")?).join("hub"));
    let shared = || Some(cache_home()?.join("huggingface/hub"));
    Hub {
        url: url.trim_end_matches('/').to_owned(),
        key: variable("HF_TOKEN").map(Secret::new),
        cache: variable("HF_HUB_CACHE").map(PathBuf::from).or_else(home).or_else(shared),
    }
}

/// Returns the folder of the folders of runs without a cache.
pub fn scratch_parent() -> PathBuf {
    std::env::temp_dir()
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// `$RAGTRIAGE_CACHE`, else `ragtriage` in the user's cache folder (XDG Base Directory Specification).
fn user_cache() -> Option<PathBuf> {
    variable("RAGTRIAGE_CACHE").map(PathBuf::from).or_else(|| Some(cache_home()?.join("ragtriage")))
}

/// The user's cache folder.
fn cache_home() -> Option<PathBuf> {
    let xdg = variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    xdg.or_else(|| Some(Path::new(&variable("HOME")?).join(".cache")))
}

/// The commit of the working directory's repository, `-dirty` behind it when it has changes; `None` without git.
pub fn git_commit() -> Option<String> {
    let output = Command::new("git")
        .args(["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"])
        .output()
        .ok()?;
    let commit = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !commit.is_empty()).then_some(commit)
}
