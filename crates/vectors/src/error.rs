//! The error of every store: a message, its hint, and the kind that callers branch on.

use std::io;
use std::path::Path;

use ragtriage_core::ErrorOf;
use ragtriage_core::types::ErrorKind;

/// Error of building or searching a collection. The errors of Qdrant's engine and of gRPC are boxed as sources, so that their
/// types stay in the files that call them.
pub type Error = ErrorOf<Kind>;

/// Consequence of an error for its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No server answers.
    Unreachable,
    /// Another attempt may succeed; the store has made several.
    Transient,
    /// The collection was deleted or changed while it was in use: every further question would fail too.
    Changed,
    /// Any other.
    Permanent,
}

/// An existing collection that another program changed.
#[must_use]
pub fn changed(collection: &str, what: &str) -> Error {
    let message = format!("collection `{collection}` changed while it was in use: {what}");
    Error::of(Kind::Changed, message)
        .with_hint("run again while no program writes to the collection")
}

pub(crate) fn permanent(message: String) -> Error {
    Error::of(Kind::Permanent, message)
}

/// A collection of another layout under our name.
pub(crate) fn mismatch(collection: &str, place: &str, found: &str, wanted: &str) -> Error {
    permanent(format!(
        "collection `{collection}` at `{place}` has layout `{found}`, expected `{wanted}`"
    ))
    .with_hint(delete(collection))
}

/// A collection with points that this program did not store.
pub(crate) fn unknown_point(collection: &str, place: &str, point: &str) -> Error {
    permanent(format!(
        "collection `{collection}` at `{place}` holds unknown points, such as `{point}`"
    ))
    .with_hint(delete(collection))
}

/// Adds the path to an error of the operating system.
pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| {
        permanent(format!("cannot read or write the index `{}`", path.display()))
            .with_hint("set `cache.dir` to a writable folder with free space")
            .because(source)
    }
}

fn delete(collection: &str) -> String {
    format!("delete collection `{collection}`; it is rebuilt from the vector cache")
}

impl From<Kind> for ErrorKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Unreachable => Self::Unreachable,
            Kind::Transient => Self::Transient,
            Kind::Changed | Kind::Permanent => Self::Permanent,
        }
    }
}
