//! A TREC run, plain or gzip: every ranking is sorted and holds a document once.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_data::run::external::input::Input;
use ragtriage_data::run::external::trec_run::TrecRun;

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(bytes, &["run.trec"]);
    let Some(input) = ragtriage_fuzz::said(Input::read(&folder.join("run.trec"))) else { return };
    let Some(run) = ragtriage_fuzz::said(TrecRun::parse(&input)) else { return };
    assert!(run.queries().len() > 0 && !run.tag().is_empty());
    for query in run.queries() {
        let Some(ranking) = ragtriage_fuzz::said(run.ranking(query)) else { continue };
        let hits = ranking.expect("a query of the run");
        assert!(!hits.is_empty());
        for pair in hits.windows(2) {
            let (above, below) = (pair[0], pair[1]);
            assert!(
                above.score > below.score
                    || above.score == below.score && above.document > below.document
            );
        }
    }
});
