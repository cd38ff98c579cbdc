//! `[http]`: how every service is called.

use std::path::PathBuf;

table! {
    /// `[http]`
    HttpSettings {
        /// Timeout of a call in seconds, above 0. A call that fails for a moment is repeated for at most three times as long.
        #[schemars(range(min = 1e-3, max = 86_400.0))]
        timeout_s: f64 = 120.0,
        /// Maximum number of calls in flight to each service, at least 1.
        #[schemars(range(min = 1))]
        concurrency: usize = 8,
        /// PEM file of a private certificate authority.
        #[serde(skip_serializing_if = "Option::is_none")]
        ca_file: Option<PathBuf>,
    }
}
