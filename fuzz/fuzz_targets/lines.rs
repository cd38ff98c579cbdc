//! The files of a run: manifest, traces, passages, replies and a judge's verdicts.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_core::hint::Hint;
use ragtriage_data::run::replies::Replies;
use ragtriage_data::run::{RunFolder, SavedRun};

const FILES: [&str; 5] =
    ["run.json", "traces.jsonl", "passages.jsonl", "replies.jsonl", "judge.jsonl"];

fuzz_target!(|bytes: &[u8]| {
    let folder = RunFolder::existing(ragtriage_fuzz::files(bytes, &FILES));
    for loaded in [SavedRun::load(&folder), SavedRun::load_incomplete(&folder, 3)] {
        match loaded {
            Ok(run) => assert!(run.traces.iter().all(|trace| {
                let hits = trace.steps.iter().flat_map(|step| &step.hits);
                hits.into_iter().all(|hit| run.passages.contains_key(&hit.id))
            })),
            Err(error) => assert!(!error.to_string().is_empty() && error.hint().is_some()),
        }
    }
    let _ = Replies::read(&folder);
    let _ = ragtriage_data::run::judged::read(&folder);
});
