//! The places of fields in files of other systems: `--map`.

use clap::Args;

use crate::failure::Failure;
use ragtriage_data::Fields;

#[derive(Debug, Default, Args)]
pub struct MapArgs {
    /// Where the file has a field, as a JSON Pointer: `question=/inputs/question`.
    ///
    /// Fields of a row: `id`, `question`, `contexts`, `context_ids`, `answer`, `prompt`, `reference`, `reference_contexts`, `doc`, `source`; of a
    /// passage: `text`, `doc_id`, `start`, `end`, `title`, `score`. `*` is every item of a list.
    #[arg(long = "map", value_name = "NAME=POINTER")]
    maps: Vec<String>,
}

impl MapArgs {
    /// Returns the fields of known tools, with those that are mapped.
    pub fn fields(&self) -> Result<Fields, Failure> {
        Ok(Fields::mapped(&self.maps)?)
    }
}
