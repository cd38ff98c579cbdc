//! Locates an edited quote: the span of a text that differs from it by the fewest words.
//!
//! Sellers, "The Theory and Computation of Evolutionary Distances: Pattern Recognition" (Journal of Algorithms, 1980):
//! edit distance of a pattern to the best substring, here over words (UAX 29: marks between them are ignored) in lower
//! case, each insertion, deletion and replacement counting 1. Time: words of the quote times words of the text.

use unicode_segmentation::UnicodeSegmentation;

use crate::types::ByteRange;

/// The nearest span of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alignment {
    /// Its range, from its first word to its last.
    pub range: ByteRange,
    /// 1 less the edits over the words of the longer of quote and span: 1 for the same words, 0 for no word in common.
    pub likeness: f64,
    /// Similarity of the best span that does not overlap it: the smaller, the more distinct the match.
    pub next: f64,
}

/// A partial match: edits so far, and the first word of the text in it.
#[derive(Clone, Copy)]
struct Path {
    edits: usize,
    start: usize,
}

/// Returns the span of `text` nearest to `quote`, the first of equals; `None` when either has no words, or they share
/// none.
#[must_use]
pub fn nearest(text: &str, quote: &str) -> Option<Alignment> {
    let words = words(text);
    let wanted: Vec<String> = quote.unicode_words().map(str::to_lowercase).collect();
    if wanted.is_empty() || words.is_empty() {
        return None;
    }
    let stretches = stretches(&words, &wanted);
    let n_wanted = wanted.len();
    // Of equals the one nearest in length, since a replaced word is likelier than a dropped one; then the first.
    let best = stretches.iter().max_by(|a, b| {
        a.likeness(n_wanted)
            .total_cmp(&b.likeness(n_wanted))
            .then_with(|| b.length_error(n_wanted).cmp(&a.length_error(n_wanted)))
            .then(b.end.cmp(&a.end))
    })?;
    let likeness = best.likeness(n_wanted);
    if likeness <= 0.0 {
        return None;
    }
    let next = stretches
        .iter()
        .filter(|other| other.end < best.start || other.start > best.end)
        .map(|other| other.likeness(n_wanted))
        .fold(0.0, f64::max);
    Some(Alignment {
        range: ByteRange::new(words[best.start].range.start, words[best.end].range.end),
        likeness,
        next,
    })
}

/// The cheapest match of the whole quote that ends at word `end`.
struct Stretch {
    edits: usize,
    start: usize,
    end: usize,
}

impl Stretch {
    fn n_words(&self) -> usize {
        (self.end + 1).saturating_sub(self.start)
    }

    fn likeness(&self, n_wanted: usize) -> f64 {
        1.0 - self.edits as f64 / n_wanted.max(self.n_words()) as f64
    }

    fn length_error(&self, n_wanted: usize) -> usize {
        self.n_words().abs_diff(n_wanted)
    }
}

/// Returns, for each word of the text, the cheapest match of the whole quote that ends there; of equals the longest,
/// since an extra word costs an edit and a replaced word is likelier than a dropped one.
fn stretches(words: &[Word], wanted: &[String]) -> Vec<Stretch> {
    // Row `i` holds the cheapest match of the quote's first `i` words that ends before the text's current word.
    let mut column: Vec<Path> = (0..=wanted.len()).map(|edits| Path { edits, start: 0 }).collect();
    let mut ends = Vec::with_capacity(words.len());
    for (at, Word { text: word, .. }) in words.iter().enumerate() {
        let mut diagonal = column[0];
        column[0] = Path { edits: 0, start: at + 1 };
        for (i, want) in wanted.iter().enumerate() {
            let matched = Path {
                edits: diagonal.edits + usize::from(want != word),
                start: diagonal.start.min(at),
            };
            let inserted = Path { edits: column[i + 1].edits + 1, ..column[i + 1] };
            let left_out = Path { edits: column[i].edits + 1, ..column[i] };
            diagonal = column[i + 1];
            column[i + 1] = [matched, inserted, left_out]
                .into_iter()
                .min_by_key(|path| (path.edits, path.start))
                .unwrap_or(matched);
        }
        let Path { edits, start } = column[wanted.len()];
        ends.push(Stretch { edits, start: start.min(at), end: at });
    }
    ends
}

/// A word of the text in lower case.
struct Word {
    range: ByteRange,
    text: String,
}

fn words(text: &str) -> Vec<Word> {
    text.unicode_word_indices()
        .map(|(start, word)| Word {
            range: ByteRange::new(start, start + word.len()),
            text: word.to_lowercase(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(text: &'a str, quote: &str) -> Option<(&'a str, f64)> {
        nearest(text, quote).map(|found| (&text[found.range.as_range()], found.likeness))
    }

    #[test]
    fn the_same_words_are_found_whatever_stands_around() {
        assert_eq!(
            found("Wait. It lasts\n4 hours at most. Then page.", "It lasts 4 hours"),
            Some(("It lasts\n4 hours", 1.0))
        );
    }

    #[test]
    fn a_replaced_an_added_and_a_dropped_word_count_one_each() {
        // 4 of 5 words; 5 words of 6; 4 words of 5.
        assert_eq!(
            found("x it lasts 6 hours now y", "it lasts 4 hours now"),
            Some(("it lasts 6 hours now", 1.0 - 1.0 / 5.0))
        );
        assert_eq!(
            found("x it lasts about 4 hours now y", "it lasts 4 hours now"),
            Some(("it lasts about 4 hours now", 1.0 - 1.0 / 6.0))
        );
        assert_eq!(
            found("x it lasts 4 now y", "it lasts 4 hours now"),
            Some(("it lasts 4 now", 1.0 - 1.0 / 5.0))
        );
    }

    #[test]
    fn the_next_best_does_not_overlap_and_the_first_of_equals_is_taken() {
        // `a b c` occurs twice, so the second is as similar as the first.
        let found = nearest("a b c d a b c", "a b c").expect("there");
        assert_eq!((found.range, found.likeness, found.next), ((0, 5).into(), 1.0, 1.0));
        // Besides `a b x` there is `b q a`, which shares one word of three at best.
        let found = nearest("a b x b q a", "a b c").expect("there");
        assert_eq!(found.range, (0, 5).into());
        assert!(
            (found.likeness - 2.0 / 3.0).abs() < 1e-12 && found.next < found.likeness,
            "{found:?}"
        );
    }

    #[test]
    fn nothing_in_common_is_nothing_found() {
        assert_eq!(found("alpha beta", "gamma"), None);
        assert_eq!(found("", "gamma"), None);
        assert_eq!(found("alpha", " "), None);
    }

    proptest::proptest! {
        #[test]
        fn a_stretch_of_the_text_is_found_as_itself(words in proptest::collection::vec("[a-c]{1,2}", 1..30), cut in 0..30_usize, n in 1..8_usize) {
            let text = words.join(" ");
            let cut = cut % words.len();
            let quote = words[cut..words.len().min(cut + n)].join(" ");
            let found = nearest(&text, &quote).expect("there");
            proptest::prop_assert_eq!(&text[found.range.as_range()], quote);
            proptest::prop_assert_eq!(found.likeness, 1.0);
        }

        #[test]
        fn edits_are_the_fewest_of_all_stretches_that_end_there(
            quote in proptest::collection::vec("[a-c]", 1..8), text in proptest::collection::vec("[a-c]", 1..8),
        ) {
            let placed: Vec<Word> = text.iter().map(|word| Word { range: ByteRange::new(0, 0), text: word.clone() }).collect();
            for (end, path) in stretches(&placed, &quote).into_iter().enumerate() {
                // `start` one past `end` means no word at all.
                let each = (0..=end + 1).map(|start| strsim::generic_levenshtein(&Words(&quote), &Words(&text[start..=end])));
                proptest::prop_assert_eq!(Some(path.edits), each.min());
            }
        }
    }

    struct Words<'a>(&'a [String]);

    impl<'a> IntoIterator for &Words<'a> {
        type Item = &'a String;
        type IntoIter = std::slice::Iter<'a, String>;

        fn into_iter(self) -> Self::IntoIter {
            self.0.iter()
        }
    }
}
