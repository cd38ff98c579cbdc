//! The contract of token counters.

/// Splits text into tokens, the unit that sizes of chunks and prompts are given in.
///
/// Contract: pure and thread-safe; `count("")` is 0; `starts(text)` has `count(text)` entries.
pub trait TokenCounter: Send + Sync {
    /// Returns the number of tokens of `text` on its own.
    fn count(&self, text: &str) -> usize;

    /// Returns the byte offset at which each token of `text` starts, ascending, each on a char boundary; the first is 0
    /// unless the text has no token. A token that begins inside a character is given that character's first byte,
    /// so offsets may repeat.
    fn starts(&self, text: &str) -> Vec<usize>;

    /// Returns a counter with the same counts and starts that is fast for slices of `text`; `None` where this
    /// one is as good. Worth its one pass over `text` from the second slice on.
    fn prepare<'a>(&'a self, _text: &'a str) -> Option<Box<dyn TokenCounter + 'a>> {
        None
    }
}
