//! In which order a pool is shown.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use ragtriage_core::stats::random::Random;
use ragtriage_core::types::Pooled;
use ragtriage_core::types::{Corpus, Question};

/// The order of a question's passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Documents shuffled, each one's passages in the order of its text.
    ///
    /// Who sees the best ranked first expects less and less of what follows, and grades by place (Eisenberg and Barry 1988,
    /// "Order effects"); labels would then favour the retrievers that were pooled. The place must say nothing, as in TREC, whose
    /// assessors see a pool by document number. The seed is mixed with the question alone, so that a second annotator, or the
    /// same one tomorrow, sees the same order.
    Shuffled {
        /// The seed of the shuffle.
        seed: u64,
    },
    /// By best rank, then by id: for stopping early. After enough consecutive non-relevant passages the rest is probably
    /// not relevant either (Cormack, Palmer and Clarke 1998), which cannot be inferred from a shuffled pool.
    Ranked,
}

/// The passages of `pool` (by best rank, equal ones by id) as they are shown, by number.
pub(super) fn arranged(
    pool: &[Pooled],
    corpus: &Corpus,
    question: &Question,
    order: Order,
) -> Vec<usize> {
    let numbers = pool
        .iter()
        .filter_map(|pooled| corpus.chunk_number(&pooled.id));
    let Order::Shuffled { seed } = order else {
        return numbers.collect();
    };
    let mut by_document: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for number in numbers {
        by_document
            .entry(corpus.chunks()[number].doc_id.as_str())
            .or_default()
            .push(number);
    }
    let mut documents: Vec<Vec<usize>> = by_document.into_values().collect();
    Random::stream(seed, number_of(question)).shuffle(&mut documents);
    for passages in &mut documents {
        passages.sort_unstable();
    }
    documents.concat()
}

/// A number that depends on the question's id alone.
fn number_of(question: &Question) -> u64 {
    let hash = Sha256::digest(question.id.as_str());
    u64::from_le_bytes(hash[..8].try_into().expect("a hash has 32 bytes"))
}

/// Leaves passages of the document named like the question out, as BEIR does for data sets whose queries are documents.
pub fn without_same_id(pools: &mut [Vec<Pooled>], questions: &[Question]) {
    for (pool, question) in pools.iter_mut().zip(questions) {
        pool.retain(|pooled| pooled.id.doc() != question.id.as_str());
    }
}
