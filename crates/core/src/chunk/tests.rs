//! The guarantees of chunking, over random text and every strategy.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::{
    Just, ProptestConfig, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use proptest::sample::select;
use proptest::strategy::Strategy as Generate;

use super::*;
use crate::text::tokens::{Tokenizer, counter};
use crate::types::{Corpus, DocId};

const BREAKS: [&str; 11] = [
    " ", "  ", "\n", "\r\n", "\n\n", "\r\n\r\n", "\n \t\n", "\u{a0}", "\u{3000}", "\u{2028}", "\t",
];
const ODD: [&str; 11] = [
    "🦀",
    "👩‍👩‍👧‍👦",
    "🇫🇷",
    "e\u{301}",
    "ﷺ",
    "ゔ",
    "\u{0}",
    "\u{feff}",
    "\u{200b}",
    "[SEP]",
    "<|endoftext|>",
];
const MARKDOWN: [&str; 9] =
    ["# ", "- ", "1. ", "> ", "    ", "```\n", "| a | b |\n|---|---|\n", "**", "[x](y)"];

/// Realistic text: words, every kind of break, scripts without spaces, combining marks and emoji that must not be split
/// inside a character, Markdown.
fn text() -> impl Generate<Value = String> {
    let part = prop_oneof![
        4 => "[a-zA-Z]{1,9}[.?!,]?",
        4 => select(BREAKS.to_vec()).prop_map(String::from),
        2 => select(ODD.to_vec()).prop_map(String::from),
        1 => select(MARKDOWN.to_vec()).prop_map(String::from),
        1 => "[一-龥ぁ-ん가-힣。]{1,12}",
        1 => "[a-z0-9]{40,200}",
        1 => "\\PC{1,6}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

/// The strategies that split a text.
const SPLITTING: [Strategy; 4] =
    [Strategy::Fixed, Strategy::Recursive, Strategy::Markdown, Strategy::Document];

fn spec() -> impl Generate<Value = ChunkSpec> {
    let size = (1_usize..=64).prop_flat_map(|size| (Just(size), 0..size));
    let parts = (select(SPLITTING.to_vec()), size, select(Tokenizer::ALL.to_vec()));
    parts.prop_map(|(strategy, (size, overlap), tokenizer)| {
        ChunkSpec::new(strategy, size, overlap, tokenizer).expect("an overlap below the size")
    })
}

fn counter_of(spec: &ChunkSpec) -> Arc<dyn TokenCounter> {
    let model = crate::text::tokens::tests::TINY_MODEL.as_bytes();
    counter(spec.tokenizer(), Some(model)).expect("a counter")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_strategy_keeps_the_promises(text in text(), spec in spec()) {
        let counter = counter_of(&spec);
        let ranges = split(&text, &spec, counter.as_ref());
        let mut held = vec![false; text.len()];
        for range in &ranges {
            prop_assert!(!range.is_empty());
            prop_assert!(text.get(range.as_range()).is_some(), "{} is off a char boundary", range);
            let own = &text[range.as_range()];
            prop_assert_eq!(own.trim(), own);
            held[range.as_range()].fill(true);
            let excepted = spec.strategy() == Strategy::Document || own.chars().count() == 1;
            let n_tokens = counter.count(own);
            prop_assert!(excepted || n_tokens <= spec.size(), "{} of {} tokens: {:?}", n_tokens, spec.size(), own);
        }
        for pair in ranges.windows(2) {
            prop_assert!(pair[0].start < pair[1].start && pair[0].end < pair[1].end, "{} {}", pair[0], pair[1]);
        }
        for (start, char) in text.char_indices() {
            prop_assert!(char.is_whitespace() || held[start], "{:?} at {} is in no chunk", char, start);
        }
        prop_assert_eq!(ranges, split(&text, &spec, counter.as_ref()));
    }

    #[test]
    fn only_white_space_gives_no_chunk(text in "[ \t\r\n\u{a0}\u{2028}\u{3000}]{0,300}", spec in spec()) {
        prop_assert!(split(&text, &spec, counter_of(&spec).as_ref()).is_empty());
    }
}

fn document(id: &str, text: &str) -> Document {
    let (title, metadata) = (String::from("a title"), BTreeMap::new());
    Document { id: DocId::from(id), title, text: text.to_owned(), metadata }
}

#[test]
fn chunks_follow_the_documents_order_with_ordinals_from_zero() {
    let documents =
        [document("b", "one two three"), document("empty", " \n"), document("a", "four")];
    let spec = ChunkSpec::new(Strategy::Fixed, 2, 0, Tokenizer::Words).expect("a valid spec");
    let chunks = chunk_documents(&documents, &spec, counter_of(&spec).as_ref())
        .expect("nothing made elsewhere");
    let seen: Vec<_> = chunks.iter().map(|c| (c.document, c.range.into(), c.n_tokens)).collect();
    assert_eq!(seen, [(0, (0, 7), 2), (0, (8, 13), 1), (2, (0, 4), 1)]);
    let ids = Corpus::new(documents.to_vec(), chunks);
    let ids: Vec<String> = ids.chunk_ids().map(|id| id.to_string()).collect();
    assert_eq!(ids, ["b#0", "b#1", "a#0"]);
}

#[test]
fn a_document_is_one_chunk_whatever_its_size() {
    let spec = ChunkSpec::new(Strategy::Document, 1, 0, Tokenizer::Words).expect("a valid spec");
    let text = format!("\n{} ", "word ".repeat(10_000));
    let chunks = chunk_documents(&[document("d", &text)], &spec, counter_of(&spec).as_ref())
        .expect("nothing made elsewhere");
    // 10,000 words of 4 bytes with 9,999 spaces between them, after one line break.
    assert_eq!(chunks.len(), 1);
    assert_eq!((chunks[0].range, chunks[0].n_tokens), ((1, 50_000).into(), 10_000));
}
