//! HotpotQA's JSON, the official list and the Hugging Face dict.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragxray::dataset::Format;

fuzz_target!(|bytes: &[u8]| {
    let folder = ragxray_fuzz::files(bytes, &["hotpot.json"]);
    ragxray_fuzz::load(Format::Hotpotqa, folder.join("hotpot.json"));
});
