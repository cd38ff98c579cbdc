//! Splits a passage into sentences, Markdown included.
//!
//! Each line of code, table row, list item and heading is a separate piece. Plain lines continue until a blank line and
//! are split where a sentence ends. Unicode's sentence rules are not used: they end a sentence at every `Dr. Smith`.
//! Both the built-in reader and annotators choose among these pieces.

use std::ops::Range;

/// Maximum length of a piece, so that no answer is a megabyte long; longer ones are split at white space.
const LONGEST_BYTES: usize = 1_000;

/// Maximum number of marks that close a sentence after its full stop; the bound gives `."."."` linear time.
const MOST_CLOSERS: usize = 8;

/// Abbreviations in lower case whose full stop does not end a sentence, ascending.
const ABBREVIATIONS: [&str; 42] = [
    "a.m", "approx", "apr", "aug", "ave", "c", "ca", "capt", "cf", "col", "dec", "dr", "e.g",
    "etc", "feb", "fig", "gen", "gov", "hon", "i.e", "jan", "jr", "lt", "maj", "mar", "mr", "mrs",
    "ms", "mt", "no", "nov", "oct", "p.m", "prof", "rep", "rev", "sen", "sep", "sgt", "sr", "st",
    "vs",
];

/// Splits `text` into pieces, in order: byte ranges without outer white space, never empty.
#[must_use]
pub fn split(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Segments { text, found: Vec::new() };
    let mut block: Option<Range<usize>> = None;
    let mut in_code = false;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        let body = line.trim_start();
        let at = range.start + (line.len() - body.len());
        let is_fence = body.starts_with("```") || body.starts_with("~~~");
        let marker = marker_bytes(body);
        let alone = is_fence
            || in_code
            || body.is_empty()
            || body.starts_with(['|', '#', '>'])
            || marker > 0;
        if alone && let Some(done) = block.take() {
            pieces.push_sentences(done);
        }
        if is_fence {
            in_code = !in_code;
        } else if in_code || body.starts_with('|') {
            pieces.push(at..range.end);
        } else if let Some(title) = heading(body) {
            pieces.push(range.end - title.len()..range.end);
        } else if body.starts_with('>') {
            pieces.push_sentences(at + 1..range.end);
        } else if !body.is_empty() {
            block = Some(block.map_or(at + marker, |open| open.start)..range.end);
        }
    }
    if let Some(done) = block {
        pieces.push_sentences(done);
    }
    pieces.found
}

/// Returns the text after the `#` marks, up to the end of the line, if the line is a heading.
fn heading(body: &str) -> Option<&str> {
    let title = body.trim_start_matches('#');
    (title.len() < body.len() && title.starts_with([' ', '\t'])).then_some(title)
}

/// Returns the length of a list item's mark (`- `, `2. `) with its space; 0 if there is none.
fn marker_bytes(body: &str) -> usize {
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let mark = if digits == 0 {
        body.starts_with(['-', '*', '+'])
    } else {
        body[digits..].starts_with(['.', ')'])
    };
    if mark && body[digits + 1..].starts_with(' ') { digits + 2 } else { 0 }
}

struct Segments<'a> {
    text: &'a str,
    found: Vec<Range<usize>>,
}

impl Segments<'_> {
    fn push_sentences(&mut self, block: Range<usize>) {
        let mut start = block.start;
        for end in sentence_ends(&self.text[block.clone()]) {
            self.push(start..block.start + end);
            start = block.start + end;
        }
        self.push(start..block.end);
    }

    /// Trims the range, splits it if it is too long, and drops pieces without letters or digits.
    fn push(&mut self, range: Range<usize>) {
        let mut rest = self.text[range.clone()].trim();
        let mut at =
            range.start + (self.text[range.clone()].len() - self.text[range].trim_start().len());
        while !rest.is_empty() {
            let (head, tail) = rest.split_at(cut_at(rest));
            if head.contains(char::is_alphanumeric) {
                self.found.push(at..at + head.trim_end().len());
            }
            rest = tail.trim_start();
            at += head.len() + (tail.len() - rest.len());
        }
    }
}

/// Returns where to split a text so that its head is no longer than [`LONGEST_BYTES`]: at white space if there is any.
fn cut_at(text: &str) -> usize {
    if text.len() <= LONGEST_BYTES {
        return text.len();
    }
    let limit = text.floor_char_boundary(LONGEST_BYTES);
    text[..limit].rfind(char::is_whitespace).filter(|&at| at > 0).unwrap_or(limit)
}

/// Returns the byte offsets in `block` after each sentence but the last.
fn sentence_ends(block: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    for (at, mark) in block.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?' | '。')) {
        let behind = at + mark.len_utf8();
        let closers: usize = block[behind..]
            .chars()
            .take(MOST_CLOSERS)
            .take_while(|c: &char| {
                matches!(c, '.' | '!' | '?' | '"' | '\'' | '”' | '’' | ')' | ']' | '*' | '_')
            })
            .map(char::len_utf8)
            .sum();
        let rest = &block[behind + closers..];
        let next = rest.trim_start();
        let parted = mark == '。' || next.len() < rest.len();
        let goes_on = next.is_empty() || next.starts_with(char::is_lowercase);
        if parted && !goes_on && !(mark == '.' && is_abbreviation(&block[..at])) {
            let end = block.len() - rest.len();
            if ends.last() != Some(&end) {
                ends.push(end);
            }
        }
    }
    ends
}

/// Returns true if the full stop after `head` belongs to its last word: an abbreviation, an initial, `U.S`, a list's
/// number.
fn is_abbreviation(head: &str) -> bool {
    let start = head.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let word = head.get(start..).unwrap_or("").trim_start_matches(['(', '[', '"', '\'', '“', '‘']);
    let mut chars = word.chars();
    let initial =
        chars.next().is_some_and(char::is_uppercase) && chars.next().is_none_or(|c| c == '.');
    let is_number =
        start == 0 && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    initial || is_number || ABBREVIATIONS.binary_search(&word.to_lowercase().as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(text: &str) -> Vec<&str> {
        split(text).into_iter().map(|piece| &text[piece]).collect()
    }

    #[test]
    fn abbreviations_initials_and_version_numbers_end_no_sentence() {
        assert_eq!(
            sentences(
                "Dr. K. A. Applegate lives in the U.S. since v1.2. She wrote \"It.\" Then 5 more! etc. and so on."
            ),
            [
                "Dr. K. A. Applegate lives in the U.S. since v1.2.",
                "She wrote \"It.\"",
                "Then 5 more! etc. and so on."
            ],
        );
    }

    #[test]
    fn markdown_lines_are_pieces_of_their_own_and_wrapped_lines_are_joined() {
        let text = "# Kafka lag\nThe consumer\nfalls behind. It\nis slow.\n- Check `lag`.\n  Then wait.\n2. Restart\n\n\
                    | port | use |\n|---|---|\n| 9092 | broker |\n```sh\nkafka --all. Now\n\nls\n```\n> note";
        assert_eq!(
            sentences(text),
            [
                "Kafka lag",
                "The consumer\nfalls behind.",
                "It\nis slow.",
                "Check `lag`.",
                "Then wait.",
                "Restart",
                "| port | use |",
                "| 9092 | broker |",
                "kafka --all. Now",
                "ls",
                "note",
            ],
        );
    }

    #[test]
    fn a_line_without_end_is_cut_at_white_space_within_the_limit() {
        let text = "word ".repeat(1_000);
        let pieces = split(&text);
        // 200 words of 4 bytes with the 199 spaces between them are 999 bytes; one more would be 1,004.
        assert_eq!(pieces.iter().map(ExactSizeIterator::len).collect::<Vec<_>>(), [999; 5]);
        assert_eq!(sentences(&"é".repeat(600)).concat(), "é".repeat(600));
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert_eq!(sentences(""), [""; 0]);
        assert_eq!(sentences(" \n\n---\n|--|\n. . .\n#\n"), [""; 0]);
    }

    #[test]
    fn the_abbreviations_are_sorted_for_the_binary_search() {
        assert!(ABBREVIATIONS.is_sorted());
    }
}
