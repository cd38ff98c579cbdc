//! CISI in SMART's form.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_core::config::Format;

fuzz_target!(|bytes: &[u8]| {
    let files = ["cisi/CISI.ALL", "cisi/CISI.QRY", "cisi/CISI.REL"];
    let folder = ragtriage_fuzz::files(bytes, &files);
    ragtriage_fuzz::load(Format::Smart, folder.join("cisi"));
});
