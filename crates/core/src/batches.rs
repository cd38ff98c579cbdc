//! Batches: consecutive items that one call takes together.

/// Groups consecutive `items`: at most `most_items`, of at most `most_size` together, but at least one.
#[must_use]
pub fn batches<T>(
    items: &[T],
    (most_items, most_size): (usize, usize),
    size_of: impl Fn(&T) -> usize,
) -> Vec<&[T]> {
    let mut batches = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (at, item) in items.iter().enumerate() {
        let more = size_of(item);
        if at > start && (at - start == most_items || size + more > most_size) {
            batches.push(&items[start..at]);
            (start, size) = (at, 0);
        }
        size += more;
    }
    if start < items.len() {
        batches.push(&items[start..]);
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::batches;

    #[test]
    fn batches_hold_as_much_as_they_may_and_at_least_one_item() {
        let texts = ["a", "bb", "ccc", "dddd", "eeeeeeeeee", "f", "g", "h", "i"];
        let expected: [&[&str]; 5] =
            [&["a", "bb", "ccc"], &["dddd"], &["eeeeeeeeee"], &["f", "g", "h"], &["i"]];
        assert_eq!(batches(&texts, (3, 6), |text| text.len()), expected);
        assert!(batches(&[""; 0], (3, 6), |text| text.len()).is_empty());
    }
}
