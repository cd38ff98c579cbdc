//! Execution of in-process encoders: runs texts through a model on rayon's threads, off the async runtime, in
//! windows.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use tokio::sync::mpsc;

use super::{Length, OnProgress};
use crate::Error;
use ragtriage_encoder::bert::{Bert, Sequence, Wanted, batch};

/// Number of texts tokenised and sorted by length together; bounds the memory for ids.
const WINDOW_TEXTS: usize = 8192;

/// Receives the number of texts done, and returns true while the result is still needed.
pub(crate) type OnDone<'a> = &'a (dyn Fn(usize) -> bool + Sync);

/// Runs `work` on a blocking thread and passes its progress to `on_progress`. If the caller is dropped, the work ends with its
/// current batch.
pub(crate) async fn off_runtime<T: Send + 'static>(
    on_progress: OnProgress<'_>,
    work: impl FnOnce(OnDone<'_>) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let (done, mut news) = mpsc::unbounded_channel();
    let work = tokio::task::spawn_blocking(move || work(&|n| done.send(n).is_ok()));
    while let Some(n_texts) = news.recv().await {
        on_progress(n_texts);
    }
    work.await?
}

/// Computes a vector for each text: `read` returns its ids, `sequence` defines the input of the model, `head` computes the vector
/// from the ids and their states. Stops early, with an incomplete result, once the result is not needed.
pub(super) fn in_windows<T: Sync, I: Send + Sync>(
    bert: &Bert,
    wanted: Wanted,
    texts: &[T],
    read: impl Fn(&T) -> Result<I, Error> + Sync,
    sequence: impl for<'a> Fn(&'a I) -> Sequence<'a>,
    head: impl Fn(&I, &[f32]) -> Vec<f32> + Sync,
    on_done: OnDone<'_>,
) -> Result<Vec<Vec<f32>>, Error> {
    let mut vectors = Vec::with_capacity(texts.len());
    for texts in texts.chunks(WINDOW_TEXTS) {
        let ids: Vec<I> = texts.par_iter().map(&read).collect::<Result<_, _>>()?;
        let sequences: Vec<Sequence<'_>> = ids.iter().map(&sequence).collect();
        match batch::run(bert, &sequences, wanted, |i, states| head(&ids[i], states), on_done) {
            Some(encoded) => vectors.extend(encoded),
            None => break,
        }
    }
    Ok(vectors)
}

/// Scales a vector to unit length; a zero vector stays zero.
pub(super) fn normalize(vector: &mut [f32]) {
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-12);
    for x in vector {
        *x /= norm;
    }
}
/// Measures texts off the runtime: their tokens, and those of them that are read.
pub(super) async fn measured<T: Sync + Send + 'static>(
    inputs: Vec<T>,
    length: impl Fn(&T) -> Result<(usize, usize), Error> + Sync + Send + 'static,
) -> Result<Option<Vec<Length>>, Error> {
    let work = off_runtime(&|_| (), move |_| {
        let lengths = inputs.par_iter().map(|input| {
            let (n_tokens, n_read) = length(input)?;
            Ok(Length { n_tokens, n_read })
        });
        lengths.collect::<Result<_, Error>>()
    });
    Ok(Some(work.await?))
}
