//! Many sequences over all threads: batches of about equal work, each on one thread.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{Bert, Sequence, Wanted};

/// Target number of tokens per batch: its activations fit a second-level cache of 2 MB or little more, and weights are
/// read from memory once per batch.
const BATCH_TOKENS: usize = 512;

/// Runs `sequences` through `model` and returns, in their order, the result of `head` for each one's index in
/// `sequences` and states (rows of the model's hidden size, as `wanted`). `on_done` receives every finished batch's
/// size and returns false to stop; the result is then `None`.
pub fn run<T: Send>(
    model: &Bert,
    sequences: &[Sequence<'_>],
    wanted: Wanted,
    head: impl Fn(usize, &[f32]) -> T + Sync,
    on_done: impl Fn(usize) -> bool + Sync,
) -> Option<Vec<T>> {
    let finished: Option<Vec<Vec<(usize, T)>>> = batches(sequences)
        .par_iter()
        .map(|batch| {
            let members: Vec<Sequence<'_>> = batch.iter().map(|i| sequences[*i]).collect();
            let states = model.states(&members, wanted);
            let made = batch
                .iter()
                .zip(states.sequences())
                .map(|(i, states)| (*i, head(*i, states)))
                .collect();
            on_done(batch.len()).then_some(made)
        })
        .collect();
    let mut ordered: Vec<(usize, T)> = finished?.into_iter().flatten().collect();
    ordered.sort_unstable_by_key(|(i, _)| *i);
    Some(ordered.into_iter().map(|(_, made)| made).collect())
}

/// Groups sequences into batches of about [`BATCH_TOKENS`] tokens, the longest first, so that no thread is left with a
/// long batch at the end.
fn batches(sequences: &[Sequence<'_>]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..sequences.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(sequences[*i].ids.len()));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut n_tokens = usize::MAX;
    for i in order {
        let length = sequences[i].ids.len();
        if n_tokens.saturating_add(length) > BATCH_TOKENS {
            batches.push(Vec::new());
            n_tokens = 0;
        }
        n_tokens += length;
        batches.last_mut().expect("a batch was opened for the first sequence").push(i);
    }
    batches
}
