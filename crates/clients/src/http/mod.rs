//! HTTP: one client and one retry policy for every service that answers with JSON.
//!
//! [`Endpoint`] says where a service is and how it is called, `Client` makes the calls, [`Backoff`] decides when to try again
//! and when to stop, `in_halves` splits a request that a server reports as too large. A call follows no redirect, an
//! unencrypted connection carries no key except to this machine, and calls to this machine bypass the proxies of the
//! environment. The meaning of a service's JSON is defined by its caller.

mod batch;
mod client;
mod complaint;
mod endpoint;
mod mask;
mod retry;
mod secret;

pub(crate) use batch::{by_index, in_halves, in_order};
pub(crate) use client::{
    CONNECT_TIMEOUT, Client, asked_wait, builder, key_in_clear, sensitive, transport,
};
pub(crate) use complaint::is_complaint;
pub(crate) use endpoint::parse;
pub use endpoint::{ENCODER, EXTERNAL, Endpoint, GENERATION, JUDGE, RERANKER, ServiceNames};
pub use retry::Backoff;
pub use secret::Secret;

#[cfg(test)]
pub(crate) mod faulty;
#[cfg(test)]
mod tests;
