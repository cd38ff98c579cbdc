//! Parses the lines of a large file on all cores, a block of the file at a time.

use std::io::{BufRead, BufReader, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;

use crate::error::DatasetError;
use crate::place::Place;
use crate::read;
use ragtriage_runs::open_file;

/// Bytes of the file that are in memory at once, beyond the last line's end.
const BLOCK_BYTES: u64 = 4 << 20;

/// Lines that one task parses.
const LINES_PER_TASK: usize = 128;

/// A line's number, from 1, and its bytes in the block.
type Line = (usize, Range<usize>);

/// Parses each non-blank line with `parse`, without its line end, in parallel on rayon's current pool, and passes the results
/// to `take` in the order of the lines, those of one block while the next is parsed. A line that is not UTF-8 is an error in its
/// place.
pub(super) fn parsed_lines<T: Send>(
    path: &Path,
    parse: impl Fn(&Place, &str) -> Result<T, DatasetError> + Sync,
    mut take: impl FnMut(Place, Result<T, DatasetError>) -> Result<(), DatasetError> + Send,
) -> Result<(), DatasetError> {
    let unreadable = |source| read::unreadable(path, source);
    let mut reader = BufReader::new(open_file(path).map_err(unreadable)?);
    let mut take_all = |parsed: Vec<Vec<_>>| {
        let mut parsed = parsed.into_iter().flatten();
        parsed.try_for_each(|(place, parsed)| take(place, parsed))
    };
    let (mut block, mut offset, mut number) = (Vec::new(), 0, 1);
    let mut before = Vec::new();
    loop {
        block.clear();
        let read = reader.by_ref().take(BLOCK_BYTES).read_to_end(&mut block);
        read.map_err(unreadable)?;
        let line_end = reader.read_until(b'\n', &mut block);
        line_end.map_err(unreadable)?;
        if block.is_empty() {
            return take_all(before);
        }
        let lines = lines(&block, number);
        let parse_all = || parsed_block(path, &block, offset, &lines, &parse);
        let (parsed, taken) = rayon::join(parse_all, || take_all(before));
        taken?;
        before = parsed;
        number += lines.len();
        offset += block.len();
    }
}

/// Parses the `lines` of `block`, which begins at the byte `offset` of the file, in tasks.
fn parsed_block<T: Send>(
    path: &Path,
    block: &[u8],
    offset: usize,
    lines: &[Line],
    parse: &(impl Fn(&Place, &str) -> Result<T, DatasetError> + Sync),
) -> Vec<Vec<(Place, Result<T, DatasetError>)>> {
    let tasks = lines.par_chunks(LINES_PER_TASK).map(|lines| {
        let path: Arc<Path> = Arc::from(path);
        let parsed = lines.iter().filter_map(|(number, range)| {
            let bytes = &block[range.clone()];
            parsed_line(&path, *number, offset + range.start, bytes, parse)
        });
        parsed.collect()
    });
    tasks.collect()
}

/// Returns the lines of `block`, the first of which has the number `first`.
fn lines(block: &[u8], first: usize) -> Vec<Line> {
    let ends = memchr::memchr_iter(b'\n', block).map(|at| at + 1);
    let rest = block.last().filter(|&&byte| byte != b'\n');
    let mut start = 0;
    let ranges = ends.chain(rest.map(|_| block.len())).map(|end| {
        let range = start..end;
        start = end;
        range
    });
    (first..).zip(ranges).collect()
}

/// Parses one line; `None` if it is blank.
fn parsed_line<T>(
    path: &Arc<Path>,
    number: usize,
    offset: usize,
    bytes: &[u8],
    parse: &impl Fn(&Place, &str) -> Result<T, DatasetError>,
) -> Option<(Place, Result<T, DatasetError>)> {
    let line = read::line(path, number, offset, bytes);
    if line.as_ref().is_ok_and(|line| line.trim().is_empty()) {
        return None;
    }
    let place = Place { path: Arc::clone(path), line: Some(number), id: None };
    let parsed = line.and_then(|line| parse(&place, line));
    Some((place, parsed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_errors_are_those_of_one_line_after_another_across_blocks() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        // Lines of 16 KiB, 400 of them: 6.4 MiB, two blocks. Some are blank, one is not UTF-8, the last has no end.
        let mut bytes = "\u{feff}first\r\n".as_bytes().to_vec();
        for number in 0..400 {
            bytes.extend(format!("{number:>16384}\n").bytes());
            bytes.extend([&b" \r\n"[..], b"", b"\xff\n"][number % 3]);
        }
        bytes.extend(b"last");
        std::fs::write(&path, &bytes).expect("written");
        let shown = |place: &Place, line: Result<String, DatasetError>| {
            let line = line.unwrap_or_else(|error| error.to_string());
            format!("{place} {line}")
        };
        let mut expected = Vec::new();
        read::each_line(&path, |place, line| {
            expected.push(shown(&place, line.map(str::to_owned)));
            Ok(())
        })
        .expect("read");
        let mut seen = Vec::new();
        let parse = |_: &Place, line: &str| Ok(line.to_owned());
        parsed_lines(&path, parse, |place, line| {
            seen.push(shown(&place, line));
            Ok(())
        })
        .expect("read");
        assert_eq!(seen, expected);
        // `first`, 400 numbers, 133 lines that are not UTF-8 (numbers 2, 5 .. 398), `last`.
        assert_eq!(seen.len(), 535);
    }

    #[test]
    fn an_error_of_the_taker_ends_the_reading() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, "a\nb\nc\n").expect("written");
        let mut taken = Vec::new();
        let parse = |place: &Place, line: &str| match line {
            "b" => Err(DatasetError::Line { place: place.clone(), expected: "another letter" }),
            _ => Ok(line.to_owned()),
        };
        let read = parsed_lines(&path, parse, |_, line| {
            taken.push(line?);
            Ok(())
        });
        assert!(read.is_err());
        assert_eq!(taken, ["a"]);
    }
}
