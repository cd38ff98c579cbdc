//! `fixed`: windows of `size` tokens, each starting `size - overlap` tokens after the one before.
//!
//! Windows are laid over the document's tokens. White space at a window's edge is left out. A window whose text,
//! counted separately, has more tokens than its slice (a trimmed space, a word cut in two) drops tokens at its end
//! until it fits; the next window then starts no later than it ends. Counted again, the text that two windows share may have a few
//! tokens more than `overlap` (19 of 16 were seen). A last window inside the previous one is dropped.

use super::Piece;
use crate::text::quote::trim;
use crate::text::tokens::TokenCounter;

/// Returns the windows of `text`; `overlap` is below `size`, which is at least 1.
pub(super) fn pieces(
    text: &str,
    size: usize,
    overlap: usize,
    counter: &dyn TokenCounter,
) -> Vec<Piece> {
    let whole = trim(text, (0..text.len()).into());
    let starts = counter.starts(text);
    let tokens = Tokens { text, starts: &starts, end: whole.end };
    let mut pieces: Vec<Piece> = Vec::new();
    let mut start = whole.start;
    while start < whole.end {
        let window = tokens.window(start, size, counter);
        let end = window.range.end;
        if pieces.last().is_none_or(|last| last.range.end < end) {
            pieces.push(window);
        }
        if end == whole.end {
            break;
        }
        let next = tokens.start_after(start, size - overlap).min(end);
        start = trim(text, (next..whole.end).into()).start;
    }
    pieces
}

/// A text and the starts of its tokens.
struct Tokens<'a> {
    text: &'a str,
    starts: &'a [usize],
    /// Past the last byte that is not white space.
    end: usize,
}

impl Tokens<'_> {
    /// Returns the largest window of at most `size` tokens from `start`, which is not white space and below `self.end`.
    fn window(&self, start: usize, size: usize, counter: &dyn TokenCounter) -> Piece {
        let first = self.token_at(start);
        let mut n = size;
        loop {
            let end = self.token_start(first.saturating_add(n));
            let window = Piece::counted(self.text, start..end.max(self.char_end(start)), counter);
            if window.n_tokens <= size || end <= self.char_end(start) {
                return window;
            }
            if n == 1 {
                // A token that does not fit because `start` cuts it.
                return Piece::counted(self.text, start..self.char_end(start), counter);
            }
            n = n.saturating_sub(window.n_tokens - size).max(1);
        }
    }

    /// Returns the start of the token `n` after the one at `start`: always past `start`, `self.end` if there is no such
    /// token.
    fn start_after(&self, start: usize, n: usize) -> usize {
        let from = self.token_at(start).saturating_add(n).min(self.starts.len());
        self.starts[from..].iter().copied().find(|&next| next > start).unwrap_or(self.end)
    }

    /// Returns the first token that begins with the character at `start`, or the token that contains it.
    fn token_at(&self, start: usize) -> usize {
        let running = self.starts.partition_point(|&token| token <= start).saturating_sub(1);
        let begin = self.starts.get(running).copied().unwrap_or(0);
        self.starts.partition_point(|&token| token < begin)
    }

    fn token_start(&self, token: usize) -> usize {
        self.starts.get(token).map_or(self.end, |&start| start.min(self.end))
    }

    fn char_end(&self, start: usize) -> usize {
        start + self.text[start..].chars().next().map_or(0, char::len_utf8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens::{Tokenizer, counter};

    fn windows(text: &str, size: usize, overlap: usize, tokenizer: Tokenizer) -> Vec<&str> {
        let counter = counter(tokenizer, None).expect("no model is needed");
        let pieces = pieces(text, size, overlap, counter.as_ref());
        pieces.into_iter().map(|piece| &text[piece.range.as_range()]).collect()
    }

    #[test]
    fn windows_step_by_size_less_overlap() {
        // Starts 0, 3, 6: the last window reaches the end.
        assert_eq!(windows("abcdefghij", 4, 1, Tokenizer::Chars), ["abcd", "defg", "ghij"]);
    }

    #[test]
    fn a_last_window_inside_the_one_before_is_dropped() {
        // Starts 0, 3, 6: the window from the 7th word on, "g", lies inside the second.
        assert_eq!(windows("a b c d e f g", 4, 1, Tokenizer::Words), ["a b c d", "d e f g"]);
    }

    #[test]
    fn a_window_over_size_when_counted_anew_gives_up_its_last_token() {
        // Each crab is three tokens: size 4 holds one, and a window may not end inside the second.
        assert_eq!(windows("🦀🦀🦀", 4, 0, Tokenizer::Cl100kBase), ["🦀", "🦀", "🦀"]);
    }

    #[test]
    fn a_character_over_size_stands_alone() {
        assert_eq!(windows("a🦀b", 1, 0, Tokenizer::Cl100kBase), ["a", "🦀", "b"]);
    }

    #[test]
    fn only_white_space_gives_no_window() {
        assert!(windows(" \r\n\u{3000}", 4, 2, Tokenizer::Cl100kBase).is_empty());
    }
}
