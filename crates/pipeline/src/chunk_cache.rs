//! Chunk ranges in files, so that the same corpus is not chunked again with the same settings.
//!
//! A file is named by a hash of all that its ranges depend on: settings, counter, versions of their code, and the texts in
//! their order. It holds numbers alone: of each document, how many chunks it has, then start, end and tokens of each. A file
//! that is damaged or cut off is a miss, and is replaced with a notice.

use std::io::Read as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::content_hash::ContentHash;
use super::plan::Plan;
use crate::Error;
use ragtriage_bm25::cache_file;
use ragtriage_core::chunk::{self, ChunkSpec, chunk_documents};
use ragtriage_core::notices::READ_ONLY_CACHE;
use ragtriage_core::text::tokens;
use ragtriage_core::types::{ByteRange, Chunk, Document};

/// Extension of a file's name.
const EXTENSION: &str = "chunks";

/// The first bytes of a file, and part of its name. A change of the format or its meaning needs another version.
const MAGIC: [u8; 8] = *b"chunks 1";

/// Chunks `documents` as `plan` specifies, or reads the chunks from the plan's cache.
///
/// # Errors
/// An external chunk that has no place in its document.
pub(crate) fn chunked(documents: &[Document], plan: &Plan) -> Result<Vec<Chunk>, Error> {
    let path = plan.chunk_cache.as_deref().and_then(|folder| {
        // External chunks are in a file already.
        let is_own = plan.chunking.foreign().is_none();
        is_own.then(|| path(folder, &plan.chunking, &plan.chunk_counter_id, documents))
    });
    if let Some(bytes) = path.as_deref().and_then(read) {
        if let Some(chunks) = decoded(&bytes, documents) {
            return Ok(chunks);
        }
        let notice = "the cached chunks were damaged; chunked again";
        plan.retrieval.notices.say(notice.to_owned());
    }
    let chunks = chunk_documents(documents, &plan.chunking, plan.chunk_counter.as_ref())?;
    let encoded = path.and_then(|path| Some((path, encoded(documents, &chunks)?)));
    if let Some((path, bytes)) = encoded
        && let Err(error) = cache_file::write(&path, |file| file.write_all(&bytes))
    {
        let notice = if cache_file::is_read_only(&error) {
            READ_ONLY_CACHE.to_owned()
        } else {
            let path = path.display();
            format!("cannot write `{path}`: {error}; the chunks are not cached")
        };
        plan.retrieval.notices.say(notice);
    }
    Ok(chunks)
}

/// Returns the bytes of the file at `path`; `None` if it cannot be read.
fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    cache_file::open(path).ok()??.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn path(folder: &Path, spec: &ChunkSpec, counter_id: &str, documents: &[Document]) -> PathBuf {
    let mut hash = ContentHash::default();
    hash.part(&MAGIC);
    for part in [spec.strategy().name(), spec.tokenizer().name(), counter_id] {
        hash.part(part.as_bytes());
    }
    let versions = [chunk::VERSION, tokens::VERSION].map(|version| version as usize);
    for number in [versions[0], versions[1], spec.size(), spec.overlap(), documents.len()] {
        hash.part(&(number as u64).to_le_bytes());
    }
    hash.parts(documents.len(), |number, hash| {
        hash.part(documents[number].text.as_bytes());
    });
    folder.join(hash.name()).with_extension(EXTENSION)
}

/// Returns the bytes of a file: [`MAGIC`], a checksum of what follows, and all numbers in 32 bits, little endian; `None` if a
/// number has more.
fn encoded(documents: &[Document], chunks: &[Chunk]) -> Option<Vec<u8>> {
    let mut body = Vec::with_capacity((documents.len() + 3 * chunks.len()) * size_of::<u32>());
    let mut push = |number: usize| -> Option<()> {
        body.extend(u32::try_from(number).ok()?.to_le_bytes());
        Some(())
    };
    let mut rest = chunks;
    for number in 0..documents.len() {
        let is_own = |chunk: &&Chunk| chunk.document as usize == number;
        let (own, others) = rest.split_at(rest.iter().take_while(is_own).count());
        push(own.len())?;
        for Chunk { range, n_tokens, .. } in own {
            push(range.start)?;
            push(range.end)?;
            push(*n_tokens as usize)?;
        }
        rest = others;
    }
    let checksum = crc32fast::hash(&body).to_le_bytes();
    Some([&MAGIC[..], &checksum, &body].concat())
}

/// Returns the chunks of `documents` in a file; `None` if it is not exactly such a file.
fn decoded(bytes: &[u8], documents: &[Document]) -> Option<Vec<Chunk>> {
    let bytes = bytes.strip_prefix(&MAGIC)?;
    let (checksum, body) = bytes.split_first_chunk()?;
    let (words, []) = body.as_chunks() else {
        return None;
    };
    if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let mut numbers = words.iter().map(|word| u32::from_le_bytes(*word) as usize);
    let n_chunks = words.len().checked_sub(documents.len())? / 3;
    let mut chunks = Vec::with_capacity(n_chunks);
    for (number, document) in documents.iter().enumerate() {
        for _ in 0..numbers.next()? {
            let range = ByteRange::new(numbers.next()?, numbers.next()?);
            document.text.get(range.as_range())?;
            chunks.push(Chunk::new(number, range, numbers.next()?));
        }
    }
    numbers.next().is_none().then_some(chunks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::chunk::Strategy;
    use ragtriage_core::text::tokens::{Tokenizer, counter};

    fn documents() -> Vec<Document> {
        let texts = ["One two. Three four.", "", "  ", "Zürich lies on a lake."];
        let documents = texts.into_iter().enumerate();
        documents
            .map(|(number, text)| Document {
                id: format!("d{number}").into(),
                title: String::new(),
                text: text.to_owned(),
                metadata: [].into(),
            })
            .collect()
    }

    fn spec(size: usize) -> ChunkSpec {
        ChunkSpec::new(Strategy::Recursive, size, 0, Tokenizer::Words).expect("a valid spec")
    }

    fn chunks(documents: &[Document]) -> Vec<Chunk> {
        let counter = counter(Tokenizer::Words, None).expect("built in");
        chunk_documents(documents, &spec(2), counter.as_ref()).expect("chunks")
    }

    #[test]
    fn a_file_gives_back_the_chunks() {
        let documents = documents();
        let chunks = chunks(&documents);
        assert!(chunks.len() > 4);
        let bytes = encoded(&documents, &chunks).expect("small numbers");
        assert_eq!(decoded(&bytes, &documents), Some(chunks));
    }

    #[test]
    fn a_file_that_is_damaged_or_cut_off_or_of_other_texts_is_a_miss() {
        let documents = documents();
        let bytes = encoded(&documents, &chunks(&documents)).expect("small numbers");
        for length in 0..bytes.len() {
            assert_eq!(decoded(&bytes[..length], &documents), None, "{length} bytes");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert_eq!(decoded(&damaged, &documents), None, "byte {at}");
        }
        assert_eq!(decoded(&bytes, &documents[..3]), None);
        let mut others = documents;
        others[3].text.truncate(10);
        assert_eq!(decoded(&bytes, &others), None);
    }

    #[test]
    fn the_name_depends_on_settings_counter_and_texts_and_not_on_ids() {
        let folder = Path::new("chunks");
        let name = |spec: &ChunkSpec, counter: &str, documents: &[Document]| {
            path(folder, spec, counter, documents)
        };
        let documents = documents();
        let first = name(&spec(2), "", &documents);
        let mut renamed = documents.clone();
        renamed[0].id = "other".into();
        assert_eq!(name(&spec(2), "", &renamed), first);
        let mut changed = documents.clone();
        changed[3].text.push('!');
        let mut moved = documents.clone();
        moved.swap(0, 3);
        let mut names = vec![
            first,
            name(&spec(3), "", &documents),
            name(&spec(2), "model", &documents),
            name(&spec(2), "", &changed),
            name(&spec(2), "", &moved),
            name(&spec(2), "", &documents[..3]),
        ];
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 6);
    }
}
