//! HTTP: JSON by `POST` with one client and one retry policy for every service, and files by `GET`.
//!
//! [`JsonEndpoint`] makes the calls, [`Backoff`] decides when to try again and when to stop, [`Error`] names the
//! address without its secrets, [`in_halves`] splits a request that a server reports as too large. Such a call follows
//! no redirect, an unencrypted connection carries no key except to this machine, and calls to this machine bypass the
//! proxies of the environment. [`Downloader`] fetches files, follows redirects that do not drop encryption, without
//! passing on user info or a referrer, and resumes a [`Partial`] file. The meaning of a service's JSON or of a file is
//! defined by its caller. Left out: streaming.

mod address;
mod asked_wait;
mod backoff;
mod batch;
mod complaint;
mod download;
mod endpoint;
mod error;
mod mask;
mod partial;
mod redirects;
mod secret;

pub use address::{address, hashed_query};
pub use backoff::{Backoff, CallError, Retry, random_fraction};
pub use batch::{by_index, in_halves};
pub use complaint::complaint;
pub use download::{Download, Downloader, FileRequest, OnDownload};
pub use endpoint::{EndpointSettings, JsonEndpoint, Response, ServiceNames};
pub use error::{Error, Kind, is_transient_status};
pub use partial::Partial;
pub use reqwest::Url;
pub use secret::Secret;

#[cfg(test)]
mod tests;
