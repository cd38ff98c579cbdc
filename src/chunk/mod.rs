//! Floor 2, chunking: a document's text to byte ranges.
