//! SQuAD's JSON, 1.1 and 2.0.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragxray::dataset::Format;

fuzz_target!(|bytes: &[u8]| {
    let folder = ragxray_fuzz::files(bytes, &["squad.json"]);
    ragxray_fuzz::load(Format::Squad, folder.join("squad.json"));
});
