//! Building the index: words are numbered in parallel over blocks of documents, each new word is made a term, the blocks are
//! inverted in parallel, then weighed in parallel over ranges of terms, whose postings are written in their order.
//!
//! The index is never in memory next to the blocks that it is made of, unless it has no file. Terms are numbered by first
//! occurrence in the corpus, and nothing depends on where blocks and ranges begin: the same input gives the same bytes on any
//! number of threads.

use std::io::{self, Cursor, Seek, Write};
use std::ops::Range;

use bytemuck::{Zeroable, cast, cast_slice, cast_slice_mut};
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use super::block::{DROPPED, InvertedBlock, WordBlock};
use super::image::{Header, Image, ImageWriter, RANKS, TermEntry, WINDOW};
use super::vocabulary::Vocabulary;
use super::weighting::Weigher;
use super::words::IndexedWords;
use super::{SparseIndex, Weighting};
use ragtriage_core::types::ChunkId;

/// Blocks of documents per thread, so that one slow block does not leave the others waiting.
const BLOCKS_PER_THREAD: usize = 4;

/// Minimum number of documents per block: fewer do not justify a separate vocabulary.
const SMALLEST_BLOCK: usize = 64;

/// Maximum number of documents per block. Smaller blocks repeat more terms, larger ones need a larger table of words.
const LARGEST_BLOCK: usize = 1 << 13;

/// Postings that one task weighs, at least: they fit a second-level cache.
const POSTINGS_PER_TASK: u64 = 1 << 17;

impl SparseIndex {
    /// Indexes as many documents of `source` as there are `ids`, in memory.
    ///
    /// `ids` decide ties and are not stored. Documents without terms count in N and in the mean length.
    ///
    /// # Panics
    /// Beyond 2^32 documents, or 4 GiB of distinct words.
    pub fn build(
        weighting: &Weighting,
        ids: impl ExactSizeIterator<Item = ChunkId>,
        source: &dyn IndexedWords,
    ) -> Self {
        Self::new(InvertedCorpus::new(ids, source).image(weighting))
    }
}

/// Inverted blocks of documents whose terms share one numbering, by first occurrence in the corpus.
pub(super) struct InvertedCorpus {
    blocks: Vec<InvertedBlock>,
    vocabulary: Vocabulary,
    /// Number of documents of each term.
    frequencies: Vec<u32>,
    /// The rank of each document's id among all ids in ascending order.
    order: Vec<u32>,
}

impl InvertedCorpus {
    /// Analyses and counts; the parameters are those of [`SparseIndex::build`].
    pub(super) fn new(
        ids: impl ExactSizeIterator<Item = ChunkId>,
        source: &dyn IndexedWords,
    ) -> Self {
        let n_documents = ids.len();
        assert!(u32::try_from(n_documents).is_ok(), "{n_documents} documents are more than 2^32");
        let n_at_once = rayon::current_num_threads() * BLOCKS_PER_THREAD;
        // A power of two, so that no block lies in two windows.
        let block_size = (n_documents / n_at_once).next_power_of_two();
        let block_size = block_size.clamp(SMALLEST_BLOCK, LARGEST_BLOCK);
        let mut corpus = Self {
            blocks: Vec::with_capacity(n_documents.div_ceil(block_size)),
            vocabulary: Vocabulary::default(),
            frequencies: Vec::new(),
            order: order(ids),
        };
        let mut terms = WordTerms::default();
        for first in (0..n_documents).step_by(n_at_once * block_size) {
            let last = n_documents.min(first + n_at_once * block_size);
            let block = |number: usize| {
                let start = first + number * block_size;
                WordBlock::new(start..last.min(start + block_size), source)
            };
            let blocks = (0..(last - first).div_ceil(block_size)).into_par_iter();
            corpus.absorb(blocks.map(block).collect(), &mut terms, source);
        }
        corpus
    }

    /// Adds the blocks after those that were added.
    fn absorb(&mut self, blocks: Vec<WordBlock>, terms: &mut WordTerms, source: &dyn IndexedWords) {
        let numbered = blocks.into_iter().map(|block| {
            let numbers = terms.of(&block.vocabulary, &mut self.vocabulary, source);
            (block, numbers)
        });
        let numbered: Vec<_> = numbered.collect();
        self.frequencies.resize(self.vocabulary.len(), 0);
        let inverted = numbered.into_par_iter();
        let inverted = inverted.map(|(block, numbers)| block.inverted(&numbers));
        for (block, frequencies) in inverted.collect::<Vec<_>>() {
            for (term, frequency) in block.terms().zip(frequencies) {
                self.frequencies[term as usize] += frequency;
            }
            self.blocks.push(block);
        }
    }

    /// Returns the index in memory.
    pub(super) fn image(&self, weighting: &Weighting) -> Image {
        let n_postings: u64 = self.frequencies.iter().map(|&n| u64::from(n)).sum();
        let n_runs: usize = self.blocks.iter().map(InvertedBlock::n_terms).sum();
        let most = Header {
            // A term has one run in each window, so at most one in each block; its documents fill whole words.
            n_posting_words: n_postings * 3 / 2 + (self.frequencies.len() + 2 * n_runs) as u64,
            ..self.header(weighting)
        };
        let mut words = vec![0_u64; most.size().expect("it can be addressed") / size_of::<u64>()];
        let mut bytes = Cursor::new(cast_slice_mut::<u64, u8>(&mut words));
        let header = self.write(weighting, &mut bytes);
        Image::in_memory(words, header.expect("memory takes as many bytes"))
    }

    /// Returns the header without what is known at the end.
    fn header(&self, weighting: &Weighting) -> Header {
        Header {
            tfidf: u32::from(*weighting == Weighting::Tfidf),
            n_documents: self.order.len() as u64,
            n_terms: self.frequencies.len() as u64,
            n_slots: self.vocabulary.slots.len() as u64,
            n_text_bytes: self.vocabulary.text.len() as u64,
            ..Header::zeroed()
        }
    }

    /// Writes the index, and returns its header.
    pub(super) fn write(
        &self,
        weighting: &Weighting,
        to: &mut (impl Write + Seek),
    ) -> io::Result<Header> {
        let (frequencies, text) = (&self.frequencies, &self.vocabulary);
        let lengths = self.blocks.iter().flat_map(|block| &block.lengths);
        let lengths: Vec<u32> = lengths.copied().collect();
        let weigher = Weigher::new(weighting, frequencies, &lengths, |each| {
            for block in &self.blocks {
                block.postings(&(0..u32::MAX), |term, document, count| {
                    each(term as usize, document, count);
                });
            }
        });
        drop(lengths);
        let mut header = self.header(weighting);
        let mut writer = ImageWriter::new(to)?;
        let mut terms: Vec<TermEntry> = Vec::with_capacity(frequencies.len() + 1);
        for ranges in self.ranges().chunks(rayon::current_num_threads()) {
            let weighed = ranges.par_iter().map(|range| self.weighed(range, &weigher));
            for weighed in weighed.collect::<Vec<_>>() {
                writer.append(cast_slice(&weighed.postings))?;
                terms.extend(weighed.terms.into_iter().map(|term| TermEntry {
                    postings: header.n_posting_words + term.postings,
                    ..term
                }));
                header.n_posting_words += weighed.postings.len() as u64;
                header.negative |= u32::from(weighed.negative);
            }
        }
        writer.end_section()?;
        terms.push(TermEntry { postings: header.n_posting_words, ..TermEntry::zeroed() });
        for (next, end) in terms[1..].iter_mut().zip(&text.ends) {
            next.text = *end;
        }
        writer.section(cast_slice(&terms))?;
        writer.section(cast_slice(&text.slots))?;
        writer.section(&text.text)?;
        writer.section(cast_slice(&self.order))?;
        writer.finish(header)
    }

    /// Returns ranges of terms with at least [`POSTINGS_PER_TASK`] postings.
    fn ranges(&self) -> Vec<Range<u32>> {
        let (mut ranges, mut start, mut n_postings) = (Vec::new(), 0, 0);
        for (end, &frequency) in (1..).zip(&self.frequencies) {
            n_postings += u64::from(frequency);
            if n_postings >= POSTINGS_PER_TASK {
                ranges.push(start..end);
                (start, n_postings) = (end, 0);
            }
        }
        ranges.push(start..self.frequencies.len() as u32);
        ranges
    }

    fn weighed(&self, range: &Range<u32>, weigher: &Weigher) -> WeighedTerms {
        let frequencies = &self.frequencies[range.start as usize..range.end as usize];
        let mut n_postings = 0;
        let start = |&frequency: &u32| {
            let start = n_postings;
            n_postings += frequency as usize;
            start
        };
        // The place of each term's next posting: once all are placed, the end of the term's.
        let mut next: Vec<usize> = frequencies.iter().map(start).collect();
        let mut placed: Vec<(u32, u32)> = vec![(0, 0); n_postings];
        for block in &self.blocks {
            block.postings(range, |term, document, count| {
                let next = &mut next[(term - range.start) as usize];
                placed[*next] = (document as u32, count);
                *next += 1;
            });
        }
        let mut weighed = WeighedTerms {
            postings: Vec::with_capacity(2 * n_postings),
            terms: Vec::with_capacity(range.len()),
            negative: false,
        };
        let mut start = 0;
        for (term, end) in range.clone().zip(next) {
            weighed.push(term as usize, &placed[start..end], weigher);
            start = end;
        }
        weighed
    }
}

/// The words of the corpus with their terms: each is analysed once, however often it occurs.
#[derive(Default)]
struct WordTerms {
    words: Vocabulary,
    /// The number of each word's term; [`DROPPED`] for a word without.
    terms: Vec<u32>,
}

impl WordTerms {
    /// Returns the number of each word's term; a new term is added to `vocabulary`.
    fn of(
        &mut self,
        words: &Vocabulary,
        vocabulary: &mut Vocabulary,
        source: &dyn IndexedWords,
    ) -> Vec<u32> {
        let number = |word: &[u8]| {
            let number = self.words.number(word) as usize;
            if number == self.terms.len() {
                let word = std::str::from_utf8(word).expect("a word is text");
                let term = source.term(word);
                let term = term.map_or(DROPPED, |term| vocabulary.number(term.as_bytes()));
                self.terms.push(term);
            }
            self.terms[number]
        };
        words.iter().map(number).collect()
    }
}

/// Returns the rank of each id among all ids in ascending order.
fn order(ids: impl Iterator<Item = ChunkId>) -> Vec<u32> {
    let ids: Vec<ChunkId> = ids.collect();
    let mut sorted: Vec<u32> = (0..ids.len() as u32).collect();
    sorted.par_sort_by(|&a, &b| ids[a as usize].cmp(&ids[b as usize]));
    let mut order = vec![0; ids.len()];
    for (rank, document) in (0..).zip(sorted) {
        order[document as usize] = rank;
    }
    order
}

/// The postings of a range of terms in the form of the index.
struct WeighedTerms {
    postings: Vec<u32>,
    /// Their entries, whose postings are counted from the first of `postings`, without their texts.
    terms: Vec<TermEntry>,
    /// True if a share is negative.
    negative: bool,
}

impl WeighedTerms {
    /// Adds the term of that number, with its documents and their counts.
    fn push(&mut self, number: usize, placed: &[(u32, u32)], weigher: &Weigher) {
        let window = |document: u32| document / WINDOW as u32;
        let mut entry = TermEntry {
            postings: self.postings.len() as u64,
            absent: weigher.absent(number) as f32,
            ..TermEntry::zeroed()
        };
        let mut end = 0;
        for run in placed.chunk_by(|a, b| window(a.0) == window(b.0)) {
            end += run.len() as u32;
            self.postings.extend([window(run[0].0), end]);
            entry.n_runs += 1;
        }
        let first = self.postings.len();
        let shares = placed.iter().map(|&(document, count)| {
            let share = weigher.share(number, document as usize, count);
            share.to_bits()
        });
        self.postings.extend(shares);
        let shares: &[f32] = cast_slice(&self.postings[first..]);
        entry.largest = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        entry.ranked = ranked(shares);
        self.negative |= shares.iter().any(|&share| share < 0.0);
        self.terms.push(entry);
        let index = |at: Option<&(u32, u32)>| at.map_or(0, |at| (at.0 % WINDOW as u32) as u16);
        let pairs = placed.chunks(2);
        let pairs =
            pairs.map(|pair| cast::<[u16; 2], u32>([index(pair.first()), index(pair.get(1))]));
        self.postings.extend(pairs);
    }
}

/// Returns the shares of the [`RANKS`]; 0 where there are fewer shares.
fn ranked(shares: &[f32]) -> [f32; RANKS.len()] {
    let mut sorted = Vec::new();
    RANKS.map(|rank| {
        if rank > shares.len() {
            return 0.0;
        }
        if sorted.is_empty() {
            sorted.extend_from_slice(shares);
        }
        let (_, share, _) = sorted.select_nth_unstable_by(rank - 1, |a, b| b.total_cmp(a));
        *share
    })
}

#[cfg(test)]
mod tests {
    use super::super::words::{TermsOf, split};
    use super::*;

    fn built(texts: &[&str]) -> SparseIndex {
        let ids = (0..texts.len()).map(|n| ChunkId::from(format!("d{n}")));
        SparseIndex::build(&Weighting::default(), ids, &split(texts))
    }

    #[test]
    fn postings_of_a_term_name_its_documents_in_order() {
        let index = built(&["a b a", "", "b c", "a"]);
        let (_, postings) =
            index.image.find("a").and_then(|number| index.image.term(number)).expect("a term");
        assert_eq!(postings.of_window(0).0, [0, 3]);
        assert_eq!(index.n_documents(), 4);
    }

    #[test]
    fn the_same_input_gives_the_same_bytes_on_any_number_of_threads() {
        let texts: Vec<String> =
            (0..1000).map(|n| format!("t{} t{} t{n} t{}", n % 17, n % 5, n % 17)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let on = |n_threads| {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().expect("a pool");
            pool.install(|| built(&texts))
        };
        let (one, three) = (on(1), on(3));
        assert!(one.image.bytes() == three.image.bytes());
        assert_eq!(
            ["t0", "t1", "t5"].map(|term| one.image.find(term)),
            [Some(0), Some(1), Some(5)]
        );
    }

    #[test]
    fn postings_go_on_in_the_next_window() {
        // `all` in every document, `edge` in the last of one window and the first of the next, `late` in the last one.
        let n_documents = WINDOW + 100;
        let ids = (0..n_documents).map(|n| ChunkId::from(format!("d{n:06}")));
        let index = SparseIndex::build(
            &Weighting::default(),
            ids,
            &TermsOf(|document, each| {
                each("all");
                if document == WINDOW - 1 || document == WINDOW {
                    each("edge");
                }
                if document == n_documents - 1 {
                    each("late");
                }
            }),
        );
        let found = |term| {
            index.search(&[term], 3, None).iter().map(|&(doc, _)| doc as usize).collect::<Vec<_>>()
        };
        assert_eq!(found("edge"), [WINDOW, WINDOW - 1]);
        assert_eq!(found("late"), [n_documents - 1]);
        assert_eq!(index.search(&["all"], n_documents, None).len(), n_documents);
        // The rarest first; `all` is in the longer documents, too, but counts for less there.
        assert_eq!(found("all"), [n_documents - 2, n_documents - 3, n_documents - 4]);
    }

    #[test]
    fn nothing_but_empty_documents_is_an_index_too() {
        for weighting in [Weighting::default(), Weighting::Tfidf] {
            for n_documents in [0, 2] {
                let ids = vec![ChunkId::from("d"); n_documents].into_iter();
                let index = SparseIndex::build(&weighting, ids, &TermsOf(|_, _| ()));
                assert_eq!(index.search(&["a"], 10, None), []);
            }
        }
    }
}
