//! HotpotQA's JSON, the official list and the Hugging Face dict.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_core::config::Format;

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(bytes, &["hotpot.json"]);
    ragtriage_fuzz::load(Format::Hotpotqa, folder.join("hotpot.json"));
});
