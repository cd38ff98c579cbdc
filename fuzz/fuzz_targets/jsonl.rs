//! One's own corpus.jsonl and questions.jsonl.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_core::config::Format;

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(bytes, &["corpus.jsonl", "questions.jsonl"]);
    ragtriage_fuzz::load(Format::Jsonl, folder.to_owned());
});
