//! Text files of columns: columns are separated by white space, `# ` opens a comment line (an id may begin with `#`), blank lines are
//! ignored.
//!
//! Large texts are parsed in parallel in blocks split at line ends; results are returned in the text's order.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::Error;
use super::input::Input;

/// Bytes of a block: about ten thousand lines, so that threads stay busy and a block fits in the cache.
const BLOCK_BYTES: usize = 1 << 20;
/// Maximum length of a line of columns.
const LONGEST_LINE: usize = 1 << 20;

/// Parses every block of the text; the first error in the text's order wins.
pub(super) fn parse_blocks<'t, T: Send>(
    input: &'t Input,
    parse: impl Fn(&'t str) -> Result<T, Error> + Send + Sync,
) -> Result<Vec<T>, Error> {
    let parsed: Vec<Result<T, Error>> =
        blocks(input.text(), BLOCK_BYTES).into_par_iter().map(parse).collect();
    parsed.into_iter().collect()
}

/// Splits `text` after the first line end at or after every `size` bytes.
fn blocks(text: &str, size: usize) -> Vec<&str> {
    let mut blocks = Vec::with_capacity(text.len() / size + 1);
    let mut rest = text;
    while rest.len() > size {
        let Some(end) = memchr::memchr(b'\n', &rest.as_bytes()[size..]) else {
            break;
        };
        let (block, after) = rest.split_at(size + end + 1);
        blocks.push(block);
        rest = after;
    }
    blocks.push(rest);
    blocks
}

/// Returns the non-empty lines, each without its line feed.
pub(super) fn lines<'t>(
    input: &Input,
    block: &'t str,
    mut each: impl FnMut(&'t str) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut rest = block;
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest.as_bytes());
        let line = &rest[..end.unwrap_or(rest.len())];
        rest = end.map_or("", |end| &rest[end + 1..]);
        if line.len() > LONGEST_LINE {
            return Err(Error::at(
                &input.position(line),
                format_args!("the line has {} bytes, more than {LONGEST_LINE}", line.len()),
                "check that this is a text file of columns",
            ));
        }
        if Columns::of(line).next().is_some_and(|first| first != "#") {
            each(line)?;
        }
    }
    Ok(())
}

/// Returns the error of a line with another number of columns.
pub(super) fn wrong_number(input: &Input, line: &str, expected: &str) -> Error {
    let found = Columns::of(line).count();
    Error::at(
        &input.position(line),
        format_args!("{found} columns, expected {expected}"),
        "check that runs and qrels are not swapped, and that no id holds white space",
    )
}

/// An iterator over the columns of a line, left to right.
pub(super) struct Columns<'t> {
    rest: &'t str,
}

impl<'t> Columns<'t> {
    pub(super) fn of(line: &'t str) -> Self {
        Self { rest: line }
    }
}

impl<'t> Iterator for Columns<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let start = self.rest.bytes().position(|byte| !is_space(byte))?;
        let rest = &self.rest[start..];
        let end = rest.bytes().position(is_space).unwrap_or(rest.len());
        self.rest = &rest[end..];
        Some(&rest[..end])
    }
}

/// Returns true for white space as defined by C's `isspace` in the C locale.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_at_line_ends_and_join_to_the_text() {
        let text = "ab\ncdefgh\n\ni\nj";
        for size in 1..20 {
            let blocks = blocks(text, size);
            assert_eq!(blocks.concat(), text);
            assert!(
                blocks[..blocks.len() - 1].iter().all(|block| block.ends_with('\n')),
                "{blocks:?}"
            );
        }
        assert_eq!(blocks(text, 3), ["ab\ncdefgh\n", "\ni\nj"]);
    }

    #[test]
    fn columns_are_parted_by_ascii_white_space_alone() {
        let columns: Vec<&str> = Columns::of(" q1\tQ0  d\u{a0}1 \u{b}2\r").collect();
        assert_eq!(columns, ["q1", "Q0", "d\u{a0}1", "2"]);
    }

    #[test]
    fn blank_lines_and_comments_are_passed_over() {
        let input = Input::new("f", "a\r\n\n  # c\n#\n#d\n \r\nb #e".to_owned()).expect("text");
        let mut seen = Vec::new();
        lines(&input, input.text(), |line| {
            seen.push(line);
            Ok(())
        })
        .expect("lines");
        assert_eq!(seen, ["a\r", "#d", "b #e"]);
    }
}
