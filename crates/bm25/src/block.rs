//! A run of consecutive documents, analysed and inverted: for each term, the documents that contain it and its counts.
//!
//! Stored in two to three bytes per posting until all blocks are built, so that building an index of N postings takes
//! little more memory than the index itself. The documents' terms are held for at most one block per thread.

use std::ops::Range;

use super::vocabulary::{TermNumbers, TermTexts};

/// An inverted range of documents.
pub(super) struct InvertedBlock {
    /// The number of its first document.
    pub(super) first: usize,
    /// Number of terms of each document.
    pub(super) lengths: Vec<u32>,
    /// Its terms, numbered by first occurrence in the block.
    pub(super) terms: TermTexts,
    /// Number of its documents that contain each term.
    pub(super) frequencies: Vec<u32>,
    /// For each term, each posting's distance from the previous document (from `first` - 1) and its count.
    coded: Vec<u8>,
}

impl InvertedBlock {
    /// Analyses the documents of `range`, at most 65,536.
    pub(super) fn new(
        range: Range<usize>,
        terms_of: &(impl Fn(usize, &mut dyn FnMut(&str)) + Sync),
    ) -> Self {
        let first = range.start;
        let mut vocabulary = TermNumbers::default();
        // All terms of all documents in order, and the end of each document.
        let (mut terms, mut lengths) = (Vec::new(), Vec::with_capacity(range.len()));
        for document in range {
            let before = terms.len();
            terms_of(document, &mut |term| {
                terms.push(vocabulary.number(term.as_bytes()));
            });
            lengths.push((terms.len() - before) as u32);
        }
        let (documents, mut ends) = invert(&terms, &lengths, vocabulary.terms().len());
        drop(terms);
        let mut coded = Vec::with_capacity(2 * documents.len());
        let mut start = 0;
        for end in &mut ends {
            let documents = &documents[start..*end as usize];
            start = *end as usize;
            let (mut before, mut frequency) = (None, 0);
            for same in documents.chunk_by(|a, b| a == b) {
                push(
                    &mut coded,
                    u32::from(same[0]) - before.map_or(0, |before: u16| u32::from(before) + 1),
                );
                push(&mut coded, same.len() as u32);
                before = Some(same[0]);
                frequency += 1;
            }
            *end = frequency;
        }
        coded.shrink_to_fit();
        Self {
            first,
            lengths,
            terms: vocabulary.into_terms(),
            frequencies: ends,
            coded,
        }
    }

    /// Calls `each` with every posting: the term's number in the block, the document's number, the count; terms in
    /// order, documents ascending within a term.
    pub(super) fn postings(&self, mut each: impl FnMut(usize, usize, u32)) {
        let mut coded = self.coded.iter();
        for (term, &frequency) in self.frequencies.iter().enumerate() {
            let mut document = self.first;
            for _ in 0..frequency {
                document += pull(&mut coded) as usize;
                each(term, document, pull(&mut coded));
                document += 1;
            }
        }
    }
}

/// Sorts the occurrences `terms` by term: returns the documents of each (as indexes in the block) in order, one entry
/// for each occurrence, and the end of each term's entries.
fn invert(terms: &[u32], lengths: &[u32], n_terms: usize) -> (Vec<u16>, Vec<u32>) {
    // Shifted by one, so that each becomes its term's start, and once the entries are in place its end.
    let mut ends = vec![0_u32; n_terms + 1];
    for &term in terms {
        ends[term as usize + 1] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    let mut documents = vec![0; terms.len()];
    let mut rest = terms.iter();
    for (document, &length) in lengths.iter().enumerate() {
        for &term in rest.by_ref().take(length as usize) {
            let place = &mut ends[term as usize];
            documents[*place as usize] = document as u16;
            *place += 1;
        }
    }
    ends.truncate(n_terms);
    (documents, ends)
}

/// Appends seven bits per byte, the lowest first; a set eighth bit means that more follow (LEB128).
fn push(coded: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        coded.push(value as u8 | 0x80);
        value >>= 7;
    }
    coded.push(value as u8);
}

fn pull<'a>(coded: &mut impl Iterator<Item = &'a u8>) -> u32 {
    let (mut value, mut shift) = (0, 0);
    for &byte in coded {
        value |= u32::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_gives_back_the_postings_of_its_documents() {
        let texts = ["a b a", "", "b c", "a"];
        let block = InvertedBlock::new(0..4, &|document, each| {
            texts[document].split_whitespace().for_each(each);
        });
        let mut postings = Vec::new();
        block.postings(|term, document, count| postings.push((term, document, count)));
        assert_eq!(
            postings,
            [(0, 0, 2), (0, 3, 1), (1, 0, 1), (1, 2, 1), (2, 2, 1)]
        );
        assert_eq!(
            (block.lengths, block.frequencies),
            (vec![3, 0, 2, 1], vec![2, 2, 1])
        );
    }

    #[test]
    fn numbers_of_every_size_read_as_they_were_written() {
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u32::MAX];
        let mut coded = Vec::new();
        for number in numbers {
            push(&mut coded, number);
        }
        let mut bytes = coded.iter();
        assert_eq!(numbers.map(|_| pull(&mut bytes)), numbers);
        assert_eq!(bytes.next(), None);
    }
}
