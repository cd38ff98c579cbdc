//! The order in which a pool is shown.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use sha2::{Digest, Sha256};

use crate::dataset::load::Candidates;
use ragtriage_core::attribute::terms;
use ragtriage_core::stats::random::Random;
use ragtriage_core::types::{Corpus, Pooled, Pools, Question};

/// Returns the passages of `pool` in display order, by index: those with candidate places of the answer, in their order, then the
/// others: shuffled documents, with each document's passages in text order. A passage of a document with the text of another
/// one is shown once.
///
/// An annotator who sees the best-ranked passages first expects less of later ones, and grades by position (Eisenberg and
/// Barry 1988, "Order effects"); labels would then favour the pooled retrievers. The position must be uninformative, as in
/// TREC, whose assessors see a pool by document number. The shuffle depends only on the question, so that a second annotator
/// or a later session sees an identical order.
pub(super) fn arranged(pool: &[Pooled], corpus: &Corpus, question: &Question) -> Vec<usize> {
    let number = |pooled: &Pooled| corpus.chunk_number(&pooled.id);
    let (candidates, others) = pool.split_at(pool.partition_point(|pooled| pooled.is_candidate));
    let mut arranged: Vec<usize> = candidates.iter().filter_map(number).collect();
    let mut by_document: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for number in others.iter().filter_map(number) {
        by_document.entry(corpus.document_of(number).id.as_str()).or_default().push(number);
    }
    let mut documents: Vec<Vec<usize>> = by_document.into_values().collect();
    Random::stream(0, number_of(question)).shuffle(&mut documents);
    for passages in &mut documents {
        passages.sort_unstable();
    }
    arranged.extend(documents.into_iter().flatten());
    let mut seen = HashSet::new();
    arranged.retain(|&number| {
        seen.insert((&*corpus.document_of(number).text, corpus.chunks()[number].range))
    });
    arranged
}

/// For each candidate place of a question's answer, moves the passage that holds most of it to the front of its pool: first those that share the
/// most content terms with the question, then in the order of the places. Those that no retriever found are added.
pub fn candidates_first(pools: &mut Pools, questions: &[Question], candidates: &Candidates) {
    let corpus = &pools.corpus;
    for (pool, question) in pools.of.iter_mut().zip(questions) {
        let mut first: Vec<Pooled> = Vec::new();
        for (doc, range) in candidates.get(&question.id).into_iter().flatten() {
            let shared = |number: &usize| {
                let held = corpus.chunks()[*number].range;
                held.end.min(range.end).saturating_sub(held.start.max(range.start))
            };
            let numbers = corpus.chunk_numbers(doc).rev().filter(|number| shared(number) > 0);
            let Some(id) = numbers.max_by_key(shared).map(|number| corpus.chunk_id(number)) else {
                continue;
            };
            if first.iter().all(|pooled| pooled.id != id) {
                let found = pool.iter().position(|pooled| pooled.id == id);
                let ranks = found.map_or_else(BTreeMap::new, |at| pool.remove(at).ranks);
                first.push(Pooled { id, ranks, is_candidate: true });
            }
        }
        let wanted = terms::of_question(&question.text);
        first.sort_by_cached_key(|pooled| {
            let text = corpus.text_of(&pooled.id).map_or("", |(_, text, _)| text);
            Reverse(terms::shared(text, &wanted).len())
        });
        pool.splice(..0, first);
    }
}

/// Returns a number that depends only on the question's id.
fn number_of(question: &Question) -> u64 {
    let hash = Sha256::digest(question.id.as_str());
    u64::from_le_bytes(hash[..8].try_into().expect("a hash has 32 bytes"))
}
