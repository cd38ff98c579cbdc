//! `ragtriage dataset fetch`: a published data set into datasets/fetched/.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::bars::ProgressBars;
use crate::failure::Failure;
use crate::output;
use crate::runtime::block_on;
use ragtriage_clients::fetch::Download;
use ragtriage_clients::fetch::dataset::Fetched;
use ragtriage_pipeline::progress::Progress;

/// Folder of fetched data sets.
const FETCHED: &str = "datasets/fetched";

#[derive(Debug, Args)]
pub struct FetchArgs {
    /// Data set: hotpotqa, squad, squad2, scifact, cisi, or xquad with --from.
    name: String,
    /// Copy from this folder or file instead of downloading.
    #[arg(long, value_name = "PATH")]
    from: Option<PathBuf>,
    /// Replace an existing data set.
    #[arg(long)]
    force: bool,
}

pub fn fetch(args: &FetchArgs) -> Result<(), Failure> {
    let FetchArgs { name, from, force } = args;
    let root = Path::new(FETCHED);
    if let Some(from) = from {
        let folder = ragtriage_clients::fetch::dataset::copy_local(name, from, root, *force)?;
        output::talk(&format!("{name} is in {}", folder.display()));
        return Ok(());
    }
    let bars = ProgressBars::new();
    let on_download = |download: Download<'_>| bars.download(download);
    let fetched = block_on(async {
        Ok(ragtriage_clients::fetch::dataset::fetch(name, root, *force, &on_download).await?)
    });
    bars.finish();
    let Fetched { folder, licence } = fetched?;
    output::talk(&format!("{name} is in {} (licence: {licence})", folder.display()));
    Ok(())
}
