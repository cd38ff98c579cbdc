//! The contract of token counters.

/// Splits text into tokens, the unit of chunk and prompt sizes.
///
/// Contract: pure and thread-safe; `count("")` is 0; `starts(text)` has `count(text)` entries.
pub trait TokenCounter: Send + Sync {
    /// Returns the number of tokens of `text` alone.
    fn count(&self, text: &str) -> usize;

    /// Returns `count(text)` if it is at most `limit`, else any number above `limit`: counting a text that is much too long
    /// may stop early.
    fn count_up_to(&self, text: &str, _limit: usize) -> usize {
        self.count(text)
    }

    /// Returns the byte offset at which each token of `text` starts, ascending, each on a char boundary; the first is 0
    /// unless the text has no tokens. A token that begins inside a character is given that character's first byte, so
    /// offsets may repeat.
    fn starts(&self, text: &str) -> Vec<usize>;

    /// Returns a counter with the same counts and starts that is fast for slices of `text`; `None` if this one is as
    /// fast. Preparing takes one pass over `text` and pays off from the second slice on.
    fn prepare<'a>(&'a self, _text: &'a str) -> Option<Box<dyn TokenCounter + 'a>> {
        None
    }
}
