//! Opens a collection at its configured place.

use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "embedded")]
use super::EmbeddedStore;
#[cfg(feature = "server")]
use super::ServerStore;
use super::address::Server;
use super::{CollectionSpec, IndexError, VectorStore};

/// Place where vectors are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VectorPlace {
    /// In this process, in this folder.
    Embedded(PathBuf),
    /// On a Qdrant server.
    Server(Server),
}

/// Opens the collection, or creates it, empty.
///
/// # Errors
/// [`IndexError::NotBuiltIn`] if this program was built without that store, and any error of the store.
pub async fn open_or_create(
    place: &VectorPlace,
    spec: &CollectionSpec,
) -> Result<Arc<dyn VectorStore>, IndexError> {
    match place {
        #[cfg(feature = "embedded")]
        VectorPlace::Embedded(folder) => {
            Ok(Arc::new(EmbeddedStore::open_or_create(folder, spec).await?))
        }
        #[cfg(not(feature = "embedded"))]
        VectorPlace::Embedded(_) => not_built_in(spec, "embedded"),
        #[cfg(feature = "server")]
        VectorPlace::Server(server) => {
            Ok(Arc::new(ServerStore::open_or_create(server, spec).await?))
        }
        #[cfg(not(feature = "server"))]
        VectorPlace::Server(_) => not_built_in(spec, "server"),
    }
}

/// Returns the version of a Qdrant server, which has accepted the key.
///
/// # Errors
/// [`IndexError::NotBuiltIn`] if this program was built without the client, no answer, a refused key.
pub async fn server_version(server: &Server) -> Result<String, IndexError> {
    #[cfg(feature = "server")]
    {
        crate::server::version(server).await
    }
    #[cfg(not(feature = "server"))]
    {
        let _ = server;
        Err(IndexError::NotBuiltIn { feature: "server" })
    }
}

#[cfg(not(all(feature = "embedded", feature = "server")))]
fn not_built_in(
    spec: &CollectionSpec,
    feature: &'static str,
) -> Result<Arc<dyn VectorStore>, IndexError> {
    spec.check()?;
    Err(IndexError::NotBuiltIn { feature })
}
