//! Settings: a TOML file and `--set` flags are resolved to typed settings ([`resolve`]) and assembled to components ([`assemble`]).

pub mod assemble;
pub mod cache_folder;
pub mod record;
pub mod resolve;

pub use ragtriage_core::config::Settings;
pub use resolve::Resolved;
