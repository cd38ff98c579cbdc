//! TREC qrels, plain or gzip.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_data::run::external::input::Input;
use ragtriage_data::run::external::qrels::Qrels;

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(bytes, &["qrels"]);
    let Some(input) = ragtriage_fuzz::said(Input::read(&folder.join("qrels"))) else { return };
    let Some(qrels) = ragtriage_fuzz::said(Qrels::parse(&input)) else { return };
    assert!(qrels.queries().len() > 0);
    for (query, judged) in qrels.queries() {
        assert!(!judged.is_empty() && qrels.judged(query) == Some(judged));
    }
});
