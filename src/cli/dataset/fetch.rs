//! `ragxray dataset fetch`: a published data set into datasets/fetched/.

use std::path::{Path, PathBuf};

use clap::Args;

use super::super::{Failure, output};
use crate::dataset;

/// Where fetched data sets go.
const FETCHED: &str = "datasets/fetched";

#[derive(Debug, Args)]
pub struct FetchArgs {
    /// The data set: hotpotqa, squad, cisi, scifact, ...
    name: String,
    /// A folder (or file) that holds it.
    #[arg(long, value_name = "PATH")]
    from: PathBuf,
    /// Replace one that is there.
    #[arg(long)]
    force: bool,
}

pub fn fetch(args: &FetchArgs) -> Result<(), Failure> {
    let folder = dataset::copy_local(&args.name, &args.from, Path::new(FETCHED), args.force)?;
    output::talk(&format!("{} is in {}", args.name, folder.display()));
    Ok(())
}
