//! `ragtriage demo`: runs the built-in runbooks with BM25 and recorded answers.

use std::path::PathBuf;

use clap::Args;
use flate2::read::GzDecoder;
use tar::Archive;

use crate::failure::Failure;
use crate::output;
use crate::run::{self, RunArgs};
use crate::run_folder::{CONFIG, RUNS};
use ragtriage_data::run::SHARED;

/// Documents, questions and responses, packed by the build script.
const RUNBOOKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runbooks.tar.gz"));
const SETTINGS: &str = "\
# The runbooks of a fictional online shop: BM25, answered by recorded responses of a language model.

[dataset]
format = \"files\"
path = \"runbooks\"

[retrieval]
retrievers = [\"bm25\"]

[generation]
generator = \"recorded\"
responses = \"runbooks/responses.jsonl\"
";

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Folder to create for data, configuration and run.
    #[arg(default_value = "ragtriage-demo")]
    dir: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// The folder exists or cannot be written.
pub fn demo(args: DemoArgs) -> Result<(), Failure> {
    let folder = args.dir;
    let config = folder.join(CONFIG);
    std::fs::create_dir(&folder).map_err(|error| {
        let hint = "delete it, or name a new one: `ragtriage demo DIR`";
        Failure::new(format!("cannot create `{}`: {error}", folder.display()), hint)
    })?;
    output::file(&config, SHARED, SETTINGS.as_bytes())?;
    Archive::new(GzDecoder::new(RUNBOOKS)).unpack(&folder).map_err(|error| {
        // Part of a data set is of no use.
        drop(std::fs::remove_dir_all(&folder));
        Failure::new(
            format!("cannot write into `{}`: {error}", folder.display()),
            "check the free space, or name a folder elsewhere",
        )
    })?;
    run::run(RunArgs {
        config: Some(config),
        name: Some("demo".to_owned()),
        out: folder.join(RUNS),
        ..RunArgs::default()
    })
}
