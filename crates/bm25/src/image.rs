//! The index as one block of bytes: identical in memory and in a file, and searched in place.
//!
//! | section | elements | contents |
//! |---|---|---|
//! | header | 1 | [`Header`]: magic number, and the sizes of all sections |
//! | postings | words of 32 bits | of each term its [`Run`]s, its shares and its documents |
//! | terms | terms + 1 | [`TermEntry`]; a term's text and postings end where the next one's begin |
//! | slots | a power of two | the hash table of the terms ([`vocabulary`](super::vocabulary)) |
//! | text | bytes | the terms' text, UTF-8 |
//! | order | documents | the rank of the document's id among all ids in ascending order |
//! | checksums | blocks | CRC-32 of each block of [`BLOCK`] bytes of the sections above |
//!
//! A share is the score that the term adds to the document, beyond [`TermEntry::absent`]. A document is its index in its window:
//! 16 bits, ascending within a run; an odd number of them is filled up to a whole word.
//!
//! Each section begins at a multiple of eight bytes; numbers are in the machine's byte order. Every byte is under a
//! checksum, and all are verified when a file is opened. Numbers are nevertheless not trusted to be in range: one that
//! points outside finds nothing. An index in a window cannot point outside, because a window has as many documents as
//! 16 bits have values.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;

use bytemuck::{Pod, Zeroable, bytes_of, cast_slice};
use memmap2::Mmap;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::vocabulary;

/// Any change to the layout, the hash or the meaning of a section needs a new one. In the other byte order it reads as another
/// number, so such a file is rejected.
pub(super) const MAGIC: u64 = 0x7261_6778_7370_7204;

/// Bytes under one checksum.
pub(super) const BLOCK: usize = 1 << 20;

/// Documents that are scored together: the number of values of 16 bits.
pub(super) const WINDOW: usize = 1 << 16;

/// The scores of a window's documents.
pub(super) type WindowScores = [f32; WINDOW];

/// Ranks at which [`TermEntry::ranked`] stores a share: that many documents hold one at least as large.
pub(super) const RANKS: [usize; 3] = [10, 100, 1000];

/// Sizes of all sections, and properties of the whole index.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct Header {
    pub(super) magic: u64,
    pub(super) n_documents: u64,
    pub(super) n_terms: u64,
    pub(super) n_slots: u64,
    pub(super) n_text_bytes: u64,
    pub(super) n_posting_words: u64,
    /// 1 if questions are weighted by TF-IDF, 0 if a term counts as often as it occurs in the question.
    pub(super) tfidf: u32,
    /// 1 if some share is negative: a score is then unknown until all its shares are summed.
    pub(super) negative: u32,
    /// Checksum of the section of checksums.
    pub(super) checksums_checksum: u32,
    /// Checksum of the header up to here.
    pub(super) checksum: u32,
}

/// One term.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(super) struct TermEntry {
    /// Start of its postings, in words.
    pub(super) postings: u64,
    /// Start of its text.
    pub(super) text: u32,
    pub(super) n_runs: u32,
    /// The largest of its shares.
    pub(super) largest: f32,
    /// Score that it adds to documents without it.
    pub(super) absent: f32,
    /// Its shares of rank 10, 100 and 1,000 ([`RANKS`]); 0 if it has fewer postings.
    pub(super) ranked: [f32; RANKS.len()],
    pub(super) padding: u32,
}

/// The postings of one term in one window.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct Run {
    /// Number of the window: its first document's number divided by [`WINDOW`].
    pub(super) window: u32,
    /// Its end, counted from the term's first posting.
    pub(super) end: u32,
}

/// Byte range of each section.
#[derive(Debug)]
struct ImageLayout {
    postings: Range<usize>,
    terms: Range<usize>,
    slots: Range<usize>,
    text: Range<usize>,
    order: Range<usize>,
    checksums: Range<usize>,
    /// Size of the whole index in bytes.
    size: usize,
}

impl Header {
    /// Computes the layout; `None` if the sizes exceed the address space.
    fn layout(&self) -> Option<ImageLayout> {
        let mut at = size_of::<Self>();
        let mut section = |n: u64, size: usize| {
            let start = at;
            let end = start.checked_add(usize::try_from(n).ok()?.checked_mul(size)?)?;
            at = end.checked_next_multiple_of(size_of::<u64>())?;
            Some(start..end)
        };
        let mut layout = ImageLayout {
            postings: section(self.n_posting_words, size_of::<u32>())?,
            terms: section(self.n_terms.checked_add(1)?, size_of::<TermEntry>())?,
            slots: section(self.n_slots, size_of::<u32>())?,
            text: section(self.n_text_bytes, 1)?,
            order: section(self.n_documents, size_of::<u32>())?,
            checksums: section(0, size_of::<u32>())?,
            size: 0,
        };
        let n_blocks = layout.body().len().div_ceil(BLOCK) as u64;
        layout.checksums = section(n_blocks, size_of::<u32>())?;
        layout.size = at;
        Some(layout)
    }

    /// Returns the size of the whole index in bytes; `None` if it exceeds the address space.
    pub(super) fn size(&self) -> Option<usize> {
        Some(self.layout()?.size)
    }

    /// Fills in what is the same for every index, and the checksums.
    fn completed(self, checksums_checksum: u32) -> Self {
        let header = Self { magic: MAGIC, checksums_checksum, ..self };
        Self { checksum: header.checksum(), ..header }
    }

    fn checksum(&self) -> u32 {
        let bytes = bytes_of(self);
        crc32fast::hash(&bytes[..bytes.len() - size_of::<u32>()])
    }
}

impl ImageLayout {
    /// Returns the range of the sections that are checksummed by block.
    fn body(&self) -> Range<usize> {
        size_of::<Header>()..self.checksums.start
    }

    /// Returns the range from the section of checksums to the end.
    fn tail(&self) -> Range<usize> {
        self.checksums.start..self.size
    }
}

/// Location of the bytes. Both begin at a multiple of eight: one by its type, the other at a page.
enum Bytes {
    Memory(Vec<u64>),
    File(Mmap),
}

/// The bytes of an index, with aligned sections inside them.
pub(super) struct Image {
    bytes: Bytes,
    header: Header,
    layout: ImageLayout,
}

impl Image {
    /// Creates an image of `words`, which are as many as `header` gives or more.
    pub(super) fn in_memory(mut words: Vec<u64>, header: Header) -> Self {
        let layout = header.layout().expect("it was written");
        words.truncate(layout.size / size_of::<u64>());
        Self { bytes: Bytes::Memory(words), header, layout }
    }

    /// Opens the image in a file, whose mapping is `mapped`, and verifies every byte. An error is the damaged place.
    ///
    /// The blocks are read, not touched in the mapping: its pages would count as memory of this process.
    pub(super) fn open(file: &File, mapped: Mmap) -> Result<Self, String> {
        let bytes: &[u8] = &mapped;
        let header = bytes.get(..size_of::<Header>());
        let header: Header = bytemuck::pod_read_unaligned(header.ok_or("header")?);
        if header.magic != MAGIC || header.checksum != header.checksum() {
            return Err("header".to_owned());
        }
        let layout = header.layout().ok_or("header")?;
        if layout.size != bytes.len() {
            let (found, expected) = (bytes.len(), layout.size);
            return Err(format!("{found} of {expected} bytes"));
        }
        if header.checksums_checksum != crc32fast::hash(&bytes[layout.tail()]) {
            return Err("checksums".to_owned());
        }
        let checksums: &[u32] = cast_slice(&bytes[layout.checksums.clone()]);
        let body = layout.body();
        let is_damaged = |buffer: &mut Vec<u8>, number: usize| {
            let start = body.start + number * BLOCK;
            buffer.resize(BLOCK.min(body.end - start), 0);
            file.read_exact_at(buffer, start as u64).is_err()
                || crc32fast::hash(buffer) != checksums[number]
        };
        let blocks = (0..body.len().div_ceil(BLOCK)).into_par_iter();
        let damaged_blocks = blocks
            .map_init(Vec::new, |buffer, number| is_damaged(buffer, number).then_some(number));
        if let Some(number) = damaged_blocks.find_first(Option::is_some).flatten() {
            return Err(format!("block {number}"));
        }
        Ok(Self { bytes: Bytes::File(mapped), header, layout })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Memory(words) => cast_slice(words),
            Bytes::File(file) => file,
        }
    }

    fn section<T: Pod>(&self, range: &Range<usize>) -> &[T] {
        cast_slice(&self.bytes()[range.clone()])
    }

    pub(super) fn n_documents(&self) -> usize {
        self.header.n_documents as usize
    }

    pub(super) fn is_tfidf(&self) -> bool {
        self.header.tfidf == 1
    }

    /// Returns true if some share is negative.
    pub(super) fn has_negative(&self) -> bool {
        self.header.negative == 1
    }

    /// Returns each document's rank when ids are sorted ascending.
    pub(super) fn order(&self) -> &[u32] {
        self.section(&self.layout.order)
    }

    /// Returns the number of the term `text`.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        let (terms, all_text) =
            (self.section::<TermEntry>(&self.layout.terms), self.section::<u8>(&self.layout.text));
        vocabulary::find(self.section(&self.layout.slots), text.as_bytes(), |number| {
            let Some([term, next]) =
                terms.get(number as usize..).and_then(|terms| terms.first_chunk())
            else {
                return false;
            };
            all_text.get(term.text as usize..next.text as usize) == Some(text.as_bytes())
        })
    }

    /// Returns a term by its number, with its postings; `None` for an unknown number.
    pub(super) fn term(&self, number: u32) -> Option<(&TermEntry, Postings<'_>)> {
        let terms = self.section::<TermEntry>(&self.layout.terms);
        let [term, next] = terms.get(number as usize..)?.first_chunk()?;
        let words = self.section::<u32>(&self.layout.postings);
        let words = words.get(term.postings as usize..next.postings as usize);
        let postings = words.and_then(|words| Postings::new(words, term.n_runs as usize));
        Some((term, postings.unwrap_or_default()))
    }
}

/// The postings of one term.
#[derive(Clone, Copy, Default)]
pub(super) struct Postings<'a> {
    /// By window, ascending.
    runs: &'a [Run],
    docs: &'a [u16],
    shares: &'a [f32],
}

impl<'a> Postings<'a> {
    /// Divides the words of a term; `None` if they are too few.
    fn new(words: &'a [u32], n_runs: usize) -> Option<Self> {
        let (runs, words) = words.split_at_checked(2 * n_runs)?;
        let runs: &[Run] = cast_slice(runs);
        let n = runs.last()?.end as usize;
        let (shares, docs) = words.split_at_checked(n)?;
        Some(Self { runs, docs: cast_slice(docs).get(..n)?, shares: cast_slice(shares) })
    }

    /// Returns the number of postings.
    pub(super) fn len(&self) -> usize {
        self.docs.len()
    }

    /// Returns the documents of `window`, as indexes in it, and their shares.
    pub(super) fn of_window(&self, window: usize) -> (&'a [u16], &'a [f32]) {
        let Ok(run) = self.runs.binary_search_by_key(&window, |run| run.window as usize) else {
            return (&[], &[]);
        };
        let start = run.checked_sub(1).map_or(0, |before| self.runs[before].end as usize);
        let range = start..self.runs[run].end as usize;
        (
            self.docs.get(range.clone()).unwrap_or_default(),
            self.shares.get(range).unwrap_or_default(),
        )
    }

    /// Returns the share of a document.
    pub(super) fn share(&self, document: u32) -> Option<f32> {
        let (docs, shares) = self.of_window(document as usize / WINDOW);
        let place = docs.binary_search(&((document as usize % WINDOW) as u16)).ok()?;
        shares.get(place).copied()
    }
}

/// Writes the sections of an index in the order above, its header at the end, and checksums them.
pub(super) struct ImageWriter<'a, W> {
    to: &'a mut W,
    checksums: Vec<u32>,
    /// Checksum and size of the bytes since the last whole block.
    block: crc32fast::Hasher,
    n_bytes: usize,
}

impl<'a, W: Write + Seek> ImageWriter<'a, W> {
    /// Begins with an empty header.
    pub(super) fn new(to: &'a mut W) -> io::Result<Self> {
        to.write_all(bytes_of(&Header::zeroed()))?;
        Ok(Self { to, checksums: Vec::new(), block: crc32fast::Hasher::new(), n_bytes: 0 })
    }

    /// Writes a whole section.
    pub(super) fn section(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.append(bytes)?;
        self.end_section()
    }

    /// Writes a part of a section.
    pub(super) fn append(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)?;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.n_bytes));
            self.block.update(now);
            self.n_bytes += now.len();
            if self.n_bytes == BLOCK {
                self.end_block();
            }
            bytes = later;
        }
        Ok(())
    }

    /// Fills the section up to a multiple of eight bytes.
    pub(super) fn end_section(&mut self) -> io::Result<()> {
        let missing = self.n_bytes.next_multiple_of(size_of::<u64>()) - self.n_bytes;
        self.append(&[0; size_of::<u64>()][..missing])
    }

    fn end_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        self.checksums.push(block.finalize());
        self.n_bytes = 0;
    }

    /// Writes the checksums and the header, and returns it.
    pub(super) fn finish(mut self, header: Header) -> io::Result<Header> {
        if self.n_bytes > 0 {
            self.end_block();
        }
        let mut checksums = cast_slice(&self.checksums).to_vec();
        checksums.resize(checksums.len().next_multiple_of(size_of::<u64>()), 0);
        let header = header.completed(crc32fast::hash(&checksums));
        self.to.write_all(&checksums)?;
        self.to.seek(SeekFrom::Start(0))?;
        self.to.write_all(bytes_of(&header))?;
        Ok(header)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use bytemuck::cast_slice_mut;

    /// Returns the image with all bytes of `of` replaced, which no checksum would accept.
    fn damaged(whole: &[u8], byte: u8, of: impl FnOnce(&ImageLayout) -> Range<usize>) -> Image {
        let header: Header = bytemuck::pod_read_unaligned(&whole[..size_of::<Header>()]);
        let layout = header.layout().expect("of a real index");
        let mut words = vec![0_u64; layout.size / size_of::<u64>()];
        let bytes: &mut [u8] = cast_slice_mut(&mut words);
        bytes.copy_from_slice(whole);
        bytes[of(&layout)].fill(byte);
        Image { bytes: Bytes::Memory(words), header, layout }
    }

    /// Returns the image with every table filled with `byte`.
    pub fn with_tables(whole: &[u8], byte: u8) -> Image {
        damaged(whole, byte, |layout| layout.terms.start..layout.order.end)
    }

    /// Returns the image with every posting filled with `byte`.
    pub fn with_postings(whole: &[u8], byte: u8) -> Image {
        damaged(whole, byte, |layout| layout.postings.clone())
    }

    #[test]
    fn sizes_beyond_what_can_be_addressed_are_no_layout() {
        let header = Header { n_posting_words: u64::MAX / 2, ..Header::zeroed() };
        assert!(header.layout().is_none());
        assert!(Header { n_terms: u64::MAX, ..Header::zeroed() }.layout().is_none());
        assert_eq!(size_of::<Header>() % size_of::<u64>(), 0);
        assert_eq!(size_of::<TermEntry>(), 40);
    }
}
