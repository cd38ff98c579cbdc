//! Building the index: analysis and counting in parallel over blocks of documents, then one pass that puts postings in
//! place, and another, in parallel over terms, that turns counts into shares.
//!
//! Terms are numbered by first occurrence in the corpus, and nothing depends on where blocks begin: the same input
//! gives the same bytes on any number of threads.

use bytemuck::Zeroable;
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefMutIterator, ParallelIterator,
};
use rayon::slice::ParallelSliceMut;

use super::block::InvertedBlock;
use super::image::{Header, Image, RANKS, Run, Sections, TermEntry, WINDOW};
use super::vocabulary::TermNumbers;
use super::weighting::Weigher;
use super::{SparseIndex, Weighting};
use ragtriage_core::types::ChunkId;

/// Blocks of documents per thread, so that one slow block does not leave the others waiting.
const BLOCKS_PER_THREAD: usize = 4;

/// Minimum number of documents per block: fewer do not justify a separate vocabulary.
const SMALLEST_BLOCK: usize = 64;

/// Maximum number of documents per block. A thread's vocabulary then fits its second-level cache.
const LARGEST_BLOCK: usize = 1 << 14;

/// Terms that one task weighs: many, since most terms have one or two postings.
const TERMS_PER_TASK: usize = 256;

impl SparseIndex {
    /// Indexes as many documents as there are `ids`. `terms_of` is called once for each document's number, from several
    /// threads, and passes each term of the document, in order, to the function it is given.
    ///
    /// `ids` decide ties and are not stored. Documents without terms count in N and in the mean length.
    ///
    /// # Panics
    /// Beyond 2^32 documents, or 4 GiB of distinct terms.
    pub fn build(
        weighting: &Weighting,
        ids: &[ChunkId],
        terms_of: impl Fn(usize, &mut dyn FnMut(&str)) + Sync,
    ) -> Self {
        assert!(
            u32::try_from(ids.len()).is_ok(),
            "{} documents are more than 2^32",
            ids.len()
        );
        // A power of two, so that no block lies in two windows.
        let block_size =
            (ids.len() / (rayon::current_num_threads() * BLOCKS_PER_THREAD)).next_power_of_two();
        let block_size = block_size.clamp(SMALLEST_BLOCK, LARGEST_BLOCK);
        let blocks: Vec<InvertedBlock> = (0..ids.len().div_ceil(block_size))
            .into_par_iter()
            .map(|block| {
                InvertedBlock::new(
                    block * block_size..ids.len().min((block + 1) * block_size),
                    &terms_of,
                )
            })
            .collect();
        Self::new(assemble(weighting, ids, Numbered::new(blocks)))
    }
}

/// Blocks whose terms share one numbering, by first occurrence in the corpus.
struct Numbered {
    /// Each block with the numbers of the terms in it.
    blocks: Vec<(Vec<u32>, InvertedBlock)>,
    vocabulary: TermNumbers,
    /// Number of documents of each term.
    frequencies: Vec<u32>,
    /// Number of windows of each term.
    n_runs: Vec<u32>,
}

impl Numbered {
    fn new(blocks: Vec<InvertedBlock>) -> Self {
        let mut vocabulary = TermNumbers::default();
        let (mut frequencies, mut n_runs, mut next_window) = (Vec::new(), Vec::new(), Vec::new());
        let number = |mut block: InvertedBlock| {
            // Only its numbers are needed from here on.
            let numbers = vocabulary.absorb(&std::mem::take(&mut block.terms));
            frequencies.resize(vocabulary.terms().len(), 0);
            n_runs.resize(vocabulary.terms().len(), 0);
            next_window.resize(vocabulary.terms().len(), 0);
            let window = block.first / WINDOW;
            for (&term, frequency) in numbers.iter().zip(&block.frequencies) {
                let term = term as usize;
                frequencies[term] += frequency;
                n_runs[term] += u32::from(next_window[term] <= window);
                next_window[term] = window + 1;
            }
            (numbers, block)
        };
        let blocks = blocks.into_iter().map(number).collect();
        Self {
            blocks,
            vocabulary,
            frequencies,
            n_runs,
        }
    }
}

fn assemble(weighting: &Weighting, ids: &[ChunkId], numbered: Numbered) -> Image {
    let Numbered {
        blocks,
        vocabulary,
        frequencies,
        n_runs,
    } = numbered;
    let header = Header {
        tfidf: u32::from(*weighting == Weighting::Tfidf),
        n_documents: ids.len() as u64,
        n_terms: vocabulary.terms().len() as u64,
        n_slots: vocabulary.n_slots() as u64,
        n_text_bytes: vocabulary.terms().text().len() as u64,
        n_runs: n_runs.iter().map(|&n| u64::from(n)).sum(),
        n_postings: frequencies.iter().map(|&n| u64::from(n)).sum(),
        ..Header::zeroed()
    };
    Image::new(header, |sections| {
        let Sections {
            terms,
            slots,
            text,
            order,
            runs,
            docs,
            shares,
        } = sections;
        slots
            .iter_mut()
            .zip(vocabulary.slots())
            .for_each(|(slot, taken)| *slot = taken);
        text.copy_from_slice(vocabulary.terms().text());
        fill_order(order, ids);
        fill_starts(terms, &vocabulary, &frequencies, &n_runs);
        let lengths: Vec<u32> = blocks
            .iter()
            .flat_map(|(_, block)| &block.lengths)
            .copied()
            .collect();
        place(blocks, terms, runs, docs, shares);
        weigh(weighting, &frequencies, &lengths, terms, runs, docs, shares)
    })
}

/// Fills in each document's rank when ids are sorted ascending.
fn fill_order(order: &mut [u32], ids: &[ChunkId]) {
    let mut sorted: Vec<u32> = (0..ids.len() as u32).collect();
    sorted.par_sort_by(|&a, &b| ids[a as usize].cmp(&ids[b as usize]));
    for (place, &document) in sorted.iter().enumerate() {
        order[document as usize] = place as u32;
    }
}

/// Fills in the start of each term's text, runs and postings; the entry after the last term holds their ends.
fn fill_starts(
    terms: &mut [TermEntry],
    vocabulary: &TermNumbers,
    frequencies: &[u32],
    n_runs: &[u32],
) {
    let (mut text, mut runs, mut postings) = (0, 0_u32, 0);
    let sizes = vocabulary
        .terms()
        .ends()
        .iter()
        .zip(frequencies)
        .zip(n_runs);
    let mut sizes = sizes.map(|((&end, &frequency), &n_runs)| (end, frequency, n_runs));
    for term in terms {
        *term = TermEntry {
            postings,
            text,
            runs,
            ..TermEntry::zeroed()
        };
        let Some((end, frequency, n_runs)) = sizes.next() else {
            break;
        };
        text = end;
        runs = runs.checked_add(n_runs).expect("fewer than 2^32 runs");
        postings += u64::from(frequency);
    }
}

/// Stores every posting's document and count at its final position. Each block is dropped once it is stored, while the pages
/// of the sections are still being filled.
fn place(
    blocks: Vec<(Vec<u32>, InvertedBlock)>,
    terms: &[TermEntry],
    runs: &mut [Run],
    docs: &mut [u16],
    counts: &mut [u32],
) {
    let mut next_posting: Vec<u64> = terms.iter().map(|term| term.postings).collect();
    let mut next_run: Vec<u32> = terms.iter().map(|term| term.runs).collect();
    for (numbers, block) in blocks {
        block.postings(|term, document, count| {
            let place = &mut next_posting[numbers[term] as usize];
            docs[*place as usize] = (document % WINDOW) as u16;
            counts[*place as usize] = count;
            *place += 1;
        });
        let window = (block.first / WINDOW) as u32;
        for &term in &numbers {
            let (term, next_run) = (term as usize, &mut next_run[term as usize]);
            let end = (next_posting[term] - terms[term].postings) as u32;
            // The previous run belongs to this term and window if another block of the window contained the term.
            match (*next_run as usize).checked_sub(1) {
                Some(last) if *next_run > terms[term].runs && runs[last].window == window => {
                    runs[last].end = end;
                }
                _ => {
                    runs[*next_run as usize] = Run { window, end };
                    *next_run += 1;
                }
            }
        }
    }
}

/// One term whose counts are to be turned into shares.
struct Task<'a> {
    number: usize,
    term: &'a mut TermEntry,
    runs: &'a [Run],
    docs: &'a [u16],
    shares: &'a mut [u32],
}

/// Turns counts into shares, and returns true if one is negative.
fn weigh(
    weighting: &Weighting,
    frequencies: &[u32],
    lengths: &[u32],
    terms: &mut [TermEntry],
    mut runs: &[Run],
    mut docs: &[u16],
    mut shares: &mut [u32],
) -> bool {
    let ends: Vec<(u64, u32)> = terms
        .iter()
        .skip(1)
        .map(|next| (next.postings, next.runs))
        .collect();
    let mut tasks: Vec<Task<'_>> = Vec::with_capacity(ends.len());
    for ((number, term), (postings_end, runs_end)) in terms.iter_mut().enumerate().zip(ends) {
        let n_postings = (postings_end - term.postings) as usize;
        let (own_runs, own_docs, own_shares);
        (own_runs, runs) = runs.split_at((runs_end - term.runs) as usize);
        (own_docs, docs) = docs.split_at(n_postings);
        (own_shares, shares) = std::mem::take(&mut shares).split_at_mut(n_postings);
        tasks.push(Task {
            number,
            term,
            runs: own_runs,
            docs: own_docs,
            shares: own_shares,
        });
    }
    let weigher = Weigher::new(weighting, frequencies, lengths, |each| {
        for task in &tasks {
            documents(task.runs, task.docs)
                .zip(&*task.shares)
                .for_each(|(document, &count)| {
                    each(task.number, document, count);
                });
        }
    });
    let weighed = tasks
        .par_iter_mut()
        .with_min_len(TERMS_PER_TASK)
        .map(|task| task.weigh(&weigher));
    weighed.reduce(|| false, |any, negative| any | negative)
}

impl Task<'_> {
    /// Computes the shares; returns true if one of them is negative.
    fn weigh(&mut self, weigher: &Weigher) -> bool {
        for (document, share) in documents(self.runs, self.docs).zip(&mut *self.shares) {
            *share = weigher.share(self.number, document, *share).to_bits();
        }
        let shares: &[f32] = bytemuck::cast_slice(self.shares);
        self.term.absent = weigher.absent(self.number) as f32;
        self.term.largest = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut sorted = Vec::new();
        for (rank, ranked) in RANKS.into_iter().zip(&mut self.term.ranked) {
            if rank <= shares.len() {
                if sorted.is_empty() {
                    sorted.extend_from_slice(shares);
                }
                *ranked = *sorted
                    .select_nth_unstable_by(rank - 1, |a, b| b.total_cmp(a))
                    .1;
            }
        }
        shares.iter().any(|&share| share < 0.0)
    }
}

/// Returns the numbers of a term's documents.
fn documents(runs: &[Run], docs: &[u16]) -> impl Iterator<Item = usize> {
    let starts = std::iter::once(0).chain(runs.iter().map(|run| run.end as usize));
    starts.zip(runs).flat_map(move |(start, run)| {
        docs[start..run.end as usize]
            .iter()
            .map(move |&doc| run.window as usize * WINDOW + usize::from(doc))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(texts: &[&str]) -> SparseIndex {
        let ids: Vec<ChunkId> = (0..texts.len())
            .map(|n| ChunkId::from(format!("d{n}")))
            .collect();
        SparseIndex::build(&Weighting::default(), &ids, |doc, each| {
            texts[doc].split_whitespace().for_each(each);
        })
    }

    #[test]
    fn postings_of_a_term_name_its_documents_in_order() {
        let index = built(&["a b a", "", "b c", "a"]);
        let (_, postings) = index
            .image
            .find("a")
            .and_then(|number| index.image.term(number))
            .expect("a term");
        assert_eq!(postings.of_window(0).0, [0, 3]);
        assert_eq!((index.n_documents(), index.n_terms()), (4, 3));
    }

    #[test]
    fn the_same_input_gives_the_same_bytes_on_any_number_of_threads() {
        let texts: Vec<String> = (0..1000)
            .map(|n| format!("t{} t{} t{n} t{}", n % 17, n % 5, n % 17))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let on = |n_threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(n_threads)
                .build()
                .expect("a pool");
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
        let ids: Vec<ChunkId> = (0..n_documents)
            .map(|n| ChunkId::from(format!("d{n:06}")))
            .collect();
        let index = SparseIndex::build(&Weighting::default(), &ids, |document, each| {
            each("all");
            if document == WINDOW - 1 || document == WINDOW {
                each("edge");
            }
            if document == n_documents - 1 {
                each("late");
            }
        });
        let found = |term| {
            index
                .search(&[term], 3, None)
                .iter()
                .map(|&(doc, _)| doc as usize)
                .collect::<Vec<_>>()
        };
        assert_eq!(found("edge"), [WINDOW, WINDOW - 1]);
        assert_eq!(found("late"), [n_documents - 1]);
        assert_eq!(index.search(&["all"], n_documents, None).len(), n_documents);
        // The rarest first; `all` is in the longer documents, too, but counts for less there.
        assert_eq!(
            found("all"),
            [n_documents - 2, n_documents - 3, n_documents - 4]
        );
    }

    #[test]
    fn nothing_but_empty_documents_is_an_index_too() {
        for weighting in [Weighting::default(), Weighting::Tfidf] {
            for n_documents in [0, 2] {
                let ids = vec![ChunkId::from("d"); n_documents];
                let index = SparseIndex::build(&weighting, &ids, |_, _| ());
                assert_eq!(index.search(&["a"], 10, None), []);
            }
        }
    }
}
