//! The chunking strategies by name.

use crate::closed_set::closed_set;

closed_set! {
    /// A strategy for splitting a document's text into chunks.
    #[derive(Default)]
    Strategy {
        /// Windows of `size` tokens, each starting `size - overlap` tokens after the one before. White space at their edges is removed
        /// and their tokens are counted again, so that two may share a few tokens more than `overlap`.
        Fixed = "fixed",
        /// The largest of paragraphs, sentences, words and characters that fit.
        #[default]
        Recursive = "recursive",
        /// As `recursive`, along the headings, blocks and items of Markdown.
        Markdown = "markdown",
        /// Each document as one chunk, whatever its size: `size` and `overlap` have no effect.
        Document = "document",
        /// External chunks, from `file`: `size` and `overlap` have no effect.
        File = "file",
    }
}
