//! Floor 3a, JSON over HTTP: one client and one patience for every service that answers a `POST`.
//!
//! [`JsonEndpoint`] makes the calls, [`Backoff`] says when to try again and when to stop, [`HttpError`] names the address
//! without its secrets, [`in_halves`] asks for less where a server says that it was too much. Redirects are not followed, an unencrypted connection carries no key except to this machine, and
//! calls to this machine pass by the proxies of the environment. What a service's JSON means is its port's. Left out:
//! streaming, and downloads (`checkpoint/` has its own, which follow redirects and carry no key).

mod address;
mod asked_wait;
mod backoff;
mod by_index;
mod complaint;
mod endpoint;
mod error;
mod halve;
mod mask;
mod secret;

pub use address::{address, hashed_query};
pub use backoff::{Backoff, Failure, Verdict, random_fraction};
pub use by_index::by_index;
pub use complaint::complaint;
pub use endpoint::{Answer, EndpointSettings, JsonEndpoint, LARGEST_BODY_BYTES};
pub use error::{HttpError, is_transient_status};
pub use halve::in_halves;
pub use secret::Secret;

#[cfg(test)]
mod tests;
