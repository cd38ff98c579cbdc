//! A BEIR folder: corpus, queries, qrels.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragxray::dataset::Format;

fuzz_target!(|bytes: &[u8]| {
    let folder = ragxray_fuzz::files(bytes, &["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"]);
    ragxray_fuzz::load(Format::Beir, folder.to_owned());
});
