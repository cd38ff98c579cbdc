//! The closed set of token counters by name.

use crate::closed_set::closed_set;

closed_set! {
    /// Unit of chunk and prompt sizes.
    #[derive(Default)]
    Tokenizer {
        /// `OpenAI`'s byte pairs of GPT-3.5 and GPT-4.
        #[default]
        Cl100kBase = "cl100k_base",
        /// `OpenAI`'s byte pairs of GPT-4o and later.
        O200kBase = "o200k_base",
        /// Unicode scalar values; neither bytes nor grapheme clusters.
        Chars = "chars",
        /// Maximal runs without white space.
        Words = "words",
        /// The dense encoder's `tokenizer.json`.
        Model = "model",
    }
}
