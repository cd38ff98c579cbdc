//! Text files of columns: columns are separated by white space, `# ` opens a comment line (an id may begin with `#`), blank lines are
//! ignored.
//!
//! Large texts are parsed in parallel in blocks split at line ends; results are returned in the text's order.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::Error;
use super::input::Input;

/// Bytes of a block: about ten thousand lines, so that threads stay busy and a block fits in the cache.
const BLOCK_BYTES: usize = 1 << 20;

/// A text file of columns.
pub(super) struct Columns<'t> {
    pub input: &'t Input,
    /// The names of the columns, for errors.
    pub names: &'static [&'static str],
    /// True if more columns may follow.
    pub has_others: bool,
}

impl<'t> Columns<'t> {
    /// Reads every line but blank ones and comments. Values are grouped by key: those of adjacent lines first in each block, in
    /// the order of the text. The first error in that order wins.
    pub(super) fn read<const N: usize, T: Send>(
        &self,
        parse: impl Fn([&'t str; N]) -> Result<(&'t str, T), Error> + Sync,
    ) -> Result<Vec<Grouped<'t, T>>, Error> {
        let blocks = blocks(self.input.text(), BLOCK_BYTES).into_par_iter();
        let parsed: Vec<Result<Grouped<'t, T>, Error>> =
            blocks.map(|block| self.block(block, &parse)).collect();
        parsed.into_iter().collect()
    }

    fn block<const N: usize, T>(
        &self,
        block: &'t str,
        parse: &impl Fn([&'t str; N]) -> Result<(&'t str, T), Error>,
    ) -> Result<Grouped<'t, T>, Error> {
        let mut grouped: Grouped<'t, T> = Vec::new();
        for line in block.split('\n') {
            let wrong =
                |message, hint| Err(Error::in_line(&self.input.position(line), message, hint));
            let mut columns = line.split_ascii_whitespace();
            let Some(first) = columns.next().filter(|first| *first != "#") else { continue };
            let mut found = [first; N];
            let mut n_found = 1;
            while n_found < N
                && let Some(column) = columns.next()
            {
                found[n_found] = column;
                n_found += 1;
            }
            if n_found < N || (!self.has_others && columns.next().is_some()) {
                let names = self.names.join(" ");
                let n_found = line.split_ascii_whitespace().count();
                return wrong(
                    format!("{n_found} columns, expected {}: {names}", self.names.len()),
                    "check that runs and qrels are not swapped, and that no id holds white space",
                );
            }
            let (key, value) = parse(found)?;
            match grouped.last_mut() {
                Some((last, values)) if *last == key => values.push(value),
                _ => grouped.push((key, vec![value])),
            }
        }
        Ok(grouped)
    }
}

/// Values by key, in the order of a text.
pub(super) type Grouped<'t, T> = Vec<(&'t str, Vec<T>)>;

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
    fn blank_lines_and_comments_are_passed_over() {
        let input = Input::new("f", "a\r\n\n  # c\n#\n#d\n \r\nb #e".to_owned()).expect("text");
        let columns = Columns { input: &input, names: &["a"], has_others: true };
        let blocks = columns.read(|[first]| Ok((first, ()))).expect("lines");
        let seen: Vec<&str> = blocks.iter().flatten().map(|(first, _)| *first).collect();
        assert_eq!(seen, ["a", "#d", "b"]);
    }
}
