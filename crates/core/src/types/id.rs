//! Identifiers as newtypes over strings that are inline up to 23 bytes, else shared: cheap to copy into every ranking, impossible
//! to mix up.
//!
//! A chunk's id is `doc_id#ordinal`; [`ChunkId::doc`] splits it at the last `#`.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};

use super::ByteRange;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(SmolStr);

        impl $name {
            /// Returns the id unchanged.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(SmolStr::from(text))
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(SmolStr::from(text))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", self.as_str())
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(generator)
            }
        }
    };
}

id!(
    /// A document's id, unique in its corpus; case-sensitive.
    DocId
);
id!(
    /// A question's id, unique in its data set.
    QuestionId
);
id!(
    /// A chunk's id, `doc_id#ordinal`. Ordered as a string, as in `trec_eval`'s tie-breaking.
    ChunkId
);

impl ChunkId {
    /// Creates the id of the `ordinal`-th chunk (from 0) of `doc`.
    #[must_use]
    pub fn new(doc: &DocId, ordinal: usize) -> Self {
        Self(format_smolstr!("{doc}#{ordinal}"))
    }

    /// Returns the ordinal of an id of [`Self::new`].
    #[must_use]
    pub fn ordinal(&self) -> Option<usize> {
        self.0.rsplit_once('#')?.1.parse().ok()
    }

    /// Creates the id of a passage that is no chunk: `doc_id#start-end`, in bytes.
    #[must_use]
    pub fn of_range(doc: &DocId, range: ByteRange) -> Self {
        Self(format_smolstr!("{doc}#{range}"))
    }

    /// Returns the range of an id of [`Self::of_range`].
    #[must_use]
    pub fn range(&self) -> Option<ByteRange> {
        let (start, end) = self.0.rsplit_once('#')?.1.split_once('-')?;
        let (start, end): (usize, usize) = (start.parse().ok()?, end.parse().ok()?);
        (start < end).then(|| ByteRange::new(start, end))
    }

    /// Returns the id of a text of an external RAG that is in no document; `mark` identifies the text.
    #[must_use]
    pub fn unlocated(doc: &DocId, mark: &str) -> Self {
        Self(format_smolstr!("{doc}#~{mark}"))
    }

    /// Returns true for an id of [`Self::unlocated`].
    #[must_use]
    pub fn is_unlocated(&self) -> bool {
        self.0.rsplit_once('#').is_some_and(|(_, place)| place.starts_with('~'))
    }

    /// Returns the document part: everything before the last `#` (the whole id if there is none).
    #[must_use]
    pub fn doc(&self) -> &str {
        self.0.rsplit_once('#').map_or(&self.0, |(doc, _)| doc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_id_gives_back_its_document_even_when_that_has_a_hash() {
        let doc = DocId::from("c#-notes.md");
        let id = ChunkId::new(&doc, 12);
        assert_eq!(id.as_str(), "c#-notes.md#12");
        assert_eq!(id.doc(), "c#-notes.md");
        assert_eq!(id.ordinal(), Some(12));
        assert_eq!(ChunkId::from("c#1-5").ordinal(), None);
    }

    #[test]
    fn the_id_of_a_range_gives_back_document_and_range() {
        let id = ChunkId::of_range(&"c#-notes.md".into(), ByteRange::new(5, 120));
        assert_eq!(id.as_str(), "c#-notes.md#5-120");
        assert_eq!((id.doc(), id.range()), ("c#-notes.md", Some(ByteRange::new(5, 120))));
        for other in ["d#12", "d#~1-2", "d#2-1", "d#1-1", "d#1-2~x", "1-2"] {
            assert_eq!(ChunkId::from(other).range(), None, "{other}");
        }
    }

    #[test]
    fn an_id_is_a_bare_string_on_the_wire() {
        let id: DocId = serde_json::from_str("\"a\"").expect("a JSON string");
        assert_eq!(serde_json::to_string(&id).expect("serialises"), "\"a\"");
    }
}
