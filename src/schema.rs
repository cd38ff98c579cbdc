//! `ragtriage schema`: JSON Schemas of files that other programs write or read.

use clap::{Args, ValueEnum};
use schemars::generate::{Contract, SchemaSettings};
use schemars::{JsonSchema, Schema};

use crate::failure::Failure;
use crate::output;
use ragtriage_core::types::Trace;
use ragtriage_eval::summary::Summary;
use ragtriage_pipeline::settings::Settings;

/// Folder of the addresses that identify the schemas.
const FOLDER: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/schema");

#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// File to describe.
    #[arg(value_enum)]
    pub file: File,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum File {
    /// A line of `traces.jsonl` in a run folder.
    Trace,
    /// `summary.json` in a run folder.
    Summary,
    /// A configuration file.
    Config,
}

impl File {
    fn schema(self) -> Schema {
        match self {
            Self::Trace => of::<Trace>("trace", Contract::Serialize),
            Self::Summary => of::<Summary>("summary", Contract::Serialize),
            Self::Config => of::<Settings>("config", Contract::Deserialize),
        }
    }
}

/// Prints the schema of a file.
pub fn schema(file: File) -> Result<(), Failure> {
    output::data(&output::json(&file.schema(), "the schema")?)
}

/// Returns the schema of the file `name`, whose content is a `T` as ragtriage reads or writes it.
fn of<T: JsonSchema>(name: &str, contract: Contract) -> Schema {
    let mut settings = SchemaSettings::draft2020_12();
    settings.contract = contract;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("$id".to_owned(), format!("{FOLDER}/{name}.json").into());
    schema.insert("title".to_owned(), format!("ragtriage {name}").into());
    schema
}
