//! Traces of another RAG: every record that is made of spans is one that the reader of records takes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_data::run::external::input::Input;
use ragtriage_data::run::external::spans;

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(bytes, &["spans.jsonl"]);
    let Some(input) = ragtriage_fuzz::said(Input::read(&folder.join("spans.jsonl"))) else {
        return;
    };
    let _ = spans::is_export(input.text());
    // Not `said`: only invalid JSON and files without a RAG are errors, never a record that was made.
    match spans::read(&input, &|text| text.ends_with('?'), &|id| id == "d") {
        Ok((records, _)) => {
            for record in records {
                assert!(record.question.is_some() && record.unread.is_empty(), "{record:?}");
            }
        }
        Err(error) => {
            use ragtriage_core::hint::Hint;
            let is_of_file = error.kind == ragtriage_data::run::Kind::NotTraces;
            assert!(is_of_file && error.hint().is_some(), "{error}");
        }
    }
});
