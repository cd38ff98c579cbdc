//! A BEIR folder: corpus, queries, qrels.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_core::config::Format;

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(bytes, &["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"]);
    ragtriage_fuzz::load(Format::Beir, folder.to_owned());
});
