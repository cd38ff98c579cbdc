//! SQuAD's JSON, 1.1 and 2.0.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_core::config::Format;

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(bytes, &["squad.json"]);
    ragtriage_fuzz::load(Format::Squad, folder.join("squad.json"));
});
