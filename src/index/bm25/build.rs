//! Building the index: analysis and counting in parallel over documents, then one pass that puts postings in order.
//!
//! Terms are numbered by first occurrence in the corpus, however many threads there are: the same input gives the same
//! index.

use std::collections::HashMap;
use std::sync::Mutex;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{Bm25, Parameters};
use crate::types::ChunkId;

/// Blocks of documents per thread, so that one slow block does not leave the others waiting.
const BLOCKS_PER_THREAD: usize = 4;

/// Some documents in a row, analysed, with a numbering of terms of their own.
#[derive(Default)]
struct Block {
    /// Its terms in the order of first occurrence.
    terms: Vec<Box<str>>,
    /// (term, count) of all its documents, one after the other.
    counts: Vec<(u32, u32)>,
    /// Per document, how many of [`Self::counts`] are its own and how many terms it has in all.
    documents: Vec<(usize, u32)>,
}

impl Bm25 {
    /// Indexes as many documents as there are `ids`. `terms_of` is called once for each document's number, from several
    /// threads, and hands each term of the document, in order, to the function it is given.
    ///
    /// `ids` decide ties and are not kept. Documents without terms count in N and in the mean length.
    pub fn build(
        parameters: &Parameters,
        ids: &[ChunkId],
        terms_of: impl Fn(usize, &mut dyn FnMut(&str)) + Sync,
    ) -> Self {
        let block_size = ids.len().div_ceil(rayon::current_num_threads() * BLOCKS_PER_THREAD).max(1);
        let blocks: Vec<Block> = (0..ids.len().div_ceil(block_size))
            .into_par_iter()
            .map(|block| {
                let first = block * block_size;
                analyse(first..(first + block_size).min(ids.len()), &terms_of)
            })
            .collect();
        let (terms, blocks) = number_terms(blocks);
        let frequencies = frequencies(&blocks, terms.len());
        let idf = parameters.idf(&frequencies, ids.len());
        let absent = parameters.absent_tfc().map(|tfc| idf.iter().map(|idf| idf * tfc).collect::<Vec<f64>>());

        let starts = starts(&frequencies);
        let mut next = starts.clone();
        let n_postings = starts.last().copied().unwrap_or(0);
        let (mut docs, mut shares) = (vec![0; n_postings], vec![0.0; n_postings]);
        let mean_length = mean_length(&blocks, ids.len());
        let mut doc = 0;
        for block in &blocks {
            let mut counts = block.counts.iter();
            for &(n_distinct, length) in &block.documents {
                let relative_length = f64::from(length) / mean_length;
                for &(term, count) in counts.by_ref().take(n_distinct) {
                    let term = term as usize;
                    let share = idf[term] * parameters.tfc(f64::from(count), relative_length);
                    let place = next[term];
                    next[term] += 1;
                    docs[place] = doc;
                    // Adding 0.0 makes a -0.0 positive: that bit pattern means "unmatched" in a search.
                    shares[place] = (share - absent.as_ref().map_or(0.0, |absent| absent[term])) as f32 + 0.0;
                }
                doc += 1;
            }
        }
        let absent = absent.into_iter().flatten().map(|absent| absent as f32).collect();
        Self { terms, starts, docs, shares, absent, order: order(ids), scratch: Mutex::new(Vec::new()) }
    }
}

/// Analyses the documents of `range`.
fn analyse(range: std::ops::Range<usize>, terms_of: &(impl Fn(usize, &mut dyn FnMut(&str)) + Sync)) -> Block {
    let mut block = Block::default();
    let mut numbers: HashMap<Box<str>, u32> = HashMap::new();
    let mut document: Vec<u32> = Vec::new();
    for doc in range {
        document.clear();
        terms_of(doc, &mut |term| {
            let number = numbers.get(term).copied().unwrap_or_else(|| {
                let number = block.terms.len() as u32;
                block.terms.push(term.into());
                numbers.insert(term.into(), number);
                number
            });
            document.push(number);
        });
        document.sort_unstable();
        let distinct = document.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32));
        let before = block.counts.len();
        block.counts.extend(distinct);
        block.documents.push((block.counts.len() - before, document.len() as u32));
    }
    block
}

/// Gives all blocks one numbering: that of first occurrence in the corpus.
fn number_terms(mut blocks: Vec<Block>) -> (HashMap<Box<str>, u32>, Vec<Block>) {
    let mut terms: HashMap<Box<str>, u32> = HashMap::new();
    for block in &mut blocks {
        let mut numbers = Vec::with_capacity(block.terms.len());
        for term in std::mem::take(&mut block.terms) {
            let next = terms.len() as u32;
            numbers.push(*terms.entry(term).or_insert(next));
        }
        for (term, _) in &mut block.counts {
            *term = numbers[*term as usize];
        }
    }
    (terms, blocks)
}

/// How many documents hold each term.
fn frequencies(blocks: &[Block], n_terms: usize) -> Vec<u32> {
    let mut frequencies = vec![0; n_terms];
    for (term, _) in blocks.iter().flat_map(|block| &block.counts) {
        frequencies[*term as usize] += 1;
    }
    frequencies
}

/// Where each term's postings begin, and where the last one's end.
fn starts(frequencies: &[u32]) -> Vec<usize> {
    let ends = frequencies.iter().scan(0, |sum, &frequency| {
        *sum += frequency as usize;
        Some(*sum)
    });
    std::iter::once(0).chain(ends).collect()
}

/// The mean number of terms per document; 0 only where there is no posting to use it.
fn mean_length(blocks: &[Block], n_documents: usize) -> f64 {
    let lengths = blocks.iter().flat_map(|block| &block.documents);
    let sum: u64 = lengths.map(|&(_, length)| u64::from(length)).sum();
    sum as f64 / n_documents.max(1) as f64
}

/// Each document's place when ids are sorted ascending.
fn order(ids: &[ChunkId]) -> Vec<u32> {
    let mut sorted: Vec<u32> = (0..ids.len() as u32).collect();
    sorted.sort_by(|&a, &b| ids[a as usize].cmp(&ids[b as usize]));
    let mut order = vec![0; ids.len()];
    for (place, &doc) in sorted.iter().enumerate() {
        order[doc as usize] = place as u32;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(texts: &[&str]) -> Bm25 {
        let ids: Vec<ChunkId> = (0..texts.len()).map(|n| ChunkId::from(format!("d{n}"))).collect();
        Bm25::build(&Parameters::default(), &ids, |doc, each| texts[doc].split_whitespace().for_each(each))
    }

    #[test]
    fn postings_of_a_term_name_its_documents_in_order() {
        let index = built(&["a b a", "", "b c", "a"]);
        let term = index.terms["a"] as usize;
        assert_eq!(index.docs[index.starts[term]..index.starts[term + 1]], [0, 3]);
        assert_eq!((index.n_documents(), index.n_terms()), (4, 3));
    }

    #[test]
    fn terms_are_numbered_by_first_occurrence_on_any_number_of_threads() {
        let texts: Vec<String> = (0..100).map(|n| format!("t{} t{} t{}", n % 17, n % 5, n)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let on = |n_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().expect("a pool");
            pool.install(|| built(&texts))
        };
        let (one, three) = (on(1), on(3));
        assert_eq!(one.terms, three.terms);
        assert_eq!((one.starts, one.docs), (three.starts, three.docs));
        assert_eq!(one.shares, three.shares);
        assert_eq!((one.terms["t0"], one.terms["t1"], one.terms["t5"]), (0, 1, 5));
    }

    #[test]
    fn nothing_but_empty_documents_is_an_index_too() {
        assert_eq!(built(&["", " "]).search(&["a"], 10), []);
        assert_eq!(built(&[]).search(&["a"], 10), []);
    }
}
