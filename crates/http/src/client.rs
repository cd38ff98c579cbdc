//! The HTTP client's builder, with the one provider of cryptography.

use reqwest::{Client, ClientBuilder};

/// Returns a builder whose TLS uses `ring`, which the gRPC client of the vector store uses too.
pub(crate) fn builder() -> ClientBuilder {
    // Fails where a provider is installed already, which is then this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
}
