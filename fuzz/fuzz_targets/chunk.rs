//! Every chunking strategy over a text and over many copies of it: what `ragtriage_core::chunk` promises, in processor time that
//! grows with the text and no faster.

#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use ragtriage_core::chunk::{ChunkSpec, Strategy, split};
use ragtriage_core::text::tokens::{TokenCounter, Tokenizer, counter};
use ragtriage_core::types::ByteRange;

const TOKENIZERS: [Tokenizer; 3] = [Tokenizer::Cl100kBase, Tokenizer::Chars, Tokenizer::Words];

static COUNTERS: LazyLock<Vec<Arc<dyn TokenCounter>>> = LazyLock::new(|| {
    let all = TOKENIZERS.map(|tokenizer| counter(tokenizer, None).expect("built in"));
    for counter in &all {
        counter.count("the vocabulary is loaded by the first count");
    }
    all.to_vec()
});

/// Bytes of a repeated text; times are compared with those of four times as many.
const REPEATED_BYTES: usize = 100_000;
/// Linear time takes four times as long, quadratic time sixteen times.
const MOST_GROWTH: u64 = 8;
/// Times below this are noise.
const NOISE_NANOSECONDS: u64 = 300_000_000;

fuzz_target!(|bytes: &[u8]| {
    let Some(([strategy, size, overlap, tokenizer], rest)) = bytes.split_first_chunk() else {
        return;
    };
    let text = String::from_utf8_lossy(rest);
    let strategies = Strategy::ALL;
    let strategy = strategies[usize::from(*strategy) % strategies.len()];
    let size = 1 + usize::from(*size);
    let overlap = usize::from(*overlap) % size;
    let n = usize::from(*tokenizer) % TOKENIZERS.len();
    let Ok(spec) = ChunkSpec::new(strategy, size, overlap, TOKENIZERS[n]) else {
        return;
    };
    let counter = &*COUNTERS[n];
    check(&text, &spec, counter);
    if !text.is_empty() && bytes.len() % 8 == 0 {
        let n_copies = 1 + REPEATED_BYTES / text.len();
        let [short, long] =
            [1, 4].map(|times| check(&text.repeat(times * n_copies), &spec, counter));
        assert!(
            long < NOISE_NANOSECONDS + MOST_GROWTH * short,
            "{short} ns, of four times the text {long} ns: {spec:?}"
        );
    }
});

/// Checks the chunks of `text` and returns the processor time of the split in nanoseconds.
fn check(text: &str, spec: &ChunkSpec, counter: &dyn TokenCounter) -> u64 {
    let began = processor_nanoseconds();
    let ranges = split(text, spec, counter);
    let took = processor_nanoseconds() - began;
    sound(text, &ranges);
    let is_limited = spec.strategy() != Strategy::Document;
    for ByteRange { start, end } in ranges {
        let piece = &text[start..end];
        assert!(
            !is_limited || counter.count(piece) <= spec.size() || piece.chars().count() == 1,
            "{} tokens in {piece:?}, {spec:?}",
            counter.count(piece)
        );
    }
    took
}

/// The ranges ascend by start and end, begin and end with ink, and leave only white space between them.
fn sound(text: &str, ranges: &[ByteRange]) {
    let mut covered = 0;
    for (n, range) in ranges.iter().enumerate() {
        let piece = text.get(range.start..range.end).expect("char boundaries");
        assert!(!piece.is_empty() && piece.trim() == piece, "{piece:?}");
        if let Some(before) = n.checked_sub(1).map(|before| &ranges[before]) {
            assert!(before.start < range.start && before.end < range.end, "{before:?}, {range:?}");
        }
        if range.start > covered {
            assert!(text[covered..range.start].trim().is_empty(), "a gap at {covered}");
        }
        covered = range.end;
    }
    assert!(text[covered..].trim().is_empty(), "a gap at {covered}");
}

/// Time of this thread on a processor: a busy machine does not lengthen it.
fn processor_nanoseconds() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    stat.split(' ').next().and_then(|time| time.parse().ok()).expect("nanoseconds")
}
