//! A run of consecutive documents: its words, then for each term the documents that contain it and its counts.
//!
//! Postings take two to three bytes each, so that building an index takes less memory than the index itself. The
//! documents' words are held for a few blocks at a time.

use std::ops::Range;

use super::vocabulary::Vocabulary;
use super::words::IndexedWords;

/// The number of a word that is dropped.
pub(super) const DROPPED: u32 = u32::MAX;

/// A range of documents as words.
pub(super) struct WordBlock {
    /// The number of its first document.
    first: usize,
    /// Number of words of each document.
    lengths: Vec<u32>,
    /// All words of all documents, each as its number in `vocabulary`.
    words: Vec<u32>,
    /// Its words, numbered by first occurrence in the block.
    pub(super) vocabulary: Vocabulary,
}

impl WordBlock {
    /// Reads the documents of `range`, at most 65,536.
    pub(super) fn new(range: Range<usize>, source: &dyn IndexedWords) -> Self {
        let first = range.start;
        let mut vocabulary = Vocabulary::default();
        let (mut words, mut lengths) = (Vec::new(), Vec::with_capacity(range.len()));
        for document in range {
            let before = words.len();
            source.words(document, &mut |word| {
                words.push(vocabulary.number(word.as_bytes()));
            });
            lengths.push((words.len() - before) as u32);
        }
        Self { first, lengths, words, vocabulary }
    }

    /// Inverts the block; `terms` are the numbers in the corpus of its words' terms, [`DROPPED`] for a word without. The second
    /// result is the number of its documents that contain each of its terms.
    pub(super) fn inverted(self, terms: &[u32]) -> (InvertedBlock, Vec<u32>) {
        let Self { first, mut lengths, words, vocabulary: _ } = self;
        let (own_terms, own_numbers) = own_numbers(terms);
        let mut occurrences = Vec::with_capacity(words.len());
        let mut rest = words.iter();
        for length in &mut lengths {
            let before = occurrences.len();
            let document = rest.by_ref().take(*length as usize);
            let numbers = document.map(|&word| own_numbers[word as usize]);
            occurrences.extend(numbers.filter(|&number| number != DROPPED));
            *length = (occurrences.len() - before) as u32;
        }
        drop(words);
        let (documents, ends) = invert(&occurrences, &lengths, own_terms.len());
        drop(occurrences);
        let mut terms = Vec::with_capacity(own_terms.len());
        let mut coded = Vec::with_capacity(2 * documents.len());
        let mut frequencies = Vec::with_capacity(own_terms.len());
        let mut start = 0;
        for (term, end) in own_terms.into_iter().zip(ends) {
            let documents = &documents[start..end as usize];
            start = end as usize;
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
            let end = u32::try_from(coded.len()).expect("the postings of a block fit in 4 GiB");
            terms.push((term, end));
        }
        coded.shrink_to_fit();
        let block = InvertedBlock { first, lengths, terms, coded };
        (block, frequencies)
    }
}

/// Numbers the terms of a block's words in the order of their numbers in the corpus, `terms`: returns the distinct ones, ascending,
/// and the new number of each word's term, [`DROPPED`] for a word without.
fn own_numbers(terms: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut words: Vec<usize> = (0..terms.len()).collect();
    words.retain(|&word| terms[word] != DROPPED);
    words.sort_unstable_by_key(|&word| terms[word]);
    let (mut distinct, mut numbers) = (Vec::new(), vec![DROPPED; terms.len()]);
    for same in words.chunk_by(|&a, &b| terms[a] == terms[b]) {
        for &word in same {
            numbers[word] = distinct.len() as u32;
        }
        distinct.push(terms[same[0]]);
    }
    (distinct, numbers)
}

/// An inverted range of documents.
pub(super) struct InvertedBlock {
    /// The number of its first document.
    pub(super) first: usize,
    /// Number of terms of each document.
    pub(super) lengths: Vec<u32>,
    /// The number in the corpus of each term, ascending, and the end of its postings in `coded`.
    terms: Vec<(u32, u32)>,
    /// For each term, each posting's distance from the previous document (from `first` - 1) and its count.
    coded: Vec<u8>,
}

impl InvertedBlock {
    /// Returns the terms' numbers in the corpus, ascending.
    pub(super) fn terms(&self) -> impl Iterator<Item = u32> {
        self.terms.iter().map(|&(term, _)| term)
    }

    /// Returns the number of its terms.
    pub(super) fn n_terms(&self) -> usize {
        self.terms.len()
    }

    /// Calls `each` with every posting of the terms in `range`: the term's number, the document's number, the count; terms
    /// ascending, documents ascending within a term.
    pub(super) fn postings(&self, range: &Range<u32>, mut each: impl FnMut(u32, usize, u32)) {
        let first = self.terms.partition_point(|&(term, _)| term < range.start);
        let before = first.checked_sub(1).map_or(0, |before| self.terms[before].1);
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
    use super::super::words::split;
    use super::*;

    #[test]
    fn a_block_gives_back_the_postings_of_its_documents() {
        let texts = ["a b a", "", "b c the A", "a"];
        let block = WordBlock::new(0..4, &split(&texts));
        assert_eq!(block.vocabulary.len(), 5);
        // `a`, `b` and `c` have the numbers 7, 3 and 5 in the corpus; `the` is dropped, and `A` has the term of `a`.
        let (block, frequencies) = block.inverted(&[7, 3, 5, DROPPED, 7]);
        assert_eq!(block.lengths, [3, 0, 3, 1]);
        assert_eq!(block.terms().collect::<Vec<_>>(), [3, 5, 7]);
        assert_eq!(frequencies, [2, 1, 3]);
        let postings = |range| {
            let mut postings = Vec::new();
            let each = |term, document, count| postings.push((term, document, count));
            block.postings(&range, each);
            postings
        };
        let all = [(3, 0, 1), (3, 2, 1), (5, 2, 1), (7, 0, 2), (7, 2, 1), (7, 3, 1)];
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
