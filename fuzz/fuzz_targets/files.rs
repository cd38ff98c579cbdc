//! One's own folder of files with front matter; queries.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_core::config::{DatasetSettings, Format};

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(
        bytes,
        &["set/a.md", "set/b/c.txt", "set/questions.jsonl", "queries"],
    );
    let set = folder.join("set");
    ragtriage_fuzz::load(Format::Files, set.clone());
    let spec = DatasetSettings::new(Format::Files, &set);
    match ragtriage_data::dataset::asked(&spec, &folder.join("queries")) {
        Ok((dataset, _)) => ragtriage_fuzz::check(&dataset),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
