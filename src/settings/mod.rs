//! Floor 7, settings: a TOML file and `--set` flags to typed settings ([`mod@file`]), with the origin of each
//! ([`resolve`]), to wired parts ([`assemble`]).

pub mod assemble;
pub mod cache_folder;
pub mod file;
pub mod record;
pub mod reproduction;
pub mod resolve;
pub mod starter;

mod error;
mod retrieval;
mod tuning;

pub use error::SettingsError;
pub use file::Settings;
pub use resolve::Resolved;
