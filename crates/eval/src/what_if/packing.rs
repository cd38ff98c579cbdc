//! One recorded ranking of a question, packed under any k and budget.

use ragtriage_core::attribute::support::SupportTest;
use ragtriage_core::types::{ChunkId, PassageMap};

/// Limits of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// Maximum number of passages.
    pub k: usize,
    /// Maximum number of tokens; `None` for a prompt that counts none.
    pub budget: Option<usize>,
}

/// A ranking with running totals, so that every prompt of it is a prefix.
pub(super) struct Ranked<'a> {
    pub hits: Vec<&'a ChunkId>,
    /// Tokens of the first n hits, n from 0; ends before the first hit without a count.
    tokens: Vec<usize>,
    /// Number of the first hits that support the question; `None` where all of them do not.
    needed: Option<usize>,
}

impl<'a> Ranked<'a> {
    pub fn new(hits: Vec<&'a ChunkId>, test: &SupportTest<'_>, passages: &PassageMap) -> Self {
        let tokens = totals(&hits, passages);
        let needed = first_supporting(&hits, test);
        Self { hits, tokens, needed }
    }

    /// Returns the number of passages packed.
    pub fn packed(&self, limits: Limits) -> usize {
        let most = limits.k.min(self.hits.len());
        let fitting = limits
            .budget
            .map_or(most, |budget| self.tokens.partition_point(|total| *total <= budget) - 1);
        most.min(fitting)
    }

    /// Returns true if the first `n` hits support the question.
    pub fn supports(&self, n: usize) -> bool {
        self.needed.is_some_and(|needed| needed <= n)
    }

    /// Returns the tokens of the first `n` hits; `None` where one was not counted.
    pub fn tokens_of(&self, n: usize) -> Option<usize> {
        self.tokens.get(n).copied()
    }

    /// Returns the tokens of all hits.
    pub fn n_tokens(&self) -> Option<usize> {
        self.tokens_of(self.hits.len())
    }
}

fn totals(hits: &[&ChunkId], passages: &PassageMap) -> Vec<usize> {
    let mut totals = vec![0];
    let mut total = 0;
    for id in hits {
        let Some(tokens) = passages.get(*id).and_then(|passage| passage.tokens) else {
            break;
        };
        total += tokens;
        totals.push(total);
    }
    totals
}

/// Support that a prefix holds is held by every longer one.
fn first_supporting(hits: &[&ChunkId], test: &SupportTest<'_>) -> Option<usize> {
    let supports = |n: usize| test.of(hits[..n].iter().copied()).holds;
    if !supports(hits.len()) {
        return None;
    }
    let lengths: Vec<usize> = (0..=hits.len()).collect();
    Some(lengths.partition_point(|n| !supports(*n)))
}
