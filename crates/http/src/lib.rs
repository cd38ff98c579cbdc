//! Floor 3a, HTTP: JSON by one client and with one patience for every service that answers a `POST`, and files by `GET`.
//!
//! [`JsonEndpoint`] makes the calls, [`Backoff`] says when to try again and when to stop, [`HttpError`] names the address
//! without its secrets, [`in_halves`] asks for less where a server says that it was too much. Such a call follows no redirect, an
//! unencrypted connection carries no key except to this machine, and calls to this machine pass by the proxies of the
//! environment. [`Downloader`] fetches files, follows redirects that give up no encryption and take neither user info nor a
//! referrer along, and goes on with a [`Partial`] file. What a service's JSON or a file means is its port's. Left out: streaming.

mod address;
mod asked_wait;
mod backoff;
mod by_index;
mod client;
mod complaint;
mod download;
mod endpoint;
mod error;
mod halve;
mod mask;
mod partial;
mod redirects;
mod secret;

pub use address::{address, hashed_query};
pub use backoff::{Abandoned, Backoff, Retry, random_fraction};
pub use by_index::by_index;
pub use complaint::complaint;
pub use download::{Download, Downloader, FileRequest, OnDownload};
pub use endpoint::{EndpointSettings, JsonEndpoint, Response};
pub use error::{HttpError, is_transient_status};
pub use halve::in_halves;
pub use partial::Partial;
pub use secret::Secret;

#[cfg(test)]
mod tests;
