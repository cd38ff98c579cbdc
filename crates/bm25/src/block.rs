//! A run of consecutive documents, analysed and inverted: for each term, the documents that contain it and its counts.
//!
//! Stored in two to three bytes per posting, so that building an index takes less memory than the index itself. The
//! documents' terms are held for at most one block per thread.

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
    /// End of each term's postings in `coded`.
    ends: Vec<u32>,
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
        let (mut start, mut frequencies) = (0, Vec::with_capacity(ends.len()));
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
            frequencies.push(frequency);
            *end = u32::try_from(coded.len()).expect("the postings of a block fit in 4 GiB");
        }
        coded.shrink_to_fit();
        Self {
            first,
            lengths,
            terms: vocabulary.into_terms(),
            frequencies,
            coded,
            ends,
        }
    }

    /// Orders the postings by `numbers`, those of its terms in the corpus.
    pub(super) fn numbered(self, numbers: &[u32]) -> NumberedBlock {
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_unstable_by_key(|&term| numbers[term]);
        let mut coded = Vec::with_capacity(self.coded.len());
        let mut terms = Vec::with_capacity(numbers.len());
        for term in order {
            let start = term.checked_sub(1).map_or(0, |before| self.ends[before]);
            coded.extend(&self.coded[start as usize..self.ends[term] as usize]);
            terms.push((numbers[term], coded.len() as u32));
        }
        NumberedBlock {
            first: self.first,
            lengths: self.lengths,
            terms,
            coded,
        }
    }
}

/// An inverted range of documents whose terms have the numbers of the corpus.
pub(super) struct NumberedBlock {
    /// The number of its first document.
    pub(super) first: usize,
    /// Number of terms of each document.
    pub(super) lengths: Vec<u32>,
    /// The number of each term, ascending, and the end of its postings in `coded`.
    terms: Vec<(u32, u32)>,
    /// As in [`InvertedBlock`].
    coded: Vec<u8>,
}

impl NumberedBlock {
    /// Returns the number of its terms.
    pub(super) fn n_terms(&self) -> usize {
        self.terms.len()
    }

    /// Calls `each` with every posting of the terms in `range`: the term's number, the document's number, the count; terms
    /// ascending, documents ascending within a term.
    pub(super) fn postings(&self, range: &Range<u32>, mut each: impl FnMut(u32, usize, u32)) {
        let first = self.terms.partition_point(|&(term, _)| term < range.start);
        let before = first
            .checked_sub(1)
            .map_or(0, |before| self.terms[before].1);
        let mut start = before as usize;
        let terms = self.terms[first..].iter();
        for &(term, end) in terms.take_while(|(term, _)| *term < range.end) {
            let (mut coded, mut document) = (&self.coded[start..end as usize], self.first);
            while !coded.is_empty() {
                document += pull(&mut coded) as usize;
                each(term, document, pull(&mut coded));
                document += 1;
            }
            start = end as usize;
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

fn pull(coded: &mut &[u8]) -> u32 {
    let (mut value, mut shift) = (0, 0);
    while let Some((&byte, rest)) = coded.split_first() {
        *coded = rest;
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
        assert_eq!(
            (&*block.lengths, &*block.frequencies),
            (&[3, 0, 2, 1][..], &[2, 2, 1][..])
        );
        // `a`, `b` and `c` have the numbers 7, 3 and 5 in the corpus.
        let block = block.numbered(&[7, 3, 5]);
        let postings = |range| {
            let mut postings = Vec::new();
            let each = |term, document, count| postings.push((term, document, count));
            block.postings(&range, each);
            postings
        };
        let all = [(3, 0, 1), (3, 2, 1), (5, 2, 1), (7, 0, 2), (7, 3, 1)];
        assert_eq!(postings(0..8), all);
        assert_eq!(postings(4..7), all[2..3]);
    }

    #[test]
    fn numbers_of_every_size_read_as_they_were_written() {
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u32::MAX];
        let mut coded = Vec::new();
        for number in numbers {
            push(&mut coded, number);
        }
        let mut bytes = &coded[..];
        assert_eq!(numbers.map(|_| pull(&mut bytes)), numbers);
        assert!(bytes.is_empty());
    }
}
