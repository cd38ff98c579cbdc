//! The client and the errors that encoders and rerankers behind HTTP share.

mod client;
mod error;
#[cfg(test)]
pub(crate) mod faulty;

pub(crate) use client::RemoteClient;
pub use error::{RemoteError, RemoteModel};
