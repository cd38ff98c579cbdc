//! Batched calls, as large as the server accepts.

use std::future::Future;

/// Calls `ask` with all `items`; where that fails by `is_too_much`, with each half, and so on down to one. Answers are
/// in the order of `items`; the first other failure ends it. A refused call costs one round trip, so if a server's
/// limit is known, it is better to pass fewer items.
pub async fn in_halves<'a, I, T, E, F: Future<Output = Result<Vec<T>, E>>>(
    items: &'a [I],
    ask: impl Fn(&'a [I]) -> F,
    is_too_much: impl Fn(&E) -> bool,
) -> Result<Vec<T>, E> {
    let mut answers = Vec::with_capacity(items.len());
    // Items still to be asked, the next on top.
    let mut waiting = if items.is_empty() { Vec::new() } else { vec![items] };
    while let Some(part) = waiting.pop() {
        match ask(part).await {
            Ok(answer) => answers.extend(answer),
            Err(error) if part.len() > 1 && is_too_much(&error) => {
                let (first, second) = part.split_at(part.len() / 2);
                waiting.extend([second, first]);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[tokio::test]
    async fn what_is_too_much_is_halved_and_the_order_kept() {
        let calls = RefCell::new(Vec::new());
        let at_most_two = |part: &[u32]| {
            calls.borrow_mut().push(part.len());
            let done = if part.len() > 2 { Err("too much") } else { Ok(part.to_vec()) };
            async { done }
        };
        let items = [1, 2, 3, 4, 5, 6, 7];
        assert_eq!(in_halves(&items, at_most_two, |_| true).await, Ok(items.to_vec()));
        // 7 = 3 + 4, 3 = 1 + 2, 4 = 2 + 2.
        assert_eq!(calls.into_inner(), [7, 3, 1, 2, 4, 2, 2]);
    }

    #[tokio::test]
    async fn one_alone_and_other_failures_are_not_halved() {
        let fails = |_: &[u32]| async { Err::<Vec<u32>, _>("no") };
        assert_eq!(in_halves(&[1], fails, |_| true).await, Err("no"));
        let calls = RefCell::new(0);
        let counted = |part| {
            *calls.borrow_mut() += 1;
            fails(part)
        };
        assert_eq!(in_halves(&[1, 2, 3], counted, |_| false).await, Err("no"));
        assert_eq!(calls.into_inner(), 1);
        assert_eq!(in_halves(&[], fails, |_| true).await, Ok(Vec::new()));
    }
}
