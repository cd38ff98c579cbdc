//! Batched calls: as large as the server accepts, with answers that name their item by its index.

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::Error;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::ErrorKind;

/// Calls `ask` with all `items`; where that is [`ErrorKind::TooLong`], with each half, and so on down to one. Answers are
/// in the order of `items`; the first other failure ends it. A refused call costs one round trip, so if a server's
/// limit is known, it is better to pass fewer items.
pub(crate) async fn in_halves<'a, I, T, F: Future<Output = Result<Vec<T>, Error>>>(
    items: &'a [I],
    ask: impl Fn(&'a [I]) -> F,
) -> Result<Vec<T>, Error> {
    let mut answers = Vec::with_capacity(items.len());
    // Items still to be asked, the next on top.
    let mut waiting = if items.is_empty() { Vec::new() } else { vec![items] };
    while let Some(part) = waiting.pop() {
        match ask(part).await {
            Ok(answer) => answers.extend(answer),
            Err(error) if part.len() > 1 && error.kind == ErrorKind::TooLong => {
                let (first, second) = part.split_at(part.len() / 2);
                waiting.extend([second, first]);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(answers)
}

/// Makes calls concurrently; results are in the order of the calls.
pub(crate) async fn in_order<T>(
    calls: Vec<impl Future<Output = Result<Vec<T>, Error>>>,
    concurrency: usize,
) -> Result<Vec<T>, Error> {
    let results: Vec<Vec<T>> = stream::iter(calls).buffered(concurrency).try_collect().await?;
    Ok(results.into_iter().flatten().collect())
}

/// Sorts `answers` into the order of the request: each index of 0 to `n - 1` once. The error describes the indexes
/// found instead.
pub(crate) fn by_index<T>(
    answers: impl IntoIterator<Item = (usize, T)>,
    n: usize,
) -> Result<Vec<T>, String> {
    let mut places: Vec<Option<T>> = std::iter::repeat_with(|| None).take(n).collect();
    let mut n_answers = 0;
    for (index, answer) in answers {
        n_answers += 1;
        match places.get_mut(index) {
            Some(place) if place.is_none() => *place = Some(answer),
            Some(_) => return Err(format!("two results with index {index}")),
            None => return Err(format!("a result with index {index} for {}", texts(n))),
        }
    }
    places.into_iter().collect::<Option<Vec<T>>>().ok_or_else(|| {
        let results = plural(n_answers, "result", "results");
        format!("{results} for {}", texts(n))
    })
}

fn texts(n: usize) -> String {
    plural(n, "text", "texts")
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn failed<T>(kind: ErrorKind) -> Result<Vec<T>, Error> {
        Err(Error { kind, ..Error::new("no") })
    }

    #[tokio::test]
    async fn what_is_too_much_is_halved_and_the_order_kept() {
        let calls = RefCell::new(Vec::new());
        let at_most_two = |part: &[u32]| {
            calls.borrow_mut().push(part.len());
            let done = if part.len() > 2 { failed(ErrorKind::TooLong) } else { Ok(part.to_vec()) };
            async { done }
        };
        let items = [1, 2, 3, 4, 5, 6, 7];
        assert_eq!(in_halves(&items, at_most_two).await.expect("halved"), items);
        // 7 = 3 + 4, 3 = 1 + 2, 4 = 2 + 2.
        assert_eq!(calls.into_inner(), [7, 3, 1, 2, 4, 2, 2]);
    }

    #[tokio::test]
    async fn one_alone_and_other_failures_are_not_halved() {
        for (kind, items) in [(ErrorKind::TooLong, 1), (ErrorKind::Permanent, 3)] {
            let n_calls = RefCell::new(0);
            let fails = |_: &[u32]| {
                *n_calls.borrow_mut() += 1;
                async move { failed::<u32>(kind) }
            };
            assert!(in_halves(&[1, 2, 3][..items], fails).await.is_err());
            assert_eq!(n_calls.into_inner(), 1);
        }
    }

    #[test]
    fn each_place_is_filled_once() {
        assert_eq!(by_index([(1, 'b'), (0, 'a')], 2), Ok(vec!['a', 'b']));
        assert_eq!(by_index([(0, 'a')], 2), Err("1 result for 2 texts".to_owned()));
        assert_eq!(by_index([(0, 'a'), (0, 'b')], 2), Err("two results with index 0".to_owned()));
        assert_eq!(
            by_index([(0, 'a'), (2, 'b')], 2),
            Err("a result with index 2 for 2 texts".to_owned())
        );
        assert_eq!(by_index(std::iter::empty::<(usize, char)>(), 0), Ok(vec![]));
    }
}
