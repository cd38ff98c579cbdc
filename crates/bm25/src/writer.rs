//! Writes an index from its first byte to its last, its header at the end.

use std::io::{self, Seek, SeekFrom, Write};

use bytemuck::{Zeroable, bytes_of, cast_slice};

use super::image::{BLOCK, Header};

/// Writes the sections of an index in the order of `image.rs`, and checksums them.
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
