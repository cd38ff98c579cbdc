//! Builder of the HTTP client, with the single cryptography provider.

use reqwest::{Client, ClientBuilder};

/// Returns a builder whose TLS uses `ring`, which the gRPC client of the vector store uses too.
pub(crate) fn builder() -> ClientBuilder {
    // Fails if a provider is already installed, which is then this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
}
