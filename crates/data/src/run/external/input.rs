//! Reads a text: a file, standard input (`-`), plain or gzip.
//!
//! Gzip is detected by its first two bytes, not by the name. A byte order mark is dropped. The whole text is held in
//! memory once; readers borrow from it and derive line numbers from a slice's position.

use std::io::{self, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::{Error, Place};
use crate::run::file::{Limited, MOST_DATA_BYTES, open_file};

/// Magic number of gzip (RFC 1952, section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Maximum ratio of decompressed to compressed size; text reaches about 50.
const MOST_GROWTH: u64 = 200;
/// A text of this size is read whatever it was compressed from.
const ALWAYS_BYTES: u64 = 16 << 20;
/// Files that are not text, by their first bytes, and what helps.
const FOREIGN: [(&[u8], &str, &str); 4] = [
    (
        b"PAR1",
        "a Parquet file",
        "read it in Python: `ragtriage.dataset(...)`, or `pandas.read_parquet(FILE).to_json(OUT, orient=\"records\", lines=True)`",
    ),
    (b"PK\x03\x04", "an archive or a spreadsheet", "save the sheet as CSV, or unpack the archive"),
    (b"\xff\xfe", "UTF-16", "convert it: `iconv -f UTF-16 -t UTF-8 FILE > OUT`"),
    (b"\xfe\xff", "UTF-16", "convert it: `iconv -f UTF-16 -t UTF-8 FILE > OUT`"),
];
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A text with its name in errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    name: String,
    text: String,
}

impl Input {
    /// Reads `path` whole; `-` is standard input.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let file = path.display().to_string();
        if path.as_os_str() == "-" {
            return Self::decoded("standard input".to_owned(), io::stdin().lock());
        }
        match open_file(path) {
            Ok(opened) => Self::decoded(file, opened),
            Err(source) if source.kind() == io::ErrorKind::NotFound => Err(Error::new(
                format!("`{file}` does not exist"),
                "check the path; `-` is standard input",
            )),
            Err(source) if source.kind() == io::ErrorKind::InvalidInput => Err(Error::new(
                format!("`{file}` is not a regular file"),
                "name a file, or `-` for standard input",
            )),
            Err(source) => Err(unreadable(&file, &source)),
        }
    }

    fn decoded(name: String, reader: impl Read) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        Limited::new(reader, MOST_DATA_BYTES)
            .read_to_end(&mut bytes)
            .map_err(|source| unreadable(&name, &source))?;
        if bytes.starts_with(&GZIP) {
            let most_bytes = (bytes.len() as u64).saturating_mul(MOST_GROWTH);
            let most_bytes = most_bytes.clamp(ALWAYS_BYTES, MOST_DATA_BYTES);
            let mut text = Vec::new();
            Limited::new(MultiGzDecoder::new(bytes.as_slice()), most_bytes)
                .read_to_end(&mut text)
                .map_err(|source| unreadable(&name, &source))?;
            bytes = text;
        }
        if let Some((_, what, hint)) = FOREIGN.iter().find(|(start, ..)| bytes.starts_with(start)) {
            return Err(Error::new(format!("`{name}` is {what}"), *hint));
        }
        // A text of Latin letters in UTF-16, without a mark: every other byte is zero.
        for (zero, form) in [(0, "UTF-16BE"), (1, "UTF-16LE")] {
            if bytes.iter().skip(zero).step_by(2).take(4).all(|byte| *byte == 0) && bytes.len() > 8
            {
                let hint = format!("convert it: `iconv -f {form} -t UTF-8 FILE > OUT`");
                return Err(Error::new(format!("`{name}` is {form}"), hint));
            }
        }
        match String::from_utf8(bytes) {
            Ok(text) => Self::new(name, text),
            Err(broken) => {
                let valid = &broken.as_bytes()[..broken.utf8_error().valid_up_to()];
                let position = Place::new(&name, Some(line_after(valid)));
                let hint = "convert the file to UTF-8, for instance with `iconv`";
                Err(Error::in_line(&position, "not valid UTF-8", hint))
            }
        }
    }

    /// Creates an input from a text in memory.
    pub fn new(name: impl Into<String>, mut text: String) -> Result<Self, Error> {
        if text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len());
        }
        let input = Self { name: name.into(), text };
        if input.text.trim_start().is_empty() { Err(input.empty()) } else { Ok(input) }
    }

    /// Returns the path as given, or `standard input`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the line on which `piece` begins; known if it is a slice of this text.
    #[must_use]
    pub fn position(&self, piece: &str) -> Place {
        let offset = (piece.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize);
        let before = offset.and_then(|offset| self.text.as_bytes().get(..offset));
        Place::new(&self.name, before.map(line_after))
    }

    /// Returns the position of a line by its number.
    pub(crate) fn line(&self, line: usize) -> Place {
        Place::new(&self.name, Some(line))
    }

    /// Returns the error for an empty text.
    pub(super) fn empty(&self) -> Error {
        let message = format!("`{}` is empty: it has no line with data", self.name);
        Error::new(message, "check that the program which writes it has finished")
    }
}

fn unreadable(file: &str, source: &io::Error) -> Error {
    let hint = "check that the file is complete (gzip or plain) and readable";
    Error::new(format!("cannot read `{file}`: {source}"), hint)
}

fn line_after(before: &[u8]) -> usize {
    1 + memchr::memchr_iter(b'\n', before).count()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn read(bytes: &[u8]) -> Result<Input, Error> {
        Input::decoded("f".to_owned(), bytes)
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).expect("in memory");
        encoder.finish().expect("in memory")
    }

    #[test]
    fn gzip_is_read_whatever_its_name_also_in_several_members() {
        assert_eq!(read(&gzip("a b\n")).expect("reads").text(), "a b\n");
        let two = [gzip("a\n"), gzip("b\n")].concat();
        assert_eq!(read(&two).expect("reads").text(), "a\nb\n");
    }

    #[test]
    fn damaged_gzip_is_an_error() {
        let whole = gzip("a text that is long enough to be cut somewhere in its middle\n");
        let error = read(&whole[..whole.len() - 9]).unwrap_err();
        assert!(error.to_string().starts_with("cannot read `f`: "), "{error}");
    }

    #[test]
    fn a_byte_order_mark_is_dropped_and_nothing_is_an_error() {
        assert_eq!(read("\u{feff}q 0 d 1".as_bytes()).expect("reads").text(), "q 0 d 1");
        for nothing in ["", " \r\n\n", "\u{feff}\n"] {
            assert_eq!(
                read(nothing.as_bytes()).unwrap_err().to_string(),
                "`f` is empty: it has no line with data"
            );
        }
    }

    #[test]
    fn bytes_that_are_no_utf_8_are_named_by_their_line() {
        assert_eq!(read(b"a\nb\nc\xff\n").unwrap_err().to_string(), "`f` line 3: not valid UTF-8");
    }

    #[test]
    fn files_that_are_no_text_are_named_with_what_helps() {
        use ragtriage_core::hint::Hint;
        for (bytes, what, hint) in [
            (&b"PAR1\x15\x04"[..], "`f` is a Parquet file", "read_parquet"),
            (b"PK\x03\x04\x14", "`f` is an archive or a spreadsheet", "CSV"),
            (b"\xff\xfeq\0", "`f` is UTF-16", "iconv -f UTF-16"),
            (b"q\0u\0e\0s\0t\0", "`f` is UTF-16LE", "iconv -f UTF-16LE"),
            (b"\0q\0u\0e\0s\0t", "`f` is UTF-16BE", "iconv -f UTF-16BE"),
        ] {
            let error = read(bytes).unwrap_err();
            assert_eq!(error.to_string(), what);
            assert!(error.hint().expect("a hint").contains(hint));
        }
    }

    #[test]
    fn a_path_that_is_not_there_is_missing() {
        let error = Input::read(Path::new("no/such.trec")).unwrap_err();
        assert_eq!(error.to_string(), "`no/such.trec` does not exist");
    }

    #[test]
    fn a_piece_of_the_text_knows_its_line() {
        let input = read(b"a\nbc\n\nd").expect("reads");
        let line = |at: usize| input.position(&input.text()[at..]).line;
        assert_eq!([line(0), line(2), line(3), line(6)], [Some(1), Some(2), Some(2), Some(4)]);
        assert_eq!(input.position("elsewhere").to_string(), "`f`");
    }
}
