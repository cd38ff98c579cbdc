//! Errors of building or searching an index.
//!
//! The foreign errors behind a variant (Qdrant's engine, gRPC) are boxed as sources, so that their types stay in the
//! file that calls that system.

use ragtriage_core::hint::Hint;
use ragtriage_core::text::numbers::bytes;
use ragtriage_core::types::ErrorKind;
use std::error::Error;
use std::io;
use std::path::PathBuf;

use ragtriage_core::config::OutOfRange;

/// Error of a foreign system, of any type.
pub(super) type Foreign = Box<dyn Error + Send + Sync>;

/// Creates a foreign error from its message only.
pub(super) fn foreign(message: String) -> Foreign {
    Foreign::from(message)
}

/// Error of building or searching an index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A parameter outside its range.
    #[error(transparent)]
    Parameter(#[from] OutOfRange),
    /// A store that this program was built without.
    #[error("this program was built without the vector store `{feature}`")]
    NotBuiltIn {
        /// The Cargo feature that adds it.
        feature: &'static str,
    },
    /// A vector of another length than the collection's.
    #[error(
        "the vector of `{of}` has {found} dimensions, but collection `{collection}` has {wanted}"
    )]
    Dimension {
        /// The chunk's id, or `the question`.
        of: String,
        /// Its length.
        found: usize,
        /// The collection.
        collection: String,
        /// The collection's dimension.
        wanted: usize,
    },
    /// A vector of another kind than the collection's: dense, multi.
    #[error("the vector of `{of}` is {found}, but collection `{collection}` holds {wanted}")]
    Kind {
        /// The chunk's id, or `the question`.
        of: String,
        /// Its kind.
        found: &'static str,
        /// The collection.
        collection: String,
        /// The collection's vectors.
        wanted: String,
    },
    /// A malformed vector.
    #[error("the vector of `{of}` {what}")]
    Malformed {
        /// The chunk's id, or `the question`.
        of: String,
        /// Its defect.
        what: &'static str,
    },
    /// A chunk's number beyond the collection.
    #[error(
        "chunk `{of}` has number {number}, but collection `{collection}` was made for {n_points} points"
    )]
    Number {
        /// The chunk's id.
        of: String,
        /// Its number.
        number: u32,
        /// The collection.
        collection: String,
        /// Number of points that it was made for.
        n_points: usize,
    },
    /// A collection of another layout under our name.
    #[error("collection `{collection}` at `{place}` has layout `{found}`, expected `{wanted}`")]
    Mismatch {
        /// The collection.
        collection: String,
        /// Folder or URL.
        place: String,
        /// The layout found.
        found: String,
        /// The layout expected.
        wanted: String,
    },
    /// A collection with points that this program did not store.
    #[error("collection `{collection}` at `{place}` holds unknown points, such as `{point}`")]
    Foreign {
        /// The collection.
        collection: String,
        /// Folder or URL.
        place: String,
        /// The id of one of them.
        point: String,
    },
    /// A collection that was deleted while in use.
    #[error(
        "collection `{collection}` on the Qdrant server at `{url}` was deleted while it was in use"
    )]
    Gone {
        /// The collection.
        collection: String,
        /// The URL.
        url: String,
        /// Error of the server.
        source: Foreign,
    },
    /// A folder or file of an index could not be used.
    #[error("cannot read or write the index `{path}`")]
    File {
        /// The folder or file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The embedded engine failed.
    #[error("the embedded Qdrant could not {action} in `{path}`")]
    Engine {
        /// The requested action.
        action: &'static str,
        /// The collection's folder.
        path: PathBuf,
        /// Error of the engine.
        source: Foreign,
    },
    /// The embedded engine panicked, or failed in the middle of a change.
    #[error("the embedded Qdrant failed to {action} in `{path}`")]
    Crashed {
        /// The requested action.
        action: &'static str,
        /// The collection's folder.
        path: PathBuf,
        /// The first failure.
        source: Foreign,
    },
    /// Too little space for a collection.
    #[error("a vector collection needs about {} in `{}`, where {} are free", bytes(*.needed), .path.display(), bytes(*.free))]
    Full {
        /// The folder of the collections.
        path: PathBuf,
        /// Bytes that filling it still needs at most.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// A limit of this process on the size of files.
    #[error("a vector collection in `{}` needs files of up to {}, but this process may write no more than {}", .path.display(), bytes(*.needed), bytes(*.limit))]
    FileLimit {
        /// The folder of the collections.
        path: PathBuf,
        /// Bytes of the largest file.
        needed: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// An invalid server URL.
    #[error("invalid Qdrant server URL `{url}`: {reason}")]
    Url {
        /// The URL without user info.
        url: String,
        /// Reason why it is invalid.
        reason: String,
    },
    /// The key would go over the network unencrypted.
    #[error("the Qdrant API key would be sent unencrypted to `{url}`")]
    KeyInClear {
        /// The URL, which has no user info.
        url: String,
    },
    /// Nothing answers at the URL, or it does not speak gRPC.
    #[error("no Qdrant server answers at `{url}`")]
    Unreachable {
        /// The URL.
        url: String,
        /// Error of the network.
        source: Foreign,
    },
    /// The server requires an API key, or another one.
    #[error("the Qdrant server at `{url}` refused the API key (gRPC status {status})")]
    Denied {
        /// The URL.
        url: String,
        /// `unauthenticated` or `permission denied`.
        status: &'static str,
        /// Error of the server.
        source: Foreign,
    },
    /// The API key lacks the right to an action.
    #[error(
        "the API key for the Qdrant server at `{url}` lacks the permission to {action} (collection `{collection}`)"
    )]
    Forbidden {
        /// The URL.
        url: String,
        /// The collection.
        collection: String,
        /// The requested action.
        action: &'static str,
        /// Error of the server.
        source: Foreign,
    },
    /// The disk or the quota of the server is full.
    #[error(
        "the Qdrant server at `{url}` has no space left to {action} (collection `{collection}`)"
    )]
    ServerFull {
        /// The URL.
        url: String,
        /// The collection.
        collection: String,
        /// The requested action.
        action: &'static str,
        /// Error of the server.
        source: Foreign,
    },
    /// A collection on a server lost points that the server had confirmed, or that were there before.
    #[error(
        "collection `{collection}` on the Qdrant server at `{url}` lost points while it was in use: {stored} of {expected} are left"
    )]
    Lost {
        /// The collection.
        collection: String,
        /// The URL.
        url: String,
        /// Number of points left.
        stored: usize,
        /// Number of points of the complete collection.
        expected: usize,
    },
    /// The server did not answer in time.
    #[error(
        "the Qdrant server at `{url}` did not {action} within {seconds} s (collection `{collection}`)"
    )]
    Deadline {
        /// The URL.
        url: String,
        /// The collection.
        collection: String,
        /// The requested action.
        action: &'static str,
        /// Time waited.
        seconds: f64,
    },
    /// The server did not finish the graph in time.
    #[error(
        "the Qdrant server at `{url}` was still indexing collection `{collection}` after {seconds} s"
    )]
    Indexing {
        /// The URL.
        url: String,
        /// The collection.
        collection: String,
        /// Time waited.
        seconds: f64,
    },
    /// The server gave up on the collection's graph.
    #[error("the Qdrant server at `{url}` failed to index collection `{collection}`")]
    Unindexed {
        /// The URL.
        url: String,
        /// The collection.
        collection: String,
        /// Error of the server.
        source: Foreign,
    },
    /// The server failed; transient failures were retried before.
    #[error(
        "the Qdrant server at `{url}` could not {action} (collection `{collection}`, gRPC status {status}, \
         attempt {attempts})"
    )]
    Server {
        /// The URL.
        url: String,
        /// The collection.
        collection: String,
        /// The requested action.
        action: &'static str,
        /// The name of the status.
        status: &'static str,
        /// Number of attempts.
        attempts: usize,
        /// Error of the server.
        source: Foreign,
    },
    /// A node of the cluster did not answer another; this was retried before.
    #[error(
        "a node of the Qdrant cluster at `{url}` is lost, so it could not {action} (collection `{collection}`, attempt {attempts})"
    )]
    NodeLost {
        /// The URL of the node that answered.
        url: String,
        /// The collection.
        collection: String,
        /// The requested action.
        action: &'static str,
        /// Number of attempts.
        attempts: usize,
        /// Error of the node that answered.
        source: Foreign,
    },
    /// A response of the server that the protocol does not allow.
    #[error(
        "invalid response of the Qdrant server at `{url}` (collection `{collection}`): {problem}"
    )]
    Answer {
        /// The URL.
        url: String,
        /// The collection.
        collection: String,
        /// Reason why it is invalid.
        problem: String,
    },
}

impl IndexError {
    /// Returns its cause, as stored in a trace.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreachable { .. } => ErrorKind::Unreachable,
            Self::Deadline { .. }
            | Self::Indexing { .. }
            | Self::NodeLost { .. }
            | Self::Server { .. } => ErrorKind::Transient,
            _ => ErrorKind::Permanent,
        }
    }
}

impl Hint for IndexError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::NotBuiltIn { feature } => Some(format!(
                "use a build with the Cargo feature `{feature}`, or set `retrieval.retrievers = [\"bm25\"]`, which needs no vector store"
            )),
            Self::Dimension { .. }
            | Self::Kind { .. }
            | Self::Malformed { .. } => Some(
                "check `retrieval.dense.model`, and `retrieval.dense.query_model` if it is set: both must give vectors of one kind and dimension"
                    .to_owned(),
            ),
            Self::Mismatch { collection, .. } | Self::Foreign { collection, .. } => Some(format!(
                "delete collection `{collection}`; it is rebuilt from the vector cache"
            )),
            Self::Gone { .. } => {
                Some("run again: the collection is rebuilt from the vector cache".to_owned())
            }
            Self::Lost { .. } => Some(
                "run again: the missing points are stored again from the vector cache".to_owned(),
            ),
            Self::Forbidden { .. } => Some(
                "name a key that may create and write collections in `vector_store.api_key_env`; reading is enough for a complete collection"
                    .to_owned(),
            ),
            Self::ServerFull { .. } => Some(
                "free space on the server's disk or raise its quota, then run again: stored points are reused"
                    .to_owned(),
            ),
            Self::Answer { collection, .. } => Some(format!(
                "check the server's version and log; collection `{collection}` can be deleted and is rebuilt from the vector cache"
            )),
            Self::Server {
                status, collection, ..
            } => Some(server_hint(status, collection)),
            Self::NodeLost { .. } => Some(
                "start the lost node, then run again; a collection with `vector_store.replicas` above 1 is searched without it"
                    .to_owned(),
            ),
            Self::Deadline { url, .. } => Some(format!(
                "check that the server at `{url}` is Qdrant and not overloaded"
            )),
            Self::Indexing { .. } => Some(
                "wait and run again: the server continues indexing; or set `vector_store.exact = true`"
                    .to_owned(),
            ),
            Self::File { .. } => {
                Some("set `cache.dir` to a writable folder with free space".to_owned())
            }
            Self::Engine { path, .. } => Some(format!(
                "check the free space there; `{}` can be deleted and is rebuilt",
                path.display()
            )),
            Self::Crashed { .. } => Some(
                "run again: the collection is rebuilt from the vector cache; if it fails again, check the disk"
                    .to_owned(),
            ),
            Self::Full { .. } => Some(
                "free space there or set `cache.dir` to a folder on another disk, then run again: cached vectors are reused"
                    .to_owned(),
            ),
            Self::FileLimit { .. } => Some("raise the limit (`ulimit -f`)".to_owned()),
            Self::Url { .. } => {
                Some("write it like `http://localhost:6334`, the gRPC port".to_owned())
            }
            Self::KeyInClear { .. } => {
                Some("use `https`; plain `http` with a key is for this machine only".to_owned())
            }
            Self::Unreachable { url, .. } => Some(unreachable_hint(url)),
            Self::Denied { .. } => Some(
                "set `vector_store.api_key_env` to the name of a variable that holds a valid key".to_owned(),
            ),
            Self::Unindexed { .. } => Some("check the server's log, disk and memory".to_owned()),
            Self::Parameter(_) | Self::Number { .. } => None,
        }
    }
}

/// Returns a hint about a failed call, by its gRPC status.
fn server_hint(status: &str, collection: &str) -> String {
    match status {
        "invalid argument" => format!(
            "if another program changed collection `{collection}`, delete it: it is rebuilt from the vector cache"
        ),
        "resource exhausted" => {
            "wait and run again, or raise the rate limit of the server".to_owned()
        }
        _ => "check the server's log, disk and memory, then run again: stored points are reused"
            .to_owned(),
    }
}

/// Returns a hint about starting a server, or about the port that is often mistaken for the gRPC one.
fn unreachable_hint(url: &str) -> String {
    let start = "start one with `docker run -p 6334:6334 qdrant/qdrant:v1.18.0`, \
                 or set `vector_store.kind = \"embedded\"`";
    if url.trim_end_matches('/').ends_with(":6333") {
        format!("6333 is Qdrant's REST port, the gRPC port is 6334; if none runs there, {start}")
    } else {
        start.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unreachable(url: &str) -> IndexError {
        IndexError::Unreachable { url: url.to_owned(), source: "connection refused".into() }
    }

    #[test]
    fn an_unreachable_server_is_named_with_the_command_that_starts_one() {
        let error = unreachable("http://localhost:6334");
        assert_eq!(error.to_string(), "no Qdrant server answers at `http://localhost:6334`");
        let hint = error.hint().expect("there is something to do");
        assert!(
            hint.starts_with("start one with `docker run -p 6334:6334 qdrant/qdrant:v1.18.0`"),
            "{hint}"
        );
    }

    #[test]
    fn the_rest_port_gets_a_hint_of_its_own() {
        let hint = unreachable("http://localhost:6333/").hint().expect("there is something to do");
        assert!(hint.starts_with("6333 is Qdrant's REST port, the gRPC port is 6334"), "{hint}");
    }
}
