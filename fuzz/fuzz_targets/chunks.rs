//! Chunks made elsewhere, in two documents: every chunk is a piece of its document, and no two are the same.

#![no_main]

use std::collections::BTreeSet;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use ragtriage_core::chunk::{ChunkSpec, chunk_documents};
use ragtriage_core::hint::Hint;
use ragtriage_core::text::tokens::{Tokenizer, counter};
use ragtriage_data::run::external::chunks;
use ragtriage_data::run::external::input::Input;

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(bytes, &["chunks.jsonl", "one", "two"]);
    let Some(input) = ragtriage_fuzz::said(Input::read(&folder.join("chunks.jsonl"))) else {
        return;
    };
    let Some(read) = ragtriage_fuzz::said(chunks::read(&input)) else { return };
    let documents = ["one", "two"].map(|name| ragtriage_fuzz::document(folder, name));
    let words = counter(Tokenizer::Words, None).expect("words need no model");
    let spec = ChunkSpec::of_file(Arc::new(read), Tokenizer::Words);
    match chunk_documents(&documents, &spec, words.as_ref()) {
        Ok(chunks) => {
            let mut seen = BTreeSet::new();
            for chunk in &chunks {
                let document = documents.get(chunk.document as usize).expect("known");
                let text =
                    document.text.get(chunk.range.as_range()).expect("a piece of its document");
                assert!(!text.is_empty() && text.trim() == text, "{text:?}");
                assert!(seen.insert((chunk.document, chunk.range)), "{chunk:?}");
            }
        }
        Err(error) => assert!(!error.to_string().is_empty() && error.hint().is_some()),
    }
});
