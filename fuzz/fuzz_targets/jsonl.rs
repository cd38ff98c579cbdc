//! One's own corpus.jsonl and questions.jsonl.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragxray::dataset::Format;

fuzz_target!(|bytes: &[u8]| {
    let folder = ragxray_fuzz::files(bytes, &["corpus.jsonl", "questions.jsonl"]);
    ragxray_fuzz::load(Format::Jsonl, folder.to_owned());
});
