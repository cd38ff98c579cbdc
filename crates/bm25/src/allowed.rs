//! The set of documents that a search may return.

/// A set of document numbers, one bit each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    bits: Vec<u64>,
}

impl Allowed {
    /// Creates the set of the numbers from 0 to `n_documents` for which `allow` returns true.
    #[must_use]
    pub fn from_fn(n_documents: usize, mut allow: impl FnMut(usize) -> bool) -> Self {
        Self {
            bits: (0..n_documents.div_ceil(64))
                .map(|word: usize| {
                    let numbers = word * 64..n_documents.min(word * 64 + 64);
                    numbers.fold(0, |bits, number| bits | u64::from(allow(number)) << (number % 64))
                })
                .collect(),
        }
    }

    /// Returns true if `number` is in the set.
    #[must_use]
    pub fn contains(&self, number: u32) -> bool {
        self.bits.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Returns the size of the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|&word| word == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_allowed_and_nothing_beyond() {
        let odd = Allowed::from_fn(131, |number| number % 2 == 1);
        assert!((0..131).all(|number| odd.contains(number) == (number % 2 == 1)));
        assert!((131..300).all(|number| !odd.contains(number)));
        assert_eq!((odd.len(), odd.is_empty()), (65, false));
        assert!(Allowed::from_fn(0, |_| true).is_empty());
    }
}
