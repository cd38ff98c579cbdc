//! Model checkpoints: found in a folder or a cache, or downloaded, verified and locked.
//!
//! [`locate`] is for a run: it downloads only what it can verify, by the hashes of a pinned model or of the lock. [`fetch`] takes any
//! model of the hub and writes its hashes to the lock, [`list`] shows what is there. The `hf-hub` crate is not used: its 300
//! dependencies bring a second provider of cryptography and QUIC, while limits, resumption and the masking of keys are in `http`.

mod error;
mod fetch;
mod files;
mod hub;
mod hub_cache;
mod list;
mod locations;
mod lock;
mod name;
mod part;
mod pip;
mod source;

pub use error::ModelError;
pub use fetch::{FetchedModel, fetch};
pub use list::{ListedModel, ModelState, list};
pub use locations::{HUB, Hub, ModelSource};
pub use lock::{LOCK, LockedModel, ModelLock};
pub use name::HubName;
pub use source::{ModelRef, is_pinned, locate};
