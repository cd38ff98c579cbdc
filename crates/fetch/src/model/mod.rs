//! Model checkpoints: found in a folder or a cache, or downloaded and verified.
//!
//! [`locate`] is for a run: it downloads only what it can verify, by the hashes of a pinned model. [`fetch`] takes any model of the
//! hub. The `hf-hub` crate is not used: its 300 dependencies bring a second provider of cryptography and QUIC, while limits,
//! resumption and the masking of keys are in `http`.

mod error;
mod fetch;
mod files;
mod hub;
mod hub_cache;
mod locations;
mod name;
mod part;
mod source;

pub use error::ModelError;
pub use fetch::{FetchedModel, fetch};
pub use locations::{HUB, Hub, ModelSource};
pub use name::HubName;
pub use source::{ModelRef, is_pinned, locate};
