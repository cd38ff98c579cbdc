//! Counting tokens.

/// Cuts text into tokens; decides what "size" means for a chunk or a prompt.
///
/// Contract: pure and thread-safe; `count("")` is 0.
pub trait TokenCounter: Send + Sync {
    /// The number of tokens of `text` on its own.
    fn count(&self, text: &str) -> usize;

    /// The byte offset at which each token of `text` starts, ascending, each on a char boundary; the first is 0
    /// unless the text has no token. A token that begins inside a character is given that character's first byte,
    /// so offsets may repeat.
    fn starts(&self, text: &str) -> Vec<usize>;
}
