//! Locates passages that another system chunked in our documents.
//!
//! A passage is searched for exactly, then with all runs of white space treated as equal, then (both ways) without a
//! first line that is the document's title. Matching is never fuzzier than that: a rewritten passage is not located.
//!
//! Without a document id, any document may contain the passage. A word index (words separated by white space) narrows
//! the search to the documents that contain the rarest whole words of the passage. Its first and last word may be
//! truncated and are not used. A passage of one or two words is searched for in every document, and only exactly.

use std::hash::{DefaultHasher, Hash, Hasher};

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use crate::chunk::code_points;
use crate::text::quote;
use crate::types::{ByteRange, Document};

/// Returns the ranges of `document` that equal `text` without outer white space, in order; none overlap.
/// `title` is the title that the passage's source gives, if any.
#[must_use]
pub fn in_document(document: &Document, text: &str, title: Option<&str>) -> Vec<ByteRange> {
    let whole = quote::all(&document.text, text);
    match text.trim_start().split_once('\n') {
        Some((first, rest)) if whole.is_empty() => {
            let titles = [Some(document.title.as_str()), title];
            let is_title = titles.iter().flatten().any(|title| title.trim() == first.trim());
            if is_title { quote::all(&document.text, rest) } else { whole }
        }
        _ => whole,
    }
}

/// What another system says of a passage.
#[derive(Clone, Copy, Debug, Default)]
pub struct ForeignPassage<'a> {
    /// Its text.
    pub text: Option<&'a str>,
    /// The title of its document.
    pub title: Option<&'a str>,
    /// The id of its document, or a path or address that ends with it.
    pub document: Option<&'a str>,
    /// Where it starts, in bytes or code points.
    pub start: Option<usize>,
    /// Where it ends.
    pub end: Option<usize>,
}

/// Returns the range of `document` at the offsets of `passage`, if its text is there. Offsets without a text are in bytes, unless one of
/// them is inside a character.
#[must_use]
pub fn at_offsets(document: &Document, passage: &ForeignPassage<'_>) -> Option<ByteRange> {
    let start = passage.start?;
    let end_after = |length: usize| passage.end.unwrap_or_else(|| start.saturating_add(length));
    let length = passage.text.map_or((0, 0), |text| (text.len(), text.chars().count()));
    let is_correct = |range: &ByteRange| match document.text.get(range.as_range()) {
        None | Some("") => false,
        Some(found) => passage.text.is_none_or(|text| is_same(found, text, document, passage)),
    };
    let bytes = ByteRange::new(start, end_after(length.0));
    if is_correct(&bytes) {
        return Some(bytes);
    }
    let points = code_points(&document.text, start, end_after(length.1)).map(ByteRange::from);
    points.filter(is_correct)
}

/// Returns the places of `passage` in the document that it names: at its offsets (without a text in code points), else where its text is; of several places the
/// nearest to its start, where that is known.
#[must_use]
pub fn in_named(document: &Document, passage: &ForeignPassage<'_>) -> Vec<ByteRange> {
    let at = match (passage.text, passage.start, passage.end) {
        (None, Some(start), Some(end)) => code_points(&document.text, start, end).map(Into::into),
        _ => at_offsets(document, passage),
    };
    if let Some(range) = at {
        return vec![range];
    }
    let text = passage.text.filter(|text| !text.trim().is_empty());
    let mut places = text.map_or(Vec::new(), |text| in_document(document, text, passage.title));
    if let Some(start) = passage.start {
        // It counts bytes or code points.
        let byte = code_points(&document.text, start, start).map_or(start, |at| at.start);
        places.sort_by_key(|place| place.start.abs_diff(start).min(place.start.abs_diff(byte)));
        places.truncate(1);
    }
    places
}

/// Compares texts with all runs of white space treated as equal, with or without a title line.
fn is_same(found: &str, text: &str, document: &Document, passage: &ForeignPassage<'_>) -> bool {
    let found = quote::one_spaced(found);
    let is_title = |line: &str| {
        let titles = [Some(document.title.as_str()), passage.title];
        titles.iter().flatten().any(|title| title.trim() == line.trim())
    };
    let below_title = text.trim_start().split_once('\n').filter(|(first, _)| is_title(first));
    found == quote::one_spaced(text)
        || below_title.is_some_and(|(_, rest)| found == quote::one_spaced(rest))
}

/// Words besides the rarest one that a document must have to be searched: searching it takes longer than looking them up.
const MOST_WORDS: usize = 8;

/// Inverted index of words to documents.
#[derive(Debug)]
pub struct WordIndex {
    /// A word's hash in the upper half, a document's number in the lower; ascending and distinct.
    postings: Vec<u64>,
}

impl WordIndex {
    /// Indexes every word of `documents`: 8 bytes for each distinct word of a document.
    #[must_use]
    pub fn new(documents: &[Document]) -> Self {
        let of_document = |(number, document): (usize, &Document)| {
            let mut words: Vec<u64> = document
                .text
                .split_whitespace()
                .map(|word| posting(hash(word), number as u32))
                .collect();
            words.sort_unstable();
            words.dedup();
            words
        };
        let mut postings: Vec<u64> =
            documents.par_iter().enumerate().flat_map_iter(of_document).collect();
        postings.par_sort_unstable();
        Self { postings }
    }

    /// Returns every document that contains `text` by the rule of [`in_document`] (one or two words: exactly),
    /// ascending, with its ranges. `documents` are those that were indexed.
    #[must_use]
    pub fn find(
        &self,
        documents: &[Document],
        text: &str,
        title: Option<&str>,
    ) -> Vec<(usize, Vec<ByteRange>)> {
        let mut candidates = self.candidates(documents, text);
        if let Some((_, rest)) = text.trim_start().split_once('\n') {
            candidates.extend(self.candidates(documents, rest));
            candidates.sort_unstable();
            candidates.dedup();
        }
        let places = candidates
            .into_iter()
            .map(|number| (number, in_document(&documents[number], text, title)));
        places.filter(|(_, ranges)| !ranges.is_empty()).collect()
    }

    /// Returns the documents that may contain `text`. For three words or more it misses none; for fewer it misses none
    /// that contains `text` exactly.
    fn candidates(&self, documents: &[Document], text: &str) -> Vec<usize> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let inner = if words.len() > 2 { &words[1..words.len() - 1] } else { &[][..] };
        let mut lists: Vec<&[u64]> = inner.iter().map(|word| self.list(hash(word))).collect();
        lists.sort_unstable_by_key(|list| list.len());
        let Some((rarest, others)) = lists.split_first() else {
            let text = text.trim();
            if text.is_empty() {
                return Vec::new();
            }
            return (0..documents.len())
                .filter(|&number| documents[number].text.contains(text))
                .collect();
        };
        let document = |entry: &u64| *entry as u32;
        let has_others = |found: &u32| {
            let mut others = others.iter().take(MOST_WORDS);
            others.all(|list| list.binary_search_by_key(found, document).is_ok())
        };
        rarest.iter().map(document).filter(has_others).map(|found| found as usize).collect()
    }

    /// Returns the postings of one word's hash.
    fn list(&self, hash: u32) -> &[u64] {
        let start = self.postings.partition_point(|&entry| entry < posting(hash, 0));
        let len = self.postings[start..].partition_point(|&entry| entry <= posting(hash, u32::MAX));
        &self.postings[start..start + len]
    }
}

fn posting(hash: u32, document: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(document)
}

/// A collision only adds a document to search.
fn hash(word: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(title: &str, text: &str) -> Document {
        Document {
            id: title.into(),
            title: title.to_owned(),
            text: text.to_owned(),
            metadata: [].into(),
        }
    }

    fn range(text: &str, passage: &str, title: Option<&str>) -> Option<(usize, usize)> {
        let found = in_document(&document("T", text), passage, title);
        found.first().map(|range| (range.start, range.end))
    }

    #[test]
    fn a_passage_is_placed_exactly_then_by_words_then_below_its_title() {
        // `é` has two bytes: `bc` is at byte 4.
        assert_eq!(range("aé bc d", "bc d ", None), Some((4, 8)));
        assert_eq!(range("a  b\nc", "a b c", None), Some((0, 6)));
        assert_eq!(range("a  b\nc", "T\nb c", None), Some((3, 6)));
        assert_eq!(range("a  b\nc", "Other\nb c", Some("Other")), Some((3, 6)));
        assert_eq!(range("a  b\nc", "Other\nb c", None), None);
        assert_eq!(range("a b c", "a c", None), None);
        assert_eq!(range("a b c", " \n", None), None);
    }

    #[test]
    fn a_passage_that_occurs_several_times_is_at_each_place() {
        let found = in_document(&document("T", "a b, c, a b, a  b"), "a b", None);
        assert_eq!(found, [(0, 3).into(), (8, 11).into()], "the exact ones, if there are any");
        let found = in_document(&document("T", "a  b, a\nb"), "T\na b", None);
        assert_eq!(found, [(0, 4).into(), (6, 9).into()]);
    }

    #[test]
    fn a_title_that_is_part_of_the_text_is_kept() {
        // The document's own first line is its title: the passage begins with it and is found unchanged.
        assert_eq!(range("T\nabc", "T\nabc", None), Some((0, 5)));
    }

    #[test]
    fn every_document_that_holds_the_passage_is_found_and_no_other() {
        let texts = [
            "one two three four five",
            "zero one two three four",
            "one two  three\nfour five",
            "five four three",
        ];
        let documents: Vec<Document> = texts.iter().map(|text| document("T", text)).collect();
        let index = WordIndex::new(&documents);
        let numbers = |passage: &str| -> Vec<usize> {
            index.find(&documents, passage, None).into_iter().map(|(number, _)| number).collect()
        };
        assert_eq!(numbers("one two three four"), [0, 1, 2]);
        assert_eq!(numbers("ne two three four fi"), [0, 2], "the outer words may be cut");
        assert_eq!(numbers("T\ntwo three four five"), [0, 2]);
        assert_eq!(numbers("five four"), [3], "no inner word: every document is looked at");
        assert_eq!(numbers("two three seven five"), Vec::<usize>::new());
    }

    #[test]
    fn the_index_finds_what_looking_everywhere_finds() {
        // Knuth's MMIX generator; the upper bits choose the word.
        let mut state = 7_u64;
        let mut word = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ["a", "bb", "ccc", "d", "e"][(state >> 33) as usize % 5]
        };
        let mut text = |n: usize| (0..n).map(|_| word()).collect::<Vec<_>>().join(" ");
        let documents: Vec<Document> = (0..60).map(|_| document("T", &text(12))).collect();
        let index = WordIndex::new(&documents);
        for n in 1..9 {
            for _ in 0..40 {
                let passage = text(n);
                let everywhere = documents.iter().enumerate();
                let expected: Vec<(usize, Vec<ByteRange>)> = everywhere
                    .map(|(number, document)| (number, in_document(document, &passage, None)))
                    .filter(|(_, ranges)| !ranges.is_empty())
                    .collect();
                assert_eq!(index.find(&documents, &passage, None), expected, "{passage}");
            }
        }
    }

    /// `zwölf` is bytes 4..10 and code points 4..9; `Türen` bytes 11..17 and code points 10..15.
    const TEXT: &str = "The zwölf Türen.";

    fn read(text: Option<&str>, start: usize, end: Option<usize>) -> Option<ByteRange> {
        let document = Document {
            id: "d".into(),
            title: "T".to_owned(),
            text: TEXT.to_owned(),
            metadata: [].into(),
        };
        let passage = ForeignPassage { text, start: Some(start), end, ..ForeignPassage::default() };
        at_offsets(&document, &passage)
    }

    #[test]
    fn the_text_tells_bytes_from_code_points() {
        let doors = ByteRange::new(11, 17);
        for text in ["Türen", "T\nTüren"] {
            assert_eq!(read(Some(text), 11, Some(17)), Some(doors));
            assert_eq!(read(Some(text), 10, Some(15)), Some(doors));
            assert_eq!(read(Some(text), 9, Some(14)), None);
        }
        assert_eq!(read(Some("Türen"), 11, None), Some(doors));
        assert_eq!(read(Some("Türen"), 10, None), Some(doors));
    }

    #[test]
    fn without_a_text_offsets_are_bytes_where_they_can_be() {
        let range = ByteRange::new(10, 15);
        assert_eq!(read(None, 10, Some(15)), Some(range));
        // Byte 7 is inside `ö`: code points 4..7 are `zwö`, bytes 4..8.
        let points = ByteRange::new(4, 8);
        assert_eq!(read(None, 4, Some(7)), Some(points));
        // 18 bytes, 16 code points.
        assert_eq!(read(None, 4, Some(18)), Some(ByteRange::new(4, 18)));
        assert_eq!(read(None, 4, Some(19)), None);
        assert_eq!(read(None, 4, Some(4)), None);
    }

    #[test]
    fn in_its_document_a_passage_is_at_its_offsets_else_at_the_nearest_place_of_its_text() {
        let document = document("T", "ab cd ab cd ab");
        let places = |text, start, end| {
            in_named(&document, &ForeignPassage { text, start, end, ..ForeignPassage::default() })
        };
        assert_eq!(places(Some("ab"), Some(6), Some(8)), [(6, 8).into()]);
        assert_eq!(places(Some("ab"), Some(7), None), [(6, 8).into()], "a wrong offset");
        assert_eq!(places(Some("ab"), None, None).len(), 3);
        assert_eq!(places(None, Some(3), Some(5)), [(3, 5).into()]);
        assert_eq!(places(None, Some(3), Some(50)), []);
    }
}
